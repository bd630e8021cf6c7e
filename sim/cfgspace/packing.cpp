// SPDX-License-Identifier: Apache-2.0
#include "sim/cfgspace/packing.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace peerfab::cfgspace {
namespace {

struct Gap {
  std::uint64_t begin;
  std::uint64_t end;
};

bool place_in_gap(Block& block, std::vector<Gap>& gaps) {
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const Gap gap = gaps[i];
    const std::uint64_t start = align_up(gap.begin, block.alignment);
    if (start >= gap.end || gap.end - start < block.size) continue;
    block.start = start;
    const Gap below{gap.begin, start};
    const Gap above{start + block.size, gap.end};
    gaps.erase(gaps.begin() + static_cast<std::ptrdiff_t>(i));
    auto where = gaps.begin() + static_cast<std::ptrdiff_t>(i);
    if (above.begin < above.end) where = gaps.insert(where, above);
    if (below.begin < below.end) gaps.insert(where, below);
    return true;
  }
  return false;
}

}  // namespace

std::uint64_t pack(std::vector<Block>& blocks, std::uint64_t begin) {
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (blocks[a].alignment != blocks[b].alignment) {
      return blocks[a].alignment > blocks[b].alignment;
    }
    return blocks[a].size > blocks[b].size;
  });
  std::vector<Gap> gaps;
  std::uint64_t end = begin;
  for (const std::size_t index : order) {
    Block& block = blocks[index];
    if (block.size == 0 || place_in_gap(block, gaps)) continue;
    block.start = align_up(end, block.alignment);
    if (block.start > end) gaps.push_back({end, block.start});
    end = block.start + block.size;
  }
  return end;
}

}  // namespace peerfab::cfgspace
