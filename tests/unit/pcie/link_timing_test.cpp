// SPDX-License-Identifier: Apache-2.0
// Link timing: exact for every generation and width, framing, start alignment, SKP, the ceiling.
#include "sim/pcie/link_timing.h"

#include <cstdint>

#include "sim/base/rng.h"
#include "sim/base/units.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

constexpr unsigned kWidths[] = {1, 2, 4, 8, 16};

TEST_CASE("line time rounds only when it becomes picoseconds", "[link_timing]") {
  CHECK(LineTime(0).to_picoseconds_ceil() == Picoseconds(0));
  CHECK(LineTime(1).to_picoseconds_ceil() == Picoseconds(1));
  CHECK(LineTime(511).to_picoseconds_ceil() == Picoseconds(1));
  CHECK(LineTime(512).to_picoseconds_ceil() == Picoseconds(1));
  CHECK(LineTime(513).to_picoseconds_ceil() == Picoseconds(2));
  CHECK(LineTime(511).to_picoseconds_floor() == Picoseconds(0));
  CHECK(LineTime(512).to_picoseconds_floor() == Picoseconds(1));
  CHECK(LineTime::from(Picoseconds(7)).ticks() == 7 * 512);
  CHECK(LineTime::from(Picoseconds(7)).to_picoseconds_ceil() == Picoseconds(7));
  CHECK(LineTime(10) + LineTime(5) - LineTime(1) == LineTime(7) * 2);
}

TEST_CASE("a byte takes a whole number of ticks on every link", "[link_timing]") {
  // Against the rates: bits per transfer, transfers per second.
  struct Rate {
    unsigned generation;
    std::uint64_t megatransfers;
    std::uint64_t coded_bits;  // for data_bytes
    std::uint64_t data_bytes;
  };
  constexpr Rate kRates[] = {{1, 2500, 10, 1},
                             {2, 5000, 10, 1},
                             {3, 8000, 130, 16},
                             {4, 16000, 130, 16},
                             {5, 32000, 130, 16}};
  for (const Rate& rate : kRates) {
    for (const unsigned width : kWidths) {
      INFO("gen " << rate.generation << " x" << width);
      const LinkTiming timing(LinkConfig{rate.generation, width, 4});
      // ticks = coded_bits / data_bytes / (megatransfers * 1e6) / width * 1e12 * 512, no remainder.
      const std::uint64_t numerator = rate.coded_bits * 1'000'000 * 512;
      const std::uint64_t denominator = rate.data_bytes * rate.megatransfers * width;
      CHECK(numerator % denominator == 0);
      CHECK(timing.ticks_per_byte() == numerator / denominator);
    }
  }
}

TEST_CASE("valid link configurations", "[link_timing]") {
  CHECK(is_valid(LinkConfig{}));
  CHECK(is_valid(LinkConfig{1, 1, 4}));
  CHECK(is_valid(LinkConfig{5, 16, 64}));
  CHECK(is_valid(LinkConfig{6, 1, 4}));
  CHECK_FALSE(is_valid(LinkConfig{0, 16, 4}));
  CHECK_FALSE(is_valid(LinkConfig{7, 16, 4}));
  CHECK_FALSE(is_valid(LinkConfig{5, 0, 4}));
  CHECK_FALSE(is_valid(LinkConfig{5, 3, 4}));
  CHECK_FALSE(is_valid(LinkConfig{5, 12, 4}));
  CHECK_FALSE(is_valid(LinkConfig{5, 32, 4}));
  CHECK_FALSE(is_valid(LinkConfig{5, 16, 2}));
  CHECK_FALSE(is_valid(LinkConfig{5, 16, 12}));
  CHECK_FALSE(is_valid(LinkConfig{5, 16, 128}));
}

TEST_CASE("bytes of a TLP on the wire", "[link_timing]") {
  for (unsigned generation = 1; generation <= 5; ++generation) {
    INFO("gen " << generation);
    const LinkTiming timing(LinkConfig{generation, 8, 4});
    CHECK(timing.tlp_wire_bytes(12, 0, false) == 20);
    CHECK(timing.tlp_wire_bytes(16, 0, false) == 24);
    CHECK(timing.tlp_wire_bytes(16, 0, true) == 28);
    CHECK(timing.tlp_wire_bytes(16, 1, false) == 28);
    CHECK(timing.tlp_wire_bytes(16, 4, false) == 28);
    CHECK(timing.tlp_wire_bytes(16, 5, false) == 32);
    CHECK(timing.tlp_wire_bytes(16, 256, false) == 280);
    CHECK(timing.tlp_wire_bytes(12, 4096, true) == 4120);
    CHECK(timing.dllp_wire_bytes() == 8);
  }
}

