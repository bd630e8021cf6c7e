// SPDX-License-Identifier: Apache-2.0
// What somebody who watches one direction of a link is told: monitors and traces. Passive: an
// observer changes nothing, and a link without one pays nothing.
#pragma once

#include <cstdint>

#include "sim/base/units.h"
#include "sim/engine/tlp.h"
#include "sim/pcie/dllp.h"

namespace peerfab::engine {

// States of a link that the layers above can tell apart (PCIe r6.0, sec 3.2.1 and 4.2.6).
enum class LinkState : std::uint8_t {
  kDown,      // DL_Inactive: nothing passes, what waits is refused
  kTraining,  // Detect, Polling, Configuration: on its way to L0 for the first time
  kInit,      // DL_Init: flow control is being initialised
  kUp,        // DL_Active, L0
  kRecovery,  // retraining: nothing passes, nothing is lost
};

// A TLP on the wire. Times are those of its first and behind its last symbol at the transmitter.
struct SentTlp {
  Picoseconds starts;
  Picoseconds ends;
  std::uint32_t wire_bytes = 0;
  std::uint16_t sequence_number = 0;  // 12 bits
  bool replayed = false;              // not for the first time
};

class LinkObserver {
 public:
  // Queued at an input of the transmitter, behind what waits there already.
  virtual void tlp_queued(unsigned input, const Tlp& tlp, Picoseconds now) = 0;
  // Its turn has come: it left the queue of this input. `sent` is not a replay; those follow
  // through tlp_replayed, for which the TLP itself may not exist any more.
  virtual void tlp_sent(unsigned input, const Tlp& tlp, const SentTlp& sent) = 0;
  virtual void tlp_replayed(const SentTlp& sent) = 0;
  // Accepted by the far end and handed to what is behind it.
  virtual void tlp_received(const Tlp& tlp, std::uint16_t sequence_number, Picoseconds now) = 0;
  // The far end freed buffer at `freed`; this end may use it from `effective` on.
  virtual void credits_returned(pcie::FlowClass flow_class, std::uint32_t headers,
                                std::uint32_t data, Picoseconds freed, Picoseconds effective) = 0;
  // A DLLP that this direction carries. UpdateFCs of a link whose DLLPs are only accounted for are
  // not among them.
  virtual void dllp_sent(const pcie::Dllp& dllp, Picoseconds starts, bool damaged) = 0;
  virtual void state_changed(LinkState state, Picoseconds now) = 0;

 protected:
  ~LinkObserver() = default;
};

}  // namespace peerfab::engine
