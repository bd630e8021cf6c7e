// SPDX-License-Identifier: Apache-2.0
// The topology that a YAML file describes, after every named check has passed: sockets (root
// complexes) and devices as components, PCIe links between them as a tree below each socket, and
// extra wires (today: between sockets) beside the tree. Plain data; elaboration turns it into a
// running system, views print it. Everything keeps the place in the file it came from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostics.h"
#include "sim/config/parameters.h"
#include "sim/config/quantity.h"
#include "sim/device/model_registry.h"

namespace peerfab::topology {

// Index into Topology::components. Sockets come first, then devices, each in file order.
using ComponentId = std::uint32_t;

struct Component {
  std::string name;
  const device::ModelDescriptor* model = nullptr;  // owned by the registry, which must outlive this
  config::ParameterValues values{config::ParameterTable()};
  SourceLocation where;  // of the name in the file
  bool is_socket = false;
  std::string preset;  // empty when none was named
};

// The link between a port below `upper` and the upstream port of `lower`.
struct PcieLink {
  std::string name;  // "cpu0-sw0": the names of upper and lower
  ComponentId upper = 0;
  unsigned upper_port = 0;  // from 0, among the ports below `upper`
  ComponentId lower = 0;
  config::LinkSpeed upper_max;   // what the port above can do at most
  config::LinkSpeed lower_max;   // what the device can do at most
  config::LinkSpeed requested;   // `link:` of the file, else the smaller of both maxima
  config::LinkSpeed negotiated;  // the smallest generation and width of the three
  bool link_given = false;       // the file has a `link:`
  SourceLocation where;          // of `link:` if given, else of `at:`
};

// A connection beside the PCIe tree. `values` are bound to the parameter table of its kind.
struct Wire {
  std::string name;  // "cpu0-cpu1"
  std::string kind;  // "socket": between two sockets
  ComponentId a = 0;
  ComponentId b = 0;
  config::ParameterValues values{config::ParameterTable()};
  SourceLocation where;
  std::string preset;  // empty when none was named
};

struct Topology {
  std::string name;
  std::string file;
  std::vector<Component> components;
  std::vector<PcieLink> links;  // in the order of their lower components
  std::vector<Wire> wires;

  // Rebuilds the lookup tables behind the functions below. load_topology() has called it; call it
  // again after changing the vectors by hand.
  void index();

  [[nodiscard]] std::optional<ComponentId> find(std::string_view component_name) const;
  [[nodiscard]] const PcieLink* find_link(std::string_view link_name) const;
  // The link to the component's upstream port; nullptr for a socket.
  [[nodiscard]] const PcieLink* link_above(ComponentId id) const;
  // Links to what is attached below, in port order.
  [[nodiscard]] std::vector<const PcieLink*> links_below(ComponentId id) const;
  // What is attached directly below, in port order.
  [[nodiscard]] const std::vector<ComponentId>& children(ComponentId id) const;
  // The socket above a component (itself for a socket).
  [[nodiscard]] ComponentId socket_of(ComponentId id) const;
  // Number of links between a component and its socket.
  [[nodiscard]] unsigned depth(ComponentId id) const;
  // All components that are neither a socket nor a switch, in file order.
  [[nodiscard]] std::vector<ComponentId> endpoints() const;
  [[nodiscard]] std::size_t socket_count() const;
  // Whether PCIe links and socket wires lead from one to the other.
  [[nodiscard]] bool connected(ComponentId a, ComponentId b) const;

 private:
  std::vector<std::uint32_t> link_above_;  // per component: index into links, or kNoLink
  std::vector<std::vector<ComponentId>> children_;
  std::vector<std::uint32_t> tree_depth_;    // per component
  std::vector<ComponentId> tree_socket_;     // per component
  std::vector<std::uint32_t> socket_group_;  // per component: number of its set of joined sockets
  std::map<std::string, ComponentId, std::less<>> by_name_;
};

// Reads, checks and resolves a topology file. Findings of all checks go to `diagnostics`; the
// result is empty when one of them is an error. `presets` are the built-in ones; files named under
// `presets:` are added to a copy, relative to the topology file.
[[nodiscard]] std::optional<Topology> load_topology(const std::filesystem::path& file,
                                                    const device::ModelRegistry& registry,
                                                    const config::PresetLibrary& presets,
                                                    SourceTexts& texts, Diagnostics& diagnostics);

// The same for text that is already in memory; `file_name` is what diagnostics call it.
[[nodiscard]] std::optional<Topology> parse_topology(std::string_view text,
                                                     const std::string& file_name,
                                                     const device::ModelRegistry& registry,
                                                     const config::PresetLibrary& presets,
                                                     SourceTexts& texts, Diagnostics& diagnostics);

}  // namespace peerfab::topology
