// SPDX-License-Identifier: Apache-2.0
#include "sim/pcie/dllp.h"

#include <cassert>

#include "sim/pcie/crc.h"

namespace peerfab::pcie {
namespace {

constexpr std::size_t kContentBytes = 4;

bool is_flow_control(DllpKind kind) {
  return kind == DllpKind::kInitFc1 || kind == DllpKind::kInitFc2 || kind == DllpKind::kUpdateFc;
}

// Type, class in bits 5:4, virtual channel in 2:0; then HdrScale, HdrFC, DataScale, DataFC (sec
// 3.5.1, Figure 3-9 and Table 3-2).
std::uint32_t pack_flow_control(const Dllp& dllp) {
  assert(dllp.virtual_channel <= 7 && dllp.data_credits <= 0xfff);
  return static_cast<std::uint32_t>(dllp.flow_class) << 28 |
         std::uint32_t{dllp.virtual_channel} << 24 |
         static_cast<std::uint32_t>(dllp.header_scale) << 22 |
         std::uint32_t{dllp.header_credits} << 14 |
         static_cast<std::uint32_t>(dllp.data_scale) << 12 | dllp.data_credits;
}

void unpack_flow_control(std::uint32_t dw, Dllp& dllp) {
  dllp.flow_class = static_cast<FlowClass>(dw >> 28 & 3);
  dllp.virtual_channel = static_cast<std::uint8_t>(dw >> 24 & 7);
  dllp.header_scale = static_cast<CreditScale>(dw >> 22 & 3);
  dllp.header_credits = static_cast<std::uint8_t>(dw >> 14 & 0xff);
  dllp.data_scale = static_cast<CreditScale>(dw >> 12 & 3);
  dllp.data_credits = static_cast<std::uint16_t>(dw & 0xfff);
}

std::uint32_t content_of(const Dllp& dllp) {
  switch (dllp.kind) {
    case DllpKind::kAck:
    case DllpKind::kNak:
      assert(dllp.sequence_number <= 0xfff);
      return dllp.sequence_number;
    case DllpKind::kDataLinkFeature:
      return std::uint32_t{dllp.feature_ack} << 23 | (dllp.features & 0x7fffffU);
    case DllpKind::kVendor:
    case DllpKind::kNop:
      return dllp.content & 0xffffffU;
    case DllpKind::kInitFc1:
    case DllpKind::kInitFc2:
    case DllpKind::kUpdateFc:
      return pack_flow_control(dllp);
    default:
      return 0;
  }
}

// The kind that byte 0 says; none for reserved ones.
std::optional<DllpKind> kind_of(std::uint8_t type) {
  const auto flow_control = static_cast<DllpKind>(type & 0xc0);
  if (is_flow_control(flow_control)) {
    const bool reserved = (type & 0x08) != 0 || (type >> 4 & 3) == 3;
    return reserved ? std::nullopt : std::optional(flow_control);
  }
  for (const DllpKind kind :
       {DllpKind::kAck, DllpKind::kDataLinkFeature, DllpKind::kNak, DllpKind::kPmEnterL1,
        DllpKind::kPmEnterL23, DllpKind::kPmActiveStateRequestL1, DllpKind::kPmRequestAck,
        DllpKind::kVendor, DllpKind::kNop}) {
    if (static_cast<std::uint8_t>(kind) == type) return kind;
  }
  return std::nullopt;
}

UnpackedDllp failed(DllpError error) {
  UnpackedDllp result;
  result.error = error;
  return result;
}

}  // namespace

DllpBytes pack(const Dllp& dllp) {
  const std::uint32_t dw =
      std::uint32_t{static_cast<std::uint8_t>(dllp.kind)} << 24 | content_of(dllp);
  DllpBytes bytes;
  for (std::size_t i = 0; i < kContentBytes; ++i) {
    bytes[i] = static_cast<std::byte>(dw >> (8 * (kContentBytes - 1 - i)) & 0xff);
  }
  const std::uint16_t crc = dllp_crc(std::span(bytes).first(kContentBytes));
  bytes[4] = static_cast<std::byte>(crc & 0xff);
  bytes[5] = static_cast<std::byte>(crc >> 8);
  return bytes;
}

UnpackedDllp unpack_dllp(std::span<const std::byte, spec::kDllpBytes> bytes) {
  const auto crc = static_cast<std::uint16_t>(std::to_integer<unsigned>(bytes[4]) |
                                              std::to_integer<unsigned>(bytes[5]) << 8);
  if (crc != dllp_crc(bytes.first(kContentBytes))) return failed(DllpError::kBadCrc);
  std::uint32_t dw = 0;
  for (std::size_t i = 0; i < kContentBytes; ++i) {
    dw = dw << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  }
  const std::optional<DllpKind> kind = kind_of(static_cast<std::uint8_t>(dw >> 24));
  if (!kind.has_value()) return failed(DllpError::kReservedEncoding);
  UnpackedDllp result;
  Dllp& dllp = result.dllp;
  dllp.kind = *kind;
  if (is_flow_control(*kind)) {
    unpack_flow_control(dw, dllp);
  } else if (*kind == DllpKind::kAck || *kind == DllpKind::kNak) {
    dllp.sequence_number = static_cast<std::uint16_t>(dw & 0xfff);
  } else if (*kind == DllpKind::kDataLinkFeature) {
    dllp.features = dw & 0x7fffff;
    dllp.feature_ack = (dw >> 23 & 1) != 0;
  } else if (*kind == DllpKind::kVendor || *kind == DllpKind::kNop) {
    dllp.content = dw & 0xffffff;
  }
  return result;
}

std::string_view describe(DllpError error) {
  switch (error) {
    case DllpError::kBadCrc:
      return "its CRC is wrong";
    case DllpError::kReservedEncoding:
      return "its type is reserved";
  }
  return "";
}

}  // namespace peerfab::pcie
