// SPDX-License-Identifier: Apache-2.0
#include "sim/base/printable.h"

#include "tests/support/catch.h"

using peerfab::printable;

TEST_CASE("ordinary text is printed as it is", "[printable]") {
  CHECK(printable("gpu0 \xe2\x86\x92 gpu1, 5 \xc2\xb5s \xf0\x9f\x98\x80") ==
        "gpu0 \xe2\x86\x92 gpu1, 5 \xc2\xb5s \xf0\x9f\x98\x80");
  CHECK(printable("") == "");
}

TEST_CASE("control characters never reach a terminal", "[printable]") {
  CHECK(printable("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(printable("a\nb\rc\td") == "a\\nb\\rc\\td");
  CHECK(printable(std::string_view("\0", 1)) == "\\x00");
  CHECK(printable("\x1f\x7f ~") == "\\x1f\\x7f ~");
  CHECK(printable("\xc2\x9b") == "\\x9b");     // CSI in its one-character form
  CHECK(printable("\xc2\xa0") == "\xc2\xa0");  // the first one past the C1 controls
}

TEST_CASE("characters that reorder text are escaped", "[printable]") {
  CHECK(printable("\xe2\x80\xae") == "\\u202e");
  CHECK(printable("\xe2\x81\xa6") == "\\u2066");
  CHECK(printable("\xe2\x80\xaf") == "\xe2\x80\xaf");
}

TEST_CASE("bytes that are not UTF-8 are escaped", "[printable]") {
  CHECK(printable("a\xff"
                  "b\xe2\x86") == "a\\xffb\\xe2\\x86");
}

TEST_CASE("long texts are shortened by characters", "[printable]") {
  CHECK(peerfab::shortened("abc", 3) == "abc");
  CHECK(peerfab::shortened("abcd", 3) == "abc...");
  CHECK(peerfab::shortened("\xc3\xa9\xc3\xa9\xc3\xa9", 2) == "\xc3\xa9\xc3\xa9...");
  CHECK(peerfab::shortened("", 0) == "");
  CHECK(peerfab::in_quotes("sw0") == "'sw0'");
  CHECK(peerfab::in_quotes(std::string(60, 'x')) == "'" + std::string(60, 'x') + "'");
  CHECK(peerfab::in_quotes(std::string(61, 'x')) == "'" + std::string(60, 'x') + "...'");
}

TEST_CASE("terminal columns follow the width of the character", "[printable]") {
  const auto columns = [](std::string_view text) {
    return peerfab::terminal_columns(peerfab::code_point_at(text, 0));
  };
  CHECK(columns("a") == 1);
  CHECK(columns("\xcc\x81") == 0);          // combining acute accent
  CHECK(columns("\xe4\xb8\xad") == 2);      // U+4E2D
  CHECK(columns("\xf0\x9f\x98\x80") == 2);  // U+1F600
  CHECK(columns("\x1b") == 4);
}
