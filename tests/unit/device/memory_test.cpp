// SPDX-License-Identifier: Apache-2.0
#include "sim/device/memory.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/base/rng.h"
#include "tests/support/catch.h"

using peerfab::Bandwidth;
using peerfab::Bytes;
using peerfab::Picoseconds;
using peerfab::Rng;
using peerfab::device::Memory;
using peerfab::device::MemoryConfig;
using peerfab::device::SparseMemory;

namespace {

constexpr std::uint64_t kPage = 65536;
constexpr Bytes kSize{std::uint64_t{1} << 40};

std::vector<std::byte> read(const SparseMemory& memory, std::uint64_t offset, std::size_t bytes) {
  std::vector<std::byte> result(bytes);
  memory.read(offset, result.data(), bytes);
  return result;
}

std::vector<std::byte> pattern(const SparseMemory& memory, std::uint64_t offset,
                               std::size_t bytes) {
  std::vector<std::byte> result(bytes);
  memory.pattern(offset, result.data(), bytes);
  return result;
}

std::vector<std::byte> random_bytes(Rng& rng, std::size_t bytes) {
  std::vector<std::byte> result(bytes);
  for (std::byte& byte : result) byte = static_cast<std::byte>(rng.below(256));
  return result;
}

// 10 ps a byte, 100 ns.
MemoryConfig dram() {
  MemoryConfig config;
  config.size = Bytes(1 << 20);
  config.read_latency = Picoseconds(100'000);
  config.bandwidth = Bandwidth(100'000'000'000);
  return config;
}

}  // namespace

TEST_CASE("untouched memory reads as its pattern and takes no room", "[memory]") {
  const SparseMemory memory(kSize, 7);
  for (const std::uint64_t offset : {std::uint64_t{0}, kPage - 3, 5 * kPage, kSize.count() - 100}) {
    CHECK(read(memory, offset, 100) == pattern(memory, offset, 100));
  }
  CHECK(memory.resident_bytes() == 0);
}

TEST_CASE("a pattern does not depend on how it is read, and seeds differ", "[memory]") {
  const SparseMemory memory(kSize, 7);
  const std::vector<std::byte> whole = pattern(memory, 0, 300);
  for (std::size_t from = 0; from < 40; ++from) {
    for (const std::size_t bytes : {1U, 2U, 7U, 8U, 9U, 15U, 16U, 17U, 100U}) {
      const std::vector<std::byte> part = pattern(memory, from, bytes);
      REQUIRE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<long>(from)));
    }
  }
  CHECK(pattern(SparseMemory(kSize, 8), 0, 300) != whole);
  // Neighbouring words differ, and so do the same places of different pages.
  CHECK(pattern(memory, 0, 8) != pattern(memory, 8, 8));
  CHECK(pattern(memory, 0, 64) != pattern(memory, kPage, 64));
}

TEST_CASE("what was written is read, what lies beside it keeps its pattern", "[memory]") {
  SparseMemory memory(kSize, 3);
  const std::vector<std::byte> data(10, std::byte{0xab});
  SECTION("inside a page") {
    memory.write(1000, data.data(), data.size());
    CHECK(read(memory, 1000, 10) == data);
    CHECK(read(memory, 990, 10) == pattern(memory, 990, 10));
    CHECK(read(memory, 1010, 10) == pattern(memory, 1010, 10));
    CHECK(memory.resident_bytes() == kPage);
  }
  SECTION("over the edge of a page") {
    memory.write(kPage - 4, data.data(), data.size());
    CHECK(read(memory, kPage - 4, 10) == data);
    CHECK(read(memory, kPage - 14, 10) == pattern(memory, kPage - 14, 10));
    CHECK(read(memory, kPage + 6, 10) == pattern(memory, kPage + 6, 10));
    CHECK(memory.resident_bytes() == 2 * kPage);
  }
  SECTION("up to the last byte of a page and from the first") {
    memory.write(3 * kPage - 10, data.data(), data.size());
    CHECK(memory.resident_bytes() == kPage);
    memory.write(3 * kPage, data.data(), data.size());
    CHECK(memory.resident_bytes() == 2 * kPage);
    CHECK(read(memory, 3 * kPage - 10, 20) == std::vector<std::byte>(20, std::byte{0xab}));
  }
  SECTION("at the end of the memory, and far apart") {
    memory.write(kSize.count() - 10, data.data(), data.size());
    memory.write(0, data.data(), data.size());
    CHECK(read(memory, kSize.count() - 10, 10) == data);
    CHECK(read(memory, 0, 10) == data);
    CHECK(memory.resident_bytes() == 2 * kPage);
  }
  SECTION("nothing at all") {
    memory.write(1000, data.data(), 0);
    CHECK(memory.resident_bytes() == 0);
  }
}

