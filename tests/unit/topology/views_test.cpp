// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/views.h"

#include "tests/support/catch.h"
#include "tests/unit/topology/lab.h"

namespace peerfab::topology {
namespace {

Topology load_view(const std::string& name) {
  lab::Outcome outcome = lab::load(lab::golden_path("views/" + name + ".yaml"));
  INFO(outcome.rendered());
  REQUIRE(outcome.topology);
  return *std::move(outcome.topology);
}

void check_view(const std::string& file, const std::string& text) {
  INFO(file << ":\n" << text);
  CHECK(lab::matches_golden(lab::golden_path("views/" + file), text));
  CHECK(text.back() == '\n');
}

}  // namespace

TEST_CASE("the views of a topology are golden", "[topology][golden]") {
  for (const std::string name : {"one-switch", "everything"}) {
    const Topology topology = load_view(name);
    check_view(name + ".tree", tree_view(topology));
    check_view(name + ".matrix", matrix_view(topology));
    check_view(name + ".dot", to_dot(topology));
    check_view(name + ".json", to_json(topology).dump(2) + "\n");
  }
}

TEST_CASE("a topology without endpoints has an empty matrix", "[topology]") {
  const Topology topology = lab::must_parse("peerfab: 1\nsockets: {cpu0: {}}\n");
  CHECK(matrix_view(topology) == "no endpoints\n");
  CHECK(tree_view(topology) == "test\ncpu0  root-complex\n");
}

TEST_CASE("views escape what a title may hold", "[topology]") {
  const Topology topology =
      lab::must_parse("peerfab: 1\nname: 'a \"b\" \\ c'\nsockets: {cpu0: {}}\n");
  CHECK(to_dot(topology).find(R"("a \"b\" \\ c")") != std::string::npos);
  CHECK(to_json(topology)["name"] == "a \"b\" \\ c");
}

}  // namespace peerfab::topology
