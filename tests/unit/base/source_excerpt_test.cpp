// SPDX-License-Identifier: Apache-2.0
#include "sim/base/source_excerpt.h"

#include "tests/support/catch.h"

using peerfab::kExcerptColumns;
using peerfab::make_excerpt;
using peerfab::SourceExcerpt;

TEST_CASE("the marker stands below what it marks", "[excerpt]") {
  const SourceExcerpt excerpt = make_excerpt("at: sw1, link", 5, 3);
  CHECK(excerpt.text == "at: sw1, link");
  CHECK(excerpt.marker == "    ^~~");
}

TEST_CASE("marks at and past the end of the line stay there", "[excerpt]") {
  CHECK(make_excerpt("abc", 3, 9).marker == "  ^");
  CHECK(make_excerpt("abc", 4, 2).marker == "   ^");
  CHECK(make_excerpt("abc", 99, 1).marker == "   ^");
  CHECK(make_excerpt("", 1, 1).marker == "^");
  CHECK(make_excerpt("abc", 0, 0).marker == "^");
}

TEST_CASE("tabs, wide, combining and escaped characters keep the marker in place", "[excerpt]") {
  CHECK(make_excerpt("\tx", 2, 1).text == "  x");
  CHECK(make_excerpt("\tx", 2, 1).marker == "  ^");
  CHECK(make_excerpt("\xe4\xb8\xad: x", 4, 1).marker == "    ^");
  CHECK(make_excerpt("e\xcc\x81: x", 5, 1).marker == "   ^");
  CHECK(make_excerpt("\x1b[0m x", 6, 1).text == "\\x1b[0m x");
  CHECK(make_excerpt("\x1b[0m x", 6, 1).marker == "        ^");
  CHECK(make_excerpt("a \x1b b", 3, 1).marker == "  ^~~~");
}

TEST_CASE("a line of the full width is shown whole and a longer one is cut", "[excerpt]") {
  const std::string full(kExcerptColumns, 'a');
  CHECK(make_excerpt(full, 1, 1).text == full);
  CHECK(make_excerpt(full, kExcerptColumns, 1).text == full);
  CHECK(make_excerpt(full + "b", 1, 1).text == std::string(kExcerptColumns - 3, 'a') + "...");
  CHECK(make_excerpt(full + "b", kExcerptColumns + 1, 1).text ==
        "..." + std::string(kExcerptColumns - 4, 'a') + "b");
}

TEST_CASE("a long line is cut on both sides of the mark", "[excerpt]") {
  const std::string line = std::string(500, 'a') + "HERE" + std::string(500, 'b');
  const SourceExcerpt excerpt = make_excerpt(line, 501, 4);
  CHECK(excerpt.text.size() == kExcerptColumns);
  CHECK(excerpt.text.substr(0, 4) == "...a");
  CHECK(excerpt.text.substr(kExcerptColumns - 4) == "b...");
  const std::size_t caret = excerpt.marker.find('^');
  CHECK(excerpt.text.substr(caret, 4) == "HERE");
  CHECK(excerpt.marker.substr(caret) == "^~~~");
}

TEST_CASE("a mark longer than the window is cut with it", "[excerpt]") {
  const SourceExcerpt excerpt = make_excerpt(std::string(500, 'x'), 1, 500);
  CHECK(excerpt.marker.size() <= kExcerptColumns);
}

TEST_CASE("megabytes of invalid bytes in one line are cut as well", "[excerpt]") {
  const std::string line(4 << 20, '\x80');
  const SourceExcerpt excerpt = make_excerpt(line, 2 << 20, 3);
  CHECK(excerpt.text.size() <= kExcerptColumns);
  CHECK(excerpt.marker.size() <= kExcerptColumns);
}
