// SPDX-License-Identifier: Apache-2.0
// A scenario from YAML. Everything that can be said without the topology is checked here; names of
// components and links are checked by sim/scenario/check.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/diagnostics.h"
#include "sim/config/tree.h"
#include "sim/scenario/scenario.h"

namespace peerfab::scenario {

// nullopt with at least one error added when anything is wrong. All findings are reported.
[[nodiscard]] std::optional<Scenario> load_scenario(const std::filesystem::path& file,
                                                    SourceTexts& texts, Diagnostics& diagnostics);
// The same for text in memory; `file_name` is what diagnostics call it, and the topology is
// relative to its folder.
[[nodiscard]] std::optional<Scenario> parse_scenario(std::string_view text,
                                                     const std::string& file_name,
                                                     SourceTexts& texts, Diagnostics& diagnostics);
[[nodiscard]] std::optional<Scenario> read_scenario(const config::Node& root,
                                                    const std::string& file_name,
                                                    Diagnostics& diagnostics);

// Whether a parsed file is meant to be a scenario (it says what to `do`), as opposed to a topology.
[[nodiscard]] bool looks_like_scenario(const config::Node& root);

// The name of the variant when nothing is compared.
inline constexpr std::string_view kOnlyVariant = "run";

}  // namespace peerfab::scenario
