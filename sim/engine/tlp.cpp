// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/tlp.h"

#include <cstdlib>
#include <new>

namespace peerfab::engine {

namespace {
// First slot of every chunk.
struct ChunkHeader {
  std::byte* payload;
};
}  // namespace

// A stride that is no power of two: else the payloads of all TLPs would share a few cache sets.
TlpPool::TlpPool(std::size_t max_payload)
    : payload_stride_(max_payload == 0 ? 0 : (max_payload + 63) / 64 * 64 + 64) {}

void TlpPool::ChunkDeleter::operator()(std::byte* chunk) const { std::free(chunk); }

void TlpPool::grow() {
  auto* const chunk = static_cast<std::byte*>(std::aligned_alloc(kChunkBytes, kChunkBytes));
  if (chunk == nullptr) throw std::bad_alloc();
  chunks_.emplace_back(chunk);
  auto* const header = new (chunk) ChunkHeader{nullptr};
  if (with_payload()) {
    payloads_.push_back(
        std::make_unique_for_overwrite<std::byte[]>(kTlpsPerChunk * payload_stride_));
    header->payload = payloads_.back().get();
  }
  for (std::size_t i = kTlpsPerChunk; i > 0; --i) {
    release(new (chunk + i * sizeof(Tlp)) Tlp);
  }
}

std::byte* TlpPool::payload_of(const Tlp* tlp) const {
  // Chunks are aligned to their size.
  const std::uintptr_t in_chunk = reinterpret_cast<std::uintptr_t>(tlp) & (kChunkBytes - 1);
  const auto* const chunk = reinterpret_cast<const std::byte*>(tlp) - in_chunk;
  const auto* const header = reinterpret_cast<const ChunkHeader*>(chunk);
  if (header->payload == nullptr) return nullptr;
  return header->payload + (in_chunk / sizeof(Tlp) - 1) * payload_stride_;
}

}  // namespace peerfab::engine
