// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/route_trace.h"

#include <optional>

namespace peerfab::topology {

using cfgspace::Action;
using cfgspace::Ingress;
using device::ModelRole;

namespace {

std::optional<ComponentId> below_port(const Topology& topology, ComponentId id, unsigned port) {
  for (const PcieLink* link : topology.links_below(id)) {
    if (link->upper_port == port) return link->lower;
  }
  return std::nullopt;
}

}  // namespace

std::vector<TracedHop> trace_route(const System& system, ComponentId from,
                                   cfgspace::RoutedTlp tlp) {
  const Topology& topology = system.topology();
  const cfgspace::Enumeration& registers = system.registers();
  std::vector<TracedHop> trace;
  ComponentId at = from;
  Ingress ingress = Ingress::internal();
  if (topology.components[from].model->role == ModelRole::kEndpoint) {
    tlp.requester = registers.endpoints.at(from).bdf;
  }
  // A tree with n components is left after at most 2n hops; more would be a loop.
  for (std::size_t i = 0; i < 2 * topology.components.size() + 2; ++i) {
    cfgspace::RoutingView view{static_cast<const cfgspace::PortRegisters*>(nullptr), ingress};
    switch (topology.components[at].model->role) {
      case ModelRole::kRootComplex:
        view.hop = &registers.root_complexes[at];
        break;
      case ModelRole::kSwitch:
        view.hop = &registers.switches.at(at);
        break;
      case ModelRole::kEndpoint:
        view.hop = &registers.endpoints.at(at);
        break;
    }
    const cfgspace::Verdict verdict = cfgspace::route(tlp, view);
    trace.push_back({at, verdict});
    std::optional<ComponentId> next;
    if (verdict.action == Action::kToUpstream) {
      const PcieLink* const link = topology.link_above(at);
      next = link->upper;
      ingress = Ingress::port(link->upper_port);
    } else if (verdict.action == Action::kToPort) {
      next = below_port(topology, at, verdict.index);
      ingress = Ingress::upstream();
    } else if (verdict.action == Action::kToSocket) {
      ingress = Ingress::socket(at);
      next = verdict.index;
    }
    if (!next.has_value()) return trace;
    at = *next;
  }
  return trace;
}

}  // namespace peerfab::topology
