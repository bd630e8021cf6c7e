// SPDX-License-Identifier: Apache-2.0
// Scenarios that lead nowhere, and what people read about them; and one that only looks so.
#include <sstream>
#include <string>

#include "models/register_all.h"
#include "sim/scenario/check.h"
#include "sim/scenario/parse.h"
#include "sim/scenario/runner.h"
#include "sim/scenario/workers.h"
#include "sim/topology/topology.h"
#include "tests/golden/deadlock/outside_card.h"
#include "tests/support/catch.h"
#include "tests/support/golden.h"

namespace peerfab::test {

namespace {

const std::string kFolder = PEERFAB_SOURCE_DIR "/tests/golden/deadlock/";

// The first variant of a scenario, in a process of its own.
scenario::VariantResult run(const std::string& name) {
  SourceTexts texts;
  Diagnostics findings;
  CardBases bases;
  device::ModelRegistry models;
  models::register_all_models(models);
  models.add(outside_card_model(bases));
  const auto read = scenario::load_scenario(kFolder + name + ".yaml", texts, findings);
  std::ostringstream rendered;
  if (read.has_value()) {
    const scenario::Variant& variant = read->variants.front();
    auto topology = topology::load_topology(variant.topology, models, {}, texts, findings);
    if (topology.has_value() && scenario::apply_overrides(variant, *topology, findings) &&
        scenario::check_variant(*read, variant, *topology, findings)) {
      scenario::WorkerOptions options;
      options.jobs = 1;
      return scenario::run_in_workers(
                 {variant},
                 [&](const scenario::Variant& which, scenario::RunHooks& hooks) {
                   return scenario::run_variant(*read, which, *topology, hooks);
                 },
                 options)
          .front();
    }
  }
  findings.render(rendered, texts);
  FAIL(rendered.str());
  return {};
}

void check_text(const std::string& name) {
  const std::string difference = golden_difference(kFolder + name + ".txt", run(name).error + "\n");
  INFO(difference);
  CHECK(difference.empty());
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a circle of posted credits is a deadlock", "[deadlock]") { check_text("forward"); }

TEST_CASE("writes that wait for reads behind writes are a deadlock", "[deadlock]") {
  check_text("read-partner");
}

TEST_CASE("polling that leads nowhere is a livelock", "[deadlock]") { check_text("poll-partner"); }

TEST_CASE("replays without end are a livelock", "[deadlock]") { check_text("bad-link"); }

TEST_CASE("a target that never answers is a dead end", "[deadlock]") {
  check_text("never-answers");
}

TEST_CASE("the time limit does not hide a deadlock beside other traffic", "[deadlock]") {
  const scenario::VariantResult result = run("partial-at-limit");
  INFO(result.error);
  CHECK(contains(result.error, "deadlock: "));
  CHECK_FALSE(contains(result.error, "'background'"));
  CHECK(result.time == Picoseconds(200'000'000));
}

TEST_CASE("the watchdog finds a deadlock beside other traffic", "[deadlock]") {
  const scenario::VariantResult result = run("partial");
  INFO(result.error);
  CHECK(contains(result.error, "deadlock: "));
  CHECK(contains(result.error, "'fill1'"));
  CHECK_FALSE(contains(result.error, "'background'"));
  CHECK(result.time <= Picoseconds(300'000'000));
  CHECK(result.flows.back().bytes.count() >= 90 * 64);
}

TEST_CASE("heavy congestion is neither deadlock nor livelock", "[deadlock]") {
  const scenario::VariantResult result = run("congested");
  CHECK(result.error == "");
  for (const scenario::FlowResult& flow : result.flows) {
    INFO(flow.name);
    CHECK(flow.finished);
  }
}

}  // namespace peerfab::test
