// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/schema.h"

#include "sim/config/schema.h"
#include "sim/topology/draft.h"
#include "sim/topology/wire_kinds.h"

namespace peerfab::topology {
namespace {

using nlohmann::json;

constexpr std::string_view kNamePattern = "^[A-Za-z][A-Za-z0-9_.-]*$";

json text(std::string_view description) {
  return {{"type", "string"}, {"description", description}};
}

json named_map(std::string_view description, json values, std::size_t most) {
  return {{"type", "object"},
          {"description", description},
          {"propertyNames", {{"pattern", kNamePattern}}},
          {"maxProperties", most},
          {"additionalProperties", std::move(values)}};
}

json presets_schema(std::string_view of, const std::vector<std::string>& names) {
  // Own presets have other names, so the known ones are suggestions.
  return {{"description", "Preset " + std::string(of) + "; keys beside it override its values"},
          {"anyOf", json::array({{{"enum", names}}, {{"type", "string"}}})}};
}

std::vector<config::SchemaVariant> device_variants(const device::ModelRegistry& registry,
                                                   const config::PresetLibrary& presets) {
  std::vector<config::SchemaVariant> variants;
  for (const device::ModelDescriptor& model : registry.all()) {
    if (model.role == device::ModelRole::kRootComplex) continue;
    variants.push_back(
        {model.kind, model.summary, &model.parameters, presets.names_of_model(model.kind)});
  }
  return variants;
}

json device_schema(const device::ModelRegistry& registry, const config::PresetLibrary& presets) {
  const std::vector<config::SchemaVariant> variants = device_variants(registry, presets);
  std::vector<std::string> names;
  for (const config::SchemaVariant& variant : variants) {
    names.insert(names.end(), variant.presets.begin(), variant.presets.end());
  }
  json link = config::quantity_schema(config::Quantity::kLink);
  link["description"] = "Generation and width, 'gen5 x16'; without it, the most both ends can do";
  const json common = {
      {"preset", presets_schema("of the device", names)},
      {"at", text("Name of the socket or switch that it is attached to")},
      {"port",
       {{"type", "integer"},
        {"minimum", 0},
        {"description", "Port below that one, from 0; without it, the lowest free one"}}},
      {"link", link},
  };
  return config::variants_schema("model", variants, common, {"at"});
}

// Sockets need not name their model, so the parameters of all root complexes are allowed.
json socket_schema(const device::ModelRegistry& registry, const config::PresetLibrary& presets) {
  json properties = json::object();
  std::vector<std::string> kinds;
  std::vector<std::string> names;
  for (const device::ModelDescriptor& model : registry.all()) {
    if (model.role != device::ModelRole::kRootComplex) continue;
    properties.update(config::json_schema(model.parameters));
    kinds.push_back(model.kind);
    for (std::string& name : presets.names_of_model(model.kind)) names.push_back(std::move(name));
  }
  properties["model"] = {{"enum", kinds}, {"description", "Model of the root complex"}};
  properties["preset"] = presets_schema("of the root complex", names);
  return {{"type", json::array({"object", "null"})},
          {"properties", properties},
          {"additionalProperties", false}};
}

json wire_schema(const config::PresetLibrary& presets) {
  std::vector<config::SchemaVariant> variants;
  std::vector<std::string> names;
  for (const WireKind& kind : wire_kinds()) {
    variants.push_back(
        {kind.name, kind.meaning, &kind.parameters, presets.names_of_model(kind.name)});
    for (std::string& name : presets.names_of_model(kind.name)) names.push_back(std::move(name));
  }
  const json common = {{"preset", presets_schema("of the wire", names)},
                       {"between",
                        {{"type", "array"},
                         {"items", {{"type", "string"}}},
                         {"minItems", 2},
                         {"maxItems", 2},
                         {"description", "The two ends of the wire"}}}};
  return config::variants_schema("kind", variants, common, {"between", "kind"});
}

}  // namespace

json topology_schema(const device::ModelRegistry& registry, const config::PresetLibrary& presets) {
  const json properties = {
      {"peerfab", {{"const", 1}, {"description", "Version of the format"}}},
      {"name", text("Title, for people")},
      {"presets",
       {{"type", "array"},
        {"items", {{"type", "string"}}},
        {"description", "Files of own presets, relative to this file"}}},
      {"sockets", named_map("Root complexes with their memory, by name",
                            socket_schema(registry, presets), kMaxSockets)},
      {"devices",
       named_map("Switches and endpoints, by name", device_schema(registry, presets), kMaxDevices)},
      {"wires",
       {{"type", "array"},
        {"items", wire_schema(presets)},
        {"maxItems", kMaxWires},
        {"description", "Connections beside the PCIe tree"}}},
  };
  return config::document_schema("Peerfab topology", "Sockets, devices and how they are wired",
                                 properties, {"peerfab", "sockets"});
}

}  // namespace peerfab::topology
