// SPDX-License-Identifier: Apache-2.0
// TLPs through the packer and the unpacker, the rules of packing from both sides, and the first DW.
#include "sim/pcie/flit_packing.h"

#include "sim/base/rng.h"
#include "sim/pcie/flit_tlp.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

constexpr std::uint8_t kMemoryWrite32 = 0x40;
constexpr std::uint8_t kMemoryWrite64 = 0x60;
constexpr std::uint8_t kCompletionWithData = 0x4a;

TlpBytes tlp_of(const FlitTlpWord& word, Rng& rng, unsigned prefixes = 0) {
  TlpBytes tlp;
  for (unsigned i = 0; i < prefixes; ++i) {
    FlitTlpWord prefix;
    prefix.type = kFlitModePrefix;
    const auto bytes = pack(prefix);
    tlp.insert(tlp.end(), bytes.begin(), bytes.end());
  }
  const auto first = pack(word);
  tlp.insert(tlp.end(), first.begin(), first.end());
  for (unsigned i = spec::kDwBytes; i < tlp_dw(word) * spec::kDwBytes; ++i) {
    tlp.push_back(static_cast<std::byte>(rng.below(256)));
  }
  return tlp;
}

FlitTlpWord word_of(std::uint8_t type, unsigned length_dw) {
  FlitTlpWord word;
  word.type = type;
  word.length_dw = static_cast<std::uint16_t>(length_dw);
  return word;
}

TlpBytes random_tlp(Rng& rng) {
  FlitTlpWord word;
  constexpr std::uint8_t kTypes[] = {kFlitTypeMemoryRead32, 0x20, kMemoryWrite32, kMemoryWrite64,
                                     kCompletionWithData,   0x0a, 0x34,           0x7b};
  word.type = kTypes[rng.below(8)];
  word.length_dw =
      static_cast<std::uint16_t>(rng.below(4) == 0 ? rng.between(1, 1024) : rng.between(1, 16));
  word.header_content = static_cast<std::uint8_t>(rng.below(32));
  word.trailer = static_cast<std::uint8_t>(rng.below(8));
  word.traffic_class = static_cast<std::uint8_t>(rng.below(8));
  return tlp_of(word, rng, static_cast<unsigned>(rng.below(2)));
}

TEST_CASE("the first DW goes both ways", "[flit_packing]") {
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    FlitTlpWord word;
    word.type = static_cast<std::uint8_t>(rng.below(256));
    word.traffic_class = static_cast<std::uint8_t>(rng.below(8));
    word.header_content = static_cast<std::uint8_t>(rng.below(32));
    word.trailer = static_cast<std::uint8_t>(rng.below(8));
    word.attributes = static_cast<std::uint8_t>(rng.below(8));
    word.length_dw = static_cast<std::uint16_t>(rng.between(1, 1024));
    REQUIRE(unpack_flit_tlp_word(pack(word)) == word);
  }
}

TEST_CASE("TLPs come out as they went in, in order", "[flit_packing][property]") {
  Rng rng(2);
  FlitPacker packer;
  FlitUnpacker unpacker;
  std::vector<TlpBytes> sent;
  std::vector<TlpBytes> received;
  for (int flit = 0; flit < 4000; ++flit) {
    for (std::uint64_t i = rng.below(8); i > 0 && sent.size() < 3000; --i) {
      sent.push_back(random_tlp(rng));
      packer.push(sent.back());
    }
    FlitTlpBytes bytes;
    if (!packer.next(bytes)) continue;
    const auto error = unpacker.take(bytes, received);
    if (error.has_value()) FAIL(describe(*error));
  }
  FlitTlpBytes bytes;
  while (packer.next(bytes)) REQUIRE_FALSE(unpacker.take(bytes, received).has_value());
  CHECK(packer.empty());
  CHECK_FALSE(unpacker.within_tlp());
  CHECK(received == sent);
}

TEST_CASE("a flit without TLPs is a NOP flit of zeros", "[flit_packing]") {
  FlitPacker packer;
  FlitTlpBytes bytes;
  bytes.fill(std::byte{0xff});
  CHECK_FALSE(packer.next(bytes));
  CHECK(bytes == FlitTlpBytes{});
  FlitUnpacker unpacker;
  std::vector<TlpBytes> tlps;
  CHECK(unpacker.take(bytes, tlps) == FlitPackingError::kNoTlp);
}

TEST_CASE("large TLPs fill every flit to the last byte", "[flit_packing]") {
  // 100 TLPs of 4 + 64 DW are 27,200 B: 116 flits of 236 B, the last one not full.
  Rng rng(3);
  FlitPacker packer;
  for (int i = 0; i < 100; ++i) packer.push(tlp_of(word_of(kMemoryWrite64, 64), rng));
  unsigned flits = 0;
  FlitTlpBytes bytes;
  while (packer.next(bytes)) ++flits;
  CHECK(flits == (100 * 272 + 235) / 236);
}

TEST_CASE("at most eight TLPs have a part in each half of a flit", "[flit_packing]") {
  // Reads of 12 B: ten and two thirds would fit into 128 B, but eight may.
  Rng rng(4);
  FlitPacker packer;
  for (int i = 0; i < 20; ++i) packer.push(tlp_of(word_of(kFlitTypeMemoryRead32, 1), rng));
  FlitTlpBytes bytes;
  FlitUnpacker unpacker;
  std::vector<TlpBytes> tlps;
  REQUIRE(packer.next(bytes));
  REQUIRE_FALSE(unpacker.take(bytes, tlps).has_value());
  CHECK(tlps.size() == 16);
  CHECK(bytes[8 * 12] == std::byte{0});  // NOP TLPs from here to the middle
  CHECK(bytes[128] == std::byte{0x03});  // where eight more begin
  REQUIRE(packer.next(bytes));
  REQUIRE_FALSE(unpacker.take(bytes, tlps).has_value());
  CHECK(tlps.size() == 20);
  // A ninth in the first half.
  FlitTlpBytes crowded{};
  for (std::size_t i = 0; i < 9; ++i) crowded[12 * i] = std::byte{0x03};
  CHECK(FlitUnpacker().take(crowded, tlps) == FlitPackingError::kTooManyTlps);
  crowded[12 * 8] = std::byte{0};
  CHECK_FALSE(FlitUnpacker().take(crowded, tlps).has_value());
}

TEST_CASE("NOP TLPs go on to the next four DW", "[flit_packing]") {
  std::vector<TlpBytes> tlps;
  for (const std::size_t second : {16U, 20U, 24U, 28U, 32U}) {
    FlitTlpBytes bytes{};
    bytes[0] = std::byte{0x03};  // 12 B, and a NOP TLP at 12
    bytes[second] = std::byte{0x03};
    INFO("second TLP at " << second);
    const auto error = FlitUnpacker().take(bytes, tlps);
    CHECK(error.has_value() == (second % 16 != 0));
    if (error.has_value()) CHECK(*error == FlitPackingError::kNopsCutShort);
  }
}

TEST_CASE("a local prefix needs a TLP", "[flit_packing]") {
  FlitTlpBytes bytes{};
  bytes[0] = std::byte{kFlitModePrefix};
  std::vector<TlpBytes> tlps;
  CHECK(FlitUnpacker().take(bytes, tlps) == FlitPackingError::kPrefixOfNop);
  CHECK(tlps.empty());
}

}  // namespace
}  // namespace peerfab::pcie
