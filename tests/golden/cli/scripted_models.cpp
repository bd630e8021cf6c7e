// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "sim/config/parameters.h"
#include "tests/golden/cli/scripted.h"

namespace peerfab::scripted {
namespace {

using config::ParameterValues;
using config::Quantity;
using device::ModelDescriptor;
using device::ModelRole;

ModelDescriptor root_complex() {
  ModelDescriptor model;
  model.kind = "root-complex";
  model.summary = "Root ports with memory behind them";
  model.role = ModelRole::kRootComplex;
  model.parameters = config::ParameterTable(
      {{"root_ports", Quantity::kInteger, "4", "number of root ports", "1", "64", {}},
       {"root_port_link", Quantity::kLink, "gen5 x16", "widest and fastest link", "", "", {}},
       {"p2p",
        Quantity::kChoice,
        "full",
        "peer to peer between root ports",
        "",
        "",
        {"full", "none"}}});
  model.statistics = {{"reads", "TLPs", "read requests that reached the memory"}};
  model.downstream_ports = [](const ParameterValues& values) {
    return static_cast<unsigned>(values.integer("root_ports"));
  };
  return model;
}

ModelDescriptor a_switch() {
  ModelDescriptor model;
  model.kind = "switch";
  model.summary = "One upstream port, several downstream ports";
  model.role = ModelRole::kSwitch;
  model.parameters = config::ParameterTable(
      {{"max_ports", Quantity::kInteger, "8", "ports, the upstream one included", "2", "64", {}},
       {"lanes", Quantity::kInteger, "144", "lanes of all ports together", "1", "512", {}},
       {"max_link", Quantity::kLink, "gen5 x16", "widest and fastest link", "", "", {}},
       {"latency", Quantity::kTime, "115ns", "through the switch", "0ns", "10us", {}}});
  model.downstream_ports = [](const ParameterValues& values) {
    return static_cast<unsigned>(values.integer("max_ports")) - 1;
  };
  return model;
}

ModelDescriptor gpu() {
  ModelDescriptor model;
  model.kind = "gpu";
  model.summary = "Memory behind an aperture, and copy engines";
  model.parameters = config::ParameterTable(
      {{"max_link", Quantity::kLink, "gen5 x16", "widest and fastest link", "", "", {}},
       {"bar1", Quantity::kSize, "256MiB", "aperture onto the memory", "1MiB", "1TiB", {}}});
  model.statistics = {{"writes", "TLPs", "write requests that reached the memory"}};
  model.downstream_ports = [](const ParameterValues&) { return 0U; };
  return model;
}

}  // namespace

device::ModelRegistry models() {
  device::ModelRegistry registry;
  registry.add(root_complex());
  registry.add(a_switch());
  registry.add(gpu());
  return registry;
}

}  // namespace peerfab::scripted
