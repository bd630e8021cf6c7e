// SPDX-License-Identifier: Apache-2.0
#include "sim/base/rng.h"
#include "sim/config/quantity.h"
#include "tests/support/catch.h"
#include "tests/unit/config/support.h"

using namespace peerfab;
using namespace peerfab::config;
using namespace peerfab::config::test;

TEST_CASE("times are printed in the shortest exact way", "[format]") {
  CHECK(format_time(Picoseconds(0)) == "0ps");
  CHECK(format_time(Picoseconds(999)) == "999ps");
  CHECK(format_time(Picoseconds(1000)) == "1ns");
  CHECK(format_time(Picoseconds(105000)) == "105ns");
  CHECK(format_time(Picoseconds(1500)) == "1.5ns");
  CHECK(format_time(Picoseconds(600000)) == "600ns");
  CHECK(format_time(Picoseconds(1234567)) == "1234567ps");
  CHECK(format_time(Picoseconds(2'500'000'000'000)) == "2.5s");
}

TEST_CASE("sizes are printed in powers of 1024 where these are as short", "[format]") {
  CHECK(format_size(Bytes(0)) == "0B");
  CHECK(format_size(Bytes(64)) == "64B");
  CHECK(format_size(Bytes(1024)) == "1KiB");
  CHECK(format_size(Bytes(1536)) == "1536B");
  CHECK(format_size(Bytes(2000)) == "2KB");
  CHECK(format_size(Bytes(1ULL << 30)) == "1GiB");
  CHECK(format_size(Bytes(512ULL << 20)) == "512MiB");
  CHECK(format_size(Bytes(53'500'000'000)) == "53.5GB");
  CHECK(format_size(Bytes(1ULL << 40)) == "1TiB");
}

TEST_CASE("bandwidths are printed in powers of 1000", "[format]") {
  CHECK(format_bandwidth(Bandwidth(53'500'000'000)) == "53.5GB/s");
  CHECK(format_bandwidth(Bandwidth(4'800'000'000'000)) == "4.8TB/s");
  CHECK(format_bandwidth(Bandwidth(0)) == "0B/s");
  CHECK(format_bandwidth(Bandwidth(1024)) == "1024B/s");
}

TEST_CASE("what is printed exactly parses back to the same value", "[format]") {
  Rng rng(1);
  for (int i = 0; i < 3000; ++i) {
    // Values of every magnitude, round ones among them.
    std::uint64_t value = rng.next() >> rng.between(1, 63);
    if (rng.below(2) == 0) value = value / 1000 * 1000;
    if (rng.below(3) == 0) value &= ~std::uint64_t{1023};
    Diagnostics diagnostics;
    INFO(value);
    CHECK(parse_time(scalar(format_time(Picoseconds(value))), diagnostics) == Picoseconds(value));
    CHECK(parse_size(scalar(format_size(Bytes(value))), diagnostics) == Bytes(value));
    CHECK(parse_bandwidth(scalar(format_bandwidth(Bandwidth(value))), diagnostics) ==
          Bandwidth(value));
    CHECK(diagnostics.all().empty());
  }
}

TEST_CASE("results are rounded half up to their digits", "[format]") {
  CHECK(format_bandwidth_rounded(Bandwidth(54'912'345'678)) == "54.9GB/s");
  CHECK(format_bandwidth_rounded(Bandwidth(54'950'000'000)) == "55GB/s");
  CHECK(format_bandwidth_rounded(Bandwidth(54'949'999'999)) == "54.9GB/s");
  CHECK(format_bandwidth_rounded(Bandwidth(54'912'345'678), 4) == "54.91GB/s");
  CHECK(format_time_rounded(Picoseconds(17'912'345)) == "17.9us");
  CHECK(format_time_rounded(Picoseconds(123)) == "123ps");
  CHECK(format_time_rounded(Picoseconds(1)) == "1ps");
  CHECK(format_time_rounded(Picoseconds(0)) == "0ps");
  CHECK(format_size_rounded(Bytes(1ULL << 30)) == "1GiB");
  CHECK(format_size_rounded(Bytes((1ULL << 30) + (1ULL << 25))) == "1.03GiB");
  CHECK(format_size_rounded(Bytes(1000)) == "1000B");
}

TEST_CASE("rounding up to the next unit uses it", "[format]") {
  CHECK(format_time_rounded(Picoseconds(999'499)) == "999ns");
  CHECK(format_time_rounded(Picoseconds(999'500)) == "1us");
  CHECK(format_size_rounded(Bytes((1ULL << 20) - 1)) == "1MiB");
  CHECK(format_size_rounded(Bytes(1023)) == "1023B");
}

TEST_CASE("digits before the point are kept, and digits have a limit", "[format]") {
  CHECK(format_time_rounded(Picoseconds(9'223'372'036'854'775'807)) == "9223372s");
  CHECK(format_time_rounded(Picoseconds(1'234'567'891), 20) == "1.23456789ms");
  CHECK(format_time_rounded(Picoseconds(1'500), 0) == "2ns");
}
