// SPDX-License-Identifier: Apache-2.0
// Contract in check.h.
#include "sim/scenario/check.h"

#include <string>
#include <utility>
#include <vector>

#include "sim/config/parameters.h"
#include "sim/topology/path.h"

namespace peerfab::scenario {
namespace {

using topology::ComponentId;
using topology::Topology;

constexpr std::string_view kMemorySuffix = ".memory";

std::vector<std::string> component_names(const Topology& topology) {
  std::vector<std::string> names;
  for (const topology::Component& component : topology.components) names.push_back(component.name);
  return names;
}

bool is_switch(const topology::Component& component) {
  return component.model->role == device::ModelRole::kSwitch;
}

class FlowCheck {
 public:
  FlowCheck(const FlowSpec& flow, const Topology& topology, Diagnostics& diagnostics)
      : flow_(flow), topology_(topology), diagnostics_(diagnostics) {}

  bool run() {
    if (topology_.find(flow_.name)) {
      fail("name-taken", flow_.where,
           "the flow '" + flow_.name + "' has the name of a component of the topology",
           "give one of them another name: changes in 'compare' would be ambiguous");
    }
    const auto from = memory(flow_.from, flow_.from_where);
    const auto to = memory(flow_.to, flow_.to_where);
    const auto by = initiator(from, to);
    const auto staging = staging_socket();
    if (!from || !to || !good_) return false;
    if (*from == *to) {
      fail("same-component", flow_.to_where,
           "'" + flow_.from + "' and '" + flow_.to + "' are the same: nothing crosses the fabric");
      return false;
    }
    check_connected(*from, *to, flow_.to_where);
    if (staging) check_connected(*from, *staging, flow_.staging_where);
    check_via(*from, *to, by.has_value());
    return good_;
  }

 private:
  void fail(std::string check, const SourceLocation& where, std::string message,
            std::string hint = "") {
    diagnostics_.error(std::move(check), where, std::move(message), std::move(hint));
    good_ = false;
  }

  [[nodiscard]] const topology::Component& at(ComponentId id) const {
    return topology_.components[id];
  }

  std::optional<ComponentId> memory(const std::string& name, const SourceLocation& where) {
    const auto found = find_memory(topology_, name);
    if (!found) {
      fail("unknown-reference", where, "no device or socket is called '" + printable(name) + "'",
           did_you_mean(name, component_names(topology_)));
      return std::nullopt;
    }
    if (is_switch(at(*found))) {
      fail("no-memory", where, "'" + name + "' is a switch: it holds no data");
      return std::nullopt;
    }
    return found;
  }

  // nullopt: the flow leaves the choice open, or an error.
  std::optional<ComponentId> initiator(std::optional<ComponentId> from,
                                       std::optional<ComponentId> to) {
    if (flow_.by.empty()) return std::nullopt;
    const auto found = topology_.find(flow_.by);
    if (!found) {
      fail("unknown-reference", flow_.by_where, "no device is called '" + printable(flow_.by) + "'",
           did_you_mean(flow_.by, component_names(topology_)));
    } else if (at(*found).is_socket || is_switch(at(*found))) {
      fail("cannot-initiate", flow_.by_where,
           "'" + flow_.by + "' cannot issue transactions: it is no device with a DMA engine");
    } else if (from && to && *found != *from && *found != *to) {
      fail("cannot-initiate", flow_.by_where,
           "'" + flow_.by + "' is neither the source nor the target",
           "the source writes or the target reads");
    }
    return found;
  }

  std::optional<ComponentId> staging_socket() {
    if (flow_.staging.empty()) return std::nullopt;
    const auto found = find_memory(topology_, flow_.staging);
    if (!found || !at(*found).is_socket) {
      std::vector<std::string> sockets;
      for (const topology::Component& component : topology_.components) {
        if (component.is_socket) sockets.push_back(component.name);
      }
      fail("unknown-reference", flow_.staging_where,
           "no socket is called '" + printable(flow_.staging) + "'",
           did_you_mean(flow_.staging, sockets));
    }
    return found;
  }

  void check_connected(ComponentId a, ComponentId b, const SourceLocation& where) {
    if (!topology::path(topology_, a, b).empty()) return;
    fail("unconnected", where,
         "no way leads from '" + at(a).name + "' to '" + at(b).name +
             "': their sockets are not connected",
         "a wire between the sockets joins them");
  }

