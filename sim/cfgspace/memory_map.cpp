// SPDX-License-Identifier: Apache-2.0
#include "sim/cfgspace/memory_map.h"

#include <algorithm>
#include <cstdint>

#include "sim/cfgspace/packing.h"

namespace peerfab::cfgspace {
namespace {

constexpr std::uint64_t kFourGiB = std::uint64_t{4} << 30;
// Parts of the map above 4 GiB start on this boundary, so that no bridge window, which starts on
// 1 MiB, can share its granule with memory.
constexpr std::uint64_t kMapAlignment = std::uint64_t{1} << 30;
// No architecture that has PCIe defines more physical address bits.
constexpr unsigned kMostAddressBits = 52;

}  // namespace

MemoryMap make_memory_map(const SystemTree& system) {
  const PlatformLimits& limits = system.limits;
  const std::uint64_t end_of_addresses =
      std::uint64_t{1} << std::clamp(limits.physical_address_bits, 32U, kMostAddressBits);
  MemoryMap map;
  const std::uint64_t low_top = std::min(limits.top_of_low_memory.value(), kFourGiB);
  const std::uint64_t low_mmio_end = std::min(limits.end_of_low_mmio.value(), kFourGiB);
  if (low_top < low_mmio_end) {
    map.low_mmio = {BusAddress(align_up(low_top, kBridgeWindowGranule.count())),
                    BusAddress(low_mmio_end - 1)};
  }

  std::uint64_t next = kFourGiB;
  for (std::size_t i = 0; i < system.root_complexes.size(); ++i) {
    MemoryMap::Socket socket;
    std::uint64_t rest = system.root_complexes[i].memory.count();
    if (i == 0) {
      const std::uint64_t low = std::min(rest, low_top);
      if (low != 0) socket.memory.push_back(AddressRange::of(BusAddress(0), Bytes(low)));
      rest -= low;
    }
    const std::uint64_t room = end_of_addresses > next ? end_of_addresses - next : 0;
    const std::uint64_t above = std::min(rest, room);
    if (above != 0) {
      socket.memory.push_back(AddressRange::of(BusAddress(next), Bytes(above)));
      next = align_up(next + above, kMapAlignment);
    }
    socket.memory_left_out = Bytes(rest - above);
    map.sockets.push_back(std::move(socket));
  }

  const std::uint64_t room = end_of_addresses > next ? end_of_addresses - next : 0;
  const std::uint64_t equal_part =
      map.sockets.empty() ? 0 : room / map.sockets.size() / kMapAlignment * kMapAlignment;
  const std::uint64_t wanted = limits.high_mmio_size.count();
  for (MemoryMap::Socket& socket : map.sockets) {
    const std::uint64_t left = end_of_addresses > next ? end_of_addresses - next : 0;
    std::uint64_t size = std::min(wanted == 0 ? equal_part : wanted, left);
    size = size / kBridgeWindowGranule.count() * kBridgeWindowGranule.count();
    socket.high_mmio = AddressRange::of(BusAddress(next), Bytes(size));
    next += size;
  }
  return map;
}

}  // namespace peerfab::cfgspace
