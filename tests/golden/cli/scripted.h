// SPDX-License-Identifier: Apache-2.0
// Stand-ins for the models and for the simulation, for tests of what the program prints.
#pragma once

#include "sim/device/model_registry.h"
#include "sim/scenario/result.h"
#include "sim/scenario/run_hooks.h"
#include "sim/scenario/scenario.h"
#include "sim/topology/topology.h"

namespace peerfab::scripted {

// A root complex, a switch and a GPU with the few parameters that a topology needs.
[[nodiscard]] device::ModelRegistry models();

// Numbers that look like a result and depend on the scenario alone. A flow's name may ask for
// something else: "crash" (the process dies), "fail" (an error), "throw" (an exception), "forever"
// (until it is stopped), "unfinished".
[[nodiscard]] scenario::VariantResult run_variant(const scenario::Scenario& scenario,
                                                  const scenario::Variant& variant,
                                                  const topology::Topology& topology,
                                                  scenario::RunHooks& hooks);

}  // namespace peerfab::scripted
