// SPDX-License-Identifier: Apache-2.0
// Properties of enumeration and routing together, on random trees.
#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/cfgspace/fabric_walk.h"
#include "tests/unit/cfgspace/random_tree.h"

namespace peerfab::cfgspace::testing {
namespace {

// A bridge's windows against those of the bridge above it.
void require_nested(const PortRegisters& inner, const AddressRange& memory,
                    const AddressRange& prefetchable) {
  for (const AddressRange& window : {inner.memory_window, inner.prefetchable_window}) {
    if (window.empty()) continue;
    REQUIRE(window.base.value() % kBridgeWindowGranule.count() == 0);
    REQUIRE((window.limit.value() + 1) % kBridgeWindowGranule.count() == 0);
  }
  REQUIRE((inner.memory_window.empty() || memory.contains(inner.memory_window)));
  REQUIRE((inner.prefetchable_window.empty() || prefetchable.contains(inner.prefetchable_window)));
  // What the registers can hold.
  REQUIRE(decode_memory_window(encode_memory_window(inner.memory_window)) == inner.memory_window);
  REQUIRE(decode_prefetchable_window(encode_prefetchable_window(inner.prefetchable_window)) ==
          inner.prefetchable_window);
}

void require_disjoint(const std::vector<PortRegisters>& siblings) {
  for (std::size_t i = 0; i < siblings.size(); ++i) {
    for (std::size_t j = i + 1; j < siblings.size(); ++j) {
      REQUIRE_FALSE(siblings[i].memory_window.overlaps(siblings[j].memory_window));
      REQUIRE_FALSE(siblings[i].prefetchable_window.overlaps(siblings[j].prefetchable_window));
      const IdRange a = siblings[i].buses.behind();
      const IdRange b = siblings[j].buses.behind();
      REQUIRE((a.empty() || b.empty() || a.last < b.first || b.last < a.first));
    }
  }
}

void require_bars_inside(const PortRegisters& function, const PortRegisters& above) {
  for (const Bar& bar : function.bars) {
    if (!bar.assigned) continue;
    REQUIRE(bar.base.value() % bar.request.size.count() == 0);
    const bool is_high = bar.request.is_64bit && bar.request.prefetchable;
    REQUIRE((is_high ? above.prefetchable_window : above.memory_window).contains(bar.range()));
  }
}

void require_tree(const Enumeration& result, const std::vector<TreeNode::Port>& ports,
                  const std::vector<PortRegisters>& registers) {
  require_disjoint(registers);
  for (std::size_t i = 0; i < ports.size(); ++i) {
    for (const TreeNode& node : ports[i].below) {
      if (node.kind == TreeNode::Kind::kEndpoint) {
        require_bars_inside(result.endpoints.at(node.id), registers[i]);
        continue;
      }
      const SwitchRegisters& inner = result.switches.at(node.id);
      require_nested(inner.upstream, registers[i].memory_window, registers[i].prefetchable_window);
      for (const PortRegisters& port : inner.downstream) {
        require_nested(port, inner.upstream.memory_window, inner.upstream.prefetchable_window);
        if (port.buses.secondary == 0) continue;
        REQUIRE(inner.upstream.buses.secondary < port.buses.secondary);
        REQUIRE(port.buses.subordinate <= inner.upstream.buses.subordinate);
      }
      require_tree(result, node.ports, inner.downstream);
    }
  }
}

std::vector<AddressRange> all_assigned(const Enumeration& result) {
  std::vector<AddressRange> ranges;
  for (const RootComplexRegisters& root : result.root_complexes) {
    ranges.insert(ranges.end(), root.host_memory.begin(), root.host_memory.end());
  }
  for (const auto& [id, function] : result.endpoints) {
    for (const Bar& bar : function.bars) {
      if (bar.assigned) ranges.push_back(bar.range());
    }
  }
  return ranges;
}

void require_no_overlap(std::vector<AddressRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const AddressRange& a, const AddressRange& b) { return a.base < b.base; });
  for (std::size_t i = 1; i < ranges.size(); ++i) REQUIRE(ranges[i - 1].limit < ranges[i].base);
}

std::size_t unassigned_bars(const Enumeration& result) {
  std::size_t count = 0;
  for (const auto& [id, function] : result.endpoints) {
    for (const Bar& bar : function.bars) count += bar.assigned ? 0 : 1;
  }
  return count;
}

void require_sound(const SystemTree& tree, const Enumeration& result) {
  for (std::size_t i = 0; i < tree.root_complexes.size(); ++i) {
    const RootComplexRegisters& root = result.root_complexes[i];
    for (const PortRegisters& port : root.root_ports) {
      require_nested(port, result.low_mmio[i], result.high_mmio[i]);
    }
    require_tree(result, tree.root_complexes[i].root_ports, root.root_ports);
  }
  require_no_overlap(all_assigned(result));
}

TEST_CASE("Windows nest, siblings are disjoint, BARs are aligned and inside",
          "[cfgspace][property]") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    INFO("seed " << seed);
    const SystemTree tree = RandomTree(seed, {}).make();
    const Enumeration result = enumerate(tree);
    require_sound(tree, result);
    REQUIRE(result.findings.empty());
    REQUIRE(unassigned_bars(result) == 0);
  }
}

