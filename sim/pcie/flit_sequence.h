// SPDX-License-Identifier: Apache-2.0
// Flit sequence numbers: 10 bits, 1 to 1023, and from 1023 on to 1 (PCIe r6.3, sec 4.2.3.4.2.1).
// Zero is no number of a payload flit: IDLE flits carry it, and variables use it for "none".
#pragma once

#include <cstdint>

#include "sim/pcie/spec.h"

namespace peerfab::pcie {

using FlitSequence = std::uint16_t;
inline constexpr FlitSequence kNoFlit = 0;
inline constexpr FlitSequence kFirstFlit = 1;
inline constexpr FlitSequence kLastFlit = spec::kFlitSequenceNumbers;  // before the first, too

// Requires n of 1 to 1023, as do those below.
[[nodiscard]] constexpr FlitSequence next_flit(FlitSequence n) {
  return n == kLastFlit ? kFirstFlit : static_cast<FlitSequence>(n + 1);
}
[[nodiscard]] constexpr FlitSequence previous_flit(FlitSequence n) {
  return n == kFirstFlit ? kLastFlit : static_cast<FlitSequence>(n - 1);
}
// (a - b) mod 1023: how many flits a is after b, 0 to 1022.
[[nodiscard]] constexpr unsigned flits_between(FlitSequence b, FlitSequence a) {
  return (a + spec::kFlitSequenceNumbers - b) % spec::kFlitSequenceNumbers;
}

}  // namespace peerfab::pcie
