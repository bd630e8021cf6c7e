// SPDX-License-Identifier: Apache-2.0
// The keys of `flow:` and `copy:`, declared once: the reader, the editor's schema and the reference
// in docs/writing-scenarios.md all come from here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/config/parameters.h"
#include "sim/scenario/scenario.h"

namespace peerfab::scenario {

// "flow", "copy".
[[nodiscard]] std::string_view verb_name(Verb verb);
[[nodiscard]] const std::vector<Verb>& all_verbs();
[[nodiscard]] std::string_view verb_summary(Verb verb);

// Keys that must be written; they have no default.
[[nodiscard]] const std::vector<config::Parameter>& required_flow_keys();
// Keys with a default, by verb.
[[nodiscard]] const config::ParameterTable& flow_table(Verb verb);
// The two that are not parameters: a name, and a list of names.
inline constexpr std::string_view kNameKey = "name";
inline constexpr std::string_view kAfterKey = "after";

// All keys of a verb, for suggestions.
[[nodiscard]] std::vector<std::string> flow_key_names(Verb verb);

// Keys of the scenario itself that are plain values: seed, payload, warm_up, time_limit,
// watchdog.
[[nodiscard]] const config::ParameterTable& scenario_table();

}  // namespace peerfab::scenario
