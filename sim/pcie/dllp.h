// SPDX-License-Identifier: Apache-2.0
// Data Link Layer Packets, bit for bit: four bytes and a CRC-16.
//
// Contract: non-FLIT DLLPs (PCIe r6.0, sec 3.5). Credits are in the units of the DLLP's fields, so
// already divided by their scale.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sim/pcie/credits.h"
#include "sim/pcie/tlp_kind.h"

namespace peerfab::pcie {

// The encodings of byte 0, those of flow control without the class and the virtual channel (PCIe
// r6.0, sec 3.5.1, Table 3-1).
enum class DllpKind : std::uint8_t {
  kAck = 0x00,
  kDataLinkFeature = 0x02,
  kNak = 0x10,
  kPmEnterL1 = 0x20,
  kPmEnterL23 = 0x21,
  kPmActiveStateRequestL1 = 0x23,
  kPmRequestAck = 0x24,
  kVendor = 0x30,
  kNop = 0x31,
  kInitFc1 = 0x40,
  kUpdateFc = 0x80,
  kInitFc2 = 0xc0,
};

struct Dllp {
  DllpKind kind = DllpKind::kNop;
  // Ack and Nak: the last TLP that was received without error, 12 bits.
  std::uint16_t sequence_number = 0;
  // InitFC1, InitFC2, UpdateFC.
  FlowClass flow_class = FlowClass::kPosted;
  std::uint8_t virtual_channel = 0;  // 3 bits
  CreditScale header_scale = CreditScale::kNone;
  std::uint8_t header_credits = 0;
  CreditScale data_scale = CreditScale::kNone;
  std::uint16_t data_credits = 0;  // 12 bits
  // Data Link Feature: bit 0 is Scaled Flow Control.
  std::uint32_t features = 0;  // 23 bits
  bool feature_ack = false;
  // Vendor and NOP: what the sender likes.
  std::uint32_t content = 0;  // 24 bits

  bool operator==(const Dllp&) const = default;
};
inline constexpr std::uint32_t kScaledFlowControlFeature = 1;

using DllpBytes = std::array<std::byte, spec::kDllpBytes>;
// Requires fields within their widths.
[[nodiscard]] DllpBytes pack(const Dllp& dllp);

enum class DllpError : std::uint8_t {
  kBadCrc,            // to be dropped silently, as a receiver does (sec 3.6.2.2)
  kReservedEncoding,  // likewise
};
[[nodiscard]] std::string_view describe(DllpError error);

struct UnpackedDllp {
  Dllp dllp;
  std::optional<DllpError> error;  // then the rest means nothing
};
[[nodiscard]] UnpackedDllp unpack_dllp(std::span<const std::byte, spec::kDllpBytes> bytes);

}  // namespace peerfab::pcie
