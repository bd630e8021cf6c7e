// SPDX-License-Identifier: Apache-2.0
#include "sim/base/source_excerpt.h"

#include <algorithm>
#include <vector>

#include "sim/base/printable.h"
#include "sim/base/utf8.h"

namespace peerfab {
namespace {

constexpr std::string_view kCut = "...";
// Of a line that is cut, this much before the mark is kept.
constexpr std::size_t kColumnsBefore = 40;

struct Cell {
  std::string text;
  std::size_t columns;
};

Cell make_cell(CodePoint point) {
  if (point.valid && point.value == '\t') return {"  ", 2};
  return {printable(point), terminal_columns(point)};
}

// Byte offset of a code point, at most the size of the text.
std::size_t offset_of(std::string_view text, std::size_t code_points) {
  std::size_t offset = 0;
  for (; code_points != 0 && offset < text.size(); --code_points) {
    offset += code_point_at(text, offset).bytes;
  }
  return offset;
}

// Byte offset of the code point that lies `code_points` before `offset`. Bytes that are not
// UTF-8 may make it land elsewhere, never outside the text nor further away.
std::size_t offset_before(std::string_view text, std::size_t offset, std::size_t code_points) {
  const std::size_t farthest = offset - std::min(offset, 4 * code_points);
  while (code_points != 0 && offset != farthest) {
    --offset;
    const auto byte = static_cast<unsigned char>(text[offset]);
    if ((byte & 0xc0) != 0x80) --code_points;
  }
  return offset;
}

std::vector<Cell> cells_of(std::string_view text) {
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = code_point_at(text, i);
    cells.push_back(make_cell(point));
    i += point.bytes;
  }
  return cells;
}

std::size_t columns_of(const std::vector<Cell>& cells) {
  std::size_t sum = 0;
  for (const Cell& cell : cells) sum += cell.columns;
  return sum;
}

std::string text_of(const std::vector<Cell>& cells) {
  std::string out;
  for (const Cell& cell : cells) out += cell.text;
  return out;
}

}  // namespace

SourceExcerpt make_excerpt(std::string_view line, unsigned column, unsigned length) {
  // Only the surroundings of the mark are looked at: a line may be megabytes long. A code point
  // takes no more cells than columns, except combining marks, of which few are wanted anyway.
  const std::size_t mark = offset_of(line, column == 0 ? 0 : column - 1);
  const std::size_t start = offset_before(line, mark, kExcerptColumns);
  const std::string_view after_start = line.substr(mark);
  const std::size_t end = mark + offset_of(after_start, kExcerptColumns);

  std::vector<Cell> before = cells_of(line.substr(start, mark - start));
  std::vector<Cell> after = cells_of(line.substr(mark, end - mark));
  bool cut_left = start != 0;
  bool cut_right = end != line.size();
  if (cut_left || cut_right || columns_of(before) + columns_of(after) > kExcerptColumns) {
    // What stands behind the mark may need less than its share; then more of the front fits.
    const std::size_t share = kExcerptColumns - kColumnsBefore;
    const std::size_t behind = cut_right ? share : std::min(columns_of(after), share);
    const std::size_t front = kExcerptColumns - behind;
    while (columns_of(before) > front - (cut_left ? kCut.size() : 0)) {
      before.erase(before.begin());
      cut_left = true;
    }
    const std::size_t used = columns_of(before) + (cut_left ? kCut.size() : 0);
    while (used + columns_of(after) + (cut_right ? kCut.size() : 0) > kExcerptColumns) {
      after.pop_back();
      cut_right = true;
    }
  }

  SourceExcerpt excerpt;
  if (cut_left) excerpt.text = kCut;
  excerpt.text += text_of(before) + text_of(after);
  if (cut_right) excerpt.text += kCut;
  const std::size_t marked = std::min<std::size_t>(std::max(length, 1U), after.size());
  const std::vector<Cell> marked_cells(after.begin(),
                                       after.begin() + static_cast<std::ptrdiff_t>(marked));
  const std::size_t wide = std::max<std::size_t>(columns_of(marked_cells), 1);
  excerpt.marker = std::string(columns_of(before) + (cut_left ? kCut.size() : 0), ' ') + '^' +
                   std::string(wide - 1, '~');
  return excerpt;
}

}  // namespace peerfab
