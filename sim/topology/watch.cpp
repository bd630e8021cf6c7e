// SPDX-License-Identifier: Apache-2.0
// The conformance monitors of a system: one for each link and wire, with what the topology and the
// registers say about it.
#include <string>
#include <vector>

#include "sim/monitor/link_description.h"
#include "sim/pcie/spec.h"
#include "sim/topology/system.h"

namespace peerfab::topology {

using device::ModelRole;

namespace {

// 0 where the model's table has no such parameter.
std::uint64_t size_or_zero(const Component& component, const std::string& parameter) {
  if (component.model->parameters.find(parameter) == nullptr) return 0;
  return component.values.size(parameter).count();
}

// Root complexes whose completions may be cut on 64 B.
std::vector<Bdf> small_boundary_completers(const Topology& topology,
                                           const cfgspace::Enumeration& enumeration) {
  std::vector<Bdf> completers;
  unsigned socket = 0;
  for (const Component& component : topology.components) {
    if (!component.is_socket) continue;
    const Bdf host = enumeration.root_complexes[socket++].host();
    const std::uint64_t boundary = size_or_zero(component, "read_completion_boundary");
    if (boundary == pcie::spec::kRcbSmallBytes) completers.push_back(host);
  }
  return completers;
}

}  // namespace

void System::watch() {
  const auto small_boundary = small_boundary_completers(topology_, enumeration_);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const PcieLink& link = topology_.links[i];
    const Component& below = topology_.components[link.lower];
    monitor::LinkDescription description;
    description.name = link.name;
    description.small_boundary = small_boundary;
    description.at_endpoint = below.model->role == ModelRole::kEndpoint;
    description.lower = {description.at_endpoint ? &enumeration_.endpoints.at(link.lower)
                                                 : &enumeration_.switches.at(link.lower).upstream,
                         static_cast<std::uint32_t>(size_or_zero(below, "max_read_request"))};
    description.numbered = links_[i].down->data_link() != nullptr;
    description.upper.registers = &port_above(link);
    monitors_.push_back(std::make_unique<monitor::LinkMonitor>(findings_, description,
                                                               *links_[i].down, *links_[i].up));
  }
  for (std::size_t i = 0; i < wires_.size(); ++i) {
    const Wire& wire = topology_.wires[i];
    monitor::LinkDescription description;
    description.name = topology_.components[wire.a].name + "-" + topology_.components[wire.b].name;
    description.small_boundary = small_boundary;
    description.at_endpoint = false;
    monitors_.push_back(std::make_unique<monitor::LinkMonitor>(findings_, description,
                                                               *wires_[i].down, *wires_[i].up));
  }
}

// The port at the upper end of a link.
const cfgspace::PortRegisters& System::port_above(const PcieLink& link) const {
  if (const auto found = enumeration_.switches.find(link.upper);
      found != enumeration_.switches.end()) {
    return found->second.downstream[link.upper_port];
  }
  // Sockets come first, in the order of the root complexes.
  return enumeration_.root_complexes[link.upper].root_ports[link.upper_port];
}

}  // namespace peerfab::topology
