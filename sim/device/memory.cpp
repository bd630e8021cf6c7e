// SPDX-License-Identifier: Apache-2.0
#include "sim/device/memory.h"

#include <algorithm>
#include <cstring>

namespace peerfab::device {

void SparseMemory::pattern(std::uint64_t offset, std::byte* to, std::size_t bytes) const {
  // One multiplication for each 8 bytes: cheap, and neighbours differ in every byte.
  const auto word_at = [this](std::uint64_t word) {
    std::uint64_t value = (word + pattern_seed_) * 0x9e3779b97f4a7c15U;
    return value ^ (value >> 29);
  };
  while (bytes > 0) {
    const std::uint64_t word = word_at(offset / 8);
    const std::size_t from = offset % 8;
    const std::size_t count = std::min(bytes, 8 - from);
    std::memcpy(to, reinterpret_cast<const std::byte*>(&word) + from, count);
    offset += count;
    to += count;
    bytes -= count;
  }
}

const SparseMemory::Page* SparseMemory::find_page(std::uint64_t number) const {
  if (number == last_number_) return last_page_;
  const auto found = pages_.find(number);
  last_number_ = number;
  last_page_ = found == pages_.end() ? nullptr : found->second.get();
  return last_page_;
}

SparseMemory::Page& SparseMemory::page_for_writing(std::uint64_t number) {
  if (const Page* page = find_page(number); page != nullptr) return *last_page_;
  auto page = std::make_unique_for_overwrite<Page>();
  pattern(number * kPageBytes, page->data(), kPageBytes);
  last_page_ = page.get();
  pages_.emplace(number, std::move(page));
  return *last_page_;
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
    : config_(config), content_(pattern_seed) {
  const std::uint64_t rate = config.bandwidth.bytes_per_second();
  constexpr std::uint64_t kTicksPerSecond = 1'000'000'000'000U << kTickBits;
  ticks_per_byte_ = rate == 0 ? 0 : (kTicksPerSecond + rate - 1) / rate;
  buffer_ticks_ = config.write_buffer.count() * ticks_per_byte_;
}

Picoseconds Memory::reserve(Picoseconds now, std::uint32_t bytes) {
  bytes_read_ += bytes;
  if (ticks_per_byte_ == 0) return now;
  const std::uint64_t start = std::max(now.count() << kTickBits, free_ticks_);
  const std::uint64_t cost = bytes * ticks_per_byte_;
  free_ticks_ = start + cost;
  busy_ticks_ += cost;
  return std::max(now, Picoseconds(start >> kTickBits));
}

Picoseconds Memory::write(Picoseconds now, std::uint32_t bytes) {
  reserve(now, bytes);
  bytes_read_ -= bytes;
  bytes_written_ += bytes;
  const std::uint64_t now_ticks = now.count() << kTickBits;
  if (free_ticks_ <= now_ticks + buffer_ticks_) return now;
  return Picoseconds((free_ticks_ - buffer_ticks_) >> kTickBits);
}

void Memory::reset_statistics() {
  busy_ticks_ = 0;
  bytes_read_ = 0;
  bytes_written_ = 0;
}

}  // namespace peerfab::device
