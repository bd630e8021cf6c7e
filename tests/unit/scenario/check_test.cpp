// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/check.h"

#include <string>

#include "tests/support/catch.h"
#include "tests/unit/scenario/parsing.h"

namespace peerfab::scenario::test {

namespace {

using config::Parameter;
using config::Quantity;

// Three models that have just what a topology needs.
const device::ModelRegistry& registry() {
  static const device::ModelRegistry models = [] {
    device::ModelRegistry all;
    const Parameter ports{"root_ports", Quantity::kInteger, "4", "ports", "1", "64", {}};
    const Parameter link{"max_link", Quantity::kLink, "gen5 x16", "link", "", "", {}};
    device::ModelDescriptor root;
    root.kind = "root-complex";
    root.summary = "root";
    root.role = device::ModelRole::kRootComplex;
    root.parameters = config::ParameterTable(
        {ports, {"root_port_link", Quantity::kLink, "gen5 x16", "link", "", "", {}}});
    root.downstream_ports = [](const config::ParameterValues& values) {
      return static_cast<unsigned>(values.integer("root_ports"));
    };
    all.add(std::move(root));
    device::ModelDescriptor middle;
    middle.kind = "switch";
    middle.summary = "switch";
    middle.role = device::ModelRole::kSwitch;
    middle.parameters =
        config::ParameterTable({link,
                                {"max_ports", Quantity::kInteger, "8", "ports", "1", "64", {}},
                                {"lanes", Quantity::kInteger, "144", "lanes", "1", "512", {}}});
    middle.downstream_ports = [](const config::ParameterValues& values) {
      return static_cast<unsigned>(values.integer("max_ports"));
    };
    all.add(std::move(middle));
    device::ModelDescriptor gpu;
    gpu.kind = "gpu";
    gpu.summary = "gpu";
    gpu.parameters = config::ParameterTable(
        {link, {"bar1", Quantity::kSize, "256MiB", "aperture", "1MiB", "1TiB", {}}});
    gpu.downstream_ports = [](const config::ParameterValues&) { return 0U; };
    all.add(std::move(gpu));
    return all;
  }();
  return models;
}

const char* const kTopology =
    "peerfab: 1\n"
    "sockets:\n"
    "  cpu0: {model: root-complex}\n"
    "  cpu1: {model: root-complex}\n"
    "devices:\n"
    "  sw0: {model: switch, at: cpu0}\n"
    "  gpu0: {model: gpu, at: sw0}\n"
    "  gpu1: {model: gpu, at: sw0}\n"
    "  far: {model: gpu, at: cpu1}\n";

struct Checked {
  Parsed parsed;
  topology::Topology topology;
  bool good = false;
};

// Checks the first variant of a scenario with these steps and this tail.
Checked check(const std::string& text) {
  Checked checked;
  checked.parsed = parse(text);
  INFO(checked.parsed.rendered());
  REQUIRE(checked.parsed.scenario);
  Diagnostics& diagnostics = checked.parsed.diagnostics;
  auto topology = topology::parse_topology(kTopology, "t.yaml", registry(), config::PresetLibrary(),
                                           checked.parsed.texts, diagnostics);
  REQUIRE(topology);
  checked.topology = *topology;
  const Variant& variant = checked.parsed.scenario->variants.front();
  checked.good = apply_overrides(variant, checked.topology, diagnostics);
  checked.good = check_variant(*checked.parsed.scenario, variant, checked.topology, diagnostics) &&
                 checked.good;
  return checked;
}

// The names and columns of what was found in the scenario.
std::string findings(const std::string& text) {
  const Checked checked = check(text);
  std::string all;
  for (const Diagnostic& finding : checked.parsed.diagnostics.sorted()) {
    if (finding.where.file == "t.yaml") continue;  // notes about the topology itself
    all += (all.empty() ? "" : ", ") + finding.check + " at " + std::to_string(finding.where.line) +
           ":" + std::to_string(finding.where.column);
  }
  CHECK(checked.good == all.empty());
  return all;
}

std::string copy(const std::string& keys) { return with_steps("  - copy: {" + keys + "}\n"); }

}  // namespace

TEST_CASE("flows between components that exist are fine") {
  CHECK(findings(copy("from: gpu0, to: gpu1, size: 1MiB")) == "");
  CHECK(findings(copy("from: cpu0, to: gpu1, size: 1MiB, by: gpu1")) == "");
  CHECK(findings(copy("from: gpu0, to: cpu0.memory, size: 1MiB")) == "");
  CHECK(findings(copy("from: gpu0, to: gpu1, size: 1MiB, via: host, staging: cpu0")) == "");
}

TEST_CASE("unknown names are found at their place with a suggestion") {
  CHECK(findings(copy("from: gpu9, to: gpu1, size: 1MiB")) == "unknown-reference at 4:18");
  CHECK(findings(copy("from: gpu0, to: gpu9, size: 1MiB")) == "unknown-reference at 4:28");
  CHECK(findings(copy("from: gpu0, to: gpu1, size: 1MiB, by: gpu9")) ==
        "unknown-reference at 4:50");
  CHECK(findings(copy("from: gpu0.memory, to: gpu1, size: 1MiB")) == "unknown-reference at 4:18");
  CHECK(findings(copy("from: gpu0, to: gpu1, size: 1MiB, via: host, staging: gpu1")) ==
        "unknown-reference at 4:66");
  CHECK(findings(copy("from: gpx0, to: gpx1, size: 1MiB")) ==
        "unknown-reference at 4:18, unknown-reference at 4:28");
}

TEST_CASE("flows that cannot be are refused") {
  CHECK(findings(copy("from: sw0, to: gpu1, size: 1MiB")) == "no-memory at 4:18");
  CHECK(findings(copy("from: gpu0, to: gpu0, size: 1MiB")) == "same-component at 4:28");
  CHECK(findings(copy("from: cpu0, to: cpu0.memory, size: 1MiB")) == "same-component at 4:28");
  CHECK(findings(copy("from: gpu0, to: gpu1, size: 1MiB, by: cpu0")) == "cannot-initiate at 4:50");
  CHECK(findings(copy("from: gpu0, to: gpu1, size: 1MiB, by: sw0")) == "cannot-initiate at 4:50");
  CHECK(findings(copy("from: cpu0, to: gpu0, size: 1MiB, via: p2p")) == "no-choice-of-way at 4:51");
  CHECK(findings(copy("from: gpu0, to: gpu1, size: 1MiB, via: host, by: gpu0")) ==
        "no-choice-of-initiator at 4:61");
  CHECK(findings(copy("from: cpu0, to: gpu1, size: 1MiB, by: gpu0")) == "cannot-initiate at 4:50");
  CHECK(findings(copy("from: cpu0, to: cpu1, size: 1MiB")) ==
        "unconnected at 4:28, no-initiator at 4:28");
  CHECK(findings(copy("from: gpu0, to: far, size: 1MiB")) == "unconnected at 4:28");
  CHECK(findings(copy("name: gpu1, from: gpu0, to: gpu1, size: 1MiB")) == "name-taken at 4:5");
}

TEST_CASE("links of expectations must exist") {
  CHECK(findings(copy("from: gpu0, to: gpu1, size: 1MiB") +
                 "expect:\n  - link[cpu0-sw0].payload is 0B\n") == "");
  CHECK(findings(copy("from: gpu0, to: gpu1, size: 1MiB") +
                 "expect:\n  - link[sw0-cpu0].payload is 0B\n") == "unknown-reference at 6:10");
}

TEST_CASE("overrides change the variant's copy of the topology") {
  const Checked checked =
      check(copy("from: gpu0, to: gpu1, size: 1MiB") + "compare: {a: {gpu1.bar1: 1GiB}}\n");
  CHECK(checked.good);
  const auto gpu1 = checked.topology.find("gpu1");
  REQUIRE(gpu1);
  CHECK(checked.topology.components[*gpu1].values.size("bar1") == Bytes(1U << 30));
}

TEST_CASE("overrides that make no sense are refused") {
  const auto with = [](const std::string& change) {
    return findings(copy("from: gpu0, to: gpu1, size: 1MiB") + "compare: {a: {" + change + "}}\n");
  };
  CHECK(with("gpx1.bar1: 1GiB") == "unknown-reference at 5:15");
  CHECK(with("gpu1.bar2: 1GiB") == "unknown-key at 5:20");
  CHECK(with("gpu1.max_link: gen4 x8") == "decides-wiring at 5:20");
  CHECK(with("sw0.max_ports: 1") == "decides-wiring at 5:30");
  CHECK(with("gpu1.bar1: 1").substr(0, 3) != "");
  CHECK(with("gpu1.bar1: 2TiB") != "");
}

}  // namespace peerfab::scenario::test
