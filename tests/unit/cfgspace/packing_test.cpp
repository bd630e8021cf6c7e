// SPDX-License-Identifier: Apache-2.0
#include "sim/cfgspace/packing.h"

#include "sim/base/rng.h"
#include "tests/support/catch.h"

namespace peerfab::cfgspace {
namespace {

TEST_CASE("Blocks are packed by decreasing alignment, small ones into gaps", "[cfgspace]") {
  std::vector<Block> blocks = {{16, 16, 0}, {0x100, 0x100, 0}, {0x40, 0x40, 0}};
  CHECK(pack(blocks, 0x1000) == 0x1150);
  CHECK(blocks[1].start == 0x1000);
  CHECK(blocks[2].start == 0x1100);
  CHECK(blocks[0].start == 0x1140);
  // From an unaligned beginning: the gap below the large block is used.
  CHECK(pack(blocks, 0x10b0) == 0x1200);
  CHECK(blocks[1].start == 0x1100);
  CHECK(blocks[2].start == 0x10c0);
  CHECK(blocks[0].start == 0x10b0);
}

TEST_CASE("Equal blocks keep their order and empty ones take no place", "[cfgspace]") {
  std::vector<Block> blocks = {{32, 32, 0}, {0, 1, 0}, {32, 32, 0}};
  CHECK(pack(blocks, 0) == 64);
  CHECK(blocks[0].start == 0);
  CHECK(blocks[2].start == 32);
  std::vector<Block> none;
  CHECK(pack(none, 77) == 77);
}

TEST_CASE("Packed blocks are aligned, disjoint and inside", "[cfgspace]") {
  Rng rng(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<Block> blocks(rng.below(20));
    for (Block& block : blocks) {
      block.alignment = std::uint64_t{1} << rng.below(12);
      block.size = rng.below(4) == 0 ? rng.below(5000) : block.alignment;
    }
    const std::uint64_t begin = rng.below(10000);
    const std::uint64_t end = pack(blocks, begin);
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const Block& a = blocks[i];
      if (a.size == 0) continue;
      bytes += a.size;
      REQUIRE(a.start % a.alignment == 0);
      REQUIRE(a.start >= begin);
      REQUIRE(a.start + a.size <= end);
      for (std::size_t j = i + 1; j < blocks.size(); ++j) {
        const Block& b = blocks[j];
        if (b.size == 0) continue;
        REQUIRE((a.start + a.size <= b.start || b.start + b.size <= a.start));
      }
    }
    REQUIRE(end - begin >= bytes);
  }
}

TEST_CASE("Naturally aligned powers of two leave no gap", "[cfgspace]") {
  Rng rng(11);
  for (int round = 0; round < 100; ++round) {
    std::vector<Block> blocks(rng.between(1, 30));
    std::uint64_t bytes = 0;
    for (Block& block : blocks) {
      block.size = block.alignment = std::uint64_t{1} << rng.below(20);
      bytes += block.size;
    }
    REQUIRE(pack(blocks, std::uint64_t{1} << 30) == (std::uint64_t{1} << 30) + bytes);
  }
}

}  // namespace
}  // namespace peerfab::cfgspace
