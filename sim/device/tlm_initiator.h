// SPDX-License-Identifier: Apache-2.0
// The side of an endpoint that sends what an outsider's SystemC initiator asks for.
//
// The initiator calls b_transport with a bus address, from an SC_THREAD. A write returns when its
// last TLP is accepted: it waits in front of the wire, which is as much as hardware tells the
// sender of a posted request. A read returns when its last completion has arrived. Several threads
// may call at once; their requests are sent in the order of the calls. There is no DMI and no debug
// access through the fabric: both would bypass its time.
#pragma once

#include <sysc/kernel/sc_dynamic_processes.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <systemc>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/ring.h"
#include "sim/base/units.h"
#include "sim/cfgspace/port_registers.h"
#include "sim/device/model.h"
#include "sim/engine/engine.h"
#include "sim/engine/tlm_adaptor.h"
#include "sim/engine/tlp.h"
#include "sim/engine/transmitter.h"
#include "sim/pcie/splitting.h"
#include "sim/pcie/tags.h"

namespace peerfab::device {

struct TlmInitiatorStatistics {
  std::uint64_t read_requests = 0;  // TLPs
  std::uint64_t write_requests = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t tag_stall_ps = 0;
  std::uint64_t failed_requests = 0;  // refused somewhere; posted ones without the sender knowing
  std::uint64_t unexpected_completions = 0;
};

class TlmInitiator final : public sc_core::sc_module,
                           public engine::TransmitSource,
                           public PostedListener {
 public:
  // To bind to the outsider's initiator socket.
  tlm_utils::simple_target_socket<TlmInitiator> socket;

  TlmInitiator(const sc_core::sc_module_name& name, engine::Engine& engine, engine::TlpPool& pool,
               RequesterTable& requesters, std::uint32_t max_read_request,
               unsigned outstanding_reads);

  void connect(engine::Transmitter& out, unsigned input);
  // The registers decide who it is, how large its writes are and whether it may send at all.
  void configure(const cfgspace::PortRegisters& registers);

  // A completion that came back. Takes the TLP.
  void completion(engine::Tlp* tlp, Picoseconds now);

  [[nodiscard]] const TlmInitiatorStatistics& statistics() const { return statistics_; }
  void reset_statistics() { statistics_ = {}; }
  // Why a write was discarded somewhere, the first time; empty while none was.
  [[nodiscard]] const std::string& first_failure() const { return first_failure_; }

  void input_drained(unsigned input, Picoseconds now) override;
  void posted_delivered(const engine::Tlp& tlp, Picoseconds at) override;
  void posted_refused(const engine::Tlp& tlp, std::string_view why, Picoseconds at) override;

  void describe_waits(engine::WaitGraph& graph, const std::string& owner) const;

 private:
  // One b_transport on its way; lives on the stack of the thread that waits in it.
  struct Call {
    Call(BusAddress address, Bytes size, const pcie::RequestLimits& limits)
        : pieces(address, size, limits) {}
    pcie::RequestSplitter pieces;
    bool writes = false;
    std::uint8_t attributes = 0;
    std::byte* data = nullptr;  // of the piece that is next
    unsigned outstanding = 0;   // reads without their last completion
    engine::CompletionStatus status = engine::CompletionStatus::kSuccessful;
    const void* caller = nullptr;  // the process that is blocked in it
    sc_core::sc_event done;
  };
  struct Read {
    Call* call = nullptr;
    std::byte* to = nullptr;
    std::uint32_t remaining = 0;
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  [[nodiscard]] std::optional<tlm::tlm_response_status> objection(
      const tlm::tlm_generic_payload& payload) const;
  static void on_pump(void* self, Picoseconds now);
  void pump(Picoseconds now);
  bool send(Call& call, Picoseconds now);
  void describe_call(engine::WaitGraph& graph, const std::string& owner, const Call& call) const;

  engine::Engine& engine_;
  engine::TlpPool& pool_;
  RequesterTable& requesters_;
  engine::ActorId actor_;
  engine::Transmitter* out_ = nullptr;
  unsigned input_ = 0;
  const cfgspace::PortRegisters* registers_ = nullptr;
  std::uint32_t max_payload_;
  std::uint32_t max_read_request_;
  Ring<Call*> calls_;
  pcie::TagAllocator tags_;
  std::vector<Read> reads_;  // by tag
  std::optional<Picoseconds> waits_for_tag_since_;
  std::string first_failure_;
  TlmInitiatorStatistics statistics_;
};

}  // namespace peerfab::device
