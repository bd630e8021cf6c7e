// SPDX-License-Identifier: Apache-2.0
// Flow-control counters: both sides of every limit, wrap-around, infinite credits, scaling.
#include "sim/pcie/credits.h"

#include <cstdint>

#include "sim/base/rng.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

using enum CreditType;

TEST_CASE("data credits round up to 16 bytes", "[credits]") {
  CHECK(data_credits(0) == 0);
  CHECK(data_credits(1) == 1);
  CHECK(data_credits(16) == 1);
  CHECK(data_credits(17) == 2);
  CHECK(data_credits(256) == 16);
  CHECK(data_credits(4096) == 256);
}

TEST_CASE("the gate opens at the limit and closes one past it", "[credits]") {
  CreditCounter counter(kPostedData, 16);
  CHECK(counter.available() == 16);
  CHECK(counter.can_send(0));
  CHECK(counter.can_send(16));
  CHECK_FALSE(counter.can_send(17));
  counter.consume(10);
  CHECK(counter.available() == 6);
  CHECK(counter.can_send(6));
  CHECK_FALSE(counter.can_send(7));
  counter.consume(6);
  CHECK_FALSE(counter.can_send(1));
  counter.return_credits(1);
  CHECK(counter.can_send(1));
  CHECK_FALSE(counter.can_send(2));
}

TEST_CASE("a header counter with one credit", "[credits]") {
  CreditCounter counter(kNonPostedHeader, 1);
  CHECK(counter.can_send(1));
  counter.consume(1);
  CHECK_FALSE(counter.can_send(1));
  counter.update_limit(2);
  CHECK(counter.can_send(1));
}

TEST_CASE("counters work through their wrap-around", "[credits]") {
  // 127 headers and 2047 data units outstanding at every position of the counter.
  for (const CreditType type : {kPostedHeader, kPostedData}) {
    const std::uint32_t most = max_outstanding_credits(type, CreditScale::kNone);
    const std::uint32_t modulus = std::uint32_t{1} << credit_field_bits(type, CreditScale::kNone);
    CreditCounter counter(type, most);
    bool held = true;
    for (std::uint32_t i = 0; i < 2 * modulus; ++i) {
      held = held && counter.available() == most && counter.can_send(1) && counter.can_send(most) &&
             !counter.can_send(most + 1);
      counter.consume(1);
      held = held && counter.available() == most - 1 && !counter.can_send(most);
      counter.return_credits(1);
    }
    CHECK(held);
    CHECK(counter.credits_consumed() < modulus);
    CHECK(counter.credit_limit() < modulus);
  }
}

TEST_CASE("infinite credits never block", "[credits]") {
  CreditCounter counter(kCompletionData, 0);
  CHECK(counter.is_infinite());
  for (int i = 0; i < 10'000; ++i) {
    REQUIRE(counter.can_send(256));
    counter.consume(256);
  }
  counter.return_credits(256);
  counter.update_limit(0);
  CHECK(counter.can_send(256));
  CHECK(CreditCounter().is_infinite());
  CHECK_FALSE(CreditCounter(kCompletionData, 1).is_infinite());
}

TEST_CASE("a receiver notices a TLP beyond its grant", "[credits]") {
  CreditLedger ledger(kPostedData, 16);
  CHECK(ledger.receive(16));
  CHECK_FALSE(ledger.receive(1));
  CHECK(ledger.credits_received() == 16);
  CHECK(ledger.release(4));
  CHECK(ledger.credits_allocated() == 20);
  CHECK_FALSE(ledger.receive(5));
  CHECK(ledger.receive(4));
  CHECK(ledger.outstanding() == 0);
}

TEST_CASE("a receiver never grants more than 127 headers or 2047 data units", "[credits]") {
  CreditLedger headers(kPostedHeader, 127);
  CHECK_FALSE(headers.release(1));
  CHECK(headers.receive(1));
  CHECK(headers.release(1));
  CreditLedger data(kPostedData, 2040);
  CHECK(data.release(7));
  CHECK_FALSE(data.release(1));
  CHECK(data.outstanding() == 2047);
}

TEST_CASE("an infinite ledger takes everything and advertises zero", "[credits]") {
  CreditLedger ledger;
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(ledger.receive(256));
    REQUIRE(ledger.release(256));
  }
  CHECK(ledger.credits_allocated() == 0);
}

