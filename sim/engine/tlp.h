// SPDX-License-Identifier: Apache-2.0
// A TLP in flight, in exactly one cache line, and the pool that recycles them.
//
// Only what a hop reads is here. Bit-exact headers are the codec's business (sim/pcie); a payload,
// where the run moves real bytes, lies beside the TLP in the pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/pcie/credits.h"
#include "sim/pcie/tlp_kind.h"

namespace peerfab::engine {

// Where a TLP's time went, hop by hop. What is left of its age is queueing, so that the segments
// and queueing always sum to the latency exactly. Saturates at 4.29 ms: a longer stall counts as
// queueing beyond that.
enum class TlpSegment : std::uint8_t {
  kSerialisation,  // the slowest link's, once
  kPropagation,
  kSwitch,  // forwarding latency; bytes waited for by store-and-forward beyond the slowest link
  kCreditStall,    // at the head of its queue, the peer's buffer full
  kOrderingStall,  // at the head of its queue, behind a posted request that it may not pass
  kIotlbMiss,
  kMemory,
};
inline constexpr std::size_t kTlpSegments = 7;

enum class CompletionStatus : std::uint8_t {  // PCIe r6.0, sec 2.2.9.1
  kSuccessful = 0,
  kUnsupportedRequest = 1,
  kConfigurationRequestRetry = 2,
  kCompleterAbort = 4,
};

struct alignas(64) Tlp {
  // Requests: the address of the first byte. Completions: lower address and completer ID.
  std::uint64_t address = 0;
  // When it entered the queue in which it waits. In flight: when the one behind it arrives.
  Picoseconds stamp;
  Tlp* next = nullptr;
  std::uint32_t segments[kTlpSegments] = {};
  std::uint16_t length = 0;  // bytes of payload, or bytes asked for by a read; 4096 at most
  // Completions: bytes still to come, this one included. Pieces of a write that was split in the
  // component that holds them: the last one has the data credits of the buffer that held the whole,
  // the others kFreesNothing. 0: as long as the TLP itself.
  std::uint16_t byte_count = 0;
  std::uint16_t requester = 0;
  std::uint16_t tag =
      0;  // posted requests have no tag on the wire that matters: their issuer's own
  pcie::TlpKind kind{};
  pcie::FlowClass flow_class = pcie::FlowClass::kPosted;
  // kNoSnoop, kRelaxedOrdering, kIdOrdering; traffic class in 5:3. A completion has those of its
  // request (PCIe r6.0, sec 2.2.9).
  std::uint8_t attributes = 0;
  std::uint8_t flags = 0;  // kFourDw to kEarlyPiece; completion status in 6:4

  static constexpr std::uint8_t kNoSnoop = 1;  // PCIe r6.0, sec 2.2.6.3
  static constexpr std::uint8_t kRelaxedOrdering = 2;
  static constexpr std::uint8_t kIdOrdering = 4;
  static constexpr unsigned kTrafficClassShift = 3;

  static constexpr std::uint8_t kFourDw = 1;
  static constexpr std::uint8_t kDigest = 2;
  static constexpr std::uint8_t kPoisoned = 4;
  static constexpr std::uint8_t kHasPayload = 8;
  static constexpr std::uint16_t kFreesNothing = 0xffff;

  // A piece, not the last, of a write that was split on its way: its delivery is not that of the
  // whole.
  static constexpr std::uint8_t kEarlyPiece = 0x80;

  // Bytes that the payload moves: a read request has a length and no payload.
  [[nodiscard]] std::uint32_t payload_bytes() const {
    return (flags & kHasPayload) != 0 ? length : 0U;
  }
  // The payload on the wire, in whole DWs from the one that holds the first byte. (Completions
  // keep the low bits of their first byte's address where requests do.)
  [[nodiscard]] std::uint32_t payload_dw_bytes() const {
    return (flags & kHasPayload) != 0
               ? ((static_cast<std::uint32_t>(address & 3) + length + 3U) & ~3U)
               : 0U;
  }
  [[nodiscard]] std::uint32_t header_bytes() const { return (flags & kFourDw) != 0 ? 16U : 12U; }
  [[nodiscard]] bool relaxed_ordering() const { return (attributes & kRelaxedOrdering) != 0; }
  [[nodiscard]] bool is_early_piece() const { return (flags & kEarlyPiece) != 0; }
  [[nodiscard]] bool has_digest() const { return (flags & kDigest) != 0; }
  [[nodiscard]] std::uint32_t data_credits() const {
    return pcie::data_credits(payload_dw_bytes());
  }
  // Data credits of the buffer in this component that it frees when it goes; nullopt: it frees
  // none, as the first pieces of a write that was split here.
  [[nodiscard]] std::optional<std::uint32_t> held_data_credits() const {
    if (flow_class != pcie::FlowClass::kPosted || byte_count == 0) return data_credits();
    if (byte_count == kFreesNothing) return std::nullopt;
    return byte_count;
  }

