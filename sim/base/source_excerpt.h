// SPDX-License-Identifier: Apache-2.0
// A source line with a marker below it, fit for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace peerfab {

struct SourceExcerpt {
  std::string text;    // the line, or the part around the mark with "..." where it was cut
  std::string marker;  // blanks, '^', '~'...: to be printed below the text
};

// Widest text, in terminal columns.
inline constexpr std::size_t kExcerptColumns = 100;

// `column` is 1-based, `column` and `length` count code points. A column past the end marks the
// place behind the last character; a length past the end is cut there. Tabs become two blanks.
[[nodiscard]] SourceExcerpt make_excerpt(std::string_view line, unsigned column, unsigned length);

}  // namespace peerfab
