// SPDX-License-Identifier: Apache-2.0
// Strong integer types for the quantities on the timed path. No floating point, no implicit
// conversion between them: a duration cannot be added to a size by accident.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace peerfab {

// A point in simulated time or a duration, in picoseconds. 2^64 ps is 213 days.
class Picoseconds {
 public:
  constexpr Picoseconds() = default;
  constexpr explicit Picoseconds(std::uint64_t count) : count_(count) {}
  [[nodiscard]] constexpr std::uint64_t count() const { return count_; }
  // "Never": later than every time that is scheduled.
  [[nodiscard]] static constexpr Picoseconds max() {
    return Picoseconds(std::numeric_limits<std::uint64_t>::max());
  }
  constexpr auto operator<=>(const Picoseconds&) const = default;
  constexpr Picoseconds& operator+=(Picoseconds other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Picoseconds& operator-=(Picoseconds other) {
    count_ -= other.count_;
    return *this;
  }
  friend constexpr Picoseconds operator+(Picoseconds a, Picoseconds b) { return a += b; }
  friend constexpr Picoseconds operator-(Picoseconds a, Picoseconds b) { return a -= b; }
  friend constexpr Picoseconds operator*(Picoseconds a, std::uint64_t factor) {
    return Picoseconds(a.count_ * factor);
  }

 private:
  std::uint64_t count_ = 0;
};

// A number of bytes.
class Bytes {
 public:
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::uint64_t count) : count_(count) {}
  [[nodiscard]] constexpr std::uint64_t count() const { return count_; }
  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr Bytes& operator+=(Bytes other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Bytes& operator-=(Bytes other) {
    count_ -= other.count_;
    return *this;
  }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return a += b; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return a -= b; }

 private:
  std::uint64_t count_ = 0;
};

// An address on the PCIe fabric (memory space), in bytes.
class BusAddress {
 public:
  constexpr BusAddress() = default;
  constexpr explicit BusAddress(std::uint64_t value) : value_(value) {}
  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }
  constexpr auto operator<=>(const BusAddress&) const = default;
  friend constexpr BusAddress operator+(BusAddress a, Bytes offset) {
    return BusAddress(a.value_ + offset.count());
  }
  friend constexpr Bytes operator-(BusAddress a, BusAddress b) {
    return Bytes(a.value_ - b.value_);
  }

 private:
  std::uint64_t value_ = 0;
};

// A rate in bytes per second. Zero means "unlimited" where a parameter says so, else it is invalid.
class Bandwidth {
 public:
  constexpr Bandwidth() = default;
  constexpr explicit Bandwidth(std::uint64_t bytes_per_second)
      : bytes_per_second_(bytes_per_second) {}
  [[nodiscard]] constexpr std::uint64_t bytes_per_second() const { return bytes_per_second_; }
  constexpr auto operator<=>(const Bandwidth&) const = default;

 private:
  std::uint64_t bytes_per_second_ = 0;
};

// Average rate of `bytes` in `duration`, rounded down; 0 when the duration is 0. Exact in 128 bits.
[[nodiscard]] constexpr Bandwidth average_bandwidth(Bytes bytes, Picoseconds duration) {
  if (duration.count() == 0) return Bandwidth();
  const auto scaled = static_cast<unsigned __int128>(bytes.count()) * 1'000'000'000'000U;
  return Bandwidth(static_cast<std::uint64_t>(scaled / duration.count()));
}

// Time that `bytes` take at `rate`, rounded up to the next picosecond; 0 at an unlimited rate.
[[nodiscard]] constexpr Picoseconds transfer_time(Bytes bytes, Bandwidth rate) {
  if (rate.bytes_per_second() == 0) return Picoseconds();
  const auto scaled = static_cast<unsigned __int128>(bytes.count()) * 1'000'000'000'000U +
                      (rate.bytes_per_second() - 1);
  return Picoseconds(static_cast<std::uint64_t>(scaled / rate.bytes_per_second()));
}

}  // namespace peerfab
