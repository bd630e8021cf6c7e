// SPDX-License-Identifier: Apache-2.0
#include "sim/pcie/tlp_header.h"

#include <cassert>

namespace peerfab::pcie {
namespace {

constexpr std::uint8_t kPrefixFmt = 0b100;
constexpr std::uint8_t kPasidPrefixType = 0b1'0001;  // E = 1: end to end (sec 6.20.2)
constexpr std::uint32_t kMaxPasid = 0xfffff;

// Length counts what a read asks for, or the payload; else the field is reserved.
bool has_length(TlpKind kind) {
  return has_data(kind) || (!is_message(kind) && !is_completion(kind));
}

class Writer {
 public:
  explicit Writer(std::vector<std::byte>& out) : out_(out) {}
  // Big endian, as headers are (sec 2.2.1).
  void word(std::uint32_t value, unsigned bytes) {
    for (unsigned i = bytes; i > 0; --i) {
      out_.push_back(static_cast<std::byte>(value >> (8 * (i - 1)) & 0xff));
    }
  }

 private:
  std::vector<std::byte>& out_;
};

std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t at, unsigned count) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < count; ++i) {
    value = value << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
  }
  return value;
}
bool bit(std::uint32_t word, unsigned position) { return (word >> position & 1) != 0; }
std::uint32_t bit_if(bool set, unsigned position) { return std::uint32_t{set} << position; }

bool uses_4dw(const TlpHeader& header) { return has_4dw_header(header.kind, header.address); }

// Bytes 0 to 3 (sec 2.2.1, Figure 2-5): Fmt, Type, T9, TC, T8, A2, LN, TH, TD, EP, Attr, AT,
// Length.
std::uint32_t first_dw(const TlpHeader& header) {
  std::uint32_t type = type_code(header.kind);
  if (is_message(header.kind)) type |= static_cast<std::uint32_t>(header.routing);
  return std::uint32_t{fmt_code(header.kind, uses_4dw(header))} << 29 | type << 24 |
         bit_if((header.tag & 0x200) != 0, 23) | std::uint32_t{header.traffic_class} << 20 |
         bit_if((header.tag & 0x100) != 0, 19) | bit_if(header.id_based_ordering, 18) |
         bit_if(header.lightweight_notification, 17) | bit_if(header.has_processing_hints, 16) |
         bit_if(header.has_digest, 15) | bit_if(header.poisoned, 14) |
         bit_if(header.relaxed_ordering, 13) | bit_if(header.no_snoop, 12) |
         std::uint32_t{header.address_type} << 10 | (header.length_dw & 0x3ffU);
}

void read_first_dw(std::uint32_t dw, TlpHeader& header) {
  header.traffic_class = static_cast<std::uint8_t>(dw >> 20 & 7);
  header.tag =
      static_cast<std::uint16_t>((bit(dw, 23) ? 0x200U : 0U) | (bit(dw, 19) ? 0x100U : 0U));
  header.id_based_ordering = bit(dw, 18);
  header.lightweight_notification = bit(dw, 17);
  header.has_processing_hints = bit(dw, 16);
  header.has_digest = bit(dw, 15);
  header.poisoned = bit(dw, 14);
  header.relaxed_ordering = bit(dw, 13);
  header.no_snoop = bit(dw, 12);
  header.address_type = static_cast<std::uint8_t>(dw >> 10 & 3);
  header.length_dw = static_cast<std::uint16_t>(dw & 0x3ff);
  // Zero stands for 1024 (sec 2.2.2).
  if (header.length_dw == 0 && has_length(header.kind)) header.length_dw = 1024;
  if (is_message(header.kind)) header.routing = static_cast<MessageRouting>(dw >> 24 & 7);
}

// Completions: completer, status and byte count, requester, tag, lower address (sec 2.2.9).
void pack_completion(const TlpHeader& header, Writer& out) {
  out.word(header.completer.value(), 2);
  out.word(std::uint32_t{header.status} << 13 | bit_if(header.byte_count_modified, 12) |
               (header.byte_count & 0xfffU),
           2);
  out.word(header.requester.value(), 2);
  out.word(header.tag & 0xffU, 1);
  out.word(header.lower_address & 0x7fU, 1);
}

void unpack_completion(std::span<const std::byte> bytes, TlpHeader& header) {
  header.completer = Bdf(static_cast<std::uint16_t>(word_at(bytes, 4, 2)));
  const std::uint32_t status = word_at(bytes, 6, 2);
  header.status = static_cast<std::uint8_t>(status >> 13);
  header.byte_count_modified = bit(status, 12);
  header.byte_count = static_cast<std::uint16_t>(status & 0xfff);
  if (header.byte_count == 0) header.byte_count = 4096;
  header.requester = Bdf(static_cast<std::uint16_t>(word_at(bytes, 8, 2)));
  header.tag |= static_cast<std::uint16_t>(word_at(bytes, 10, 1));
  header.lower_address = static_cast<std::uint8_t>(word_at(bytes, 11, 1) & 0x7f);
}

void pack_request(const TlpHeader& header, Writer& out) {
  out.word(header.requester.value(), 2);
  out.word(header.tag & 0xffU, 1);
  if (is_message(header.kind)) {
    out.word(header.message_code, 1);
    out.word(header.message_dw2, 4);
    out.word(header.message_dw3, 4);
    return;
  }
  out.word((header.last_be & 0xfU) << 4 | (header.first_be & 0xfU), 1);
  if (is_config(header.kind)) {
    out.word(header.destination.value(), 2);
    out.word(header.register_address & 0xffcU, 2);
    return;
  }
  if (uses_4dw(header)) out.word(static_cast<std::uint32_t>(header.address >> 32), 4);
  out.word((static_cast<std::uint32_t>(header.address) & ~3U) | (header.processing_hint & 3U), 4);
}

