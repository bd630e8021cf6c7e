// SPDX-License-Identifier: Apache-2.0
// What the monitors of a run have checked and found, by monitor; and the pen with which one of them
// writes, which knows where it stands.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/units.h"
#include "sim/monitor/monitor_list.h"

namespace peerfab::monitor {

struct Tally {
  std::uint64_t checks = 0;
  std::uint64_t violations = 0;
  std::vector<std::string> first;  // the texts of the first violations
};

class Findings {
 public:
  // More texts than these tell a reader nothing new.
  static constexpr std::size_t kTextsKept = 8;

  [[nodiscard]] Tally& tally(MonitorId id) { return tallies_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const Tally& tally(MonitorId id) const {
    return tallies_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] std::uint64_t violations() const;
  // The texts that were kept, a line each; empty without a violation.
  [[nodiscard]] std::string text() const;

 private:
  std::array<Tally, kMonitorCount> tallies_;
};

// Of one monitor on one direction of one link. `place` is "link gpu0-sw0 up".
class Pen {
 public:
  Pen(MonitorId id, Findings& findings, std::string place)
      : tally_(findings.tally(id)), id_(id), place_(std::move(place)) {}

  // One rule was looked at for one TLP or DLLP.
  void checked() { ++tally_.checks; }
  // It was broken by `packet`, in the words of the specification. `expected` and `seen` are phrases
  // without a stop.
  [[gnu::noinline, gnu::cold]] void violated(Picoseconds at, std::string_view packet,
                                             std::string_view expected, std::string_view seen);

 private:
  Tally& tally_;
  MonitorId id_;
  std::string place_;
};

}  // namespace peerfab::monitor
