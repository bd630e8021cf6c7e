// SPDX-License-Identifier: Apache-2.0
// A verdict names the TLPs that share it. What a hop would take from its cache must be what route()
// says.
#include <vector>

#include "sim/base/rng.h"
#include "tests/unit/cfgspace/fixtures.h"

namespace peerfab::cfgspace::testing {
namespace {

void shake(PortRegisters& port, Rng& rng) {
  port.command.memory_space_enable = rng.below(5) != 0;
  port.command.bus_master_enable = rng.below(8) != 0;
  for (unsigned bit = 0; bit < 7; ++bit) {
    if (rng.below(4) != 0) continue;
    port.acs.set_from_register(static_cast<std::uint16_t>(port.acs.to_register() | (1U << bit)));
  }
  for (unsigned bit = 0; bit < 4; ++bit) port.acs.egress_control_vector.set(bit, rng.below(2) != 0);
  if (rng.below(8) == 0) port.prefetchable_window = {};
  if (rng.below(8) == 0) port.buses = {};
}

RoutedTlp random_tlp(Rng& rng) {
  RoutedTlp tlp;
  tlp.category = static_cast<TlpCategory>(rng.below(3));
  tlp.routing = static_cast<Routing>(rng.below(2));
  const std::uint64_t places[] = {0,
                                  kLowMmio,
                                  kLowMmio + kMiB,
                                  kHighMmio,
                                  kHighMmio + kGiB,
                                  kHighMmio + 4 * kGiB,
                                  4 * kGiB,
                                  8 * kGiB,
                                  512 * kGiB,
                                  ~std::uint64_t{0} - 300};
  const std::uint64_t place = places[rng.below(std::size(places))];
  const std::uint64_t jitter = rng.below(3) == 0 ? rng.below(4 * kGiB) : rng.below(200);
  tlp.address =
      BusAddress(place < jitter || rng.below(2) == 0 ? place + rng.below(200) : place - jitter);
  tlp.length = Bytes(rng.below(5) == 0 ? 4096 : rng.below(65));
  const std::uint8_t buses[] = {0, 1, 2, 3, 4, 5, 6, 0x11, 0x20, 0x3f, 0x80, 0x81, 0xff};
  tlp.requester = Bdf(buses[rng.below(std::size(buses))], static_cast<std::uint8_t>(rng.below(4)),
                      static_cast<std::uint8_t>(rng.below(2)));
  tlp.destination =
      Bdf(buses[rng.below(std::size(buses))], static_cast<std::uint8_t>(rng.below(4)), 0);
  tlp.address_type = static_cast<AddressType>(rng.below(3));
  tlp.relaxed_ordering = rng.below(2) == 0;
  return tlp;
}

std::uint64_t between(Rng& rng, std::uint64_t low, std::uint64_t high) {
  if (rng.below(3) == 0) return low;
  if (rng.below(3) == 0) return high;
  const std::uint64_t span = high - low;
  return low + (span == ~std::uint64_t{0} ? rng.next() : rng.below(span + 1));
}

// Another TLP that the verdict claims to cover.
RoutedTlp covered(const RoutedTlp& tlp, const Verdict& verdict, Rng& rng) {
  RoutedTlp other = tlp;
  other.address =
      BusAddress(between(rng, verdict.addresses.base.value(), verdict.addresses.limit.value()));
  const std::uint64_t room = verdict.addresses.limit.value() - other.address.value();
  other.length = Bytes(rng.below(room < 4096 ? room + 2 : 4097));
  if (!verdict.addresses.contains(other.address, other.length)) other.length = Bytes(1);
  other.requester = Bdf(static_cast<std::uint16_t>(
      between(rng, verdict.requesters.first.value(), verdict.requesters.last.value())));
  other.destination = Bdf(static_cast<std::uint16_t>(
      between(rng, verdict.destinations.first.value(), verdict.destinations.last.value())));
  return other;
}

void check_coverage(const RoutingView& view, Rng& rng, int& held) {
  const RoutedTlp tlp = random_tlp(rng);
  const Verdict verdict = route(tlp, view);
  INFO(describe(verdict));
  REQUIRE(verdict.requesters.contains(tlp.requester));
  REQUIRE(verdict.destinations.contains(tlp.destination));
  if (verdict.addresses.empty()) return;
  const bool by_address =
      tlp.category != TlpCategory::kCompletion && tlp.routing == Routing::kByAddress;
  if (by_address) {
    REQUIRE(verdict.addresses.contains(tlp.address, tlp.length));
  } else {
    REQUIRE(verdict.addresses == AddressRange::all());
  }
  for (int i = 0; i < 4; ++i) {
    const RoutedTlp other = covered(tlp, verdict, rng);
    const Verdict again = route(other, view);
    INFO(describe(again));
    REQUIRE(again.action == verdict.action);
    REQUIRE(again.index == verdict.index);
    REQUIRE(again.reason == verdict.reason);
    REQUIRE(again.decided_at == verdict.decided_at);
    REQUIRE(again.peer_to_peer == verdict.peer_to_peer);
    REQUIRE(again.undefined_by_specification == verdict.undefined_by_specification);
    ++held;
  }
}

TEST_CASE("A switch's verdict holds for all TLPs that it covers", "[cfgspace][property]") {
  Rng rng(2024);
  int held = 0;
  for (int round = 0; round < 2000; ++round) {
    SwitchRegisters hop = three_port_switch();
    hop.own_egress = static_cast<OwnEgressPolicy>(rng.below(3));
    shake(hop.upstream, rng);
    for (PortRegisters& port : hop.downstream) shake(port, rng);
    for (int i = 0; i < 5; ++i) {
      const auto port = static_cast<unsigned>(rng.below(4));
      check_coverage({&hop, port == 3 ? Ingress::upstream() : Ingress::port(port)}, rng, held);
    }
  }
  CHECK(held > 20000);
}

TEST_CASE("A root complex's verdict holds for all TLPs that it covers", "[cfgspace][property]") {
  Rng rng(2025);
  int held = 0;
  for (int round = 0; round < 2000; ++round) {
    RootComplexRegisters hop = three_port_root();
    hop.p2p = static_cast<P2pPolicy>(rng.below(4));
    hop.other_sockets[0].p2p = static_cast<P2pPolicy>(rng.below(4));
    hop.hairpin = rng.below(2) == 0;
    hop.reflects_redirected = rng.below(2) == 0;
    for (PortRegisters& port : hop.root_ports) shake(port, rng);
    for (int i = 0; i < 5; ++i) {
      const auto port = static_cast<unsigned>(rng.below(5));
      const Ingress ingress = port == 4   ? Ingress::internal()
                              : port == 3 ? Ingress::socket(1)
                                          : Ingress::port(port);
      check_coverage({&hop, ingress}, rng, held);
    }
  }
  CHECK(held > 20000);
}

TEST_CASE("An endpoint's verdict holds for all TLPs that it covers", "[cfgspace][property]") {
  Rng rng(2026);
  int held = 0;
  for (int round = 0; round < 2000; ++round) {
    PortRegisters hop;
    hop.bdf = Bdf(3, 0, 0);
    hop.command = {rng.below(5) != 0, rng.below(5) != 0};
    hop.bars.push_back({{0, Bytes(16), false, false, ""}, BusAddress(kLowMmio), true});
    hop.bars.push_back({{1, Bytes(16), false, false, ""}, BusAddress(kLowMmio + 16), true});
    hop.bars.push_back({{2, Bytes(kGiB), true, true, ""}, BusAddress(kHighMmio), true});
    for (int i = 0; i < 5; ++i) {
      check_coverage({&hop, rng.below(3) == 0 ? Ingress::internal() : Ingress::upstream()}, rng,
                     held);
    }
  }
  CHECK(held > 20000);
}

}  // namespace
}  // namespace peerfab::cfgspace::testing
