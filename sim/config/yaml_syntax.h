// SPDX-License-Identifier: Apache-2.0
// What yaml-cpp does not tell: how far a scalar reaches in the text, and what its terse messages
// mean to the person who wrote the file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace peerfab::config {

// The first character of a node's value behind the anchor that may stand before it.
[[nodiscard]] std::size_t skip_anchor(std::string_view text, std::size_t offset);

struct ScalarExtent {
  std::size_t length = 1;  // code points on the first line, quotes included
  bool closed = true;      // false: a quote that the text ends before
};
// `value` is the scalar's text as it was understood.
[[nodiscard]] ScalarExtent scalar_extent(std::string_view text, std::size_t offset,
                                         std::string_view value);

// True when the text at the offset is a null that somebody wrote: ~, null, Null or NULL.
[[nodiscard]] bool is_written_null(std::string_view text, std::size_t offset);

// Bytes of the word at the offset: up to a blank, comma or bracket; at least 1.
[[nodiscard]] std::size_t word_length(std::string_view text, std::size_t offset);

// True when the bracket at the offset is closed before the text ends.
[[nodiscard]] bool bracket_closes(std::string_view text, std::size_t offset);

// The first quote at or behind the offset that the text ends before; npos when there is none.
[[nodiscard]] std::size_t find_open_quote(std::string_view text, std::size_t offset);

struct SyntaxExplanation {
  std::string message;
  std::string hint;
  std::size_t offset;  // what to point at
  std::size_t length;  // in bytes
};
// `text` and `offset`: where yaml-cpp gave up.
[[nodiscard]] SyntaxExplanation explain_syntax(const std::string& yaml_cpp_message,
                                               std::string_view text, std::size_t offset);

}  // namespace peerfab::config
