// SPDX-License-Identifier: Apache-2.0
// Contract in breakdown.h.
#include "sim/stats/breakdown.h"

#include <algorithm>

namespace peerfab::stats {
namespace {

constexpr std::array<std::string_view, kSegmentCount> kNames = {
    "serialisation",  "propagation", "switch",     "queueing", "credit_stall",
    "ordering_stall", "tag_stall",   "iotlb_miss", "memory",   "device"};

}  // namespace

std::string_view segment_name(Segment segment) { return kNames[static_cast<std::size_t>(segment)]; }

std::optional<Segment> find_segment(std::string_view name) {
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return segment_at(static_cast<std::size_t>(found - kNames.begin()));
}

Breakdown mean_breakdown(const Breakdown& total, std::uint64_t count) {
  Breakdown mean;
  if (count == 0) return mean;
  // Largest remainder: what rounding down took is given back to the segments that lost most.
  std::array<std::uint64_t, kSegmentCount> lost{};
  std::array<std::size_t, kSegmentCount> order{};
  for (std::size_t i = 0; i < kSegmentCount; ++i) {
    mean.segments[i] = Picoseconds(total.segments[i].count() / count);
    lost[i] = total.segments[i].count() % count;
    order[i] = i;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&lost](std::size_t a, std::size_t b) { return lost[a] > lost[b]; });
  const std::uint64_t missing = total.total().count() / count - mean.total().count();
  for (std::size_t i = 0; i < missing; ++i) mean.segments[order[i]] += Picoseconds(1);
  return mean;
}

}  // namespace peerfab::stats
