// SPDX-License-Identifier: Apache-2.0
// A topology for people and for other tools. Every view ends with a line break and is the same on
// every machine.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/topology/topology.h"

namespace peerfab::topology {

// What hangs below what, one component a line, as `lspci -tv` shows it: port, name, model, preset
// and the negotiated link, with what limits it; then the wires.
[[nodiscard]] std::string tree_view(const Topology& topology);

// How close all endpoints are to each other, as `nvidia-smi topo -m` shows it, GPUs first; then
// the legend of the labels that occur.
[[nodiscard]] std::string matrix_view(const Topology& topology);

// Graphviz.
[[nodiscard]] std::string to_dot(const Topology& topology);

// Components with all their parameter values, links and wires.
[[nodiscard]] nlohmann::ordered_json to_json(const Topology& topology);

}  // namespace peerfab::topology
