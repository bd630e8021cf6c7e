// SPDX-License-Identifier: Apache-2.0
// Sequence numbers of the TLPs in one direction, and the Acks and Naks for them, which the other
// direction carries (PCIe r6.0, sec 3.6.2 and 3.6.3). All numbers are modulo 4096.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/base/units.h"
#include "sim/engine/link_observer.h"
#include "sim/engine/tlp.h"
#include "sim/monitor/findings.h"
#include "sim/pcie/dllp.h"

namespace peerfab::monitor {

class SequenceMonitor {
 public:
  // joined_late: the numbers that are in use are learned from the first ones seen.
  SequenceMonitor(Pen pen, bool joined_late);

  void sent(const engine::Tlp& tlp, const engine::SentTlp& sent);
  void replayed(const engine::SentTlp& sent);
  void received(const engine::Tlp& tlp, std::uint16_t number, Picoseconds now);
  // An Ack or Nak for this direction was sent, undamaged.
  void acknowledged(const pcie::Dllp& dllp, Picoseconds starts);
  // The link comes up anew: numbers start at 0 again.
  void restart();

 private:
  void check_not_behind(const std::string& packet, const engine::SentTlp& sent);
  [[nodiscard]] bool replay_is_over() const;

  Pen pen_;
  // Numbers to come: NEXT_TRANSMIT_SEQ and NEXT_RCV_SEQ. None while not known.
  std::optional<std::uint16_t> next_sent_;
  std::optional<std::uint16_t> next_received_;
  // The last that an Ack or Nak named; the one before the first number while none did. None while
  // no DLLP and no state of the link was seen: then Acks are only accounted for.
  std::optional<std::uint16_t> acknowledged_;
  std::optional<std::uint16_t> last_replayed_;  // of a replay under way
};

}  // namespace peerfab::monitor