TEST_CASE("scaled flow control widens counters and limits", "[credits]") {
  CHECK(credit_field_bits(kPostedHeader, CreditScale::k1) == 8);
  CHECK(credit_field_bits(kPostedHeader, CreditScale::k4) == 10);
  CHECK(credit_field_bits(kPostedHeader, CreditScale::k16) == 12);
  CHECK(credit_field_bits(kPostedData, CreditScale::k1) == 12);
  CHECK(credit_field_bits(kPostedData, CreditScale::k4) == 14);
  CHECK(credit_field_bits(kPostedData, CreditScale::k16) == 16);
  CHECK(max_outstanding_credits(kPostedHeader, CreditScale::k4) == 508);
  CHECK(max_outstanding_credits(kPostedHeader, CreditScale::k16) == 2032);
  CHECK(max_outstanding_credits(kPostedData, CreditScale::k4) == 8188);
  CHECK(max_outstanding_credits(kPostedData, CreditScale::k16) == 32752);
  CreditCounter counter(kPostedHeader, 508, CreditScale::k4);
  CHECK(counter.can_send(508));
  CHECK_FALSE(counter.can_send(509));
}

TEST_CASE("transmitter and receiver agree under random traffic", "[credits][property]") {
  Rng rng(7);
  for (const CreditType type : {kPostedHeader, kPostedData}) {
    const std::uint32_t most = max_outstanding_credits(type, CreditScale::kNone);
    const std::uint32_t largest = is_data(type) ? 256 : 1;
    const auto initial = static_cast<std::uint32_t>(rng.between(largest, most));
    CreditCounter sender(type, initial);
    CreditLedger receiver(type, initial);
    std::uint64_t held_by_receiver = 0;
    bool agreed = true;
    for (int i = 0; i < 100'000 && agreed; ++i) {
      const auto units = static_cast<std::uint32_t>(rng.between(1, largest));
      if (rng.below(2) == 0 && sender.can_send(units)) {
        sender.consume(units);
        agreed = receiver.receive(units);
        held_by_receiver += units;
      } else if (held_by_receiver >= units) {
        agreed = receiver.release(units);
        held_by_receiver -= units;
        sender.update_limit(receiver.credits_allocated());
      }
      agreed = agreed && sender.available() == receiver.outstanding() &&
               sender.available() + held_by_receiver == initial;
    }
    CHECK(agreed);
  }
}

TEST_CASE("a TLP needs the header and the data credits of its class", "[credits]") {
  CreditAdvertisement advertised;
  advertised.credits = {1, 16, 1, 1, 0, 0};
  TransmitCredits credits(advertised);
  const CreditCost write = credit_cost(TlpKind::kMemoryWrite, 256);
  CHECK(write.flow == FlowClass::kPosted);
  CHECK(write.data == 16);
  CHECK(credits.can_send(write));
  CHECK_FALSE(credits.can_send(credit_cost(TlpKind::kMemoryWrite, 257)));
  credits.consume(write);
  // Out of headers, and of data: each alone blocks.
  CHECK_FALSE(credits.can_send(credit_cost(TlpKind::kMessage, 0)));
  credits.counter(kPostedHeader).return_credits(1);
  CHECK(credits.can_send(credit_cost(TlpKind::kMessage, 0)));
  CHECK_FALSE(credits.can_send(credit_cost(TlpKind::kMemoryWrite, 4)));
  credits.counter(kPostedData).return_credits(1);
  CHECK(credits.can_send(credit_cost(TlpKind::kMemoryWrite, 4)));
  // The other classes did not notice.
  CHECK(credits.can_send(credit_cost(TlpKind::kMemoryRead, 0)));
  CHECK(credits.can_send(credit_cost(TlpKind::kCompletionData, 4096)));
  CHECK(credits.can_send(credit_cost(TlpKind::kFetchAdd, 8)));
  CHECK_FALSE(credits.can_send(credit_cost(TlpKind::kCompareSwap, 32)));
  credits.return_credits(write);
  CHECK(credits.counter(kPostedData).available() == 17);
}

}  // namespace
}  // namespace peerfab::pcie
