// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/schema.h"

#include "sim/topology/draft.h"
#include "tests/support/catch.h"
#include "tests/unit/topology/lab.h"

namespace peerfab::topology {
namespace {

nlohmann::json lab_schema() { return topology_schema(lab::registry(), lab::presets()); }

}  // namespace

TEST_CASE("the schema knows the keys of a topology and no others", "[topology][schema]") {
  const nlohmann::json schema = lab_schema();
  CHECK(schema["additionalProperties"] == false);
  for (const char* key : {"peerfab", "name", "presets", "sockets", "devices", "wires"}) {
    INFO(key);
    CHECK(schema["properties"].contains(key));
    CHECK(schema["properties"][key].contains("description"));
  }
  CHECK(schema["properties"].size() == 6);
  CHECK(schema["properties"]["sockets"]["maxProperties"] == kMaxSockets);
}

TEST_CASE("the schema offers models, presets and parameters", "[topology][schema]") {
  const nlohmann::json schema = lab_schema();
  const std::string devices = schema["properties"]["devices"].dump();
  for (const char* word : {"\"switch\"", "\"gpu\"", "\"memory\"", "\"lab-switch\"", "\"lab-gpu\"",
                           "\"bar1\"", "\"lanes\"", "\"at\"", "\"port\"", "\"link\""}) {
    INFO(word);
    CHECK(devices.find(word) != std::string::npos);
  }
  CHECK(devices.find("lab-host") == std::string::npos);
  const nlohmann::json& socket =
      schema["properties"]["sockets"]["additionalProperties"]["properties"];
  CHECK(socket.contains("root_ports"));
  CHECK(socket.contains("preset"));
  CHECK_FALSE(socket.contains("at"));
  CHECK(schema["properties"]["wires"].dump().find("\"latency\"") != std::string::npos);
}

}  // namespace peerfab::topology
