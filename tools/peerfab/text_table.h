// SPDX-License-Identifier: Apache-2.0
// Columns that line up, for terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace peerfab::cli {

enum class Align { kLeft, kRight };

class TextTable {
 public:
  struct Column {
    std::string header;
    Align align = Align::kLeft;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell a column; missing ones are empty.
  void add(std::vector<std::string> cells);
  // A row whose text goes on from the column `from` without lining up: a message.
  void add_spanning(std::vector<std::string> cells, std::string text);
  // Without headers when all of them are empty.
  [[nodiscard]] std::string render(std::size_t indent, std::size_t gap) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string spanning;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

// What a terminal shows of UTF-8 text, in cells; each code point counts as one.
[[nodiscard]] std::size_t display_width(std::string_view text);

enum class Paint { kBold, kGood, kBad };
// The text in ANSI colours, or as it is.
[[nodiscard]] std::string painted(std::string_view text, Paint paint, bool colour);

}  // namespace peerfab::cli
