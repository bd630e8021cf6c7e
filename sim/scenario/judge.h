// SPDX-License-Identifier: Apache-2.0
// Holds the results against what was expected.
#pragma once

#include <vector>

#include "sim/scenario/result.h"
#include "sim/scenario/scenario.h"

namespace peerfab::scenario {

// One verdict for each expectation, in their order. An expectation about a variant that failed, was
// interrupted or is missing is not judged.
[[nodiscard]] std::vector<ExpectationResult> judge(const std::vector<Expectation>& expectations,
                                                   const std::vector<VariantResult>& variants);

}  // namespace peerfab::scenario
