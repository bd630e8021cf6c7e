// SPDX-License-Identifier: Apache-2.0
// Checks of the connections beside the PCIe tree.
#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <map>
#include <set>

#include "sim/topology/checks.h"
#include "sim/topology/wire_kinds.h"

namespace peerfab::topology {
namespace {

const SourceLocation& end_where(const DraftWire& wire, std::size_t end) {
  return wire.body->find("between")->items()[end].where();
}

void check_self_wires(CheckRun& run) {
  run.for_wires([&](DraftWire& wire) {
    if (wire.ends[0] != wire.ends[1]) return;
    run.report(wire, end_where(wire, 1),
               fmt::format("the wire joins '{}' with itself",
                           shown(run.draft().components[wire.ends[0]].name)));
  });
}

void check_wire_ends(CheckRun& run) {
  run.for_wires([&](DraftWire& wire) {
    for (std::size_t end = 0; end < wire.ends.size(); ++end) {
      const DraftComponent& component = run.draft().components[wire.ends[end]];
      if (component.is_socket == wire.kind->between_sockets) continue;
      run.report(wire, end_where(wire, end),
                 fmt::format("a wire of kind '{}' joins {}; '{}' is a {}", wire.kind->name,
                             wire.kind->between_sockets ? "sockets" : "devices",
                             shown(component.name), component.is_socket ? "socket" : "device"));
    }
  });
}

void check_duplicate_wires(CheckRun& run) {
  std::map<std::pair<std::size_t, std::size_t>, const DraftWire*> known;
  run.for_wires([&](DraftWire& wire) {
    const auto [low, high] = std::minmax(wire.ends[0], wire.ends[1]);
    const auto [place, is_new] = known.emplace(std::pair(low, high), &wire);
    if (is_new) return;
    const auto& components = run.draft().components;
    run.report(wire, end_where(wire, 0),
               fmt::format("'{}' and '{}' already have a wire (line {})",
                           shown(components[wire.ends[0]].name),
                           shown(components[wire.ends[1]].name), end_where(*place->second, 0).line),
               "give one wire the bandwidth of all");
  });
}

void warn_of_ideal_wires(CheckRun& run) {
  run.for_wires([&](DraftWire& wire) {
    std::vector<std::string> unset;
    for (const config::Parameter& parameter : wire.kind->parameters.all()) {
      const bool is_set = wire.body->find(parameter.name) != nullptr ||
                          (wire.preset != nullptr && wire.preset->find(parameter.name) != nullptr);
      if (!is_set) unset.push_back(parameter.name);
    }
    if (unset.empty()) return;
    const auto& components = run.draft().components;
    run.report(wire, end_where(wire, 0),
               fmt::format("the wire between '{}' and '{}' is ideal: it has no {}",
                           shown(components[wire.ends[0]].name),
                           shown(components[wire.ends[1]].name), fmt::join(unset, " and no ")));
  });
}

void warn_of_apart_sockets(CheckRun& run) {
  using SocketGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  Draft& draft = run.draft();
  for (const DraftWire& wire : draft.wires) {
    if (!run.passed(wire, "wire-ends")) return;  // it may be the one that is missing here
  }
  // Sockets come first; those that are no sockets after all are left out.
  std::vector<std::size_t> sockets;
  for (std::size_t i = 0; i < draft.components.size() && draft.components[i].is_socket; ++i) {
    if (run.ready(draft.components[i])) sockets.push_back(i);
  }
  if (sockets.size() < 2) return;
  SocketGraph graph(sockets.back() + 1);
  for (const DraftWire& wire : draft.wires) {
    if (wire.kind->between_sockets) boost::add_edge(wire.ends[0], wire.ends[1], graph);
  }
  std::vector<std::size_t> group(boost::num_vertices(graph));
  boost::connected_components(graph, group.data());
  std::set<std::size_t> seen = {group[sockets.front()]};
  for (const std::size_t i : sockets) {
    if (!seen.insert(group[i]).second) continue;
    DraftComponent& socket = draft.components[i];
    const std::string first = shown(draft.components[sockets.front()].name);
    run.report(socket, socket.where,
               fmt::format("no wire leads from '{0}' to '{1}': nothing below '{0}' can reach what "
                           "is below '{1}'",
                           first, shown(socket.name)),
               fmt::format("add under 'wires': {{kind: socket, between: [{}, {}], bandwidth: ..., "
                           "latency: ...}}",
                           first, shown(socket.name)));
  }
}

}  // namespace

std::vector<Check> wire_checks() {
  constexpr Severity kError = Severity::kError;
  constexpr Severity kWarning = Severity::kWarning;
  return {
      {{"self-wire", kError, {"unknown-reference"}, "A wire joins two different components."},
       check_self_wires},
      {{"wire-ends",
        kError,
        {"unknown-wire-kind", "self-wire"},
        "A wire joins what its kind is made for."},
       check_wire_ends},
      {{"duplicate-wire", kError, {"wire-ends"}, "Two components have one wire at most."},
       check_duplicate_wires},
      {{"ideal-wire", kWarning, {"wire-ends"}, "A wire has a bandwidth and a latency."},
       warn_of_ideal_wires},
      {{"sockets-not-connected", kWarning, {"wrong-role"}, "Wires join all sockets."},
       warn_of_apart_sockets},
  };
}

}  // namespace peerfab::topology
