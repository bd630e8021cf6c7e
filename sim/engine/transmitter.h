// SPDX-License-Identifier: Apache-2.0
// One direction of a link: the queues in front of it, its credits, its wire and what is in flight.
//
// A transmitter has one input for each source inside its component (a switch: one for each ingress
// port; an endpoint: one for each DMA channel and one for completions). An input holds posted,
// non-posted and completion TLPs in a queue each. Whenever the wire is free, inputs are served
// round robin, and within an input the oldest TLP that has credits and may pass those before it
// (PCIe r6.0, sec 2.4.1) goes first.
//
// Two wake-ups exist: the head of what is in flight arrives (TLPs on a link stay in order, so one
// pending entry serves them all), and the wire falls free or credits come back while something
// waits. DLLPs and SKP ordered sets have no events: what is owed is charged when the next
// TLP is sent, less what the idle wire could carry since.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/base/units.h"
#include "sim/engine/scheduler.h"
#include "sim/engine/tlp.h"
#include "sim/pcie/credits.h"
#include "sim/pcie/link_timing.h"

namespace peerfab::engine {

// The far end of a link direction.
class Receiver {
 public:
  virtual void receive(Tlp* tlp, Picoseconds now) = 0;

 protected:
  ~Receiver() = default;
};

// Fills an input on demand, so that a source holds one TLP ready and not its whole job.
class TransmitSource {
 public:
  // A TLP of this source's input went onto the wire.
  virtual void input_drained(unsigned input, Picoseconds now) = 0;

 protected:
  ~TransmitSource() = default;
};

// Buffer that the far end advertises, in credits; 0 is infinite (PCIe r6.0, sec 2.6.1).
struct ReceiveBuffer {
  struct Class {
    std::uint32_t headers = 0;
    std::uint32_t data = 0;  // units of 16 B
  };
  std::array<Class, pcie::kFlowClassCount> classes;
};

struct TransmitterConfig {
  pcie::LinkConfig link;
  // A wire that is no PCIe link, as between sockets: payload at this rate (0 is unlimited), no
  // framing, DLLPs or ordered sets. `link` has no meaning then.
  std::optional<Bandwidth> wire_rate;
  Picoseconds propagation;
  // From the arrival of the TLP at the far end until the far end acts on it: a switch's
  // forwarding latency or an endpoint's receive pipeline.
  Picoseconds receive_latency;
  // The far end acts on the first bytes (a cut-through switch) or on the whole TLP.
  bool cut_through = false;
  ReceiveBuffer buffer;
  // From a buffer falling free at the far end until the transmitter may count on it, besides the
  // propagation of the UpdateFC.
  Picoseconds credit_return_latency;
  // Under continuous traffic one Ack and one UpdateFC for each class are sent in this time.
  Picoseconds dllp_interval;
};

struct TransmitterStatistics {
  std::uint64_t tlps = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t tlp_bytes = 0;   // with framing, LCRC and start alignment
  std::uint64_t dllp_bytes = 0;  // Acks and UpdateFCs that this direction carried
  std::uint64_t skp_bytes = 0;
  std::uint64_t credit_stall_ps = 0;  // time of TLPs at the head of a queue without credits
  std::uint64_t ordering_stall_ps = 0;
  std::uint64_t queue_peak = 0;  // most TLPs that waited at once
};

class Transmitter {
 public:
  Transmitter(Scheduler& scheduler, const TransmitterConfig& config, unsigned inputs);
  Transmitter(const Transmitter&) = delete;
  Transmitter& operator=(const Transmitter&) = delete;

  static constexpr unsigned kMaxInputs = 128;
  // What a TLP without payload costs on a wire that is no PCIe link.
  static constexpr std::uint32_t kWireHeaderBytes = 16;

  // Wiring, before the first event. `reverse` is the other direction of the same link.
  void connect(Receiver* receiver, Transmitter* reverse);
  // The TLPs of this input hold buffer that `upstream` sent into: its credits return when they
  // leave. Without, nothing returns.
  void set_upstream(unsigned input, Transmitter* upstream) { inputs_[input].upstream = upstream; }
  void set_source(unsigned input, TransmitSource* source, unsigned source_input) {
    inputs_[input].source = source;
    inputs_[input].source_input = static_cast<std::uint16_t>(source_input);
  }

  // Queues a TLP that is complete as far as this component is concerned.
  void enqueue(unsigned input, Tlp* tlp, Picoseconds now);
  [[nodiscard]] std::uint32_t waiting(unsigned input) const { return inputs_[input].waiting; }

  // The far end freed the buffer of a TLP at time `at`, which may lie ahead.
  void return_credit(pcie::FlowClass flow_class, std::uint32_t data_credits, Picoseconds at);

