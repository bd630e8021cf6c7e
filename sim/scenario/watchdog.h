// SPDX-License-Identifier: Apache-2.0
// Notices that a run leads nowhere, and explains it: a deadlock, a wait for something that never
// comes, or events that keep happening without any flow getting on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/workload.h"
#include "sim/topology/system.h"
#include "sim/topology/wait_report.h"

namespace peerfab::scenario {

// Looks at the flows once in a `period` of simulated time, at multiples of it, so that what it
// finds does not depend on the machine. Costs nothing in between.
//
// A livelock is two looks in a row between which no flow that had work on its way got on, though
// many events happened. Neither alone would do: a slow device (4 KiB at 1 B/s) makes no progress
// for long without events, and a large fabric needs many events between two ends of requests. The
// bound on events is more than all TLPs together can cause on their way through any fabric.
class Watchdog {
 public:
  // A `period` of 0 never looks by itself.
  Watchdog(topology::System& system, const Variant& variant,
           const std::vector<std::unique_ptr<FlowDriver>>& drivers, Picoseconds period);

  // When to call check(); max(): never.
  [[nodiscard]] Picoseconds next_check() const { return next_check_; }
  // Empty, or why the run should end: no flow got on, or flows are stuck for good while others
  // go on.
  [[nodiscard]] std::string check(Picoseconds now);
  // Nothing happens until `at`: there is nothing to look at before.
  void pass_to(Picoseconds at);

  // Nothing can happen any more, yet flows are unfinished.
  [[nodiscard]] std::string explain_rest() const;
  // The time limit came: empty, or which flows would not have finished without it either.
  [[nodiscard]] std::string explain_end() const;

 private:
  struct Counter {
    std::string name;  // "TLPs over link cpu0-sw0 up"
    std::uint64_t value = 0;
  };
  [[nodiscard]] std::vector<Counter> counters() const;
  [[nodiscard]] topology::WaitFinding look(bool at_rest) const;
  [[nodiscard]] std::string flow_text(std::size_t flow) const;
  [[nodiscard]] std::string list_flows(const std::vector<std::size_t>& flows) const;
  [[nodiscard]] std::string explain(const topology::WaitFinding& finding,
                                    const std::string& headline) const;
  [[nodiscard]] std::string explain_livelock(Picoseconds now) const;
  [[nodiscard]] std::uint64_t event_bound() const;
  void remember(Picoseconds now);

  topology::System& system_;
  const Variant& variant_;
  const std::vector<std::unique_ptr<FlowDriver>>& drivers_;
  Picoseconds period_;
  Picoseconds next_check_ = Picoseconds::max();
  // At the last look, and at the last one that found progress.
  std::vector<FlowDriver::Progress> progress_;
  std::vector<Picoseconds> progressed_;  // of each flow: the look that found it
  bool was_busy_ = false;
  std::uint64_t events_ = 0;
  Picoseconds since_;
  std::vector<Counter> counters_;
};

}  // namespace peerfab::scenario
