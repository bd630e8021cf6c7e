// SPDX-License-Identifier: Apache-2.0
// Flows and copies in motion: each becomes a driver that hands jobs to DMA engines, keeps so many
// of them outstanding, and gathers what the result says about it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/engine/waits.h"
#include "sim/scenario/result.h"
#include "sim/scenario/scenario.h"
#include "sim/stats/breakdown.h"
#include "sim/stats/histogram.h"
#include "sim/topology/system.h"

namespace peerfab::scenario {

// Where a flow's data goes: the way that was chosen, and the link directions on it.
struct FlowPlan {
  topology::ComponentId from = 0;
  topology::ComponentId to = 0;
  topology::ComponentId by = 0;       // the initiator; of a staged copy, the source
  bool staged = false;                // through host memory
  topology::ComponentId staging = 0;  // the socket with the staging buffers
  struct Direction {
    const engine::Transmitter* transmitter = nullptr;
    std::string name;  // "link gpu0-sw0 up"
  };
  std::vector<Direction> directions;  // that the data takes
};

// One flow of a variant. Single use.
class FlowDriver final : public device::DmaListener {
 public:
  FlowDriver(const FlowSpec& spec, const FlowPlan& plan, topology::System& system, Payload payload,
             unsigned number, unsigned channel);

  // Starts it `spec.start` after `from`, but not before now.
  void begin(Picoseconds from);
  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] Picoseconds end() const { return end_; }
  [[nodiscard]] Bytes delivered() const { return delivered_; }
  [[nodiscard]] const std::string& error() const { return error_; }
  void on_done(std::function<void(Picoseconds)> callback) { on_done_ = std::move(callback); }
  // Everything before this was warm-up.
  void end_warm_up(Picoseconds now);

  void dma_done(const device::DmaReport& report) override;

  [[nodiscard]] FlowResult result(Picoseconds now) const;

  // What changes whenever a request of it is over.
  struct Progress {
    std::uint64_t jobs = 0;
    std::uint64_t requests = 0;
    bool operator==(const Progress&) const = default;
  };
  [[nodiscard]] Progress progress() const;
  // A transaction of it is on its way.
  [[nodiscard]] bool busy() const { return outstanding_ != 0; }
  [[nodiscard]] engine::WaitId wait_id() const;
  // A waiter that waits for all transactions on their way.
  engine::Waiter& describe_waits(engine::WaitGraph& graph) const;

 private:
  // A transaction on its way. Staged ones pass through the engines of the source and the target.
  struct Transaction {
    std::uint64_t number = 0;
    Picoseconds ready;          // when it could have been issued
    Picoseconds waiting_since;  // for the engine that is next
    BusAddress remote;
    bool mapped = false;
    unsigned buffer = 0;  // staged
    bool second_stage = false;
    bool under_way = false;
    std::uint64_t arrived_before = 0;  // bytes, at the end of the warm-up
    stats::Breakdown breakdown;
  };

  static void on_wake(void* self, Picoseconds now);
  void issue(Picoseconds now);
  bool submit_direct(std::uint32_t slot, Picoseconds now);
  bool submit_stage(std::uint32_t slot, Picoseconds now);
  void complete(std::uint32_t slot, const device::DmaReport& report);
  void check_payload(const Transaction& transaction);
  [[nodiscard]] std::uint64_t chunk_offset(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t chunk_bytes(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t chunk_span(std::uint64_t number) const;
  [[nodiscard]] std::string limiting(Picoseconds active) const;
  void fail(const std::string& why);

  const FlowSpec& spec_;
  FlowPlan plan_;
  topology::System& system_;
  bool check_payload_;
  unsigned channel_;
  engine::ActorId actor_;
  device::Initiator* initiator_;
  device::Initiator* second_initiator_ = nullptr;
  device::MemoryTarget* from_memory_;
  device::MemoryTarget* to_memory_;
  std::vector<BusAddress> buffers_;  // staged
  std::vector<std::uint8_t> buffer_busy_;

  std::uint64_t chunks_;  // of a repetition
  std::uint64_t total_;   // transactions in all
  std::uint64_t issued_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t jobs_over_ = 0;  // of engines: a staged transaction has two
  std::uint32_t outstanding_ = 0;
  std::vector<Transaction> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint32_t> second_stage_;  // staged: in the host, the target's turn
  bool started_ = false;
  bool done_ = false;
  bool issuing_ = false;
  Picoseconds start_;
  Picoseconds measured_from_;
  Picoseconds end_;
  Picoseconds first_byte_ = Picoseconds::max();
  Bytes delivered_;
  Bytes measured_bytes_;
  std::uint64_t measured_transactions_ = 0;
  stats::LatencyHistogram latency_;
  stats::Breakdown breakdown_;
  std::vector<std::uint64_t> busy_at_start_;  // of plan_.directions
  std::vector<std::uint64_t> busy_at_end_;
  std::string error_;
  std::function<void(Picoseconds)> on_done_;
};

}  // namespace peerfab::scenario
