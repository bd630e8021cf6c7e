// SPDX-License-Identifier: Apache-2.0
// The first DW of a TLP in FLIT mode, from which its length follows.
//
// Contract: PCIe r6.3, sec 2.2.1.2: Type[7:0], TC, OHC, TS, Attr, Length. Flits have no framing, so
// a receiver finds the end of each TLP by this DW alone. The rest of the header is not modelled:
// see docs/flit-mode.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/pcie/spec.h"

namespace peerfab::pcie {

inline constexpr std::uint8_t kFlitTypeNop = 0x00;
inline constexpr std::uint8_t kFlitTypeMemoryRead32 = 0x03;  // 00h without FLIT mode
inline constexpr std::uint8_t kFlitModePrefix = 0x8d;        // the Flit Mode Local TLP Prefix

// Type[7:0] for a TLP whose first byte without FLIT mode (Fmt and Type) is given: the same, but for
// a 32-bit memory read, whose place NOP took (Table 2-5, Translation Rule).
[[nodiscard]] constexpr std::uint8_t flit_type(std::uint8_t fmt_and_type) {
  return fmt_and_type == 0 ? kFlitTypeMemoryRead32 : fmt_and_type;
}

struct FlitTlpWord {
  std::uint8_t type = kFlitTypeNop;
  std::uint8_t traffic_class = 0;   // 3 bits
  std::uint8_t header_content = 0;  // OHC[4:0]: which further DWs the header has
  std::uint8_t trailer = 0;         // TS[2:0]
  std::uint8_t attributes = 0;      // 3 bits
  std::uint16_t length_dw = 0;      // 1 to 1024

  bool operator==(const FlitTlpWord&) const = default;
};

[[nodiscard]] std::array<std::byte, 4> pack(const FlitTlpWord& word);
[[nodiscard]] FlitTlpWord unpack_flit_tlp_word(std::span<const std::byte, 4> bytes);

// Whether the DW is a local prefix, which the TLP follows.
[[nodiscard]] bool is_local_prefix(const FlitTlpWord& word);
// DWs of the header base, of OHC and trailer besides, of the payload, and of all three. A prefix
// and a NOP are one DW.
[[nodiscard]] unsigned header_base_dw(std::uint8_t type);
[[nodiscard]] unsigned tlp_dw(const FlitTlpWord& word);

}  // namespace peerfab::pcie
