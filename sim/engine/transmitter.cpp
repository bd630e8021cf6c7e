// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/transmitter.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "sim/pcie/ordering.h"

namespace peerfab::engine {

namespace {

constexpr unsigned kPosted = static_cast<unsigned>(pcie::FlowClass::kPosted);
constexpr unsigned kCompletion = static_cast<unsigned>(pcie::FlowClass::kCompletion);

std::uint64_t ticks_of(Picoseconds time) { return pcie::LineTime::from(time).ticks(); }
// The latencies of one link are far below the 4.29 ms that fit.
std::uint32_t short_ps(Picoseconds time) {
  assert(time.count() <= 0xffffffffU);
  return static_cast<std::uint32_t>(time.count());
}
unsigned queue_sets_of(const TransmitterConfig& config, unsigned inputs) {
  return config.second_channel.has_value() ? 2 * inputs : inputs;
}
Picoseconds ceil_ps(std::uint64_t ticks) { return pcie::LineTime(ticks).to_picoseconds_ceil(); }

}  // namespace

Transmitter::Transmitter(Scheduler& scheduler, const TransmitterConfig& config, unsigned inputs)
    : scheduler_(scheduler),
      inputs_(std::make_unique<Input[]>(queue_sets_of(config, inputs))),
      credit_return_ps_(short_ps(config.propagation + config.credit_return_latency)),
      cut_through_(config.cut_through),
      is_pcie_(!config.wire_rate.has_value()),
      simple_choice_(inputs <= kMaskBits && config.arbitration == Arbitration::kRoundRobin &&
                     !config.second_channel.has_value()),
      two_channels_(config.second_channel.has_value()),
      flits_(!config.wire_rate.has_value() && pcie::uses_flits(config.link.generation)),
      exact_(false),
      observed_(false),
      push_all_inputs_(config.completions_push_all_inputs),
      timing_(config.link),
      propagation_ps_(short_ps(config.propagation)),
      receive_latency_ps_(short_ps(config.receive_latency)),
      other_queues_(std::make_unique<OtherQueues[]>(queue_sets_of(config, inputs))),
      inputs_per_channel_(inputs),
      dllp_interval_ps_(config.dllp_interval.count()),
      stalled_heads_(std::size_t{queue_sets_of(config, inputs)} * pcie::kFlowClassCount),
      config_(config) {
  assert(inputs >= 1 && queue_sets() <= kMaxInputs);
  if (config.arbitration != Arbitration::kRoundRobin || two_channels_) {
    turns_ = std::make_unique<Turns>(two_channels_ ? kMaxChannels : 1, inputs);
  }
  ticks_per_byte_ = timing_.ticks_per_byte();
  next_skp_ticks_ = timing_.skp_interval().ticks();
  if (config.wire_rate.has_value()) {
    constexpr std::uint64_t kTicksPerSecond =
        1'000'000'000'000U * pcie::LineTime::kTicksPerPicosecond;
    const std::uint64_t rate = config.wire_rate->bytes_per_second();
    ticks_per_byte_ =
        rate == 0 ? 0 : static_cast<std::uint32_t>((kTicksPerSecond + rate - 1) / rate);
    next_skp_ticks_ = ~std::uint64_t{0};
  }
  const auto fill = [](Credits* credits, const ReceiveBuffer& buffer) {
    for (unsigned i = 0; i < pcie::kFlowClassCount; ++i) {
      const auto flow = static_cast<pcie::FlowClass>(i);
      credits[i].headers =
          pcie::CreditCounter(pcie::header_credit(flow), buffer.classes[i].headers);
      credits[i].data = pcie::CreditCounter(pcie::data_credit(flow), buffer.classes[i].data);
    }
  };
  fill(credits_, config.buffer);
  if (two_channels_) {
    const SecondChannel& second = *config.second_channel;
    assert((second.traffic_classes & 1) == 0);
    second_credits_ = std::make_unique<Credits[]>(pcie::kFlowClassCount);
    fill(second_credits_.get(), second.buffer);
    for (unsigned i = 0; i < kMaxChannels; ++i) {
      turns_->of_channels.set_weight(i, second.weights[i]);
    }
  }
  free_actor_ = scheduler.add_actor(this, &Transmitter::on_free);
  arrival_actor_ = scheduler.add_actor(this, &Transmitter::on_arrival);
}

void Transmitter::connect(Receiver* receiver, Transmitter* reverse) {
  receiver_ = receiver;
  reverse_ = reverse;
}

void Transmitter::on_free(void* self, Picoseconds now) {
  auto* const transmitter = static_cast<Transmitter*>(self);
  transmitter->wake_at_ = Picoseconds::max();
  transmitter->send_next(now);
}

void Transmitter::on_arrival(void* self, Picoseconds now) {
  auto* const transmitter = static_cast<Transmitter*>(self);
  Tlp* const tlp = transmitter->in_flight_head_;
  if (tlp == transmitter->in_flight_tail_) {
    transmitter->in_flight_head_ = nullptr;
  } else {
    transmitter->in_flight_head_ = tlp->next;
    transmitter->scheduler_.schedule(transmitter->arrival_actor_, tlp->stamp);
  }
  if (transmitter->arrivals_observed_) [[unlikely]]
    transmitter->observer_->tlp_received(*tlp, 0, now);
  transmitter->receiver_->receive(tlp, now);
}

// Books the returns that have arrived by now.
[[gnu::noinline]] bool Transmitter::take_returns(Credits& credits, std::uint32_t data,
                                                 Picoseconds now) {
  std::uint32_t headers_back = 0;
  std::uint32_t data_back = 0;
  while (!credits.returns.empty()) {
    const std::uint64_t back = credits.returns.front();
    if (back >> kReturnDataBits > now.count()) break;
    ++headers_back;
    data_back += static_cast<std::uint32_t>(back & ((1U << kReturnDataBits) - 1));
    credits.returns.pop_front();
  }
  credits.headers.return_credits(headers_back);
  credits.data.return_credits(data_back);
  return covers(credits, data);
}

// An UpdateFC is owed, or a TLP waits for this return. When the return takes effect after all.
[[gnu::noinline]] Picoseconds Transmitter::announce_return(Credits& credits, unsigned flow_class,
                                                           Picoseconds freed,
                                                           Picoseconds effective) {
  if (freed.count() >= credits.next_update_fc) {
    credits.next_update_fc = freed.count() + dllp_interval_ps_;
    reverse_->owe_dllp();
    if (exact_) effective = delay_lost_update(credits, flow_class, freed, effective);
  }
  if ((blocked_classes_ >> flow_class & 1) != 0) wake_at(std::max(effective, line_free()));
  return effective;
}

namespace {

pcie::OrderingFields ordering_fields(const Tlp& tlp) {
  pcie::OrderingFields fields;
  fields.ordering = pcie::ordering_class(tlp.kind);
  fields.relaxed = tlp.relaxed_ordering();
  fields.id_based = (tlp.attributes & Tlp::kIdOrdering) != 0;
  fields.source =
      tlp.flow_class == pcie::FlowClass::kCompletion ? tlp.completer() : Bdf(tlp.requester);
  fields.requester = Bdf(tlp.requester);
  fields.tag = Tag(tlp.tag);
  return fields;
}

}  // namespace

// Whether a non-posted request or a completion may pass all posted requests that wait before it
// (PCIe r6.0, sec 2.4.1).
[[gnu::noinline]] bool Transmitter::may_overtake_posted(const Tlp& tlp, const Queue& posted) {
  if (posted.head->stamp > tlp.stamp) return true;
  const pcie::OrderingFields later = ordering_fields(tlp);
  for (const Tlp* earlier = posted.head; earlier != nullptr && earlier->stamp <= tlp.stamp;
       earlier = earlier->next) {
    if (!pcie::may_pass_posted(later, ordering_fields(*earlier))) return false;
  }
  return true;
}

// The same for those of all inputs of its channel.
[[gnu::noinline]] bool Transmitter::may_overtake_all_posted(const Tlp& tlp, unsigned channel) {
  const unsigned first = channel * inputs_per_channel_;
  for (unsigned i = first; i < first + inputs_per_channel_; ++i) {
    const Input& input = inputs_[i];
    if ((input.classes & 1U << kPosted) != 0 && !may_overtake_posted(tlp, input.posted)) {
      return false;
    }
  }
  return true;
}

[[gnu::noinline]] void Transmitter::end_stall(Input& input, unsigned flow_class, Picoseconds now) {
  const StalledHead& stalled = stalled_head(input, flow_class);
  const std::uint64_t time = (now - stalled.since).count();
  Tlp& head = *queue_of(input, flow_class).head;
  if (stalled.why == Stall::kCredit) {
    head.add(TlpSegment::kCreditStall, time);
    statistics_.credit_stall_ps += time;
  } else {
    head.add(TlpSegment::kOrderingStall, time);
    statistics_.ordering_stall_ps += time;
  }
  input.stalled &= static_cast<std::uint8_t>(~(1U << flow_class));
}

[[gnu::noinline]] void Transmitter::note_stall(Input& input, unsigned flow_class, Stall stall,
                                               Picoseconds now) {
  StalledHead& stalled = stalled_head(input, flow_class);
  if ((input.stalled >> flow_class & 1) != 0) {
    if (stalled.why == stall) return;
    end_stall(input, flow_class, now);
  }
  stalled = {now, stall};
  input.stalled |= static_cast<std::uint8_t>(1U << flow_class);
}

// Whether the head of this queue may be sent now, as far as ordering and credits are concerned.
inline bool Transmitter::eligible(Input& input, unsigned flow_class, Picoseconds now,
                                  Choice& choice) {
  Queue& queue = queue_of(input, flow_class);
  if (flow_class != kPosted && (input.classes & 1U << kPosted) != 0 &&
      !may_overtake_posted(*queue.head, input.posted)) {
    note_stall(input, flow_class, Stall::kOrdering, now);
    return false;
  }
  if (flow_class == kCompletion && push_all_inputs_ &&
      !may_overtake_all_posted(*queue.head, channel_of(input))) {
    note_stall(input, flow_class, Stall::kOrdering, now);
    return false;
  }
  unsigned index = flow_class;
  Credits* pool = &credits_[flow_class];
  if (two_channels_) [[unlikely]] {
    index += pcie::kFlowClassCount * channel_of(input);
    pool = &credits_of(index);
  }
  Credits& credits = *pool;
  const std::uint32_t payload = queue.head->payload_dw_bytes();
  const std::uint32_t data = pcie::data_credits(payload);
  if (!covers(credits, data) && !take_returns(credits, data, now)) {
    blocked_classes_ |= static_cast<std::uint8_t>(1U << index);
    note_stall(input, flow_class, Stall::kCredit, now);
    return false;
  }
  choice = {&input, &credits, flow_class, payload};
  return true;
}

// The classes by the age of their heads; at the same age posted requests first, which everything
// behind them may wait for.
[[gnu::noinline]] bool Transmitter::try_classes(Input& input, Picoseconds now, Choice& choice) {
  unsigned order[pcie::kFlowClassCount];
  unsigned count = 0;
  for (unsigned i = 0; i < pcie::kFlowClassCount; ++i) {
    if ((input.classes >> i & 1) == 0) continue;
    unsigned slot = count++;
    const Picoseconds age = queue_of(input, i).head->stamp;
    for (; slot > 0 && queue_of(input, order[slot - 1]).head->stamp > age; --slot) {
      order[slot] = order[slot - 1];
    }
    order[slot] = i;
  }
  for (unsigned i = 0; i < count; ++i) {
    if (eligible(input, order[i], now, choice)) return true;
  }
  return false;
}

inline bool Transmitter::try_input(Input& input, Picoseconds now, Choice& choice) {
  if ((input.classes & (input.classes - 1U)) == 0) {  // almost always: one class waits
    // Some class waits, and the last one is the only other: the bit bounds the index.
    const unsigned one = input.classes | 1U << kCompletion;
    return eligible(input, static_cast<unsigned>(std::countr_zero(one)), now, choice);
  }
  return try_classes(input, now, choice);
}

// Round robin: inputs above the one served last, then those up to it.
[[gnu::always_inline]] inline bool Transmitter::choose(Picoseconds now, Choice& choice) {
  const unsigned first = last_input_ + 1U;
  if (!simple_choice_) return choose_after(last_input_, now, choice);
  // Rotated so that the input after the one served last is bit 0.
  const unsigned turn = first % kMaskBits;
  const std::uint64_t candidates = std::rotr(backlog_mask_[0], static_cast<int>(turn));
  if (candidates == 0) return false;
  // Almost always the first one may send.
  const unsigned index = (turn + static_cast<unsigned>(std::countr_zero(candidates))) % kMaskBits;
  if (!try_input(inputs_[index], now, choice)) return choose_after(index, now, choice);
  last_input_ = static_cast<std::uint8_t>(index);
  return true;
}

[[gnu::noinline]] bool Transmitter::choose_after(unsigned input, Picoseconds now, Choice& choice) {
  if (!simple_choice_ && turns_ != nullptr) return choose_in_turn(now, choice);
  for (unsigned i = 1; i <= kMaxInputs; ++i) {
    const unsigned index = (input + i) % kMaxInputs;
    if ((backlog_mask_[index / kMaskBits] >> index % kMaskBits & 1) == 0) continue;
    if (!try_input(inputs_[index], now, choice)) continue;
    last_input_ = static_cast<std::uint8_t>(index);
    return true;
  }
  return false;
}

bool Transmitter::choose_in_turn(Picoseconds now, Choice& choice) {
  return turns_->of_channels.serve([this, now, &choice](unsigned channel) {
    return turns_->of_inputs[channel].serve([this, channel, now, &choice](unsigned input) {
      const unsigned index = channel * inputs_per_channel_ + input;
      if (inputs_[index].waiting == 0 || !try_input(inputs_[index], now, choice)) return false;
      last_input_ = static_cast<std::uint8_t>(index);
      return true;
    });
  });
}

// The SKP ordered sets that are due go first. More than one can have fallen due inside a long TLP
// on a narrow link. Returns when the last one ends.
[[gnu::noinline]] std::uint64_t Transmitter::send_skips(std::uint64_t start) {
  while (start >= next_skp_ticks_) {
    start += timing_.skp_time().ticks();
    next_skp_ticks_ += timing_.skp_interval().ticks();
    statistics_.skp_bytes += timing_.skp_wire_bytes();
  }
  return start;
}

// Those that fell due while the wire was idle cost nothing.
[[gnu::noinline]] void Transmitter::pass_skips(std::uint64_t start) {
  const std::uint64_t interval = timing_.skp_interval().ticks();
  next_skp_ticks_ += ((start - next_skp_ticks_) / interval + 1) * interval;
}

// The wire: DLLPs that found no idle time, then a SKP ordered set if one is due, then the TLP.
[[gnu::always_inline]] inline Transmitter::OnWire Transmitter::occupy(std::uint32_t bytes,
                                                                      Picoseconds now) {
  std::uint64_t start = line_free_ticks_;
  const std::uint64_t now_ticks = ticks_of(now);
  // Events happen on whole picoseconds: a wire that fell free within the last one was not idle.
  if (now_ticks >= start + pcie::LineTime::kTicksPerPicosecond) {
    const std::uint64_t idle = now_ticks - start;
    owed_dllp_ticks_ -= std::min(owed_dllp_ticks_, idle);
    start = now_ticks;
    if (next_skp_ticks_ < start) [[unlikely]]
      pass_skips(start);
  }
  start += owed_dllp_ticks_;
  owed_dllp_ticks_ = 0;
  if (start >= next_skp_ticks_) [[unlikely]]
    start = send_skips(start);
  line_free_ticks_ = start + std::uint64_t{bytes} * ticks_per_byte_;
  return {ceil_ps(start), ceil_ps(line_free_ticks_)};
}

Transmitter::OnWire Transmitter::take_wire(std::uint32_t bytes, Picoseconds now) {
  return occupy(bytes, now);
}

[[gnu::always_inline]] inline void Transmitter::transmit(const Choice& choice, Picoseconds now) {
  Input& input = *choice.input;
  const unsigned flow_class = choice.flow_class;
  Queue& queue = queue_of(input, flow_class);
  Tlp* const tlp = queue.head;
  if ((input.stalled >> flow_class & 1) != 0) end_stall(input, flow_class, now);
  queue.head = tlp->next;
  // Without a branch: whether the queue ran empty cannot be predicted.
  input.classes &= static_cast<std::uint8_t>(~(unsigned{queue.head == nullptr} << flow_class));

  const std::uint32_t data = pcie::data_credits(choice.payload_dw_bytes);
  choice.credits->headers.consume(1);
  choice.credits->data.consume(data);

  const std::uint32_t bytes = wire_bytes(*tlp, choice.payload_dw_bytes);
  const OnWire wire = occupy(bytes, now);
  ++tlps_;
  payload_bytes_ += tlp->payload_bytes();
  tlp_bytes_ += bytes;

  // The TLP leaves this component's buffer when its last byte is on the wire.
  if (!input.has_source) {
    std::uint32_t freed = data;
    if (flow_class == kPosted && tlp->byte_count != 0) [[unlikely]] {
      freed = tlp->byte_count;
      tlp->byte_count = 0;  // from here on it has a buffer of its own
    }
    if (input.upstream != nullptr && freed != Tlp::kFreesNothing) {
      input.upstream->return_credit(tlp->flow_class, freed, wire.ends, tlp->traffic_class());
    }
  }
  if (wire.ends.count() >= next_ack_ps_) {
    next_ack_ps_ = wire.ends.count() + dllp_interval_ps_;
    reverse_->owe_dllp();
  }

  tlp->add_constant(TlpSegment::kPropagation, propagation_ps_);
  tlp->add_constant(TlpSegment::kSwitch, receive_latency_ps_);
  const Picoseconds acts = acts_at(wire);
  if (!cut_through_) {
    tlp->pay_serialisation(acts - wire.starts -
                           Picoseconds(std::uint64_t{propagation_ps_} + receive_latency_ps_));
  }
  if (exact_ || observed_) [[unlikely]] {
    send_watched(static_cast<unsigned>(index_of(input)), tlp, bytes, wire, acts);
    if (exact_) return;
  }
  // The time of an arrival is kept by the TLP before it: the arrival of that one sets the next
  // wake-up, and has its own line at hand.
  if (in_flight_head_ == nullptr) {
    in_flight_head_ = tlp;
    scheduler_.schedule(arrival_actor_, acts);
  } else {
    in_flight_tail_->next = tlp;
    in_flight_tail_->stamp = acts;
  }
  in_flight_tail_ = tlp;
}

// Wakes for the returns that are on their way already; later ones wake by themselves.
[[gnu::noinline]] void Transmitter::wait_for_credits() {
  for (unsigned i = 0; blocked_classes_ >> i != 0; ++i) {
    const Credits& credits = credits_of(i);
    if ((blocked_classes_ >> i & 1) != 0 && !credits.returns.empty()) {
      wake_at(Picoseconds(credits.returns.front() >> kReturnDataBits));
    }
  }
}

void Transmitter::send_next(Picoseconds now) {
  if (line_free() > now) {
    // Above all a DLLP may have taken the wire meanwhile.
    if (backlog_ != 0 || exact_) wake_at(line_free());
    return;
  }
  if (exact_) [[unlikely]] {
    if (!data_link_->may_send(now)) return;
  }
  blocked_classes_ = 0;
  Choice choice;
  if (!choose(now, choice)) {
    wait_for_credits();
    return;
  }
  Input& input = *choice.input;
  sending_ = true;
  transmit(choice, now);
  --input.waiting;
  backlog_mask_[last_input_ / kMaskBits] &=
      ~(std::uint64_t{input.waiting == 0} << last_input_ % kMaskBits);
  --backlog_;
  if (input.has_source) input.source->input_drained(input.source_input, now);
  sending_ = false;
  if (backlog_ != 0) {
    // Almost always, the posted head of the input whose turn it is then goes next: fetch it.
    const unsigned turn = (last_input_ + 1U) % kMaskBits;
    const auto behind = static_cast<unsigned>(
        std::countr_zero(std::rotr(backlog_mask_[0], static_cast<int>(turn))));
    __builtin_prefetch(inputs_[(turn + behind) % kMaskBits].posted.head);
    wake_at(line_free());
  }
}

// Settled when the next TLP starts: what the idle wire could carry until then costs nothing.
void Transmitter::owe_dllp() {
  if (!is_pcie_) return;
  owed_dllp_ticks_ += timing_.dllp_time().ticks();
  statistics_.dllp_bytes += timing_.dllp_wire_bytes();
}

TransmitterStatistics Transmitter::statistics() const {
  TransmitterStatistics statistics = statistics_;
  statistics.tlps = tlps_;
  statistics.payload_bytes = payload_bytes_;
  statistics.tlp_bytes = tlp_bytes_;
  statistics.queue_peak = queue_peak_;
  return statistics;
}

void Transmitter::reset_statistics() {
  statistics_ = {};
  tlps_ = 0;
  payload_bytes_ = 0;
  tlp_bytes_ = 0;
  queue_peak_ = backlog_;
  if (data_link_) data_link_->reset_statistics();
}

std::uint64_t Transmitter::busy_ticks() const {
  std::uint64_t bytes = tlp_bytes_ + statistics_.dllp_bytes + statistics_.skp_bytes;
  if (data_link_) {
    bytes += data_link_->statistics().replayed_bytes + data_link_->statistics().nullified_bytes;
  }
  return bytes * ticks_per_byte_;
}

}  // namespace peerfab::engine
