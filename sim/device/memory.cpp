// SPDX-License-Identifier: Apache-2.0
#include "sim/device/memory.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace peerfab::device {

SparseMemory::SparseMemory(Bytes size, std::uint64_t pattern_seed)
    : pattern_seed_(pattern_seed), directory_((size.count() >> (kPageBits + kTableBits)) + 1) {}

void SparseMemory::pattern(std::uint64_t offset, std::byte* to, std::size_t bytes) const {
  // One multiplication for each 8 bytes: cheap, and neighbours differ in every byte.
  const auto word_at = [this](std::uint64_t word) {
    const std::uint64_t value = (word + pattern_seed_) * 0x9e3779b97f4a7c15U;
    return value ^ (value >> 29);
  };
  while (bytes > 0 && (offset % 8 != 0 || bytes < 8)) {
    const std::uint64_t word = word_at(offset / 8);
    const std::size_t from = offset % 8;
    const std::size_t count = std::min(bytes, 8 - from);
    std::memcpy(to, reinterpret_cast<const std::byte*>(&word) + from, count);
    offset += count;
    to += count;
    bytes -= count;
  }
  std::uint64_t number = offset / 8;
  for (; bytes >= 8; bytes -= 8, to += 8) {
    const std::uint64_t word = word_at(number++);
    std::memcpy(to, &word, sizeof word);
  }
  if (bytes > 0) {
    const std::uint64_t word = word_at(number);
    std::memcpy(to, &word, bytes);
  }
}

const SparseMemory::Page* SparseMemory::find_page(std::uint64_t number) const {
  assert(number >> kTableBits < directory_.size());
  const Table* const table = directory_[number >> kTableBits].get();
  return table == nullptr ? nullptr : (*table)[number & ((1U << kTableBits) - 1)].get();
}

SparseMemory::Page& SparseMemory::page_for_writing(std::uint64_t number) {
  assert(number >> kTableBits < directory_.size());
  std::unique_ptr<Table>& table = directory_[number >> kTableBits];
  if (table == nullptr) table = std::make_unique<Table>();
  std::unique_ptr<Page>& page = (*table)[number & ((1U << kTableBits) - 1)];
  if (page == nullptr) {
    page = std::make_unique_for_overwrite<Page>();
    pattern(number << kPageBits, page->data(), kPageBytes);
    ++pages_;
  }
  return *page;
}

void SparseMemory::write(std::uint64_t offset, const std::byte* from, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t start = offset % kPageBytes;
    const std::size_t count = std::min(bytes, kPageBytes - start);
    std::memcpy(page_for_writing(offset / kPageBytes).data() + start, from, count);
    offset += count;
    from += count;
    bytes -= count;
  }
}

void SparseMemory::read(std::uint64_t offset, std::byte* to, std::size_t bytes) const {
  while (bytes > 0) {
    const std::size_t start = offset % kPageBytes;
    const std::size_t count = std::min(bytes, kPageBytes - start);
    if (const Page* page = find_page(offset / kPageBytes); page != nullptr) {
      std::memcpy(to, page->data() + start, count);
    } else {
      pattern(offset, to, count);
    }
    offset += count;
    to += count;
    bytes -= count;
  }
}

Memory::Memory(const MemoryConfig& config, std::uint64_t pattern_seed)
    : ticks_per_byte_(ticks_per_byte(config.bandwidth)),
      buffer_ticks_(config.write_buffer.count() * ticks_per_byte_),
      config_(config),
      content_(config.size, pattern_seed) {}

// 0: unlimited.
std::uint64_t Memory::ticks_per_byte(Bandwidth bandwidth) {
  const std::uint64_t rate = bandwidth.bytes_per_second();
  constexpr std::uint64_t kTicksPerSecond = 1'000'000'000'000U << kTickBits;
  return rate == 0 ? 0 : (kTicksPerSecond + rate - 1) / rate;
}

Picoseconds Memory::book(Picoseconds now, std::uint32_t bytes) {
  const std::uint64_t start = std::max(now.count() << kTickBits, free_ticks_);
  const std::uint64_t cost = bytes * ticks_per_byte_;
  free_ticks_ = start + cost;
  busy_ticks_ += cost;
  return std::max(now, Picoseconds(start >> kTickBits));
}

void Memory::reset_statistics() {
  busy_ticks_ = 0;
  bytes_read_ = 0;
  bytes_written_ = 0;
}

}  // namespace peerfab::device
