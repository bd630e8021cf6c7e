// SPDX-License-Identifier: Apache-2.0
// Finds what a wait-for graph is stuck on, a circle or something that never comes, and says it in
// words.
#pragma once

#include <string>
#include <vector>

#include "sim/engine/waits.h"

namespace peerfab::topology {

struct WaitFinding {
  enum class Kind {
    kNone,      // everything that waits can go on
    kDeadlock,  // some wait for each other in a circle
    kDeadEnd,   // what they wait for never comes
  };
  Kind kind = Kind::kNone;
  std::string summary;             // "4 waits form a circle"
  std::vector<std::string> lines;  // who waits for whom, one each
  std::vector<std::size_t> stuck;  // of the starts, by their position
  std::string usual_cause;         // a sentence
};

// What keeps `starts` from ending. A waiter goes on if something is scheduled for it, or if one
// (all) of those it waits for can go on; the others are stuck. A queue that waits for credits goes
// on if any holder can: whether as much comes free as it needs is not looked at.
//
// `at_rest`: nothing is scheduled any more, so nothing goes on by itself. Otherwise a model from
// outside that cannot be looked into is taken to go on some day.
[[nodiscard]] WaitFinding explain_waits(const engine::WaitGraph& graph,
                                        const std::vector<engine::WaitId>& starts, bool at_rest);

}  // namespace peerfab::topology
