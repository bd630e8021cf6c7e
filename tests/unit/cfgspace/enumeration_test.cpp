// SPDX-License-Identifier: Apache-2.0
#include "sim/cfgspace/enumeration.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "tests/unit/cfgspace/fabric_walk.h"
#include "tests/unit/cfgspace/fixtures.h"

namespace peerfab::cfgspace::testing {
namespace {

using FindingKind = EnumerationFinding::Kind;

TreeNode endpoint(NodeId id, std::vector<BarRequest> bars = {}) {
  TreeNode node;
  node.id = id;
  node.name = "device" + std::to_string(id);
  node.bars = std::move(bars);
  return node;
}

TreeNode switch_of(NodeId id, std::vector<TreeNode> below) {
  TreeNode node;
  node.kind = TreeNode::Kind::kSwitch;
  node.id = id;
  node.name = "switch" + std::to_string(id);
  for (TreeNode& child : below) {
    node.ports.emplace_back();
    node.ports.back().below.push_back(std::move(child));
  }
  return node;
}

RootComplexTree socket_of(std::vector<TreeNode> below, Bytes memory = Bytes(16 * kGiB)) {
  RootComplexTree root;
  root.name = "cpu";
  root.memory = memory;
  for (TreeNode& child : below) {
    root.root_ports.emplace_back();
    root.root_ports.back().below.push_back(std::move(child));
  }
  return root;
}

BarRequest registers_bar(std::uint64_t size) { return {0, Bytes(size), false, false, "registers"}; }
BarRequest aperture(std::uint64_t size, unsigned index = 2) {
  return {index, Bytes(size), true, true, "aperture"};
}

TEST_CASE("Buses are numbered depth first", "[cfgspace]") {
  // Root port 1: a switch with an endpoint and a second switch; root port 2: empty; 3: an endpoint.
  SystemTree tree;
  tree.root_complexes.push_back(
      socket_of({switch_of(10, {endpoint(1), switch_of(11, {endpoint(2)})}), endpoint(3)}));
  tree.root_complexes[0].root_ports.emplace(tree.root_complexes[0].root_ports.begin() + 1);
  const Enumeration result = enumerate(tree);
  CHECK(result.findings.empty());
  const RootComplexRegisters& root = result.root_complexes[0];
  CHECK(root.root_bus == 0);
  CHECK(root.root_ports[0].bdf == Bdf(0, 1, 0));
  CHECK(root.root_ports[0].buses == BusNumbers{0, 1, 6});
  CHECK(root.root_ports[1].buses == BusNumbers{0, 7, 7});
  CHECK(root.root_ports[2].buses == BusNumbers{0, 8, 8});
  const SwitchRegisters& outer = result.switches.at(10);
  CHECK(outer.upstream.bdf == Bdf(1, 0, 0));
  CHECK(outer.upstream.buses == BusNumbers{1, 2, 6});
  CHECK(outer.downstream[0].bdf == Bdf(2, 0, 0));
  CHECK(outer.downstream[0].buses == BusNumbers{2, 3, 3});
  CHECK(outer.downstream[1].bdf == Bdf(2, 1, 0));
  CHECK(outer.downstream[1].buses == BusNumbers{2, 4, 6});
  CHECK(outer.downstream[1].port_number == 2);
  const SwitchRegisters& inner = result.switches.at(11);
  CHECK(inner.upstream.buses == BusNumbers{4, 5, 6});
  CHECK(inner.downstream[0].buses == BusNumbers{5, 6, 6});
  CHECK(result.endpoints.at(1).bdf == Bdf(3, 0, 0));
  CHECK(result.endpoints.at(2).bdf == Bdf(6, 0, 0));
  CHECK(result.endpoints.at(3).bdf == Bdf(8, 0, 0));
  CHECK(outer.upstream.type == PortType::kSwitchUpstream);
  CHECK(outer.downstream[0].type == PortType::kSwitchDownstream);
  CHECK(root.root_ports[1].type == PortType::kRootPort);
}

TEST_CASE("The address map: memory, 32-bit MMIO, memory above 4 GiB, 64-bit MMIO", "[cfgspace]") {
  SystemTree tree;
  tree.root_complexes.push_back(
      socket_of({endpoint(1, {registers_bar(64 << 10), aperture(kGiB)})}, Bytes(3 * kGiB)));
  tree.root_complexes.push_back(
      socket_of({endpoint(2, {registers_bar(64 << 10), aperture(kGiB)})}, Bytes(8 * kGiB)));
  const Enumeration result = enumerate(tree);
  REQUIRE(result.findings.empty());
  const RootComplexRegisters& first = result.root_complexes[0];
  const RootComplexRegisters& second = result.root_complexes[1];
  CHECK(first.host_memory == std::vector<AddressRange>{range(0, 2 * kGiB), range(4 * kGiB, kGiB)});
  CHECK(second.host_memory == std::vector<AddressRange>{range(5 * kGiB, 8 * kGiB)});
  CHECK(result.low_mmio[0] == range(2 * kGiB, kMiB));
  CHECK(result.low_mmio[1] == range(2 * kGiB + kMiB, kMiB));
  CHECK(result.high_mmio[0].base == BusAddress(13 * kGiB));
  CHECK(result.high_mmio[1].base.value() == result.high_mmio[0].limit.value() + 1);
  CHECK(result.high_mmio[1].limit < BusAddress(std::uint64_t{1} << 46));
  CHECK(result.endpoints.at(1).bars[0].base == BusAddress(2 * kGiB));
  CHECK(result.endpoints.at(1).bars[1].base == BusAddress(13 * kGiB));
  CHECK(result.endpoints.at(2).bars[1].base == result.high_mmio[1].base);
  REQUIRE(first.other_sockets.size() == 1);
  CHECK(first.other_sockets[0].socket == 1);
  CHECK(first.other_sockets[0].memory == second.host_memory);
  CHECK(first.other_sockets[0].root_bus == 2);
  CHECK(first.other_sockets[0].last_bus == 3);
  CHECK(second.root_bus == 2);
  CHECK(second.root_ports[0].bdf == Bdf(2, 1, 0));
  CHECK(result.endpoints.at(2).bdf == Bdf(3, 0, 0));
}

TEST_CASE("BARs go into the window that can hold them", "[cfgspace]") {
  SystemTree tree;
  TreeNode device = endpoint(1, {{0, Bytes(4096), false, true, "32-bit prefetchable"},
                                 {1, Bytes(4096), true, false, "64-bit non-prefetchable"},
                                 {3, Bytes(4096), true, true, "64-bit prefetchable"}});
  tree.root_complexes.push_back(socket_of({device}));
  const Enumeration result = enumerate(tree);
  REQUIRE(result.findings.empty());
  const PortRegisters& port = result.root_complexes[0].root_ports[0];
  const std::vector<Bar>& bars = result.endpoints.at(1).bars;
  CHECK(port.memory_window.contains(bars[0].range()));
  CHECK(port.memory_window.contains(bars[1].range()));
  CHECK(port.prefetchable_window.contains(bars[2].range()));
  CHECK(port.memory_window.limit < BusAddress(4 * kGiB));
  CHECK(port.prefetchable_window.base > BusAddress(4 * kGiB));
}

TEST_CASE("Decoding is on after enumeration, ACS is off, MPS is the least of all", "[cfgspace]") {
  SystemTree tree;
  TreeNode small = endpoint(1);
  small.max_payload_supported = Bytes(256);
  tree.root_complexes.push_back(socket_of({switch_of(10, {small, endpoint(2)})}));
  tree.root_complexes[0].max_payload_supported = Bytes(512);
  const Enumeration result = enumerate(tree);
  for (const PortRegisters* port :
       {&result.root_complexes[0].root_ports.front(), &result.switches.at(10).upstream,
        &result.switches.at(10).downstream[1], &result.endpoints.at(2)}) {
    CHECK(port->command == Command{true, true});
    CHECK(port->acs == AcsControl{});
    CHECK(port->max_payload_size == Bytes(256));
  }
}

TEST_CASE("A 32 GiB BAR does not fit a 12 GiB window: named, the rest is placed", "[cfgspace]") {
  SystemTree tree;
  tree.limits.high_mmio_size = Bytes(12 * kGiB);
  tree.root_complexes.push_back(
      socket_of({switch_of(10, {endpoint(1, {aperture(kGiB)}), endpoint(2, {aperture(32 * kGiB)}),
                                endpoint(3, {registers_bar(kMiB), aperture(kGiB)})})}));
  const Enumeration result = enumerate(tree);
  REQUIRE(result.findings.size() == 1);
  const EnumerationFinding& finding = result.findings[0];
  CHECK(finding.kind == FindingKind::kBarDoesNotFit);
  CHECK(finding.node == NodeId{2});
  CHECK(finding.bar == 2);
  CHECK(finding.wanted == Bytes(32 * kGiB));
  CHECK(finding.window == result.high_mmio[0]);
  CHECK(finding.window.size() == Bytes(12 * kGiB));
  // From 18 to 30 GiB: 8 GiB would lie at 24 GiB and reach to 32 GiB.
  CHECK(finding.largest_fitting == Bytes(4 * kGiB));
  CHECK(finding.message ==
        "socket 'cpu', device 'device2': BAR2 (aperture) of 32 GiB does not fit into the 64-bit "
        "prefetchable MMIO window (12 GiB at 0x480000000-0x77fffffff); the largest that would fit "
        "is 4 GiB");
  CHECK_FALSE(result.endpoints.at(2).bars[0].assigned);
  CHECK(result.endpoints.at(2).bars[0].request.size == Bytes(32 * kGiB));
  CHECK(result.endpoints.at(1).bars[0].assigned);
  CHECK(result.endpoints.at(3).bars[0].assigned);
  CHECK(result.endpoints.at(3).bars[1].assigned);

  SECTION("the size that is named fits, and twice that does not") {
    const auto findings_with = [&](Bytes size) {
      tree.root_complexes[0].root_ports[0].below[0].ports[1].below[0].bars[0].size = size;
      return enumerate(tree).findings.size();
    };
    CHECK(findings_with(finding.largest_fitting) == 0);
    CHECK(findings_with(Bytes(2 * finding.largest_fitting.count())) == 1);
  }
}

TEST_CASE("Too many equal BARs: the latest are left out", "[cfgspace]") {
  SystemTree tree;
  tree.limits.high_mmio_size = Bytes(8 * kGiB);
  std::vector<TreeNode> devices;
  for (NodeId id = 1; id <= 5; ++id) devices.push_back(endpoint(id, {aperture(2 * kGiB)}));
  tree.root_complexes.push_back(socket_of(devices));
  const Enumeration result = enumerate(tree);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].node == NodeId{5});
  CHECK(result.findings[0].largest_fitting == Bytes(0));
  for (NodeId id = 1; id <= 4; ++id) CHECK(result.endpoints.at(id).bars[0].assigned);
}

