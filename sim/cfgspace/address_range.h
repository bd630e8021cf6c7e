// SPDX-License-Identifier: Apache-2.0
// A range of addresses or of IDs with both ends included, as the base and limit registers of
// bridges have it; so a range can reach the last address. Empty when the limit lies below the base.
#pragma once

#include <cstdint>
#include <limits>

#include "sim/base/ids.h"
#include "sim/base/units.h"

namespace peerfab::cfgspace {

struct AddressRange {
  BusAddress base{1};
  BusAddress limit{0};

  [[nodiscard]] static constexpr AddressRange all() {
    return {BusAddress(0), BusAddress(std::numeric_limits<std::uint64_t>::max())};
  }
  // Empty when the size is zero. The range must not wrap around.
  [[nodiscard]] static constexpr AddressRange of(BusAddress base, Bytes size) {
    if (size.count() == 0) return {};
    return {base, BusAddress(base.value() + size.count() - 1)};
  }
  [[nodiscard]] constexpr bool empty() const { return limit < base; }
  // Zero for an empty range and for the range of all addresses, whose size has no representation.
  [[nodiscard]] constexpr Bytes size() const {
    return empty() ? Bytes() : Bytes(limit.value() - base.value() + 1);
  }
  [[nodiscard]] constexpr bool contains(BusAddress address) const {
    return base <= address && address <= limit;
  }
  [[nodiscard]] constexpr bool contains(const AddressRange& other) const {
    return !other.empty() && base <= other.base && other.limit <= limit;
  }
  // Whether all bytes of an access lie inside; an access of zero bytes counts as one of one byte.
  [[nodiscard]] constexpr bool contains(BusAddress address, Bytes length) const {
    const std::uint64_t beyond_first = length.count() == 0 ? 0 : length.count() - 1;
    return contains(address) && beyond_first <= limit.value() - address.value();
  }
  [[nodiscard]] constexpr bool overlaps(const AddressRange& other) const {
    return !empty() && !other.empty() && base <= other.limit && other.base <= limit;
  }
  constexpr bool operator==(const AddressRange&) const = default;
};

// Requester or destination IDs, ordered by their 16-bit value.
struct IdRange {
  Bdf first{1};
  Bdf last{0};

  [[nodiscard]] static constexpr IdRange all() { return {Bdf(0), Bdf(0xffff)}; }
  // Every ID on the buses from `first` to `last`, both included.
  [[nodiscard]] static constexpr IdRange of_buses(std::uint8_t first, std::uint8_t last) {
    return {Bdf(first, 0, 0), Bdf(last, 31, 7)};
  }
  [[nodiscard]] constexpr bool empty() const { return last < first; }
  [[nodiscard]] constexpr bool contains(Bdf id) const { return first <= id && id <= last; }
  constexpr bool operator==(const IdRange&) const = default;
};

}  // namespace peerfab::cfgspace
