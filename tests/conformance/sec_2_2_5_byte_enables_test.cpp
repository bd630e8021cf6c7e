// SPDX-License-Identifier: Apache-2.0
// PCIe r6.0, sec 2.2.5.1 and 2.2.7: byte enables and the 4 KiB rule, over every start within a page
// for the sizes that matter.
#include <cstdint>

#include "sim/pcie/splitting.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

// Enabled bytes are contiguous from the first to the last of the request.
bool contiguous(const RequestPiece& piece) {
  if (piece.length_dw == 1) {
    const unsigned be = piece.first_be;
    return piece.last_be == 0 && be != 0 && ((be + (be & (0U - be))) & be) == 0;
  }
  const unsigned first = piece.first_be;
  const unsigned last = piece.last_be;
  const bool first_to_top = ((first + (first & (0U - first))) & 0xF) == 0 && first != 0;
  const bool last_from_bottom = (last & (last + 1)) == 0 && last != 0;
  return first_to_top && last_from_bottom;
}

TEST_CASE("requests are contiguous and stay within a page", "[conformance][sec-2.2.5][sec-2.2.7]") {
  for (const std::uint32_t max_bytes : {128U, 256U, 512U, 4096U}) {
    for (std::uint64_t start = 0; start < 4096; ++start) {
      for (const std::uint64_t size : {1U, 2U, 3U, 4U, 5U, 127U, 4096U, 5000U}) {
        RequestSplitter splitter(BusAddress(0x7000 + start), Bytes(size), {max_bytes, 4096});
        while (!splitter.done()) {
          const RequestPiece piece = splitter.next();
          const std::uint64_t end_dw = piece.dw_address().value() + piece.payload_bytes() - 1;
          if (!contiguous(piece) || piece.dw_address().value() / 4096 != end_dw / 4096 ||
              piece.payload_bytes() > max_bytes) {
            FAIL("start " << start << " size " << size << " max " << max_bytes);
          }
        }
      }
    }
  }
  SUCCEED();
}

TEST_CASE("a flush read enables no byte of one DW", "[conformance][sec-2.2.5]") {
  const RequestPiece flush = zero_length_read(BusAddress(0x1234'5678'9abcU));
  CHECK(flush.length_dw == 1);
  CHECK(flush.first_be == 0);
  CHECK(flush.last_be == 0);
}

}  // namespace
}  // namespace peerfab::pcie
