// SPDX-License-Identifier: Apache-2.0
// PCIe r6.0, sec 2.2: the bits of every header, against an independent codec and by hand.
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/pcie/tlp_header.h"
#include "tests/conformance/reference_table.h"
#include "tests/support/catch.h"
#include "tests/support/hex.h"

namespace peerfab::pcie {
namespace {

using Json = nlohmann::json;

using test::bytes_of;
using test::hex_of;

// The fields of one line of the reference.
TlpHeader header_of(const Json& row) {
  const auto number = [&row](const char* name) { return row.value(name, std::uint64_t{0}); };
  TlpHeader header;
  header.kind = *decode_kind(static_cast<std::uint8_t>(number("fmt")),
                             static_cast<std::uint8_t>(number("type")));
  header.traffic_class = static_cast<std::uint8_t>(number("tc"));
  header.no_snoop = number("ns") != 0;
  header.relaxed_ordering = number("ro") != 0;
  header.id_based_ordering = number("ido") != 0;
  header.lightweight_notification = number("ln") != 0;
  header.has_processing_hints = number("th") != 0;
  header.has_digest = number("td") != 0;
  header.poisoned = number("ep") != 0;
  header.address_type = static_cast<std::uint8_t>(number("at"));
  header.length_dw = static_cast<std::uint16_t>(number("length_dw"));
  header.requester = Bdf(static_cast<std::uint16_t>(number("requester_id")));
  header.tag = static_cast<std::uint16_t>(number("tag"));
  header.address = number("address");
  header.first_be = static_cast<std::uint8_t>(number("first_be"));
  header.last_be = static_cast<std::uint8_t>(number("last_be"));
  header.destination = Bdf(static_cast<std::uint16_t>(number("dest_id")));
  header.register_address = static_cast<std::uint16_t>(number("reg_address"));
  header.routing = static_cast<MessageRouting>(number("msg_routing"));
  header.message_code = static_cast<std::uint8_t>(number("msg_code"));
  header.message_dw2 = static_cast<std::uint32_t>(number("dw2"));
  header.message_dw3 = static_cast<std::uint32_t>(number("dw3"));
  header.completer = Bdf(static_cast<std::uint16_t>(number("completer_id")));
  header.status = static_cast<std::uint8_t>(number("status"));
  header.byte_count_modified = number("bcm") != 0;
  header.byte_count = static_cast<std::uint16_t>(number("byte_count"));
  header.lower_address = static_cast<std::uint8_t>(number("lower_address"));
  return header;
}

std::string pack_to_hex(const TlpHeader& header) { return hex_of(pack(header)); }
UnpackedHeader unpack_hex(const std::string& hex) { return unpack(bytes_of(hex)); }

void check_both_ways(const TlpHeader& header, const std::string& hex) {
  CHECK(pack_to_hex(header) == hex);
  const UnpackedHeader unpacked = unpack_hex(hex);
  CHECK_FALSE(unpacked.error.has_value());
  CHECK(unpacked.bytes == hex.size() / 2);
  CHECK(unpacked.header == header);
}

}  // namespace

TEST_CASE("headers agree with an independent codec, byte by byte", "[conformance][sec-2.2]") {
  std::ifstream in(reference::path_of("tlp_oracle.jsonl"));
  if (!in) {
    WARN("skipped: no reference table tlp_oracle.jsonl");
    return;
  }
  unsigned checked = 0;
  for (std::string line; std::getline(in, line); ++checked) {
    const Json row = Json::parse(line);
    INFO("row " << row.at("i") << " " << row.at("kind"));
    const auto hex = row.at("hdr").get<std::string>();
    const TlpHeader header = header_of(row);
    REQUIRE(pack_to_hex(header) == hex);
    const UnpackedHeader unpacked = unpack_hex(hex);
    REQUIRE_FALSE(unpacked.error.has_value());
    REQUIRE(unpacked.bytes == row.at("hdr_bytes").get<std::size_t>());
    REQUIRE(unpacked.header == header);
  }
  CHECK(checked == 2000);
}

TEST_CASE("a digest, a poisoned payload and 1024 DW", "[conformance][sec-2.2.1]") {
  TlpHeader header;
  header.kind = TlpKind::kMemoryWrite;
  header.requester = Bdf(0x12, 0x03, 4);
  header.tag = 0x5a;
  header.length_dw = 1024;  // written as zero (sec 2.2.2)
  header.has_digest = true;
  header.poisoned = true;
  header.first_be = 0xf;
  header.last_be = 0xf;
  header.address = 0xfe00'1000;
  check_both_ways(header, "4000c000121c5afffe001000");
}

TEST_CASE("processing hints stand in the low bits of the address", "[conformance][sec-2.2.7.1]") {
  TlpHeader header;
  header.kind = TlpKind::kMemoryRead;
  header.length_dw = 16;
  header.has_processing_hints = true;
  header.processing_hint = 2;
  header.first_be = 0xf;
  header.last_be = 0xf;
  header.address = 0x12'3456'7000;
  check_both_ways(header, "20010010000000ff0000001234567002");
}

TEST_CASE("a deferrable memory write of either width", "[conformance][sec-2.2.7]") {
  TlpHeader header;
  header.kind = TlpKind::kDeferrableMemoryWrite;
  header.length_dw = 16;
  header.tag = 7;
  header.first_be = 0xf;
  header.last_be = 0xf;
  header.address = 0x8000'0040;
  check_both_ways(header, "5b000010000007ff80000040");
  header.address = 0x1'8000'0040;
  check_both_ways(header, "7b000010000007ff0000000180000040");
}

TEST_CASE("a PASID prefix stands before its header", "[conformance][sec-6.20.2]") {
  TlpHeader header;
  header.kind = TlpKind::kMemoryRead;
  header.length_dw = 1;
  header.first_be = 0xf;
  header.address = 0x1000;
  header.pasid = PasidPrefix{0xabcde, true, false};
  check_both_ways(header, "914abcde000000010000000f00001000");
  header.pasid = PasidPrefix{1, false, true};
  check_both_ways(header, "91800001000000010000000f00001000");
}

TEST_CASE("message routing is part of Type", "[conformance][sec-2.2.8]") {
  TlpHeader header;
  header.kind = TlpKind::kMessage;
  header.routing = MessageRouting::kLocal;
  header.message_code = 0x20;  // Assert_INTA (sec 2.2.8.1)
  header.requester = Bdf(3, 0, 0);
  check_both_ways(header, "34000000030000200000000000000000");
  header.routing = MessageRouting::kToRootComplex;
  header.message_code = 0x33;  // ERR_FATAL (sec 2.2.8.3)
  check_both_ways(header, "30000000030000330000000000000000");
}

TEST_CASE("bytes that are no header say why", "[conformance][sec-2.2.1]") {
  const auto error = [](const std::string& hex) { return unpack_hex(hex).error; };
  CHECK(error("") == HeaderError::kTruncated);
  CHECK(error("400000") == HeaderError::kTruncated);
  CHECK(error("4000000100000000fe0010") == HeaderError::kTruncated);    // a byte short
  CHECK(error("6000000100000000fe001000") == HeaderError::kTruncated);  // 4 DW announced
  CHECK(error("1f00000100000000fe001000") == HeaderError::kReservedEncoding);
  CHECK(error("0600000100000000fe001000") == HeaderError::kReservedEncoding);
  CHECK(error("90000000000000010000000f00001000") == HeaderError::kUnknownPrefix);
  CHECK(error("9100000191000001000000010000000f00001000") == HeaderError::kUnknownPrefix);
  CHECK(error("91000001") == HeaderError::kTruncated);
  CHECK_FALSE(describe(HeaderError::kTruncated).empty());
}

TEST_CASE("whatever three or four DWs say, unpacking them is safe", "[conformance][sec-2.2.1]") {
  // Every Fmt and Type over a header of all ones and of all zeros: decoded or refused, and what is
  // decoded packs again to a header that decodes alike.
  for (unsigned first = 0; first < 256; ++first) {
    for (const unsigned filler : {0x00U, 0xffU, 0xa5U}) {
      std::vector<std::byte> bytes(20, static_cast<std::byte>(filler));
      bytes[0] = static_cast<std::byte>(first);
      const UnpackedHeader once = unpack(bytes);
      if (once.error.has_value()) continue;
      const UnpackedHeader twice = unpack(pack(once.header));
      INFO("first byte " << first << ", then " << filler);
      CHECK_FALSE(twice.error.has_value());
      CHECK(twice.header == once.header);
    }
  }
}

}  // namespace peerfab::pcie
