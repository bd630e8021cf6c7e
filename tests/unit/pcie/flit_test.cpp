// SPDX-License-Identifier: Apache-2.0
// Flits through pack and unpack: every field, correction of errors, and errors that are only found.
#include "sim/pcie/flit.h"

#include "sim/base/rng.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

Flit random_flit(Rng& rng) {
  Flit flit;
  for (std::byte& byte : flit.tlp_bytes) byte = static_cast<std::byte>(rng.below(256));
  flit.is_payload = rng.below(2) == 0;
  flit.prior_was_payload = rng.below(2) == 0;
  flit.command = static_cast<ReplayCommand>(rng.below(4));
  flit.sequence_number = static_cast<std::uint16_t>(rng.below(1024));
  switch (rng.below(3)) {
    case 0:
      flit.content = DlpDllp{{std::byte{0x80}, std::byte{1}, std::byte{2}, std::byte{3}}};
      break;
    case 1:
      flit.content = OptimizedUpdateFc{
          static_cast<std::uint8_t>(rng.below(8)), static_cast<std::uint8_t>(rng.below(256)),
          static_cast<std::uint8_t>(rng.below(256)), static_cast<std::uint16_t>(rng.below(4096))};
      break;
    default:
      flit.content = FlitMarker{static_cast<FlitStatus>(rng.below(3)), rng.below(2) == 0};
  }
  return flit;
}

void flip(FlitBytes& bytes, std::size_t index, Rng& rng) {
  bytes[index] ^= static_cast<std::byte>(rng.between(1, 255));
}

TEST_CASE("a flit comes out as it went in", "[flit]") {
  Rng rng(1);
  for (int i = 0; i < 500; ++i) {
    const Flit flit = random_flit(rng);
    const ReceivedFlit received = unpack_flit(pack(flit));
    REQUIRE_FALSE(received.error.has_value());
    REQUIRE(received.flit == flit);
    REQUIRE(received.corrected_bytes == 0);
  }
}

TEST_CASE("every single wrong byte is corrected, wherever it stands", "[flit]") {
  Rng rng(2);
  const Flit flit = random_flit(rng);
  const FlitBytes sent = pack(flit);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    FlitBytes bytes = sent;
    flip(bytes, i, rng);
    const ReceivedFlit received = unpack_flit(bytes);
    INFO("byte " << i);
    REQUIRE_FALSE(received.error.has_value());
    REQUIRE(received.flit == flit);
    REQUIRE(received.corrected_bytes == 1);
  }
}

TEST_CASE("three wrong bytes in a row are corrected", "[flit]") {
  Rng rng(3);
  const Flit flit = random_flit(rng);
  const FlitBytes sent = pack(flit);
  for (std::size_t i = 0; i + 3 <= spec::kFlitEccOffset; ++i) {
    FlitBytes bytes = sent;
    for (std::size_t j = 0; j < 3; ++j) flip(bytes, i + j, rng);
    const ReceivedFlit received = unpack_flit(bytes);
    REQUIRE_FALSE(received.error.has_value());
    REQUIRE(received.flit == flit);
    REQUIRE(received.corrected_bytes == 3);
  }
}

TEST_CASE("what the ECC cannot correct is found", "[flit]") {
  // Two wrong bytes of a group show, or are "corrected" into a third wrong one, which leaves at
  // most 3 x 3 - 1 wrong bytes for a CRC that finds 8.
  Rng rng(4);
  unsigned uncorrectable = 0;
  unsigned bad_crc = 0;
  for (int i = 0; i < 5000; ++i) {
    const Flit flit = random_flit(rng);
    FlitBytes bytes = pack(flit);
    const std::size_t group = rng.below(3);
    const std::size_t first = rng.below(80) * 3 + group;
    std::size_t second = first;
    while (second == first) second = rng.below(80) * 3 + group;
    flip(bytes, first, rng);
    flip(bytes, second, rng);
    const ReceivedFlit received = unpack_flit(bytes);
    REQUIRE(received.error.has_value());
    uncorrectable += received.error == FlitError::kUncorrectable ? 1 : 0;
    bad_crc += received.error == FlitError::kBadCrc ? 1 : 0;
  }
  CHECK(uncorrectable > 0);
  CHECK(bad_crc > 0);
}

TEST_CASE("reserved encodings make a flit invalid", "[flit]") {
  Flit flit;
  flit.content = FlitMarker{static_cast<FlitStatus>(3), false};
  CHECK(unpack_flit(pack(flit)).error == FlitError::kReservedStatus);
  CHECK(describe(FlitError::kReservedStatus) == "Flit_Status is reserved");
}

TEST_CASE("an IDLE flit is zero all over but for its codes", "[flit]") {
  const Flit idle;
  CHECK(idle.is_idle());
  const FlitBytes bytes = pack(idle);
  bool zero = true;
  for (const std::byte byte : bytes) zero = zero && byte == std::byte{0};
  CHECK(zero);
  Flit nop;
  nop.sequence_number = 1023;
  CHECK_FALSE(nop.is_idle());
}

}  // namespace
}  // namespace peerfab::pcie
