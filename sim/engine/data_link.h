// SPDX-License-Identifier: Apache-2.0
// The data link layer of one direction of a link, exactly: sequence numbers, replay buffer and
// timer at its transmitter, Ack and Nak at its receiver (PCIe r6.0, sec 3.6).
//
// A link on which nothing can go wrong does without: its transmitter charges the wire for Acks and
// needs no more. With a DataLink every Ack and Nak is a packet of its own on the other direction's
// wire, which may be damaged like any other. A TLP belongs to the replay buffer until it has been
// accepted; then the receiver's component owns it, and the buffer keeps only its size until the Ack
// is back: what is replayed from then on is a duplicate that the receiver drops.
//
// Acks need no event at the transmitter: those that have arrived are taken when it has to decide
// something. Only a Nak, and an Ack that makes room in a full buffer, have one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "sim/base/ring.h"
#include "sim/base/units.h"
#include "sim/engine/bit_errors.h"
#include "sim/engine/link_observer.h"
#include "sim/engine/scheduler.h"
#include "sim/engine/tlp.h"
#include "sim/pcie/sequence_number.h"

namespace peerfab::engine {

class Transmitter;

struct DataLinkConfig {
  BitErrorConfig errors;
  // Longest time from an accepted TLP to its Ack, and REPLAY_TIMER limit, flight time included.
  Picoseconds ack_interval;
  Picoseconds replay_timeout;
  std::uint32_t replay_buffer_bytes = 0;  // TLPs with framing; 0: no limit but the 2048 numbers
};

struct DataLinkStatistics {
  std::uint64_t tlps_damaged = 0;   // arrived with a wrong LCRC, replays included
  std::uint64_t dllps_damaged = 0;  // Acks, Naks and UpdateFCs of this direction's receiver
  std::uint64_t acks = 0;           // sent by this direction's receiver
  std::uint64_t naks = 0;
  std::uint64_t replays = 0;        // times that the transmitter began to replay
  std::uint64_t timeouts = 0;       // those that REPLAY_TIMER began
  std::uint64_t tlps_replayed = 0;  // TLPs sent again
  std::uint64_t replayed_bytes = 0;
  std::uint64_t duplicates = 0;    // dropped by the receiver, which had them before
  std::uint64_t out_of_order = 0;  // dropped by the receiver, one before them missing
  std::uint64_t retrains = 0;      // of the link, wanted by REPLAY_NUM
  std::uint64_t nullified = 0;     // sent on by a cut-through component before it saw the LCRC
  std::uint64_t nullified_bytes = 0;
  std::uint64_t buffer_stall_ps = 0;  // a TLP waited for room in the replay buffer
};

class DataLink {
 public:
  DataLink(Scheduler& scheduler, Transmitter& forward, const DataLinkConfig& config);
  DataLink(const DataLink&) = delete;
  DataLink& operator=(const DataLink&) = delete;

  // Called when REPLAY_NUM rolls over: the link has to be retrained.
  void on_replay_rollover(std::function<void(Picoseconds now)> retrain) {
    retrain_ = std::move(retrain);
  }
  // Another rate or width.
  void set_limits(Picoseconds ack_interval, Picoseconds replay_timeout);

  // --- The transmitter asks ---
  // The wire is free: whether a new TLP may go. If not, it sends a replay, or waits; either way it
  // sees to the next wake-up.
  [[nodiscard]] bool may_send(Picoseconds now);
  // A new TLP went onto the wire.
  // `acts` is when the far end's component acts on it.
  void sent(Tlp* tlp, std::uint32_t wire_bytes, Picoseconds ends, Picoseconds acts);
  [[nodiscard]] std::uint16_t next_number() const { return next_number_; }
  // The link stands still from now on, or goes on: nothing is lost, timers are held (sec 3.6.2.1).
  void hold(Picoseconds now);
  void resume(Picoseconds now);
  // The link is down from now on. What it carries and nobody has accepted is handed to `carried`,
  // what waits in front of it, now or later, to `queued`.
  void go_down(const std::function<void(Tlp*)>& carried,
               std::function<void(unsigned input, Tlp*)> queued, Picoseconds now);

