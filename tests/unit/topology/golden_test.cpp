// SPDX-License-Identifier: Apache-2.0
// Every check has an example that breaks it, and the message is the one in the golden file.
#include <algorithm>
#include <filesystem>

#include "sim/topology/checks.h"
#include "tests/support/catch.h"
#include "tests/unit/topology/lab.h"

namespace peerfab::topology {
namespace {

std::vector<std::string> bad_examples() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(lab::golden_path(""))) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".yaml" && name.find("_bad.") != std::string::npos) {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("bad topologies give their golden messages", "[topology][golden]") {
  const std::vector<std::string> examples = bad_examples();
  REQUIRE(examples.size() > 30);
  std::filesystem::current_path(lab::golden_path(""));  // messages name files without a folder
  for (const std::string& example : examples) {
    const lab::Outcome outcome = lab::load(example + ".yaml");
    const std::string text = outcome.rendered();
    INFO(example << ":\n" << text);
    CHECK(lab::matches_golden(lab::golden_path(example + ".err"), text));
    CHECK(outcome.topology.has_value() == !outcome.diagnostics.has_errors());
  }
}

TEST_CASE("every check has a bad example of its own", "[topology][golden]") {
  for (const Check& check : checks()) {
    const std::string name(check.info.name);
    const std::string text = lab::read_file(lab::golden_path(name + "_bad.err"));
    INFO(name << ":\n" << text);
    // Two checks only call parsers of sim/config, whose findings have names of their own.
    if (name == "parameters" || name == "link") {
      CHECK_FALSE(text.empty());
      continue;
    }
    CHECK(text.find(std::string(severity_name(check.info.severity)) + "[" + name + "]") !=
          std::string::npos);
  }
}

TEST_CASE("the documentation names every check", "[topology]") {
  const std::string page = lab::read_file(PEERFAB_SOURCE_DIR "/docs/writing-topologies.md");
  for (const Check& check : checks()) {
    INFO(check.info.name);
    CHECK(page.find("`" + std::string(check.info.name) + "`") != std::string::npos);
  }
}

TEST_CASE("checks run after their prerequisites", "[topology]") {
  std::vector<std::string_view> before;
  for (const Check& check : checks()) {
    INFO(check.info.name);
    CHECK_FALSE(check.info.meaning.empty());
    for (const std::string_view prerequisite : check.info.prerequisites) {
      CHECK(std::find(before.begin(), before.end(), prerequisite) != before.end());
    }
    CHECK(std::find(before.begin(), before.end(), check.info.name) == before.end());
    before.push_back(check.info.name);
  }
}

}  // namespace peerfab::topology
