// SPDX-License-Identifier: Apache-2.0
// A small set of models and presets for the tests of topologies, so that the tests do not change
// with the numbers of real parts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/base/diagnostics.h"
#include "sim/config/preset.h"
#include "sim/device/model_registry.h"
#include "sim/topology/topology.h"

namespace peerfab::topology::lab {

// root-complex (4 ports), switch (5 ports, the upstream one included; no lane limit unless a
// preset gives one), gpu and memory.
[[nodiscard]] const device::ModelRegistry& registry();
// lab-host (gen5 x16 root ports), lab-switch (gen5 x16, 48 lanes), lab-gpu (gen5 x16).
[[nodiscard]] const config::PresetLibrary& presets();

// What came of one text.
struct Outcome {
  std::optional<Topology> topology;
  Diagnostics diagnostics;
  SourceTexts texts;

  [[nodiscard]] bool has(std::string_view check) const;
  [[nodiscard]] std::string rendered() const;
};

[[nodiscard]] Outcome parse(std::string_view text);
[[nodiscard]] Outcome load(const std::string& path);
// Aborts with the findings where the text is no good topology.
[[nodiscard]] Topology must_parse(std::string_view text);

// The file under tests/golden/topology: its text; empty where there is none.
[[nodiscard]] std::string golden_path(const std::string& name);
[[nodiscard]] std::string read_file(const std::string& path);
// Compares with the golden file; with PEERFAB_UPDATE_GOLDEN=1 in the environment, writes it.
[[nodiscard]] bool matches_golden(const std::string& path, const std::string& text);

}  // namespace peerfab::topology::lab
