// SPDX-License-Identifier: Apache-2.0
// Flow-control initialisation of one virtual channel, as one port sees it (PCIe r6.0, sec 3.4.1).
//
// Both ports send InitFC1 for P, NP and Cpl until they have seen those of the other, then InitFC2
// until they have seen one of those. Nothing is lost for good: each set is sent again and again.
#pragma once

#include <cstdint>

#include "sim/pcie/dllp.h"
#include "sim/pcie/tlp_kind.h"

namespace peerfab::pcie {

class FlowControlInit {
 public:
  enum class State : std::uint8_t { kInit1, kInit2, kDone };

  [[nodiscard]] State state() const { return state_; }
  // What it sends for each class now. A port that is done still answers InitFC2 where the other
  // port is not: it goes on until that one stops.
  [[nodiscard]] DllpKind sends() const {
    return state_ == State::kInit1 ? DllpKind::kInitFc1 : DllpKind::kInitFc2;
  }
  void receive(const Dllp& dllp) {
    const bool init1 = dllp.kind == DllpKind::kInitFc1;
    const bool init2 = dllp.kind == DllpKind::kInitFc2;
    // InitFC2 carries the same values, and counts in either state; so does an UpdateFC in the
    // second (sec 3.4.1).
    if (state_ == State::kInit1 && (init1 || init2)) {
      seen_ |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(dllp.flow_class));
      if (seen_ == kAllClasses) state_ = State::kInit2;
    } else if (state_ == State::kInit2 && (init2 || dllp.kind == DllpKind::kUpdateFc)) {
      state_ = State::kDone;
    }
  }

 private:
  static constexpr std::uint8_t kAllClasses = (1U << kFlowClassCount) - 1;
  State state_ = State::kInit1;
  std::uint8_t seen_ = 0;
};

}  // namespace peerfab::pcie
