// SPDX-License-Identifier: Apache-2.0
#include "sim/stats/breakdown.h"

#include <set>
#include <string>

#include "sim/base/rng.h"
#include "tests/support/catch.h"

namespace peerfab::stats {

TEST_CASE("every segment has a name of its own and is found by it") {
  std::set<std::string> names;
  for (std::size_t i = 0; i < kSegmentCount; ++i) {
    const std::string name(segment_name(segment_at(i)));
    CHECK(names.insert(name).second);
    CHECK(find_segment(name) == segment_at(i));
  }
  CHECK_FALSE(find_segment("serialization").has_value());
  CHECK_FALSE(find_segment("").has_value());
}

TEST_CASE("breakdowns add up segment by segment") {
  Breakdown a;
  a[Segment::kMemory] = Picoseconds(3);
  a[Segment::kSwitch] = Picoseconds(4);
  Breakdown b;
  b[Segment::kSwitch] = Picoseconds(5);
  a += b;
  CHECK(a[Segment::kMemory] == Picoseconds(3));
  CHECK(a[Segment::kSwitch] == Picoseconds(9));
  CHECK(a.total() == Picoseconds(12));
}

TEST_CASE("the mean's segments sum to the mean of the total, whatever the remainders") {
  Rng rng(7);
  for (int round = 0; round < 2000; ++round) {
    Breakdown total;
    for (auto& segment : total.segments) segment = Picoseconds(rng.below(1000));
    const std::uint64_t count = rng.between(1, 50);
    const Breakdown mean = mean_breakdown(total, count);
    REQUIRE(mean.total().count() == total.total().count() / count);
    for (std::size_t i = 0; i < kSegmentCount; ++i) {
      const std::uint64_t floor = total.segments[i].count() / count;
      REQUIRE(mean.segments[i].count() >= floor);
      REQUIRE(mean.segments[i].count() <= floor + 1);
    }
  }
  CHECK(mean_breakdown(Breakdown{}, 0) == Breakdown{});
}

TEST_CASE("a segment that took no time has a mean of zero") {
  Breakdown total;
  total[Segment::kDevice] = Picoseconds(7);
  total[Segment::kMemory] = Picoseconds(8);
  const Breakdown mean = mean_breakdown(total, 5);
  CHECK(mean.total() == Picoseconds(3));
  CHECK(mean[Segment::kSerialisation] == Picoseconds(0));
  CHECK(mean[Segment::kMemory] == Picoseconds(2));
}

}  // namespace peerfab::stats
