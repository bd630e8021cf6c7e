// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/path.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>

namespace peerfab::topology {
namespace {

std::size_t link_index(const Topology& topology, ComponentId lower) {
  return static_cast<std::size_t>(topology.link_above(lower) - topology.links.data());
}

ComponentId parent(const Topology& topology, ComponentId id) {
  return topology.link_above(id)->upper;
}

// The lowest component that both are below of, or are. Requires one socket above both.
ComponentId common_ancestor(const Topology& topology, ComponentId a, ComponentId b) {
  while (a != b) {
    if (topology.depth(a) >= topology.depth(b)) {
      a = parent(topology, a);
    } else {
      b = parent(topology, b);
    }
  }
  return a;
}

void climb(const Topology& topology, ComponentId from, ComponentId to, std::vector<Hop>& hops) {
  for (ComponentId id = from; id != to; id = parent(topology, id)) {
    const EdgeRef link{EdgeRef::Kind::kLink, link_index(topology, id)};
    hops.back().egress = link;
    hops.push_back({parent(topology, id), link, std::nullopt});
  }
}

void descend(const Topology& topology, ComponentId from, ComponentId to, std::vector<Hop>& hops) {
  std::vector<ComponentId> way;
  for (ComponentId id = to; id != from; id = parent(topology, id)) way.push_back(id);
  std::for_each(way.rbegin(), way.rend(), [&](ComponentId id) {
    const EdgeRef link{EdgeRef::Kind::kLink, link_index(topology, id)};
    hops.back().egress = link;
    hops.push_back({id, link, std::nullopt});
  });
}

// Wires from one socket to another. Always searched from the lower id, so that requests and their
// completions take the same way.
std::vector<std::size_t> wires_between(const Topology& topology, ComponentId from, ComponentId to) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS,
                                      boost::no_property, std::size_t>;
  const ComponentId start = std::min(from, to);
  const ComponentId end = std::max(from, to);
  Graph graph(topology.socket_count());
  for (std::size_t i = 0; i < topology.wires.size(); ++i) {
    const Wire& wire = topology.wires[i];
    if (topology.components[wire.a].is_socket && topology.components[wire.b].is_socket) {
      boost::add_edge(wire.a, wire.b, i, graph);
    }
  }
  std::vector<std::optional<Graph::edge_descriptor>> reached_by(boost::num_vertices(graph));
  struct Recorder : boost::default_bfs_visitor {
    explicit Recorder(std::vector<std::optional<Graph::edge_descriptor>>& edges) : edges_(&edges) {}
    void tree_edge(const Graph::edge_descriptor& edge, const Graph& g) const {
      (*edges_)[boost::target(edge, g)] = edge;
    }
    std::vector<std::optional<Graph::edge_descriptor>>* edges_;
  };
  boost::breadth_first_search(graph, boost::vertex(start, graph),
                              boost::visitor(Recorder(reached_by)));
  std::vector<std::size_t> wires;
  for (std::size_t at = end; at != start;) {
    const Graph::edge_descriptor edge = reached_by[at].value();
    wires.push_back(boost::get(boost::edge_bundle, graph)[edge]);
    at = boost::source(edge, graph);
  }
  if (start == from) std::reverse(wires.begin(), wires.end());
  return wires;
}

}  // namespace

std::vector<Hop> path(const Topology& topology, ComponentId from, ComponentId to) {
  if (!topology.connected(from, to)) return {};
  std::vector<Hop> hops = {{from, std::nullopt, std::nullopt}};
  const ComponentId from_socket = topology.socket_of(from);
  const ComponentId to_socket = topology.socket_of(to);
  if (from_socket == to_socket) {
    const ComponentId top = common_ancestor(topology, from, to);
    climb(topology, from, top, hops);
    descend(topology, top, to, hops);
    return hops;
  }
  climb(topology, from, from_socket, hops);
  for (const std::size_t i : wires_between(topology, from_socket, to_socket)) {
    const Wire& wire = topology.wires[i];
    const EdgeRef edge{EdgeRef::Kind::kWire, i};
    const ComponentId next = wire.a == hops.back().component ? wire.b : wire.a;
    hops.back().egress = edge;
    hops.push_back({next, edge, std::nullopt});
  }
  descend(topology, to_socket, to, hops);
  return hops;
}

Proximity proximity(const Topology& topology, ComponentId a, ComponentId b) {
  if (a == b) return Proximity::kSelf;
  if (!topology.connected(a, b)) return Proximity::kUnconnected;
  if (topology.socket_of(a) != topology.socket_of(b)) return Proximity::kAcrossSockets;
  const ComponentId top = common_ancestor(topology, a, b);
  if (topology.components[top].is_socket) return Proximity::kRootComplex;
  const unsigned links = topology.depth(a) + topology.depth(b) - 2 * topology.depth(top);
  return links <= 2 ? Proximity::kOneSwitch : Proximity::kSwitches;
}

std::string_view proximity_label(Proximity proximity) {
  switch (proximity) {
    case Proximity::kSelf:
      return "X";
    case Proximity::kOneSwitch:
      return "PIX";
    case Proximity::kSwitches:
      return "PXB";
    case Proximity::kRootComplex:
      return "PHB";
    case Proximity::kSameNode:
      return "NODE";
    case Proximity::kAcrossSockets:
      return "SYS";
    case Proximity::kUnconnected:
      return "-";
  }
  return "?";
}

}  // namespace peerfab::topology
