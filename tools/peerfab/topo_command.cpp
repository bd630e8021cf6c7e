// SPDX-License-Identifier: Apache-2.0
// `peerfab topo`: contract in commands.h.
#include <string>

#include "sim/topology/views.h"
#include "tools/peerfab/commands.h"
#include "tools/peerfab/session.h"
#include "tools/peerfab/standard_output.h"

namespace peerfab::cli {

int topo_command(const TopoArguments& arguments, const device::ModelRegistry& registry) {
  Session session(registry);
  const topology::Topology* topology = session.topology(arguments.topology);
  // The views show what notes are about.
  session.report(Severity::kWarning);
  if (topology == nullptr) return kExitBadInput;
  std::string view;
  if (arguments.matrix) {
    view = topology::matrix_view(*topology);
  } else if (arguments.format == "dot") {
    view = topology::to_dot(*topology);
  } else if (arguments.format == "json") {
    view = topology::to_json(*topology).dump(2, ' ', false,
                                             nlohmann::ordered_json::error_handler_t::replace) +
           "\n";
  } else {
    view = topology::tree_view(*topology);
  }
  return print(view) ? kExitFine : kExitBadInput;
}

}  // namespace peerfab::cli
