// SPDX-License-Identifier: Apache-2.0
// Private to the room: places naturally aligned blocks next to each other.
#pragma once

#include <cstdint>
#include <vector>

namespace peerfab::cfgspace {

struct Block {
  std::uint64_t size = 0;       // zero: takes no place
  std::uint64_t alignment = 1;  // a power of two
  std::uint64_t start = 0;      // result
};

[[nodiscard]] constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

// Sets every block's start at or above `begin`: the most demanding alignment first, then the larger
// size, then the earlier in the list; each in the lowest gap that holds it. Returns the end: the
// address after the last byte, or `begin` when nothing takes place. The sum of sizes and alignments
// must stay below 2^64.
std::uint64_t pack(std::vector<Block>& blocks, std::uint64_t begin);

}  // namespace peerfab::cfgspace
