// SPDX-License-Identifier: Apache-2.0
// One direction of a link: the queues in front of it, its credits, its wire and what is in flight.
//
// A transmitter has one input for each source inside its component (a switch: one for each ingress
// port; an endpoint: one for each DMA channel and one for completions). An input holds posted,
// non-posted and completion TLPs in a queue each. Whenever the wire is free, inputs are served
// round robin or by their weights, and within an input the oldest TLP that has credits and may pass
// those before it (PCIe r6.0, sec 2.4.1) goes first.
//
// Two wake-ups exist: the head of what is in flight arrives (TLPs on a link stay in order, so one
// pending entry serves them all), and the wire falls free or credits come back while something
// waits. DLLPs and SKP ordered sets have no events: what is owed is charged when the next
// TLP is sent, less what the idle wire could carry since.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/ring.h"
#include "sim/base/units.h"
#include "sim/engine/data_link.h"
#include "sim/engine/link_observer.h"
#include "sim/engine/scheduler.h"
#include "sim/engine/tlp.h"
#include "sim/engine/weighted_round_robin.h"
#include "sim/pcie/credits.h"
#include "sim/pcie/link_timing.h"

namespace peerfab::engine {

// The far end of a link direction.
class Receiver {
 public:
  virtual void receive(Tlp* tlp, Picoseconds now) = 0;
  // One that has arrived in part and will turn out to be damaged, for a component that does not
  // wait for the LCRC. It is still the sender's, who will send it again.
  virtual void receive_damaged(const Tlp& /*tlp*/, Picoseconds /*now*/) {}

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

// How the inputs of a transmitter take turns (PCIe r6.0, sec 6.3.3.3).
enum class Arbitration : std::uint8_t { kRoundRobin, kWeightedRoundRobin };

// VC1 beside VC0: buffers of its own, and the traffic classes that use it (PCIe r6.0, sec 2.5).
// TC0 always uses VC0.
struct SecondChannel {
  ReceiveBuffer buffer;
  std::uint8_t traffic_classes = 0;  // bit i: TCi
  // TLPs of each channel in a round, where both have some (sec 6.3.3.2).
  std::array<unsigned, 2> weights = {1, 1};
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
  // A completion waits for the posted requests of all inputs that were queued before it, not only
  // for those of its own: what an endpoint answers pushes what it wrote ahead of it, whichever of
  // its engines did (PCIe r6.0, sec 2.4.1, entry D2a). Inputs of a switch or root complex are
  // ports, and arbitration between those makes no order (sec 6.3.3).
  bool completions_push_all_inputs = false;
  Arbitration arbitration = Arbitration::kRoundRobin;
  // Of what arrives over this direction, wherever the far end sends it on by weighted round robin.
  unsigned weight_beyond = 1;
  std::optional<SecondChannel> second_channel;
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

class WaitGraph;
struct WaitId;
struct Waiter;

class alignas(64) Transmitter {
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
  void set_upstream(unsigned input, Transmitter* upstream) {
    for (unsigned i = input; i < queue_sets(); i += inputs_per_channel_) {
      assert(!inputs_[i].has_source);
      inputs_[i].upstream = upstream;
    }
  }
  // Asks `source` for more when a TLP of this input went onto the wire. Such an input has no
  // upstream.
  void set_source(unsigned input, TransmitSource* source, unsigned source_input) {
    for (unsigned i = input; i < queue_sets(); i += inputs_per_channel_) {
      assert(source_input < kMaxInputs && inputs_[i].upstream == nullptr);
      inputs_[i].source = source;
      inputs_[i].has_source = true;
      inputs_[i].source_input = static_cast<std::uint8_t>(source_input);
    }
  }
  // TLPs of this input in a round of weighted round robin; no effect in plain round robin.
  void set_weight(unsigned input, unsigned weight) {
    if (config_.arbitration == Arbitration::kWeightedRoundRobin) turns_->set_weight(input, weight);
  }

