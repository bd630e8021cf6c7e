// SPDX-License-Identifier: Apache-2.0
// Cutting writes and reads into requests: byte enables, limits, 4 KiB, and properties over random
// transfers.
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/rng.h"
#include "sim/pcie/splitting.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

std::vector<RequestPiece> split(std::uint64_t address, std::uint64_t size, std::uint32_t max_bytes,
                                std::uint32_t boundary = 4096) {
  std::vector<RequestPiece> pieces;
  RequestSplitter splitter(BusAddress(address), Bytes(size), {max_bytes, boundary});
  while (!splitter.done()) pieces.push_back(splitter.next());
  return pieces;
}

std::vector<std::uint32_t> sizes(const std::vector<RequestPiece>& pieces) {
  std::vector<std::uint32_t> result;
  for (const RequestPiece& piece : pieces) result.push_back(piece.bytes);
  return result;
}

using Sizes = std::vector<std::uint32_t>;

TEST_CASE("byte enables of every start and size within two DWs", "[splitting]") {
  for (unsigned start = 0; start < 4; ++start) {
    for (unsigned bytes = 1; bytes <= 8; ++bytes) {
      INFO("start " << start << " bytes " << bytes);
      const RequestPiece piece = make_request(BusAddress(0x1000 + start), bytes);
      // Bit i of the mask: byte i from the first DW on is enabled.
      const unsigned mask = ((1U << bytes) - 1) << start;
      const unsigned dws = (start + bytes + 3) / 4;
      CHECK(piece.length_dw == dws);
      CHECK(piece.first_be == (mask & 0xF));
      CHECK(piece.last_be == (dws == 1 ? 0 : (mask >> (4 * (dws - 1))) & 0xF));
      CHECK(piece.dw_address() == BusAddress(0x1000));
      CHECK(piece.payload_bytes() == 4 * dws);
      CHECK(read_byte_count(piece.length_dw, piece.first_be, piece.last_be) == bytes);
      CHECK(first_byte_offset(piece.first_be) == start);
    }
  }
}

TEST_CASE("an aligned write becomes full payloads", "[splitting]") {
  CHECK(sizes(split(0, 1024, 256)) == Sizes{256, 256, 256, 256});
  CHECK(sizes(split(0, 1025, 256)) == Sizes{256, 256, 256, 256, 1});
  CHECK(sizes(split(0, 255, 256)) == Sizes{255});
  CHECK(split(0, 0, 256).empty());
}

TEST_CASE("a partly enabled first DW counts against the limit", "[splitting]") {
  // 256 bytes from 1 on touch 65 DWs; the payload may have 64.
  CHECK(sizes(split(1, 256, 256)) == Sizes{255, 1});
  CHECK(sizes(split(3, 254, 256)) == Sizes{253, 1});
  CHECK(sizes(split(3, 253, 256)) == Sizes{253});
  CHECK(split(3, 253, 256)[0].payload_bytes() == 256);
}

TEST_CASE("no request crosses 4 KiB", "[splitting]") {
  CHECK(sizes(split(0xff0, 16, 256)) == Sizes{16});
  CHECK(sizes(split(0xff0, 17, 256)) == Sizes{16, 1});
  CHECK(sizes(split(0xfff, 2, 256)) == Sizes{1, 1});
  CHECK(sizes(split(0xf80, 512, 256)) == Sizes{128, 256, 128});
  CHECK(sizes(split(0x800, 4096, 4096)) == Sizes{2048, 2048});
  CHECK(sizes(split(0, 8192, 4096)) == Sizes{4096, 4096});
  CHECK(split(0, 4096, 4096)[0].length_dw == 1024);
}

TEST_CASE("a requester may keep to a finer boundary", "[splitting]") {
  CHECK(sizes(split(0x10, 256, 256, 256)) == Sizes{240, 16});
  CHECK(sizes(split(0x10, 128, 64, 64)) == Sizes{48, 64, 16});
}

