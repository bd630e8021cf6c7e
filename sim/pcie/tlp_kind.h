// SPDX-License-Identifier: Apache-2.0
// The kinds of TLP, and what follows from the kind alone: Fmt and Type codes, header length,
// whether there is a payload, and the classes that flow control and the ordering rules put it in.
//
// Contract: non-FLIT encodings (PCIe r6.0, sec 2.2.1.1). Pure lookups; no bytes are packed here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/pcie/spec.h"

namespace peerfab::pcie {

enum class TlpKind : std::uint8_t {
  kMemoryRead,
  kMemoryReadLocked,
  kMemoryWrite,
  kIoRead,
  kIoWrite,
  kConfigRead0,
  kConfigWrite0,
  kConfigRead1,
  kConfigWrite1,
  kMessage,
  kMessageData,
  kCompletion,
  kCompletionData,
  kCompletionLocked,
  kCompletionDataLocked,
  kFetchAdd,
  kSwap,
  kCompareSwap,
  kDeferrableMemoryWrite,
};
inline constexpr unsigned kTlpKindCount = 19;

// The three flow-control classes; each has header and data credits (PCIe r6.0, sec 2.6.1).
enum class FlowClass : std::uint8_t { kPosted, kNonPosted, kCompletion };
inline constexpr unsigned kFlowClassCount = 3;

// The rows and columns of the ordering table (PCIe r6.0, sec 2.4.1).
enum class OrderingClass : std::uint8_t { kPosted, kReadRequest, kNonPostedWithData, kCompletion };
inline constexpr unsigned kOrderingClassCount = 4;

// Which header forms a kind has.
enum class HeaderForm : std::uint8_t { kAlways3Dw, kAlways4Dw, kByAddress };

struct TlpTraits {
  const char* name;   // the specification's mnemonic, without an address width
  std::uint8_t type;  // Type field, 5 bits; messages: the low 3 bits are the routing
  bool has_data;      // Fmt[1]
  HeaderForm header;  // decides Fmt[0]
  FlowClass flow;
  OrderingClass ordering;
};

namespace detail {
using enum HeaderForm;
inline constexpr std::array<TlpTraits, kTlpKindCount> kTlpTraits{{
    {"MRd", 0b0'0000, false, kByAddress, FlowClass::kNonPosted, OrderingClass::kReadRequest},
    {"MRdLk", 0b0'0001, false, kByAddress, FlowClass::kNonPosted, OrderingClass::kReadRequest},
    {"MWr", 0b0'0000, true, kByAddress, FlowClass::kPosted, OrderingClass::kPosted},
    {"IORd", 0b0'0010, false, kAlways3Dw, FlowClass::kNonPosted, OrderingClass::kReadRequest},
    {"IOWr", 0b0'0010, true, kAlways3Dw, FlowClass::kNonPosted, OrderingClass::kNonPostedWithData},
    {"CfgRd0", 0b0'0100, false, kAlways3Dw, FlowClass::kNonPosted, OrderingClass::kReadRequest},
    {"CfgWr0", 0b0'0100, true, kAlways3Dw, FlowClass::kNonPosted,
     OrderingClass::kNonPostedWithData},
    {"CfgRd1", 0b0'0101, false, kAlways3Dw, FlowClass::kNonPosted, OrderingClass::kReadRequest},
    {"CfgWr1", 0b0'0101, true, kAlways3Dw, FlowClass::kNonPosted,
     OrderingClass::kNonPostedWithData},
    {"Msg", 0b1'0000, false, kAlways4Dw, FlowClass::kPosted, OrderingClass::kPosted},
    {"MsgD", 0b1'0000, true, kAlways4Dw, FlowClass::kPosted, OrderingClass::kPosted},
    {"Cpl", 0b0'1010, false, kAlways3Dw, FlowClass::kCompletion, OrderingClass::kCompletion},
    {"CplD", 0b0'1010, true, kAlways3Dw, FlowClass::kCompletion, OrderingClass::kCompletion},
    {"CplLk", 0b0'1011, false, kAlways3Dw, FlowClass::kCompletion, OrderingClass::kCompletion},
    {"CplDLk", 0b0'1011, true, kAlways3Dw, FlowClass::kCompletion, OrderingClass::kCompletion},
    {"FetchAdd", 0b0'1100, true, kByAddress, FlowClass::kNonPosted,
     OrderingClass::kNonPostedWithData},
    {"Swap", 0b0'1101, true, kByAddress, FlowClass::kNonPosted, OrderingClass::kNonPostedWithData},
    {"CAS", 0b0'1110, true, kByAddress, FlowClass::kNonPosted, OrderingClass::kNonPostedWithData},
    {"DMWr", 0b1'1011, true, kByAddress, FlowClass::kNonPosted, OrderingClass::kNonPostedWithData},
}};
}  // namespace detail

[[nodiscard]] constexpr const TlpTraits& traits(TlpKind kind) {
  return detail::kTlpTraits[static_cast<unsigned>(kind)];
}

[[nodiscard]] constexpr bool has_data(TlpKind kind) { return traits(kind).has_data; }
[[nodiscard]] constexpr FlowClass flow_class(TlpKind kind) { return traits(kind).flow; }
[[nodiscard]] constexpr OrderingClass ordering_class(TlpKind kind) { return traits(kind).ordering; }
[[nodiscard]] constexpr bool is_posted(TlpKind kind) {
  return flow_class(kind) == FlowClass::kPosted;
}
[[nodiscard]] constexpr bool is_completion(TlpKind kind) {
  return flow_class(kind) == FlowClass::kCompletion;
}
[[nodiscard]] constexpr bool is_message(TlpKind kind) {
  return kind == TlpKind::kMessage || kind == TlpKind::kMessageData;
}
[[nodiscard]] constexpr bool is_config(TlpKind kind) {
  return kind >= TlpKind::kConfigRead0 && kind <= TlpKind::kConfigWrite1;
}
// A request that its completer answers.
[[nodiscard]] constexpr bool needs_completion(TlpKind kind) {
  return flow_class(kind) == FlowClass::kNonPosted;
}
// Routed by memory or I/O address, so that bridge windows decide (PCIe r6.0, sec 2.2.4.1).
[[nodiscard]] constexpr bool is_routed_by_address(TlpKind kind) {
  return traits(kind).header == HeaderForm::kByAddress || kind == TlpKind::kIoRead ||
         kind == TlpKind::kIoWrite;
}

// A memory address below 4 GiB must use the 3 DW header, any other the 4 DW one (PCIe r6.0, sec
// 2.2.4.1). The address is ignored by kinds whose header has one form.
[[nodiscard]] constexpr bool has_4dw_header(TlpKind kind, std::uint64_t address) {
  const HeaderForm form = traits(kind).header;
  return form == HeaderForm::kAlways4Dw || (form == HeaderForm::kByAddress && (address >> 32) != 0);
}
[[nodiscard]] constexpr unsigned header_bytes(TlpKind kind, std::uint64_t address) {
  return has_4dw_header(kind, address) ? spec::kHeader4DwBytes : spec::kHeader3DwBytes;
}

// Fmt field, 3 bits: bit 0 for a 4 DW header, bit 1 for a payload (PCIe r6.0, sec 2.2.1.1).
[[nodiscard]] constexpr std::uint8_t fmt_code(TlpKind kind, bool four_dw) {
  return static_cast<std::uint8_t>((has_data(kind) ? 0b010 : 0) | (four_dw ? 0b001 : 0));
}
[[nodiscard]] constexpr std::uint8_t type_code(TlpKind kind) { return traits(kind).type; }

// The kind of a header with these fields; none when the encoding is reserved or that of a prefix.
[[nodiscard]] constexpr std::optional<TlpKind> decode_kind(std::uint8_t fmt, std::uint8_t type) {
  if ((fmt & 0b100) != 0) return std::nullopt;
  const bool data = (fmt & 0b010) != 0;
  const bool four_dw = (fmt & 0b001) != 0;
  const bool message = (type & 0b1'1000) == 0b1'0000;
  for (unsigned i = 0; i < kTlpKindCount; ++i) {
    const TlpTraits& candidate = detail::kTlpTraits[i];
    const bool type_fits = candidate.type == (message ? 0b1'0000 : type);
    const bool form_fits = candidate.header == HeaderForm::kByAddress ||
                           (candidate.header == HeaderForm::kAlways4Dw) == four_dw;
    if (type_fits && form_fits && candidate.has_data == data) return static_cast<TlpKind>(i);
  }
  return std::nullopt;
}

}  // namespace peerfab::pcie
