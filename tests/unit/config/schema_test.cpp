// SPDX-License-Identifier: Apache-2.0
#include "sim/config/schema.h"

#include <regex>

#include "tests/support/catch.h"

using namespace peerfab::config;
using nlohmann::json;

namespace {

bool matches(const json& schema, const std::string& text) {
  return std::regex_search(text, std::regex(schema.at("pattern").get<std::string>()));
}

ParameterTable table() {
  return ParameterTable({{"hairpin", Quantity::kFlag, "false", "Turns back", "", "", {}},
                         {"ports", Quantity::kInteger, "4", "Ports", "1", "32", {}},
                         {"latency", Quantity::kTime, "105ns", "Through", "1ns", "", {}},
                         {"p2p", Quantity::kChoice, "full", "Policy", "", "", {"full", "none"}}});
}

}  // namespace

TEST_CASE("patterns take what the parser takes and no bare number", "[schema]") {
  const json time = quantity_schema(Quantity::kTime);
  for (const char* good : {"105ns", "0.6us", "5 ms", "0ps", "1s"}) CHECK(matches(time, good));
  for (const char* bad : {"105", "ns", "-5ns", "5  ns", "5GB", ".5ns", "5.ns", "5nsx"}) {
    CHECK_FALSE(matches(time, bad));
  }
  CHECK(matches(quantity_schema(Quantity::kSize), "1GiB"));
  CHECK_FALSE(matches(quantity_schema(Quantity::kSize), "1GB/s"));
  CHECK(matches(quantity_schema(Quantity::kBandwidth), "53.5GB/s"));
  CHECK_FALSE(matches(quantity_schema(Quantity::kBandwidth), "53.5GB"));
}

TEST_CASE("flags, integers and links have types of their own", "[schema]") {
  CHECK(quantity_schema(Quantity::kFlag).at("type") == "boolean");
  CHECK(quantity_schema(Quantity::kInteger).at("type") == "integer");
  CHECK(quantity_schema(Quantity::kText).at("type") == "string");
  const json links = quantity_schema(Quantity::kLink).at("enum");
  CHECK(links.size() == 30);
  CHECK(links.front() == "gen1 x1");
  CHECK(links.back() == "gen6 x16");
}

TEST_CASE("a parameter brings its meaning, default, range and choices", "[schema]") {
  const json schema = json_schema(table());
  CHECK(schema.size() == 4);
  CHECK(schema.at("hairpin").at("default") == false);
  CHECK(schema.at("ports").at("default") == 4);
  CHECK(schema.at("ports").at("minimum") == 1);
  CHECK(schema.at("ports").at("maximum") == 32);
  CHECK(schema.at("ports").at("description") == "Ports (1 to 32)");
  CHECK(schema.at("latency").at("default") == "105ns");
  CHECK(schema.at("latency").at("description") == "Through (at least 1ns)");
  CHECK(schema.at("p2p").at("enum") == json({"full", "none"}));
}

TEST_CASE("the kind of a map decides its further keys", "[schema]") {
  const ParameterTable first = table();
  const ParameterTable second({{"size", Quantity::kSize, "1GiB", "Size", "", "", {}}});
  const json schema = variants_schema(
      "model", {{"switch", "A switch", &first, {"pex"}}, {"memory", "M", &second, {}}},
      {{"at", {{"type", "string"}}}}, {"at"});
  CHECK(schema.at("required") == json({"at"}));
  CHECK(schema.at("properties").at("model").at("enum") == json({"switch", "memory"}));
  REQUIRE(schema.at("allOf").size() == 2);
  const json& then = schema.at("allOf")[0].at("then");
  CHECK(then.at("additionalProperties") == false);
  CHECK(then.at("properties").contains("latency"));
  CHECK(then.at("properties").contains("at"));
  CHECK_FALSE(then.at("properties").contains("size"));
  // A preset alone implies its model.
  CHECK(schema.at("allOf")[0].at("if").at("anyOf")[1].at("properties").at("preset").at("enum") ==
        json({"pex"}));
}

TEST_CASE("a document allows only its own keys", "[schema]") {
  const json schema = document_schema("Topology", "What is wired to what",
                                      {{"name", {{"type", "string"}}}}, {"name"});
  CHECK(schema.at("$schema") == "http://json-schema.org/draft-07/schema#");
  CHECK(schema.at("title") == "Topology");
  CHECK(schema.at("additionalProperties") == false);
  CHECK(schema.at("required") == json({"name"}));
}