  [[nodiscard]] const DataLinkStatistics& statistics() const { return statistics_; }
  void reset_statistics() { statistics_ = {}; }
  void note_nullified(std::uint32_t wire_bytes) {
    ++statistics_.nullified;
    statistics_.nullified_bytes += wire_bytes;
  }
  // Whether a DLLP that no script names is lost on this direction's wire.
  [[nodiscard]] bool loses_dllp(std::uint32_t wire_bytes);
  [[nodiscard]] bool acknowledgement_is_damaged(std::uint32_t wire_bytes) {
    return errors_.damages_acknowledgement(wire_bytes);
  }
  // TLPs that have not been acknowledged, as far as the transmitter knows.
  [[nodiscard]] std::size_t unacknowledged() const { return buffer_.size(); }

 private:
  struct Buffered {
    Tlp* tlp = nullptr;  // nullptr once it has been accepted
    std::uint32_t wire_bytes = 0;
  };
  struct Flight {
    Picoseconds acts;      // the receiver's component acts on it
    Picoseconds received;  // behind its last symbol: the LCRC is known
    std::uint16_t number = 0;
    bool damaged = false;
  };
  struct Acknowledgement {
    Picoseconds arrives;
    std::uint16_t number = 0;  // the last one that was accepted
    bool nak = false;
  };

  // At the transmitter.
  void take_acknowledgements(Picoseconds now);
  void take(const Acknowledgement& acknowledgement);
  void begin_replay(Picoseconds now);
  void replay_next(Picoseconds now);
  static void on_returned(void* self, Picoseconds now);
  static void on_timer(void* self, Picoseconds now);
  void start_timer(Picoseconds from);
  [[nodiscard]] bool full() const;
  void put_in_flight(std::uint16_t number, std::uint32_t wire_bytes, Picoseconds ends,
                     Picoseconds acts);
  // At the receiver.
  static void on_arrival(void* self, Picoseconds now);
  void arrive(const Flight& flight, Picoseconds now);
  void accept(const Flight& flight, Picoseconds now);
  Buffered& buffered_at(std::uint16_t number) {
    return buffer_[pcie::sequence_distance(first_unacknowledged_, number)];
  }
  void want_nak(Picoseconds at, Picoseconds now);
  void want_ack(Picoseconds at, Picoseconds now);
  static void on_acknowledge(void* self, Picoseconds now);

  Scheduler& scheduler_;
  Transmitter& forward_;
  BitErrors errors_;
  DataLinkConfig config_;
  std::function<void(Picoseconds)> retrain_;
  std::function<void(unsigned, Tlp*)> lose_queued_;
  bool down_ = false;
  bool held_ = false;
  Picoseconds held_since_;

  // Transmitter. The buffer holds the numbers from first_unacknowledged_ to the one before
  // next_number_.
  Ring<Buffered> buffer_;
  std::uint64_t buffered_bytes_ = 0;
  std::uint16_t first_unacknowledged_ = 0;
  std::uint16_t next_number_ = 0;
  bool replaying_ = false;
  std::size_t replay_position_ = 0;  // in the buffer
  unsigned replay_number_ = 0;       // REPLAY_NUM, 2 bits
  bool timer_runs_ = false;
  bool timer_pending_ = false;
  Picoseconds timer_ends_;
  std::optional<Picoseconds> full_since_;
  ActorId timer_actor_;
  Ring<Acknowledgement> acknowledgements_;  // on their way back,
  unsigned naks_ = 0;                       // so many of them Naks
  ActorId returned_actor_;                  // when one of them may not wait to be taken

  // Wire and receiver.
  Ring<Flight> flights_;
  ActorId arrival_actor_;
  std::uint16_t expected_ = 0;  // NEXT_RCV_SEQ
  bool nak_scheduled_ = false;
  bool nak_due_ = false;
  bool ack_due_ = false;
  Picoseconds due_;       // when the Ack or Nak that is due goes out
  Picoseconds next_ack_;  // the pace of Acks
  ActorId acknowledge_actor_;

  DataLinkStatistics statistics_;
};

}  // namespace peerfab::engine
