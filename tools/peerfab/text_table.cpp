// SPDX-License-Identifier: Apache-2.0
// Contract in text_table.h.
#include "tools/peerfab/text_table.h"

#include <algorithm>
#include <utility>

namespace peerfab::cli {
namespace {

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::size_t used = display_width(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return align == Align::kLeft ? text + space : space + text;
}

void end_line(std::string& line, std::string& out) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
  line.clear();
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
}

void TextTable::add(std::vector<std::string> cells) { add_spanning(std::move(cells), ""); }

void TextTable::add_spanning(std::vector<std::string> cells, std::string text) {
  rows_.push_back({std::move(cells), std::move(text)});
}

std::string TextTable::render(std::size_t indent, std::size_t gap) const {
  std::vector<std::size_t> widths;
  bool headed = false;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::size_t width = display_width(columns_[column].header);
    headed = headed || width > 0;
    for (const Row& row : rows_) {
      if (column < row.cells.size()) width = std::max(width, display_width(row.cells[column]));
    }
    widths.push_back(width);
  }
  std::string out;
  std::string line;
  const auto put = [&](std::size_t column, const std::string& text) {
    line += std::string(column == 0 ? indent : gap, ' ');
    line += padded(text, widths[column], columns_[column].align);
  };
  if (headed) {
    for (std::size_t i = 0; i < columns_.size(); ++i) put(i, columns_[i].header);
    end_line(line, out);
  }
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < std::min(row.cells.size(), columns_.size()); ++i) {
      put(i, row.cells[i]);
    }
    if (!row.spanning.empty()) line += std::string(gap, ' ') + row.spanning;
    end_line(line, out);
  }
  return out;
}

std::string painted(std::string_view text, Paint paint, bool colour) {
  if (!colour) return std::string(text);
  const char* const code = paint == Paint::kBold ? "1" : paint == Paint::kGood ? "32" : "1;31";
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace peerfab::cli
