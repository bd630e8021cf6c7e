// SPDX-License-Identifier: Apache-2.0
// What is looked at before a text reaches the YAML scanner: that it is text at all, and that it
// is not made to exhaust the scanner, which keeps every token of a bracketed value in memory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/base/diagnostics.h"

namespace peerfab::config {

// Brackets that may be open at a time, and brackets and commas in all, before a text is refused
// unparsed. Both are counted without regard to quotes and comments, so they lie far above what
// the limits on depth and nodes let through.
inline constexpr std::size_t kMaxOpenBrackets = 1000;
inline constexpr std::size_t kMaxFlowTokens = 250'000;

// The length of a UTF-8 byte order mark at the start: 3 or 0.
[[nodiscard]] std::size_t byte_order_mark(std::string_view text);

// True, or one error added: too large, UTF-16, binary, not UTF-8, too deep, too many brackets.
bool check_text(std::string_view text, const std::string& file_name, Diagnostics& diagnostics);

}  // namespace peerfab::config
