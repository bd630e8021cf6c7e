// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/topology/lab.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

namespace peerfab::topology::lab {
namespace {

using config::Parameter;
using config::Quantity;

Parameter integer(std::string name, std::string value, std::string most, std::string meaning) {
  return {std::move(name),
          Quantity::kInteger,
          std::move(value),
          std::move(meaning),
          "0",
          std::move(most),
          {}};
}

Parameter other(std::string name, Quantity quantity, std::string value, std::string meaning) {
  return {std::move(name), quantity, std::move(value), std::move(meaning), "", "", {}};
}

device::ModelDescriptor root_complex() {
  device::ModelDescriptor model;
  model.kind = "root-complex";
  model.summary = "root ports with memory behind them";
  model.role = device::ModelRole::kRootComplex;
  model.parameters = config::ParameterTable({
      integer("root_ports", "4", "32", "number of root ports"),
      other("root_port_link", Quantity::kLink, "gen5 x16", "most that a root port can do"),
      other("memory_size", Quantity::kSize, "64GiB", "memory of the socket"),
  });
  model.downstream_ports = [](const config::ParameterValues& values) {
    return static_cast<unsigned>(values.integer("root_ports"));
  };
  return model;
}

device::ModelDescriptor packet_switch() {
  device::ModelDescriptor model;
  model.kind = "switch";
  model.summary = "one upstream port, several downstream ports";
  model.role = device::ModelRole::kSwitch;
  model.parameters = config::ParameterTable({
      integer("max_ports", "5", "128", "number of ports, the upstream one included"),
      integer("lanes", "1024", "1024", "lanes of all ports together"),
      other("max_link", Quantity::kLink, "gen5 x16", "most that a port can do"),
      other("latency", Quantity::kTime, "100ns", "time through the switch"),
  });
  model.downstream_ports = [](const config::ParameterValues& values) {
    const std::int64_t ports = values.integer("max_ports");
    return ports == 0 ? 0U : static_cast<unsigned>(ports - 1);
  };
  return model;
}

device::ModelDescriptor endpoint(std::string kind, std::string summary) {
  device::ModelDescriptor model;
  model.kind = std::move(kind);
  model.summary = std::move(summary);
  model.role = device::ModelRole::kEndpoint;
  model.parameters = config::ParameterTable({
      other("max_link", Quantity::kLink, "gen5 x16", "most that its port can do"),
      other("bar1", Quantity::kSize, "256MiB", "size of the aperture"),
      other("max_payload_size", Quantity::kSize, "512B", "largest payload"),
      integer("posted_data_credits", "256", "2047", "receive buffer, units of 16 B"),
      integer("outstanding_reads", "256", "15360", "reads in flight"),
  });
  return model;
}

}  // namespace

const device::ModelRegistry& registry() {
  static const device::ModelRegistry kRegistry = [] {
    device::ModelRegistry models;
    models.add(root_complex());
    models.add(packet_switch());
    models.add(endpoint("gpu", "a GPU"));
    models.add(endpoint("memory", "memory behind a link"));
    return models;
  }();
  return kRegistry;
}

const config::PresetLibrary& presets() {
  static const config::PresetLibrary kPresets = [] {
    config::PresetLibrary library;
    SourceTexts texts;
    Diagnostics diagnostics;
    library.add_texts(
        {{"lab-host.yaml",
          "peerfab: 1\npreset: lab-host\nmodel: root-complex\nmeaning: a host\nparameters:\n"
          "  root_port_link: {value: gen5 x16, source: made up for tests}\n"},
         {"lab-switch.yaml",
          "peerfab: 1\npreset: lab-switch\nmodel: switch\nmeaning: a switch\nparameters:\n"
          "  lanes: {value: 48, source: made up for tests}\n"},
         {"lab-gpu.yaml",
          "peerfab: 1\npreset: lab-gpu\nmodel: gpu\nmeaning: a GPU\nparameters:\n"
          "  bar1: {value: 128GiB, source: made up for tests}\n"},
         {"lab-upi.yaml",
          "peerfab: 1\npreset: lab-upi\nmodel: socket\nmeaning: a wire\nparameters:\n"
          "  bandwidth: {value: 48GB/s, source: made up for tests}\n"
          "  latency: {value: 40ns, source: made up for tests}\n"}},
        texts, diagnostics);
    if (!diagnostics.all().empty()) {
      diagnostics.render(std::cerr, texts);
      std::abort();
    }
    return library;
  }();
  return kPresets;
}

bool Outcome::has(std::string_view check) const {
  return std::ranges::any_of(diagnostics.all(),
                             [check](const Diagnostic& finding) { return finding.check == check; });
}

std::string Outcome::rendered() const {
  std::ostringstream out;
  diagnostics.render(out, texts);
  return out.str();
}

Outcome parse(std::string_view text) {
  Outcome outcome;
  outcome.topology =
      parse_topology(text, "test.yaml", registry(), presets(), outcome.texts, outcome.diagnostics);
  return outcome;
}

Outcome load(const std::string& path) {
  Outcome outcome;
  outcome.topology = load_topology(path, registry(), presets(), outcome.texts, outcome.diagnostics);
  return outcome;
}

Topology must_parse(std::string_view text) {
  Outcome outcome = parse(text);
  if (outcome.topology) return *std::move(outcome.topology);
  std::cerr << outcome.rendered();
  std::abort();
}

std::string golden_path(const std::string& name) {
  return PEERFAB_SOURCE_DIR "/tests/golden/topology/" + name;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

bool matches_golden(const std::string& path, const std::string& text) {
  const char* update = std::getenv("PEERFAB_UPDATE_GOLDEN");
  if (update != nullptr && std::string_view(update) == "1") {
    std::ofstream(path, std::ios::binary) << text;
    return true;
  }
  return read_file(path) == text;
}

}  // namespace peerfab::topology::lab
