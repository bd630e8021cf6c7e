// SPDX-License-Identifier: Apache-2.0
// The cache decides as route() does, for every TLP and after every change of the registers.
#include "sim/device/route_cache.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/base/rng.h"
#include "tests/support/catch.h"

using peerfab::Bdf;
using peerfab::BusAddress;
using peerfab::Bytes;
using peerfab::Rng;
using peerfab::cfgspace::AddressRange;
using peerfab::cfgspace::Bar;
using peerfab::cfgspace::Ingress;
using peerfab::cfgspace::PortRegisters;
using peerfab::cfgspace::PortType;
using peerfab::cfgspace::RoutingView;
using peerfab::cfgspace::SwitchRegisters;
using peerfab::cfgspace::Verdict;
using peerfab::device::HopDecision;
using peerfab::device::RouteCache;
using peerfab::engine::Tlp;
using peerfab::pcie::FlowClass;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// A switch whose windows and buses follow each other, some of them closed.
SwitchRegisters random_switch(Rng& rng) {
  SwitchRegisters registers;
  registers.upstream.type = PortType::kSwitchUpstream;
  registers.upstream.bdf = Bdf(1, 0, 0);
  registers.upstream.command = {true, true};
  registers.upstream.buses = {0, 1, 40};
  registers.upstream.memory_window = AddressRange::of(BusAddress(16 * kMiB), Bytes(64 * kMiB));
  registers.upstream.prefetchable_window =
      AddressRange::of(BusAddress(std::uint64_t{1} << 40), Bytes(256 * kMiB));
  std::uint64_t low = 16 * kMiB;
  std::uint64_t high = std::uint64_t{1} << 40;
  std::uint8_t bus = 3;
  const unsigned ports = static_cast<unsigned>(rng.between(1, 6));
  for (unsigned i = 0; i < ports; ++i) {
    PortRegisters port;
    port.type = PortType::kSwitchDownstream;
    port.bdf = Bdf(2, static_cast<std::uint8_t>(i), 0);
    port.port_number = static_cast<std::uint8_t>(i + 1);
    port.command.memory_space_enable = rng.below(8) != 0;
    port.command.bus_master_enable = rng.below(8) != 0;
    const auto last = static_cast<std::uint8_t>(bus + rng.below(3));
    if (rng.below(8) != 0) port.buses = {2, bus, last};
    bus = static_cast<std::uint8_t>(last + 1);
    if (rng.below(4) != 0) {
      const std::uint64_t size = kMiB * rng.between(1, 4);
      port.memory_window = AddressRange::of(BusAddress(low), Bytes(size));
      low += size;
    }
    if (rng.below(4) != 0) {
      const std::uint64_t size = kMiB * rng.between(1, 16);
      port.prefetchable_window = AddressRange::of(BusAddress(high), Bytes(size));
      high += size + kMiB * rng.below(2);
    }
    port.acs.source_validation = rng.below(4) == 0;
    port.acs.p2p_request_redirect = rng.below(4) == 0;
    port.acs.p2p_completion_redirect = rng.below(4) == 0;
    port.acs.upstream_forwarding = rng.below(2) == 0;
    port.acs.p2p_egress_control = rng.below(4) == 0;
    port.acs.egress_control_vector = rng.next();
    registers.downstream.push_back(port);
  }
  return registers;
}

// An endpoint with BARs that are smaller and larger than what the cache looks up at once.
PortRegisters random_endpoint(Rng& rng) {
  PortRegisters registers;
  registers.bdf = Bdf(5, 0, 0);
  registers.command = {rng.below(8) != 0, rng.below(8) != 0};
  std::uint64_t base = 16 * kMiB;
  for (unsigned i = 0; i < 6; i += 2) {
    Bar bar;
    bar.request.index = i;
    bar.request.is_64bit = true;
    bar.request.size = Bytes(std::uint64_t{1} << rng.between(12, 23));
    base =
        (base + bar.request.size.count() - 1) / bar.request.size.count() * bar.request.size.count();
    bar.base = BusAddress(base);
    bar.assigned = rng.below(5) != 0;
    base += bar.request.size.count();
    registers.bars.push_back(bar);
  }
  return registers;
}

