// SPDX-License-Identifier: Apache-2.0
// docs/schemas/result.schema.json as it was when the program was built.
#pragma once

#include <string>

namespace peerfab::cli {

[[nodiscard]] std::string result_schema();

}  // namespace peerfab::cli
