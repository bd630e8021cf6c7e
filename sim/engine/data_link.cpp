// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/data_link.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "sim/engine/transmitter.h"
#include "sim/pcie/sequence_number.h"

namespace peerfab::engine {

namespace {
// More may not be outstanding: a receiver could not tell old numbers from new ones (PCIe r6.0,
// sec 3.6.2.1).
constexpr std::size_t kMaxUnacknowledged = pcie::spec::kSequenceNumbers / 2 - 1;
constexpr unsigned kReplayNumbers = 4;  // REPLAY_NUM has two bits
}  // namespace

DataLink::DataLink(Scheduler& scheduler, Transmitter& forward, const DataLinkConfig& config)
    : scheduler_(scheduler),
      forward_(forward),
      errors_(config.errors),
      config_(config),
      timer_actor_(scheduler.add_actor(this, &DataLink::on_timer)),
      returned_actor_(scheduler.add_actor(this, &DataLink::on_returned)),
      arrival_actor_(scheduler.add_actor(this, &DataLink::on_arrival)),
      acknowledge_actor_(scheduler.add_actor(this, &DataLink::on_acknowledge)) {}

void DataLink::set_limits(Picoseconds ack_interval, Picoseconds replay_timeout) {
  config_.ack_interval = ack_interval;
  config_.replay_timeout = replay_timeout;
}

bool DataLink::loses_dllp(std::uint32_t wire_bytes) {
  if (!errors_.damages_dllp(wire_bytes)) return false;
  ++statistics_.dllps_damaged;
  return true;
}

// --- Transmitter ---

bool DataLink::full() const {
  return buffer_.size() >= kMaxUnacknowledged ||
         (config_.replay_buffer_bytes != 0 && buffered_bytes_ >= config_.replay_buffer_bytes);
}

bool DataLink::may_send(Picoseconds now) {
  take_acknowledgements(now);
  if (down_) {
    forward_.abandon(lose_queued_, now);
    return false;
  }
  if (held_) return false;
  if (replaying_) {
    replay_next(now);
    return false;
  }
  if (!full()) {
    if (full_since_.has_value()) {
      statistics_.buffer_stall_ps += (now - *full_since_).count();
      full_since_.reset();
    }
    return true;
  }
  if (!full_since_.has_value()) full_since_ = now;
  // The next Ack makes room. If it is not on its way yet, on_acknowledge() sees to it.
  if (!acknowledgements_.empty()) {
    scheduler_.schedule(returned_actor_, acknowledgements_.front().arrives);
  }
  return false;
}

void DataLink::on_returned(void* self, Picoseconds now) {
  auto* const link = static_cast<DataLink*>(self);
  link->take_acknowledgements(now);
  if (!link->acknowledgements_.empty() && (link->naks_ != 0 || link->full())) {
    link->scheduler_.schedule(link->returned_actor_, link->acknowledgements_.front().arrives);
  }
  link->forward_.wake_at(std::max(now, link->forward_.line_free()));
}

void DataLink::sent(Tlp* tlp, std::uint32_t wire_bytes, Picoseconds ends, Picoseconds acts) {
  buffer_.push_back({tlp, wire_bytes});
  buffered_bytes_ += wire_bytes;
  put_in_flight(next_number_, wire_bytes, ends, acts);
  next_number_ = pcie::next_sequence_number(next_number_);
  if (!timer_runs_) start_timer(ends);
}

void DataLink::put_in_flight(std::uint16_t number, std::uint32_t wire_bytes, Picoseconds ends,
                             Picoseconds acts) {
  const bool damaged = errors_.damages_tlp(wire_bytes);
  const Picoseconds received = ends + forward_.config().propagation;
  flights_.push_back({acts, received, number, damaged});
  if (flights_.size() == 1) scheduler_.schedule(arrival_actor_, acts);
}

// REPLAY_TIMER runs while something is unacknowledged (sec 3.6.2.1). One pending event follows it:
// when it fires too early, it is set again.
void DataLink::start_timer(Picoseconds from) {
  timer_runs_ = true;
  timer_ends_ = from + config_.replay_timeout;
  if (timer_pending_) return;
  timer_pending_ = true;
  scheduler_.schedule(timer_actor_, std::max(timer_ends_, scheduler_.now()));
}

void DataLink::on_timer(void* self, Picoseconds now) {
  auto* const link = static_cast<DataLink*>(self);
  link->timer_pending_ = false;
  if (link->held_ || link->down_) return;  // resume() sets it again
  link->take_acknowledgements(now);
  if (!link->timer_runs_) return;
  if (link->timer_ends_ > now) {
    link->timer_pending_ = true;
    link->scheduler_.schedule(link->timer_actor_, link->timer_ends_);
    return;
  }
  ++link->statistics_.timeouts;
  link->begin_replay(now);
}

void DataLink::take_acknowledgements(Picoseconds now) {
  while (!acknowledgements_.empty() && acknowledgements_.front().arrives <= now) {
    const Acknowledgement acknowledgement = acknowledgements_.front();
    acknowledgements_.pop_front();
    take(acknowledgement);
    if (!acknowledgement.nak) continue;
    --naks_;
    begin_replay(now);
  }
}

// Both say what was accepted (sec 3.6.2.2). An old one, overtaken by what is known, says nothing.
void DataLink::take(const Acknowledgement& acknowledgement) {
  const unsigned count = pcie::sequence_distance(
      first_unacknowledged_, pcie::next_sequence_number(acknowledgement.number));
  if (count == 0 || count > buffer_.size()) return;
  for (unsigned i = 0; i < count; ++i) {
    assert(buffer_.front().tlp == nullptr);
    buffered_bytes_ -= buffer_.front().wire_bytes;
    buffer_.pop_front();
  }
  first_unacknowledged_ =
      static_cast<std::uint16_t>((first_unacknowledged_ + count) % pcie::spec::kSequenceNumbers);
  replay_position_ -= std::min<std::size_t>(replay_position_, count);
  if (replaying_ && replay_position_ >= buffer_.size()) replaying_ = false;
  replay_number_ = 0;
  if (buffer_.empty()) {
    timer_runs_ = false;
  } else {
    start_timer(acknowledgement.arrives);
  }
}

// From the oldest one that is unacknowledged, in order; what is on the wire already stays there.
void DataLink::begin_replay(Picoseconds now) {
  if (buffer_.empty()) return;
  ++statistics_.replays;
  replaying_ = true;
  replay_position_ = 0;
  if (++replay_number_ == kReplayNumbers) {
    replay_number_ = 0;
    ++statistics_.retrains;
    if (retrain_) retrain_(now);
  }
  start_timer(std::max(now, forward_.line_free()));
  forward_.wake_at(std::max(now, forward_.line_free()));
}

void DataLink::replay_next(Picoseconds now) {
  const Buffered& buffered = buffer_[replay_position_];
  const auto number = static_cast<std::uint16_t>((first_unacknowledged_ + replay_position_) %
                                                 pcie::spec::kSequenceNumbers);
  const Transmitter::OnWire wire = forward_.take_wire(buffered.wire_bytes, now);
  put_in_flight(number, buffered.wire_bytes, wire.ends, forward_.acts_at(wire));
  // The timer starts again behind the first TLP of a replay.
  if (replay_position_ == 0) start_timer(wire.ends);
  ++statistics_.tlps_replayed;
  statistics_.replayed_bytes += buffered.wire_bytes;
  forward_.observe_replay(wire, buffered.wire_bytes, number);
  if (++replay_position_ == buffer_.size()) replaying_ = false;
  forward_.wake_at(forward_.line_free());
}

void DataLink::hold(Picoseconds now) {
  assert(!held_);
  held_ = true;
  held_since_ = now;
}

void DataLink::resume(Picoseconds now) {
  assert(held_);
  held_ = false;
  if (timer_runs_) start_timer(timer_ends_ + (now - held_since_) - config_.replay_timeout);
  if (ack_due_ || nak_due_) {
    due_ = std::max(due_, now);
    scheduler_.schedule(acknowledge_actor_, due_);
  }
  forward_.wake_at(std::max(now, forward_.line_free()));
}

void DataLink::go_down(const std::function<void(Tlp*)>& carried,
                       std::function<void(unsigned, Tlp*)> queued, Picoseconds now) {
  down_ = true;
  held_ = false;
  lose_queued_ = std::move(queued);
  while (!buffer_.empty()) {
    Tlp* const tlp = buffer_.front().tlp;
    buffer_.pop_front();
    if (tlp != nullptr) carried(tlp);
  }
  buffered_bytes_ = 0;
  first_unacknowledged_ = next_number_;
  flights_.clear();
  acknowledgements_.clear();
  naks_ = 0;
  replaying_ = false;
  timer_runs_ = false;
  ack_due_ = false;
  nak_due_ = false;
  forward_.abandon(lose_queued_, now);
}

// --- Receiver ---

void DataLink::on_arrival(void* self, Picoseconds now) {
  auto* const link = static_cast<DataLink*>(self);
  if (link->flights_.empty()) return;  // the link went down meanwhile
  const Flight flight = link->flights_.front();
  link->flights_.pop_front();
  if (!link->flights_.empty()) {
    link->scheduler_.schedule(link->arrival_actor_, link->flights_.front().acts);
  }
  link->arrive(flight, now);
}

// PCIe r6.0, sec 3.6.3.1, Figure 3-20 in words.
void DataLink::arrive(const Flight& flight, Picoseconds now) {
  if (flight.damaged) {
    ++statistics_.tlps_damaged;
    // A component that cuts through has begun to send it on before it sees the LCRC.
    if (pcie::sequence_distance(first_unacknowledged_, flight.number) < buffer_.size()) {
      const Tlp* const tlp = buffered_at(flight.number).tlp;
      if (tlp != nullptr && flight.received > now) {
        forward_.receiver_->receive_damaged(*tlp, now);
      }
    }
    want_nak(flight.received, now);
    return;
  }
  switch (pcie::check_sequence(expected_, flight.number)) {
    case pcie::SequenceCheck::kExpected:
      accept(flight, now);
      return;
    case pcie::SequenceCheck::kDuplicate:
      ++statistics_.duplicates;
      want_ack(flight.received, now);
      return;
    case pcie::SequenceCheck::kAhead:
      ++statistics_.out_of_order;
      want_nak(flight.received, now);
      return;
  }
}

void DataLink::accept(const Flight& flight, Picoseconds now) {
  expected_ = pcie::next_sequence_number(flight.number);
  nak_scheduled_ = false;
  Buffered& buffered = buffered_at(flight.number);
  Tlp* const tlp = buffered.tlp;
  assert(tlp != nullptr);
  buffered.tlp = nullptr;
  if (!ack_due_) want_ack(std::max(flight.received, next_ack_), now);
  forward_.deliver(tlp, flight.number, now);
}

// One Nak for each stretch of missing TLPs, until one is accepted again (NAK_SCHEDULED).
void DataLink::want_nak(Picoseconds at, Picoseconds now) {
  if (nak_scheduled_) return;
  nak_scheduled_ = true;
  nak_due_ = true;
  due_ = std::max(at, now);
  scheduler_.schedule(acknowledge_actor_, due_);
}

void DataLink::want_ack(Picoseconds at, Picoseconds now) {
  const Picoseconds when = std::max(at, now);
  if ((ack_due_ || nak_due_) && due_ <= when) return;
  ack_due_ = true;
  due_ = when;
  scheduler_.schedule(acknowledge_actor_, due_);
}

void DataLink::on_acknowledge(void* self, Picoseconds now) {
  auto* const link = static_cast<DataLink*>(self);
  if (link->down_ || link->held_ || !(link->ack_due_ || link->nak_due_))
    return;  // resume() sets it again
  pcie::Dllp dllp;
  dllp.kind = link->nak_due_ ? pcie::DllpKind::kNak : pcie::DllpKind::kAck;
  dllp.sequence_number = pcie::previous_sequence_number(link->expected_);
  const bool nak = link->nak_due_;
  ++(nak ? link->statistics_.naks : link->statistics_.acks);
  link->nak_due_ = false;
  link->ack_due_ = false;
  link->next_ack_ = now + link->config_.ack_interval;
  const std::optional<Picoseconds> arrives =
      link->forward_.reverse_->send_acknowledgement(dllp, now);
  if (!arrives.has_value()) {
    ++link->statistics_.dllps_damaged;
    return;
  }
  link->acknowledgements_.push_back({*arrives, dllp.sequence_number, nak});
  link->naks_ += nak ? 1 : 0;
  // An Ack waits until the transmitter asks; a Nak, or room in a full buffer, does not.
  if (nak || link->full_since_.has_value()) {
    link->scheduler_.schedule(link->returned_actor_,
                              std::max(now, link->acknowledgements_.front().arrives));
  }
}

}  // namespace peerfab::engine
