// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/flow_keys.h"

#include <set>

#include "sim/scenario/schema.h"
#include "tests/support/catch.h"

namespace peerfab::scenario::test {

TEST_CASE("the tables of scenarios have no problems and no key twice") {
  CHECK(config::ParameterTable::problems(scenario_table().all()).empty());
  for (const Verb verb : all_verbs()) {
    CHECK(config::ParameterTable::problems(flow_table(verb).all()).empty());
    const auto names = flow_key_names(verb);
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
    CHECK_FALSE(verb_summary(verb).empty());
  }
}

TEST_CASE("the schema knows every key of every step") {
  const auto schema = scenario_schema();
  const auto& steps = schema.at("properties").at("do").at("items").at("oneOf");
  REQUIRE(steps.size() == all_verbs().size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Verb verb = all_verbs()[i];
    const auto& body = steps[i].at("properties").at(std::string(verb_name(verb)));
    for (const std::string& key : flow_key_names(verb)) {
      INFO(key);
      CHECK(body.at("properties").contains(key));
      if (key == kAfterKey) continue;
      CHECK_FALSE(body.at("properties").at(key).at("description").get<std::string>().empty());
    }
    CHECK(body.at("properties").size() == flow_key_names(verb).size());
    CHECK(body.at("required").size() == required_flow_keys().size());
  }
  for (const auto& parameter : scenario_table().all()) {
    CHECK(schema.at("properties").contains(parameter.name));
  }
}

}  // namespace peerfab::scenario::test
