// SPDX-License-Identifier: Apache-2.0
// Shared and dedicated credits from both sides of a link: what may be sent, what comes back.
#include "sim/pcie/flit_credits.h"

#include <deque>

#include "sim/base/rng.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

constexpr CreditCost kWrite{FlowClass::kPosted, 16};  // 256 B
constexpr CreditCost kRead{FlowClass::kNonPosted, 0};
constexpr CreditCost kCompletion{FlowClass::kCompletion, 16};

// `shared` header credits and 16 times as many data credits in each class, `dedicated` likewise.
FlitAdvertisement advertise(std::uint32_t shared, std::uint32_t dedicated) {
  FlitAdvertisement advertisement;
  for (unsigned i = 0; i < kCreditTypeCount; ++i) {
    const std::uint32_t factor = is_data(static_cast<CreditType>(i)) ? 16 : 1;
    if (shared != 0) advertisement.shared[i] = finite_credits(shared * factor);
    if (dedicated != 0) advertisement.dedicated[i] = finite_credits(dedicated * factor);
  }
  return advertisement;
}

FlitAdvertisement merged(std::uint32_t shared, std::uint32_t dedicated) {
  FlitAdvertisement advertisement = advertise(shared, dedicated);
  advertisement.shared[static_cast<unsigned>(CreditType::kCompletionHeader)] = kMergedCredits;
  advertisement.shared[static_cast<unsigned>(CreditType::kCompletionData)] = kMergedCredits;
  return advertisement;
}

// Sends until nothing more may go; how many went from each pool.
struct Sent {
  unsigned shared = 0;
  unsigned dedicated = 0;
};
Sent fill(FlitTransmitCredits& credits, unsigned channel, CreditCost cost) {
  Sent sent;
  while (const auto pool = credits.pool_for(channel, cost)) {
    credits.consume(channel, cost, *pool);
    ++(*pool == CreditPool::kShared ? sent.shared : sent.dedicated);
  }
  return sent;
}

TEST_CASE("shared credits go first, then dedicated ones, then nothing", "[flit_credits]") {
  const FlitAdvertisement advertisement = advertise(8, 1);
  FlitTransmitCredits credits({&advertisement, 1});
  const Sent sent = fill(credits, 0, kWrite);
  CHECK(sent.shared == 8);
  CHECK(sent.dedicated == 1);
  CHECK(credits.shared_available(CreditType::kPostedHeader) == 0);
  CHECK(credits.dedicated_available(0, CreditType::kPostedData) == 0);
  // Each class has a pool of its own.
  CHECK(credits.pool_for(0, kRead) == CreditPool::kShared);
}

TEST_CASE("a merged pool full of posted requests does not block completions", "[flit_credits]") {
  const FlitAdvertisement advertisement = merged(16, 1);
  FlitTransmitCredits credits({&advertisement, 1});
  const Sent posted = fill(credits, 0, kWrite);
  CHECK(posted.shared == 16);
  CHECK(posted.dedicated == 1);
  CHECK(credits.pool_for(0, kCompletion) == CreditPool::kDedicated);
  credits.consume(0, kCompletion, CreditPool::kDedicated);
  CHECK_FALSE(credits.pool_for(0, kCompletion).has_value());
  // What comes back for posted requests serves completions.
  CHECK(credits.take_back(0, CreditType::kPostedHeader, CreditPool::kShared, 4));
  CHECK(credits.take_back(0, CreditType::kPostedData, CreditPool::kShared, 16));
  CHECK(credits.pool_for(0, kCompletion) == CreditPool::kShared);
}

TEST_CASE("one channel cannot shut another out", "[flit_credits]") {
  const std::array<FlitAdvertisement, 2> channels = {advertise(8, 1), advertise(0, 1)};
  FlitTransmitCredits credits(channels);
  const Sent first = fill(credits, 0, kWrite);
  CHECK(first.shared == 8);  // the whole pool, though the other channel shares it
  const Sent second = fill(credits, 1, kWrite);
  CHECK(second.shared == 0);
  CHECK(second.dedicated == 1);
}

TEST_CASE("the usage limit keeps a part of the pool for others", "[flit_credits]") {
  const std::array<FlitAdvertisement, 2> channels = {advertise(16, 1), advertise(16, 1)};
  FlitTransmitCredits credits(channels, /*usage_limit=*/4);
  CHECK(fill(credits, 0, kWrite).shared == 16);  // four eighths of 32
  CHECK(fill(credits, 1, kWrite).shared == 16);
}