void unpack_request(std::span<const std::byte> bytes, bool four_dw, TlpHeader& header) {
  header.requester = Bdf(static_cast<std::uint16_t>(word_at(bytes, 4, 2)));
  header.tag |= static_cast<std::uint16_t>(word_at(bytes, 6, 1));
  const std::uint32_t last_byte = word_at(bytes, 7, 1);
  if (is_message(header.kind)) {
    header.message_code = static_cast<std::uint8_t>(last_byte);
    header.message_dw2 = word_at(bytes, 8, 4);
    header.message_dw3 = word_at(bytes, 12, 4);
    if (header.routing == MessageRouting::kById) {
      header.destination = Bdf(static_cast<std::uint16_t>(header.message_dw2 >> 16));
    } else if (header.routing == MessageRouting::kByAddress) {
      header.address = std::uint64_t{header.message_dw2} << 32 | header.message_dw3;
    }
    return;
  }
  header.first_be = static_cast<std::uint8_t>(last_byte & 0xf);
  header.last_be = static_cast<std::uint8_t>(last_byte >> 4);
  if (is_config(header.kind)) {
    header.destination = Bdf(static_cast<std::uint16_t>(word_at(bytes, 8, 2)));
    header.register_address = static_cast<std::uint16_t>(word_at(bytes, 10, 2) & 0xffc);
    return;
  }
  const std::uint32_t low = word_at(bytes, four_dw ? 12 : 8, 4);
  header.address = (four_dw ? std::uint64_t{word_at(bytes, 8, 4)} << 32 : 0) | (low & ~3U);
  header.processing_hint = static_cast<std::uint8_t>(low & 3);
}

// The DW of a prefix (sec 2.2.10): Fmt 100, its Type, and 24 bits of its own.
std::uint32_t pack_pasid(const PasidPrefix& prefix) {
  return std::uint32_t{kPrefixFmt} << 29 | std::uint32_t{kPasidPrefixType} << 24 |
         bit_if(prefix.privileged_mode_requested, 23) | bit_if(prefix.execute_requested, 22) |
         (prefix.pasid & kMaxPasid);
}

UnpackedHeader failed(HeaderError error) {
  UnpackedHeader result;
  result.error = error;
  return result;
}

}  // namespace

void pack(const TlpHeader& header, std::vector<std::byte>& out) {
  assert(header.traffic_class <= 7 && header.tag <= 0x3ff && header.address_type <= 3);
  assert(header.length_dw <= 1024 && header.byte_count <= 4096);
  Writer writer(out);
  if (header.pasid.has_value()) writer.word(pack_pasid(*header.pasid), 4);
  writer.word(first_dw(header), 4);
  if (is_completion(header.kind)) {
    pack_completion(header, writer);
  } else {
    pack_request(header, writer);
  }
}

std::vector<std::byte> pack(const TlpHeader& header) {
  std::vector<std::byte> bytes;
  bytes.reserve(kMaxHeaderBytes);
  pack(header, bytes);
  return bytes;
}

UnpackedHeader unpack(std::span<const std::byte> bytes) {
  UnpackedHeader result;
  if (bytes.size() < 4) return failed(HeaderError::kTruncated);
  std::uint32_t dw = word_at(bytes, 0, 4);
  if (dw >> 29 == kPrefixFmt) {
    if ((dw >> 24 & 0x1f) != kPasidPrefixType) return failed(HeaderError::kUnknownPrefix);
    result.header.pasid = PasidPrefix{dw & kMaxPasid, bit(dw, 22), bit(dw, 23)};
    bytes = bytes.subspan(4);
    result.bytes = 4;
    if (bytes.size() < 4) return failed(HeaderError::kTruncated);
    dw = word_at(bytes, 0, 4);
    if (dw >> 29 == kPrefixFmt) return failed(HeaderError::kUnknownPrefix);
  }
  const auto fmt = static_cast<std::uint8_t>(dw >> 29);
  const std::optional<TlpKind> kind = decode_kind(fmt, static_cast<std::uint8_t>(dw >> 24 & 0x1f));
  if (!kind.has_value()) return failed(HeaderError::kReservedEncoding);
  const bool four_dw = (fmt & 1) != 0;
  const std::size_t length = four_dw ? spec::kHeader4DwBytes : spec::kHeader3DwBytes;
  if (bytes.size() < length) return failed(HeaderError::kTruncated);
  result.header.kind = *kind;
  read_first_dw(dw, result.header);
  if (is_completion(*kind)) {
    unpack_completion(bytes, result.header);
  } else {
    unpack_request(bytes, four_dw, result.header);
  }
  result.bytes += length;
  return result;
}

std::string_view describe(HeaderError error) {
  switch (error) {
    case HeaderError::kTruncated:
      return "the TLP ends within its header";
    case HeaderError::kReservedEncoding:
      return "its Fmt and Type are reserved";
    case HeaderError::kUnknownPrefix:
      return "it has a prefix other than one PASID prefix";
  }
  return "";
}

}  // namespace peerfab::pcie