  [[nodiscard]] CompletionStatus status() const {
    return static_cast<CompletionStatus>((flags >> 4) & 7);
  }
  void set_status(CompletionStatus value) {
    flags = static_cast<std::uint8_t>((flags & 0x8f) | (static_cast<unsigned>(value) << 4));
  }
  // Of completions: address[6:0] and the completer that sent it.
  void set_completion_address(std::uint64_t first_byte, Bdf completer) {
    address = (first_byte & 0x7f) | (std::uint64_t{completer.value()} << 16);
  }
  [[nodiscard]] std::uint8_t lower_address() const {
    return static_cast<std::uint8_t>(address & 0x7f);
  }
  [[nodiscard]] Bdf completer() const { return Bdf(static_cast<std::uint16_t>(address >> 16)); }

  // PCIe r6.0, sec 2.2.6.6.
  [[nodiscard]] unsigned traffic_class() const { return attributes >> kTrafficClassShift & 7U; }
  void set_traffic_class(unsigned value) {
    attributes = static_cast<std::uint8_t>((attributes & ~(7U << kTrafficClassShift)) |
                                           (value & 7U) << kTrafficClassShift);
  }

  void add(TlpSegment segment, std::uint64_t picoseconds) {
    std::uint32_t& value = segments[static_cast<std::size_t>(segment)];
    const std::uint64_t sum = value + picoseconds;
    value = sum > 0xffffffffU ? 0xffffffffU : static_cast<std::uint32_t>(sum);
  }
  // The same for times that a hop adds by construction: too short to overflow on any way.
  void add_constant(TlpSegment segment, std::uint32_t picoseconds) {
    segments[static_cast<std::size_t>(segment)] += picoseconds;
  }
  // The whole TLP had to be waited for on this link. Serialisation counts once, at the slowest
  // link; what the others make it wait is the forwarding component's doing.
  void pay_serialisation(Picoseconds time) {
    std::uint32_t& slowest = segments[static_cast<std::size_t>(TlpSegment::kSerialisation)];
    const auto paid = static_cast<std::uint32_t>(time.count());
    segments[static_cast<std::size_t>(TlpSegment::kSwitch)] += paid < slowest ? paid : slowest;
    slowest = paid < slowest ? slowest : paid;
  }
  [[nodiscard]] std::uint32_t segment(TlpSegment which) const {
    return segments[static_cast<std::size_t>(which)];
  }
};
static_assert(sizeof(Tlp) == 64);

// Hands out TLPs and takes them back. Grows by whole chunks until the fabric is warm, then never:
// a TLP exists only while a buffer holds it, so the topology's credits bound their number.
class TlpPool {
 public:
  // Each TLP has max_payload bytes of its own; 0 where a run moves no payload.
  explicit TlpPool(std::size_t max_payload);

  [[nodiscard]] Tlp* allocate() {
    if (free_ == nullptr) [[unlikely]]
      grow();
    Tlp* const tlp = free_;
    free_ = tlp->next;
    return tlp;
  }
  void release(Tlp* tlp) {
    tlp->next = free_;
    free_ = tlp;
  }
  [[nodiscard]] bool with_payload() const { return payload_stride_ != 0; }
  // The bytes of a TLP of this pool; nullptr when the run moves no payload.
  [[nodiscard]] std::byte* payload(const Tlp* tlp) const {
    return payload_stride_ == 0 ? nullptr : payload_of(tlp);
  }
  [[nodiscard]] std::size_t capacity() const { return chunks_.size() * kTlpsPerChunk; }

 private:
  // A chunk's address is a multiple of its size, so a TLP finds its chunk by masking its own.
  static constexpr std::size_t kChunkBytes = std::size_t{64} << 10;
  static constexpr std::size_t kTlpsPerChunk = kChunkBytes / sizeof(Tlp) - 1;
  struct ChunkDeleter {
    void operator()(std::byte* chunk) const;
  };
  void grow();
  [[nodiscard]] std::byte* payload_of(const Tlp* tlp) const;

  std::size_t payload_stride_;
  Tlp* free_ = nullptr;
  std::vector<std::unique_ptr<std::byte, ChunkDeleter>> chunks_;
  std::vector<std::unique_ptr<std::byte[]>> payloads_;
};

}  // namespace peerfab::engine
