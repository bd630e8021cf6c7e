// SPDX-License-Identifier: Apache-2.0
// The topologies that users copy from are good with the real models and presets, and without a
// word of warning.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include "models/register_all.h"
#include "sim/topology/path.h"
#include "sim/topology/schema.h"
#include "tests/support/catch.h"
#include "tests/unit/topology/lab.h"

namespace peerfab::topology {
namespace {

const std::string kFolder = PEERFAB_SOURCE_DIR "/topologies/";

struct RealParts {
  RealParts() { models::register_all_models(registry); }
  device::ModelRegistry registry;
  SourceTexts texts;
  Diagnostics diagnostics;
  config::PresetLibrary presets = config::PresetLibrary::builtin(texts, diagnostics);
};

Topology load_example(RealParts& parts, const std::string& name) {
  Diagnostics findings;
  std::optional<Topology> topology =
      load_topology(kFolder + name, parts.registry, parts.presets, parts.texts, findings);
  std::ostringstream text;
  findings.render(text, parts.texts);
  INFO(text.str());
  REQUIRE(topology);
  for (const Diagnostic& finding : findings.all()) CHECK(finding.severity == Severity::kNote);
  return *std::move(topology);
}

}  // namespace

TEST_CASE("all example topologies are good", "[topology][examples]") {
  RealParts parts;
  CHECK_FALSE(parts.diagnostics.has_errors());
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".yaml") continue;
    INFO(entry.path().string());
    const Topology topology = load_example(parts, entry.path().filename().string());
    // They say why they are worth looking at.
    CHECK(lab::read_file(entry.path().string()).substr(0, 2) == "# ");
    ++count;
  }
  CHECK(count >= 10);
}

TEST_CASE("the examples show the distances that they promise", "[topology][examples]") {
  RealParts parts;
  const auto label = [&](const std::string& file, std::string_view a, std::string_view b) {
    const Topology topology = load_example(parts, file);
    return std::string(proximity_label(proximity(topology, *topology.find(a), *topology.find(b))));
  };
  CHECK(label("two-gpus-one-switch.yaml", "gpu0", "gpu1") == "PIX");
  CHECK(label("two-gpus-root-ports.yaml", "gpu0", "gpu1") == "PHB");
  CHECK(label("nested-switches.yaml", "gpu0", "gpu1") == "PIX");
  CHECK(label("nested-switches.yaml", "gpu0", "gpu2") == "PXB");
  CHECK(label("dual-socket-four-switches.yaml", "gpu0", "gpu1") == "PIX");
  CHECK(label("dual-socket-four-switches.yaml", "gpu0", "gpu2") == "PHB");
  CHECK(label("dual-socket-four-switches.yaml", "gpu0", "gpu7") == "SYS");
  CHECK(label("dual-socket-four-switches.yaml", "gpu0", "nic0") == "PIX");
  CHECK(label("dual-socket-four-switches.yaml", "gpu0", "nic1") == "PHB");
  CHECK(label("dgx-2.yaml", "gpu0", "gpu1") == "PIX");
  CHECK(label("dgx-2.yaml", "gpu0", "gpu3") == "PXB");
  CHECK(label("dgx-2.yaml", "gpu0", "gpu7") == "PHB");
  CHECK(label("dgx-2.yaml", "gpu0", "gpu15") == "SYS");
  CHECK(label("dgx-2.yaml", "gpu2", "nic1") == "PIX");
  CHECK(label("dgx-2.yaml", "gpu2", "nic0") == "PXB");
  CHECK(label("dgx-h100.yaml", "gpu3", "nic3") == "PIX");
  CHECK(label("dgx-h100.yaml", "gpu3", "nic0") == "PHB");
  CHECK(label("dgx-h100.yaml", "gpu3", "nic4") == "SYS");
  CHECK(label("storage-box.yaml", "ssd0", "ssd14") == "PIX");
  CHECK(label("storage-box.yaml", "ssd0", "gpu0") == "PHB");
}

TEST_CASE("the stored schema is that of the registered models", "[topology][golden]") {
  RealParts parts;
  const std::string text = topology_schema(parts.registry, parts.presets).dump(2) + "\n";
  INFO("after a change of a model or preset, run the tests with PEERFAB_UPDATE_GOLDEN=1");
  CHECK(lab::matches_golden(PEERFAB_SOURCE_DIR "/docs/schemas/topology.schema.json", text));
}

}  // namespace peerfab::topology
