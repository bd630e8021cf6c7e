// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/aperture.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/base/rng.h"
#include "tests/support/catch.h"

using peerfab::Rng;
using peerfab::models::Aperture;

namespace {
constexpr std::uint64_t kPage = Aperture::kPageBytes;
constexpr std::uint64_t kMemory = 512 * kPage;  // 1 GiB
}  // namespace

TEST_CASE("an aperture as large as the memory shows it one to one", "[aperture]") {
  Aperture aperture(kMemory, kMemory);
  CHECK(aperture.largest_mapping() == kMemory);
  CHECK(aperture.map(12345, 100) == 12345U);
  CHECK(aperture.map(0, kMemory) == 0U);
  CHECK(aperture.locate(777) == 777U);
  CHECK(aperture.locate(kMemory - 1) == kMemory - 1);
  CHECK_FALSE(aperture.locate(kMemory).has_value());
  CHECK_FALSE(aperture.map(kMemory - 10, 11).has_value());
  aperture.unmap(0, kMemory);
  CHECK(aperture.locate(777) == 777U);
}

TEST_CASE("a small aperture shows what is mapped and nothing else", "[aperture]") {
  Aperture aperture(8 * kPage, kMemory);
  CHECK_FALSE(aperture.locate(0).has_value());
  const std::uint64_t offset = 100 * kPage + 4096;
  const std::optional<std::uint64_t> at = aperture.map(offset, 3 * kPage);
  REQUIRE(at.has_value());
  CHECK(*at % kPage == 4096);
  CHECK(aperture.locate(*at) == offset);
  CHECK(aperture.locate(*at + 3 * kPage - 1) == offset + 3 * kPage - 1);
  // The mapping is of whole pages: four of them, and nothing beside them.
  const std::uint64_t first = *at - 4096;
  CHECK(aperture.locate(first) == 100 * kPage);
  CHECK_FALSE(aperture.locate(first + 4 * kPage).has_value());
  aperture.unmap(*at, 3 * kPage);
  CHECK_FALSE(aperture.locate(*at).has_value());
  CHECK_FALSE(aperture.locate(*at + 3 * kPage - 1).has_value());
}

TEST_CASE("the largest mapping fits wherever it starts", "[aperture]") {
  for (const std::uint64_t pages : {1U, 2U, 3U, 128U}) {
    Aperture aperture(pages * kPage, kMemory);
    const std::uint64_t largest = aperture.largest_mapping();
    INFO(pages << " pages, largest " << largest);
    CHECK(aperture.map(0, largest) == 0U);
    aperture.unmap(0, largest);
    if (pages == 1) continue;  // one page cannot promise more than an aligned start
    const std::optional<std::uint64_t> at = aperture.map(5 * kPage + 1, largest);
    REQUIRE(at.has_value());
    CHECK(aperture.locate(*at) == 5 * kPage + 1);
    CHECK(aperture.locate(*at + largest - 1) == 5 * kPage + largest);
  }
}

TEST_CASE("a full aperture has no room until something is unmapped", "[aperture]") {
  Aperture aperture(4 * kPage, kMemory);
  const auto a = aperture.map(0, 2 * kPage);
  const auto b = aperture.map(50 * kPage, 2 * kPage);
  REQUIRE(a.has_value());
  REQUIRE(b.has_value());
  CHECK_FALSE(aperture.map(70 * kPage, 1).has_value());
  aperture.unmap(*a, 2 * kPage);
  CHECK_FALSE(aperture.map(70 * kPage, 3 * kPage).has_value());
  const auto c = aperture.map(70 * kPage, 2 * kPage);
  REQUIRE(c.has_value());
  CHECK(aperture.locate(*c) == 70 * kPage);
  CHECK(aperture.locate(*b) == 50 * kPage);
}

TEST_CASE("only mappings that were made are counted", "[aperture]") {
  Aperture aperture(2 * kPage, kMemory);
  CHECK(aperture.map(0, 2 * kPage).has_value());
  CHECK_FALSE(aperture.map(0, kPage).has_value());
  CHECK_FALSE(aperture.map(0, 5 * kPage).has_value());
  CHECK(aperture.mappings() == 1);
}

TEST_CASE("random mapping and unmapping keeps every page where it was put", "[aperture]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed);
    const std::uint64_t pages = rng.between(2, 40);
    Aperture aperture(pages * kPage, kMemory);
    struct Mapping {
      std::uint64_t offset;
      std::uint64_t length;
    };
    std::map<std::uint64_t, Mapping> live;  // by position
    std::uint64_t used = 0;
    const auto pages_of = [](const Mapping& m) {
      return (m.offset % kPage + m.length + kPage - 1) / kPage;
    };
    for (int i = 0; i < 400; ++i) {
      if (rng.below(2) == 0) {
        const Mapping wanted{rng.below(kMemory / 2), 1 + rng.below(4 * kPage)};
        const std::optional<std::uint64_t> at = aperture.map(wanted.offset, wanted.length);
        if (!at.has_value()) {
          // Refused for a reason: with no mapping alive any that fits is granted.
          CHECK((!live.empty() || pages_of(wanted) > pages));
          continue;
        }
        REQUIRE(*at % kPage == wanted.offset % kPage);
        used += pages_of(wanted);
        REQUIRE(used <= pages);
        REQUIRE(live.emplace(*at, wanted).second);
      } else if (!live.empty()) {
        auto it = live.begin();
        std::advance(it, static_cast<long>(rng.below(live.size())));
        aperture.unmap(it->first, it->second.length);
        used -= pages_of(it->second);
        live.erase(it);
      }
      for (const auto& [at, mapping] : live) {
        REQUIRE(aperture.locate(at) == mapping.offset);
        REQUIRE(aperture.locate(at + mapping.length - 1) == mapping.offset + mapping.length - 1);
      }
    }
  }
}
