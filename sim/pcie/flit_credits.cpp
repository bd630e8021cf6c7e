// SPDX-License-Identifier: Apache-2.0
#include "sim/pcie/flit_credits.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace peerfab::pcie {
namespace {

constexpr std::size_t index_of(CreditType type) { return static_cast<std::size_t>(type); }
constexpr bool is_completion(CreditType type) {
  return type == CreditType::kCompletionHeader || type == CreditType::kCompletionData;
}
constexpr bool is_non_posted(CreditType type) {
  return type == CreditType::kNonPostedHeader || type == CreditType::kNonPostedData;
}
// The posted type whose pool a merged completion type shares.
constexpr CreditType posted_of(CreditType type) {
  return is_data(type) ? CreditType::kPostedData : CreditType::kPostedHeader;
}
constexpr std::uint32_t whole_blocks(std::uint64_t credits) {
  return static_cast<std::uint32_t>(credits / spec::kCreditBlock * spec::kCreditBlock);
}

bool is_merged(std::span<const FlitAdvertisement> channels) {
  return !channels.empty() &&
         channels.front().shared[index_of(CreditType::kCompletionHeader)].kind ==
             FlitCreditKind::kMerged;
}
unsigned pool_of(CreditType type, bool merged) {
  return static_cast<unsigned>(merged && is_completion(type) ? posted_of(type) : type);
}

// Least shared advertisement, over all channels together, for each of them (sec 2.6.1, Table 2-50).
std::uint32_t least_shared(CreditType type, CreditScale scale, unsigned payload_limit) {
  if (scale != CreditScale::k1) return min_initial_credits(type, payload_limit, scale);
  if (!is_data(type)) return spec::kCreditBlock;
  const std::uint32_t units = data_credits(payload_limit);
  const bool at_least_a_block = type != CreditType::kPostedData;
  return (at_least_a_block ? std::max<std::uint32_t>(units, spec::kCreditBlock) : units) +
         spec::kCreditBlock;
}

// The rules of one credit type over all channels.
std::optional<FlitAdvertisementError> check_type(std::span<const FlitAdvertisement> channels,
                                                 CreditType type, bool merged, unsigned limit) {
  const std::size_t i = index_of(type);
  bool infinite = false;
  std::uint64_t sum = 0;
  std::optional<CreditScale> scale;
  for (const FlitAdvertisement& channel : channels) {
    const FlitCredit& shared = channel.shared[i];
    if (channel.dedicated[i].kind == FlitCreditKind::kMerged ||
        (shared.kind == FlitCreditKind::kMerged && !is_completion(type))) {
      return FlitAdvertisementError::kMergedNotCompletion;
    }
    if (is_completion(type) && (shared.kind == FlitCreditKind::kMerged) != merged) {
      return FlitAdvertisementError::kMergedNotEverywhere;
    }
    infinite = infinite || shared.kind == FlitCreditKind::kInfinite;
    if (shared.kind != FlitCreditKind::kFinite) continue;
    if (shared.credits % spec::kCreditBlock != 0) return FlitAdvertisementError::kNotWholeBlocks;
    if (scale.value_or(shared.scale) != shared.scale) return FlitAdvertisementError::kScalesDiffer;
    scale = shared.scale;
    sum += shared.credits;
  }
  if (infinite) {
    // One channel alone needs no dedicated credits (Table 3-3, note 3).
    const auto fits = [&channels](const FlitCredit& dedicated) {
      return dedicated.kind == FlitCreditKind::kInfinite ||
             (channels.size() == 1 && dedicated.kind == FlitCreditKind::kZero);
    };
    for (const FlitAdvertisement& channel : channels) {
      if (channel.shared[i].kind != FlitCreditKind::kInfinite || !fits(channel.dedicated[i])) {
        return FlitAdvertisementError::kInfiniteNotEverywhere;
      }
    }
    return std::nullopt;
  }
  const bool posted = !is_completion(type) && !is_non_posted(type);
  const std::uint64_t shares = channels.size() * (merged && posted ? 2 : 1);
  if (scale.has_value()) {
    if (sum < least_shared(type, *scale, limit) * shares) return FlitAdvertisementError::kTooFew;
  } else if (channels.size() == 1 || (merged && posted)) {
    // Nobody else has given what a single channel could share, and a merged pool would be empty.
    return FlitAdvertisementError::kTooFew;
  }
  // One channel alone shares with nobody; several, and merged posted requests and completions, may
  // shut each other out (Table 3-3, notes 3, 4 and 10).
  const bool needs_dedicated =
      !scale.has_value() || channels.size() > 1 || (merged && !is_non_posted(type));
  if (!needs_dedicated) return std::nullopt;
  for (const FlitAdvertisement& channel : channels) {
    if (channel.dedicated[i].kind == FlitCreditKind::kZero) {
      return FlitAdvertisementError::kDedicatedMissing;
    }
  }
  return std::nullopt;
}

}  // namespace