TEST_CASE("32-bit space is shared by the sockets and can run out", "[cfgspace]") {
  SystemTree tree;
  tree.root_complexes.push_back(socket_of({endpoint(1, {registers_bar(kGiB)})}));
  tree.root_complexes.push_back(socket_of({endpoint(2, {registers_bar(kGiB)})}));
  const Enumeration result = enumerate(tree);  // 2 GiB to 3.5 GiB
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].node == NodeId{2});
  CHECK(result.findings[0].root_complex == 1);
  CHECK(result.findings[0].largest_fitting == Bytes(512 * kMiB));
  CHECK(result.endpoints.at(1).bars[0].base == BusAddress(2 * kGiB));
  CHECK(result.low_mmio[1].empty());
}

TEST_CASE("A huge non-prefetchable BAR cannot lie above 4 GiB", "[cfgspace]") {
  SystemTree tree;
  tree.root_complexes.push_back(
      socket_of({endpoint(1, {{0, Bytes(16 * kGiB), true, false, "memory"}})}));
  const Enumeration result = enumerate(tree);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].largest_fitting == Bytes(kGiB));
}

TEST_CASE("BARs against the rules are findings", "[cfgspace]") {
  SystemTree tree;
  tree.root_complexes.push_back(
      socket_of({endpoint(1, {{0, Bytes(3 * kMiB), true, true, ""},
                              {0, Bytes(4096), true, false, ""},
                              {1, Bytes(4096), false, false, ""},
                              {2, Bytes(std::uint64_t{1} << 63), true, true, ""}})}));
  const Enumeration result = enumerate(tree);
  REQUIRE(result.findings.size() == 3);
  CHECK(result.findings[0].kind == FindingKind::kInvalidBar);
  CHECK(result.findings[0].bar == 0);
  CHECK(result.findings[1].kind == FindingKind::kInvalidBar);
  CHECK(result.findings[1].bar == 1);
  CHECK(result.findings[2].kind == FindingKind::kBarDoesNotFit);
  REQUIRE(result.endpoints.at(1).bars.size() == 2);
  CHECK(result.endpoints.at(1).bars[0].assigned);
}

