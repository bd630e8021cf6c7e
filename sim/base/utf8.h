// SPDX-License-Identifier: Apache-2.0
// Walking through UTF-8 (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace peerfab {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 0;  // 1 for an invalid byte
  bool valid = false;
};

// The code point that starts at `offset`, which must lie inside the text.
[[nodiscard]] CodePoint code_point_at(std::string_view text, std::size_t offset);

// Code points in the text, an invalid byte counting as one.
[[nodiscard]] std::size_t count_code_points(std::string_view text);

}  // namespace peerfab
