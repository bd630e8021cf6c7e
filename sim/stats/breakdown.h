// SPDX-License-Identifier: Apache-2.0
// Where the time of a transaction went. The segments exclude each other, so their sum is exactly
// the latency: from the descriptor being ready to the last completion (posted: to the delivery).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/base/units.h"

namespace peerfab::stats {

enum class Segment : unsigned char {
  kSerialisation,  // bits on the wire, counted once: at the slowest link of the way
  kPropagation,    // flight time of the links
  kSwitch,         // forwarding latency of switches and root complexes
  kQueueing,       // behind other TLPs in a port, a memory or a device
  kCreditStall,    // waiting for flow-control credits
  kOrderingStall,  // waiting for a TLP that must not be passed
  kTagStall,       // waiting for a free tag
  kIotlbMiss,      // address translation that missed the IOTLB
  kMemory,         // memory latency and bandwidth at the completer or the initiator
  kDevice,         // descriptor launch and other work of the endpoint
};
inline constexpr std::size_t kSegmentCount = 10;

struct Breakdown {
  std::array<Picoseconds, kSegmentCount> segments{};

  constexpr Picoseconds& operator[](Segment segment) {
    return segments[static_cast<std::size_t>(segment)];
  }
  constexpr const Picoseconds& operator[](Segment segment) const {
    return segments[static_cast<std::size_t>(segment)];
  }
  [[nodiscard]] constexpr Picoseconds total() const {
    Picoseconds sum;
    for (const Picoseconds segment : segments) sum += segment;
    return sum;
  }
  constexpr Breakdown& operator+=(const Breakdown& other) {
    for (std::size_t i = 0; i < kSegmentCount; ++i) segments[i] += other.segments[i];
    return *this;
  }
  constexpr bool operator==(const Breakdown&) const = default;
};

// The name in results and expectations: "serialisation", "credit_stall", ...
[[nodiscard]] std::string_view segment_name(Segment segment);
[[nodiscard]] std::optional<Segment> find_segment(std::string_view name);
[[nodiscard]] constexpr Segment segment_at(std::size_t index) {
  return static_cast<Segment>(index);
}

// The mean over `count` transactions such that the segments still sum exactly to the rounded-down
// mean of the total: each segment is rounded down, and the picoseconds that are left over go to
// the segments that lost most (the earlier one first). All zero when count is 0.
[[nodiscard]] Breakdown mean_breakdown(const Breakdown& total, std::uint64_t count);

}  // namespace peerfab::stats
