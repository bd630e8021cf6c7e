// SPDX-License-Identifier: Apache-2.0
// The three checksums of PCIe, as their bytes stand on the wire: the low byte of each value first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace peerfab::pcie {

// Of the first four bytes of a DLLP (PCIe r6.0, sec 3.5.1).
[[nodiscard]] std::uint16_t dllp_crc(std::span<const std::byte> bytes);

// LCRC, of a TLP with the two bytes of its sequence number before it (PCIe r6.0, sec 3.6.2.1).
[[nodiscard]] std::uint32_t lcrc(std::span<const std::byte> bytes);

// ECRC, of a TLP from its first header byte to the end of its payload; prefixes that change on the
// way are left out by the caller. Type[0] and EP may change, so they count as ones (PCIe r6.0, sec
// 2.7.1). Requires a whole first DW.
[[nodiscard]] std::uint32_t ecrc(std::span<const std::byte> tlp);

}  // namespace peerfab::pcie