  // Queues a TLP that is complete as far as this component is concerned.
  void enqueue(unsigned input_index, Tlp* tlp, Picoseconds now) {
    if (two_channels_) [[unlikely]]
      input_index += inputs_per_channel_ * channel_of(tlp->traffic_class());
    Input& input = inputs_[input_index];
    const auto flow_class = static_cast<unsigned>(tlp->flow_class);
    Queue& queue = queue_of(input, flow_class);
    tlp->stamp = now;
    tlp->next = nullptr;
    // Without a branch: whether something waits already cannot be predicted.
    Tlp** const link = (input.classes >> flow_class & 1) == 0 ? &queue.head : &queue.tail->next;
    *link = tlp;
    queue.tail = tlp;
    input.classes |= static_cast<std::uint8_t>(1U << flow_class);
    ++input.waiting;
    backlog_mask_[input_index / kMaskBits] |= std::uint64_t{1} << input_index % kMaskBits;
    if (observed_) [[unlikely]]
      observer_->tlp_queued(input_index, *tlp, now);
    queue_peak_ = std::max(queue_peak_, ++backlog_);
    if (sending_) return;
    if (line_free() > now) {
      wake_at(line_free());
    } else {
      send_next(now);
    }
  }
  [[nodiscard]] std::uint32_t waiting(unsigned input) const {
    const std::uint32_t first = inputs_[input].waiting;
    return two_channels_ ? first + inputs_[input + inputs_per_channel_].waiting : first;
  }

  // The far end freed the buffer of a TLP at time `at`, which may lie ahead.
  void return_credit(const Tlp& tlp, Picoseconds at) {
    return_credit(tlp.flow_class, tlp.data_credits(), at, tlp.traffic_class());
  }
  void return_credit(pcie::FlowClass flow_class, std::uint32_t data_credits, Picoseconds at,
                     unsigned traffic_class = 0) {
    auto index = static_cast<unsigned>(flow_class);
    Credits* pool = &credits_[index];
    if (two_channels_) [[unlikely]] {
      index += pcie::kFlowClassCount * channel_of(traffic_class);
      pool = &credits_of(index);
    }
    Credits& credits = *pool;
    const std::uint32_t data = credits.data.is_infinite() ? 0 : data_credits;
    if (credits.headers.is_infinite() && data == 0) return;  // infinite: no UpdateFC either
    // UpdateFCs of a class carry a running total: a later one never takes effect before an earlier.
    std::uint64_t effective = std::max(at.count() + credit_return_ps_, credits.latest_return);
    if (at.count() >= credits.next_update_fc || (blocked_classes_ >> index & 1) != 0) {
      effective = announce_return(credits, index, at, Picoseconds(effective)).count();
    }
    credits.latest_return = effective;
    if (observed_) [[unlikely]]
      observer_->credits_returned(flow_class, 1, data, at, Picoseconds(effective));
    credits.returns.push_back(effective << kReturnDataBits | data);
  }

  // From now on, before the first event: with a data link layer of its own instead of Acks that
  // are only accounted for. Both directions of the link or none. Not for a wire that is no PCIe
  // link.
  void use_data_link(const DataLinkConfig& config);
  // nullptr: without.
  [[nodiscard]] DataLink* data_link() const { return data_link_.get(); }
  // Somebody who is told what passes; nullptr: nobody.
  void observe(LinkObserver* observer) {
    observer_ = observer;
    observed_ = observer != nullptr;
    arrivals_observed_ = observed_;
  }
  // Another rate or width from now on; what is on the wire is not changed. With a data link.
  void set_link(const pcie::LinkConfig& link, Picoseconds dllp_interval);
  // Takes the wire for a TLP that a cut-through component sends on although it is damaged: it ends
  // nullified, and the far end drops it. Does nothing unless the wire is free for it at once.
  void send_nullified(const Tlp& tlp, Picoseconds now);
  // Sends a DLLP as soon as the wire allows it. When it arrives; nullopt: it is lost.
  std::optional<Picoseconds> send_dllp(const pcie::Dllp& dllp, Picoseconds now);
  // Hands over all that waits, and what its sources bring meanwhile: the link is down.
  void abandon(const std::function<void(unsigned input, Tlp*)>& lose, Picoseconds now);
  // The link's state has changed, for an observer.
  void report_state(LinkState state, Picoseconds now) {
    if (observed_) observer_->state_changed(state, now);
  }
  // Puts the receive buffer of this end, which the other direction's transmitter sends into, into
  // an InitFC.
  void advertise(pcie::Dllp& dllp) const;
  [[nodiscard]] Picoseconds wire_free() const { return line_free(); }