TEST_CASE("a TLP is charged up to the boundary on which the next one starts", "[link_timing]") {
  const LinkTiming timing(LinkConfig{5, 16, 16});
  CHECK(timing.tlp_wire_bytes(12, 0, false) == 32);
  CHECK(timing.tlp_wire_bytes(16, 0, false) == 32);
  CHECK(timing.tlp_wire_bytes(16, 8, false) == 32);  // 24 + 8: ends on the boundary
  CHECK(timing.tlp_wire_bytes(16, 9, false) == 48);  // a DW more
  CHECK(timing.tlp_wire_bytes(16, 256, false) == 288);
  CHECK(timing.tlp_wire_bytes(12, 256, false) == 288);
  CHECK(timing.tlp_time(16, 256, false).ticks() == 288ULL * 8125);
}

TEST_CASE("time on the wire of well known transfers", "[link_timing]") {
  // 280 B on Gen1 x1: 4 ns each.
  CHECK(LinkTiming(LinkConfig{1, 1, 4}).tlp_time(16, 256, false).to_picoseconds_ceil() ==
        Picoseconds(280 * 4000));
  // 280 B on Gen3 x8: 280 * 126.953125 ps = 35546.875 ps.
  const LinkTiming gen3(LinkConfig{3, 8, 4});
  CHECK(gen3.tlp_time(16, 256, false).to_picoseconds_ceil() == Picoseconds(35547));
  CHECK(gen3.tlp_time(16, 256, false).to_picoseconds_floor() == Picoseconds(35546));
  // Sixteen of them end on a whole picosecond; rounding each would be late by 2 ps.
  CHECK((gen3.tlp_time(16, 256, false) * 16).to_picoseconds_ceil() == Picoseconds(568750));
  CHECK(gen3.dllp_time().ticks() == 8ULL * 65000);
}

TEST_CASE("the largest TLP on the slowest link fits", "[link_timing]") {
  const LinkTiming timing(LinkConfig{1, 1, 64});
  CHECK(timing.tlp_wire_bytes(20, 4096, true) == 4160);
  CHECK(timing.tlp_time(20, 4096, true).to_picoseconds_ceil() == Picoseconds(4160ULL * 4000));
}

TEST_CASE("SKP ordered sets", "[link_timing]") {
  for (const unsigned width : kWidths) {
    INFO("x" << width);
    const LinkTiming gen2(LinkConfig{2, width, 4});
    // 1538 symbols of 2 ns on every lane, whatever the width; 4 of them for the ordered set.
    CHECK(gen2.skp_interval().to_picoseconds_ceil() == Picoseconds(1538 * 2000));
    CHECK(gen2.skp_time().to_picoseconds_ceil() == Picoseconds(4 * 2000));
    const LinkTiming gen5(LinkConfig{5, width, 4});
    // 375 blocks of 130 bits at 32 GT/s; one block, and the EDS token before it.
    CHECK(gen5.skp_interval().ticks() == 375ULL * 130 * 1000 * 512 / 32);
    CHECK(gen5.skp_wire_bytes() == 16 * width + 4);
    CHECK(gen5.skp_time().ticks() == 130ULL * 1000 * 512 / 32 + 4ULL * gen5.ticks_per_byte());
  }
}

TEST_CASE("symbol time does not count the sync header", "[link_timing]") {
  CHECK(symbol_time(1).to_picoseconds_ceil() == Picoseconds(4000));
  CHECK(symbol_time(2).to_picoseconds_ceil() == Picoseconds(2000));
  CHECK(symbol_time(3).to_picoseconds_ceil() == Picoseconds(1000));
  CHECK(symbol_time(4).to_picoseconds_ceil() == Picoseconds(500));
  CHECK(symbol_time(5).to_picoseconds_ceil() == Picoseconds(250));
  CHECK(symbol_time(6).to_picoseconds_ceil() == Picoseconds(125));
}

