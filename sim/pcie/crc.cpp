// SPDX-License-Identifier: Apache-2.0
#include "sim/pcie/crc.h"

#include <array>
#include <boost/crc.hpp>
#include <cassert>

namespace peerfab::pcie {
namespace {

// The polynomials run over bit 0 of each byte first, start with all ones and are complemented.
using Crc16 = boost::crc_optimal<16, 0x100b, 0xffff, 0xffff, true, true>;
using Crc32 = boost::crc_optimal<32, 0x04c11db7, 0xffffffff, 0xffffffff, true, true>;

}  // namespace

std::uint16_t dllp_crc(std::span<const std::byte> bytes) {
  Crc16 crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return static_cast<std::uint16_t>(crc.checksum());
}

std::uint32_t lcrc(std::span<const std::byte> bytes) {
  Crc32 crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

std::uint32_t ecrc(std::span<const std::byte> tlp) {
  constexpr std::size_t kDw = 4;
  assert(tlp.size() >= kDw);
  const std::array<std::byte, kDw> first = {tlp[0] | std::byte{0x01}, tlp[1],
                                            tlp[2] | std::byte{0x40}, tlp[3]};
  Crc32 crc;
  crc.process_bytes(first.data(), first.size());
  crc.process_bytes(tlp.data() + kDw, tlp.size() - kDw);
  return crc.checksum();
}

}  // namespace peerfab::pcie
