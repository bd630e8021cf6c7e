// SPDX-License-Identifier: Apache-2.0
// A scenario against its topology: do the names exist, can the flows be at all?
#pragma once

#include <optional>
#include <string_view>

#include "sim/base/diagnostics.h"
#include "sim/scenario/scenario.h"
#include "sim/topology/topology.h"

namespace peerfab::scenario {

// The component that `from:` or `to:` means: a device by its name, a socket's memory by "cpu0" or
// "cpu0.memory". nullopt when there is none.
[[nodiscard]] std::optional<topology::ComponentId> find_memory(const topology::Topology& topology,
                                                               std::string_view name);

// Changes the parameters that a variant overrides. False with all errors added when one does not
// exist, does not parse, or decides how the topology is wired.
bool apply_overrides(const Variant& variant, topology::Topology& topology,
                     Diagnostics& diagnostics);

// The variant's flows and the expectations about it. True when the runner can take them.
bool check_variant(const Scenario& scenario, const Variant& variant,
                   const topology::Topology& topology, Diagnostics& diagnostics);

}  // namespace peerfab::scenario
