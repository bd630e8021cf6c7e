// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/path.h"

#include "tests/support/catch.h"
#include "tests/unit/topology/lab.h"

namespace peerfab::topology {
namespace {

// Four sockets in a ring; one has switches below switches.
constexpr std::string_view kRing = R"(peerfab: 1
sockets: {cpu0: {}, cpu1: {}, cpu2: {}, cpu3: {}, alone: {}}
devices:
  top:  {model: switch, at: cpu0}
  left: {model: switch, at: top}
  right: {model: switch, at: top}
  a: {model: gpu, at: left}
  b: {model: gpu, at: left}
  c: {model: gpu, at: right}
  d: {model: gpu, at: cpu0}
  e: {model: gpu, at: cpu2}
  f: {model: gpu, at: alone}
wires:
  - {kind: socket, between: [cpu0, cpu1], bandwidth: 20GB/s, latency: 50ns}
  - {kind: socket, between: [cpu1, cpu2], bandwidth: 20GB/s, latency: 50ns}
  - {kind: socket, between: [cpu2, cpu3], bandwidth: 20GB/s, latency: 50ns}
  - {kind: socket, between: [cpu3, cpu0], bandwidth: 20GB/s, latency: 50ns}
)";

// "a left top right c"
std::string names(const Topology& topology, const std::vector<Hop>& hops) {
  std::string text;
  for (const Hop& hop : hops) {
    if (!text.empty()) text += ' ';
    text += topology.components[hop.component].name;
  }
  return text;
}

std::string way(const Topology& topology, std::string_view from, std::string_view to) {
  return names(topology, path(topology, *topology.find(from), *topology.find(to)));
}

}  // namespace

TEST_CASE("paths go through the common ancestor", "[topology][path]") {
  const Topology topology = lab::must_parse(kRing);
  CHECK(way(topology, "a", "b") == "a left b");
  CHECK(way(topology, "a", "c") == "a left top right c");
  CHECK(way(topology, "a", "d") == "a left top cpu0 d");
  CHECK(way(topology, "a", "cpu0") == "a left top cpu0");
  CHECK(way(topology, "cpu0", "a") == "cpu0 top left a");
  CHECK(way(topology, "left", "a") == "left a");
  CHECK(way(topology, "a", "a") == "a");
}

TEST_CASE("paths across sockets take the fewest wires", "[topology][path]") {
  const Topology topology = lab::must_parse(kRing);
  CHECK(way(topology, "a", "e") == "a left top cpu0 cpu1 cpu2 e");  // a tie: the earlier wire
  CHECK(way(topology, "e", "a") == "e cpu2 cpu1 cpu0 top left a");  // the same way back
  CHECK(way(topology, "cpu3", "d") == "cpu3 cpu0 d");
  CHECK(way(topology, "a", "f").empty());
}

TEST_CASE("hops name the edges on both sides", "[topology][path]") {
  const Topology topology = lab::must_parse(kRing);
  for (ComponentId from = 0; from < topology.components.size(); ++from) {
    for (ComponentId to = 0; to < topology.components.size(); ++to) {
      const std::vector<Hop> hops = path(topology, from, to);
      INFO(names(topology, hops));
      if (hops.empty()) {
        CHECK_FALSE(topology.connected(from, to));
        continue;
      }
      CHECK(hops.front().component == from);
      CHECK(hops.back().component == to);
      CHECK_FALSE(hops.front().ingress);
      CHECK_FALSE(hops.back().egress);
      for (std::size_t i = 1; i < hops.size(); ++i) {
        REQUIRE(hops[i].ingress);
        CHECK(hops[i].ingress == hops[i - 1].egress);
        const EdgeRef edge = *hops[i].ingress;
        const ComponentId x = hops[i - 1].component;
        const ComponentId y = hops[i].component;
        const bool is_link = edge.kind == EdgeRef::Kind::kLink;
        const ComponentId p =
            is_link ? topology.links[edge.index].upper : topology.wires[edge.index].a;
        const ComponentId q =
            is_link ? topology.links[edge.index].lower : topology.wires[edge.index].b;
        CHECK(((p == x && q == y) || (p == y && q == x)));
      }
      const std::vector<Hop> back = path(topology, to, from);
      REQUIRE(back.size() == hops.size());
      for (std::size_t i = 0; i < hops.size(); ++i) {
        CHECK(back[back.size() - 1 - i].component == hops[i].component);
      }
    }
  }
}

TEST_CASE("proximity in the words of nvidia-smi", "[topology][path]") {
  const Topology topology = lab::must_parse(kRing);
  const auto label = [&](std::string_view a, std::string_view b) {
    const Proximity there = proximity(topology, *topology.find(a), *topology.find(b));
    CHECK(there == proximity(topology, *topology.find(b), *topology.find(a)));
    return std::string(proximity_label(there));
  };
  CHECK(label("a", "a") == "X");
  CHECK(label("a", "b") == "PIX");
  CHECK(label("a", "c") == "PXB");
  CHECK(label("a", "d") == "PHB");
  CHECK(label("a", "e") == "SYS");
  CHECK(label("a", "f") == "-");
}

}  // namespace peerfab::topology