  void check_via(ComponentId from, ComponentId to, bool initiator_given) {
    const bool from_host = at(from).is_socket;
    const bool to_host = at(to).is_socket;
    if (from_host && to_host) {
      fail("no-initiator", flow_.to_where,
           "both ends are host memory, which has no engine to move data with");
      return;
    }
    if ((from_host || to_host) && flow_.via != Via::kAuto) {
      fail("no-choice-of-way", flow_.via_where,
           "'via' chooses between two ways from device to device; here one end is host memory");
    }
    if (flow_.via == Via::kHost && initiator_given) {
      fail("no-choice-of-initiator", flow_.by_where,
           "through host memory the source writes and the target reads: 'by' has no say");
    }
  }

  const FlowSpec& flow_;
  const Topology& topology_;
  Diagnostics& diagnostics_;
  bool good_ = true;
};

bool check_links(const Scenario& scenario, const Variant& variant, const Topology& topology,
                 Diagnostics& diagnostics) {
  bool good = true;
  for (const Expectation& expectation : scenario.expectations) {
    const Subject& subject = expectation.subject;
    if (subject.variant != variant.name || subject.link.empty()) continue;
    if (topology.find_link(subject.link) != nullptr) continue;
    if (diagnostics.error_count() > Diagnostics::kPrintLimit) return false;
    std::vector<std::string> names;
    for (const topology::PcieLink& link : topology.links) names.push_back(link.name);
    diagnostics.error("unknown-reference", expectation.link_where,
                      "no link is called '" + printable(subject.link) + "'",
                      did_you_mean(subject.link, names));
    good = false;
  }
  return good;
}

bool apply_override(const TopologyOverride& change, Topology& topology, Diagnostics& diagnostics) {
  const auto found = topology.find(change.component);
  if (!found) {
    diagnostics.error("unknown-reference", change.component_where,
                      "no flow and no component is called '" + printable(change.component) + "'",
                      did_you_mean(change.component, component_names(topology)));
    return false;
  }
  topology::Component& component = topology.components[*found];
  const config::Parameter* parameter = component.model->parameters.find(change.parameter);
  if (parameter == nullptr) {
    diagnostics.error("unknown-key", change.parameter_where,
                      "model '" + component.model->kind + "' has no parameter '" +
                          printable(change.parameter) + "'",
                      did_you_mean(change.parameter, component.model->parameters.names()));
    return false;
  }
  if (parameter->quantity == config::Quantity::kLink) {
    diagnostics.error("decides-wiring", change.parameter_where,
                      "links are settled when the topology is read, before this change",
                      "give the variant a topology of its own: topology: other.yaml");
    return false;
  }
  auto value = config::parse_parameter(
      *parameter, config::Node::scalar(change.value, change.value_where), diagnostics);
  if (!value) return false;
  component.values.set(change.parameter, std::move(*value), change.value_where,
                       change.value_where.file);
  if (component.model->downstream_ports &&
      component.model->downstream_ports(component.values) < topology.children(*found).size()) {
    diagnostics.error("decides-wiring", change.value_where,
                      "'" + component.name + "' needs more ports than that for what is below it");
    return false;
  }
  return true;
}

}  // namespace

std::optional<ComponentId> find_memory(const Topology& topology, std::string_view name) {
  if (const auto found = topology.find(name)) return found;
  if (name.size() <= kMemorySuffix.size() ||
      name.substr(name.size() - kMemorySuffix.size()) != kMemorySuffix) {
    return std::nullopt;
  }
  const auto found = topology.find(name.substr(0, name.size() - kMemorySuffix.size()));
  if (!found || !topology.components[*found].is_socket) return std::nullopt;
  return found;
}

bool apply_overrides(const Variant& variant, Topology& topology, Diagnostics& diagnostics) {
  bool good = true;
  for (const TopologyOverride& change : variant.topology_overrides) {
    good = apply_override(change, topology, diagnostics) && good;
  }
  return good;
}

bool check_variant(const Scenario& scenario, const Variant& variant, const Topology& topology,
                   Diagnostics& diagnostics) {
  bool good = true;
  for (const FlowSpec& flow : variant.flows) {
    if (diagnostics.error_count() > Diagnostics::kPrintLimit) return false;
    good = FlowCheck(flow, topology, diagnostics).run() && good;
  }
  good = check_link_events(scenario.link_events, topology, diagnostics) && good;
  return check_links(scenario, variant, topology, diagnostics) && good;
}

}  // namespace peerfab::scenario
