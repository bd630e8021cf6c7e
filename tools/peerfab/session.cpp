// SPDX-License-Identifier: Apache-2.0
// Contract in session.h.
#include "tools/peerfab/session.h"

#include <sstream>
#include <utility>

#include "sim/config/tree.h"
#include "sim/scenario/check.h"
#include "sim/scenario/parse.h"
#include "tools/peerfab/standard_output.h"

namespace peerfab::cli {

Session::Session(const device::ModelRegistry& registry)
    : registry_(registry), presets_(config::PresetLibrary::builtin(texts_, diagnostics_)) {}

const topology::Topology* Session::topology(const std::filesystem::path& file) {
  const auto [entry, fresh] = topologies_.try_emplace(file.string());
  if (fresh && is_topology(file)) {
    entry->second = topology::load_topology(file, registry_, presets_, texts_, diagnostics_);
  }
  return entry->second ? &*entry->second : nullptr;
}

bool Session::is_topology(const std::filesystem::path& file) {
  const auto root = config::load_yaml(file, texts_, diagnostics_);
  if (!root) return false;
  if (!scenario::looks_like_scenario(*root)) return true;
  SourceLocation whole;
  whole.file = file.string();
  diagnostics_.error("wrong-file", whole, "this is a scenario, not a topology",
                     "simulate it with: peerfab run " + file.string());
  return false;
}

std::optional<Session::Prepared> Session::prepare(const std::filesystem::path& scenario_file) {
  auto scenario = scenario::load_scenario(scenario_file, texts_, diagnostics_);
  if (!scenario) return std::nullopt;
  Prepared prepared;
  bool good = true;
  for (const scenario::Variant& variant : scenario->variants) {
    const topology::Topology* shared = topology(variant.topology);
    if (shared == nullptr) {
      diagnostics_.error(
          "bad-topology", variant.topology_where,
          "the topology '" + printable(variant.topology.string()) + "' cannot be used");
      good = false;
      continue;
    }
    topology::Topology own = *shared;
    good = scenario::apply_overrides(variant, own, diagnostics_) && good;
    good = scenario::check_variant(*scenario, variant, own, diagnostics_) && good;
    prepared.topologies.push_back(std::move(own));
  }
  if (!good) return std::nullopt;
  prepared.scenario = std::move(*scenario);
  return prepared;
}

void Session::report(Severity least) {
  Diagnostics shown;
  for (const Diagnostic& diagnostic : diagnostics_.all()) {
    if (diagnostic.severity >= least) shown.add(diagnostic);
  }
  std::ostringstream out;
  shown.render(out, texts_);
  print_error(out.str());
}

}  // namespace peerfab::cli
