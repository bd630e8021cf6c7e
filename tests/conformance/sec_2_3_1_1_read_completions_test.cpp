// SPDX-License-Identifier: Apache-2.0
// PCIe r6.0, sec 2.3.1.1: byte count and lower address from the byte enables, and the legal ways to
// cut the section's four example reads.
#include <cstdint>
#include <set>
#include <vector>

#include "sim/pcie/splitting.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

using Cut = std::vector<std::uint32_t>;

// Every cut the rules allow: all but the last end on a multiple of the boundary.
void legal_cuts(std::uint64_t at, std::uint64_t end, std::uint32_t boundary, Cut* so_far,
                std::set<Cut>* all) {
  so_far->push_back(static_cast<std::uint32_t>(end - at));
  all->insert(*so_far);
  so_far->pop_back();
  for (std::uint64_t stop = (at / boundary + 1) * boundary; stop < end; stop += boundary) {
    so_far->push_back(static_cast<std::uint32_t>(stop - at));
    legal_cuts(stop, end, boundary, so_far, all);
    so_far->pop_back();
  }
}

Cut cut(std::uint64_t address, std::uint32_t bytes, std::uint32_t boundary,
        std::uint32_t max_bytes) {
  Cut result;
  CompletionSplitter splitter(make_request(BusAddress(address), bytes), {boundary, max_bytes});
  while (!splitter.done()) result.push_back(splitter.next().bytes);
  return result;
}

TEST_CASE("the specification's example reads", "[conformance][sec-2.3.1.1]") {
  struct Example {
    std::uint64_t address;
    std::uint32_t bytes;
    std::uint32_t boundary;
    unsigned legal;  // how many cuts the section lists
  };
  for (const Example& example : {Example{0x10000, 192, 64, 4}, Example{0x10000, 192, 128, 2},
                                 Example{0x10020, 256, 64, 16}, Example{0x10020, 256, 128, 4}}) {
    INFO("address " << example.address << " boundary " << example.boundary);
    std::set<Cut> legal;
    Cut so_far;
    legal_cuts(example.address, example.address + example.bytes, example.boundary, &so_far, &legal);
    CHECK(legal.size() == example.legal);
    for (std::uint32_t max_bytes = example.boundary; max_bytes <= 4096;
         max_bytes += example.boundary) {
      const Cut ours = cut(example.address, example.bytes, example.boundary, max_bytes);
      CHECK(legal.count(ours) == 1);
    }
  }
  // The coarsest and the finest of the third.
  CHECK(cut(0x10020, 256, 64, 256) == Cut{256});
  CHECK(cut(0x10020, 256, 64, 64) == Cut{32, 64, 64, 64, 32});
}

TEST_CASE("byte count from length and byte enables", "[conformance][sec-2.3.1.1]") {
  // One DW: from the lowest enabled byte to the highest, whatever lies between.
  const unsigned one_dw[16] = {1, 1, 1, 2, 1, 3, 2, 3, 1, 4, 3, 4, 2, 4, 3, 4};
  for (std::uint8_t first = 0; first < 16; ++first) {
    INFO("first DW BE " << unsigned{first});
    CHECK(read_byte_count(1, first, 0) == one_dw[first]);
  }
  // More: the length less the bytes left out at both ends.
  for (std::uint8_t first = 1; first < 16; ++first) {
    for (std::uint8_t last = 1; last < 16; ++last) {
      const unsigned low = (first & 1) != 0 ? 0 : (first & 2) != 0 ? 1 : (first & 4) != 0 ? 2 : 3;
      const unsigned high = (last & 8) != 0 ? 0 : (last & 4) != 0 ? 1 : (last & 2) != 0 ? 2 : 3;
      CHECK(read_byte_count(4, first, last) == 16 - low - high);
      CHECK(read_byte_count(1024, first, last) == 4096 - low - high);
    }
  }
  // The section's figure: START with 1000b, 4 DW, 0001b: 10 bytes.
  CHECK(read_byte_count(4, 0b1000, 0b0001) == 10);
}

TEST_CASE("low bits of the lower address from the first byte enables",
          "[conformance][sec-2.3.1.1]") {
  const unsigned expected[16] = {0, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0};
  for (std::uint8_t first = 0; first < 16; ++first) {
    CHECK(first_byte_offset(first) == expected[first]);
  }
}

TEST_CASE("a read that crosses no boundary gets exactly one completion",
          "[conformance][sec-2.3.1.1]") {
  for (const std::uint32_t boundary : {64U, 128U}) {
    for (std::uint32_t offset = 0; offset < boundary; ++offset) {
      for (std::uint32_t bytes = 1; offset + bytes <= boundary; ++bytes) {
        if (cut(0x2000 + offset, bytes, boundary, boundary).size() != 1) {
          FAIL("offset " << offset << " bytes " << bytes);
        }
      }
    }
  }
  SUCCEED();
}

TEST_CASE("lower address after the first completion", "[conformance][sec-2.3.1.1]") {
  for (std::uint32_t offset = 0; offset < 256; offset += 4) {
    for (const std::uint32_t boundary : {64U, 128U}) {
      CompletionSplitter splitter(make_request(BusAddress(0x3000 + offset), 1024),
                                  {boundary, boundary});
      CHECK(splitter.next().lower_address == (offset & 0x7f));
      unsigned previous = 0x80;
      while (!splitter.done()) {
        const unsigned lower = splitter.next().lower_address;
        if (boundary == 128) {
          CHECK(lower == 0);
        } else {
          CHECK((lower & 0x3f) == 0);
          CHECK((previous == 0x80 || (lower ^ previous) == 0x40));  // toggles
        }
        previous = lower;
      }
    }
  }
}

}  // namespace
}  // namespace peerfab::pcie
