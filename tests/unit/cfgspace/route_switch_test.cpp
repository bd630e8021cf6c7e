// SPDX-License-Identifier: Apache-2.0
// A switch and an endpoint without ACS: windows, bus ranges, Command register.
#include <string>

#include "tests/unit/cfgspace/fixtures.h"

namespace peerfab::cfgspace::testing {
namespace {

const Bdf kHost(0, 0, 0);
const Bdf kDevice0(3, 0, 0);
const Bdf kDevice1(4, 0, 0);

Verdict from_port(const SwitchRegisters& hop, unsigned port, const RoutedTlp& tlp) {
  return route(tlp, {&hop, Ingress::port(port)});
}
Verdict from_above(const SwitchRegisters& hop, const RoutedTlp& tlp) {
  return route(tlp, {&hop, Ingress::upstream()});
}

TEST_CASE("A switch sends a request down through the window that contains it", "[cfgspace]") {
  const SwitchRegisters hop = three_port_switch();
  check(from_above(hop, write_to(kLowMmio + kMiB, kHost)), Action::kToPort, 1, Reason::kWindow);
  const Verdict verdict = from_above(hop, read_from(kHighMmio + 2 * kGiB + 4096, kHost));
  check(verdict, Action::kToPort, 2, Reason::kWindow);
  CHECK(verdict.addresses == hop.downstream[2].prefetchable_window);
  CHECK_FALSE(verdict.peer_to_peer);
}

TEST_CASE("A switch answers an address that nobody claims with UR", "[cfgspace]") {
  const SwitchRegisters hop = three_port_switch();
  const Verdict inside = from_above(hop, read_from(unclaimed_in_switch(), kHost));
  check(inside, Action::kUnsupportedRequest, Reason::kNoWindow);
  CHECK(inside.addresses == range(unclaimed_in_switch(), kGiB));
  const Verdict outside = from_above(hop, write_to(0x1000, kHost));
  check(outside, Action::kUnsupportedRequest, Reason::kNoWindow);
  CHECK(outside.addresses == range(0, kLowMmio));
  // From below: inside the upstream port's window nothing leaves upwards.
  const Verdict below = from_port(hop, 0, write_to(unclaimed_in_switch(), kDevice0));
  check(below, Action::kUnsupportedRequest, Reason::kNoWindow);
  CHECK(below.decided_at == hop.downstream[0].bdf);
}

TEST_CASE("A switch sends what is outside its window towards the root complex", "[cfgspace]") {
  const SwitchRegisters hop = three_port_switch();
  const Verdict verdict = from_port(hop, 0, write_to(0x1000, kDevice0));
  check(verdict, Action::kToUpstream, Reason::kTowardsRoot);
  CHECK(verdict.addresses == range(0, kLowMmio));
  CHECK_FALSE(verdict.peer_to_peer);
}

TEST_CASE("A switch routes between its downstream ports directly", "[cfgspace]") {
  SwitchRegisters hop = three_port_switch();
  const Verdict verdict = from_port(hop, 0, write_to(kHighMmio + kGiB, kDevice0));
  check(verdict, Action::kToPort, 1, Reason::kPeerPort);
  CHECK(verdict.peer_to_peer);
  CHECK(verdict.addresses == hop.downstream[1].prefetchable_window);
  // The upstream port has no part in it.
  hop.upstream.command = {};
  check(from_port(hop, 0, write_to(kHighMmio + kGiB, kDevice0)), Action::kToPort, 1,
        Reason::kPeerPort);
}

TEST_CASE("Bus Master Enable off answers requests from below with UR", "[cfgspace]") {
  SwitchRegisters hop = three_port_switch();
  hop.downstream[0].command.bus_master_enable = false;
  for (const std::uint64_t address : {std::uint64_t{0x1000}, kHighMmio + kGiB}) {
    const Verdict verdict = from_port(hop, 0, write_to(address, kDevice0));
    check(verdict, Action::kUnsupportedRequest, Reason::kBusMasterDisabled);
    CHECK(verdict.decided_at == hop.downstream[0].bdf);
  }
  check(from_port(hop, 1, write_to(0x1000, kDevice1)), Action::kToUpstream, Reason::kTowardsRoot);
  // Neither completions, nor requests by ID, nor anything that travels downstream.
  check(from_port(hop, 0, completion_to(kHost)), Action::kToUpstream, Reason::kTowardsRoot);
  check(from_port(hop, 0, completion_to(kDevice1)), Action::kToPort, 1, Reason::kPeerPort);
  check(from_port(hop, 0, request_to_id(kHost, kDevice0)), Action::kToUpstream,
        Reason::kTowardsRoot);
  check(from_above(hop, write_to(kHighMmio, kHost)), Action::kToPort, 0, Reason::kWindow);

  SECTION("on the upstream port it concerns what leaves upwards") {
    hop = three_port_switch();
    hop.upstream.command.bus_master_enable = false;
    const Verdict verdict = from_port(hop, 0, write_to(0x1000, kDevice0));
    check(verdict, Action::kUnsupportedRequest, Reason::kBusMasterDisabled);
    CHECK(verdict.decided_at == hop.upstream.bdf);
    check(from_port(hop, 0, completion_to(kHost)), Action::kToUpstream, Reason::kTowardsRoot);
  }
}

TEST_CASE("Memory Space Enable off closes a bridge's windows from above", "[cfgspace]") {
  SwitchRegisters hop = three_port_switch();
  hop.downstream[1].command.memory_space_enable = false;
  const Verdict down = from_above(hop, read_from(kHighMmio + kGiB, kHost));
  check(down, Action::kUnsupportedRequest, Reason::kMemorySpaceDisabled);
  CHECK(down.decided_at == hop.downstream[1].bdf);
  const Verdict across = from_port(hop, 0, read_from(kHighMmio + kGiB, kDevice0));
  check(across, Action::kUnsupportedRequest, Reason::kMemorySpaceDisabled);
  CHECK(across.decided_at == hop.downstream[1].bdf);
  // The port's own device still reaches memory, and completions still come down.
  check(from_port(hop, 1, write_to(0x1000, kDevice1)), Action::kToUpstream, Reason::kTowardsRoot);
  check(from_above(hop, completion_to(kDevice1)), Action::kToPort, 1, Reason::kBusRange);

  hop = three_port_switch();
  hop.upstream.command.memory_space_enable = false;
  const Verdict upstream = from_above(hop, read_from(kHighMmio + kGiB, kHost));
  check(upstream, Action::kUnsupportedRequest, Reason::kMemorySpaceDisabled);
  CHECK(upstream.decided_at == hop.upstream.bdf);
}

TEST_CASE("A switch routes completions and requests by ID through bus ranges", "[cfgspace]") {
  const SwitchRegisters hop = three_port_switch();
  const Verdict down = from_above(hop, completion_to(Bdf(5, 3, 1)));
  check(down, Action::kToPort, 2, Reason::kBusRange);
  CHECK(down.destinations == IdRange::of_buses(5, 5));
  check(from_port(hop, 0, completion_to(kDevice1)), Action::kToPort, 1, Reason::kPeerPort);
  const Verdict up = from_port(hop, 0, completion_to(kHost));
  check(up, Action::kToUpstream, Reason::kTowardsRoot);
  CHECK(up.destinations == IdRange{Bdf(0), Bdf(0xff)});
  check(from_above(hop, request_to_id(kDevice1, kHost)), Action::kToPort, 1, Reason::kBusRange);
  // Bus 6 lies in the upstream port's range, and behind no downstream port.
  check(from_above(hop, completion_to(Bdf(6, 0, 0))), Action::kDropped, Reason::kNoBusRange);
  check(from_port(hop, 0, completion_to(Bdf(6, 0, 0))), Action::kDropped, Reason::kNoBusRange);
  check(from_above(hop, completion_to(Bdf(7, 0, 0))), Action::kDropped, Reason::kNoBusRange);
  check(from_above(hop, request_to_id(Bdf(6, 0, 0), kHost)), Action::kUnsupportedRequest,
        Reason::kNoBusRange);
  // Its ports are functions too.
  const Verdict own = from_above(hop, request_to_id(Bdf(2, 1, 0), kHost));
  check(own, Action::kToFunction, Reason::kOwnId);
  CHECK(own.decided_at == hop.downstream[1].bdf);
  check(from_above(hop, request_to_id(Bdf(1, 0, 0), kHost)), Action::kToFunction, Reason::kOwnId);
}

TEST_CASE("A switch without bus numbers routes nothing by ID downwards", "[cfgspace]") {
  SwitchRegisters hop;
  hop.downstream.resize(2);
  check(from_above(hop, completion_to(kHost)), Action::kDropped, Reason::kNoBusRange);
  check(from_above(hop, write_to(0x1000, kHost)), Action::kUnsupportedRequest,
        Reason::kMemorySpaceDisabled);
  check(from_port(hop, 0, write_to(0x1000, Bdf())), Action::kUnsupportedRequest,
        Reason::kBusMasterDisabled);
}

TEST_CASE("A TLP from below to below the same port is the policy's, as long as ACS is off",
          "[cfgspace]") {
  SwitchRegisters hop = three_port_switch();
  const RoutedTlp write = write_to(kHighMmio + kGiB, kDevice1);
  const Verdict refused = from_port(hop, 1, write);
  check(refused, Action::kUnsupportedRequest, Reason::kOwnEgressRefused);
  CHECK(refused.undefined_by_specification);
  check(from_port(hop, 1, completion_to(kDevice1)), Action::kDropped, Reason::kOwnEgressRefused);
  hop.own_egress = OwnEgressPolicy::kForwardUpstream;
  const Verdict up = from_port(hop, 1, write);
  check(up, Action::kToUpstream, Reason::kOwnEgress);
  CHECK(up.undefined_by_specification);
  hop.own_egress = OwnEgressPolicy::kReflect;
  const Verdict reflected = from_port(hop, 1, write);
  check(reflected, Action::kToPort, 1, Reason::kOwnEgress);
  CHECK(reflected.peer_to_peer);
  CHECK(reflected.undefined_by_specification);
}

PortRegisters endpoint() {
  PortRegisters result;
  result.bdf = kDevice0;
  result.command = {.memory_space_enable = true, .bus_master_enable = true};
  result.bars.push_back({{0, Bytes(4096), false, false, "registers"}, BusAddress(kLowMmio), true});
  result.bars.push_back({{2, Bytes(kGiB), true, true, "aperture"}, BusAddress(kHighMmio), true});
  result.bars.push_back({{4, Bytes(kGiB), true, true, "no place"}, BusAddress(0), false});
  return result;
}

TEST_CASE("An endpoint claims what its BARs contain", "[cfgspace]") {
  PortRegisters hop = endpoint();
  const auto arrive = [&](const RoutedTlp& tlp) { return route(tlp, {&hop, Ingress::upstream()}); };
  const Verdict verdict = arrive(write_to(kHighMmio + 4096, kHost));
  check(verdict, Action::kToBar, 2, Reason::kBar);
  CHECK(verdict.addresses == range(kHighMmio, kGiB));
  check(arrive(read_from(kLowMmio + 0xfc0, kHost)), Action::kToBar, 0, Reason::kBar);
  check(arrive(read_from(kLowMmio + 0x1000, kHost)), Action::kUnsupportedRequest, Reason::kNoBar);
  check(arrive(read_from(0x40, kHost)), Action::kUnsupportedRequest, Reason::kNoBar);
  const Verdict crossing = arrive(read_from(kLowMmio + 0xfc1, kHost));
  check(crossing, Action::kUnsupportedRequest, Reason::kCrossesBoundary);
  CHECK(crossing.addresses.empty());
  check(arrive(completion_to(kDevice0)), Action::kToFunction, Reason::kOwnId);
  check(arrive(completion_to(kDevice1)), Action::kDropped, Reason::kOtherId);
  hop.command.memory_space_enable = false;
  check(arrive(write_to(kHighMmio, kHost)), Action::kUnsupportedRequest,
        Reason::kMemorySpaceDisabled);
  check(arrive(completion_to(kDevice0)), Action::kToFunction, Reason::kOwnId);
}

TEST_CASE("An endpoint without Bus Master Enable issues no memory request", "[cfgspace]") {
  PortRegisters hop = endpoint();
  const auto issue = [&](const RoutedTlp& tlp) { return route(tlp, {&hop, Ingress::internal()}); };
  check(issue(write_to(0x1000, kDevice0)), Action::kToUpstream, Reason::kIssued);
  hop.command.bus_master_enable = false;
  const Verdict verdict = issue(write_to(0x1000, kDevice0));
  check(verdict, Action::kNotIssued, Reason::kBusMasterDisabled);
  CHECK_FALSE(verdict.passes());
  check(issue(completion_to(kHost)), Action::kToUpstream, Reason::kIssued);
  check(issue(request_to_id(kHost, kDevice0)), Action::kToUpstream, Reason::kIssued);
}

TEST_CASE("A verdict explains itself with the section", "[cfgspace]") {
  SwitchRegisters hop = three_port_switch();
  hop.downstream[0].command.bus_master_enable = false;
  CHECK(describe(from_port(hop, 0, write_to(0x1000, kDevice0))) ==
        "Unsupported Request at 02:00.0: Bus Master Enable is off (PCIe r6.0, sec 7.5.1.1.3)");
  CHECK(describe(from_port(hop, 1, write_to(kHighMmio, kDevice1))) ==
        "to port 0 at 02:01.0: a peer port of the same switch claims it (PCIe r6.0, sec 1.3.3)");
  for (unsigned i = 0; i <= static_cast<unsigned>(Reason::kCrossesBoundary); ++i) {
    CHECK_FALSE(text(static_cast<Reason>(i)).empty());
  }
}

}  // namespace
}  // namespace peerfab::cfgspace::testing
