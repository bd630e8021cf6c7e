// SPDX-License-Identifier: Apache-2.0
// PCIe r6.3, sec 3.4.1 and 2.6.1: what a receiver may advertise in FLIT mode.
#include <vector>

#include "sim/pcie/flit_credits.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

using Error = FlitAdvertisementError;
constexpr unsigned kPayload = 256;
constexpr unsigned kNonPosted = 16;

FlitAdvertisement least_single() {
  // Four headers; MPS / 16 + 4 posted and completion data; max(1, 4) + 4 non-posted data.
  FlitAdvertisement advertisement;
  advertisement.shared = {finite_credits(4), finite_credits(20), finite_credits(4),
                          finite_credits(8), finite_credits(4),  finite_credits(20)};
  return advertisement;
}

std::optional<Error> check(const std::vector<FlitAdvertisement>& channels) {
  return check_advertisements(channels, kPayload, kNonPosted);
}

FlitCredit& at(std::array<FlitCredit, kCreditTypeCount>& credits, CreditType type) {
  return credits[static_cast<unsigned>(type)];
}

}  // namespace

TEST_CASE("zero is infinite, zero or merged by its scale", "[conformance][sec-3.4.1]") {
  CHECK(decode({0, CreditScale::kNone}) == kUnlimitedCredits);
  CHECK(decode({0, CreditScale::k1}) == kZeroCredits);
  CHECK(decode({0, CreditScale::k4}) == kMergedCredits);
  CHECK_FALSE(decode({0, CreditScale::k16}).has_value());
  CHECK_FALSE(decode({5, CreditScale::kNone}).has_value());
  CHECK(decode({5, CreditScale::k4}) == finite_credits(20, CreditScale::k4));
  for (const FlitCredit& credit : {kUnlimitedCredits, kZeroCredits, kMergedCredits,
                                   finite_credits(64), finite_credits(64, CreditScale::k16)}) {
    CHECK(decode(encode(credit)) == credit);
  }
}

TEST_CASE("the least that one channel may advertise", "[conformance][sec-2.6.1][table-2-50]") {
  const FlitAdvertisement least = least_single();
  CHECK_FALSE(check({least}).has_value());
  for (unsigned i = 0; i < kCreditTypeCount; ++i) {
    INFO("type " << i);
    FlitAdvertisement less = least;
    less.shared[i].credits -= spec::kCreditBlock;
    CHECK(check({less}) == Error::kTooFew);
  }
}

TEST_CASE("a single channel has shared credits", "[conformance][sec-3.4.1][table-3-3]") {
  FlitAdvertisement dedicated = least_single();
  dedicated.dedicated.fill(finite_credits(16));
  at(dedicated.shared, CreditType::kNonPostedHeader) = kZeroCredits;
  CHECK(check({dedicated}) == Error::kTooFew);
}

TEST_CASE("with two channels the sum counts, twice as large", "[conformance][sec-2.6.1]") {
  FlitAdvertisement dedicated = least_single();
  dedicated.dedicated.fill(finite_credits(16));
  FlitAdvertisement twice = dedicated;
  for (FlitCredit& credit : twice.shared) credit.credits *= 2;
  FlitAdvertisement none = dedicated;
  none.shared.fill(kZeroCredits);
  CHECK_FALSE(check({dedicated, dedicated}).has_value());
  CHECK_FALSE(check({twice, none}).has_value());
  CHECK(check({dedicated, none}) == Error::kTooFew);
  CHECK_FALSE(check({none, none}).has_value());  // dedicated credits only
}

TEST_CASE("every channel of several needs dedicated credits", "[conformance][sec-2.6.1]") {
  CHECK(check({least_single(), least_single()}) == Error::kDedicatedMissing);
}

TEST_CASE("shared credits come in whole blocks of four", "[conformance][sec-2.6.1]") {
  FlitAdvertisement advertisement = least_single();
  at(advertisement.shared, CreditType::kPostedHeader).credits = 6;
  CHECK(check({advertisement}) == Error::kNotWholeBlocks);
}

TEST_CASE("the shared credits of a type have one scale", "[conformance][sec-3.4.1]") {
  FlitAdvertisement advertisement = least_single();
  advertisement.dedicated.fill(finite_credits(16));
  FlitAdvertisement scaled = advertisement;
  at(scaled.shared, CreditType::kPostedHeader) = finite_credits(8, CreditScale::k4);
  CHECK(check({advertisement, scaled}) == Error::kScalesDiffer);
}

TEST_CASE("infinite shared credits are infinite on every channel",
          "[conformance][sec-2.6.1][sec-3.4.1]") {
  FlitAdvertisement advertisement = least_single();
  at(advertisement.shared, CreditType::kCompletionHeader) = kUnlimitedCredits;
  CHECK_FALSE(check({advertisement}).has_value());
  advertisement.dedicated.fill(finite_credits(16));
  FlitAdvertisement other = least_single();
  other.dedicated.fill(finite_credits(16));
  CHECK(check({advertisement, other}) == Error::kInfiniteNotEverywhere);
  for (FlitAdvertisement* each : {&advertisement, &other}) {
    at(each->shared, CreditType::kCompletionHeader) = kUnlimitedCredits;
    at(each->dedicated, CreditType::kCompletionHeader) = kUnlimitedCredits;
  }
  CHECK_FALSE(check({advertisement, other}).has_value());
}

TEST_CASE("merged credits", "[conformance][sec-2.6.1][sec-3.4.1]") {
  FlitAdvertisement advertisement = least_single();
  advertisement.dedicated.fill(finite_credits(16));
  at(advertisement.shared, CreditType::kCompletionHeader) = kMergedCredits;
  CHECK(check({advertisement}).has_value());  // header only
  at(advertisement.shared, CreditType::kCompletionData) = kMergedCredits;
  // The posted pool has to hold both.
  CHECK(check({advertisement}) == Error::kTooFew);
  at(advertisement.shared, CreditType::kPostedHeader).credits *= 2;
  at(advertisement.shared, CreditType::kPostedData).credits *= 2;
  CHECK_FALSE(check({advertisement}).has_value());
  // Posted requests and completions could shut each other out.
  FlitAdvertisement bare = advertisement;
  at(bare.dedicated, CreditType::kCompletionHeader) = kZeroCredits;
  CHECK(check({bare}) == Error::kDedicatedMissing);
  FlitAdvertisement posted = advertisement;
  at(posted.shared, CreditType::kNonPostedHeader) = kMergedCredits;
  CHECK(check({posted}) == Error::kMergedNotCompletion);
  FlitAdvertisement dedicated = advertisement;
  at(dedicated.dedicated, CreditType::kCompletionData) = kMergedCredits;
  CHECK(check({dedicated}) == Error::kMergedNotCompletion);
  FlitAdvertisement apart = least_single();
  apart.dedicated.fill(finite_credits(16));
  for (FlitCredit& credit : apart.shared) credit.credits *= 2;
  CHECK(check({advertisement, apart}) == Error::kMergedNotEverywhere);
}

}  // namespace peerfab::pcie
