// SPDX-License-Identifier: Apache-2.0
// The kinds of connections beside the PCIe tree, each with its parameter table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/config/parameters.h"

namespace peerfab::topology {

struct WireKind {
  std::string name;              // value of `kind:`, and of `model:` in a preset for such a wire
  std::string meaning;           // one line
  bool between_sockets = false;  // whether it joins sockets rather than devices
  config::ParameterTable parameters;
};

[[nodiscard]] const std::vector<WireKind>& wire_kinds();
[[nodiscard]] const WireKind* find_wire_kind(std::string_view name);

}  // namespace peerfab::topology
