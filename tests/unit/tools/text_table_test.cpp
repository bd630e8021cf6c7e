// SPDX-License-Identifier: Apache-2.0
#include "tools/peerfab/text_table.h"

#include "tests/support/catch.h"

namespace peerfab::cli {

TEST_CASE("columns line up and lines carry no blanks at their end") {
  TextTable table({{"", Align::kLeft}, {"rate", Align::kRight}, {"why", Align::kLeft}});
  table.add({"p2p", "54.9GB/s", "link"});
  table.add({"bounce", "7GB/s"});
  CHECK(table.render(2, 3) ==
        "               rate   why\n"
        "  p2p      54.9GB/s   link\n"
        "  bounce      7GB/s\n");
}

TEST_CASE("a table without headers has no head") {
  TextTable table({{"", Align::kLeft}, {"", Align::kLeft}});
  table.add({"a", "b"});
  CHECK(table.render(0, 1) == "a b\n");
}

TEST_CASE("a message goes on where the columns end") {
  TextTable table({{"", Align::kLeft}, {"rate", Align::kRight}});
  table.add({"bounce", "1"});
  table.add_spanning({"p2p"}, "failed: because");
  CHECK(table.render(0, 2) == "        rate\nbounce     1\np2p     failed: because\n");
}

TEST_CASE("letters of several bytes take one cell") {
  CHECK(display_width("\xc2\xb5s") == 2);
  TextTable table({{"", Align::kRight}, {"", Align::kLeft}});
  table.add({"1\xc2\xb5s", "x"});
  table.add({"100ns", "y"});
  CHECK(table.render(0, 1) == "  1\xc2\xb5s x\n100ns y\n");
}

TEST_CASE("colours only where they are wanted") {
  CHECK(painted("x", Paint::kBad, false) == "x");
  CHECK(painted("x", Paint::kBad, true) == "\x1b[1;31mx\x1b[0m");
}

}  // namespace peerfab::cli