// Near the edges of windows as often as not, and often the same place again.
Tlp random_tlp(Rng& rng) {
  Tlp tlp;
  tlp.flow_class = static_cast<FlowClass>(rng.below(3));
  tlp.requester =
      Bdf(static_cast<std::uint8_t>(rng.below(24)), static_cast<std::uint8_t>(rng.below(3)), 0)
          .value();
  tlp.attributes = static_cast<std::uint8_t>(rng.below(8));
  tlp.length = static_cast<std::uint16_t>(1 + rng.below(512));
  std::uint64_t address =
      rng.below(2) == 0 ? kMiB * rng.below(90) : (std::uint64_t{1} << 40) + kMiB * rng.below(120);
  address += rng.below(3) == 0 ? rng.below(kMiB) : 4096 * rng.below(3);
  // No request crosses 4 KiB.
  if (address % 4096 + tlp.length > 4096) address -= address % 4096;
  tlp.address = tlp.flow_class == FlowClass::kCompletion ? rng.next() : address;
  return tlp;
}

// What a request is may differ from the last one by its requester alone.
void check_same(RouteCache& cache, const Tlp& tlp, const RoutingView& view) {
  const Verdict verdict = peerfab::cfgspace::route(peerfab::device::routed(tlp), view);
  const HopDecision decision = cache.find(tlp, view);
  REQUIRE(decision.action == verdict.action);
  REQUIRE(decision.index == verdict.index);
  REQUIRE(decision.peer_to_peer == verdict.peer_to_peer);
}

}  // namespace

TEST_CASE("a switch's cache decides as the route function does", "[route_cache]") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed);
    SwitchRegisters registers = random_switch(rng);
    std::vector<std::unique_ptr<RouteCache>> caches;
    for (std::size_t i = 0; i <= registers.downstream.size(); ++i) {
      caches.push_back(std::make_unique<RouteCache>());
    }
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t ingress = rng.below(caches.size());
      const RoutingView view{&registers, ingress == 0
                                             ? Ingress::upstream()
                                             : Ingress::port(static_cast<unsigned>(ingress - 1))};
      check_same(*caches[ingress], random_tlp(rng), view);
      if (rng.below(400) != 0) continue;
      // Software rewrites the registers; every cache is told.
      const std::size_t ports = registers.downstream.size();
      do {
        registers = random_switch(rng);
      } while (registers.downstream.size() != ports);
      for (const auto& cache : caches) cache->forget();
    }
  }
}

TEST_CASE("an endpoint's cache decides as the route function does", "[route_cache]") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed);
    PortRegisters registers = random_endpoint(rng);
    const auto cache = std::make_unique<RouteCache>();
    for (int i = 0; i < 2000; ++i) {
      check_same(*cache, random_tlp(rng), {&registers, Ingress::upstream()});
      if (rng.below(300) != 0) continue;
      registers = random_endpoint(rng);
      cache->forget();
    }
  }
}

TEST_CASE("a cache keeps what it decided until it is told to forget", "[route_cache]") {
  SwitchRegisters registers;
  registers.upstream.command = {true, true};
  registers.upstream.memory_window = AddressRange::of(BusAddress(kMiB), Bytes(8 * kMiB));
  registers.downstream.resize(2);
  for (PortRegisters& port : registers.downstream) port.command = {true, true};
  registers.downstream[0].memory_window = AddressRange::of(BusAddress(kMiB), Bytes(kMiB));
  RouteCache cache;
  Tlp tlp;
  tlp.address = kMiB + 64;
  tlp.length = 64;
  const RoutingView view{&registers, Ingress::upstream()};
  CHECK(cache.find(tlp, view).action == peerfab::cfgspace::Action::kToPort);
  CHECK(cache.find(tlp, view).index == 0);
  std::swap(registers.downstream[0].memory_window, registers.downstream[1].memory_window);
  CHECK(cache.find(tlp, view).index == 0);
  cache.forget();
  CHECK(cache.find(tlp, view).index == 1);
}
