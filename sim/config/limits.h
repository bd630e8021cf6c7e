// SPDX-License-Identifier: Apache-2.0
// How much a configuration file may hold.
#pragma once

#include <cstddef>

namespace peerfab::config {

// What a text may hold; a file beyond it gets a diagnostic. The scanner takes some 0.2 us a byte
// and 2 us a value, so that the worst text costs about a second.
inline constexpr std::size_t kMaxTextBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxDepth = 64;
inline constexpr std::size_t kMaxNodes = 100'000;  // aliases expanded

}  // namespace peerfab::config
