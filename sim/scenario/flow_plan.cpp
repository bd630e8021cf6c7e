// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/flow_plan.h"

#include <cassert>

#include "sim/scenario/check.h"
#include "sim/topology/path.h"
#include "sim/topology/route_trace.h"

namespace peerfab::scenario {

using topology::ComponentId;
using topology::System;
using topology::Topology;

namespace {

// Adds the link directions from one component to another.
void add_way(const System& system, ComponentId from, ComponentId to, FlowPlan& plan) {
  const Topology& topology = system.topology();
  const std::vector<topology::Hop> hops = topology::path(topology, from, to);
  for (const topology::Hop& hop : hops) {
    if (!hop.egress.has_value()) continue;
    const bool link = hop.egress->kind == topology::EdgeRef::Kind::kLink;
    const System::Directions& directions =
        link ? system.links()[hop.egress->index] : system.wires()[hop.egress->index];
    const bool up = link ? topology.links[hop.egress->index].lower == hop.component
                         : topology.wires[hop.egress->index].b == hop.component;
    const std::string& name =
        link ? topology.links[hop.egress->index].name : topology.wires[hop.egress->index].name;
    plan.directions.push_back(
        {up ? directions.up.get() : directions.down.get(),
         (link ? "link " : "wire ") + name + (link ? (up ? " up" : " down") : "")});
  }
}

// Whether a request of the initiator reaches the other side's memory by the registers as they are.
bool routed(System& system, ComponentId initiator, ComponentId other, bool writes) {
  device::MemoryTarget* const target = system.model(other).memory_target();
  if (target == nullptr || target->largest_mapping() == 0) return false;
  const std::optional<BusAddress> address = target->map(0, 1);
  if (!address.has_value()) return false;
  cfgspace::RoutedTlp tlp;
  tlp.category = writes ? cfgspace::TlpCategory::kPosted : cfgspace::TlpCategory::kNonPosted;
  tlp.address = *address;
  tlp.length = Bytes(1);
  const bool passes = topology::arrives(topology::trace_route(system, initiator, tlp));
  target->unmap(*address, 1);
  return passes;
}

}  // namespace

FlowPlan plan_flow(const FlowSpec& spec, System& system, std::string& why_not) {
  const Topology& topology = system.topology();
  FlowPlan plan;
  plan.from = find_memory(topology, spec.from).value();
  plan.to = find_memory(topology, spec.to).value();
  const bool from_can = system.model(plan.from).initiator() != nullptr;
  const bool to_can = system.model(plan.to).initiator() != nullptr;
  plan.by = spec.by.empty() ? (from_can ? plan.from : plan.to) : topology.find(spec.by).value();
  why_not.clear();
  if (plan.by != plan.from && plan.by != plan.to) {
    why_not = "'" + spec.by + "' is neither its source nor its target";
    return plan;
  }
  if (system.model(plan.by).initiator() == nullptr) {
    why_not = "neither '" + spec.from + "' nor '" + spec.to + "' can move data by itself";
    return plan;
  }
  const bool device_to_device =
      !topology.components[plan.from].is_socket && !topology.components[plan.to].is_socket;
  const bool writes = plan.by == plan.from;
  const ComponentId other = writes ? plan.to : plan.from;
  plan.staged = spec.via == Via::kHost;
  if (spec.via == Via::kAuto && device_to_device && from_can && to_can) {
    plan.staged = !routed(system, plan.by, other, writes);
  }
  if (plan.staged) {
    if (!from_can || !to_can) {
      why_not = "'" + (from_can ? spec.to : spec.from) +
                "' has no DMA engine: the way through host memory needs one at both ends";
      return plan;
    }
    plan.by = plan.from;
    plan.staging = spec.staging.empty() ? topology.socket_of(plan.from)
                                        : find_memory(topology, spec.staging).value();
    add_way(system, plan.from, plan.staging, plan);
    add_way(system, plan.staging, plan.to, plan);
  } else {
    add_way(system, plan.from, plan.to, plan);
  }
  return plan;
}

}  // namespace peerfab::scenario
