// SPDX-License-Identifier: Apache-2.0
// A flit, bit for bit: 236 TLP bytes, the six DLP bytes, CRC and ECC.
//
// Contract: PCIe r6.3, sec 4.2.3.3 and 4.2.3.4.2. What the TLP bytes hold is the business of
// flit_packing.h; which sequence number and command a flit carries that of flit_replay.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "sim/pcie/spec.h"

namespace peerfab::pcie {

using FlitTlpBytes = std::array<std::byte, spec::kFlitTlpBytes>;
using FlitBytes = std::array<std::byte, spec::kFlitBytes>;

// What the sequence number of a flit is about (Table 4-17).
enum class ReplayCommand : std::uint8_t {
  kExplicit,      // the number of this flit
  kAck,           // the last flit that was received without error
  kStandardNak,   // likewise, and all after it are to be sent again
  kSelectiveNak,  // likewise, and only the next one is to be sent again
};

// DLP bytes 2 to 5: one of three.
struct DlpDllp {
  std::array<std::byte, 4> bytes{};  // a DLLP without its CRC, which the flit makes needless
  bool operator==(const DlpDllp&) const = default;
};
// Returns the shared credits that matter most, in units of the fields (Table 4-18).
struct OptimizedUpdateFc {
  std::uint8_t virtual_channel = 0;  // 3 bits
  std::uint8_t non_posted_headers = 0;
  std::uint8_t posted_headers = 0;
  std::uint16_t posted_data = 0;  // 12 bits
  bool operator==(const OptimizedUpdateFc&) const = default;
};
// What became of the last TLP that ends in the flit (Table 4-19). Takes the place of EDB.
enum class FlitStatus : std::uint8_t { kNothing, kLastNullified, kLastPoisoned };
struct FlitMarker {
  FlitStatus status = FlitStatus::kNothing;
  bool ends_ptm_message = false;
  bool operator==(const FlitMarker&) const = default;
};
using DlpContent = std::variant<DlpDllp, OptimizedUpdateFc, FlitMarker>;

struct Flit {
  FlitTlpBytes tlp_bytes{};
  // Some TLP that is no NOP has bytes in it; else a NOP flit or, all zero, an IDLE flit.
  bool is_payload = false;
  bool prior_was_payload = false;
  ReplayCommand command = ReplayCommand::kExplicit;
  std::uint16_t sequence_number = 0;  // 10 bits; 0 is for IDLE flits
  DlpContent content;

  [[nodiscard]] bool is_idle() const {
    return !is_payload && command == ReplayCommand::kExplicit && sequence_number == 0;
  }
  bool operator==(const Flit&) const = default;
};

// The image on the wire, with CRC and ECC. Requires fields within their widths.
[[nodiscard]] FlitBytes pack(const Flit& flit);

enum class FlitError : std::uint8_t {
  kUncorrectable,  // an ECC group has more wrong bytes than one
  kBadCrc,
  kReservedUsage,
  kReservedStatus,
};
[[nodiscard]] std::string_view describe(FlitError error);

// A flit as it came in, after correction. With an error it is an invalid flit, to be replayed, and
// `flit` means nothing.
struct ReceivedFlit {
  Flit flit;
  unsigned corrected_bytes = 0;
  std::optional<FlitError> error;
};
[[nodiscard]] ReceivedFlit unpack_flit(const FlitBytes& bytes);

}  // namespace peerfab::pcie