TEST_CASE("More than 256 buses is a finding", "[cfgspace]") {
  SystemTree tree;
  std::vector<TreeNode> devices;
  for (NodeId id = 1; id <= 250; ++id) devices.push_back(endpoint(id, {registers_bar(4096)}));
  tree.root_complexes.push_back(socket_of({switch_of(1000, devices)}));
  // Root bus, link, internal bus and 250 links: 253. Three more links fit behind the next switch's
  // internal bus and its own link, so one.
  tree.root_complexes.push_back(
      socket_of({switch_of(1001, {endpoint(301, {registers_bar(4096)}), endpoint(302)})}));
  const Enumeration result = enumerate(tree);
  REQUIRE(result.findings.size() == 2);
  CHECK(result.findings[0].kind == FindingKind::kNoBusNumber);
  CHECK(result.findings[0].node == NodeId{301});
  CHECK(result.findings[0].root_complex == 1);
  CHECK(result.findings[1].node == NodeId{302});
  CHECK(result.endpoints.at(301).command == Command{});
  CHECK_FALSE(result.endpoints.at(301).bars[0].assigned);
  CHECK(result.switches.at(1001).upstream.buses == BusNumbers{254, 255, 255});

  SECTION("a socket without any bus left") {
    tree.root_complexes.insert(tree.root_complexes.begin() + 1, socket_of({}));
    tree.root_complexes.insert(tree.root_complexes.begin() + 1, socket_of({}));
    tree.root_complexes.insert(tree.root_complexes.begin() + 1, socket_of({}));
    const Enumeration more = enumerate(tree);
    REQUIRE(more.findings.size() == 1);
    CHECK(more.findings[0].kind == FindingKind::kNoBusNumber);
    CHECK_FALSE(more.findings[0].node.has_value());
    CHECK(more.switches.at(1001).downstream.size() == 2);
  }
}

