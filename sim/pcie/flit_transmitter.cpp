// SPDX-License-Identifier: Apache-2.0
#include "sim/pcie/flit_transmitter.h"

#include <algorithm>
#include <cassert>

namespace peerfab::pcie {
namespace {

// To leave the Sequence Number Handshake Phase (sec 4.2.3.4.2.1.2).
constexpr unsigned kHandshakeExplicitFlits = 9;
constexpr unsigned kHandshakeAcks = 3;

}  // namespace

bool FlitTransmitter::accepts_payload() const {
  return !replay_scheduled_ && !replay_in_progress_ &&
         unacknowledged() < config_.retry_buffer_flits;
}

// Replay Schedule Rule 0.
void FlitTransmitter::check_timeout() {
  if (timeout_count_ < spec::kFlitReplayTimeoutFlits || replay_scheduled_ || replay_in_progress_) {
    return;
  }
  replay_scheduled_ = true;
  replay_type_ = ReplayType::kStandard;
  replay_from_ = next_flit(acknowledged_);
  consecutive_explicit_ = 0;
  consecutive_naks_ = 0;
  timeout_count_ = 0;
  ++statistics_.timeouts;
}

// Flit Replay Command Rules of the two phases.
bool FlitTransmitter::must_send_explicit() const {
  if (consecutive_explicit_ >= spec::kConsecutiveExplicitFlits) return false;
  if (in_handshake_) return true;
  const bool wanted = replay_scheduled_ || replay_in_progress_ || consecutive_explicit_ > 0 ||
                      nak_ignore_ != kNoFlit;
  return wanted && naks_finished();
}

ReplayCommand FlitTransmitter::choose_command(const FlitReceiver& receiver) const {
  return must_send_explicit() ? ReplayCommand::kExplicit : receiver.ack_nak().command;
}

// Flit Replay Transmit Rules 0 to 2.
void FlitTransmitter::begin_replay() {
  replay_scheduled_ = replay_num_ >= spec::kMaxFlitReplays;  // then it begins after Recovery
  if (replay_num_ >= spec::kMaxFlitReplays) {
    replay_num_ = 0;
    needs_recovery_ = true;
    ++statistics_.rollovers;
    return;
  }
  ++replay_num_;
  replay_in_progress_ = true;
  ++(replay_type_ == ReplayType::kStandard ? statistics_.standard_replays
                                           : statistics_.selective_replays);
}

// The next flit of a replay. False: none is left, for all have been acknowledged meanwhile.
bool FlitTransmitter::send_replayed(Flit& flit) {
  const unsigned offset = flits_between(next_flit(acknowledged_), replay_from_);
  if (offset >= buffer_.size()) {
    // Acknowledged since: what follows is unacknowledged, or nothing is.
    if (replay_type_ == ReplayType::kSelective || buffer_.empty()) {
      replay_in_progress_ = false;
      return false;
    }
    replay_from_ = next_flit(acknowledged_);
  }
  const unsigned index = flits_between(next_flit(acknowledged_), replay_from_);
  flit.is_payload = true;
  flit.tlp_bytes = buffer_[index];
  flit.sequence_number = replay_from_;
  ++statistics_.replayed_flits;
  const bool last = replay_type_ == ReplayType::kSelective || index + 1 == buffer_.size();
  replay_from_ = next_flit(replay_from_);
  if (last) replay_in_progress_ = false;
  return true;
}

void FlitTransmitter::send_new(const FlitTlpBytes* payload, Flit& flit) {
  if (payload == nullptr) {
    flit.sequence_number = previous_flit(next_tx_);
    return;
  }
  flit.is_payload = true;
  flit.tlp_bytes = *payload;
  flit.sequence_number = next_tx_;
  buffer_.push_back(*payload);
  next_tx_ = next_flit(next_tx_);
}

Flit FlitTransmitter::next(const FlitTlpBytes* payload, const FlitReceiver& receiver) {
  assert(payload == nullptr || accepts_payload());
  check_timeout();
  Flit flit;
  flit.command = choose_command(receiver);
  const bool is_explicit = flit.command == ReplayCommand::kExplicit;
  if (is_explicit && consecutive_explicit_ == 0 && replay_scheduled_ && !replay_in_progress_) {
    begin_replay();
  }
  const bool replayed = replay_in_progress_ && send_replayed(flit);
  if (!replayed) send_new(payload, flit);
  if (is_explicit && flit.is_payload && nak_ignore_ != kNoFlit &&
      flit.sequence_number == next_flit(nak_ignore_)) {
    ignore_until_ = sent_ + config_.nak_ignore_window_flits;
  }
  if (!is_explicit) flit.sequence_number = receiver.ack_nak().sequence_number;
  flit.prior_was_payload = sent_payload_;
  count_sent(flit, receiver);
  return flit;
}

void FlitTransmitter::count_sent(const Flit& flit, const FlitReceiver& receiver) {
  const bool is_explicit = flit.command == ReplayCommand::kExplicit;
  const bool is_nak = !is_explicit && flit.command != ReplayCommand::kAck;
  sent_payload_ = flit.is_payload;
  ++sent_;
  consecutive_explicit_ = is_explicit ? consecutive_explicit_ + 1 : 0;
  consecutive_naks_ = is_nak ? consecutive_naks_ + 1 : 0;
  if (!buffer_.empty()) ++timeout_count_;
  if (!in_handshake_) return;
  if (is_explicit) ++handshake_explicit_;
  if (flit.command == ReplayCommand::kAck && receiver.explicit_received()) ++handshake_acks_;
  in_handshake_ = handshake_explicit_ < kHandshakeExplicitFlits || handshake_acks_ < kHandshakeAcks;
}

void FlitTransmitter::purge(FlitSequence acknowledged) {
  const unsigned count = flits_between(acknowledged_, acknowledged);
  if (count == 0) return;
  buffer_.erase(buffer_.begin(), buffer_.begin() + count);
  acknowledged_ = acknowledged;
  timeout_count_ = 0;
  replay_num_ = 0;
}

bool FlitTransmitter::ignores_nak(FlitSequence sequence_number) const {
  return nak_ignore_ == sequence_number && ignore_until_.has_value() && sent_ < *ignore_until_;
}

// Replay Schedule Rules 1 and 2.
void FlitTransmitter::schedule_replay(ReplayCommand command, FlitSequence sequence_number) {
  const FlitSequence wanted = next_flit(sequence_number);
  const auto type =
      command == ReplayCommand::kStandardNak ? ReplayType::kStandard : ReplayType::kSelective;
  if (replay_in_progress_) return;
  if (replay_scheduled_) {
    if (type == ReplayType::kStandard && wanted == replay_from_) replay_type_ = type;
    return;
  }
  if (buffer_.empty() || ignores_nak(sequence_number)) return;
  replay_scheduled_ = true;
  replay_type_ = type;
  replay_from_ = wanted;
  nak_ignore_ = sequence_number;
  ignore_until_.reset();
}

// Received Ack and Nak Processing (sec 4.2.3.4.2.1.4).
void FlitTransmitter::receive_ack_nak(ReplayCommand command, FlitSequence sequence_number) {
  if (command == ReplayCommand::kExplicit || sequence_number == kNoFlit) return;
  // Within what is unacknowledged, or the last number that was acknowledged.
  if (flits_between(acknowledged_, sequence_number) > unacknowledged()) {
    ++statistics_.protocol_errors;
    return;
  }
  purge(sequence_number);
  if (command == ReplayCommand::kAck) {
    nak_ignore_ = kNoFlit;
    // A scheduled replay of what has come after all is dropped.
    if (replay_scheduled_ &&
        flits_between(replay_from_, sequence_number) < spec::kMaxUnacknowledgedFlits) {
      replay_scheduled_ = false;
    }
    return;
  }
  if (sequence_number == previous_flit(next_tx_)) {
    nak_ignore_ = sequence_number;  // nothing is missing but what is not sent yet
  } else if (sequence_number != nak_ignore_) {
    nak_ignore_ = kNoFlit;
  } else if (command == ReplayCommand::kStandardNak && replay_type_ == ReplayType::kSelective) {
    nak_ignore_ = kNoFlit;  // the selective replay got lost, or more than its flit is missing
  }
  schedule_replay(command, sequence_number);
}

void FlitTransmitter::retrained() {
  needs_recovery_ = false;
  in_handshake_ = true;
  handshake_explicit_ = 0;
  handshake_acks_ = 0;
  consecutive_explicit_ = 0;
  consecutive_naks_ = 0;
  sent_payload_ = false;
}

}  // namespace peerfab::pcie
