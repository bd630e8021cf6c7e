// SPDX-License-Identifier: Apache-2.0
// What one invocation of the program reads: files, their findings, models and presets.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostics.h"
#include "sim/config/preset.h"
#include "sim/device/model_registry.h"
#include "sim/scenario/scenario.h"
#include "sim/topology/topology.h"

namespace peerfab::cli {

// Exit codes of the program.
inline constexpr int kExitFine = 0;
inline constexpr int kExitExpectationFailed = 1;
inline constexpr int kExitBadInput = 2;          // also a bad command line and an unwritable output
inline constexpr int kExitSimulationFailed = 3;  // also when it was stopped before its end

class Session {
 public:
  explicit Session(const device::ModelRegistry& registry);

  [[nodiscard]] const device::ModelRegistry& registry() const { return registry_; }
  [[nodiscard]] const config::PresetLibrary& presets() const { return presets_; }
  [[nodiscard]] Diagnostics& diagnostics() { return diagnostics_; }
  [[nodiscard]] SourceTexts& texts() { return texts_; }

  // nullptr and errors added when the file is not fit; each file is read once.
  [[nodiscard]] const topology::Topology* topology(const std::filesystem::path& file);

  // A scenario and, for each of its variants, the topology with the variant's changes.
  struct Prepared {
    scenario::Scenario scenario;
    std::vector<topology::Topology> topologies;
  };
  [[nodiscard]] std::optional<Prepared> prepare(const std::filesystem::path& scenario_file);

  // Prints the findings of this severity and above on standard error.
  void report(Severity least);

 private:
  // False with an error added when the file cannot be read or is something else.
  bool is_topology(const std::filesystem::path& file);

  const device::ModelRegistry& registry_;
  SourceTexts texts_;
  Diagnostics diagnostics_;
  config::PresetLibrary presets_;
  std::map<std::string, std::optional<topology::Topology>> topologies_;
};

}  // namespace peerfab::cli
