// SPDX-License-Identifier: Apache-2.0
// Private to the room: where host memory and the platform's MMIO windows lie.
#pragma once

#include <vector>

#include "sim/base/units.h"
#include "sim/cfgspace/address_range.h"
#include "sim/cfgspace/enumeration.h"

namespace peerfab::cfgspace {

struct MemoryMap {
  AddressRange low_mmio;  // one for all sockets
  struct Socket {
    std::vector<AddressRange> memory;
    AddressRange high_mmio;
    Bytes memory_left_out;  // beyond the physical address width
  };
  std::vector<Socket> sockets;
};

// Below 4 GiB: memory of the first socket, then the MMIO window. Above: the rest of the first
// socket's memory, that of the others in order, then one MMIO window a socket.
[[nodiscard]] MemoryMap make_memory_map(const SystemTree& system);

}  // namespace peerfab::cfgspace
