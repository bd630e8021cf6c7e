// SPDX-License-Identifier: Apache-2.0
// PCIe r6.0, sec 4.2.1 and 4.2.2: framing of packets, coding, and SKP ordered sets.
#include <cstdint>

#include "sim/pcie/link_timing.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

TEST_CASE("framing around a TLP", "[conformance][sec-4.2.1][sec-4.2.2]") {
  // STP, sequence number (2), LCRC (4), END; or the STP token (4) and LCRC (4).
  for (unsigned generation = 1; generation <= 5; ++generation) {
    CHECK(tlp_framing_bytes(generation) == 8);
    CHECK(dllp_wire_bytes(generation) == 8);
  }
}

TEST_CASE("the example TLP of the STP token's length field", "[conformance][sec-4.2.2.3.1]") {
  // A 3 DW header and 1 DW of payload: 6 DW with token and LCRC; 7 with a digest.
  const LinkTiming timing(LinkConfig{3, 8, 4});
  CHECK(timing.tlp_wire_bytes(spec::kHeader3DwBytes, 4, false) == 6 * 4);
  CHECK(timing.tlp_wire_bytes(spec::kHeader3DwBytes, 4, true) == 7 * 4);
}

TEST_CASE("the shortest TLP with 8b/10b has 18 symbols between STP and END",
          "[conformance][sec-4.2.1.2]") {
  const LinkTiming timing(LinkConfig{1, 1, 4});
  CHECK(timing.tlp_wire_bytes(spec::kHeader3DwBytes, 0, false) == 1 + 18 + 1);
}

TEST_CASE("every packet is a whole number of DWs so the next may start on a lane multiple of four",
          "[conformance][sec-4.2.1.2][sec-4.2.2.3.2]") {
  for (unsigned generation = 1; generation <= 5; ++generation) {
    const LinkTiming timing(LinkConfig{generation, 16, 4});
    for (unsigned payload = 0; payload <= 4096; ++payload) {
      const unsigned bytes = timing.tlp_wire_bytes(12, payload, false);
      if (bytes % 4 != 0 || bytes < 20 + payload || bytes >= 24 + payload) {
        FAIL("payload " << payload);
      }
    }
  }
  SUCCEED();
}

TEST_CASE("two TLPs never start in one symbol time", "[conformance][sec-4.2.2.3.2]") {
  // The shortest is longer than one symbol of the widest link.
  CHECK(LinkTiming(LinkConfig{5, 16, 4}).tlp_wire_bytes(12, 0, false) >= 16);
}

TEST_CASE("SKP ordered sets are due within the permitted interval", "[conformance][sec-4.2.8]") {
  for (unsigned generation = 1; generation <= 5; ++generation) {
    for (unsigned width = 1; width <= 16; width *= 2) {
      const LinkTiming timing(LinkConfig{generation, width, 4});
      const std::uint64_t lane_bytes =
          timing.skp_interval().ticks() / timing.ticks_per_byte() / width;
      if (uses_128b130b(generation)) {
        CHECK(lane_bytes >= 370 * 16);
        CHECK(lane_bytes <= 375 * 16);
      } else {
        CHECK(lane_bytes >= 1180);
        CHECK(lane_bytes <= 1538);
      }
    }
  }
}

}  // namespace
}  // namespace peerfab::pcie
