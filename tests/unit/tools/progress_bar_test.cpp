// SPDX-License-Identifier: Apache-2.0
#include "tools/peerfab/progress_bar.h"

#include <limits>

#include "tests/support/catch.h"

namespace peerfab::cli {

using std::chrono::milliseconds;

TEST_CASE("the line shows how much is done and how long it may take") {
  const scenario::Progress half{Bytes(512U << 20), Bytes(1U << 30), Picoseconds(9'500'000'000)};
  CHECK(progress_line(half, milliseconds(500), 200) ==
        "[##########----------]  50%  512MiB of 1GiB, 9.5ms simulated");
  CHECK(progress_line(half, milliseconds(3000), 200) ==
        "[##########----------]  50%  512MiB of 1GiB, 9.5ms simulated, 3s left");
  CHECK(progress_line(half, milliseconds(300'000), 200).find(", 5min left") != std::string::npos);
}

TEST_CASE("the ends of the bar") {
  CHECK(
      progress_line({Bytes(0), Bytes(10), Picoseconds()}, milliseconds(2000), 200).substr(0, 29) ==
      "[--------------------]   0%  ");
  CHECK(progress_line({Bytes(10), Bytes(10), Picoseconds()}, milliseconds(2000), 27) ==
        "[####################] 100%");
  // Before the worker has said how much there is, and more than there should be.
  CHECK(progress_line({}, milliseconds(0), 27) == "[--------------------]   0%");
  CHECK(progress_line({Bytes(11), Bytes(10), Picoseconds()}, milliseconds(0), 27) ==
        "[####################] 100%");
}

TEST_CASE("huge numbers neither overflow nor exceed the width") {
  const Bytes huge(std::numeric_limits<std::uint64_t>::max());
  const std::string line =
      progress_line({Bytes(huge.count() / 2), huge, Picoseconds::max()}, milliseconds(99'999), 60);
  CHECK(line.substr(0, 27) == "[#########-----------]  49%");
  CHECK(line.size() == 60);
}

}  // namespace peerfab::cli
