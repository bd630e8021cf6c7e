// SPDX-License-Identifier: Apache-2.0
// What `after:` may say: names of other flows, without a circle.
#pragma once

#include <vector>

#include "sim/base/diagnostics.h"
#include "sim/scenario/scenario.h"

namespace peerfab::scenario {

// Adds an error for each name that no flow has and for a circle; true when there is none.
bool check_order(const std::vector<FlowSpec>& flows, Diagnostics& diagnostics);

}  // namespace peerfab::scenario