TEST_CASE("a block of shared credits stays with its channel and class", "[flit_credits]") {
  const std::array<FlitAdvertisement, 2> channels = {advertise(4, 1), advertise(4, 1)};
  FlitTransmitCredits credits(channels);
  // One read of each channel opens a block of four headers each: the pool of eight is handed out.
  credits.consume(0, kRead, CreditPool::kShared);
  CHECK(credits.shared_available(CreditType::kNonPostedHeader) == 4);
  credits.consume(1, kRead, CreditPool::kShared);
  CHECK(credits.shared_available(CreditType::kNonPostedHeader) == 0);
  // Three more of each use the blocks up; then only the dedicated credit is left.
  CHECK(fill(credits, 0, kRead).shared == 3);
  CHECK(credits.pool_for(1, kRead) == CreditPool::kShared);
  // The block of channel 1 is still in use: its receiver cannot have freed it.
  CHECK_FALSE(credits.take_back(1, CreditType::kNonPostedHeader, CreditPool::kShared, 4));
  CHECK(credits.take_back(0, CreditType::kNonPostedHeader, CreditPool::kShared, 4));
  CHECK(credits.pool_for(0, kRead) == CreditPool::kShared);
}

TEST_CASE("more than was taken cannot come back", "[flit_credits]") {
  const FlitAdvertisement advertisement = advertise(8, 2);
  FlitTransmitCredits credits({&advertisement, 1});
  CHECK_FALSE(credits.take_back(0, CreditType::kPostedHeader, CreditPool::kShared, 4));
  CHECK_FALSE(credits.take_back(0, CreditType::kPostedHeader, CreditPool::kDedicated, 1));
  credits.consume(0, kWrite, CreditPool::kDedicated);
  CHECK_FALSE(credits.take_back(0, CreditType::kPostedHeader, CreditPool::kDedicated, 2));
  CHECK(credits.take_back(0, CreditType::kPostedHeader, CreditPool::kDedicated, 1));
  for (int i = 0; i < 4; ++i) credits.consume(0, kWrite, CreditPool::kShared);
  CHECK_FALSE(credits.take_back(0, CreditType::kPostedHeader, CreditPool::kShared, 3));
  CHECK_FALSE(credits.take_back(0, CreditType::kPostedHeader, CreditPool::kShared, 8));
  CHECK(credits.take_back(0, CreditType::kPostedHeader, CreditPool::kShared, 4));
}

TEST_CASE("a receiver notices more than it granted", "[flit_credits]") {
  const FlitAdvertisement advertisement = advertise(4, 1);
  FlitReceiveCredits receiver({&advertisement, 1});
  for (int i = 0; i < 4; ++i) CHECK(receiver.receive(0, kWrite, CreditPool::kShared));
  CHECK_FALSE(receiver.receive(0, kWrite, CreditPool::kShared));
  CHECK(receiver.receive(0, kWrite, CreditPool::kDedicated));
  CHECK_FALSE(receiver.receive(0, kWrite, CreditPool::kDedicated));
  // Headers come back by the block, data as well: 16 credits of a TLP are four blocks.
  CHECK(receiver.free(0, kWrite, CreditPool::kShared) == FlitCreditReturn{0, 16});
  CHECK(receiver.free(0, kWrite, CreditPool::kShared) == FlitCreditReturn{0, 16});
  CHECK(receiver.free(0, kWrite, CreditPool::kShared) == FlitCreditReturn{0, 16});
  CHECK(receiver.free(0, kWrite, CreditPool::kShared) == FlitCreditReturn{4, 16});
  CHECK(receiver.free(0, kWrite, CreditPool::kDedicated) == FlitCreditReturn{1, 16});
  CHECK(receiver.receive(0, kWrite, CreditPool::kShared));
}

TEST_CASE("infinite credits never run out and never come back", "[flit_credits]") {
  FlitAdvertisement advertisement;
  advertisement.shared.fill(kUnlimitedCredits);
  advertisement.dedicated.fill(kUnlimitedCredits);
  FlitTransmitCredits credits({&advertisement, 1});
  FlitReceiveCredits receiver({&advertisement, 1});
  for (int i = 0; i < 10'000; ++i) {
    REQUIRE(credits.pool_for(0, kWrite) == CreditPool::kShared);
    credits.consume(0, kWrite, CreditPool::kShared);
    REQUIRE(receiver.receive(0, kWrite, CreditPool::kShared));
    REQUIRE(receiver.free(0, kWrite, CreditPool::kShared) == FlitCreditReturn{});
  }
  CHECK_FALSE(credits.take_back(0, CreditType::kPostedHeader, CreditPool::kShared, 4));
}

