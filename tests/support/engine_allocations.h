// SPDX-License-Identifier: Apache-2.0
// Counts allocations: an executable that links engine_allocations.cpp has operators new and delete
// that count.
#pragma once

#include <cstdint>

namespace peerfab::test {

// Calls of operator new, in all its forms, since the program began.
[[nodiscard]] std::uint64_t allocations();

}  // namespace peerfab::test
