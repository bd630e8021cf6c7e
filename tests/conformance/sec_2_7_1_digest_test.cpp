// SPDX-License-Identifier: Apache-2.0
// PCIe r6.0, sec 2.7.1 and 3.6.2.1: ECRC and LCRC. The values are those of zlib's crc32, the same
// code, over the bytes that the sections name.
#include <vector>

#include "sim/pcie/crc.h"
#include "tests/support/catch.h"
#include "tests/support/hex.h"

namespace peerfab::pcie {
namespace {

using test::bytes_of;

constexpr const char* kHeader = "4000c000121c5afffe001000";
constexpr const char* kPayload = "000102030405060708090a0b0c0d0e0f";

}  // namespace

TEST_CASE("LCRC covers the sequence number and the TLP", "[conformance][sec-3.6.2.1]") {
  CHECK(lcrc(bytes_of(std::string("0000") + kHeader)) == 0x4c8d9fa2);
  CHECK(lcrc(bytes_of(std::string("0001") + kHeader)) != 0x4c8d9fa2);
}

TEST_CASE("ECRC covers header and payload", "[conformance][sec-2.7.1]") {
  CHECK(ecrc(bytes_of(std::string(kHeader) + kPayload)) == 0xcebefea3);
}

TEST_CASE("what may change on the way does not change the ECRC", "[conformance][sec-2.7.1]") {
  const std::vector<std::byte> sent = bytes_of(std::string(kHeader) + kPayload);
  for (std::size_t bit = 0; bit < 8 * sent.size(); ++bit) {
    std::vector<std::byte> received = sent;
    received[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    // Type[0], which tells config requests of both types apart, and EP.
    const bool variant = bit == 0 || bit == 2 * 8 + 6;
    INFO("bit " << bit);
    CHECK((ecrc(received) == ecrc(sent)) == variant);
  }
}

}  // namespace peerfab::pcie
