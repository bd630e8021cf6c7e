// SPDX-License-Identifier: Apache-2.0
// Runs one variant of a scenario: elaborates the topology, moves the data, gathers the result.
#pragma once

#include "sim/scenario/result.h"
#include "sim/scenario/run_hooks.h"
#include "sim/scenario/scenario.h"
#include "sim/topology/topology.h"

namespace peerfab::scenario {

// Once for each process: SystemC has one elaboration. Requires that check_variant() passed. What
// goes wrong in the simulated system (a refused request, a run that gets stuck) is the result's
// `error`.
[[nodiscard]] VariantResult run_variant(const Scenario& scenario, const Variant& variant,
                                        const topology::Topology& topology, RunHooks& hooks);

}  // namespace peerfab::scenario
