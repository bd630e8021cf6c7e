// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/aperture.h"

#include <cassert>

namespace peerfab::models {

Aperture::Aperture(std::uint64_t aperture_bytes, std::uint64_t memory_bytes)
    : memory_bytes_(memory_bytes), one_to_one_(aperture_bytes >= memory_bytes) {
  if (!one_to_one_) pages_.assign(aperture_bytes / kPageBytes, kUnmapped);
}

std::optional<std::uint64_t> Aperture::map(std::uint64_t offset, std::uint64_t length) {
  assert(length > 0);
  if (offset + length > memory_bytes_) return std::nullopt;
  if (one_to_one_) {
    ++mappings_;
    return offset;
  }
  const std::uint64_t first = offset / kPageBytes;
  const std::uint64_t count = (offset + length - 1) / kPageBytes - first + 1;
  if (count > pages_.size()) return std::nullopt;
  // First fit, starting where the last mapping ended: pages are freed in about the same order.
  std::size_t run = 0;
  for (std::size_t tried = 0, at = next_; tried < pages_.size() + count; ++tried, ++at) {
    if (at >= pages_.size()) {
      at = 0;
      run = 0;
    }
    run = pages_[at] == kUnmapped ? run + 1 : 0;
    if (run < count) continue;
    const std::size_t start = at + 1 - count;
    for (std::size_t i = 0; i < count; ++i) pages_[start + i] = first + i;
    next_ = at + 1 == pages_.size() ? 0 : at + 1;
    ++mappings_;
    return start * kPageBytes + offset % kPageBytes;
  }
  return std::nullopt;
}

void Aperture::unmap(std::uint64_t position, std::uint64_t length) {
  if (one_to_one_) return;
  const std::uint64_t last = (position + length - 1) / kPageBytes;
  for (std::uint64_t page = position / kPageBytes; page <= last; ++page) pages_[page] = kUnmapped;
}

std::optional<std::uint64_t> Aperture::locate(std::uint64_t position) const {
  if (one_to_one_) return position < memory_bytes_ ? std::optional(position) : std::nullopt;
  const std::uint64_t page = position / kPageBytes;
  if (page >= pages_.size() || pages_[page] == kUnmapped) return std::nullopt;
  return pages_[page] * kPageBytes + position % kPageBytes;
}

std::uint64_t Aperture::largest_mapping() const {
  if (one_to_one_) return memory_bytes_;
  // A mapping that starts inside a page takes one page more.
  return pages_.size() > 1 ? (pages_.size() - 1) * kPageBytes : kPageBytes;
}

}  // namespace peerfab::models
