// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/topology/path.h"
#include "sim/topology/views.h"

namespace peerfab::topology {
namespace {

constexpr std::string_view kFirstModel = "gpu";  // what the readers of such a matrix look for

struct Legend {
  Proximity proximity;
  std::string_view meaning;
};

constexpr Legend kLegend[] = {
    {Proximity::kSelf, "the device itself"},
    {Proximity::kOneSwitch, "through one switch"},
    {Proximity::kSwitches, "through several switches, without a root complex"},
    {Proximity::kRootComplex, "through the root complex (host bridge) of a socket"},
    {Proximity::kSameNode, "between several root complexes of a socket"},
    {Proximity::kAcrossSockets, "across sockets"},
    {Proximity::kUnconnected, "not connected: no wire joins the sockets"},
};

// Labels stand in the middle of their columns, as users of `nvidia-smi topo -m` know them.
std::string centred(std::string_view text, std::size_t width) {
  return fmt::format("{:^{}}", text, width);
}

void append_line(std::string& text, const std::string& line) {
  text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::string matrix_view(const Topology& topology) {
  std::vector<ComponentId> ids = topology.endpoints();
  std::stable_partition(ids.begin(), ids.end(), [&](ComponentId id) {
    return topology.components[id].model->kind == kFirstModel;
  });
  if (ids.empty()) return "no endpoints\n";

  const auto width = [&](ComponentId id) {
    constexpr std::size_t kNarrowest = 4;  // the longest label
    return std::max(kNarrowest, topology.components[id].name.size());
  };
  std::size_t name_width = 0;
  for (const ComponentId id : ids) name_width = std::max(name_width, width(id));

  std::string text;
  std::string line(name_width, ' ');
  for (const ComponentId id : ids) {
    line += "  " + fmt::format("{:<{}}", topology.components[id].name, width(id));
  }
  append_line(text, line + "  socket");

  std::set<Proximity> seen;
  for (const ComponentId row : ids) {
    line = fmt::format("{:<{}}", topology.components[row].name, name_width);
    for (const ComponentId column : ids) {
      const Proximity cell = proximity(topology, row, column);
      seen.insert(cell);
      line += "  " + centred(proximity_label(cell), width(column));
    }
    append_line(text, line + "  " + topology.components[topology.socket_of(row)].name);
  }
  text += "\n";
  for (const Legend& entry : kLegend) {
    if (!seen.contains(entry.proximity)) continue;
    text += fmt::format("{:<4}  {}\n", proximity_label(entry.proximity), entry.meaning);
  }
  return text;
}

}  // namespace peerfab::topology
