// SPDX-License-Identifier: Apache-2.0
// Text of unknown origin made safe for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/base/utf8.h"

namespace peerfab {

// One code point as it may be printed: itself, or for control characters (and those that reorder
// text, U+202A-U+202E and U+2066-U+2069) \n, \r, \t, \x1b or \u202e, or \xNN for a byte that is
// not UTF-8.
[[nodiscard]] std::string printable(CodePoint point);

// The same for a whole text.
[[nodiscard]] std::string printable(std::string_view text);

// The text itself, or its first code points and "..." when it has more of them.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t code_points);

// A name or value of the input as messages quote it: 'sw0', shortened to 60 code points.
[[nodiscard]] std::string in_quotes(std::string_view text);

// Columns that a code point takes on a terminal once it is printable: 0 for combining marks, 2
// for the wide blocks of East Asian scripts and emoji, the length of an escape, else 1.
[[nodiscard]] std::size_t terminal_columns(CodePoint point);

}  // namespace peerfab
