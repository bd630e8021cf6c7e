// SPDX-License-Identifier: Apache-2.0
// Cutting transfers into TLPs: writes by Max_Payload_Size, reads by Max_Read_Request_Size, and the
// completions of a read by the read completion boundary.
//
// Contract: each splitter yields pieces in increasing address order that cover the transfer
// exactly. No request crosses a 4 KiB boundary and none carries more DWs than its limit, the DWs
// that are only partly enabled included. No allocation.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>

#include "sim/base/units.h"
#include "sim/pcie/spec.h"

namespace peerfab::pcie {

// Byte enables of the first and last DW: a bit per byte, bit 0 the lowest address (PCIe r6.0, sec
// 2.2.5.1). With a Length of 1 DW the last ones are zero.
[[nodiscard]] constexpr std::uint8_t first_byte_enables(std::uint64_t address,
                                                        std::uint64_t bytes) {
  const auto from = static_cast<unsigned>(address & 3);
  const unsigned to = static_cast<unsigned>(std::min<std::uint64_t>(4, from + bytes));
  return static_cast<std::uint8_t>((0xFU << from) & (0xFU >> (4 - to)) & 0xFU);
}
[[nodiscard]] constexpr std::uint8_t last_byte_enables(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t end = (address & 3) + bytes;
  return end <= 4 ? std::uint8_t{0} : static_cast<std::uint8_t>(0xFU >> ((4 - (end & 3)) & 3));
}

// One memory request. `address` is that of the first enabled byte.
struct RequestPiece {
  BusAddress address;
  std::uint32_t bytes = 0;      // enabled bytes
  std::uint16_t length_dw = 0;  // 1 to 1024
  std::uint8_t first_be = 0;
  std::uint8_t last_be = 0;

  // The header's address, whose two low bits are not sent.
  [[nodiscard]] constexpr BusAddress dw_address() const {
    return BusAddress(address.value() & ~std::uint64_t{3});
  }
  // Payload of a write, and of all completions of a read together.
  [[nodiscard]] constexpr std::uint32_t payload_bytes() const {
    return std::uint32_t{length_dw} * spec::kDwBytes;
  }
  constexpr bool operator==(const RequestPiece&) const = default;
};

// A request for `bytes` from `address` on. Requires 1 to 4096 bytes within one 4 KiB page.
[[nodiscard]] constexpr RequestPiece make_request(BusAddress address, std::uint32_t bytes) {
  return {address, bytes, static_cast<std::uint16_t>(((address.value() & 3) + bytes + 3) / 4),
          first_byte_enables(address.value(), bytes), last_byte_enables(address.value(), bytes)};
}

// A read of one DW with no byte enabled: a flush, whose completion says that the posted writes
// before it have arrived (PCIe r6.0, sec 2.2.5.1). Its completion carries one DW.
[[nodiscard]] constexpr RequestPiece zero_length_read(BusAddress address) {
  return {BusAddress(address.value() & ~std::uint64_t{3}), 0, 1, 0, 0};
}

struct RequestLimits {
  // Max_Payload_Size for writes, Max_Read_Request_Size for reads, or less: a multiple of 4.
  std::uint32_t max_bytes = spec::kMinMaxPayloadSize;
  // No request crosses a multiple of it: a power of two, at most 4 KiB. Less than 4 KiB for a
  // requester that keeps to its payload size or cache line.
  std::uint32_t boundary = spec::kAddressBoundaryBytes;
};

// Cuts [address, address + size) into requests. An empty transfer has none.
class RequestSplitter {
 public:
  // Requires that the range ends at or below 2^64 - 1.
  constexpr RequestSplitter(BusAddress address, Bytes size, RequestLimits limits)
      : next_(address.value()), end_(address.value() + size.count()), limits_(limits) {
    assert(end_ >= next_);
    assert(limits.max_bytes >= spec::kDwBytes && limits.max_bytes % spec::kDwBytes == 0);
    assert(limits.max_bytes <= spec::kMaxPayloadBytes);
    assert(std::has_single_bit(limits.boundary) && limits.boundary >= spec::kDwBytes);
    assert(limits.boundary <= spec::kAddressBoundaryBytes);
  }

  [[nodiscard]] constexpr bool done() const { return next_ == end_; }
  [[nodiscard]] constexpr Bytes remaining() const { return Bytes(end_ - next_); }

  // Requires !done().
  constexpr RequestPiece next() {
    assert(!done());
    // Distances, not addresses: the last page of the address space must not wrap around.
    const std::uint64_t to_limit = limits_.max_bytes - (next_ & 3);
    const std::uint64_t to_boundary = limits_.boundary - (next_ & (limits_.boundary - 1));
    const auto bytes = static_cast<std::uint32_t>(std::min({end_ - next_, to_limit, to_boundary}));
    const RequestPiece piece = make_request(BusAddress(next_), bytes);
    next_ += bytes;
    return piece;
  }