  [[nodiscard]] const TransmitterConfig& config() const { return config_; }
  [[nodiscard]] TransmitterStatistics statistics() const;
  // Forgets what was counted so far; the warm-up ends here.
  void reset_statistics();
  // Wire time that TLPs, DLLPs and SKP ordered sets took, in ticks.
  [[nodiscard]] std::uint64_t busy_ticks() const;
  [[nodiscard]] Picoseconds serialisation(const Tlp& tlp) const {
    return pcie::LineTime(std::uint64_t{wire_bytes(tlp)} * ticks_per_byte_).to_picoseconds_ceil();
  }
  [[nodiscard]] std::uint32_t wire_bytes(const Tlp& tlp) const {
    return wire_bytes(tlp, tlp.payload_dw_bytes());
  }
  // Why TLPs wait at this moment, for diagnosis; empty when none does.
  [[nodiscard]] bool blocked() const { return blocked_classes_ != 0; }
  [[nodiscard]] std::uint64_t backlog() const { return backlog_; }
  // What waits here and why (sim/engine/waits.h).
  void describe_waits(WaitGraph& graph) const;
  // The waiter that stands for a queue, while something is in it.
  [[nodiscard]] WaitId queue_id(unsigned input, pcie::FlowClass flow_class) const;

 private:
  friend class DataLink;  // the two are one transmitter, and apart only since few links need both

  static constexpr unsigned kMaskBits = 64;
  static constexpr unsigned kMaxChannels = 2;
  enum class Stall : std::uint8_t { kCredit, kOrdering };
  struct Queue {
    Tlp* head = nullptr;
    Tlp* tail = nullptr;  // meaningless while the queue is empty
  };
  // Two to a cache line: posted requests are what a busy fabric carries most.
  struct alignas(32) Input {
    Queue posted;
    union {
      Transmitter* upstream = nullptr;
      TransmitSource* source;
    };
    std::uint32_t waiting = 0;
    std::uint8_t classes = 0;  // bit i: the queue of class i is not empty
    std::uint8_t stalled = 0;  // bit i: its head waits although the wire was free
    bool has_source = false;
    std::uint8_t source_input = 0;  // of the source's own numbering
  };
  static_assert(sizeof(Input) == 32);
  struct OtherQueues {
    Queue non_posted;
    Queue completion;
  };
  // Since when and why a head waits.
  struct StalledHead {
    Picoseconds since;
    Stall why = Stall::kCredit;
  };
  // A return on its way in one word: its time above, its data credits in the low bits.
  static constexpr unsigned kReturnDataBits = 9;
  struct alignas(64) Credits {
    pcie::CreditCounter headers;
    pcie::CreditCounter data;
    Ring<std::uint64_t> returns;  // in order of time
    std::uint64_t latest_return = 0;
    std::uint64_t next_update_fc = 0;
  };
  static_assert(sizeof(Credits) == 64);
  static void on_free(void* self, Picoseconds now);
  static void on_arrival(void* self, Picoseconds now);

