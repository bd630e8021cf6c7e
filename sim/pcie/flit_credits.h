// SPDX-License-Identifier: Apache-2.0
// Flow control in FLIT mode: a pool of shared credits for all virtual channels, and a few dedicated
// ones of each channel, with which a TLP passes when others have filled the pool.
//
// Contract: PCIe r6.3, sec 2.6.1, 3.4.1. A TLP takes header and data credits either shared or
// dedicated, never one of each; with dedicated ones it carries the Flit Mode Local TLP Prefix, a
// DW. Shared credits are handed out in blocks of four, which stay with one virtual channel and type
// until they are used up. Merged, posted requests and completions draw on one pool and are still
// counted apart. Counts here do not wrap: the fields of the DLLPs are these counts modulo 2^n.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/pcie/credits.h"
#include "sim/pcie/spec.h"

namespace peerfab::pcie {

// What an InitFC says of one credit type.
enum class FlitCreditKind : std::uint8_t { kZero, kFinite, kInfinite, kMerged };
struct FlitCredit {
  FlitCreditKind kind = FlitCreditKind::kZero;
  std::uint32_t credits = 0;  // FC units, of kFinite
  CreditScale scale = CreditScale::k1;

  bool operator==(const FlitCredit&) const = default;
};
[[nodiscard]] constexpr FlitCredit finite_credits(std::uint32_t credits,
                                                  CreditScale scale = CreditScale::k1) {
  return {FlitCreditKind::kFinite, credits, scale};
}
inline constexpr FlitCredit kZeroCredits{};
inline constexpr FlitCredit kUnlimitedCredits{FlitCreditKind::kInfinite, 0, CreditScale::k1};
inline constexpr FlitCredit kMergedCredits{FlitCreditKind::kMerged, 0, CreditScale::k1};

// The fields of the DLLP. A value of zero is [Infinite.3], [Zero] or [Merged] by its scale (sec
// 3.4.1); the rest is reserved, and decodes to none.
struct FlitCreditFields {
  std::uint32_t value = 0;  // credits by the scale factor
  CreditScale scale = CreditScale::kNone;
  bool operator==(const FlitCreditFields&) const = default;
};
[[nodiscard]] FlitCreditFields encode(const FlitCredit& credit);
[[nodiscard]] std::optional<FlitCredit> decode(const FlitCreditFields& fields);

// What a receiver advertises for one virtual channel, by CreditType.
struct FlitAdvertisement {
  std::array<FlitCredit, kCreditTypeCount> shared{};
  std::array<FlitCredit, kCreditTypeCount> dedicated{};
};

enum class FlitAdvertisementError : std::uint8_t {
  kMergedNotCompletion,    // merged anything but shared completion credits
  kMergedNotEverywhere,    // header or data only, or on some channels only
  kInfiniteNotEverywhere,  // shared infinite credits are infinite on all channels, dedicated ones
                           // too
  kScalesDiffer,           // among the shared credits of a type
  kNotWholeBlocks,         // shared credits that are no multiple of four
  kTooFew,                 // less than the least that may be advertised
  kDedicatedMissing,       // with which a channel could be shut out for ever
};
[[nodiscard]] std::string_view describe(FlitAdvertisementError error);
// Looks at the advertisements of all enabled channels. `payload_limit` is Rx_MPS_Limit,
// `non_posted_limit` the largest payload of a non-posted request, in bytes.
[[nodiscard]] std::optional<FlitAdvertisementError> check_advertisements(
    std::span<const FlitAdvertisement> channels, unsigned payload_limit, unsigned non_posted_limit);

enum class CreditPool : std::uint8_t { kShared, kDedicated };

// The transmitter's gate (sec 2.6.1.1).
class FlitTransmitCredits {
 public:
  // One advertisement for each enabled channel. usage_limit: Shared Flow Control Usage Limit, in
  // eighths of the pool that one channel may hold; 0 switches it off.
  explicit FlitTransmitCredits(std::span<const FlitAdvertisement> channels,
                               unsigned usage_limit = 0);