TEST_CASE("Where space is short, what is placed is sound and the rest is named",
          "[cfgspace][property]") {
  std::size_t findings = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    INFO("seed " << seed);
    SystemTree tree = RandomTree(seed, {}).make();
    tree.limits.high_mmio_size = Bytes((1 + seed % 40) * kGiB);
    tree.limits.end_of_low_mmio = BusAddress(2 * kGiB + (1 + seed % 50) * kMiB);
    const Enumeration result = enumerate(tree);
    require_sound(tree, result);
    REQUIRE(result.findings.size() == unassigned_bars(result));
    for (const EnumerationFinding& finding : result.findings) {
      REQUIRE(finding.kind == EnumerationFinding::Kind::kBarDoesNotFit);
      REQUIRE(finding.largest_fitting < finding.wanted);
    }
    findings += result.findings.size();
  }
  CHECK(findings > 100);
}

TEST_CASE("Enumeration is deterministic", "[cfgspace][property]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const SystemTree tree = RandomTree(seed, {}).make();
    const Enumeration first = enumerate(tree);
    const Enumeration second = enumerate(tree);
    REQUIRE(all_assigned(first) == all_assigned(second));
  }
}

TEST_CASE("From anywhere a request reaches exactly the BAR's owner", "[cfgspace][property]") {
  std::size_t ways = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    INFO("seed " << seed);
    const SystemTree tree = RandomTree(seed, {}).make();
    Enumeration result = enumerate(tree);
    const FabricWalk walk(tree, result);
    std::vector<std::pair<Place, Bdf>> sources;
    for (std::size_t i = 0; i < tree.root_complexes.size(); ++i) {
      sources.emplace_back(Place{Place::Kind::kRootComplex, i}, result.root_complexes[i].host());
    }
    for (const Place& place : walk.endpoints()) {
      sources.emplace_back(place, result.endpoints.at(static_cast<NodeId>(place.id)).bdf);
    }
    Rng rng(seed);
    for (const auto& [source, requester] : sources) {
      for (const Place& target : walk.endpoints()) {
        // A device that addresses itself meets its own egress port: a policy, tested elsewhere.
        if (target == source) continue;
        const PortRegisters& function = result.endpoints.at(static_cast<NodeId>(target.id));
        for (const Bar& bar : function.bars) {
          const std::uint64_t offset = rng.below(bar.request.size.count());
          RoutedTlp tlp = write_to(bar.base.value() + offset, requester);
          tlp.length = Bytes(1);
          const auto steps = walk.run(source, tlp);
          INFO(describe(steps.back().verdict));
          REQUIRE(steps.back().place == target);
          REQUIRE(steps.back().verdict.action == Action::kToBar);
          REQUIRE(steps.back().verdict.index == bar.request.index);
          ++ways;
        }
        const auto completion = walk.run(source, completion_to(function.bdf));
        REQUIRE(completion.back().place == target);
        REQUIRE(completion.back().verdict.action == Action::kToFunction);
      }
      // Memory of every socket, and completions back from there.
      for (std::size_t i = 0; i < tree.root_complexes.size(); ++i) {
        for (const AddressRange& memory : result.root_complexes[i].host_memory) {
          RoutedTlp tlp = read_from(memory.limit.value(), requester);
          tlp.length = Bytes(1);
          const auto steps = walk.run(source, tlp);
          REQUIRE(steps.back().place == Place{Place::Kind::kRootComplex, i});
          REQUIRE(steps.back().verdict.action == Action::kToHostMemory);
        }
        const auto back = walk.run({Place::Kind::kRootComplex, i}, completion_to(requester));
        REQUIRE(back.back().place == source);
        REQUIRE(back.back().verdict.action == Action::kToFunction);
      }
    }
  }
  CHECK(ways > 10000);
}

TEST_CASE("Addresses that nobody owns reach nobody", "[cfgspace][property]") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    INFO("seed " << seed);
    const SystemTree tree = RandomTree(seed, {}).make();
    Enumeration result = enumerate(tree);
    const FabricWalk walk(tree, result);
    const std::vector<AddressRange> owned = all_assigned(result);
    Rng rng(seed);
    for (int i = 0; i < 200; ++i) {
      // Next to something owned, or anywhere.
      std::uint64_t address = rng.next() >> rng.below(50);
      if (!owned.empty() && rng.below(2) == 0) {
        address = owned[rng.below(owned.size())].limit.value() + 1;
      }
      const bool is_owned = std::any_of(owned.begin(), owned.end(), [&](const AddressRange& r) {
        return r.contains(BusAddress(address));
      });
      if (is_owned) continue;
      for (const Place& source : walk.endpoints()) {
        RoutedTlp tlp = read_from(address, result.endpoints.at(static_cast<NodeId>(source.id)).bdf);
        tlp.length = Bytes(1);
        const auto steps = walk.run(source, tlp);
        INFO(describe(steps.back().verdict));
        const Action action = steps.back().verdict.action;
        // A window's tail may end at a port with nothing below.
        REQUIRE((action == Action::kUnsupportedRequest || action == Action::kToPort));
        if (action == Action::kToPort) REQUIRE(steps.size() < 1000);
      }
    }
  }
}

}  // namespace
}  // namespace peerfab::cfgspace::testing