TEST_CASE("random writes and reads agree with a flat memory", "[memory]") {
  constexpr std::size_t kBytes = 5 * kPage;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed);
    SparseMemory memory(Bytes(kBytes), seed);
    std::vector<std::byte> flat = pattern(memory, 0, kBytes);
    for (int i = 0; i < 400; ++i) {
      // Short ones, and some that span pages; often near an edge.
      const std::size_t bytes = rng.below(8) == 0 ? rng.below(2 * kPage) : rng.below(300);
      std::uint64_t offset = rng.below(kBytes - bytes);
      if (rng.below(2) == 0) {
        offset =
            std::min<std::uint64_t>(kPage * rng.between(1, 4) - rng.below(200), kBytes - bytes);
      }
      if (rng.below(2) == 0) {
        const std::vector<std::byte> data = random_bytes(rng, bytes);
        memory.write(offset, data.data(), bytes);
        std::copy(data.begin(), data.end(), flat.begin() + static_cast<long>(offset));
      } else {
        const std::vector<std::byte> found = read(memory, offset, bytes);
        REQUIRE(std::equal(found.begin(), found.end(), flat.begin() + static_cast<long>(offset)));
      }
    }
    REQUIRE(read(memory, 0, kBytes) == flat);
  }
}

TEST_CASE("an unlimited memory costs its latency alone", "[memory]") {
  MemoryConfig config = dram();
  config.bandwidth = Bandwidth();
  Memory memory(config, 0);
  for (int i = 0; i < 100; ++i) {
    CHECK(memory.read(Picoseconds(5'000), 4096) == Picoseconds(105'000));
    CHECK(memory.write(Picoseconds(5'000), 4096) == Picoseconds(5'000));
  }
  CHECK(memory.busy() == Picoseconds(0));
}

TEST_CASE("reads share the bandwidth, and the latency comes after their turn", "[memory]") {
  Memory memory(dram(), 0);
  CHECK(memory.read(Picoseconds(0), 256) == Picoseconds(100'000));
  CHECK(memory.read(Picoseconds(0), 256) == Picoseconds(102'560));
  CHECK(memory.read(Picoseconds(1'000), 64) == Picoseconds(105'120));
  // Free at 5,760: one that comes then or later does not wait.
  CHECK(memory.read(Picoseconds(5'760), 64) == Picoseconds(105'760));
  CHECK(memory.read(Picoseconds(50'000), 64) == Picoseconds(150'000));
  CHECK(memory.bytes_read() == 256 + 256 + 64 + 64 + 64);
  CHECK(memory.bytes_written() == 0);
  CHECK(memory.busy() == Picoseconds(7'040));
}

TEST_CASE("a bandwidth that is no whole number of picoseconds a byte loses nothing on the way",
          "[memory]") {
  MemoryConfig config = dram();
  config.bandwidth = Bandwidth(300'000'000'000);  // 3.333 ps a byte
  Memory memory(config, 0);
  for (int i = 0; i < 3000; ++i) memory.reserve(Picoseconds(0), 100);
  // 300,000 bytes take 1 us; the booking is in 1/512 ps and never too fast.
  const std::uint64_t turn = memory.reserve(Picoseconds(0), 100).count();
  CHECK(turn >= 1'000'000);
  CHECK(turn <= 1'000'300);
}

TEST_CASE("writes are accepted as far ahead as the write buffer reaches", "[memory]") {
  MemoryConfig config = dram();
  config.write_buffer = Bytes(1'000);
  Memory memory(config, 0);
  CHECK(memory.write(Picoseconds(0), 600) == Picoseconds(0));
  CHECK(memory.write(Picoseconds(0), 400) == Picoseconds(0));  // full to the last byte
  CHECK(memory.write(Picoseconds(0), 1) == Picoseconds(10));   // one byte has to leave first
  CHECK(memory.write(Picoseconds(0), 599) == Picoseconds(6'000));
  CHECK(memory.write(Picoseconds(20'000), 100) == Picoseconds(20'000));
  CHECK(memory.bytes_written() == 1'700);
  CHECK(memory.bytes_read() == 0);
}

TEST_CASE("reads wait behind the writes that the memory has taken", "[memory]") {
  Memory memory(dram(), 0);
  memory.write(Picoseconds(0), 1'000);
  CHECK(memory.read(Picoseconds(0), 64) == Picoseconds(110'000));
}

TEST_CASE("statistics of a memory can start anew, its bookings stay", "[memory]") {
  Memory memory(dram(), 0);
  memory.read(Picoseconds(0), 1'000);
  memory.write(Picoseconds(0), 1'000);
  memory.reset_statistics();
  CHECK(memory.bytes_read() == 0);
  CHECK(memory.bytes_written() == 0);
  CHECK(memory.busy() == Picoseconds(0));
  CHECK(memory.read(Picoseconds(0), 1) == Picoseconds(120'000));
}
