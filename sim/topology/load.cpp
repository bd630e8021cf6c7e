// SPDX-License-Identifier: Apache-2.0
// From a file to a Topology: read the shape, run the checks, keep what they resolved.
#include "sim/topology/checks.h"
#include "sim/topology/draft.h"
#include "sim/topology/topology.h"
#include "sim/topology/wire_kinds.h"

namespace peerfab::topology {
namespace {

Topology build(Draft&& draft) {
  Topology topology;
  topology.name = std::move(draft.name);
  topology.file = std::move(draft.file);
  for (DraftComponent& from : draft.components) {
    Component component;
    component.name = from.name;
    component.model = from.model;
    component.values = *std::move(from.values);
    component.where = from.where;
    component.is_socket = from.is_socket;
    if (from.preset != nullptr) component.preset = from.preset->name();
    topology.components.push_back(std::move(component));
  }
  for (std::size_t i = 0; i < draft.components.size(); ++i) {
    const DraftComponent& device = draft.components[i];
    if (device.is_socket) continue;
    PcieLink link;
    link.upper = static_cast<ComponentId>(*device.parent);
    link.lower = static_cast<ComponentId>(i);
    link.name = topology.components[link.upper].name + "-" + device.name;
    link.upper_port = *device.port;
    link.upper_max = *device.upper_max;
    link.lower_max = *device.lower_max;
    link.negotiated = *device.negotiated;
    link.requested = device.requested.value_or(link.negotiated);
    link.link_given = device.requested.has_value();
    link.where = device.where_of(link.link_given ? "link" : "at");
    topology.links.push_back(std::move(link));
  }
  for (DraftWire& from : draft.wires) {
    Wire wire;
    wire.a = static_cast<ComponentId>(from.ends[0]);
    wire.b = static_cast<ComponentId>(from.ends[1]);
    wire.name = topology.components[wire.a].name + "-" + topology.components[wire.b].name;
    wire.kind = from.kind->name;
    wire.values = *std::move(from.values);
    wire.where = from.body->find("between")->where();
    if (from.preset != nullptr) wire.preset = from.preset->name();
    topology.wires.push_back(std::move(wire));
  }
  topology.index();
  return topology;
}

std::optional<Topology> resolve(const config::Node& root, const std::string& file,
                                const device::ModelRegistry& registry,
                                const config::PresetLibrary& presets, SourceTexts& texts,
                                Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_count();
  std::optional<Draft> draft = read_draft(root, file, diagnostics);
  if (!draft) return std::nullopt;
  config::PresetLibrary all_presets = presets;
  add_own_presets(root, file, all_presets, texts, diagnostics);
  run_checks(*draft, registry, all_presets, diagnostics);
  if (diagnostics.error_count() != errors_before) return std::nullopt;
  return build(*std::move(draft));
}

}  // namespace

std::optional<Topology> load_topology(const std::filesystem::path& file,
                                      const device::ModelRegistry& registry,
                                      const config::PresetLibrary& presets, SourceTexts& texts,
                                      Diagnostics& diagnostics) {
  const std::optional<config::Node> root = config::load_yaml(file, texts, diagnostics);
  if (!root) return std::nullopt;
  return resolve(*root, file.string(), registry, presets, texts, diagnostics);
}

std::optional<Topology> parse_topology(std::string_view text, const std::string& file_name,
                                       const device::ModelRegistry& registry,
                                       const config::PresetLibrary& presets, SourceTexts& texts,
                                       Diagnostics& diagnostics) {
  texts.add(file_name, std::string(text));
  const std::optional<config::Node> root = config::parse_yaml(text, file_name, diagnostics);
  if (!root) return std::nullopt;
  return resolve(*root, file_name, registry, presets, texts, diagnostics);
}

}  // namespace peerfab::topology
