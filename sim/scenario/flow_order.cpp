// SPDX-License-Identifier: Apache-2.0
// Contract in flow_order.h.
#include "sim/scenario/flow_order.h"

#include <cstddef>
#include <string>
#include <unordered_map>

namespace peerfab::scenario {

bool check_order(const std::vector<FlowSpec>& flows, Diagnostics& diagnostics) {
  std::unordered_map<std::string, std::size_t> index;
  std::vector<std::string> names;
  for (const FlowSpec& flow : flows) {
    index.emplace(flow.name, names.size());
    names.push_back(flow.name);
  }
  bool good = true;
  std::vector<std::vector<std::size_t>> followers(flows.size());
  std::vector<std::size_t> waits_for(flows.size(), 0);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    for (std::size_t j = 0; j < flows[i].after.size(); ++j) {
      const auto found = index.find(flows[i].after[j]);
      if (found == index.end()) {
        if (diagnostics.error_count() > Diagnostics::kPrintLimit) return false;
        diagnostics.error("unknown-reference", flows[i].after_where[j],
                          "no flow is called '" + printable(flows[i].after[j]) + "'",
                          did_you_mean(flows[i].after[j], names));
        good = false;
        continue;
      }
      followers[found->second].push_back(i);
      ++waits_for[i];
    }
  }
  if (!good) return false;

  // Take away what waits for nothing until nothing can be taken: the rest waits in a circle.
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (waits_for[i] == 0) ready.push_back(i);
  }
  for (std::size_t taken = 0; taken < ready.size(); ++taken) {
    for (const std::size_t follower : followers[ready[taken]]) {
      if (--waits_for[follower] == 0) ready.push_back(follower);
    }
  }
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (waits_for[i] == 0) continue;
    diagnostics.error("circular-order", flows[i].after_where.front(),
                      "'" + flows[i].name +
                          "' waits, over 'after', for itself or for flows that wait in a circle");
    return false;
  }
  return true;
}

}  // namespace peerfab::scenario
