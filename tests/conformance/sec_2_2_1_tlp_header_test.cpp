// SPDX-License-Identifier: Apache-2.0
// PCIe r6.0, sec 2.2.1.1: Fmt and Type of every kind, and the length of its header.
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/pcie/tlp_kind.h"
#include "tests/conformance/reference_table.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

struct Encoding {
  const char* name;
  TlpKind kind;
  unsigned fmt;
  unsigned type;
};

// Fmt and Type by the specification's table of TLP types.
constexpr Encoding kEncodings[] = {
    {"MRd32", TlpKind::kMemoryRead, 0b000, 0b00000},
    {"MRd64", TlpKind::kMemoryRead, 0b001, 0b00000},
    {"MRdLk32", TlpKind::kMemoryReadLocked, 0b000, 0b00001},
    {"MRdLk64", TlpKind::kMemoryReadLocked, 0b001, 0b00001},
    {"MWr32", TlpKind::kMemoryWrite, 0b010, 0b00000},
    {"MWr64", TlpKind::kMemoryWrite, 0b011, 0b00000},
    {"IORd", TlpKind::kIoRead, 0b000, 0b00010},
    {"IOWr", TlpKind::kIoWrite, 0b010, 0b00010},
    {"CfgRd0", TlpKind::kConfigRead0, 0b000, 0b00100},
    {"CfgWr0", TlpKind::kConfigWrite0, 0b010, 0b00100},
    {"CfgRd1", TlpKind::kConfigRead1, 0b000, 0b00101},
    {"CfgWr1", TlpKind::kConfigWrite1, 0b010, 0b00101},
    {"Msg", TlpKind::kMessage, 0b001, 0b10000},
    {"MsgD", TlpKind::kMessageData, 0b011, 0b10000},
    {"Cpl", TlpKind::kCompletion, 0b000, 0b01010},
    {"CplD", TlpKind::kCompletionData, 0b010, 0b01010},
    {"CplLk", TlpKind::kCompletionLocked, 0b000, 0b01011},
    {"CplDLk", TlpKind::kCompletionDataLocked, 0b010, 0b01011},
    {"FetchAdd32", TlpKind::kFetchAdd, 0b010, 0b01100},
    {"FetchAdd64", TlpKind::kFetchAdd, 0b011, 0b01100},
    {"Swap32", TlpKind::kSwap, 0b010, 0b01101},
    {"Swap64", TlpKind::kSwap, 0b011, 0b01101},
    {"CAS32", TlpKind::kCompareSwap, 0b010, 0b01110},
    {"CAS64", TlpKind::kCompareSwap, 0b011, 0b01110},
    {"DMWr32", TlpKind::kDeferrableMemoryWrite, 0b010, 0b11011},
    {"DMWr64", TlpKind::kDeferrableMemoryWrite, 0b011, 0b11011},
};

TEST_CASE("Fmt and Type of every kind", "[conformance][sec-2.2.1]") {
  for (const Encoding& encoding : kEncodings) {
    INFO(encoding.name);
    const bool four_dw = (encoding.fmt & 1) != 0;
    CHECK(fmt_code(encoding.kind, four_dw) == encoding.fmt);
    CHECK(type_code(encoding.kind) == encoding.type);
    CHECK(decode_kind(static_cast<std::uint8_t>(encoding.fmt),
                      static_cast<std::uint8_t>(encoding.type)) == encoding.kind);
    const std::uint64_t address = four_dw ? 0x1'0000'0000U : 0;
    CHECK(header_bytes(encoding.kind, address) == (four_dw ? 16 : 12));
  }
}

TEST_CASE("headers made by an independent codec decode to their kind", "[conformance][sec-2.2.1]") {
  std::ifstream in(reference::path_of("tlp_oracle.jsonl"));
  if (!in) {
    WARN("skipped: no reference table tlp_oracle.jsonl");
    return;
  }
  unsigned checked = 0;
  for (std::string line; std::getline(in, line); ++checked) {
    const auto row = nlohmann::json::parse(line);
    const auto name = row.at("kind").get<std::string>();
    const auto fmt = row.at("fmt").get<std::uint8_t>();
    const auto type = row.at("type").get<std::uint8_t>();
    const auto kind = decode_kind(fmt, type);
    INFO("row " << row.at("i") << " " << name);
    REQUIRE(kind.has_value());
    // The table's names carry the address width where there are two.
    const std::string mnemonic = traits(*kind).name;
    const bool two_forms = traits(*kind).header == HeaderForm::kByAddress;
    const bool four_dw = (fmt & 1) != 0;
    CHECK(name == (two_forms ? mnemonic + (four_dw ? "64" : "32") : mnemonic));
    CHECK(row.at("hdr_bytes").get<unsigned>() == (four_dw ? 16 : 12));
  }
  CHECK(checked > 0);
}

}  // namespace
}  // namespace peerfab::pcie
