// SPDX-License-Identifier: Apache-2.0
// PCIe r6.3, sec 2.2.1.2: the first DW of a TLP in FLIT mode and the length that follows from it.
#include "sim/pcie/flit_tlp.h"
#include "sim/pcie/tlp_kind.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {

TEST_CASE("Type, TC, OHC, TS, Attr and Length", "[conformance][sec-2.2.1.2]") {
  FlitTlpWord word;
  word.type = 0x60;
  word.traffic_class = 5;
  word.header_content = 0b10011;
  word.trailer = 1;
  word.attributes = 0b110;
  word.length_dw = 0x2a5;
  const auto bytes = pack(word);
  CHECK(bytes[0] == std::byte{0x60});
  CHECK(bytes[1] == std::byte{0b1011'0011});
  CHECK(bytes[2] == std::byte{0b0011'1010});
  CHECK(bytes[3] == std::byte{0xa5});
  word.length_dw = 1024;
  CHECK(pack(word)[3] == std::byte{0});
}

TEST_CASE("the header base by type", "[conformance][sec-2.2.1.2][table-2-5]") {
  struct Expected {
    std::uint8_t type;
    unsigned header_dw;
    bool has_payload;
  };
  for (const Expected& expected :
       {Expected{0x00, 1, false}, Expected{0x02, 3, false}, Expected{0x03, 3, false},
        Expected{0x04, 3, false}, Expected{0x0a, 3, false}, Expected{0x20, 4, false},
        Expected{0x22, 4, false}, Expected{0x34, 4, false}, Expected{0x40, 3, true},
        Expected{0x42, 3, true},  Expected{0x44, 3, true},  Expected{0x4a, 3, true},
        Expected{0x4c, 3, true},  Expected{0x4e, 3, true},  Expected{0x5b, 3, true},
        Expected{0x60, 4, true},  Expected{0x61, 4, true},  Expected{0x6c, 4, true},
        Expected{0x74, 4, true},  Expected{0x7b, 4, true},  Expected{0x8d, 1, false},
        Expected{0x16, 7, true},  Expected{0xff, 7, true}}) {
    INFO("type " << unsigned{expected.type});
    CHECK(header_base_dw(expected.type) == expected.header_dw);
    FlitTlpWord word;
    word.type = expected.type;
    word.length_dw = 10;
    CHECK(tlp_dw(word) == expected.header_dw + (expected.has_payload ? 10 : 0));
  }
}

TEST_CASE("OHC and trailer add their DWs", "[conformance][sec-2.2.1.2]") {
  FlitTlpWord word;
  word.type = 0x20;
  word.length_dw = 64;  // what is read, and no payload
  CHECK(tlp_dw(word) == 4);
  word.header_content = 0b00001;  // OHC-A
  CHECK(tlp_dw(word) == 5);
  word.header_content = 0b00111;  // A, B, C
  CHECK(tlp_dw(word) == 7);
  word.header_content = 0b11111;  // and E4: seven is the most
  CHECK(tlp_dw(word) == 11);
  word.header_content = 0;
  constexpr unsigned kTrailerDw[] = {0, 1, 1, 2, 2, 3, 4, 5};
  for (unsigned trailer = 0; trailer < 8; ++trailer) {
    word.trailer = static_cast<std::uint8_t>(trailer);
    CHECK(tlp_dw(word) == 4 + kTrailerDw[trailer]);
  }
}

TEST_CASE("only a 32-bit memory read has another type than without FLIT mode",
          "[conformance][sec-2.2.1.2]") {
  CHECK(flit_type(0x00) == 0x03);
  for (const unsigned same : {0x20U, 0x40U, 0x60U, 0x0aU, 0x4aU, 0x30U, 0x5bU, 0x7bU}) {
    CHECK(flit_type(static_cast<std::uint8_t>(same)) == same);
  }
}

}  // namespace peerfab::pcie
