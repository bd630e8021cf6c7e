// SPDX-License-Identifier: Apache-2.0
// Decides how a flow's data goes: who initiates, which way, over which link directions.
#pragma once

#include <string>

#include "sim/scenario/scenario.h"
#include "sim/scenario/workload.h"
#include "sim/topology/system.h"

namespace peerfab::scenario {

// `why_not` says what is missing when the flow cannot be at all; empty otherwise.
[[nodiscard]] FlowPlan plan_flow(const FlowSpec& spec, topology::System& system,
                                 std::string& why_not);

}  // namespace peerfab::scenario