FlitCreditFields encode(const FlitCredit& credit) {
  switch (credit.kind) {
    case FlitCreditKind::kZero:
      return {0, CreditScale::k1};
    case FlitCreditKind::kInfinite:
      return {0, CreditScale::kNone};
    case FlitCreditKind::kMerged:
      return {0, CreditScale::k4};
    case FlitCreditKind::kFinite:
      break;
  }
  assert(credit.scale != CreditScale::kNone && credit.credits >= scale_factor(credit.scale));
  return {credit.credits / scale_factor(credit.scale), credit.scale};
}

std::optional<FlitCredit> decode(const FlitCreditFields& fields) {
  if (fields.value != 0) {
    if (fields.scale == CreditScale::kNone) return std::nullopt;
    return finite_credits(fields.value * scale_factor(fields.scale), fields.scale);
  }
  switch (fields.scale) {
    case CreditScale::kNone:
      return kUnlimitedCredits;
    case CreditScale::k1:
      return kZeroCredits;
    case CreditScale::k4:
      return kMergedCredits;
    case CreditScale::k16:
      break;
  }
  return std::nullopt;
}

std::string_view describe(FlitAdvertisementError error) {
  switch (error) {
    case FlitAdvertisementError::kMergedNotCompletion:
      return "only shared completion credits can be merged";
    case FlitAdvertisementError::kMergedNotEverywhere:
      return "merged credits are merged for header and data, and on all channels";
    case FlitAdvertisementError::kInfiniteNotEverywhere:
      return "infinite shared credits are infinite on all channels, dedicated ones too";
    case FlitAdvertisementError::kScalesDiffer:
      return "the shared credits of a type have one scale";
    case FlitAdvertisementError::kNotWholeBlocks:
      return "shared credits come in blocks of four";
    case FlitAdvertisementError::kTooFew:
      return "fewer credits than a receiver has to advertise";
    case FlitAdvertisementError::kDedicatedMissing:
      return "without dedicated credits a channel can be shut out for ever";
  }
  return "";
}

std::optional<FlitAdvertisementError> check_advertisements(
    std::span<const FlitAdvertisement> channels, unsigned payload_limit,
    unsigned non_posted_limit) {
  const bool merged = is_merged(channels);
  for (unsigned i = 0; i < kCreditTypeCount; ++i) {
    const auto type = static_cast<CreditType>(i);
    const unsigned limit = is_non_posted(type) ? non_posted_limit : payload_limit;
    if (merged && is_completion(type)) {
      // Its shared credits are those of the posted type; what is left is the form.
      for (const FlitAdvertisement& channel : channels) {
        if (channel.shared[i].kind != FlitCreditKind::kMerged) {
          return FlitAdvertisementError::kMergedNotEverywhere;
        }
        if (channel.dedicated[i].kind == FlitCreditKind::kMerged) {
          return FlitAdvertisementError::kMergedNotCompletion;
        }
        if (channel.dedicated[i].kind == FlitCreditKind::kZero) {
          return FlitAdvertisementError::kDedicatedMissing;
        }
      }
    } else if (const auto error = check_type(channels, type, merged, limit)) {
      return error;
    }
  }
  return std::nullopt;
}

