// SPDX-License-Identifier: Apache-2.0
// Hand-made hops with round numbers, decoding and bus mastering on, ACS off.
#pragma once

#include <cstdint>

#include "sim/cfgspace/port_registers.h"
#include "sim/cfgspace/route.h"
#include "tests/support/catch.h"

namespace peerfab::cfgspace::testing {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
inline constexpr std::uint64_t kLowMmio = 2 * kGiB;
inline constexpr std::uint64_t kHighMmio = 256 * kGiB;

inline AddressRange range(std::uint64_t base, std::uint64_t size) {
  return AddressRange::of(BusAddress(base), Bytes(size));
}

inline PortRegisters bridge(PortType type, Bdf bdf, std::uint8_t secondary,
                            std::uint8_t subordinate) {
  PortRegisters port;
  port.type = type;
  port.bdf = bdf;
  port.command = {.memory_space_enable = true, .bus_master_enable = true};
  port.buses = {bdf.bus(), secondary, subordinate};
  return port;
}

// Upstream port 01:00.0, internal bus 2, downstream ports 02:00.0 to 02:02.0 with the buses 3 to 5.
// Port n: 1 MiB at kLowMmio + n MiB and 1 GiB at kHighMmio + n GiB; the upstream port's windows
// cover 4 of each, so that the fourth is claimed by nobody.
inline SwitchRegisters three_port_switch() {
  SwitchRegisters result;
  result.upstream = bridge(PortType::kSwitchUpstream, Bdf(1, 0, 0), 2, 6);
  result.upstream.memory_window = range(kLowMmio, 4 * kMiB);
  result.upstream.prefetchable_window = range(kHighMmio, 4 * kGiB);
  for (std::uint8_t i = 0; i < 3; ++i) {
    const auto bus = static_cast<std::uint8_t>(3 + i);
    PortRegisters port = bridge(PortType::kSwitchDownstream, Bdf(2, i, 0), bus, bus);
    port.port_number = static_cast<std::uint8_t>(i + 1);
    port.memory_window = range(kLowMmio + i * kMiB, kMiB);
    port.prefetchable_window = range(kHighMmio + i * kGiB, kGiB);
    result.downstream.push_back(port);
  }
  return result;
}

inline constexpr std::uint64_t unclaimed_in_switch() { return kHighMmio + 3 * kGiB; }

// Root ports 00:01.0 to 00:03.0 with the buses 0x10-0x1f, 0x20-0x2f, 0x30-0x3f and 1 GiB each from
// kHighMmio on; 4 GiB of memory, half below kLowMmio, half above 4 GiB; a second socket with memory
// at 8 GiB, MMIO at 512 GiB and the buses 0x80-0x8f.
inline RootComplexRegisters three_port_root() {
  RootComplexRegisters result;
  result.host_memory = {range(0, 2 * kGiB), range(4 * kGiB, 2 * kGiB)};
  for (std::uint8_t i = 0; i < 3; ++i) {
    const auto first = static_cast<std::uint8_t>(0x10 * (i + 1));
    PortRegisters port = bridge(PortType::kRootPort, Bdf(0, static_cast<std::uint8_t>(i + 1), 0),
                                first, static_cast<std::uint8_t>(first + 0xf));
    port.port_number = static_cast<std::uint8_t>(i + 1);
    port.prefetchable_window = range(kHighMmio + i * kGiB, kGiB);
    result.root_ports.push_back(port);
  }
  OtherSocket other;
  other.socket = 1;
  other.memory = {range(8 * kGiB, 2 * kGiB)};
  other.mmio = {range(512 * kGiB, 4 * kGiB)};
  other.root_bus = 0x80;
  other.last_bus = 0x8f;
  result.other_sockets.push_back(other);
  return result;
}

inline RoutedTlp write_to(std::uint64_t address, Bdf requester) {
  RoutedTlp tlp;
  tlp.category = TlpCategory::kPosted;
  tlp.address = BusAddress(address);
  tlp.length = Bytes(64);
  tlp.requester = requester;
  return tlp;
}

inline RoutedTlp read_from(std::uint64_t address, Bdf requester) {
  RoutedTlp tlp = write_to(address, requester);
  tlp.category = TlpCategory::kNonPosted;
  return tlp;
}

inline RoutedTlp completion_to(Bdf requester, bool relaxed_ordering = false) {
  RoutedTlp tlp;
  tlp.category = TlpCategory::kCompletion;
  tlp.routing = Routing::kById;
  tlp.destination = requester;
  tlp.relaxed_ordering = relaxed_ordering;
  return tlp;
}

inline RoutedTlp request_to_id(Bdf destination, Bdf requester) {
  RoutedTlp tlp;
  tlp.category = TlpCategory::kPosted;
  tlp.routing = Routing::kById;
  tlp.destination = destination;
  tlp.requester = requester;
  return tlp;
}

inline RoutedTlp translated(RoutedTlp tlp) {
  tlp.address_type = AddressType::kTranslated;
  return tlp;
}

inline void check(const Verdict& verdict, Action action, Reason reason) {
  INFO(describe(verdict));
  CHECK(verdict.action == action);
  CHECK(verdict.reason == reason);
}

inline void check(const Verdict& verdict, Action action, unsigned index, Reason reason) {
  check(verdict, action, reason);
  CHECK(verdict.index == index);
}

}  // namespace peerfab::cfgspace::testing
