// SPDX-License-Identifier: Apache-2.0
#include "sim/cfgspace/port_registers.h"

namespace peerfab::cfgspace {
namespace {

// Command register bits (PCIe r6.0, sec 7.5.1.1.3).
constexpr std::uint16_t kMemorySpaceEnable = 1U << 1;
constexpr std::uint16_t kBusMasterEnable = 1U << 2;

// ACS Control register bits (PCIe r6.0, sec 7.7.11.3).
constexpr std::uint16_t kSourceValidation = 1U << 0;
constexpr std::uint16_t kTranslationBlocking = 1U << 1;
constexpr std::uint16_t kP2pRequestRedirect = 1U << 2;
constexpr std::uint16_t kP2pCompletionRedirect = 1U << 3;
constexpr std::uint16_t kUpstreamForwarding = 1U << 4;
constexpr std::uint16_t kP2pEgressControl = 1U << 5;
constexpr std::uint16_t kDirectTranslatedP2p = 1U << 6;

// Bits 15:4 of a window register are address bits 31:20; the lower 20 bits of a base read as zeros,
// those of a limit as ones (PCIe r6.0, sec 7.5.1.3.8).
constexpr unsigned kWindowShift = 16;
constexpr std::uint16_t kWindowMask = 0xfff0;
constexpr std::uint64_t kBelowGranule = kBridgeWindowGranule.count() - 1;
// Bits 3:0: the window decodes 64-bit addresses (PCIe r6.0, sec 7.5.1.3.9).
constexpr std::uint16_t kWindow64Bit = 0x0001;

std::uint16_t window_field(BusAddress address) {
  return static_cast<std::uint16_t>(address.value() >> kWindowShift) & kWindowMask;
}

std::uint64_t window_address(std::uint16_t field) {
  return static_cast<std::uint64_t>(field & kWindowMask) << kWindowShift;
}

// A closed window: the base lies above the limit, in the lower as in the upper halves.
constexpr std::uint16_t kClosedBase = kWindowMask;
constexpr std::uint16_t kClosedLimit = 0;

AddressRange opened(std::uint64_t base, std::uint64_t limit) {
  if (limit < base) return {};
  return {BusAddress(base), BusAddress(limit)};
}

}  // namespace

std::uint16_t Command::to_register() const {
  return static_cast<std::uint16_t>((memory_space_enable ? kMemorySpaceEnable : 0) |
                                    (bus_master_enable ? kBusMasterEnable : 0));
}

Command Command::from_register(std::uint16_t value) {
  return {(value & kMemorySpaceEnable) != 0, (value & kBusMasterEnable) != 0};
}

MemoryWindowRegisters encode_memory_window(const AddressRange& window) {
  if (window.empty()) return {kClosedBase, kClosedLimit};
  return {window_field(window.base), window_field(window.limit)};
}

AddressRange decode_memory_window(const MemoryWindowRegisters& registers) {
  return opened(window_address(registers.base), window_address(registers.limit) | kBelowGranule);
}

PrefetchableWindowRegisters encode_prefetchable_window(const AddressRange& window) {
  if (window.empty()) return {kClosedBase | kWindow64Bit, kClosedLimit | kWindow64Bit, 0, 0};
  return {static_cast<std::uint16_t>(window_field(window.base) | kWindow64Bit),
          static_cast<std::uint16_t>(window_field(window.limit) | kWindow64Bit),
          static_cast<std::uint32_t>(window.base.value() >> 32),
          static_cast<std::uint32_t>(window.limit.value() >> 32)};
}

AddressRange decode_prefetchable_window(const PrefetchableWindowRegisters& registers) {
  const std::uint64_t base =
      (static_cast<std::uint64_t>(registers.base_upper) << 32) | window_address(registers.base);
  const std::uint64_t limit = (static_cast<std::uint64_t>(registers.limit_upper) << 32) |
                              window_address(registers.limit) | kBelowGranule;
  return opened(base, limit);
}

std::uint16_t AcsControl::to_register() const {
  return static_cast<std::uint16_t>((source_validation ? kSourceValidation : 0) |
                                    (translation_blocking ? kTranslationBlocking : 0) |
                                    (p2p_request_redirect ? kP2pRequestRedirect : 0) |
                                    (p2p_completion_redirect ? kP2pCompletionRedirect : 0) |
                                    (upstream_forwarding ? kUpstreamForwarding : 0) |
                                    (p2p_egress_control ? kP2pEgressControl : 0) |
                                    (direct_translated_p2p ? kDirectTranslatedP2p : 0));
}

void AcsControl::set_from_register(std::uint16_t value) {
  source_validation = (value & kSourceValidation) != 0;
  translation_blocking = (value & kTranslationBlocking) != 0;
  p2p_request_redirect = (value & kP2pRequestRedirect) != 0;
  p2p_completion_redirect = (value & kP2pCompletionRedirect) != 0;
  upstream_forwarding = (value & kUpstreamForwarding) != 0;
  p2p_egress_control = (value & kP2pEgressControl) != 0;
  direct_translated_p2p = (value & kDirectTranslatedP2p) != 0;
}

}  // namespace peerfab::cfgspace