TEST_CASE("payload ceiling of known links", "[link_timing]") {
  // 250 MB/s after 8b/10b, 256 of 280 bytes are payload: 228,571,428.57.
  CHECK(payload_ceiling(1, 1, 16, 256) == Bandwidth(228'571'429));
  CHECK(payload_ceiling(5, 16, 16, 256) == Bandwidth(57'614'065'935));
  CHECK(encoded_line_rate(5, 16) == Bandwidth(63'015'384'615));
  CHECK(payload_ceiling(5, 16, 16, 0) == Bandwidth(0));
}

TEST_CASE("a TLP byte in a flit costs 256/236 of a byte, rounded up", "[link_timing]") {
  CHECK(lane_byte_time(6).ticks() == 64'000);  // 125 ps
  for (const unsigned width : kWidths) {
    INFO("x" << width);
    const LinkTiming timing(LinkConfig{6, width, 4});
    const std::uint64_t exact = 64'000ULL * 256;  // over 236 and the width
    const std::uint64_t charged = std::uint64_t{timing.ticks_per_byte()} * 236 * width;
    CHECK(charged >= exact);
    CHECK((charged - exact) * 1'000'000 < exact * 4);  // below 4 parts in a million
    CHECK(timing.flit_time().to_picoseconds_ceil() == Picoseconds(32'000 / width));
    CHECK(timing.flit_time().to_picoseconds_floor() == Picoseconds(32'000 / width));
  }
}

TEST_CASE("TLPs have no framing in a flit and DLLPs cost nothing", "[link_timing]") {
  const LinkTiming timing(LinkConfig{6, 16, 4});
  CHECK(timing.tlp_wire_bytes(12, 0, false) == 12);
  CHECK(timing.tlp_wire_bytes(16, 256, false) == 272);
  CHECK(timing.tlp_wire_bytes(16, 5, true) == 28);
  CHECK(timing.dllp_wire_bytes() == 0);
  CHECK(timing.dllp_time() == LineTime(0));
  // 236 B of TLPs are one flit.
  CHECK(timing.time_of(236).to_picoseconds_floor() == Picoseconds(2000));
}

TEST_CASE("a TLP is received with the flit in which it ends", "[link_timing]") {
  const LinkTiming x16(LinkConfig{6, 16, 4});
  CHECK(x16.received(Picoseconds(0)) == Picoseconds(0));
  CHECK(x16.received(Picoseconds(1)) == Picoseconds(2000));
  CHECK(x16.received(Picoseconds(2000)) == Picoseconds(2000));
  CHECK(x16.received(Picoseconds(2001)) == Picoseconds(4000));
  CHECK(LinkTiming(LinkConfig{6, 1, 4}).received(Picoseconds(1)) == Picoseconds(32'000));
  // Elsewhere a TLP has its own CRC.
  CHECK(LinkTiming(LinkConfig{5, 16, 4}).received(Picoseconds(1)) == Picoseconds(1));
}

TEST_CASE("the timing of a link is small enough for a transmitter's cache line", "[link_timing]") {
  CHECK(sizeof(LinkTiming) == 20);
}

TEST_CASE("payload ceiling of a Gen6 link", "[link_timing]") {
  // 64 GT/s x 16 lanes / 8 = 128 GB/s, of which 236/256 = 118 GB/s are TLP bytes. The 121 GB/s that
  // is often quoted is 242/256: it counts the DLP bytes too.
  CHECK(encoded_line_rate(6, 16) == Bandwidth(128'000'000'000));
  CHECK(encoded_line_rate(6, 1) == Bandwidth(8'000'000'000));
  // 118e9 x 4096 / 4112 = 117,540,856,031.1 and 118e9 x 256 / 272 = 111,058,823,529.4.
  CHECK(payload_ceiling(6, 16, 16, 4096) == Bandwidth(117'540'856'032));
  CHECK(payload_ceiling(6, 16, 16, 256) == Bandwidth(111'058'823'530));
}

TEST_CASE("a saturated transmitter never beats the ceiling", "[link_timing][property]") {
  Rng rng(20260101);
  bool held = true;
  for (int i = 0; i < 20'000 && held; ++i) {
    const auto generation = static_cast<unsigned>(rng.between(1, 6));
    const unsigned width = 1U << rng.below(5);
    const unsigned alignment = 4U << rng.below(5);
    const unsigned header = rng.below(2) == 0 ? 12 : 16;
    const auto payload = static_cast<unsigned>(rng.between(1, 4096));
    const std::uint64_t count = rng.between(1, 1000);
    const LinkTiming timing(LinkConfig{generation, width, alignment});
    const Picoseconds time =
        (timing.tlp_time(header, payload, false) * count).to_picoseconds_floor();
    // One picosecond of rounding is what the time lost; give it back.
    const Bandwidth rate = average_bandwidth(Bytes(payload * count), time + Picoseconds(1));
    held = rate <= payload_ceiling(generation, width, header, payload);
    if (!held) FAIL("gen " << generation << " x" << width << " payload " << payload);
  }
  CHECK(held);
}

}  // namespace
}  // namespace peerfab::pcie
