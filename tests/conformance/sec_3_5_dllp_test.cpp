// SPDX-License-Identifier: Apache-2.0
// PCIe r6.0, sec 3.5: the bits of every DLLP, with its CRC. The CRCs were computed by a bitwise
// shift register over the generator polynomial 100Bh, apart from this tree.
#include <string>
#include <vector>

#include "sim/pcie/crc.h"
#include "sim/pcie/dllp.h"
#include "tests/support/catch.h"
#include "tests/support/hex.h"

namespace peerfab::pcie {
namespace {

using test::bytes_of;
using test::hex_of;

UnpackedDllp unpack_hex(const std::string& hex) {
  const std::vector<std::byte> bytes = bytes_of(hex);
  REQUIRE(bytes.size() == spec::kDllpBytes);
  return unpack_dllp(std::span(bytes).first<spec::kDllpBytes>());
}

void check_both_ways(const Dllp& dllp, const std::string& hex) {
  const DllpBytes packed = pack(dllp);
  CHECK(hex_of(packed) == hex);
  const UnpackedDllp unpacked = unpack_hex(hex);
  CHECK_FALSE(unpacked.error.has_value());
  CHECK(unpacked.dllp == dllp);
}

Dllp flow_control(DllpKind kind, FlowClass flow_class) {
  Dllp dllp;
  dllp.kind = kind;
  dllp.flow_class = flow_class;
  return dllp;
}

}  // namespace

TEST_CASE("Ack and Nak carry a sequence number", "[conformance][sec-3.5.1]") {
  Dllp dllp;
  dllp.kind = DllpKind::kAck;
  check_both_ways(dllp, "00000000b362");
  dllp.sequence_number = 0xabc;
  check_both_ways(dllp, "00000abc90ad");
  dllp.kind = DllpKind::kNak;
  dllp.sequence_number = 0xfff;
  check_both_ways(dllp, "10000fffcecf");
}

TEST_CASE("flow-control DLLPs carry credits and their scale", "[conformance][sec-3.5.1]") {
  Dllp update = flow_control(DllpKind::kUpdateFc, FlowClass::kNonPosted);
  update.virtual_channel = 3;
  update.header_scale = CreditScale::k4;
  update.header_credits = 0x5a;
  update.data_scale = CreditScale::k16;
  update.data_credits = 0x123;
  check_both_ways(update, "9396b123c052");
  Dllp first = flow_control(DllpKind::kInitFc1, FlowClass::kPosted);
  first.header_credits = 32;
  first.data_credits = 128;
  check_both_ways(first, "40080080f35a");
  // Infinite completions of a receiver that does Scaled Flow Control.
  Dllp second = flow_control(DllpKind::kInitFc2, FlowClass::kCompletion);
  second.header_scale = CreditScale::k1;
  second.data_scale = CreditScale::k1;
  check_both_ways(second, "e0401000f5c9");
}

TEST_CASE("the other DLLPs", "[conformance][sec-3.5.1]") {
  Dllp feature;
  feature.kind = DllpKind::kDataLinkFeature;
  feature.features = kScaledFlowControlFeature;
  feature.feature_ack = true;
  check_both_ways(feature, "028000013156");
  Dllp nop;
  nop.content = 0x123456;
  check_both_ways(nop, "3112345615d9");
  Dllp vendor;
  vendor.kind = DllpKind::kVendor;
  vendor.content = 0xabcdef;
  check_both_ways(vendor, "30abcdef8ae2");
  Dllp power;
  power.kind = DllpKind::kPmEnterL23;
  check_both_ways(power, "210000001055");
}

TEST_CASE("a flipped bit is noticed wherever it is", "[conformance][sec-3.5.1]") {
  const std::vector<std::byte> good = bytes_of("9396b123c052");
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::vector<std::byte> bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    INFO("bit " << bit);
    CHECK(unpack_dllp(std::span(bad).first<spec::kDllpBytes>()).error == DllpError::kBadCrc);
  }
}

TEST_CASE("every type is known or reserved", "[conformance][sec-3.5.1]") {
  unsigned known = 0;
  for (unsigned type = 0; type < 256; ++type) {
    Dllp dllp;
    dllp.kind = static_cast<DllpKind>(type & 0xc0 ? type & 0xc0 : type);
    DllpBytes bytes = pack(dllp);
    bytes[0] = static_cast<std::byte>(type);
    const std::vector<std::byte> content(bytes.begin(), bytes.begin() + 4);
    const std::uint16_t crc = dllp_crc(content);
    bytes[4] = static_cast<std::byte>(crc & 0xff);
    bytes[5] = static_cast<std::byte>(crc >> 8);
    const UnpackedDllp unpacked = unpack_dllp(bytes);
    if (unpacked.error.has_value()) {
      CHECK(unpacked.error == DllpError::kReservedEncoding);
    } else {
      ++known;
      CHECK(pack(unpacked.dllp) == bytes);
    }
  }
  // Nine of one kind each; three kinds of flow control, three classes, eight virtual channels.
  CHECK(known == 9 + 3 * 3 * 8);
  CHECK_FALSE(describe(DllpError::kBadCrc).empty());
}

}  // namespace peerfab::pcie
