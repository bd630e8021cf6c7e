// SPDX-License-Identifier: Apache-2.0
// Identifiers of the PCIe world as strong types.
#pragma once

#include <compare>
#include <cstdint>

namespace peerfab {

// Bus, device and function number of a PCIe function: 8, 5 and 3 bits (PCIe r6.0, sec 2.2.4.2).
class Bdf {
 public:
  constexpr Bdf() = default;
  constexpr explicit Bdf(std::uint16_t value) : value_(value) {}
  constexpr Bdf(std::uint8_t bus, std::uint8_t device, std::uint8_t function)
      : value_(static_cast<std::uint16_t>((bus << 8) | ((device & 0x1f) << 3) | (function & 7))) {}
  [[nodiscard]] constexpr std::uint16_t value() const { return value_; }
  [[nodiscard]] constexpr std::uint8_t bus() const {
    return static_cast<std::uint8_t>(value_ >> 8);
  }
  [[nodiscard]] constexpr std::uint8_t device() const { return (value_ >> 3) & 0x1f; }
  [[nodiscard]] constexpr std::uint8_t function() const { return value_ & 7; }
  constexpr auto operator<=>(const Bdf&) const = default;

 private:
  std::uint16_t value_ = 0;
};

// Transaction tag. Width on the wire is 5, 8, 10 or 14 bits (PCIe r6.0, sec 2.2.6.2).
class Tag {
 public:
  constexpr Tag() = default;
  constexpr explicit Tag(std::uint16_t value) : value_(value) {}
  [[nodiscard]] constexpr std::uint16_t value() const { return value_; }
  constexpr auto operator<=>(const Tag&) const = default;

 private:
  std::uint16_t value_ = 0;
};

// Number of a port within one root complex, switch or endpoint.
class PortId {
 public:
  constexpr PortId() = default;
  constexpr explicit PortId(std::uint8_t value) : value_(value) {}
  [[nodiscard]] constexpr std::uint8_t value() const { return value_; }
  constexpr auto operator<=>(const PortId&) const = default;

 private:
  std::uint8_t value_ = 0;
};

}  // namespace peerfab
