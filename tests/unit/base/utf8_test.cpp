// SPDX-License-Identifier: Apache-2.0
#include "sim/base/utf8.h"

#include <string>

#include "tests/support/catch.h"

using peerfab::code_point_at;
using peerfab::count_code_points;

namespace {
bool valid(std::string_view text) {
  const peerfab::CodePoint point = code_point_at(text, 0);
  return point.valid && point.bytes == text.size();
}
}  // namespace

TEST_CASE("code points of one to four bytes are decoded", "[utf8]") {
  CHECK(code_point_at("A", 0).value == U'A');
  CHECK(code_point_at("\xc2\xb5", 0).value == 0xb5);
  CHECK(code_point_at("\xe2\x86\x92", 0).value == 0x2192);
  CHECK(code_point_at("\xf0\x9f\x98\x80", 0).value == 0x1f600);
  CHECK(code_point_at("x\xc2\xb5", 1).bytes == 2);
}

TEST_CASE("the ends of each length are valid and their neighbours are not", "[utf8]") {
  CHECK(valid("\x7f"));
  CHECK(valid("\xc2\x80"));
  CHECK_FALSE(valid("\xc1\xbf"));  // overlong U+007F
  CHECK(valid("\xe0\xa0\x80"));
  CHECK_FALSE(valid("\xe0\x9f\xbf"));  // overlong U+07FF
  CHECK(valid("\xf0\x90\x80\x80"));
  CHECK_FALSE(valid("\xf0\x8f\xbf\xbf"));  // overlong U+FFFF
  CHECK(valid("\xf4\x8f\xbf\xbf"));
  CHECK_FALSE(valid("\xf4\x90\x80\x80"));  // U+110000
}

TEST_CASE("surrogates, stray and missing continuation bytes are invalid", "[utf8]") {
  CHECK(valid("\xed\x9f\xbf"));
  CHECK_FALSE(valid("\xed\xa0\x80"));
  CHECK_FALSE(valid("\xed\xbf\xbf"));
  CHECK(valid("\xee\x80\x80"));
  CHECK_FALSE(valid("\x80"));
  CHECK_FALSE(valid("\xff"));
  CHECK_FALSE(code_point_at("\xe2\x86", 0).valid);
  CHECK_FALSE(code_point_at("\xe2(\x92", 0).valid);
  CHECK(code_point_at("\xe2\x86", 0).bytes == 1);
}

TEST_CASE("code points are counted, an invalid byte as one", "[utf8]") {
  CHECK(count_code_points("") == 0);
  CHECK(count_code_points("a\xe2\x86\x92"
                          "b") == 3);
  CHECK(count_code_points("a\xff"
                          "b") == 3);
}