  // When the wire falls free, in whole picoseconds.
  [[nodiscard]] Picoseconds line_free() const {
    return pcie::LineTime(line_free_ticks_).to_picoseconds_ceil();
  }
  void send_next(Picoseconds now);
  // What is sent next: a queue of an input, and what its head costs.
  struct Choice {
    Input* input = nullptr;  // nullptr: nothing may be sent now
    Credits* credits = nullptr;
    unsigned flow_class = 0;
    std::uint32_t payload_dw_bytes = 0;
  };
  bool choose(Picoseconds now, Choice& choice);
  bool choose_after(unsigned input, Picoseconds now, Choice& choice);
  bool choose_in_turn(Picoseconds now, Choice& choice);
  bool try_input(Input& input, Picoseconds now, Choice& choice);
  bool try_classes(Input& input, Picoseconds now, Choice& choice);
  bool eligible(Input& input, unsigned flow_class, Picoseconds now, Choice& choice);
  static bool covers(const Credits& credits, std::uint32_t data) {
    return credits.headers.can_send(1) && credits.data.can_send(data);
  }
  Picoseconds announce_return(Credits& credits, unsigned flow_class, Picoseconds freed,
                              Picoseconds effective);
  bool take_returns(Credits& credits, std::uint32_t data, Picoseconds now);
  [[nodiscard]] std::uint32_t wire_bytes(const Tlp& tlp, std::uint32_t payload_dw_bytes) const {
    if (!is_pcie_) [[unlikely]]
      return payload_dw_bytes != 0 ? payload_dw_bytes : kWireHeaderBytes;
    return timing_.tlp_wire_bytes(tlp.header_bytes(), payload_dw_bytes, tlp.has_digest());
  }
  void transmit(const Choice& choice, Picoseconds now);
  struct OnWire;
  void send_watched(unsigned input, Tlp* tlp, std::uint32_t bytes, const OnWire& wire,
                    Picoseconds acts);
  struct OnWire {
    Picoseconds starts;
    Picoseconds ends;
  };
  // Takes the wire for this many bytes, behind what has to go first.
  OnWire occupy(std::uint32_t bytes, Picoseconds now);
  OnWire take_wire(std::uint32_t bytes, Picoseconds now);  // the same, from outside
  // When the far end acts on it.
  [[nodiscard]] Picoseconds acts_at(const OnWire& wire) const {
    Picoseconds seen = cut_through_ ? wire.starts : wire.ends;
    if (flits_) [[unlikely]]
      seen = timing_.received(cut_through_ ? wire.starts + header_time() : wire.ends);
    return seen + Picoseconds(std::uint64_t{propagation_ps_} + receive_latency_ps_);
  }
  // Of the first bytes that a cut-through receiver needs.
  [[nodiscard]] Picoseconds header_time() const {
    return pcie::LineTime(std::uint64_t{pcie::spec::kHeader4DwBytes} * ticks_per_byte_)
        .to_picoseconds_ceil();
  }
  void deliver(Tlp* tlp, std::uint16_t sequence_number, Picoseconds now);
  void observe_replay(const OnWire& wire, std::uint32_t bytes, std::uint16_t sequence_number);
  std::optional<Picoseconds> carry(const pcie::Dllp& dllp, bool damaged, Picoseconds now);
  std::optional<Picoseconds> send_acknowledgement(const pcie::Dllp& dllp, Picoseconds now);
  Picoseconds delay_lost_update(Credits& credits, unsigned flow_class, Picoseconds freed,
                                Picoseconds effective);
  void wait_for_credits();
  void note_stall(Input& input, unsigned flow_class, Stall stall, Picoseconds now);
  void end_stall(Input& input, unsigned flow_class, Picoseconds now);
  // Each channel has inputs of its own, those of VC1 behind those of VC0, and credits of its own.
  [[nodiscard]] unsigned channel_of(unsigned traffic_class) const {
    return config_.second_channel->traffic_classes >> traffic_class & 1U;
  }
  [[nodiscard]] unsigned channel_of(const Input& input) const {
    return index_of(input) < inputs_per_channel_ ? 0 : 1;
  }
  [[nodiscard]] unsigned queue_sets() const {
    return inputs_per_channel_ * (two_channels_ ? kMaxChannels : 1U);
  }
  // By class, those of VC1 behind those of VC0.
  Credits& credits_of(unsigned index) {
    return index < pcie::kFlowClassCount ? credits_[index]
                                         : second_credits_[index - pcie::kFlowClassCount];
  }
  [[nodiscard]] std::size_t index_of(const Input& input) const {
    return static_cast<std::size_t>(&input - inputs_.get());
  }
  Queue& queue_of(Input& input, unsigned flow_class) {
    if (flow_class == static_cast<unsigned>(pcie::FlowClass::kPosted)) return input.posted;
    OtherQueues& others = other_queues_[index_of(input)];
    return flow_class == static_cast<unsigned>(pcie::FlowClass::kNonPosted) ? others.non_posted
                                                                            : others.completion;
  }
  StalledHead& stalled_head(const Input& input, unsigned flow_class) {
    return stalled_heads_[index_of(input) * pcie::kFlowClassCount + flow_class];
  }
  static bool may_overtake_posted(const Tlp& tlp, const Queue& posted);
  bool may_overtake_all_posted(const Tlp& tlp, unsigned channel);
  void wake_at(Picoseconds at) {
    if (at >= wake_at_) return;
    wake_at_ = at;
    scheduler_.schedule(free_actor_, at);
  }
  std::uint64_t send_skips(std::uint64_t start);
  void pass_skips(std::uint64_t start);
  void owe_dllp();

