// SPDX-License-Identifier: Apache-2.0
#include "sim/config/schema.h"

#include <utility>

#include "sim/config/unit_family.h"

namespace peerfab::config {
namespace {

using nlohmann::json;

// "^[0-9]+(\.[0-9]+)? ?(ps|ns|us|ms|s)$"
json unit_schema(const UnitFamily& family) {
  std::string units;
  for (const std::string& name : family.names) units += (units.empty() ? "" : "|") + name;
  return {{"type", "string"},
          {"pattern", "^[0-9]+(\\.[0-9]+)? ?(" + units + ")$"},
          {"examples", {family.example}}};
}

json link_schema() {
  json names = json::array();
  for (unsigned generation = 1; generation <= kMaxLinkGeneration; ++generation) {
    for (const unsigned width : kLinkWidths) names.push_back(format_link({generation, width}));
  }
  return {{"enum", std::move(names)}};
}

// The default as a JSON value of its own type.
json default_of(const ParameterValues& defaults, const Parameter& parameter) {
  switch (parameter.quantity) {
    case Quantity::kFlag:
      return defaults.flag(parameter.name);
    case Quantity::kInteger:
      return defaults.integer(parameter.name);
    case Quantity::kRatio:
      return defaults.ratio(parameter.name);
    default:
      return parameter.default_value;
  }
}

std::string description_of(const Parameter& parameter) {
  std::string text = parameter.meaning;
  const bool low = !parameter.minimum.empty();
  const bool high = !parameter.maximum.empty();
  if (low && high) text += " (" + parameter.minimum + " to " + parameter.maximum + ")";
  if (low && !high) text += " (at least " + parameter.minimum + ")";
  if (high && !low) text += " (at most " + parameter.maximum + ")";
  return text;
}

std::int64_t integer_limit(const std::string& limit) {
  Diagnostics ignored;  // the table was checked when it was made
  return *parse_integer(Node::scalar(limit, {}), ignored);
}

json parameter_schema(const ParameterValues& defaults, const Parameter& parameter) {
  json schema = parameter.quantity == Quantity::kChoice ? json{{"enum", parameter.choices}}
                                                        : quantity_schema(parameter.quantity);
  if (parameter.quantity == Quantity::kInteger) {
    if (!parameter.minimum.empty()) schema["minimum"] = integer_limit(parameter.minimum);
    if (!parameter.maximum.empty()) schema["maximum"] = integer_limit(parameter.maximum);
  }
  schema["description"] = description_of(parameter);
  schema["default"] = default_of(defaults, parameter);
  return schema;
}

json closed_object(json properties, const std::vector<std::string>& required) {
  json schema = {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

// Holds for a map whose `key` has one of the values.
json key_is_one_of(const std::string& key, const json& values) {
  return {{"properties", {{key, {{"enum", values}}}}}, {"required", {key}}};
}

}  // namespace

json quantity_schema(Quantity quantity) {
  switch (quantity) {
    case Quantity::kFlag:
      return {{"type", "boolean"}};
    case Quantity::kInteger:
      return {{"type", "integer"}};
    case Quantity::kRatio:
      return {{"type", "number"}, {"minimum", 0}, {"maximum", 1}};
    case Quantity::kTime:
      return unit_schema(time_family());
    case Quantity::kSize:
      return unit_schema(size_family());
    case Quantity::kBandwidth:
      return unit_schema(bandwidth_family());
    case Quantity::kLink:
      return link_schema();
    case Quantity::kText:
    case Quantity::kChoice:
      break;
  }
  return {{"type", "string"}};
}

json json_schema(const ParameterTable& table) {
  const ParameterValues defaults(table);
  json properties = json::object();
  for (const Parameter& parameter : table.all()) {
    properties[parameter.name] = parameter_schema(defaults, parameter);
  }
  return properties;
}

json variants_schema(const std::string& kind_key, const std::vector<SchemaVariant>& variants,
                     const json& common, const std::vector<std::string>& required) {
  json kinds = json::array();
  json presets = json::array();
  json branches = json::array();
  for (const SchemaVariant& variant : variants) {
    kinds.push_back(variant.kind);
    for (const std::string& preset : variant.presets) presets.push_back(preset);
    json condition = key_is_one_of(kind_key, json::array({variant.kind}));
    if (!variant.presets.empty()) {
      json by_preset = key_is_one_of("preset", variant.presets);
      by_preset["not"] = {{"required", {kind_key}}};
      condition = {{"anyOf", {condition, by_preset}}};
    }
    json properties = json_schema(*variant.parameters);
    properties.update(common);
    properties[kind_key] = true;  // checked outside
    properties["preset"] = true;
    json then = closed_object(std::move(properties), {});
    then["description"] = variant.summary;
    branches.push_back({{"if", std::move(condition)}, {"then", std::move(then)}});
  }
  json properties = common;
  properties[kind_key] = {{"enum", std::move(kinds)},
                          {"description", "The model; a preset implies it"}};
  // A topology may bring presets of its own, so any name passes.
  properties["preset"] = {{"type", "string"},
                          {"description", "The numbers of one real part"},
                          {"examples", std::move(presets)}};
  json schema = {{"type", "object"},
                 {"properties", std::move(properties)},
                 {"anyOf", {{{"required", {kind_key}}}, {{"required", {"preset"}}}}},
                 {"allOf", std::move(branches)}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

json document_schema(const std::string& title, const std::string& description,
                     const json& properties, const std::vector<std::string>& required) {
  json schema = closed_object(properties, required);
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = title;
  schema["description"] = description;
  return schema;
}

}  // namespace peerfab::config