  [[nodiscard]] const TransmitterConfig& config() const { return config_; }
  [[nodiscard]] const TransmitterStatistics& statistics() const { return statistics_; }
  // Forgets what was counted so far; the warm-up ends here.
  void reset_statistics();
  // Wire time that TLPs, DLLPs and SKP ordered sets took, in ticks.
  [[nodiscard]] std::uint64_t busy_ticks() const;
  [[nodiscard]] Picoseconds serialisation(const Tlp& tlp) const {
    return pcie::LineTime(std::uint64_t{wire_bytes(tlp)} * ticks_per_byte_).to_picoseconds_ceil();
  }
  [[nodiscard]] std::uint32_t wire_bytes(const Tlp& tlp) const {
    if (config_.wire_rate.has_value()) [[unlikely]] {
      const std::uint32_t payload = tlp.payload_dw_bytes();
      return payload != 0 ? payload : kWireHeaderBytes;
    }
    return timing_.tlp_wire_bytes(tlp.header_bytes(), tlp.payload_dw_bytes(),
                                  (tlp.flags & Tlp::kDigest) != 0);
  }
  // Why TLPs wait at this moment, for diagnosis; empty when none does.
  [[nodiscard]] bool blocked() const { return blocked_classes_ != 0; }
  [[nodiscard]] std::uint64_t backlog() const { return backlog_; }

 private:
  static constexpr unsigned kMaskBits = 64;
  enum class Stall : std::uint8_t { kCredit, kOrdering };
  static constexpr std::uint64_t kNotStalled = ~std::uint64_t{0};
  struct Queue {
    Tlp* head = nullptr;
    Tlp* tail = nullptr;  // meaningless while the queue is empty
    // Since when (in the bits above the lowest) and why (Stall, in the lowest) the head waits
    // although the wire was free.
    std::uint64_t stall = kNotStalled;
  };
  struct Input {
    Queue queues[pcie::kFlowClassCount];
    std::uint32_t waiting = 0;
    std::uint16_t source_input = 0;
    std::uint8_t classes = 0;  // bit i: queues[i] is not empty
    Transmitter* upstream = nullptr;
    TransmitSource* source = nullptr;
  };
  // A return on its way in one word: its time above, its data credits in the low bits.
  static constexpr unsigned kReturnDataBits = 9;
  struct Credits {
    pcie::CreditCounter headers;
    pcie::CreditCounter data;
    std::uint32_t mask = 0;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::unique_ptr<std::uint64_t[]> returns;  // in order of time
    std::uint64_t latest_return = 0;
    std::uint64_t next_update_fc = 0;
  };

  static void on_free(void* self, Picoseconds now);
  static void on_arrival(void* self, Picoseconds now);

  void send_next(Picoseconds now);
  // What is sent next: a queue of an input, and what its head costs.
  struct Choice {
    Input* input = nullptr;  // nullptr: nothing may be sent now
    unsigned flow_class = 0;
    std::uint32_t data_credits = 0;
  };
  Choice choose(Picoseconds now);
  bool try_input(Input& input, Picoseconds now, Choice& choice);
  bool try_classes(Input& input, Picoseconds now, Choice& choice);
  bool eligible(Input& input, unsigned flow_class, Picoseconds now, Choice& choice);
  static bool covers(const Credits& credits, std::uint32_t data) {
    return credits.headers.can_send(1) && credits.data.can_send(data);
  }
  bool take_returns(Credits& credits, std::uint32_t data, Picoseconds now);
  void transmit(const Choice& choice, Picoseconds now);
  void note_stall(Queue& queue, Stall stall, Picoseconds now);
  void end_stall(Queue& queue, Picoseconds now);
  static bool may_overtake_posted(const Tlp& tlp, const Queue& posted);
  void wake_at(Picoseconds at);
  void owe_dllp();

  // Hot: read and written for each TLP.
  Scheduler& scheduler_;
  Receiver* receiver_ = nullptr;
  Transmitter* reverse_ = nullptr;
  std::uint64_t line_free_ticks_ = 0;
  Picoseconds line_free_;  // the same, rounded up
  std::uint64_t next_skp_ticks_;
  std::uint64_t owed_dllp_ticks_ = 0;
  Picoseconds wake_at_ = Picoseconds::max();
  Tlp* in_flight_head_ = nullptr;
  Tlp* in_flight_tail_ = nullptr;
  std::uint64_t backlog_mask_[kMaxInputs / 64] = {};  // inputs in which a TLP waits
  std::uint64_t next_ack_ps_ = 0;
  std::uint32_t ticks_per_byte_;
  std::uint32_t backlog_ = 0;
  std::uint32_t last_input_ = 0;
  ActorId free_actor_;
  ActorId arrival_actor_;
  std::uint8_t blocked_classes_ = 0;
  bool sending_ = false;
  std::vector<Input> inputs_;
  Credits credits_[pcie::kFlowClassCount];
  TransmitterStatistics statistics_;
  pcie::LinkTiming timing_;
  TransmitterConfig config_;
};

}  // namespace peerfab::engine
