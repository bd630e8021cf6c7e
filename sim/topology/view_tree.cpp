// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/base/utf8.h"
#include "sim/topology/views.h"

namespace peerfab::topology {
namespace {

constexpr std::size_t kColumns = 4;
using Row = std::array<std::string, kColumns>;  // tree with name, model, preset, link

// What the link lacks against what the device could do.
std::string link_text(const Topology& topology, const PcieLink& link) {
  std::string text = config::format_link(link.negotiated);
  if (link.negotiated == link.lower_max) return text;
  const bool asked = link.link_given && link.requested == link.negotiated;
  return text +
         fmt::format(" (could do {}; {})", config::format_link(link.lower_max),
                     asked ? std::string("the file asks for less")
                           : fmt::format("limited by {}", topology.components[link.upper].name));
}

void add_rows(const Topology& topology, ComponentId id, const std::string& lead,
              const std::string& branch, std::vector<Row>& rows) {
  const Component& component = topology.components[id];
  const PcieLink* link = topology.link_above(id);
  rows.push_back({lead + branch + component.name, component.model->kind, component.preset,
                  link == nullptr ? "" : link_text(topology, *link)});
  const std::vector<const PcieLink*> below = topology.links_below(id);
  // A branch's children stand below its name.
  std::string inner = lead;
  if (!branch.empty()) {
    inner += branch.front() == '+' ? '|' : ' ';
    inner += std::string(branch.size() - 1, ' ');
  }
  for (const PcieLink* child : below) {
    add_rows(topology, child->lower, inner,
             fmt::format("{}-[{}]-", child == below.back() ? '\\' : '+', child->upper_port), rows);
  }
}

std::string wire_text(const Topology& topology, const Wire& wire) {
  std::string text = fmt::format("{} = {}  {}", topology.components[wire.a].name,
                                 topology.components[wire.b].name, wire.kind);
  if (!wire.preset.empty()) text += " " + wire.preset;
  for (const std::string& name : wire.values.names()) {
    text += fmt::format("  {} {}", name, wire.values.formatted(name));
  }
  return text + "\n";
}

}  // namespace

std::string tree_view(const Topology& topology) {
  std::vector<Row> rows;
  for (ComponentId id = 0; id < topology.components.size(); ++id) {
    if (topology.components[id].is_socket) add_rows(topology, id, "", "", rows);
  }
  Row::size_type widths[kColumns] = {};
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < kColumns; ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text = topology.name + "\n";
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < kColumns; ++c) {
      line += fmt::format("{:<{}}  ", row[c], widths[c]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  for (const Wire& wire : topology.wires) text += wire_text(topology, wire);
  return text;
}

}  // namespace peerfab::topology
