// SPDX-License-Identifier: Apache-2.0
// Cutting the answer to a read into completions: byte count, lower address, boundaries.
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/rng.h"
#include "sim/pcie/splitting.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

std::vector<CompletionPiece> complete(const RequestPiece& read, std::uint32_t boundary,
                                      std::uint32_t max_bytes) {
  std::vector<CompletionPiece> pieces;
  CompletionSplitter splitter(read, {boundary, max_bytes});
  while (!splitter.done()) pieces.push_back(splitter.next());
  return pieces;
}

TEST_CASE("an aligned read is answered in full payloads", "[completions]") {
  const auto pieces = complete(make_request(BusAddress(0x1000), 512), 64, 256);
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].byte_count == 512);
  CHECK(pieces[0].bytes == 256);
  CHECK(pieces[0].length_dw == 64);
  CHECK(pieces[0].lower_address == 0);
  CHECK_FALSE(pieces[0].is_last());
  CHECK(pieces[1].byte_count == 256);
  CHECK(pieces[1].is_last());
}

TEST_CASE("the first completion brings an unaligned read onto the boundary", "[completions]") {
  const auto pieces = complete(make_request(BusAddress(0x1021), 600), 64, 256);
  REQUIRE(pieces.size() == 3);
  // 0x1021 to 0x1100: 223 bytes in 56 DWs.
  CHECK(pieces[0].bytes == 223);
  CHECK(pieces[0].length_dw == 56);
  CHECK(pieces[0].byte_count == 600);
  CHECK(pieces[0].lower_address == 0x21);
  CHECK(pieces[1].bytes == 256);
  CHECK(pieces[1].byte_count == 377);
  CHECK(pieces[1].lower_address == 0);
  CHECK(pieces[2].bytes == 121);
  CHECK(pieces[2].length_dw == 31);
  CHECK(pieces[2].byte_count == 121);
  CHECK(pieces[2].is_last());
}

TEST_CASE("what fits into one completion is not cut", "[completions]") {
  // 0x1020 to 0x1120 crosses boundaries of 64 and 128, but 256 B is within the limit.
  CHECK(complete(make_request(BusAddress(0x1020), 256), 64, 256).size() == 1);
  CHECK(complete(make_request(BusAddress(0x1020), 257), 64, 256).size() == 2);
  // 65 DWs with the partly enabled ends.
  CHECK(complete(make_request(BusAddress(0x1021), 256), 64, 256).size() == 2);
}

TEST_CASE("the largest read", "[completions]") {
  const auto pieces = complete(make_request(BusAddress(0), 4096), 128, 128);
  REQUIRE(pieces.size() == 32);
  CHECK(pieces[0].byte_count == 4096);
  CHECK(complete(make_request(BusAddress(0), 4096), 128, 4096)[0].length_dw == 1024);
}

TEST_CASE("with a boundary of 64 B the lower address toggles its top bit", "[completions]") {
  const auto pieces = complete(make_request(BusAddress(0x1040), 256), 64, 64);
  REQUIRE(pieces.size() == 4);
  CHECK(pieces[0].lower_address == 0x40);
  CHECK(pieces[1].lower_address == 0x00);
  CHECK(pieces[2].lower_address == 0x40);
  CHECK(pieces[3].lower_address == 0x00);
}

TEST_CASE("a zero-length read is answered by one DW and counts one byte", "[completions]") {
  const auto pieces = complete(zero_length_read(BusAddress(0x1044)), 128, 256);
  REQUIRE(pieces.size() == 1);
  CHECK(pieces[0].length_dw == 1);
  CHECK(pieces[0].byte_count == 1);
  CHECK(pieces[0].lower_address == 0x44);
  CHECK(pieces[0].is_last());
}

TEST_CASE("random reads are answered exactly and legally", "[completions][property]") {
  Rng rng(13);
  for (int i = 0; i < 50'000; ++i) {
    const std::uint32_t boundary = rng.below(2) == 0 ? 64 : 128;
    const std::uint32_t max_bytes = boundary << rng.below(6);
    const std::uint64_t page = (rng.next() >> rng.between(1, 50)) & ~std::uint64_t{4095};
    const std::uint64_t offset = rng.below(4096);
    const auto bytes = static_cast<std::uint32_t>(rng.between(1, 4096 - offset));
    const RequestPiece read = make_request(BusAddress(page + offset), bytes);
    std::uint64_t at = page + offset;
    std::uint32_t left = bytes;
    std::uint32_t dws = 0;
    const char* problem = nullptr;
    CompletionSplitter splitter(read, {boundary, max_bytes});
    for (bool first = true; !splitter.done() && problem == nullptr; first = false) {
      const CompletionPiece piece = splitter.next();
      if (piece.address.value() != at) problem = "does not continue the one before";
      if (piece.byte_count != left) problem = "has a wrong byte count";
      if (piece.lower_address != (at & 0x7f)) problem = "has a wrong lower address";
      if (!first && piece.lower_address % boundary != 0) problem = "starts off the boundary";
      if (piece.payload_bytes() > max_bytes) problem = "exceeds the limit";
      if (piece.bytes == 0 || piece.bytes > left) problem = "brings a wrong number of bytes";
      if (piece.length_dw != (at + piece.bytes - 1) / 4 - at / 4 + 1)
        problem = "has a wrong length";
      at += piece.bytes;
      left -= piece.bytes;
      dws += piece.length_dw;
      if (left != 0 && at % boundary != 0) problem = "ends off the boundary";
      if (piece.is_last() != (left == 0)) problem = "is wrong about being the last";
      // Could it have reached the next boundary?
      if (left != 0 && piece.payload_bytes() + boundary <= max_bytes) problem = "is too short";
    }
    if (problem == nullptr && left != 0) problem = "does not complete the request";
    if (problem == nullptr && dws != read.length_dw) problem = "sums to other DWs than requested";
    if (problem != nullptr) {
      FAIL("address " << page + offset << " bytes " << bytes << " boundary " << boundary << " max "
                      << max_bytes << ": a completion " << problem);
    }
  }
  SUCCEED();
}

}  // namespace
}  // namespace peerfab::pcie
