// SPDX-License-Identifier: Apache-2.0
// The reference of the models, generated from their tables and from the presets.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/config/preset.h"
#include "sim/device/model_registry.h"

namespace peerfab::cli {

// One line a model.
[[nodiscard]] std::string model_list(const device::ModelRegistry& registry);
// For a terminal.
[[nodiscard]] std::string model_text(const device::ModelDescriptor& model,
                                     const config::PresetLibrary& presets);
// docs/models/<kind>.md
[[nodiscard]] std::string model_markdown(const device::ModelDescriptor& model,
                                         const config::PresetLibrary& presets);
[[nodiscard]] nlohmann::ordered_json model_json(const device::ModelDescriptor& model,
                                                const config::PresetLibrary& presets);

}  // namespace peerfab::cli
