// SPDX-License-Identifier: Apache-2.0
// Contract in schema.h.
#include "sim/scenario/schema.h"

#include <string>
#include <utility>

#include "sim/config/schema.h"
#include "sim/scenario/flow_keys.h"
#include "sim/scenario/link_event.h"

namespace peerfab::scenario {
namespace {

using nlohmann::json;

// One entry of `do:`: a map with the verb as its only key.
json step_schema(Verb verb) {
  json properties = config::json_schema(flow_table(verb));
  json required = json::array();
  for (const config::Parameter& key : required_flow_keys()) {
    json property = config::quantity_schema(key.quantity);
    property["description"] = key.meaning;
    properties[key.name] = std::move(property);
    required.push_back(key.name);
  }
  properties[std::string(kNameKey)] = {{"type", "string"},
                                       {"pattern", "^[A-Za-z0-9_-]+$"},
                                       {"description", "name in results; the verb if left out"}};
  properties[std::string(kAfterKey)] = {
      {"description", "flows that must have ended before this one starts"},
      {"oneOf", {{{"type", "string"}}, {{"type", "array"}, {"items", {{"type", "string"}}}}}}};
  const std::string name(verb_name(verb));
  return {{"type", "object"},
          {"description", std::string(verb_summary(verb))},
          {"required", {name}},
          {"additionalProperties", false},
          {"properties",
           {{name,
             {{"type", "object"},
              {"properties", std::move(properties)},
              {"required", std::move(required)},
              {"additionalProperties", false}}}}}};
}

}  // namespace

json scenario_schema() {
  json properties = config::json_schema(scenario_table());
  properties["peerfab"] = {{"const", 1}, {"description", "version of the format"}};
  properties["name"] = {{"type", "string"}, {"description", "title; the file's name if left out"}};
  properties["topology"] = {{"type", "string"},
                            {"description", "topology file, relative to this one"}};
  json required_event_keys = required_link_event_keys();
  properties["link_events"] = {
      {"type", "array"},
      {"description", "what happens to links: retraining, other speeds, errors, going down"},
      {"items",
       {{"type", "object"},
        {"properties", config::json_schema(link_event_table())},
        {"required", std::move(required_event_keys)},
        {"additionalProperties", false}}}};
  json steps = json::array();
  for (const Verb verb : all_verbs()) steps.push_back(step_schema(verb));
  properties["do"] = {{"type", "array"},
                      {"minItems", 1},
                      {"description", "what moves"},
                      {"items", {{"oneOf", std::move(steps)}}}};
  properties["compare"] = {
      {"type", "object"},
      {"description",
       "variants to run beside each other, each a map of changes: <flow>.<key>, "
       "<component>.<parameter>, or topology"},
      {"minProperties", 1},
      {"additionalProperties", {{"type", {"object", "null"}}}}};
  properties["expect"] = {
      {"type", "array"},
      {"description", "lines such as 'p2p.copy.bandwidth within 4% of 53.5GB/s'"},
      {"items", {{"type", "string"}}}};
  return config::document_schema("Peerfab scenario",
                                 "What moves over a topology, and what is expected of it.",
                                 properties, {"peerfab", "topology", "do"});
}

}  // namespace peerfab::scenario
