// SPDX-License-Identifier: Apache-2.0
// TLP kinds: codes round-trip, header forms, classes.
#include "sim/pcie/tlp_kind.h"

#include <set>
#include <string>
#include <utility>

#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

template <typename Function>
void for_each_kind(Function function) {
  for (unsigned i = 0; i < kTlpKindCount; ++i) function(static_cast<TlpKind>(i));
}

TEST_CASE("every kind decodes from its own codes and from no other's", "[tlp_kind]") {
  std::set<std::pair<int, int>> codes;
  unsigned forms = 0;
  for_each_kind([&](TlpKind kind) {
    INFO(traits(kind).name);
    for (const bool four_dw : {false, true}) {
      const HeaderForm form = traits(kind).header;
      if (form == HeaderForm::kAlways3Dw && four_dw) continue;
      if (form == HeaderForm::kAlways4Dw && !four_dw) continue;
      const auto decoded = decode_kind(fmt_code(kind, four_dw), type_code(kind));
      REQUIRE(decoded.has_value());
      CHECK(*decoded == kind);
      codes.emplace(fmt_code(kind, four_dw), type_code(kind));
      ++forms;
    }
  });
  CHECK(codes.size() == forms);
}

TEST_CASE("messages decode with any routing", "[tlp_kind]") {
  for (std::uint8_t routing = 0; routing < 8; ++routing) {
    const auto type = static_cast<std::uint8_t>(0b1'0000 | routing);
    CHECK(decode_kind(0b001, type) == TlpKind::kMessage);
    CHECK(decode_kind(0b011, type) == TlpKind::kMessageData);
    CHECK_FALSE(decode_kind(0b000, type).has_value());
  }
}

TEST_CASE("reserved encodings and prefixes do not decode", "[tlp_kind]") {
  CHECK_FALSE(decode_kind(0b100, 0b0'0000).has_value());  // a local prefix
  CHECK_FALSE(decode_kind(0b101, 0b0'0000).has_value());
  CHECK_FALSE(decode_kind(0b001, 0b0'0010).has_value());  // I/O with a 4 DW header
  CHECK_FALSE(decode_kind(0b000, 0b0'1100).has_value());  // FetchAdd without data
  CHECK_FALSE(decode_kind(0b011, 0b0'1010).has_value());  // completion with a 4 DW header
  CHECK_FALSE(decode_kind(0b000, 0b0'0011).has_value());
  CHECK_FALSE(decode_kind(0b010, 0b0'0001).has_value());  // a locked write
  unsigned decodable = 0;
  for (std::uint8_t fmt = 0; fmt < 8; ++fmt) {
    for (std::uint8_t type = 0; type < 32; ++type) decodable += decode_kind(fmt, type) ? 1 : 0;
  }
  // MRd, MRdLk, MWr, FetchAdd, Swap, CAS, DMWr in two forms; two I/O, four configuration and four
  // completion encodings; eight routings of two messages.
  CHECK(decodable == 14 + 10 + 16);
}

TEST_CASE("the header grows where the address does not fit 32 bits", "[tlp_kind]") {
  CHECK(header_bytes(TlpKind::kMemoryWrite, 0xffff'ffff) == 12);
  CHECK(header_bytes(TlpKind::kMemoryWrite, 0x1'0000'0000) == 16);
  CHECK(header_bytes(TlpKind::kFetchAdd, 0x1'0000'0000) == 16);
  CHECK(header_bytes(TlpKind::kIoRead, 0x1'0000'0000) == 12);
  CHECK(header_bytes(TlpKind::kCompletionData, 0x1'0000'0000) == 12);
  CHECK(header_bytes(TlpKind::kMessage, 0) == 16);
  CHECK(header_bytes(TlpKind::kConfigWrite1, 0) == 12);
}

TEST_CASE("flow-control and ordering classes belong together", "[tlp_kind]") {
  for_each_kind([](TlpKind kind) {
    INFO(traits(kind).name);
    switch (flow_class(kind)) {
      case FlowClass::kPosted:
        CHECK(ordering_class(kind) == OrderingClass::kPosted);
        break;
      case FlowClass::kNonPosted:
        CHECK(ordering_class(kind) ==
              (has_data(kind) ? OrderingClass::kNonPostedWithData : OrderingClass::kReadRequest));
        break;
      case FlowClass::kCompletion:
        CHECK(ordering_class(kind) == OrderingClass::kCompletion);
        break;
    }
    CHECK(needs_completion(kind) == !(is_posted(kind) || is_completion(kind)));
  });
  CHECK(is_posted(TlpKind::kMemoryWrite));
  CHECK(is_posted(TlpKind::kMessage));
  CHECK(needs_completion(TlpKind::kDeferrableMemoryWrite));
  CHECK(is_completion(TlpKind::kCompletionDataLocked));
}

TEST_CASE("routing by address", "[tlp_kind]") {
  CHECK(is_routed_by_address(TlpKind::kMemoryRead));
  CHECK(is_routed_by_address(TlpKind::kIoWrite));
  CHECK(is_routed_by_address(TlpKind::kCompareSwap));
  CHECK_FALSE(is_routed_by_address(TlpKind::kConfigRead0));
  CHECK_FALSE(is_routed_by_address(TlpKind::kCompletion));
  CHECK_FALSE(is_routed_by_address(TlpKind::kMessage));
}

}  // namespace
}  // namespace peerfab::pcie
