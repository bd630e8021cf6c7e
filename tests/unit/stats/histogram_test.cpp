// SPDX-License-Identifier: Apache-2.0
#include "sim/stats/histogram.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "sim/base/rng.h"
#include "tests/support/catch.h"

namespace peerfab::stats {

namespace {

std::uint64_t nearest_rank(std::vector<std::uint64_t> values, unsigned percent) {
  std::sort(values.begin(), values.end());
  const std::uint64_t rank = std::max<std::uint64_t>(1, (values.size() * percent + 99) / 100);
  return values[rank - 1];
}

}  // namespace

TEST_CASE("an empty histogram answers zero") {
  const LatencyHistogram histogram;
  CHECK(histogram.count() == 0);
  CHECK(histogram.min() == Picoseconds(0));
  CHECK(histogram.max() == Picoseconds(0));
  CHECK(histogram.mean() == Picoseconds(0));
  CHECK(histogram.percentile(50) == Picoseconds(0));
}

TEST_CASE("one value is every percentile exactly") {
  const std::uint64_t all[] = {0,
                               1,
                               63,
                               64,
                               65,
                               127,
                               128,
                               105000,
                               123456789012345,
                               std::numeric_limits<std::uint64_t>::max()};
  for (const std::uint64_t value : all) {
    LatencyHistogram histogram;
    histogram.add(Picoseconds(value));
    CHECK(histogram.min() == Picoseconds(value));
    CHECK(histogram.mean() == Picoseconds(value));
    CHECK(histogram.max() == Picoseconds(value));
    for (const unsigned percent : {0U, 50U, 99U, 100U}) {
      CHECK(histogram.percentile(percent) == Picoseconds(value));
    }
  }
}

TEST_CASE("small values are exact by the nearest-rank rule") {
  LatencyHistogram histogram;
  for (std::uint64_t value = 1; value <= 10; ++value) histogram.add(Picoseconds(value));
  CHECK(histogram.percentile(0) == Picoseconds(1));
  CHECK(histogram.percentile(10) == Picoseconds(1));
  CHECK(histogram.percentile(11) == Picoseconds(2));
  CHECK(histogram.percentile(50) == Picoseconds(5));
  CHECK(histogram.percentile(51) == Picoseconds(6));
  CHECK(histogram.percentile(99) == Picoseconds(10));
  CHECK(histogram.percentile(100) == Picoseconds(10));
}

TEST_CASE("percentiles are never too small and at most 1/64 too large") {
  Rng rng(42);
  for (int round = 0; round < 50; ++round) {
    LatencyHistogram histogram;
    std::vector<std::uint64_t> values;
    const std::uint64_t count = rng.between(1, 400);
    for (std::uint64_t i = 0; i < count; ++i) {
      values.push_back(rng.next() >> rng.below(64));
      histogram.add(Picoseconds(values.back()));
    }
    for (unsigned percent = 0; percent <= 100; ++percent) {
      const std::uint64_t exact = nearest_rank(values, percent);
      const std::uint64_t answer = histogram.percentile(percent).count();
      REQUIRE(answer >= exact);
      REQUIRE(answer - exact <= exact / 64);
    }
    REQUIRE(histogram.min().count() == *std::min_element(values.begin(), values.end()));
    REQUIRE(histogram.max().count() == *std::max_element(values.begin(), values.end()));
  }
}

TEST_CASE("merging equals adding everything to one histogram") {
  Rng rng(3);
  LatencyHistogram left;
  LatencyHistogram right;
  LatencyHistogram both;
  for (int i = 0; i < 1000; ++i) {
    const Picoseconds value(rng.below(1'000'000'000));
    (i % 3 == 0 ? left : right).add(value);
    both.add(value);
  }
  left.merge(right);
  left.merge(LatencyHistogram());
  CHECK(left.count() == both.count());
  CHECK(left.min() == both.min());
  CHECK(left.max() == both.max());
  CHECK(left.mean() == both.mean());
  for (unsigned percent = 0; percent <= 100; ++percent) {
    CHECK(left.percentile(percent) == both.percentile(percent));
  }
}

TEST_CASE("a cleared histogram is as good as new and copies are independent") {
  LatencyHistogram histogram;
  histogram.add(Picoseconds(500));
  LatencyHistogram copy = histogram;
  histogram.clear();
  CHECK(histogram.count() == 0);
  CHECK(histogram.percentile(99) == Picoseconds(0));
  histogram.add(Picoseconds(9));
  CHECK(histogram.min() == Picoseconds(9));
  CHECK(copy.count() == 1);
  CHECK(copy.max() == Picoseconds(500));
  copy = histogram;
  CHECK(copy.max() == Picoseconds(9));
}

TEST_CASE("the mean does not overflow") {
  LatencyHistogram histogram;
  for (int i = 0; i < 4; ++i) histogram.add(Picoseconds::max());
  CHECK(histogram.mean() == Picoseconds::max());
}

}  // namespace peerfab::stats
