// SPDX-License-Identifier: Apache-2.0
// The headers of TLPs, bit for bit: all fields of every kind, to and from the bytes of the wire.
//
// Contract: non-FLIT headers (PCIe r6.0, sec 2.2), byte 0 first, with an optional PASID prefix
// before them. Fields that a kind does not have are left at their defaults and written as zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/base/ids.h"
#include "sim/pcie/tlp_kind.h"

namespace peerfab::pcie {

// Where a message goes: the low bits of its Type (PCIe r6.0, sec 2.2.8, Table 2-20).
enum class MessageRouting : std::uint8_t {
  kToRootComplex = 0,
  kByAddress = 1,
  kById = 2,
  kBroadcastFromRootComplex = 3,
  kLocal = 4,
  kGatheredToRootComplex = 5,
};

// PASID TLP prefix, end to end (PCIe r6.0, sec 6.20.2).
struct PasidPrefix {
  std::uint32_t pasid = 0;  // 20 bits
  bool execute_requested = false;
  bool privileged_mode_requested = false;
  constexpr bool operator==(const PasidPrefix&) const = default;
};

struct TlpHeader {
  // Every kind (sec 2.2.1).
  TlpKind kind = TlpKind::kMemoryRead;
  std::uint8_t traffic_class = 0;  // 3 bits
  bool no_snoop = false;
  bool relaxed_ordering = false;
  bool id_based_ordering = false;
  bool lightweight_notification = false;  // LN
  bool has_processing_hints = false;      // TH
  bool has_digest = false;                // TD: an ECRC follows the payload
  bool poisoned = false;                  // EP
  std::uint8_t address_type = 0;          // AT: 0 untranslated, 1 translation request, 2 translated
  std::uint16_t length_dw = 0;  // 1 to 1024; 0 where there is no data and none is asked for
  std::optional<PasidPrefix> pasid;

  Bdf requester;
  std::uint16_t tag = 0;  // 10 bits

  // Memory, I/O, AtomicOp and DMWr requests (sec 2.2.7). A 4 DW header is written where the address
  // needs one, see has_4dw_header().
  std::uint64_t address = 0;         // a multiple of 4
  std::uint8_t processing_hint = 0;  // PH, in the low bits of the address
  std::uint8_t first_be = 0;         // of config requests, too
  std::uint8_t last_be = 0;

  // Config requests, and messages that are routed by ID: where they go.
  Bdf destination;
  std::uint16_t register_address = 0;  // 12 bits, a multiple of 4

  // Messages (sec 2.2.8). Bytes 8 to 15 are the message's own; those of routing by address are in
  // `address`, the ID of routing by ID is in `destination` as well as in `message_dw2`.
  MessageRouting routing = MessageRouting::kToRootComplex;
  std::uint8_t message_code = 0;
  std::uint32_t message_dw2 = 0;
  std::uint32_t message_dw3 = 0;

  // Completions (sec 2.2.9).
  Bdf completer;
  std::uint8_t status = 0;           // 3 bits
  bool byte_count_modified = false;  // BCM: PCI-X bridges only
  std::uint16_t byte_count = 0;      // 1 to 4096
  std::uint8_t lower_address = 0;    // 7 bits

  bool operator==(const TlpHeader&) const = default;
};

// The longest header, with its prefix.
inline constexpr std::size_t kMaxHeaderBytes = spec::kHeader4DwBytes + spec::kPrefixBytes;

// Appends the prefix and the header. Requires fields within their widths.
void pack(const TlpHeader& header, std::vector<std::byte>& out);
[[nodiscard]] std::vector<std::byte> pack(const TlpHeader& header);

enum class HeaderError : std::uint8_t {
  kTruncated,         // fewer bytes than the header has
  kReservedEncoding,  // Fmt and Type that name no kind of TLP
  kUnknownPrefix,     // a prefix other than PASID, or two of them
};
[[nodiscard]] std::string_view describe(HeaderError error);

struct UnpackedHeader {
  TlpHeader header;
  std::size_t bytes = 0;             // taken from the front, the prefix included
  std::optional<HeaderError> error;  // then the rest means nothing
};
[[nodiscard]] UnpackedHeader unpack(std::span<const std::byte> bytes);

}  // namespace peerfab::pcie
