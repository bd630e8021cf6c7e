// SPDX-License-Identifier: Apache-2.0
// PCIe r6.3, sec 4.2.3.3 and 4.2.3.4.2: the places of a flit, its DLP bytes, CRC and ECC.
#include <array>

#include "sim/base/rng.h"
#include "sim/pcie/flit.h"
#include "sim/pcie/flit_code.h"
#include "sim/pcie/link_timing.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

unsigned byte_at(const FlitBytes& bytes, std::size_t index) {
  return std::to_integer<unsigned>(bytes[index]);
}

}  // namespace

TEST_CASE("236 TLP bytes, 6 DLP bytes, 8 of CRC, 6 of ECC", "[conformance][sec-4.2.3.3]") {
  CHECK(spec::kFlitDlpOffset == 236);
  CHECK(spec::kFlitCrcOffset == 242);
  CHECK(spec::kFlitEccOffset == 250);
}

TEST_CASE("DLP 0 and 1: usage, prior flit, kind of content, command, sequence number",
          "[conformance][sec-4.2.3.4.2]") {
  Flit flit;
  flit.is_payload = true;
  flit.prior_was_payload = true;
  flit.command = ReplayCommand::kSelectiveNak;
  flit.sequence_number = 0x2a5;
  flit.content = DlpDllp{{std::byte{0x11}, std::byte{0x22}, std::byte{0x33}, std::byte{0x44}}};
  FlitBytes bytes = pack(flit);
  CHECK(byte_at(bytes, 236) == 0b0110'1110);
  CHECK(byte_at(bytes, 237) == 0xa5);
  CHECK(byte_at(bytes, 238) == 0x11);
  CHECK(byte_at(bytes, 241) == 0x44);
  flit = {};
  flit.command = ReplayCommand::kStandardNak;
  flit.content = FlitMarker{};
  bytes = pack(flit);
  CHECK(byte_at(bytes, 236) == 0b0001'1000);
}

TEST_CASE("Optimized_Update_FC and Flit_Marker", "[conformance][sec-4.2.3.4.2]") {
  Flit flit;
  flit.content = OptimizedUpdateFc{5, 0xab, 0xcd, 0x123};
  FlitBytes bytes = pack(flit);
  // 0, VC 101b, NPH abh, PH cdh, PD 123h.
  CHECK(byte_at(bytes, 238) == 0x5a);
  CHECK(byte_at(bytes, 239) == 0xbc);
  CHECK(byte_at(bytes, 240) == 0xd1);
  CHECK(byte_at(bytes, 241) == 0x23);
  flit.content = FlitMarker{FlitStatus::kLastPoisoned, true};
  bytes = pack(flit);
  CHECK(byte_at(bytes, 238) == 0b1101'0000);
}

TEST_CASE("the generator polynomial of the CRC is the one that the specification multiplies out",
          "[conformance][sec-4.2.3.4.2.3]") {
  // x^8 + a^172 x^7 + a^116 x^6 + a^186 x^5 + a^172 x^4 + a^195 x^3 + a^134 x^2 + a^199 x + a^36.
  constexpr unsigned kExponents[] = {36, 199, 134, 195, 172, 186, 116, 172};
  const auto generator = flit_crc_generator();
  for (unsigned i = 0; i < generator.size(); ++i) {
    INFO("x^" << i);
    CHECK(generator[i] == flit_crc_power(kExponents[i]));
  }
}

TEST_CASE("up to eight wrong bytes are found by the CRC", "[conformance][sec-4.2.3.4.2.3]") {
  Rng rng(7);
  FlitBytes sent{};
  for (unsigned i = 0; i < spec::kFlitCrcOffset; ++i) {
    sent[i] = static_cast<std::byte>(rng.below(256));
  }
  add_flit_crc(sent);
  CHECK(flit_crc_matches(sent));
  bool found = true;
  for (int i = 0; i < 4000 && found; ++i) {
    FlitBytes bytes = sent;
    const std::uint64_t count = rng.between(1, 8);
    for (std::uint64_t j = 0; j < count; ++j) {
      bytes[rng.below(spec::kFlitEccOffset)] ^= static_cast<std::byte>(rng.between(1, 255));
    }
    found = bytes == sent || !flit_crc_matches(bytes);
  }
  CHECK(found);
}

TEST_CASE("check and parity bytes of the ECC stand where their groups say",
          "[conformance][sec-4.2.3.4.2.4]") {
  // A byte of value 1 at offset i of a group: parity 1, check a^(84 - i), in the field where
  // a^8 = 1dh, a^84 = 6bh, a^2 = 4 and a = 2.
  struct Expected {
    unsigned byte;
    unsigned check_at;
    unsigned check;
  };
  for (const Expected& expected :
       {Expected{0, 252, 0x6b}, Expected{1, 250, 0x6b}, Expected{2, 251, 0x6b},
        Expected{249, 252, 0x02}, Expected{247, 250, 0x04}, Expected{248, 251, 0x04}}) {
    FlitBytes bytes{};
    bytes[expected.byte] = std::byte{1};
    add_flit_ecc(bytes);
    INFO("byte " << expected.byte);
    for (unsigned i = spec::kFlitEccOffset; i < spec::kFlitBytes; ++i) {
      const unsigned value = i == expected.check_at       ? expected.check
                             : i == expected.check_at + 3 ? 1
                                                          : 0;
      CHECK(byte_at(bytes, i) == value);
    }
  }
}

TEST_CASE("a burst of 16 bits on a lane is corrected on every width",
          "[conformance][sec-4.2.3.4.2.4]") {
  // 16 bits on a lane touch three symbols of it, which are `width` bytes apart: one byte of each
  // group, for no width is a multiple of three.
  Rng rng(8);
  for (unsigned width = 1; width <= 16; width *= 2) {
    for (unsigned start = 0; start + 2 * width < spec::kFlitBytes; ++start) {
      Flit flit;
      flit.sequence_number = static_cast<std::uint16_t>(rng.below(1024));
      for (std::byte& byte : flit.tlp_bytes) byte = static_cast<std::byte>(rng.below(256));
      FlitBytes bytes = pack(flit);
      for (unsigned symbol = 0; symbol < 3; ++symbol) {
        bytes[start + symbol * width] ^= static_cast<std::byte>(rng.between(1, 255));
      }
      const ReceivedFlit received = unpack_flit(bytes);
      if (received.error.has_value() || received.flit != flit) {
        FAIL("x" << width << " from byte " << start);
      }
    }
  }
  SUCCEED();
}

TEST_CASE("SKP ordered sets between flits", "[conformance][sec-4.2.3.4.2.5]") {
  constexpr unsigned kIntervals[] = {46, 93, 187, 374, 748};  // x1 to x16, common clock
  for (unsigned i = 0; i < 5; ++i) {
    const unsigned width = 1U << i;
    INFO("x" << width);
    const LinkTiming timing(LinkConfig{6, width, 4});
    CHECK(timing.skp_interval_flits() == kIntervals[i]);
    // 40 symbols of 125 ps on every lane.
    CHECK(timing.skp_interval() ==
          timing.flit_time() * kIntervals[i] + LineTime::from(Picoseconds(40 * 125)));
    CHECK(timing.skp_time() >= LineTime::from(Picoseconds(40 * 125)));
    CHECK(timing.skp_time().ticks() * 100 < LineTime::from(Picoseconds(40 * 125)).ticks() * 101);
  }
}

}  // namespace peerfab::pcie
