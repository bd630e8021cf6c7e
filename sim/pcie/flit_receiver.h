// SPDX-License-Identifier: Apache-2.0
// The receiving side of flit retry: which flits are taken, which are asked for again.
//
// Contract: PCIe r6.3, sec 4.2.3.4.2.1.5 (Ack, Nak, and Discard Rules), from the Sequence Number
// Handshake Phase on. A flit without an explicit number has the one after the flit before it, also
// when that one could not be read. Whether an unreadable flit mattered the next one tells ("Prior
// Flit was Payload"): after a NOP flit nothing is asked for. Names are those of the specification.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/pcie/flit.h"
#include "sim/pcie/flit_sequence.h"

namespace peerfab::pcie {

// What the transmitter beside this receiver has to tell the other end.
struct AckNak {
  ReplayCommand command = ReplayCommand::kAck;  // never kExplicit
  FlitSequence sequence_number = kLastFlit;
  bool operator==(const AckNak&) const = default;
};

class FlitReceiver {
 public:
  // retry_buffer_flits: room for flits that arrive while a selective Nak waits for its flit; 0:
  // only standard Naks are sent.
  explicit FlitReceiver(unsigned retry_buffer_flits) : retry_buffer_flits_(retry_buffer_flits) {}

  // A flit came; none when it was invalid. Appends the payload flits that are now in order.
  void receive(const std::optional<Flit>& flit, std::vector<Flit>& in_order);
  // The link has been in Recovery: numbers are only known again from an explicit one on.
  void retrained() { explicit_received_ = false; }

  [[nodiscard]] AckNak ack_nak() const;
  [[nodiscard]] bool nak_scheduled() const { return nak_scheduled_; }
  // An explicit flit has come since the link trained.
  [[nodiscard]] bool explicit_received() const { return explicit_received_; }
  // Flits with an explicit number of zero that were no IDLE flits: Data Link Protocol Errors.
  [[nodiscard]] std::uint64_t protocol_errors() const { return protocol_errors_; }

 private:
  enum class NakType : std::uint8_t { kStandard, kSelective };

  void update_implicit(const std::optional<Flit>& flit);
  void receive_invalid();
  void receive_after_invalid(const Flit& flit, std::vector<Flit>& in_order);
  void receive_valid(const Flit& flit, std::vector<Flit>& in_order);
  void standard_nak_procedure(const Flit& flit, std::vector<Flit>& in_order);
  void selective_nak_procedure(const Flit& flit, std::vector<Flit>& in_order);

  [[nodiscard]] bool prefers_selective() const { return retry_buffer_flits_ > 0; }
  [[nodiscard]] bool bad_sequence_number() const;
  [[nodiscard]] bool bad_nop_sequence_number() const;
  [[nodiscard]] bool duplicate_sequence_number() const;
  [[nodiscard]] bool is_awaited(const Flit& flit) const {
    return flit.command == ReplayCommand::kExplicit && implicit_ == next_expected_;
  }

  // Nak Schedule 1, 2, 6: everything from the expected flit on is to come again.
  void schedule_standard_nak();
  void store(const Flit& flit);                                            // Nak Schedule 3
  void accept(const Flit& flit, std::vector<Flit>& in_order);              // Ack Schedule 0 and 1
  void accept_with_stored(const Flit& flit, std::vector<Flit>& in_order);  // Ack 2, Nak 5

  unsigned retry_buffer_flits_;
  FlitSequence next_expected_ = kFirstFlit;
  FlitSequence implicit_ = kNoFlit;
  FlitSequence tx_acknak_ = kLastFlit;
  FlitSequence next_to_store_ = kNoFlit;
  NakType nak_type_ = NakType::kStandard;
  bool nak_scheduled_ = false;
  bool nak_withdrawal_allowed_ = false;
  bool explicit_received_ = false;
  bool overflow_ = false;
  std::deque<Flit> stored_;
  std::uint64_t protocol_errors_ = 0;
};

}  // namespace peerfab::pcie
