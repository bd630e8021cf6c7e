// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of scenarios for editors, derived from the tables in flow_keys.h.
#pragma once

#include <nlohmann/json.hpp>

namespace peerfab::scenario {

[[nodiscard]] nlohmann::json scenario_schema();

}  // namespace peerfab::scenario
