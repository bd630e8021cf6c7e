// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of topology files, put together from the tables of all registered models, for
// editors that complete and check YAML while one types.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/config/preset.h"
#include "sim/device/model_registry.h"

namespace peerfab::topology {

[[nodiscard]] nlohmann::json topology_schema(const device::ModelRegistry& registry,
                                             const config::PresetLibrary& presets);

}  // namespace peerfab::topology
