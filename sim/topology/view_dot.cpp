// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <sstream>

#include "sim/topology/views.h"

namespace peerfab::topology {
namespace {

struct Vertex {
  std::string label;
  std::string_view shape;
};

struct Edge {
  std::string label;
  bool is_wire = false;
};

using DotGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, Vertex, Edge>;

// Graphviz has its own escapes inside a quoted text: \n is a line break.
std::string dot_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string_view shape(device::ModelRole role) {
  switch (role) {
    case device::ModelRole::kRootComplex:
      return "house";
    case device::ModelRole::kSwitch:
      return "hexagon";
    case device::ModelRole::kEndpoint:
      return "box";
  }
  return "box";
}

DotGraph make_graph(const Topology& topology) {
  DotGraph graph;
  for (const Component& component : topology.components) {
    std::string label = component.name + "\n" + component.model->kind;
    if (!component.preset.empty()) label += "\n" + component.preset;
    boost::add_vertex(Vertex{std::move(label), shape(component.model->role)}, graph);
  }
  for (const PcieLink& link : topology.links) {
    boost::add_edge(
        link.upper, link.lower,
        Edge{fmt::format("port {}\n{}", link.upper_port, config::format_link(link.negotiated)),
             false},
        graph);
  }
  for (const Wire& wire : topology.wires) {
    boost::add_edge(wire.a, wire.b, Edge{wire.kind, true}, graph);
  }
  return graph;
}

}  // namespace

std::string to_dot(const Topology& topology) {
  const DotGraph graph = make_graph(topology);
  std::ostringstream out;
  boost::write_graphviz(
      out, graph,
      [&](std::ostream& stream, DotGraph::vertex_descriptor vertex) {
        stream << "[label=" << dot_text(graph[vertex].label) << ", shape=" << graph[vertex].shape
               << "]";
      },
      [&](std::ostream& stream, const DotGraph::edge_descriptor& edge) {
        stream << "[label=" << dot_text(graph[edge].label)
               << (graph[edge].is_wire ? ", style=dashed, constraint=false]" : "]");
      },
      [&](std::ostream& stream) {
        stream << "label=" << dot_text(topology.name) << ";\nlabelloc=t;\n";
      });
  return out.str();
}

}  // namespace peerfab::topology
