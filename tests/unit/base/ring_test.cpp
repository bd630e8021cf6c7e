// SPDX-License-Identifier: Apache-2.0
#include "sim/base/ring.h"

#include <deque>
#include <memory>
#include <utility>

#include "sim/base/rng.h"
#include "tests/support/catch.h"
#include "tests/support/engine_allocations.h"

using peerfab::Ring;
using peerfab::Rng;

TEST_CASE("a ring is a queue", "[ring]") {
  Ring<int> ring;
  CHECK(ring.empty());
  ring.push_back(1);
  ring.push_back(2);
  CHECK(ring.size() == 2);
  CHECK(ring.front() == 1);
  CHECK(ring[0] == 1);
  CHECK(ring[1] == 2);
  ring.front() = 5;
  CHECK(ring.front() == 5);
  ring.pop_front();
  CHECK(ring.front() == 2);
  CHECK(ring[0] == 2);
  ring.pop_front();
  CHECK(ring.empty());
}

TEST_CASE("a ring grows in order, wherever it begins", "[ring]") {
  for (int start = 0; start < 40; ++start) {
    Ring<int> ring;
    for (int i = 0; i < start; ++i) {
      ring.push_back(-1);
      ring.pop_front();
    }
    for (int i = 0; i < 100; ++i) ring.push_back(i);
    for (int i = 0; i < 100; ++i) {
      REQUIRE(ring.front() == i);
      ring.pop_front();
    }
    REQUIRE(ring.empty());
  }
}

TEST_CASE("a ring agrees with a deque on random work", "[ring]") {
  Rng rng(4);
  Ring<std::uint64_t> ring;
  std::deque<std::uint64_t> reference;
  for (int i = 0; i < 20'000; ++i) {
    // Fills for a while, then drains for a while.
    if (reference.empty() || rng.below(100) < (i / 500 % 2 == 0 ? 60U : 40U)) {
      const std::uint64_t value = rng.next();
      ring.push_back(value);
      reference.push_back(value);
    } else {
      REQUIRE(ring.front() == reference.front());
      ring.pop_front();
      reference.pop_front();
    }
    REQUIRE(ring.size() == reference.size());
    REQUIRE(ring.empty() == reference.empty());
  }
}

TEST_CASE("a ring holds what can only be moved", "[ring]") {
  Ring<std::unique_ptr<int>> ring;
  for (int i = 0; i < 50; ++i) ring.push_back(std::make_unique<int>(i));
  for (int i = 0; i < 50; ++i) {
    CHECK(*ring.front() == i);
    ring.pop_front();
  }
}

TEST_CASE("a warm ring allocates nothing", "[ring]") {
  Ring<int> ring;
  for (int i = 0; i < 100; ++i) ring.push_back(i);
  while (!ring.empty()) ring.pop_front();
  const std::uint64_t before = peerfab::test::allocations();
  for (int round = 0; round < 1000; ++round) {
    for (int i = 0; i < 100; ++i) ring.push_back(i);
    while (!ring.empty()) ring.pop_front();
  }
  CHECK(peerfab::test::allocations() == before);
}
