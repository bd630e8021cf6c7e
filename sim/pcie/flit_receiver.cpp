// SPDX-License-Identifier: Apache-2.0
#include "sim/pcie/flit_receiver.h"

#include <algorithm>
#include <iterator>

namespace peerfab::pcie {
namespace {

constexpr unsigned kHalfTheNumbers = 511;

bool is_explicit(const Flit& flit) { return flit.command == ReplayCommand::kExplicit; }

}  // namespace

AckNak FlitReceiver::ack_nak() const {
  const ReplayCommand command = !nak_scheduled_                   ? ReplayCommand::kAck
                                : nak_type_ == NakType::kStandard ? ReplayCommand::kStandardNak
                                                                  : ReplayCommand::kSelectiveNak;
  return {command, tx_acknak_};
}

bool FlitReceiver::bad_sequence_number() const {
  return flits_between(implicit_, next_expected_) > kHalfTheNumbers;
}
bool FlitReceiver::bad_nop_sequence_number() const {
  return bad_sequence_number() || implicit_ == next_expected_;
}
bool FlitReceiver::duplicate_sequence_number() const {
  return flits_between(implicit_, tx_acknak_) < kHalfTheNumbers;
}

// IMPLICIT_RX_FLIT_SEQ_NUM Rules. Requires that an explicit flit has come.
void FlitReceiver::update_implicit(const std::optional<Flit>& flit) {
  if (!flit.has_value()) {
    implicit_ = next_flit(implicit_);  // taken for a payload flit until the next one tells
  } else if (is_explicit(*flit)) {
    if (flit->sequence_number != kNoFlit) implicit_ = flit->sequence_number;
  } else {
    const bool was_nop = nak_withdrawal_allowed_ && !flit->prior_was_payload;
    if (flit->is_payload && !was_nop) implicit_ = next_flit(implicit_);
    if (!flit->is_payload && was_nop) implicit_ = previous_flit(implicit_);
  }
}

void FlitReceiver::receive(const std::optional<Flit>& flit, std::vector<Flit>& in_order) {
  if (!explicit_received_) {
    if (!flit.has_value() || !is_explicit(*flit) || flit->sequence_number == kNoFlit) return;
    explicit_received_ = true;
  }
  update_implicit(flit);
  if (!flit.has_value()) {
    receive_invalid();
  } else if (is_explicit(*flit) && flit->sequence_number == kNoFlit) {  // Flit Discard 2
    if (flit->is_payload) ++protocol_errors_;
    nak_withdrawal_allowed_ = false;
  } else if (nak_withdrawal_allowed_) {
    nak_withdrawal_allowed_ = false;
    receive_after_invalid(*flit, in_order);
  } else {
    receive_valid(*flit, in_order);
  }
}

void FlitReceiver::receive_invalid() {
  if (nak_scheduled_) {
    // A second gap: a selective Nak cannot ask for both.
    if (nak_type_ == NakType::kSelective) schedule_standard_nak();  // Nak Schedule 6
  } else if (nak_withdrawal_allowed_) {
    nak_withdrawal_allowed_ = false;
    schedule_standard_nak();  // Nak Schedule 1
  } else {
    nak_withdrawal_allowed_ = true;  // Nak Schedule 0
  }
}

void FlitReceiver::receive_after_invalid(const Flit& flit, std::vector<Flit>& in_order) {
  if (flit.prior_was_payload) {
    if (flit.is_payload) {
      if (prefers_selective()) {
        selective_nak_procedure(flit, in_order);
      } else {
        standard_nak_procedure(flit, in_order);
      }
      return;
    }
    schedule_standard_nak();
    if (prefers_selective()) {
      nak_type_ = NakType::kSelective;
      next_to_store_ = next_flit(next_expected_);
    }
    return;
  }
  // The unreadable flit was a NOP flit: the Nak is withdrawn.
  if (bad_sequence_number() || (!flit.is_payload && bad_nop_sequence_number())) {
    schedule_standard_nak();
  } else if (flit.is_payload && implicit_ == next_expected_) {
    accept(flit, in_order);
  } else {
    tx_acknak_ = previous_flit(next_expected_);
  }
}

void FlitReceiver::receive_valid(const Flit& flit, std::vector<Flit>& in_order) {
  if (nak_scheduled_ && !flit.is_payload) {
    // The other end has nothing after what has come: there was nothing to replay.
    if (nak_type_ == NakType::kStandard && is_explicit(flit) &&
        implicit_ == previous_flit(next_expected_)) {
      nak_scheduled_ = false;
    }
  } else if (nak_scheduled_) {
    if (nak_type_ == NakType::kStandard) {
      standard_nak_procedure(flit, in_order);
    } else {
      selective_nak_procedure(flit, in_order);
    }
  } else if (!flit.is_payload) {
    if (bad_nop_sequence_number()) schedule_standard_nak();
  } else if (duplicate_sequence_number()) {
    return;
  } else if (bad_sequence_number()) {
    schedule_standard_nak();
  } else {
    accept(flit, in_order);
  }
}

void FlitReceiver::standard_nak_procedure(const Flit& flit, std::vector<Flit>& in_order) {
  if (!duplicate_sequence_number() && is_awaited(flit)) {
    accept(flit, in_order);
  } else if (!nak_scheduled_) {
    schedule_standard_nak();
  }
}

void FlitReceiver::selective_nak_procedure(const Flit& flit, std::vector<Flit>& in_order) {
  if (duplicate_sequence_number()) return;
  if (is_awaited(flit)) {
    accept_with_stored(flit, in_order);
    return;
  }
  const FlitSequence storable = nak_scheduled_ ? next_to_store_ : next_flit(next_expected_);
  if (implicit_ == storable) {
    if (stored_.size() == retry_buffer_flits_) {
      overflow_ = true;  // Nak Schedule 4: what comes after is asked for when the gap is closed
    } else {
      store(flit);
    }
  } else if (!overflow_) {
    schedule_standard_nak();
  }
}

void FlitReceiver::schedule_standard_nak() {
  nak_scheduled_ = true;
  nak_type_ = NakType::kStandard;
  tx_acknak_ = previous_flit(next_expected_);
  overflow_ = false;
  stored_.clear();
}

void FlitReceiver::store(const Flit& flit) {
  if (!nak_scheduled_) {
    nak_scheduled_ = true;
    nak_type_ = NakType::kSelective;
    tx_acknak_ = previous_flit(next_expected_);
  }
  stored_.push_back(flit);
  next_to_store_ = next_flit(implicit_);
}

void FlitReceiver::accept(const Flit& flit, std::vector<Flit>& in_order) {
  in_order.push_back(flit);
  nak_scheduled_ = false;
  tx_acknak_ = next_expected_;
  next_expected_ = next_flit(next_expected_);
}

void FlitReceiver::accept_with_stored(const Flit& flit, std::vector<Flit>& in_order) {
  in_order.push_back(flit);
  std::ranges::copy(stored_, std::back_inserter(in_order));
  for (std::size_t i = 0; i <= stored_.size(); ++i) {
    tx_acknak_ = next_expected_;
    next_expected_ = next_flit(next_expected_);
  }
  stored_.clear();
  nak_type_ = NakType::kStandard;
  nak_scheduled_ = overflow_;  // Nak Schedule 5: what overflowed is still missing
  overflow_ = false;
}

}  // namespace peerfab::pcie
