// SPDX-License-Identifier: Apache-2.0
#include "sim/monitor/findings.h"

#include <fmt/format.h>

namespace peerfab::monitor {

std::uint64_t Findings::violations() const {
  std::uint64_t sum = 0;
  for (const Tally& tally : tallies_) sum += tally.violations;
  return sum;
}

std::string Findings::text() const {
  std::string all;
  for (const Tally& tally : tallies_) {
    for (const std::string& text : tally.first) all += text + "\n";
  }
  return all;
}

void Pen::violated(Picoseconds at, std::string_view packet, std::string_view expected,
                   std::string_view seen) {
  ++tally_.violations;
  if (tally_.first.size() == Findings::kTextsKept) return;
  const MonitorInfo& self = info(id_);
  tally_.first.push_back(
      fmt::format("{} (PCIe r6.0, sec {}) on {} at {} ps: {}: expected {}, saw {}", self.name,
                  self.section, place_, at.count(), packet, expected, seen));
}

}  // namespace peerfab::monitor
