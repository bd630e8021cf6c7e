// SPDX-License-Identifier: Apache-2.0
// The tag allocator: exhaustion on both sides, uniqueness, FIFO reuse, refusal of stray tags.
#include "sim/pcie/tags.h"

#include <set>
#include <vector>

#include "sim/base/rng.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

TEST_CASE("each size hands out its whole range once and then none", "[tags]") {
  struct Expected {
    TagSize size;
    unsigned first;
    unsigned count;
  };
  for (const Expected& expected :
       {Expected{TagSize::k5Bit, 0, 32}, Expected{TagSize::k8Bit, 0, 256},
        Expected{TagSize::k10Bit, 256, 768}, Expected{TagSize::k14Bit, 1024, 15360}}) {
    TagAllocator tags(expected.size);
    CHECK(tags.limit() == expected.count);
    std::set<unsigned> seen;
    for (unsigned i = 0; i < expected.count; ++i) {
      CHECK_FALSE(tags.exhausted());
      const auto tag = tags.acquire();
      REQUIRE(tag.has_value());
      seen.insert(tag->value());
    }
    CHECK(tags.exhausted());
    CHECK_FALSE(tags.acquire().has_value());
    CHECK(seen.size() == expected.count);
    CHECK(*seen.begin() == expected.first);
    CHECK(*seen.rbegin() == expected.first + expected.count - 1);
  }
}

TEST_CASE("a 10-bit tag never has both top bits zero", "[tags]") {
  TagAllocator tags(TagSize::k10Bit);
  for (int i = 0; i < 5000; ++i) {
    const auto tag = tags.acquire();
    REQUIRE(tag.has_value());
    REQUIRE((tag->value() >> 8) != 0);
    REQUIRE((tag->value() >> 10) == 0);
    REQUIRE(tags.release(*tag));
  }
}

TEST_CASE("a 14-bit tag is no 10-bit tag and fits its field", "[tags]") {
  TagAllocator tags(TagSize::k14Bit);
  bool sound = true;
  for (int i = 0; i < 40'000 && sound; ++i) {
    const auto tag = tags.acquire();
    REQUIRE(tag.has_value());
    sound = (tag->value() >> 10) != 0 && (tag->value() >> 14) == 0 && tags.release(*tag);
  }
  CHECK(sound);
}

TEST_CASE("the requester's own limit", "[tags]") {
  TagAllocator tags(TagSize::k8Bit, 2);
  const auto first = tags.acquire();
  const auto second = tags.acquire();
  REQUIRE((first && second));
  CHECK_FALSE(tags.acquire().has_value());
  CHECK(tags.release(*first));
  CHECK(tags.acquire().has_value());
  CHECK_FALSE(tags.acquire().has_value());
  CHECK(TagAllocator(TagSize::k5Bit, 0).limit() == 32);
  CHECK(TagAllocator(TagSize::k5Bit, 32).limit() == 32);
  CHECK(TagAllocator(TagSize::k5Bit, 33).limit() == 32);
}

TEST_CASE("a tag that is not outstanding is refused", "[tags]") {
  TagAllocator tags(TagSize::k10Bit);
  CHECK_FALSE(tags.release(Tag(255)));   // below the range
  CHECK_FALSE(tags.release(Tag(1024)));  // above
  CHECK_FALSE(tags.release(Tag(256)));   // never handed out
  const auto tag = tags.acquire();
  REQUIRE(tag.has_value());
  CHECK(tags.is_outstanding(*tag));
  CHECK(tags.release(*tag));
  CHECK_FALSE(tags.release(*tag));  // twice
  CHECK(tags.outstanding() == 0);
}

TEST_CASE("freed tags wait behind all that were freed before", "[tags]") {
  TagAllocator tags(TagSize::k5Bit);
  std::vector<Tag> taken;
  for (int i = 0; i < 32; ++i) taken.push_back(*tags.acquire());
  CHECK(tags.release(taken[5]));
  CHECK(tags.release(taken[2]));
  CHECK(tags.release(taken[9]));
  CHECK(*tags.acquire() == taken[5]);
  CHECK(*tags.acquire() == taken[2]);
  CHECK(*tags.acquire() == taken[9]);
  CHECK(tags.exhausted());
}

TEST_CASE("random use keeps outstanding tags unique", "[tags][property]") {
  Rng rng(3);
  for (const TagSize size : {TagSize::k5Bit, TagSize::k8Bit, TagSize::k10Bit, TagSize::k14Bit}) {
    TagAllocator tags(size, 100);
    std::vector<Tag> held;
    std::set<unsigned> values;
    bool sound = true;
    for (int i = 0; i < 50'000 && sound; ++i) {
      if (rng.below(2) == 0) {
        const auto tag = tags.acquire();
        sound = tag.has_value() == (held.size() < tags.limit());
        if (tag) {
          sound = sound && values.insert(tag->value()).second && tags.range().contains(*tag) &&
                  tags.index_of(*tag) < tags.range().count;
          held.push_back(*tag);
        }
      } else if (!held.empty()) {
        const std::size_t at = rng.below(held.size());
        sound = tags.release(held[at]);
        values.erase(held[at].value());
        held[at] = held.back();
        held.pop_back();
      }
      sound = sound && tags.outstanding() == held.size();
    }
    CHECK(sound);
  }
}

TEST_CASE("the smallest size for a number of requests", "[tags]") {
  CHECK(smallest_tag_size(32) == TagSize::k5Bit);
  CHECK(smallest_tag_size(33) == TagSize::k8Bit);
  CHECK(smallest_tag_size(256) == TagSize::k8Bit);
  CHECK(smallest_tag_size(257) == TagSize::k10Bit);
  CHECK(smallest_tag_size(768) == TagSize::k10Bit);
  CHECK_FALSE(smallest_tag_size(769).has_value());
  CHECK(smallest_tag_size(768, true) == TagSize::k10Bit);
  CHECK(smallest_tag_size(769, true) == TagSize::k14Bit);
  CHECK(smallest_tag_size(15360, true) == TagSize::k14Bit);
  CHECK_FALSE(smallest_tag_size(15361, true).has_value());
}

}  // namespace
}  // namespace peerfab::pcie
