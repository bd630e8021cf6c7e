// SPDX-License-Identifier: Apache-2.0
#include "sim/config/text_index.h"

#include "tests/support/catch.h"

using peerfab::config::TextIndex;
using peerfab::config::TextPosition;

namespace {
// The position as line * 100 + column.
unsigned at(TextIndex& index, std::size_t offset) {
  const TextPosition position = index.position(offset);
  return position.line * 100 + position.column;
}
}  // namespace

TEST_CASE("offsets become lines and columns in any order", "[text_index]") {
  TextIndex index("ab\n\ncd\n");
  CHECK(at(index, 0) == 101);
  CHECK(at(index, 5) == 302);
  CHECK(at(index, 1) == 102);
  CHECK(at(index, 2) == 103);  // the line end belongs to its line
  CHECK(at(index, 3) == 201);
  CHECK(at(index, 4) == 301);
}

TEST_CASE("columns count characters", "[text_index]") {
  TextIndex index("\xc3\xa9\xf0\x9f\x98\x80x");
  CHECK(at(index, 2) == 102);
  CHECK(at(index, 6) == 103);
}

TEST_CASE("an offset behind the text is the place behind its last character", "[text_index]") {
  TextIndex index("ab\ncd \n\n");
  CHECK(at(index, 5) == 203);
  CHECK(at(index, 6) == 203);
  CHECK(at(index, 100) == 203);
  TextIndex empty("");
  CHECK(at(empty, 0) == 101);
  TextIndex blank(" \n\n");
  CHECK(at(blank, 2) == 101);
}

TEST_CASE("a windows line end is one place behind its line", "[text_index]") {
  TextIndex index("ab\r\nc");
  CHECK(at(index, 2) == 103);
  CHECK(at(index, 3) == 103);
  CHECK(at(index, 4) == 201);
}
