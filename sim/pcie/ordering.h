// SPDX-License-Identifier: Apache-2.0
// Who may pass whom: the transaction ordering table.
//
// Contract: PCIe r6.0, sec 2.4.1, for TLPs of one traffic class on one link, without UIO and
// without flow-through IDE streams. `later` was issued after `earlier`. Pure and constexpr.
#pragma once

#include <array>
#include <cstdint>

#include "sim/base/ids.h"
#include "sim/pcie/tlp_kind.h"

namespace peerfab::pcie {

enum class Passing : std::uint8_t {
  kMustNot,  // passing would break the producer/consumer order
  kMay,      // no requirement either way
  kMust,     // when the earlier one is blocked, the later one must get past it: else deadlock
};

// What the rules look at in one TLP.
struct OrderingFields {
  OrderingClass ordering = OrderingClass::kPosted;
  bool relaxed = false;   // RO attribute
  bool id_based = false;  // IDO attribute
  // A completion of an I/O or configuration write, where the component knows that it is one. Hops
  // between requester and completer cannot tell and leave it false.
  bool io_or_config_write_completion = false;
  Bdf source;               // requester ID of a request, completer ID of a completion
  Bdf requester;            // of a completion: requester ID and tag make its transaction ID
  Tag tag;                  // likewise
  std::int32_t pasid = -1;  // of a request; -1 when it carries none
};

namespace detail {
// Without attributes, exceptions and transaction IDs. Row: later. Column: earlier. Posted, read
// request, non-posted with data, completion.
inline constexpr std::array<std::array<Passing, kOrderingClassCount>, kOrderingClassCount>
    kBasicPassing{{
        {Passing::kMustNot, Passing::kMust, Passing::kMust, Passing::kMay},  // row A
        {Passing::kMustNot, Passing::kMay, Passing::kMay, Passing::kMay},    // row B
        {Passing::kMustNot, Passing::kMay, Passing::kMay, Passing::kMay},    // row C
        {Passing::kMustNot, Passing::kMust, Passing::kMust, Passing::kMay},  // row D
    }};
}  // namespace detail

// The table alone: what holds for these classes whatever the attributes say. kMustNot may still
// turn into kMay (entries A2b to D2b), and completions of one transaction never pass each other.
[[nodiscard]] constexpr Passing basic_passing(OrderingClass later, OrderingClass earlier) {
  return detail::kBasicPassing[static_cast<unsigned>(later)][static_cast<unsigned>(earlier)];
}

// Entries A2b, B2b, C2b and D2b: whether `later` may pass the posted request `earlier`.
[[nodiscard]] constexpr bool may_pass_posted(const OrderingFields& later,
                                             const OrderingFields& earlier) {
  const bool is_read = later.ordering == OrderingClass::kReadRequest;
  const bool is_completion = later.ordering == OrderingClass::kCompletion;
  // RO does nothing for a read request: its completion is what RO speeds up.
  if (later.relaxed && !is_read) return true;
  if (is_completion && later.io_or_config_write_completion) return true;
  if (!later.id_based) return false;
  if (later.source != earlier.source) return true;
  // Two PASIDs of one requester are two streams.
  return !is_completion && later.pasid >= 0 && earlier.pasid >= 0 && later.pasid != earlier.pasid;
}

// bridge_to_conventional_pci: inside a bridge to conventional PCI, in the direction of PCI, posted
// requests must be able to pass completions (entry A5b).
[[nodiscard]] constexpr Passing may_pass(const OrderingFields& later, const OrderingFields& earlier,
                                         bool bridge_to_conventional_pci = false) {
  if (earlier.ordering == OrderingClass::kPosted) {
    return may_pass_posted(later, earlier) ? Passing::kMay : Passing::kMustNot;
  }
  if (earlier.ordering == OrderingClass::kCompletion) {
    if (later.ordering == OrderingClass::kCompletion && later.requester == earlier.requester &&
        later.tag == earlier.tag) {
      return Passing::kMustNot;  // entry D5b: the data of one read stays in address order
    }
    if (later.ordering == OrderingClass::kPosted && bridge_to_conventional_pci) {
      return Passing::kMust;
    }
  }
  return basic_passing(later.ordering, earlier.ordering);
}

}  // namespace peerfab::pcie