  // Where the TLP would take its credits: shared ones if there are enough, else dedicated ones.
  [[nodiscard]] std::optional<CreditPool> pool_for(unsigned channel, CreditCost cost) const;
  // Requires that the pool has them.
  void consume(unsigned channel, CreditCost cost, CreditPool pool);
  // An UpdateFC: so many more. False, and nothing taken, when more would be free than was ever
  // advertised: a Flow Control Protocol Error of the receiver.
  [[nodiscard]] bool take_back(unsigned channel, CreditType type, CreditPool pool,
                               std::uint32_t credits);

  // Free credits of the pool behind a type; meaningless where they are infinite.
  [[nodiscard]] std::uint32_t shared_available(CreditType type) const;
  [[nodiscard]] std::uint32_t dedicated_available(unsigned channel, CreditType type) const;

 private:
  struct Dedicated {
    bool infinite = false;
    std::uint32_t total = 0;
    std::uint32_t available = 0;
  };
  struct Channel {
    std::array<Dedicated, kCreditTypeCount> dedicated{};
    std::array<std::uint32_t, kCreditTypeCount> open_block{};  // left of the block in use
    std::array<std::uint32_t, kCreditTypeCount> held{};        // of the pool, in whole blocks
  };
  struct Pool {
    bool infinite = false;
    std::uint32_t total = 0;
    std::uint32_t available = 0;
  };

  [[nodiscard]] unsigned pool_index(CreditType type) const;
  [[nodiscard]] static std::uint32_t new_blocks(const Channel& channel, CreditType type,
                                                std::uint32_t credits);
  [[nodiscard]] bool shared_has(const Channel& channel, CreditType type,
                                std::uint32_t credits) const;
  void take_shared(Channel& channel, CreditType type, std::uint32_t credits);

  std::vector<Channel> channels_;
  std::array<Pool, kCreditTypeCount> pools_{};
  bool merged_ = false;
  unsigned usage_limit_;
};

// What a receiver gives back: UpdateFCs of a channel and class.
struct FlitCreditReturn {
  std::uint32_t headers = 0;
  std::uint32_t data = 0;
  bool operator==(const FlitCreditReturn&) const = default;
};

// The receiver's account (sec 2.6.1.2).
class FlitReceiveCredits {
 public:
  explicit FlitReceiveCredits(std::span<const FlitAdvertisement> channels);

  // Counts an arriving TLP; false, and nothing counted, when it takes more than was granted
  // (Receiver Overflow).
  [[nodiscard]] bool receive(unsigned channel, CreditCost cost, CreditPool pool);
  // The buffer of the oldest TLP of this channel, class and pool is free. Dedicated credits go back
  // at once; shared ones when a whole block is free.
  [[nodiscard]] FlitCreditReturn free(unsigned channel, CreditCost cost, CreditPool pool);

 private:
  struct Account {
    bool infinite = false;
    std::uint64_t received = 0;
    std::uint64_t freed = 0;
    std::uint64_t returned = 0;
  };
  struct Channel {
    std::array<Account, kCreditTypeCount> shared{};
    std::array<Account, kCreditTypeCount> dedicated{};
    std::array<std::uint32_t, kCreditTypeCount> dedicated_total{};
  };

  [[nodiscard]] unsigned pool_index(CreditType type) const;
  [[nodiscard]] bool has_room(unsigned channel, CreditType type, CreditPool pool,
                              std::uint32_t credits) const;
  [[nodiscard]] std::uint32_t give_back(unsigned channel, CreditType type, CreditPool pool,
                                        std::uint32_t credits);

  std::vector<Channel> channels_;
  std::array<std::uint64_t, kCreditTypeCount> pool_total_{};
  bool merged_ = false;
};

}  // namespace peerfab::pcie
