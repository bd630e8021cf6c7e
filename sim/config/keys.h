// SPDX-License-Identifier: Apache-2.0
// Maps with a known set of keys.
#pragma once

#include <string>
#include <vector>

#include "sim/base/diagnostics.h"
#include "sim/config/tree.h"

namespace peerfab::config {

// True when `node` is a map; else one error that names what was wanted ("a topology").
bool check_map(const Node& node, const std::string& what, Diagnostics& diagnostics);

// True when every key of the map is in `known` and every one of `required` is there. All unknown
// keys ("unknown-key", with the nearest known one) and all missing ones ("missing-key", at
// `where`) are reported. `what` is the map in words: "a preset".
bool check_keys(const Node& map, const std::string& what, const SourceLocation& where,
                const std::vector<std::string>& known, const std::vector<std::string>& required,
                Diagnostics& diagnostics);

// True when the map says `peerfab: 1`, the version of all our files; else one error.
bool check_version(const Node& map, Diagnostics& diagnostics);

}  // namespace peerfab::config