FlitTransmitCredits::FlitTransmitCredits(std::span<const FlitAdvertisement> channels,
                                         unsigned usage_limit)
    : channels_(channels.size()), merged_(is_merged(channels)), usage_limit_(usage_limit) {
  assert(!channels.empty() && channels.size() <= spec::kVirtualChannels &&
         usage_limit < spec::kUsageLimitParts);
  for (std::size_t c = 0; c < channels.size(); ++c) {
    for (unsigned i = 0; i < kCreditTypeCount; ++i) {
      const FlitCredit& dedicated = channels[c].dedicated[i];
      channels_[c].dedicated[i] = {dedicated.kind == FlitCreditKind::kInfinite, dedicated.credits,
                                   dedicated.credits};
      const FlitCredit& shared = channels[c].shared[i];
      Pool& pool = pools_[i];
      pool.infinite = pool.infinite || shared.kind == FlitCreditKind::kInfinite;
      pool.total += shared.credits;
      pool.available += shared.credits;
    }
  }
}

unsigned FlitTransmitCredits::pool_index(CreditType type) const { return pool_of(type, merged_); }

// Credits of the blocks that the pool has to give for `credits` more.
std::uint32_t FlitTransmitCredits::new_blocks(const Channel& channel, CreditType type,
                                              std::uint32_t credits) {
  const std::uint32_t open = channel.open_block[index_of(type)];
  if (credits <= open) return 0;
  return whole_blocks(credits - open + spec::kCreditBlock - 1);
}

bool FlitTransmitCredits::shared_has(const Channel& channel, CreditType type,
                                     std::uint32_t credits) const {
  if (credits == 0) return true;
  const Pool& pool = pools_[pool_index(type)];
  if (pool.infinite) return true;
  const std::uint32_t blocks = new_blocks(channel, type, credits);
  if (blocks > pool.available) return false;
  return usage_limit_ == 0 || (channel.held[index_of(type)] + blocks) * spec::kUsageLimitParts <=
                                  pool.total * usage_limit_;
}

std::optional<CreditPool> FlitTransmitCredits::pool_for(unsigned channel, CreditCost cost) const {
  const Channel& state = channels_[channel];
  const CreditType header = header_credit(cost.flow);
  const CreditType data = data_credit(cost.flow);
  if (shared_has(state, header, 1) && shared_has(state, data, cost.data)) {
    return CreditPool::kShared;
  }
  const auto dedicated_has = [&state](CreditType type, std::uint32_t credits) {
    const Dedicated& dedicated = state.dedicated[index_of(type)];
    return dedicated.infinite || credits <= dedicated.available;
  };
  if (dedicated_has(header, 1) && dedicated_has(data, cost.data)) return CreditPool::kDedicated;
  return std::nullopt;
}

void FlitTransmitCredits::take_shared(Channel& channel, CreditType type, std::uint32_t credits) {
  Pool& pool = pools_[pool_index(type)];
  if (pool.infinite || credits == 0) return;
  const std::size_t i = index_of(type);
  const std::uint32_t blocks = new_blocks(channel, type, credits);
  assert(blocks <= pool.available);
  pool.available -= blocks;
  channel.held[i] += blocks;
  channel.open_block[i] += blocks - credits;
}

void FlitTransmitCredits::consume(unsigned channel, CreditCost cost, CreditPool pool) {
  Channel& state = channels_[channel];
  for (const auto& [type, credits] : {std::pair{header_credit(cost.flow), std::uint32_t{1}},
                                      std::pair{data_credit(cost.flow), cost.data}}) {
    if (pool == CreditPool::kShared) {
      take_shared(state, type, credits);
      continue;
    }
    Dedicated& dedicated = state.dedicated[index_of(type)];
    if (dedicated.infinite) continue;
    assert(credits <= dedicated.available);
    dedicated.available -= credits;
  }
}

bool FlitTransmitCredits::take_back(unsigned channel, CreditType type, CreditPool pool,
                                    std::uint32_t credits) {
  Channel& state = channels_[channel];
  const std::size_t i = index_of(type);
  if (pool == CreditPool::kDedicated) {
    Dedicated& dedicated = state.dedicated[i];
    if (dedicated.infinite) return credits == 0;
    if (credits > dedicated.total - dedicated.available) return false;
    dedicated.available += credits;
    return true;
  }
  Pool& shared = pools_[pool_index(type)];
  if (shared.infinite) return credits == 0;
  // The block in use is not the receiver's to give back.
  const std::uint32_t used_up = state.held[i] - (state.open_block[i] != 0 ? spec::kCreditBlock : 0);
  if (credits % spec::kCreditBlock != 0 || credits > used_up) return false;
  state.held[i] -= credits;
  shared.available += credits;
  return true;
}

