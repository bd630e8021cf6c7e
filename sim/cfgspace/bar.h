// SPDX-License-Identifier: Apache-2.0
// Base Address Registers: what a function asks for, and where it was placed
// (PCIe r6.0, sec 7.5.1.2.1).
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "sim/base/units.h"
#include "sim/cfgspace/address_range.h"

namespace peerfab::cfgspace {

// The smallest memory BAR: the low four bits of the register hold its type
// (PCIe r6.0, sec 7.5.1.2.1).
inline constexpr Bytes kSmallestBar{16};
// A 32-bit BAR can ask for 2 GiB at most: a single writable address bit is left.
inline constexpr Bytes kLargestBar32{std::uint64_t{1} << 31};

// A function's request for memory space. `size` is a power of two, at least kSmallestBar, and at
// most kLargestBar32 unless `is_64bit`. A 64-bit BAR occupies the registers `index` and `index` +
// 1, so it starts at 4 or below in the six registers of an endpoint.
struct BarRequest {
  unsigned index = 0;  // which of the registers BAR0 to BAR5
  Bytes size;
  bool is_64bit = false;
  bool prefetchable = false;
  std::string meaning;  // for people: "registers", "framebuffer aperture"
};

[[nodiscard]] inline bool is_valid(const BarRequest& request) {
  const std::uint64_t size = request.size.count();
  return std::has_single_bit(size) && request.size >= kSmallestBar &&
         (request.is_64bit || request.size <= kLargestBar32) &&
         request.index < (request.is_64bit ? 5U : 6U);
}

// A BAR after resource assignment. One that found no place stays unassigned: it claims nothing.
struct Bar {
  BarRequest request;
  BusAddress base;
  bool assigned = false;

  [[nodiscard]] AddressRange range() const {
    return assigned ? AddressRange::of(base, request.size) : AddressRange();
  }
};

}  // namespace peerfab::cfgspace
