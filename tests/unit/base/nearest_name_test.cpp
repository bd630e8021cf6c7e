// SPDX-License-Identifier: Apache-2.0
#include "sim/base/nearest_name.h"

#include "tests/support/catch.h"

using peerfab::did_you_mean;
using peerfab::nearest_name;

TEST_CASE("one edit of a short name is near, two are not", "[nearest]") {
  CHECK(nearest_name("sw1", {"cpu0", "sw0"}) == "sw0");
  CHECK(nearest_name("sw", {"sw0"}) == "sw0");
  CHECK(nearest_name("sw00", {"sw0"}) == "sw0");
  CHECK(nearest_name("ws0", {"sw0"}) == "sw0");  // neighbours swapped: one edit
  CHECK_FALSE(nearest_name("sx1", {"sw0"}));
}

TEST_CASE("a third of a long name may differ", "[nearest]") {
  CHECK(nearest_name("latncey", {"latency", "lanes"}) == "latency");
  CHECK(nearest_name("abcdefxyz", {"abcdef123"}) == "abcdef123");  // 3 of 9
  CHECK_FALSE(nearest_name("abcdewxyz", {"abcdef123"}));           // 4 of 9
}

TEST_CASE("case, hyphens and underscores cost nothing", "[nearest]") {
  CHECK(nearest_name("MAX-PAYLOAD-SIZE", {"max_payload_size"}) == "max_payload_size");
}

TEST_CASE("the nearest wins and the first of equals", "[nearest]") {
  CHECK(nearest_name("gpu", {"cpu0", "gpu12", "gpu1", "gpu2"}) == "gpu1");
  CHECK(nearest_name("bar", {"bar1", "bar0"}) == "bar1");
}

TEST_CASE("names without a common character are never near", "[nearest]") {
  CHECK_FALSE(nearest_name("a", {"b"}));
  CHECK_FALSE(nearest_name("at", {"b", "to_x"}));
}

TEST_CASE("empty names, no candidates and very long names give nothing", "[nearest]") {
  CHECK_FALSE(nearest_name("", {"a"}));
  CHECK_FALSE(nearest_name("a", {}));
  CHECK_FALSE(nearest_name("a", {""}));
  CHECK(nearest_name(std::string(64, 'a'), {std::string(63, 'a')}));
  CHECK_FALSE(nearest_name(std::string(65, 'a'), {std::string(64, 'a')}));
  CHECK_FALSE(nearest_name(std::string(64, 'a'), {std::string(65, 'a')}));
}

TEST_CASE("the hint is a question or nothing", "[nearest]") {
  CHECK(did_you_mean("sw1", {"sw0"}) == "did you mean 'sw0'?");
  CHECK(did_you_mean("xyz", {"sw0"}).empty());
}