TEST_CASE("the last page of the address space", "[splitting]") {
  CHECK(sizes(split(0xffff'ffff'ffff'ff00U, 255, 256)) == Sizes{255});
  CHECK(sizes(split(0xffff'ffff'ffff'eff0U, 32, 4096)) == Sizes{16, 16});
}

TEST_CASE("a zero-length read has one DW and no byte enabled", "[splitting]") {
  const RequestPiece flush = zero_length_read(BusAddress(0x1003));
  CHECK(flush.dw_address() == BusAddress(0x1000));
  CHECK(flush.bytes == 0);
  CHECK(flush.length_dw == 1);
  CHECK(flush.first_be == 0);
  CHECK(flush.last_be == 0);
  CHECK(flush.payload_bytes() == 4);
}

TEST_CASE("remaining bytes count down", "[splitting]") {
  RequestSplitter splitter(BusAddress(0), Bytes(300), {256, 4096});
  CHECK(splitter.remaining() == Bytes(300));
  (void)splitter.next();
  CHECK(splitter.remaining() == Bytes(44));
  (void)splitter.next();
  CHECK(splitter.done());
}

// What every piece owes, whatever the transfer; an empty string when all holds.
const char* violation(const RequestPiece& piece, std::uint64_t expected_address,
                      std::uint32_t max_bytes, std::uint32_t boundary) {
  const std::uint64_t address = piece.address.value();
  if (address != expected_address) return "does not continue the one before";
  if (piece.bytes == 0) return "is empty";
  const std::uint64_t last = address + piece.bytes - 1;
  if (address / 4096 != last / 4096) return "crosses 4 KiB";
  if (address / boundary != last / boundary) return "crosses the boundary";
  if (piece.payload_bytes() > max_bytes) return "exceeds the limit";
  if (piece.length_dw != last / 4 - address / 4 + 1) return "has a wrong length";
  if (read_byte_count(piece.length_dw, piece.first_be, piece.last_be) != piece.bytes) {
    return "enables other bytes than it counts";
  }
  if (piece.dw_address().value() + first_byte_offset(piece.first_be) != address) {
    return "enables another first byte";
  }
  if ((piece.length_dw == 1) != (piece.last_be == 0)) return "has wrong last byte enables";
  return "";
}

TEST_CASE("random transfers are covered exactly", "[splitting][property]") {
  Rng rng(11);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint32_t max_bytes = 64U << rng.below(7);
    const std::uint32_t boundary = rng.below(2) == 0 ? 4096 : 64U << rng.below(7);
    const std::uint64_t address = rng.next() >> rng.between(1, 60);
    const std::uint64_t size = rng.below(20'000);
    RequestSplitter splitter(BusAddress(address), Bytes(size), {max_bytes, boundary});
    std::uint64_t at = address;
    std::string problem;
    unsigned shorter = 0;  // pieces that a limit did not end
    while (!splitter.done()) {
      const RequestPiece piece = splitter.next();
      problem = violation(piece, at, max_bytes, boundary);
      at += piece.bytes;
      const bool full = (at & 3) == 0 && piece.payload_bytes() == max_bytes;
      shorter += full || at % boundary == 0 ? 0 : 1;
      if (!problem.empty()) break;
    }
    if (problem.empty() && at != address + size) problem = "the sum is wrong";
    if (problem.empty() && shorter > 1) problem = "a piece is shorter than it could be";
    if (!problem.empty()) {
      FAIL("address " << address << " size " << size << " max " << max_bytes << ": " << problem);
    }
  }
  SUCCEED();
}

static_assert(
    [] {
      RequestSplitter splitter(BusAddress(0x10), Bytes(600), {256, 4096});
      unsigned count = 0;
      for (; !splitter.done(); ++count) (void)splitter.next();
      return count;
    }() == 3,
    "splitters run at compile time");

}  // namespace
}  // namespace peerfab::pcie
