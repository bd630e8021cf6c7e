// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/views.h"

namespace peerfab::topology {
namespace {

using Json = nlohmann::ordered_json;

Json values_json(const config::ParameterValues& values) {
  Json json = Json::object();
  for (const std::string& name : values.names()) json[name] = values.formatted(name);
  return json;
}

Json component_json(const Component& component) {
  Json json;
  json["name"] = component.name;
  json["model"] = component.model->kind;
  json["preset"] = component.preset.empty() ? Json() : Json(component.preset);
  json["socket"] = component.is_socket;
  json["parameters"] = values_json(component.values);
  return json;
}

Json link_json(const Topology& topology, const PcieLink& link) {
  Json json;
  json["name"] = link.name;
  json["upper"] = topology.components[link.upper].name;
  json["port"] = link.upper_port;
  json["lower"] = topology.components[link.lower].name;
  json["generation"] = link.negotiated.generation;
  json["width"] = link.negotiated.width;
  json["requested"] = config::format_link(link.requested);
  json["upper_max"] = config::format_link(link.upper_max);
  json["lower_max"] = config::format_link(link.lower_max);
  return json;
}

Json wire_json(const Topology& topology, const Wire& wire) {
  Json json;
  json["name"] = wire.name;
  json["kind"] = wire.kind;
  json["preset"] = wire.preset.empty() ? Json() : Json(wire.preset);
  json["between"] = {topology.components[wire.a].name, topology.components[wire.b].name};
  json["parameters"] = values_json(wire.values);
  return json;
}

}  // namespace

Json to_json(const Topology& topology) {
  Json json;
  json["peerfab"] = 1;
  json["name"] = topology.name;
  json["components"] = Json::array();
  for (const Component& component : topology.components) {
    json["components"].push_back(component_json(component));
  }
  json["links"] = Json::array();
  for (const PcieLink& link : topology.links) json["links"].push_back(link_json(topology, link));
  json["wires"] = Json::array();
  for (const Wire& wire : topology.wires) json["wires"].push_back(wire_json(topology, wire));
  return json;
}

}  // namespace peerfab::topology