std::uint32_t FlitTransmitCredits::shared_available(CreditType type) const {
  return pools_[pool_index(type)].available;
}
std::uint32_t FlitTransmitCredits::dedicated_available(unsigned channel, CreditType type) const {
  return channels_[channel].dedicated[index_of(type)].available;
}

FlitReceiveCredits::FlitReceiveCredits(std::span<const FlitAdvertisement> channels)
    : channels_(channels.size()), merged_(is_merged(channels)) {
  for (std::size_t c = 0; c < channels.size(); ++c) {
    for (unsigned i = 0; i < kCreditTypeCount; ++i) {
      const FlitCredit& dedicated = channels[c].dedicated[i];
      const unsigned pool = pool_of(static_cast<CreditType>(i), merged_);
      channels_[c].shared[i].infinite = channels[c].shared[pool].kind == FlitCreditKind::kInfinite;
      channels_[c].dedicated[i].infinite = dedicated.kind == FlitCreditKind::kInfinite;
      channels_[c].dedicated_total[i] = dedicated.credits;
      pool_total_[i] += channels[c].shared[i].credits;
    }
  }
}

unsigned FlitReceiveCredits::pool_index(CreditType type) const { return pool_of(type, merged_); }

bool FlitReceiveCredits::has_room(unsigned channel, CreditType type, CreditPool pool,
                                  std::uint32_t credits) const {
  const Channel& state = channels_[channel];
  const std::size_t i = index_of(type);
  if (pool == CreditPool::kDedicated) {
    const Account& account = state.dedicated[i];
    return account.infinite ||
           account.received + credits <= account.returned + state.dedicated_total[i];
  }
  if (state.shared[i].infinite) return true;
  // Blocks in use over all that draw on the pool, with those of this TLP.
  std::uint64_t in_use = 0;
  for (const Channel& other : channels_) {
    for (unsigned j = 0; j < kCreditTypeCount; ++j) {
      if (pool_index(static_cast<CreditType>(j)) != pool_index(type)) continue;
      const Account& account = other.shared[j];
      const bool same = &other == &state && j == i;
      in_use += whole_blocks(account.received + (same ? credits : 0) + spec::kCreditBlock - 1) -
                account.returned;
    }
  }
  return in_use <= pool_total_[pool_index(type)];
}

bool FlitReceiveCredits::receive(unsigned channel, CreditCost cost, CreditPool pool) {
  const CreditType header = header_credit(cost.flow);
  const CreditType data = data_credit(cost.flow);
  if (!has_room(channel, header, pool, 1) || !has_room(channel, data, pool, cost.data)) {
    return false;
  }
  auto& accounts =
      pool == CreditPool::kShared ? channels_[channel].shared : channels_[channel].dedicated;
  accounts[index_of(header)].received += 1;
  accounts[index_of(data)].received += cost.data;
  return true;
}

std::uint32_t FlitReceiveCredits::give_back(unsigned channel, CreditType type, CreditPool pool,
                                            std::uint32_t credits) {
  const std::size_t i = index_of(type);
  Account& account =
      pool == CreditPool::kShared ? channels_[channel].shared[i] : channels_[channel].dedicated[i];
  account.freed += credits;
  assert(account.freed <= account.received);
  if (account.infinite) return 0;
  const std::uint64_t due = pool == CreditPool::kShared
                                ? account.freed / spec::kCreditBlock * spec::kCreditBlock
                                : account.freed;
  const std::uint64_t returned = std::exchange(account.returned, due);
  return static_cast<std::uint32_t>(due - returned);
}

FlitCreditReturn FlitReceiveCredits::free(unsigned channel, CreditCost cost, CreditPool pool) {
  return {give_back(channel, header_credit(cost.flow), pool, 1),
          give_back(channel, data_credit(cost.flow), pool, cost.data)};
}

}  // namespace peerfab::pcie
