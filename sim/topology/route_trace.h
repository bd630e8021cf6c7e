// SPDX-License-Identifier: Apache-2.0
// Follows a request through the registers, hop by hop, with the same route() that the running
// models use: does it arrive, and if not, where and why does it end?
#pragma once

#include <vector>

#include "sim/cfgspace/route.h"
#include "sim/topology/system.h"

namespace peerfab::topology {

struct TracedHop {
  ComponentId component = 0;
  cfgspace::Verdict verdict;
};

// The last hop has the verdict that ends the way: at host memory, at a BAR, or refused.
[[nodiscard]] std::vector<TracedHop> trace_route(const System& system, ComponentId from,
                                                 cfgspace::RoutedTlp tlp);
[[nodiscard]] inline bool arrives(const std::vector<TracedHop>& trace) {
  return !trace.empty() && trace.back().verdict.passes();
}

}  // namespace peerfab::topology
