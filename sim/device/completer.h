// SPDX-License-Identifier: Apache-2.0
// Answers requests: takes writes into a memory, and returns the data of reads in completions.
//
// One completer serves all ports of its component (an endpoint has one, a root complex one for each
// root port). Reads of a port are answered in order; their completions are made one by one as the
// link takes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/ring.h"
#include "sim/device/memory.h"
#include "sim/device/model.h"
#include "sim/engine/tlp.h"
#include "sim/engine/transmitter.h"
#include "sim/pcie/splitting.h"

namespace peerfab::device {

struct CompleterStatistics {
  std::uint64_t write_requests = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t read_requests = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t refused = 0;  // answered with UR or CA, or discarded
};

class alignas(64) Completer final : public engine::TransmitSource {
 public:
  Completer(engine::Scheduler& scheduler, engine::TlpPool& pool, RequesterTable& requesters);

  struct Port;
  // How a request came: over `in`, whose credits are returned; its answers leave by `port`. A write
  // needs no more than this.
  struct Way {
    engine::Transmitter* in = nullptr;
    Port* port = nullptr;
  };
  // Completions go into `input` of `out`; what arrives came over `in`.
  Way add_port(engine::Transmitter& out, unsigned input, engine::Transmitter& in);
  // In the order in which they were added.
  [[nodiscard]] Way way(unsigned index) const { return ways_[index]; }
  void set_identity(Bdf bdf) { bdf_ = bdf; }
  // PCIe r6.0, sec 2.3.1.1; max_bytes as the Max_Payload_Size in force allows.
  void set_limits(const pcie::CompletionLimits& limits) { limits_ = limits; }

  // Serves a request from a port with memory at `offset`. Takes the TLP.
  void serve(engine::Tlp* tlp, Way way, Memory& memory, std::uint64_t offset, Picoseconds now);
  // Refuses a request: a completion with this status for a non-posted one, silence for a posted
  // one, whose sender's statistics learn why. Takes the TLP.
  void refuse(engine::Tlp* tlp, Way way, engine::CompletionStatus status, std::string_view why,
              Picoseconds now);
  // Drops a TLP that was sent already and is lost; the sender of a posted one learns why. Takes the
  // TLP.
  void lose(engine::Tlp* tlp, std::string_view why, Picoseconds now);
  // Answers a read with all bits set and success. Takes the TLP.
  void answer_all_ones(engine::Tlp* tlp, Way way, std::string_view why, Picoseconds now);

  [[nodiscard]] const CompleterStatistics& statistics() const { return statistics_; }
  void reset_statistics() { statistics_ = {}; }

  void input_drained(unsigned port, Picoseconds now) override { emit(*ports_[port], now); }

  void describe_waits(engine::WaitGraph& graph, const std::string& owner) const;

 private:
  struct PendingRead {
    Picoseconds ready;
    pcie::CompletionSplitter pieces{pcie::RequestPiece{}, pcie::CompletionLimits{}};
    Memory* memory = nullptr;  // nullptr: no data (a refusal) or all bits set
    std::uint64_t offset = 0;  // of the first byte in the memory
    std::uint64_t first_address = 0;
    std::uint32_t segments[engine::kTlpSegments] = {};
    std::uint16_t requester = 0;
    std::uint16_t tag = 0;
    std::uint8_t attributes = 0;
    engine::CompletionStatus status = engine::CompletionStatus::kSuccessful;
    bool has_data = true;
  };
  struct PendingWrite {
    Picoseconds accepted;
    engine::Tlp* tlp;
    engine::Transmitter* in;
  };

  static void on_ready(void* self, Picoseconds now);
  static void on_accepted(void* self, Picoseconds now);
  void emit(Port& port, Picoseconds now);
  void push_read(const PendingRead& read, Port& port, Picoseconds now);
  void deliver(engine::Tlp* tlp, engine::Transmitter& in, Picoseconds now);
  [[nodiscard]] PendingRead make_read(const engine::Tlp& tlp) const;

  // What a posted write touches comes first, in one cache line.
  engine::TlpPool& pool_;
  RequesterTable& requesters_;
  Ring<PendingWrite> writes_;  // in order of acceptance
  CompleterStatistics statistics_;
  engine::Scheduler& scheduler_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<Way> ways_;  // of the same
  Bdf bdf_;
  pcie::CompletionLimits limits_{128, 128};
  engine::ActorId write_actor_;
};

// Where the answers of one way leave, and what is still to be answered there.
struct Completer::Port {
  engine::Transmitter* out = nullptr;
  unsigned input = 0;  // of out
  engine::ActorId actor = 0;
  Completer* self = nullptr;
  Ring<PendingRead> reads;
};

}  // namespace peerfab::device
