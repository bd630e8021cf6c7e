// SPDX-License-Identifier: Apache-2.0
// `peerfab schema`: contract in commands.h.
#include <string>

#include "sim/scenario/schema.h"
#include "sim/topology/schema.h"
#include "tools/peerfab/commands.h"
#include "tools/peerfab/result_schema.h"
#include "tools/peerfab/session.h"
#include "tools/peerfab/standard_output.h"

namespace peerfab::cli {

int schema_command(const std::string& which, const device::ModelRegistry& registry) {
  std::string text;
  if (which == "result") {
    text = result_schema();
  } else if (which == "scenario") {
    text = scenario::scenario_schema().dump(2) + "\n";
  } else {
    const Session session(registry);
    text = topology::topology_schema(registry, session.presets()).dump(2) + "\n";
  }
  return print(text) ? kExitFine : kExitBadInput;
}

}  // namespace peerfab::cli
