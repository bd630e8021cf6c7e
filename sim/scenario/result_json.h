// SPDX-License-Identifier: Apache-2.0
// Results as JSON: docs/schemas/result.schema.json. Apart from "host" the text is a function of the
// result's integers alone, so equal results are equal byte by byte.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/scenario/result.h"

namespace peerfab::scenario {

inline constexpr int kResultSchemaVersion = 1;

// The whole document with a line break at its end.
[[nodiscard]] std::string result_to_json(const RunResult& result);

// One variant on its way from a worker process to the parent.
[[nodiscard]] std::string variant_to_json(const VariantResult& variant);
// nullopt when the text is not what variant_to_json() writes.
[[nodiscard]] std::optional<VariantResult> variant_from_json(std::string_view text);

[[nodiscard]] std::string_view outcome_name(Outcome outcome);  // "passed", "failed", "not judged"

}  // namespace peerfab::scenario