 private:
  std::uint64_t next_;
  std::uint64_t end_;
  RequestLimits limits_;
};

// Byte Count of the first completion: the bytes from the first enabled one to the last (PCIe r6.0,
// sec 2.3.1.1). A read with no byte enabled counts 1.
[[nodiscard]] constexpr std::uint32_t read_byte_count(std::uint32_t length_dw,
                                                      std::uint8_t first_be, std::uint8_t last_be) {
  if (first_be == 0) return 1;
  const auto skipped_low = static_cast<std::uint32_t>(std::countr_zero(first_be));
  const std::uint8_t top = length_dw == 1 ? first_be : last_be;
  const auto skipped_high = static_cast<std::uint32_t>(4 - std::bit_width(top));
  return length_dw * spec::kDwBytes - skipped_low - skipped_high;
}

// Low two bits of the address of the first enabled byte; 0 when none is (PCIe r6.0, sec 2.3.1.1).
[[nodiscard]] constexpr std::uint32_t first_byte_offset(std::uint8_t first_be) {
  return first_be == 0 ? 0 : static_cast<std::uint32_t>(std::countr_zero(first_be));
}

// One completion with data.
struct CompletionPiece {
  BusAddress address;              // of its first enabled byte
  std::uint32_t bytes = 0;         // this completion's share of the byte count
  std::uint16_t length_dw = 0;     // 1 to 1024
  std::uint16_t byte_count = 0;    // Byte Count field: still to come, this one included; 1 to 4096
  std::uint8_t lower_address = 0;  // Lower Address field, 7 bits

  [[nodiscard]] constexpr std::uint32_t payload_bytes() const {
    return std::uint32_t{length_dw} * spec::kDwBytes;
  }
  // Whether it completes the request.
  [[nodiscard]] constexpr bool is_last() const { return bytes == byte_count; }
  constexpr bool operator==(const CompletionPiece&) const = default;
};

struct CompletionLimits {
  // Read completion boundary: 64 or 128 B at a root complex, 128 B elsewhere.
  std::uint32_t read_completion_boundary = spec::kRcbLargeBytes;
  // Most data in one completion, at most Max_Payload_Size: a multiple of the boundary.
  std::uint32_t max_bytes = spec::kRcbLargeBytes;
};

// Cuts the answer to one memory read into completions (PCIe r6.0, sec 2.3.1.1): each but the last
// ends on the furthest read completion boundary that its limit allows, so the first brings an
// unaligned request onto the boundary and the rest are as long as they may be.
class CompletionSplitter {
 public:
  constexpr CompletionSplitter(const RequestPiece& read, CompletionLimits limits)
      : next_(read.dw_address().value() + first_byte_offset(read.first_be)),
        remaining_(read_byte_count(read.length_dw, read.first_be, read.last_be)),
        limits_(limits) {
    assert(limits.read_completion_boundary == spec::kRcbSmallBytes ||
           limits.read_completion_boundary == spec::kRcbLargeBytes);
    assert(limits.max_bytes >= limits.read_completion_boundary);
    assert(limits.max_bytes % limits.read_completion_boundary == 0);
  }

  [[nodiscard]] constexpr bool done() const { return remaining_ == 0; }

  // Requires !done().
  constexpr CompletionPiece next() {
    assert(!done());
    // The limit counts whole DWs, so it starts at the DW of the first byte.
    const std::uint64_t past_boundary = next_ & (limits_.read_completion_boundary - 1);
    const auto skipped = static_cast<std::uint32_t>(next_ & 3);
    std::uint32_t bytes = remaining_;
    if (skipped + bytes > limits_.max_bytes) {
      bytes = limits_.max_bytes - static_cast<std::uint32_t>(past_boundary);
    }
    CompletionPiece piece;
    piece.address = BusAddress(next_);
    piece.bytes = bytes;
    piece.length_dw = static_cast<std::uint16_t>((skipped + bytes + 3) / 4);
    piece.byte_count = static_cast<std::uint16_t>(remaining_);
    piece.lower_address = static_cast<std::uint8_t>(next_ & ((1U << spec::kLowerAddressBits) - 1));
    next_ += bytes;
    remaining_ -= bytes;
    return piece;
  }

 private:
  std::uint64_t next_;
  std::uint32_t remaining_;
  CompletionLimits limits_;
};

}  // namespace peerfab::pcie
