// SPDX-License-Identifier: Apache-2.0
#include "sim/cfgspace/resource_plan.h"

#include <algorithm>
#include <bit>

#include "sim/cfgspace/port_registers.h"

namespace peerfab::cfgspace {
namespace {

constexpr std::size_t index_of(WindowKind kind) { return static_cast<std::size_t>(kind); }

// `end` is the address after the last byte.
bool ends_inside(std::uint64_t begin, std::uint64_t end, const AddressRange& range) {
  return end == begin || (!range.empty() && end - 1 <= range.limit.value());
}

}  // namespace

ResourcePlan::SpaceId ResourcePlan::add_root_complex() {
  const SpaceId id = spaces_.size();
  spaces_.push_back({id, roots_.size(), true, {}, {}, {}});
  roots_.push_back(id);
  return id;
}

ResourcePlan::SpaceId ResourcePlan::add_bridge(SpaceId parent) {
  const SpaceId id = spaces_.size();
  spaces_.push_back({parent, spaces_[parent].root, false, {}, {}, {}});
  spaces_[parent].bridges.push_back(id);
  return id;
}

ResourcePlan::BarId ResourcePlan::add_bar(SpaceId parent, const BarRequest& bar) {
  const BarId id = bars_.size();
  const std::uint64_t size = bar.size.count();
  bars_.push_back({parent, spaces_[parent].root, window_kind(bar.is_64bit, bar.prefetchable), size,
                   size, true, 0});
  spaces_[parent].bars.push_back(id);
  return id;
}

std::vector<Block> ResourcePlan::blocks_in(const Space& space, WindowKind kind) const {
  std::vector<Block> blocks;
  for (const SpaceId bridge : space.bridges) {
    const Layout& inner = spaces_[bridge].layout[index_of(kind)];
    blocks.push_back({inner.size, inner.alignment, 0});
  }
  for (const BarId id : space.bars) {
    const BarEntry& bar = bars_[id];
    const bool counts = bar.included && bar.kind == kind;
    blocks.push_back({counts ? bar.size : 0, counts ? bar.size : 1, 0});
  }
  return blocks;
}

void ResourcePlan::lay_out(SpaceId id, WindowKind kind) {
  Space& space = spaces_[id];
  std::vector<Block> blocks = blocks_in(space, kind);
  // The prefetchable space of a root complex has its place already; all else is relative.
  const bool is_placed = space.is_root && kind == WindowKind::kPrefetchable;
  const std::uint64_t begin = is_placed ? high_[space.root].base.value() : 0;
  const std::uint64_t end = pack(blocks, begin);
  Layout& layout = space.layout[index_of(kind)];
  layout.size = 0;  // the start stays: this also runs after everything was placed
  layout.alignment = 1;
  if (end == begin) return;
  layout.size = align_up(end - begin, kBridgeWindowGranule.count());
  layout.alignment = kBridgeWindowGranule.count();
  for (const Block& block : blocks) layout.alignment = std::max(layout.alignment, block.alignment);
}

void ResourcePlan::lay_out_all(WindowKind kind) {
  // A bridge was added after its parent, so this goes from the inside out.
  for (SpaceId id = spaces_.size(); id-- > 0;) lay_out(id, kind);
}

void ResourcePlan::lay_out_upwards(BarId bar) {
  SpaceId id = bars_[bar].parent;
  while (true) {
    lay_out(id, bars_[bar].kind);
    if (spaces_[id].is_root) return;
    id = spaces_[id].parent;
  }
}

std::vector<Block> ResourcePlan::low_blocks() const {
  std::vector<Block> blocks;
  for (const SpaceId id : roots_) {
    const Layout& layout = spaces_[id].layout[index_of(WindowKind::kMemory)];
    blocks.push_back({layout.size, layout.alignment, 0});
  }
  return blocks;
}

bool ResourcePlan::fits(WindowKind kind, std::size_t root) const {
  if (kind == WindowKind::kMemory) {
    std::vector<Block> blocks = low_blocks();
    const std::uint64_t begin = low_.base.value();
    return ends_inside(begin, pack(blocks, begin), low_);
  }
  const std::uint64_t begin = high_[root].base.value();
  const Layout& layout = spaces_[roots_[root]].layout[index_of(kind)];
  return ends_inside(begin, begin + layout.size, high_[root]);
}

bool ResourcePlan::fits_with(BarId id, std::uint64_t size) {
  BarEntry& bar = bars_[id];
  bar.size = size;
  bar.included = true;
  lay_out_upwards(id);
  const bool result = fits(bar.kind, bar.root);
  bar.size = bar.wanted;
  bar.included = false;
  lay_out_upwards(id);
  return result;
}

// The memory windows of all root complexes share one platform window: `root` then means all.
void ResourcePlan::choose(WindowKind kind, std::size_t root) {
  const AddressRange& window = kind == WindowKind::kMemory ? low_ : high_[root];
  std::vector<BarId> candidates;
  for (BarId id = 0; id < bars_.size(); ++id) {
    BarEntry& bar = bars_[id];
    if (bar.kind != kind || (kind == WindowKind::kPrefetchable && bar.root != root)) continue;
    // Larger than the whole window: left out beforehand, which also keeps sums below 2^64.
    bar.included = !window.empty() && bar.size <= window.size().count();
    if (bar.included) candidates.push_back(id);
  }
  std::sort(candidates.begin(), candidates.end(), [&](BarId a, BarId b) {
    return bars_[a].size != bars_[b].size ? bars_[a].size > bars_[b].size : a > b;
  });
  const auto leave_out = [&](std::size_t count) {
    for (std::size_t i = 0; i < candidates.size(); ++i) bars_[candidates[i]].included = i >= count;
    lay_out_all(kind);
    return fits(kind, root);
  };
  std::size_t enough = candidates.size();  // with so many left out the rest fits
  if (leave_out(0)) {
    enough = 0;
  } else {
    std::size_t too_few = 0;
    while (enough - too_few > 1) {
      const std::size_t middle = too_few + (enough - too_few) / 2;
      (leave_out(middle) ? enough : too_few) = middle;
    }
    (void)leave_out(enough);
  }
  // One that was left out may still find a gap: the smallest first.
  for (std::size_t i = enough; i-- > 0;) {
    if (!fits_with(candidates[i], bars_[candidates[i]].wanted)) continue;
    bars_[candidates[i]].included = true;
    lay_out_upwards(candidates[i]);
  }
}

void ResourcePlan::place(SpaceId id, WindowKind kind, std::uint64_t start) {
  Space& space = spaces_[id];
  space.layout[index_of(kind)].start = start;
  std::vector<Block> blocks = blocks_in(space, kind);
  pack(blocks, start);
  std::size_t next = 0;
  for (const SpaceId bridge : space.bridges) place(bridge, kind, blocks[next++].start);
  for (const BarId bar : space.bars) {
    if (bars_[bar].kind == kind) bars_[bar].address = blocks[next].start;
    ++next;
  }
}

void ResourcePlan::assign(const AddressRange& low, const std::vector<AddressRange>& high) {
  low_ = low;
  high_ = high;
  choose(WindowKind::kMemory, 0);
  std::vector<Block> blocks = low_blocks();
  pack(blocks, low_.base.value());
  for (std::size_t root = 0; root < roots_.size(); ++root) {
    place(roots_[root], WindowKind::kMemory, blocks[root].start);
    choose(WindowKind::kPrefetchable, root);
    place(roots_[root], WindowKind::kPrefetchable, high_[root].base.value());
  }
}

AddressRange ResourcePlan::window(SpaceId space, WindowKind kind) const {
  const Layout& layout = spaces_[space].layout[index_of(kind)];
  return AddressRange::of(BusAddress(layout.start), Bytes(layout.size));
}

Bytes ResourcePlan::largest_fitting(BarId id) {
  // A smaller BAR fits wherever a larger one does, so the exponent can be searched by halves.
  int fitting = std::countr_zero(kSmallestBar.count()) - 1;
  int beyond = std::countr_zero(bars_[id].wanted);
  const AddressRange& window = bars_[id].kind == WindowKind::kMemory ? low_ : high_[bars_[id].root];
  if (window.empty()) return {};
  while (beyond - fitting > 1) {
    const int middle = fitting + (beyond - fitting) / 2;
    const std::uint64_t size = std::uint64_t{1} << middle;
    if (size <= window.size().count() && fits_with(id, size)) {
      fitting = middle;
    } else {
      beyond = middle;
    }
  }
  if (fitting < std::countr_zero(kSmallestBar.count())) return {};
  return Bytes(std::uint64_t{1} << fitting);
}

}  // namespace peerfab::cfgspace