struct InFlight {
  unsigned channel;
  CreditCost cost;
  CreditPool pool;
};

// Both ends with random TLPs: the receiver never overflows, every return is taken, and in the end
// all that can be free is.
void run_link(Rng& rng, std::span<const FlitAdvertisement> channels, unsigned usage_limit) {
  FlitTransmitCredits transmitter(channels, usage_limit);
  FlitReceiveCredits receiver(channels);
  // FIFO of a channel, class and pool, as a receive buffer is.
  std::deque<InFlight> queues[8][kFlowClassCount][2];
  bool sound = true;
  const auto free_one = [&](std::deque<InFlight>& queue) {
    const InFlight tlp = queue.front();
    queue.pop_front();
    const FlitCreditReturn back = receiver.free(tlp.channel, tlp.cost, tlp.pool);
    sound =
        sound &&
        transmitter.take_back(tlp.channel, header_credit(tlp.cost.flow), tlp.pool, back.headers) &&
        transmitter.take_back(tlp.channel, data_credit(tlp.cost.flow), tlp.pool, back.data);
  };
  unsigned sent = 0;
  for (int i = 0; i < 4000 && sound; ++i) {
    const auto channel = static_cast<unsigned>(rng.below(channels.size()));
    const auto flow = static_cast<unsigned>(rng.below(kFlowClassCount));
    if (rng.below(5) < 3) {
      const CreditCost cost{
          static_cast<FlowClass>(flow),
          static_cast<std::uint32_t>(static_cast<FlowClass>(flow) == FlowClass::kNonPosted
                                         ? rng.below(2)
                                         : rng.below(17))};
      const auto pool = transmitter.pool_for(channel, cost);
      if (!pool.has_value()) continue;
      transmitter.consume(channel, cost, *pool);
      sound = receiver.receive(channel, cost, *pool);
      queues[channel][flow][static_cast<unsigned>(*pool)].push_back({channel, cost, *pool});
      ++sent;
    } else {
      auto& queue = queues[channel][flow][rng.below(2)];
      if (!queue.empty()) free_one(queue);
    }
  }
  REQUIRE(sound);
  CHECK(sent > 500);
  for (auto& of_channel : queues) {
    for (auto& of_class : of_channel) {
      for (auto& queue : of_class) {
        while (!queue.empty() && sound) free_one(queue);
      }
    }
  }
  REQUIRE(sound);
  // All but the blocks in use, one of a channel and type at most.
  for (unsigned i = 0; i < kCreditTypeCount; ++i) {
    const auto type = static_cast<CreditType>(i);
    std::uint32_t total = 0;
    for (unsigned c = 0; c < channels.size(); ++c) {
      total += channels[c].shared[i].credits;
      CHECK(transmitter.dedicated_available(c, type) == channels[c].dedicated[i].credits);
    }
    if (total == 0) continue;  // merged
    const auto in_use = static_cast<std::uint32_t>(channels.size()) * 2 * spec::kCreditBlock;
    CHECK(transmitter.shared_available(type) <= total);
    CHECK(transmitter.shared_available(type) + in_use >= total);
  }
}

TEST_CASE("both ends agree whatever is sent", "[flit_credits][property]") {
  Rng rng(11);
  for (int run = 0; run < 60; ++run) {
    const std::uint64_t count = rng.between(1, 8);
    const bool merge = rng.below(2) == 0;
    std::vector<FlitAdvertisement> channels;
    for (std::uint64_t c = 0; c < count; ++c) {
      const auto shared = static_cast<std::uint32_t>(4 * rng.between(c == 0 ? 2 : 0, 16));
      const auto dedicated = static_cast<std::uint32_t>(rng.between(1, 3));
      channels.push_back(merge ? merged(shared, dedicated) : advertise(shared, dedicated));
    }
    const auto limit = static_cast<unsigned>(rng.below(8));
    INFO("run " << run << ": " << count << " channels, merged " << merge << ", limit " << limit);
    run_link(rng, channels, limit);
  }
}

}  // namespace
}  // namespace peerfab::pcie
