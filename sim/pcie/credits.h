// SPDX-License-Identifier: Apache-2.0
// Flow-control credits: what a TLP costs, and the modular counters of both ends of a link.
//
// Contract: PCIe r6.0, sec 2.6.1, for links without FLIT mode. Counters hold what the
// specification's variables hold, in FC units; Scaled Flow Control widens them. No allocation.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>

#include "sim/pcie/spec.h"
#include "sim/pcie/tlp_kind.h"

namespace peerfab::pcie {

// PH, PD, NPH, NPD, CplH, CplD.
enum class CreditType : std::uint8_t {
  kPostedHeader,
  kPostedData,
  kNonPostedHeader,
  kNonPostedData,
  kCompletionHeader,
  kCompletionData,
};
inline constexpr unsigned kCreditTypeCount = 6;

[[nodiscard]] constexpr CreditType header_credit(FlowClass flow) {
  return static_cast<CreditType>(2 * static_cast<unsigned>(flow));
}
[[nodiscard]] constexpr CreditType data_credit(FlowClass flow) {
  return static_cast<CreditType>(2 * static_cast<unsigned>(flow) + 1);
}
[[nodiscard]] constexpr bool is_data(CreditType type) {
  return (static_cast<unsigned>(type) & 1) != 0;
}

// Data credits of a payload; a credit is never shared by two TLPs (sec 2.6.1.1).
[[nodiscard]] constexpr std::uint32_t data_credits(unsigned payload_bytes) {
  return (payload_bytes + spec::kCreditUnitBytes - 1) / spec::kCreditUnitBytes;
}

// What one TLP consumes: always one header credit of its class, and data credits for its payload.
struct CreditCost {
  FlowClass flow = FlowClass::kPosted;
  std::uint32_t data = 0;
};
[[nodiscard]] constexpr CreditCost credit_cost(TlpKind kind, unsigned payload_bytes) {
  return {flow_class(kind), has_data(kind) ? data_credits(payload_bytes) : 0};
}

// Scaled Flow Control: what a unit of the DLLP fields stands for. kNone: the feature is off.
enum class CreditScale : std::uint8_t { kNone, k1, k4, k16 };

[[nodiscard]] constexpr unsigned scale_factor(CreditScale scale) {
  return scale == CreditScale::k16 ? 16 : scale == CreditScale::k4 ? 4 : 1;
}
// Bits of the counters; the DLLP drops the low bits of a scaled one (sec 2.6.1, [Field Size]).
[[nodiscard]] constexpr unsigned credit_field_bits(CreditType type, CreditScale scale) {
  const unsigned base = is_data(type) ? spec::kDataCreditFieldBits : spec::kHeaderCreditFieldBits;
  return base + (scale == CreditScale::k16 ? 4 : scale == CreditScale::k4 ? 2 : 0);
}
// Most unused credits a receiver may have outstanding: 127 and 2047 times the factor (sec 3.4.2).
[[nodiscard]] constexpr std::uint32_t max_outstanding_credits(CreditType type, CreditScale scale) {
  return (is_data(type) ? spec::kMaxDataCredits : spec::kMaxHeaderCredits) * scale_factor(scale);
}

// Least initial advertisement in FC units (sec 2.6.1). `payload_limit` is Rx_MPS_Limit for posted
// and completion data, and for non-posted data the largest payload of a request the receiver takes:
// 16 B, or 32 B with AtomicOp routing or 128-bit CAS, or what DMWr needs. Completion credits of an
// endpoint, and of a root complex without peer-to-peer, must be infinite instead.
[[nodiscard]] constexpr std::uint32_t min_initial_credits(CreditType type, unsigned payload_limit,
                                                          CreditScale scale = CreditScale::kNone) {
  const unsigned factor = scale_factor(scale);
  if (!is_data(type)) return factor;
  const unsigned unit = spec::kCreditUnitBytes * factor;
  const unsigned units = (payload_limit + unit - 1) / unit;
  return factor == 1 ? units : (units + 1) * factor;
}

// Whether the receiver may advertise `credits` of this type at initialisation; 0 is infinite.
[[nodiscard]] constexpr bool is_valid_advertisement(CreditType type, std::uint32_t credits,
                                                    unsigned payload_limit,
                                                    CreditScale scale = CreditScale::kNone) {
  return credits == spec::kInfiniteCredits ||
         (credits >= min_initial_credits(type, payload_limit, scale) &&
          credits <= max_outstanding_credits(type, scale) && credits % scale_factor(scale) == 0);
}

// The transmitter's view of one credit type: CREDITS_CONSUMED and CREDIT_LIMIT (sec 2.6.1.1).
class CreditCounter {
 public:
  constexpr CreditCounter() = default;  // infinite
  // initial: the InitFC value in FC units, 0 for infinite.
  constexpr CreditCounter(CreditType type, std::uint32_t initial,
                          CreditScale scale = CreditScale::kNone)
      // With a mask of zero nothing is ever taken away, so that "infinite" needs no test of its
      // own.
      : mask_(initial == spec::kInfiniteCredits
                  ? 0
                  : (std::uint32_t{1} << credit_field_bits(type, scale)) - 1),
        limit_(initial),
        available_(initial == spec::kInfiniteCredits ? kEverEnough : initial) {
    assert(initial <= max_outstanding_credits(type, scale));
  }

  [[nodiscard]] constexpr bool is_infinite() const { return mask_ == 0; }

