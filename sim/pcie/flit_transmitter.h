// SPDX-License-Identifier: Apache-2.0
// The sending side of flit retry: which flit goes next, and with which number and command.
//
// Contract: PCIe r6.3, sec 4.2.3.4.2.1.2 to 4.2.3.4.2.1.7, from the Sequence Number Handshake Phase
// on, at 64.0 GT/s. Payload flits stay in the TX Retry Buffer until they are acknowledged. Time is
// counted in flits sent: the wire never rests. Names are those of the specification.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "sim/pcie/flit.h"
#include "sim/pcie/flit_receiver.h"
#include "sim/pcie/flit_sequence.h"

namespace peerfab::pcie {

struct FlitTransmitterConfig {
  // MAX_UNACKNOWLEDGED_FLITS: the size of the TX Retry Buffer, 1 to 511.
  unsigned retry_buffer_flits = spec::kMaxUnacknowledgedFlits;
  // Nak Ignore Window, in flits: a second Nak for one flit means nothing while the first replay may
  // still be on its way. Round trip of a Nak, one SKP ordered set and two flits, at most 300 ns.
  unsigned nak_ignore_window_flits = 150;
};

struct FlitReplayStatistics {
  std::uint64_t standard_replays = 0;
  std::uint64_t selective_replays = 0;
  std::uint64_t replayed_flits = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t rollovers = 0;        // REPLAY_NUM Rollover errors, each followed by Recovery
  std::uint64_t protocol_errors = 0;  // Acks and Naks of numbers that cannot be
};

class FlitTransmitter {
 public:
  explicit FlitTransmitter(const FlitTransmitterConfig& config) : config_(config) {}

  // Whether next() would take a new payload flit. The Transaction Layer gives none meanwhile.
  [[nodiscard]] bool accepts_payload() const;
  // The flit that goes next. `payload`: new TLP bytes, if any; requires accepts_payload(). The DLP
  // bytes 2 to 5 are the caller's to fill in.
  [[nodiscard]] Flit next(const FlitTlpBytes* payload, const FlitReceiver& receiver);
  // The receiver of this end got a valid flit with this command.
  void receive_ack_nak(ReplayCommand command, FlitSequence sequence_number);

  // Too many replays without progress: the link has to go through Recovery.
  [[nodiscard]] bool needs_recovery() const { return needs_recovery_; }
  void retrained();

  [[nodiscard]] unsigned unacknowledged() const {
    return flits_between(acknowledged_, previous_flit(next_tx_));
  }
  [[nodiscard]] bool in_handshake() const { return in_handshake_; }
  [[nodiscard]] const FlitReplayStatistics& statistics() const { return statistics_; }

 private:
  enum class ReplayType : std::uint8_t { kStandard, kSelective };

  void check_timeout();
  [[nodiscard]] ReplayCommand choose_command(const FlitReceiver& receiver) const;
  [[nodiscard]] bool must_send_explicit() const;
  void begin_replay();
  [[nodiscard]] bool send_replayed(Flit& flit);
  void send_new(const FlitTlpBytes* payload, Flit& flit);
  void count_sent(const Flit& flit, const FlitReceiver& receiver);
  void purge(FlitSequence acknowledged);
  void schedule_replay(ReplayCommand command, FlitSequence sequence_number);
  [[nodiscard]] bool naks_finished() const {
    return consecutive_naks_ == 0 || consecutive_naks_ >= spec::kMinConsecutiveNaks;
  }
  [[nodiscard]] bool ignores_nak(FlitSequence sequence_number) const;

  FlitTransmitterConfig config_;
  std::deque<FlitTlpBytes> buffer_;  // from the flit after acknowledged_ on
  FlitSequence next_tx_ = kFirstFlit;
  FlitSequence acknowledged_ = kLastFlit;
  FlitSequence replay_from_ = kNoFlit;  // TX_REPLAY_FLIT_SEQ_NUM, then the next flit to replay
  FlitSequence nak_ignore_ = kNoFlit;
  ReplayType replay_type_ = ReplayType::kStandard;
  bool replay_scheduled_ = false;
  bool replay_in_progress_ = false;
  bool sent_payload_ = false;  // with the flit before
  bool in_handshake_ = true;
  bool needs_recovery_ = false;
  unsigned replay_num_ = 0;
  unsigned consecutive_explicit_ = 0;
  unsigned consecutive_naks_ = 0;
  unsigned timeout_count_ = 0;
  unsigned handshake_explicit_ = 0;
  unsigned handshake_acks_ = 0;
  std::uint64_t sent_ = 0;
  std::optional<std::uint64_t> ignore_until_;  // the window is open until this many flits are sent
  FlitReplayStatistics statistics_;
};

}  // namespace peerfab::pcie
