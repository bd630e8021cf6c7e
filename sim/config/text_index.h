// SPDX-License-Identifier: Apache-2.0
// From byte offsets to lines and columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace peerfab::config {

struct TextPosition {
  std::uint32_t line = 1;    // 1-based
  std::uint32_t column = 1;  // 1-based, in code points
};

// Keeps a view of the text. Asking in rising order costs the text once, however long its lines.
class TextIndex {
 public:
  explicit TextIndex(std::string_view text);

  // An offset past the end, or in blanks at the end, is the place behind the last other character.
  [[nodiscard]] TextPosition position(std::size_t offset);
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  std::string_view text_;
  std::size_t end_ = 0;  // behind the last character that is not blank
  std::vector<std::size_t> line_starts_;
  std::size_t last_offset_ = 0;
  TextPosition last_;
};

}  // namespace peerfab::config
