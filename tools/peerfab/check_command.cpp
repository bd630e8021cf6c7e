// SPDX-License-Identifier: Apache-2.0
// `peerfab check`: contract in commands.h.
#include <string>

#include "sim/config/tree.h"
#include "sim/scenario/parse.h"
#include "tools/peerfab/commands.h"
#include "tools/peerfab/session.h"
#include "tools/peerfab/standard_output.h"

namespace peerfab::cli {
namespace {

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// One line about a file that is fit; empty when it is not.
std::string check_file(const std::string& file, Session& session) {
  const auto root = config::load_yaml(file, session.texts(), session.diagnostics());
  if (!root) return "";
  if (scenario::looks_like_scenario(*root)) {
    const auto prepared = session.prepare(file);
    if (!prepared) return "";
    return file + ": a scenario, fine: " + counted(prepared->scenario.variants.size(), "variant") +
           " of " + counted(prepared->scenario.flows.size(), "flow") + "\n";
  }
  if (root->find("preset") != nullptr && root->find("parameters") != nullptr) {
    config::PresetLibrary library = session.presets();
    if (!library.add_file(file, session.texts(), session.diagnostics())) return "";
    return file + ": a preset, fine\n";
  }
  const topology::Topology* topology = session.topology(file);
  if (topology == nullptr) return "";
  return file + ": a topology, fine: " + counted(topology->components.size(), "component") + ", " +
         counted(topology->links.size(), "link") + "\n";
}

}  // namespace

int check_command(const std::vector<std::string>& files, const device::ModelRegistry& registry) {
  Session session(registry);
  std::string summary;
  bool good = true;
  for (const std::string& file : files) {
    const std::string line = check_file(file, session);
    summary += line;
    good = good && !line.empty();
  }
  session.report(Severity::kNote);
  const bool printed = print(summary);
  return good && printed ? kExitFine : kExitBadInput;
}

}  // namespace peerfab::cli
