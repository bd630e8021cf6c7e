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
Picoseconds ceil_ps(std::uint64_t ticks) { return pcie::LineTime(ticks).to_picoseconds_ceil(); }

}  // namespace

Transmitter::Transmitter(Scheduler& scheduler, const TransmitterConfig& config, unsigned inputs)
    : scheduler_(scheduler), timing_(config.link), config_(config) {
  assert(inputs >= 1 && inputs <= kMaxInputs);
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
  inputs_.resize(inputs);
  for (unsigned i = 0; i < pcie::kFlowClassCount; ++i) {
    const ReceiveBuffer::Class& buffer = config.buffer.classes[i];
    Credits& credits = credits_[i];
    const auto flow = static_cast<pcie::FlowClass>(i);
    credits.headers = pcie::CreditCounter(pcie::header_credit(flow), buffer.headers);
    credits.data = pcie::CreditCounter(pcie::data_credit(flow), buffer.data);
    // Every TLP on the way back stands for a header, or where those are infinite for at least one
    // unit of data, so there are never more of them than credits.
    const std::uint32_t most = buffer.headers != 0 ? buffer.headers : buffer.data;
    if (most != 0) {
      const std::uint32_t slots = std::bit_ceil(most + 1);
      credits.returns = std::make_unique<std::uint64_t[]>(slots);
      credits.mask = slots - 1;
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
  transmitter->in_flight_head_ = tlp->next;
  if (tlp->next != nullptr) {
    transmitter->scheduler_.schedule(transmitter->arrival_actor_, tlp->next->stamp);
  }
  transmitter->receiver_->receive(tlp, now);
}

void Transmitter::wake_at(Picoseconds at) {
  if (at >= wake_at_) return;
  wake_at_ = at;
  scheduler_.schedule(free_actor_, at);
}

void Transmitter::enqueue(unsigned input_index, Tlp* tlp, Picoseconds now) {
  Input& input = inputs_[input_index];
  Queue& queue = input.queues[static_cast<unsigned>(tlp->flow_class)];
  tlp->stamp = now;
  tlp->next = nullptr;
  const auto class_bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(tlp->flow_class));
  // Without a branch: whether something waits already cannot be predicted.
  Tlp** const link = (input.classes & class_bit) == 0 ? &queue.head : &queue.tail->next;
  *link = tlp;
  input.classes |= class_bit;
  queue.tail = tlp;
  ++input.waiting;
  backlog_mask_[input_index / kMaskBits] |= std::uint64_t{1} << input_index % kMaskBits;
  if (++backlog_ > statistics_.queue_peak) statistics_.queue_peak = backlog_;
  if (sending_) return;
  if (line_free_ > now) {
    wake_at(line_free_);
  } else {
    send_next(now);
  }
}

// Books the returns that have arrived by now.
bool Transmitter::take_returns(Credits& credits, std::uint32_t data, Picoseconds now) {
  while (credits.first != credits.last) {
    const std::uint64_t back = credits.returns[credits.first & credits.mask];
    if (back >> kReturnDataBits > now.count()) break;
    credits.headers.return_credits(1);
    credits.data.return_credits(back & ((1U << kReturnDataBits) - 1));
    ++credits.first;
  }
  return covers(credits, data);
}

void Transmitter::return_credit(pcie::FlowClass flow_class, std::uint32_t data_credits,
                                Picoseconds at) {
  const auto index = static_cast<unsigned>(flow_class);
  Credits& credits = credits_[index];
  const std::uint32_t data = credits.data.is_infinite() ? 0 : data_credits;
  if (credits.headers.is_infinite() && data == 0) return;  // infinite: no UpdateFC either
  const Picoseconds freed = at;
  at += config_.propagation + config_.credit_return_latency;
  // UpdateFCs of a class carry a running total: a later one never takes effect before an earlier.
  const std::uint64_t effective = std::max(at.count(), credits.latest_return);
  credits.latest_return = effective;
  credits.returns[credits.last & credits.mask] = effective << kReturnDataBits | data;
  ++credits.last;
  assert(credits.last - credits.first <= credits.mask + 1);
  if (freed.count() >= credits.next_update_fc) {
    credits.next_update_fc = freed.count() + config_.dllp_interval.count();
    reverse_->owe_dllp();
  }
  if ((blocked_classes_ >> index & 1) != 0) {
    wake_at(std::max(Picoseconds(effective), line_free_));
  }
}

namespace {

pcie::OrderingFields ordering_fields(const Tlp& tlp) {
  pcie::OrderingFields fields;
  fields.ordering = pcie::ordering_class(tlp.kind);
  fields.relaxed = (tlp.attributes & Tlp::kRelaxedOrdering) != 0;
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
bool Transmitter::may_overtake_posted(const Tlp& tlp, const Queue& posted) {
  if (posted.head->stamp > tlp.stamp) return true;
  const pcie::OrderingFields later = ordering_fields(tlp);
  for (const Tlp* earlier = posted.head; earlier != nullptr && earlier->stamp <= tlp.stamp;
       earlier = earlier->next) {
    if (!pcie::may_pass_posted(later, ordering_fields(*earlier))) return false;
  }
  return true;
}

void Transmitter::end_stall(Queue& queue, Picoseconds now) {
  const std::uint64_t stalled = now.count() - (queue.stall >> 1);
  if (static_cast<Stall>(queue.stall & 1) == Stall::kCredit) {
    queue.head->add(TlpSegment::kCreditStall, stalled);
    statistics_.credit_stall_ps += stalled;
  } else {
    queue.head->add(TlpSegment::kOrderingStall, stalled);
    statistics_.ordering_stall_ps += stalled;
  }
  queue.stall = kNotStalled;
}

void Transmitter::note_stall(Queue& queue, Stall stall, Picoseconds now) {
  if (queue.stall != kNotStalled) {
    if (static_cast<Stall>(queue.stall & 1) == stall) return;
    end_stall(queue, now);
  }
  queue.stall = now.count() << 1 | static_cast<std::uint64_t>(stall);
}

// Whether the head of this queue may be sent now, as far as ordering and credits are concerned.
inline bool Transmitter::eligible(Input& input, unsigned flow_class, Picoseconds now,
                                  Choice& choice) {
  Queue& queue = input.queues[flow_class];
  if (flow_class != kPosted && (input.classes & 1U << kPosted) != 0 &&
      !may_overtake_posted(*queue.head, input.queues[kPosted])) {
    note_stall(queue, Stall::kOrdering, now);
    return false;
  }
  Credits& credits = credits_[flow_class];
  const std::uint32_t data = queue.head->data_credits();
  if (!covers(credits, data) && !take_returns(credits, data, now)) {
    blocked_classes_ |= static_cast<std::uint8_t>(1U << flow_class);
    note_stall(queue, Stall::kCredit, now);
    return false;
  }
  choice = {&input, flow_class, data};
  return true;
}

// The classes by the age of their heads; at the same age posted requests first, which everything
// behind them may wait for.
bool Transmitter::try_classes(Input& input, Picoseconds now, Choice& choice) {
  unsigned order[pcie::kFlowClassCount];
  unsigned count = 0;
  for (unsigned i = 0; i < pcie::kFlowClassCount; ++i) {
    if ((input.classes >> i & 1) == 0) continue;
    unsigned slot = count++;
    const Picoseconds age = input.queues[i].head->stamp;
    for (; slot > 0 && input.queues[order[slot - 1]].head->stamp > age; --slot) {
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
inline Transmitter::Choice Transmitter::choose(Picoseconds now) {
  Choice choice;
  // Rotated so that the input after the one served last is bit 0 of the first word.
  const unsigned first = last_input_ + 1;
  if (inputs_.size() <= kMaskBits) {
    const unsigned turn = first % kMaskBits;
    std::uint64_t candidates = std::rotr(backlog_mask_[0], static_cast<int>(turn));
    for (; candidates != 0; candidates &= candidates - 1) {
      const auto behind = static_cast<unsigned>(std::countr_zero(candidates));
      const unsigned index = (turn + behind) % kMaskBits;
      if (!try_input(inputs_[index], now, choice)) continue;
      last_input_ = index;
      return choice;
    }
    return choice;
  }
  for (unsigned i = 0; i < kMaxInputs; ++i) {
    const unsigned index = (first + i) % kMaxInputs;
    if ((backlog_mask_[index / kMaskBits] >> index % kMaskBits & 1) == 0) continue;
    if (!try_input(inputs_[index], now, choice)) continue;
    last_input_ = index;
    return choice;
  }
  return choice;
}

inline void Transmitter::transmit(const Choice& choice, Picoseconds now) {
  Input& input = *choice.input;
  const unsigned flow_class = choice.flow_class;
  Queue& queue = input.queues[flow_class];
  Tlp* const tlp = queue.head;
  if (queue.stall != kNotStalled) end_stall(queue, now);
  queue.head = tlp->next;
  __builtin_prefetch(queue.head);  // looked at when the wire falls free
  // Without a branch: whether the queue ran empty cannot be predicted.
  input.classes &= static_cast<std::uint8_t>(~(unsigned{queue.head == nullptr} << flow_class));

  const std::uint32_t data = choice.data_credits;
  Credits& credits = credits_[flow_class];
  credits.headers.consume(1);
  credits.data.consume(data);

  // The wire: DLLPs that found no idle time, then a SKP ordered set if one is due, then the TLP.
  std::uint64_t start = line_free_ticks_;
  const std::uint64_t now_ticks = ticks_of(now);
  // Events happen on whole picoseconds: a wire that fell free within the last one was not idle.
  if (now_ticks >= start + pcie::LineTime::kTicksPerPicosecond) {
    const std::uint64_t idle = now_ticks - start;
    owed_dllp_ticks_ -= std::min(owed_dllp_ticks_, idle);
    start = now_ticks;
    if (next_skp_ticks_ < start) {
      const std::uint64_t interval = timing_.skp_interval().ticks();
      next_skp_ticks_ += ((start - next_skp_ticks_) / interval + 1) * interval;
    }
  }
  start += owed_dllp_ticks_;
  owed_dllp_ticks_ = 0;
  // More than one can have fallen due inside a long TLP on a narrow link.
  while (start >= next_skp_ticks_) {
    start += timing_.skp_time().ticks();
    next_skp_ticks_ += timing_.skp_interval().ticks();
    statistics_.skp_bytes += timing_.skp_wire_bytes();
  }
  const std::uint32_t bytes = wire_bytes(*tlp);
  line_free_ticks_ = start + std::uint64_t{bytes} * ticks_per_byte_;
  const Picoseconds starts = ceil_ps(start);
  const Picoseconds ends = ceil_ps(line_free_ticks_);
  line_free_ = ends;

  ++statistics_.tlps;
  statistics_.payload_bytes += tlp->payload_bytes();
  statistics_.tlp_bytes += bytes;

  // The TLP leaves this component's buffer when its last byte is on the wire.
  if (input.upstream != nullptr && (tlp->flags & Tlp::kEarlyPiece) == 0) {
    const bool last_piece = tlp->flow_class == pcie::FlowClass::kPosted && tlp->byte_count != 0;
    input.upstream->return_credit(tlp->flow_class, last_piece ? tlp->byte_count : data, ends);
  }
  if (ends.count() >= next_ack_ps_) {
    next_ack_ps_ = ends.count() + config_.dllp_interval.count();
    reverse_->owe_dllp();
  }

  tlp->add_constant(TlpSegment::kPropagation, config_.propagation);
  tlp->add_constant(TlpSegment::kSwitch, config_.receive_latency);
  Picoseconds arrives = starts + config_.propagation + config_.receive_latency;
  if (!config_.cut_through) {
    const Picoseconds serialisation = ends - starts;
    arrives += serialisation;
    tlp->pay_serialisation(serialisation);
  }
  tlp->stamp = arrives;
  tlp->next = nullptr;
  if (in_flight_head_ == nullptr) {
    in_flight_head_ = tlp;
    scheduler_.schedule(arrival_actor_, arrives);
  } else {
    in_flight_tail_->next = tlp;
  }
  in_flight_tail_ = tlp;
}

void Transmitter::send_next(Picoseconds now) {
  if (line_free_ > now) {
    if (backlog_ != 0) wake_at(line_free_);
    return;
  }
  blocked_classes_ = 0;
  const Choice choice = choose(now);
  if (choice.input == nullptr) {
    // Wake for the returns that are on their way already; later ones wake by themselves.
    for (unsigned i = 0; i < pcie::kFlowClassCount; ++i) {
      const Credits& credits = credits_[i];
      if ((blocked_classes_ >> i & 1) != 0 && credits.first != credits.last) {
        wake_at(Picoseconds(credits.returns[credits.first & credits.mask] >> kReturnDataBits));
      }
    }
    return;
  }
  Input& input = *choice.input;
  sending_ = true;
  transmit(choice, now);
  --input.waiting;
  backlog_mask_[last_input_ / kMaskBits] &=
      ~(std::uint64_t{input.waiting == 0} << last_input_ % kMaskBits);
  --backlog_;
  if (input.source != nullptr) input.source->input_drained(input.source_input, now);
  sending_ = false;
  if (backlog_ != 0) wake_at(line_free_);
}

// Settled when the next TLP starts: what the idle wire could carry until then costs nothing.
void Transmitter::owe_dllp() {
  if (config_.wire_rate.has_value()) return;
  owed_dllp_ticks_ += timing_.dllp_time().ticks();
  statistics_.dllp_bytes += timing_.dllp_wire_bytes();
}

void Transmitter::reset_statistics() {
  statistics_ = {};
  statistics_.queue_peak = backlog_;
}

std::uint64_t Transmitter::busy_ticks() const {
  return (statistics_.tlp_bytes + statistics_.dllp_bytes + statistics_.skp_bytes) * ticks_per_byte_;
}

}  // namespace peerfab::engine