TEST_CASE("Ports beyond what one device can number are findings", "[cfgspace]") {
  SystemTree tree;
  tree.root_complexes.push_back(socket_of({}));
  tree.root_complexes[0].root_ports.resize(249);
  tree.root_complexes[0].root_ports.back().below.push_back(endpoint(1));
  const Enumeration result = enumerate(tree);
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].kind == FindingKind::kTooManyPorts);
  CHECK(result.findings[0].node == NodeId{1});
  CHECK(result.root_complexes[0].root_ports[30].bdf == Bdf(0, 31, 0));
  CHECK(result.root_complexes[0].root_ports[31].bdf == Bdf(0, 1, 1));
}

TEST_CASE("Memory beyond the physical address width is a finding", "[cfgspace]") {
  SystemTree tree;
  tree.limits.physical_address_bits = 36;
  tree.root_complexes.push_back(socket_of({endpoint(1, {aperture(kMiB)})}, Bytes(100 * kGiB)));
  const Enumeration result = enumerate(tree);
  REQUIRE(result.findings.size() == 2);
  CHECK(result.findings[0].kind == FindingKind::kMemoryDoesNotFit);
  CHECK(result.findings[0].largest_fitting == Bytes(62 * kGiB));
  CHECK(result.findings[1].kind == FindingKind::kBarDoesNotFit);
  CHECK(result.findings[1].window.empty());
  CHECK(result.findings[1].largest_fitting == Bytes(0));
}

TEST_CASE("An empty system enumerates to nothing", "[cfgspace]") {
  CHECK(enumerate({}).findings.empty());
  SystemTree tree;
  tree.root_complexes.push_back(socket_of({}, Bytes(0)));
  const Enumeration result = enumerate(tree);
  CHECK(result.root_complexes[0].host_memory.empty());
  CHECK(result.low_mmio[0].empty());
}

// Two root ports, a switch below each, two endpoints below each switch.
struct TwoSwitches {
  SystemTree tree;
  Enumeration result;
  TwoSwitches() {
    tree.root_complexes.push_back(
        socket_of({switch_of(10, {endpoint(1, {aperture(kGiB)}), endpoint(2, {aperture(kGiB)})}),
                   switch_of(11, {endpoint(3, {aperture(kGiB)}), endpoint(4, {aperture(kGiB)})})}));
    result = enumerate(tree);
  }
  [[nodiscard]] Place device(NodeId id) const { return {Place::Kind::kEndpoint, id}; }
  [[nodiscard]] Bdf bdf(NodeId id) const { return result.endpoints.at(id).bdf; }
  [[nodiscard]] std::uint64_t bar(NodeId id) const {
    return result.endpoints.at(id).bars[0].base.value();
  }
};

TEST_CASE_METHOD(TwoSwitches, "A completion finds its way across two switches and two root ports",
                 "[cfgspace]") {
  const FabricWalk walk(tree, result);
  const auto steps = walk.run(device(4), completion_to(bdf(1)));
  REQUIRE(steps.size() == 5);
  check(steps[0].verdict, Action::kToUpstream, Reason::kIssued);
  check(steps[1].verdict, Action::kToUpstream, Reason::kTowardsRoot);
  check(steps[2].verdict, Action::kToPort, 0, Reason::kRootPeer);
  check(steps[3].verdict, Action::kToPort, 0, Reason::kBusRange);
  check(steps[4].verdict, Action::kToFunction, Reason::kOwnId);
  CHECK(steps[4].place == device(1));
  const auto sibling = walk.run(device(1), completion_to(bdf(2)));
  REQUIRE(sibling.size() == 3);
  CHECK(sibling[2].place == device(2));
  const auto host = walk.run(device(1), completion_to(Bdf(0, 0, 0)));
  REQUIRE(host.size() == 3);
  check(host[2].verdict, Action::kToFunction, Reason::kOwnId);
}