  // What a hop reads and writes, by cache line: with many endpoints the lines that a hop touches
  // are what it costs.
  // An arrival:
  Scheduler& scheduler_;
  Receiver* receiver_ = nullptr;
  Tlp* in_flight_head_ = nullptr;
  Tlp* in_flight_tail_ = nullptr;
  ActorId arrival_actor_;
  ActorId free_actor_;
  std::uint64_t next_skp_ticks_;
  std::uint64_t next_ack_ps_ = 0;
  bool arrivals_observed_ = false;  // as observed_, in this line
  // An enqueued TLP, a returned credit, the choice:
  alignas(64) std::unique_ptr<Input[]> inputs_;
  std::uint64_t backlog_mask_[kMaxInputs / 64] = {};  // inputs in which a TLP waits
  Picoseconds wake_at_ = Picoseconds::max();
  std::uint64_t line_free_ticks_ = 0;
  std::uint64_t owed_dllp_ticks_ = 0;
  std::uint32_t backlog_ = 0;
  std::uint32_t queue_peak_ = 0;
  std::uint32_t credit_return_ps_;  // from a buffer falling free until the transmitter counts on it
  std::uint8_t blocked_classes_ = 0;
  std::uint8_t last_input_ = 0;
  bool sending_ = false;
  bool cut_through_ : 1;
  bool is_pcie_ : 1;
  // One channel, round robin, and one word of backlog_mask_ holds all inputs.
  bool simple_choice_ : 1;
  bool two_channels_ : 1;
  bool flits_ : 1;     // FLIT mode: what is received is received by flits
  bool exact_ : 1;     // data_link_ is there
  bool observed_ : 1;  // observer_ is there
  bool push_all_inputs_ : 1;
  // The TLP that is sent:
  pcie::LinkTiming timing_;
  std::uint32_t ticks_per_byte_;
  Transmitter* reverse_ = nullptr;
  std::uint32_t propagation_ps_;
  std::uint32_t receive_latency_ps_;
  std::uint64_t tlps_ = 0;
  std::uint64_t payload_bytes_ = 0;
  std::uint64_t tlp_bytes_ = 0;
  // A line for each class:
  Credits credits_[pcie::kFlowClassCount];

  std::unique_ptr<OtherQueues[]> other_queues_;  // by input
  // Who has the turn, where that is not simple: first among the channels, then among the inputs of
  // one.
  struct Turns {
    Turns(unsigned channels, unsigned inputs)
        : of_channels(channels), of_inputs(channels, WeightedRoundRobin(inputs)) {}
    void set_weight(unsigned input, unsigned weight) {
      for (WeightedRoundRobin& inputs : of_inputs) inputs.set_weight(input, weight);
    }
    WeightedRoundRobin of_channels;
    std::vector<WeightedRoundRobin> of_inputs;
  };
  std::unique_ptr<Turns> turns_;
  std::unique_ptr<Credits[]> second_credits_;  // of VC1, by class
  unsigned inputs_per_channel_;
  std::uint64_t dllp_interval_ps_;
  TransmitterStatistics statistics_;        // without what is counted above
  std::vector<StalledHead> stalled_heads_;  // by input and class
  TransmitterConfig config_;
  LinkObserver* observer_ = nullptr;
  std::unique_ptr<DataLink> data_link_;
  std::uint8_t lost_updates_ = 0;  // bit i: the last UpdateFC of class i was lost

  void describe_queue(WaitGraph& graph, unsigned index, unsigned flow_class) const;
  void describe_credits(Waiter& waiter, const Tlp& head, const std::string& far_end) const;
};

}  // namespace peerfab::engine
