// SPDX-License-Identifier: Apache-2.0
// Sequence numbers of TLPs on a link: 12 bits, compared modulo 4096 (PCIe r6.0, sec 3.6.2).
#pragma once

#include <cstdint>

#include "sim/pcie/spec.h"

namespace peerfab::pcie {

[[nodiscard]] constexpr std::uint16_t next_sequence_number(std::uint16_t number) {
  return static_cast<std::uint16_t>((number + 1U) % spec::kSequenceNumbers);
}
[[nodiscard]] constexpr std::uint16_t previous_sequence_number(std::uint16_t number) {
  return static_cast<std::uint16_t>((number + spec::kSequenceNumbers - 1U) %
                                    spec::kSequenceNumbers);
}
// Steps from `from` up to `to`.
[[nodiscard]] constexpr unsigned sequence_distance(std::uint16_t from, std::uint16_t to) {
  return (to + spec::kSequenceNumbers - from) % spec::kSequenceNumbers;
}

// What a receiver that expects `expected` makes of an undamaged TLP (sec 3.6.3.1).
enum class SequenceCheck : std::uint8_t {
  kExpected,   // takes it
  kDuplicate,  // had it before: acknowledges it again
  kAhead,      // one before it is missing: Nak
};
[[nodiscard]] constexpr SequenceCheck check_sequence(std::uint16_t expected, std::uint16_t number) {
  if (number == expected) return SequenceCheck::kExpected;
  return sequence_distance(number, expected) <= spec::kSequenceNumbers / 2
             ? SequenceCheck::kDuplicate
             : SequenceCheck::kAhead;
}

}  // namespace peerfab::pcie