TEST_CASE_METHOD(TwoSwitches, "A redirected request goes over the root port and back",
                 "[cfgspace][acs]") {
  AcsControl& ingress = result.switches.at(10).downstream[0].acs;
  PortRegisters& root_port = result.root_complexes[0].root_ports[0];
  ingress.p2p_request_redirect = ingress.upstream_forwarding = true;
  root_port.acs.p2p_request_redirect = root_port.acs.upstream_forwarding = true;
  const FabricWalk walk(tree, result);
  const auto steps = walk.run(device(1), write_to(bar(2), bdf(1)));
  REQUIRE(steps.size() == 5);
  check(steps[1].verdict, Action::kToUpstream, Reason::kRequestRedirect);
  check(steps[2].verdict, Action::kToPort, 0, Reason::kReflected);
  check(steps[3].verdict, Action::kToPort, 1, Reason::kWindow);
  check(steps[4].verdict, Action::kToBar, 2, Reason::kBar);
  CHECK(steps[4].place == device(2));
  // The other direction is not redirected: its own port decides.
  CHECK(walk.run(device(2), write_to(bar(1), bdf(2))).size() == 3);
}

TEST_CASE("Clearing the redirect of one of two levels does not restore the direct way",
          "[cfgspace][acs]") {
  // Two endpoints below two switches below one switch.
  SystemTree tree;
  tree.root_complexes.push_back(socket_of(
      {switch_of(10, {switch_of(11, {endpoint(1, {aperture(kGiB)}), endpoint(2, {aperture(kGiB)})}),
                      switch_of(12, {endpoint(3, {aperture(kGiB)})})})}));
  Enumeration result = enumerate(tree);
  const FabricWalk walk(tree, result);
  const auto crosses_root = [&](NodeId from, NodeId to) {
    const auto steps = walk.run(
        {Place::Kind::kEndpoint, from},
        write_to(result.endpoints.at(to).bars[0].base.value(), result.endpoints.at(from).bdf));
    REQUIRE(steps.back().verdict.action == Action::kToBar);
    REQUIRE(steps.back().place == Place{Place::Kind::kEndpoint, to});
    return std::any_of(steps.begin(), steps.end(), [](const FabricWalk::Step& step) {
      return step.place.kind == Place::Kind::kRootComplex;
    });
  };
  AcsControl on;
  on.p2p_request_redirect = on.p2p_completion_redirect = on.upstream_forwarding = true;
  AcsControl& upper = result.switches.at(10).downstream[0].acs;
  AcsControl& lower = result.switches.at(11).downstream[0].acs;
  upper = lower = result.root_complexes[0].root_ports[0].acs = on;
  CHECK(crosses_root(1, 2));
  CHECK(crosses_root(1, 3));
  lower = {};
  CHECK_FALSE(crosses_root(1, 2));  // the lower switch alone lies between them
  CHECK(crosses_root(1, 3));
  lower = on;
  upper = {};
  upper.upstream_forwarding = true;
  CHECK(crosses_root(1, 2));
  CHECK_FALSE(crosses_root(1, 3));
  lower = {};
  CHECK_FALSE(crosses_root(1, 2));
}

TEST_CASE("A full segment enumerates in well under 100 ms", "[cfgspace]") {
  SystemTree tree;
  std::vector<TreeNode> devices;
  for (NodeId id = 1; id <= 240; ++id) {
    devices.push_back(endpoint(id, {registers_bar(16 << 20),
                                    aperture(kGiB << (id % 5)),
                                    {4, Bytes(32 << 20), true, true, ""}}));
  }
  tree.limits.high_mmio_size = Bytes(512 * kGiB);  // too little for all
  tree.root_complexes.push_back(socket_of({switch_of(1000, devices)}));
  const auto begin = std::chrono::steady_clock::now();
  const Enumeration result = enumerate(tree);
  const auto duration = std::chrono::steady_clock::now() - begin;
  CHECK_FALSE(result.findings.empty());
  // Generous: sanitizers and loaded machines.
  CHECK(duration < std::chrono::seconds(2));
}

}  // namespace
}  // namespace peerfab::cfgspace::testing