  // The transmitter gate: (CREDIT_LIMIT - CUMULATIVE_CREDITS_REQUIRED) mod 2^n <= 2^n / 2. With
  // fewer than 2^n / 2 credits unused, which the receiver has to see to, and fewer demanded, that
  // is a comparison.
  [[nodiscard]] constexpr bool can_send(std::uint32_t units) const { return units <= available_; }
  // Requires can_send(units).
  constexpr void consume(std::uint32_t units) {
    assert(can_send(units));
    available_ -= units & mask_;
  }
  // An UpdateFC carrying the receiver's CREDITS_ALLOCATED, in FC units modulo the field.
  constexpr void update_limit(std::uint32_t credits_allocated) {
    available_ = is_infinite() ? kEverEnough : (credits_allocated - credits_consumed()) & mask_;
    limit_ = credits_allocated & mask_;
  }
  // The same by difference: the receiver freed `units`.
  constexpr void return_credits(std::uint32_t units) {
    limit_ = (limit_ + units) & mask_;
    available_ += units & mask_;
  }

  // Unused credits; meaningless for an infinite type.
  [[nodiscard]] constexpr std::uint32_t available() const { return available_ & mask_; }
  [[nodiscard]] constexpr std::uint32_t credits_consumed() const {
    return (limit_ - available_) & mask_;
  }
  [[nodiscard]] constexpr std::uint32_t credit_limit() const { return limit_; }

 private:
  static constexpr std::uint32_t kEverEnough = 0x7fffffff;

  std::uint32_t mask_ = 0;
  std::uint32_t limit_ = 0;
  std::uint32_t available_ = kEverEnough;
};

// The receiver's view of one credit type: CREDITS_ALLOCATED and CREDITS_RECEIVED (sec 2.6.1.2).
class CreditLedger {
 public:
  constexpr CreditLedger() = default;  // infinite
  constexpr CreditLedger(CreditType type, std::uint32_t initial,
                         CreditScale scale = CreditScale::kNone)
      : mask_(initial == spec::kInfiniteCredits
                  ? 0
                  : (std::uint32_t{1} << credit_field_bits(type, scale)) - 1),
        max_outstanding_(max_outstanding_credits(type, scale)),
        allocated_(initial) {
    assert(initial <= max_outstanding_);
  }

  // Counts an arriving TLP; false, and nothing counted, when it exceeds what was granted (Receiver
  // Overflow).
  [[nodiscard]] constexpr bool receive(std::uint32_t units) {
    const std::uint32_t received = (received_ + units) & mask_;
    if (mask_ != 0 && ((allocated_ - received) & mask_) >= (mask_ + 1) / 2) return false;
    received_ = received;
    return true;
  }
  // Grants `units` more; false, and nothing granted, when more than the permitted number would be
  // outstanding (Flow Control Protocol Error on our side).
  [[nodiscard]] constexpr bool release(std::uint32_t units) {
    if (mask_ != 0 && outstanding() + units > max_outstanding_) return false;
    allocated_ = (allocated_ + units) & mask_;
    return true;
  }
  // Granted and not used yet.
  [[nodiscard]] constexpr std::uint32_t outstanding() const {
    return (allocated_ - received_) & mask_;
  }
  // The value that an UpdateFC carries, in FC units; 0 for an infinite type.
  [[nodiscard]] constexpr std::uint32_t credits_allocated() const { return allocated_; }
  [[nodiscard]] constexpr std::uint32_t credits_received() const { return received_; }

 private:
  std::uint32_t mask_ = 0;
  std::uint32_t max_outstanding_ = 0;
  std::uint32_t allocated_ = 0;
  std::uint32_t received_ = 0;
};

// A receiver's initial advertisement of all six types, in FC units; 0 is infinite.
struct CreditAdvertisement {
  std::array<std::uint32_t, kCreditTypeCount> credits{};
  CreditScale header_scale = CreditScale::kNone;
  CreditScale data_scale = CreditScale::kNone;

  [[nodiscard]] constexpr std::uint32_t operator[](CreditType type) const {
    return credits[static_cast<unsigned>(type)];
  }
  [[nodiscard]] constexpr CreditScale scale(CreditType type) const {
    return is_data(type) ? data_scale : header_scale;
  }
};

// The transmitter's gate over all six types.
class TransmitCredits {
 public:
  constexpr TransmitCredits() = default;  // infinite
  constexpr explicit TransmitCredits(const CreditAdvertisement& advertised) {
    for (unsigned i = 0; i < kCreditTypeCount; ++i) {
      const auto type = static_cast<CreditType>(i);
      counters_[i] = CreditCounter(type, advertised[type], advertised.scale(type));
    }
  }
  [[nodiscard]] constexpr bool can_send(CreditCost cost) const {
    return counter(header_credit(cost.flow)).can_send(1) &&
           counter(data_credit(cost.flow)).can_send(cost.data);
  }
  constexpr void consume(CreditCost cost) {
    counter(header_credit(cost.flow)).consume(1);
    counter(data_credit(cost.flow)).consume(cost.data);
  }
  constexpr void return_credits(CreditCost cost) {
    counter(header_credit(cost.flow)).return_credits(1);
    counter(data_credit(cost.flow)).return_credits(cost.data);
  }
  [[nodiscard]] constexpr const CreditCounter& counter(CreditType type) const {
    return counters_[static_cast<unsigned>(type)];
  }
  [[nodiscard]] constexpr CreditCounter& counter(CreditType type) {
    return counters_[static_cast<unsigned>(type)];
  }

 private:
  std::array<CreditCounter, kCreditTypeCount> counters_{};
};

}  // namespace peerfab::pcie
