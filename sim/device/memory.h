// SPDX-License-Identifier: Apache-2.0
// Memory behind a port: DRAM of a socket, HBM of a GPU, local memory of an endpoint. Its timing is
// a latency and a rate that all users share; its content is kept only where it was written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/base/units.h"

namespace peerfab::device {

// Bytes that were written, in pages; the rest reads as a pattern that depends on the seed and the
// offset, so that a copy moves something that can be checked without storing its source.
class SparseMemory {
 public:
  // Offsets from 0 to `size` are read and written.
  SparseMemory(Bytes size, std::uint64_t pattern_seed);

  void write(std::uint64_t offset, const std::byte* from, std::size_t bytes);
  void read(std::uint64_t offset, std::byte* to, std::size_t bytes) const;
  // What an untouched memory would read at this offset.
  void pattern(std::uint64_t offset, std::byte* to, std::size_t bytes) const;
  [[nodiscard]] std::size_t resident_bytes() const { return pages_ * kPageBytes; }

 private:
  // Two levels: a directory of tables of pages. Both are made when something below is written.
  static constexpr std::uint64_t kPageBits = 16;
  static constexpr std::uint64_t kTableBits = 10;
  static constexpr std::size_t kPageBytes = std::size_t{1} << kPageBits;
  using Page = std::array<std::byte, kPageBytes>;
  using Table = std::array<std::unique_ptr<Page>, std::size_t{1} << kTableBits>;

  [[nodiscard]] Page& page_for_writing(std::uint64_t number);
  [[nodiscard]] const Page* find_page(std::uint64_t number) const;

  std::uint64_t pattern_seed_;
  std::vector<std::unique_ptr<Table>> directory_;
  std::size_t pages_ = 0;
};

struct MemoryConfig {
  Bytes size;
  Picoseconds read_latency;  // from the request to its first data, unloaded
  Bandwidth bandwidth;       // shared by reads and writes; 0: unlimited
  // Writes are accepted this far ahead of the memory itself.
  Bytes write_buffer{std::uint64_t{64} << 10};
};

class alignas(64) Memory {
 public:
  Memory(const MemoryConfig& config, std::uint64_t pattern_seed);

  [[nodiscard]] Bytes size() const { return config_.size; }
  [[nodiscard]] Picoseconds read_latency() const { return config_.read_latency; }
  [[nodiscard]] SparseMemory& content() { return content_; }

  // Books `bytes` of the memory's time. When the memory turns to them, at the earliest now.
  Picoseconds reserve(Picoseconds now, std::uint32_t bytes) {
    bytes_read_ += bytes;
    return ticks_per_byte_ == 0 ? now : book(now, bytes);
  }
  // When the data of a read is there.
  Picoseconds read(Picoseconds now, std::uint32_t bytes) {
    return reserve(now, bytes) + config_.read_latency;
  }
  // When a write is in the buffer, which ends its use of whatever held it before.
  Picoseconds write(Picoseconds now, std::uint32_t bytes) {
    bytes_written_ += bytes;
    if (ticks_per_byte_ == 0) return now;
    book(now, bytes);
    const std::uint64_t now_ticks = now.count() << kTickBits;
    if (free_ticks_ <= now_ticks + buffer_ticks_) return now;
    return Picoseconds((free_ticks_ - buffer_ticks_) >> kTickBits);
  }

  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }
  [[nodiscard]] std::uint64_t bytes_written() const { return bytes_written_; }
  // Time for which it was busy, while it is not unlimited.
  [[nodiscard]] Picoseconds busy() const { return Picoseconds(busy_ticks_ >> kTickBits); }
  void reset_statistics();

 private:
  static std::uint64_t ticks_per_byte(Bandwidth bandwidth);
  Picoseconds book(Picoseconds now, std::uint32_t bytes);

  static constexpr unsigned kTickBits = 9;  // the booking keeps fractions of a picosecond

  // What each use touches, in one cache line.
  std::uint64_t ticks_per_byte_;  // 0: unlimited
  std::uint64_t buffer_ticks_;
  std::uint64_t free_ticks_ = 0;
  std::uint64_t busy_ticks_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_written_ = 0;

  MemoryConfig config_;
  SparseMemory content_;
};

}  // namespace peerfab::device
