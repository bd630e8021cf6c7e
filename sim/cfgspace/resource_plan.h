// SPDX-License-Identifier: Apache-2.0
// Private to the room: which BAR goes where. A tree of spaces (the root complex, and each bridge's
// window inside it) for each of the two kinds of memory window. A space is laid out from the inside
// out, relative to its own start, so that windows nest by construction; the root complex is then
// placed in its platform window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/units.h"
#include "sim/cfgspace/address_range.h"
#include "sim/cfgspace/bar.h"
#include "sim/cfgspace/packing.h"

namespace peerfab::cfgspace {

// The kind of window that a BAR needs at every bridge above it. Only a 64-bit prefetchable BAR may
// lie in the prefetchable window, since the other window reaches to 4 GiB only (PCIe r6.0,
// sec 7.5.1.3.8 and 7.5.1.3.9).
enum class WindowKind : std::uint8_t { kMemory, kPrefetchable };
inline constexpr std::size_t kWindowKinds = 2;

[[nodiscard]] constexpr WindowKind window_kind(bool is_64bit, bool prefetchable) {
  return is_64bit && prefetchable ? WindowKind::kPrefetchable : WindowKind::kMemory;
}

class ResourcePlan {
 public:
  using SpaceId = std::size_t;
  using BarId = std::size_t;

  SpaceId add_root_complex();
  // A bridge on the bus of `parent`.
  SpaceId add_bridge(SpaceId parent);
  // `bar` must satisfy is_valid().
  BarId add_bar(SpaceId parent, const BarRequest& bar);

  // Places what fits: the memory windows of all root complexes together inside `low`, the
  // prefetchable ones of the n-th root complex inside high[n]. Where not everything fits, the
  // largest BARs are left out first, of equal ones the latest.
  void assign(const AddressRange& low, const std::vector<AddressRange>& high);

  // After assign().
  [[nodiscard]] bool is_assigned(BarId bar) const { return bars_[bar].included; }
  [[nodiscard]] BusAddress address(BarId bar) const { return BusAddress(bars_[bar].address); }
  // The window of a bridge, or what a root complex uses; empty where nothing needs it.
  [[nodiscard]] AddressRange window(SpaceId space, WindowKind kind) const;
  // For a BAR that was left out: the largest size that would fit beside all others that did; zero
  // when not even the smallest BAR would.
  [[nodiscard]] Bytes largest_fitting(BarId id);

 private:
  struct BarEntry {
    SpaceId parent;
    std::size_t root;  // index of the root complex
    WindowKind kind;
    std::uint64_t wanted;
    std::uint64_t size;  // what the layout uses
    bool included = true;
    std::uint64_t address = 0;
  };
  struct Layout {
    std::uint64_t size = 0;
    std::uint64_t alignment = 1;
    std::uint64_t start = 0;
  };
  struct Space {
    SpaceId parent;
    std::size_t root;
    bool is_root;
    std::vector<SpaceId> bridges;
    std::vector<BarId> bars;
    Layout layout[kWindowKinds];
  };

  // The blocks inside a space: bridges, then BARs. A BAR that is left out has size zero.
  [[nodiscard]] std::vector<Block> blocks_in(const Space& space, WindowKind kind) const;
  void lay_out(SpaceId id, WindowKind kind);
  void lay_out_all(WindowKind kind);
  void lay_out_upwards(BarId bar);
  [[nodiscard]] bool fits(WindowKind kind, std::size_t root) const;
  [[nodiscard]] bool fits_with(BarId id, std::uint64_t size);
  void choose(WindowKind kind, std::size_t root);
  void place(SpaceId id, WindowKind kind, std::uint64_t start);
  [[nodiscard]] std::vector<Block> low_blocks() const;

  std::vector<Space> spaces_;
  std::vector<SpaceId> roots_;
  std::vector<BarEntry> bars_;
  AddressRange low_;
  std::vector<AddressRange> high_;
};

}  // namespace peerfab::cfgspace
