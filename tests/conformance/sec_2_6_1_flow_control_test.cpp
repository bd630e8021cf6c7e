// SPDX-License-Identifier: Apache-2.0
// PCIe r6.0, sec 2.6.1: what each kind of TLP consumes, least advertisements, limits, counters.
#include <cstdint>

#include "sim/pcie/credits.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

using enum CreditType;

TEST_CASE("credits consumed by each kind", "[conformance][sec-2.6.1]") {
  struct Consumption {
    TlpKind kind;
    unsigned payload;
    FlowClass flow;
    unsigned data;
  };
  constexpr auto kP = FlowClass::kPosted;
  constexpr auto kNp = FlowClass::kNonPosted;
  constexpr auto kCpl = FlowClass::kCompletion;
  const Consumption table[] = {
      {TlpKind::kMemoryRead, 0, kNp, 0},
      {TlpKind::kMemoryReadLocked, 0, kNp, 0},
      {TlpKind::kIoRead, 0, kNp, 0},
      {TlpKind::kConfigRead0, 0, kNp, 0},
      {TlpKind::kConfigRead1, 0, kNp, 0},
      {TlpKind::kMemoryWrite, 4, kP, 1},
      {TlpKind::kMemoryWrite, 16, kP, 1},
      {TlpKind::kMemoryWrite, 20, kP, 2},
      {TlpKind::kMemoryWrite, 4096, kP, 256},
      {TlpKind::kIoWrite, 4, kNp, 1},
      {TlpKind::kConfigWrite0, 4, kNp, 1},
      {TlpKind::kConfigWrite1, 4, kNp, 1},
      {TlpKind::kFetchAdd, 8, kNp, 1},
      {TlpKind::kSwap, 8, kNp, 1},
      {TlpKind::kCompareSwap, 32, kNp, 2},
      {TlpKind::kDeferrableMemoryWrite, 64, kNp, 4},
      {TlpKind::kMessage, 0, kP, 0},
      {TlpKind::kMessageData, 4, kP, 1},
      {TlpKind::kCompletionData, 256, kCpl, 16},
      {TlpKind::kCompletionData, 4, kCpl, 1},
      {TlpKind::kCompletion, 0, kCpl, 0},
  };
  for (const Consumption& row : table) {
    INFO(traits(row.kind).name << " with " << row.payload << " B");
    const CreditCost cost = credit_cost(row.kind, row.payload);
    CHECK(cost.flow == row.flow);
    CHECK(cost.data == row.data);
  }
}

TEST_CASE("header and data credit of each class", "[conformance][sec-2.6.1]") {
  CHECK(header_credit(FlowClass::kPosted) == kPostedHeader);
  CHECK(data_credit(FlowClass::kPosted) == kPostedData);
  CHECK(header_credit(FlowClass::kNonPosted) == kNonPostedHeader);
  CHECK(data_credit(FlowClass::kNonPosted) == kNonPostedData);
  CHECK(header_credit(FlowClass::kCompletion) == kCompletionHeader);
  CHECK(data_credit(FlowClass::kCompletion) == kCompletionData);
}

TEST_CASE("least initial advertisements", "[conformance][sec-2.6.1]") {
  for (const CreditType header : {kPostedHeader, kNonPostedHeader, kCompletionHeader}) {
    CHECK(min_initial_credits(header, 1024) == 1);
    CHECK(min_initial_credits(header, 1024, CreditScale::k1) == 1);
    CHECK(min_initial_credits(header, 1024, CreditScale::k4) == 4);
    CHECK(min_initial_credits(header, 1024, CreditScale::k16) == 16);
  }
  // The section's example: a limit of 1024 B needs 040h, and field values 011h and 005h when
  // scaled.
  for (const CreditType data : {kPostedData, kCompletionData}) {
    CHECK(min_initial_credits(data, 1024) == 0x40);
    CHECK(min_initial_credits(data, 1024, CreditScale::k4) == 0x11 * 4);
    CHECK(min_initial_credits(data, 1024, CreditScale::k16) == 0x5 * 16);
  }
  CHECK(min_initial_credits(kNonPostedData, 16) == 1);
  CHECK(min_initial_credits(kNonPostedData, 32) == 2);   // AtomicOp routing or 128-bit CAS
  CHECK(min_initial_credits(kNonPostedData, 128) == 8);  // DMWr routing
}

TEST_CASE("advertisements on both sides of the limits", "[conformance][sec-2.6.1]") {
  CHECK(is_valid_advertisement(kPostedHeader, 0, 256));  // infinite
  CHECK(is_valid_advertisement(kPostedHeader, 1, 256));
  CHECK(is_valid_advertisement(kPostedHeader, 127, 256));
  CHECK_FALSE(is_valid_advertisement(kPostedHeader, 128, 256));
  CHECK_FALSE(is_valid_advertisement(kPostedData, 15, 256));
  CHECK(is_valid_advertisement(kPostedData, 16, 256));
  CHECK(is_valid_advertisement(kPostedData, 2047, 256));
  CHECK_FALSE(is_valid_advertisement(kPostedData, 2048, 256));
  CHECK_FALSE(is_valid_advertisement(kPostedHeader, 5, 256, CreditScale::k4));  // not a multiple
  CHECK(is_valid_advertisement(kPostedHeader, 508, 256, CreditScale::k4));
  CHECK_FALSE(is_valid_advertisement(kPostedHeader, 512, 256, CreditScale::k4));
  CHECK(is_valid_advertisement(kPostedData, 32752, 256, CreditScale::k16));
  CHECK_FALSE(is_valid_advertisement(kPostedData, 32768, 256, CreditScale::k16));
}

TEST_CASE("the transmitter gate is the specification's inequality", "[conformance][sec-2.6.1.1]") {
  // Against the formula, for every counter position and demand of the 8-bit field that the receiver
  // may bring about.
  bool agreed = true;
  for (std::uint32_t consumed = 0; consumed < 256; ++consumed) {
    for (std::uint32_t available = 0; available <= 127; ++available) {
      CreditCounter counter(kPostedHeader, 127);
      for (std::uint32_t sent = 0; sent < consumed; ++sent) {
        counter.consume(1);
        counter.return_credits(1);
      }
      counter.update_limit((consumed + available) % 256);
      // A demand of half the field, which no TLP makes, would pass the formula with nothing left.
      for (std::uint32_t units = 0; units <= 127; ++units) {
        const std::uint32_t required = (consumed + units) % 256;
        const std::uint32_t difference = (counter.credit_limit() - required) % 256;
        agreed = agreed && counter.can_send(units) == (difference <= 128) &&
                 counter.can_send(units) == (units <= available);
      }
    }
  }
  CHECK(agreed);
}

TEST_CASE("a receiver may not exceed 127 and 2047 outstanding", "[conformance][sec-2.6.1]") {
  CreditLedger headers(kNonPostedHeader, 126);
  CHECK(headers.release(1));
  CHECK_FALSE(headers.release(1));
  CreditLedger data(kCompletionData, 2046);
  CHECK(data.release(1));
  CHECK_FALSE(data.release(1));
}

}  // namespace
}  // namespace peerfab::pcie
