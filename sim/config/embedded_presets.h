// SPDX-License-Identifier: Apache-2.0
// The files of topologies/presets as they were when the program was built (cmake/EmbedPresets.cmake
// writes the definition).
#pragma once

#include <vector>

#include "sim/config/preset.h"

namespace peerfab::config {

// Sorted by name; names are paths from the root of the source tree.
[[nodiscard]] const std::vector<PresetLibrary::File>& embedded_presets();

}  // namespace peerfab::config
