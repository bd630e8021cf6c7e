// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/parse.h"

#include "tests/support/catch.h"
#include "tests/unit/scenario/parsing.h"

namespace peerfab::scenario::test {

namespace {

const char* const kCopy = "  - copy: {from: gpu0, to: gpu1, size: 1GiB}\n";

}  // namespace

TEST_CASE("a minimal scenario gets every default") {
  const Parsed parsed = parse(with_steps(kCopy));
  INFO(parsed.rendered());
  REQUIRE(parsed.scenario);
  CHECK(parsed.scenario->name == "scenario");
  CHECK(parsed.scenario->file == "s/scenario.yaml");
  CHECK(parsed.scenario->topology == "s/t.yaml");
  CHECK(parsed.scenario->seed == 1);
  CHECK(parsed.scenario->payload == Payload::kNone);
  CHECK(parsed.scenario->warm_up == Picoseconds(0));
  CHECK(parsed.scenario->time_limit == Picoseconds::max());
  CHECK(parsed.scenario->watchdog == Picoseconds(50'000'000'000));
  REQUIRE(parsed.scenario->flows.size() == 1);
  REQUIRE(parsed.scenario->variants.size() == 1);
  CHECK(parsed.scenario->variants[0].name == "run");
  CHECK(parsed.scenario->variants[0].topology == "s/t.yaml");
  REQUIRE(parsed.scenario->variants[0].flows.size() == 1);
  CHECK(parsed.scenario->expectations.empty());
}

TEST_CASE("the head of a scenario is read") {
  const Parsed parsed = parse(
      "peerfab: 1\nname: My run\ntopology: t.yaml\nseed: 7\npayload: real\nwarm_up: 10us\n"
      "time_limit: 1ms\nwatchdog: 0s\ndo:\n" +
      std::string(kCopy));
  INFO(parsed.rendered());
  REQUIRE(parsed.scenario);
  CHECK(parsed.scenario->name == "My run");
  CHECK(parsed.scenario->seed == 7);
  CHECK(parsed.scenario->payload == Payload::kReal);
  CHECK(parsed.scenario->warm_up == Picoseconds(10'000'000));
  CHECK(parsed.scenario->time_limit == Picoseconds(1'000'000'000));
  CHECK(parsed.scenario->watchdog == Picoseconds());
}

TEST_CASE("a path that needs no way up is tidied only when it is the same file") {
  const Parsed parsed = parse("peerfab: 1\ntopology: ../t.yaml\ndo:\n" + std::string(kCopy));
  REQUIRE(parsed.scenario);
  // Neither exists, so nobody can say that they are the same.
  CHECK(parsed.scenario->topology == "s/../t.yaml");
}

TEST_CASE("what is missing is named") {
  CHECK(parse("topology: t.yaml\ndo:\n" + std::string(kCopy)).only_finding() ==
        "missing-key at 0:0");
  CHECK(parse("peerfab: 1\ndo:\n" + std::string(kCopy)).only_finding() == "missing-key at 0:0");
  CHECK(parse("peerfab: 1\ntopology: t.yaml\n").only_finding() == "missing-key at 0:0");
  CHECK(parse("peerfab: 1\ntopology: t.yaml\ndo: []\n").only_finding() == "bad-step at 3:5");
  CHECK(parse("peerfab: 1\ntopology: t.yaml\ndo:\n").only_finding() == "missing-key at 3:1");
  CHECK(parse("peerfab: 1\ntopology: t.yaml\ndo: {copy: 1}\n").only_finding() == "bad-step at 3:5");
  CHECK_FALSE(parse("").scenario);
  CHECK_FALSE(parse("- a\n- b\n").scenario);
  CHECK_FALSE(parse("just text\n").scenario);
}

TEST_CASE("the version of the format must be one that is known") {
  CHECK(parse("peerfab: 2\ntopology: t.yaml\ndo:\n" + std::string(kCopy)).only_finding() ==
        "unknown-version at 1:10");
  CHECK_FALSE(parse("peerfab: one\ntopology: t.yaml\ndo:\n" + std::string(kCopy)).scenario);
}

TEST_CASE("unknown keys of a scenario suggest the nearest") {
  const Parsed parsed = parse(with_steps(kCopy) + "warmup: 3us\n");
  CHECK_FALSE(parsed.scenario);
  REQUIRE(parsed.diagnostics.all().size() == 1);
  CHECK(parsed.diagnostics.all()[0].hint.find("warm_up") != std::string::npos);
}

TEST_CASE("values of the head are checked") {
  CHECK_FALSE(parse(with_steps(kCopy) + "payload: some\n").scenario);
  CHECK_FALSE(parse(with_steps(kCopy) + "warm_up: 3\n").scenario);
  CHECK_FALSE(parse(with_steps(kCopy) + "seed: -1\n").scenario);
  CHECK_FALSE(parse(with_steps(kCopy) + "seed: 1.5\n").scenario);
  CHECK(parse(with_steps(kCopy) + "warm_up: 3us\ntime_limit: 3us\n").only_finding() ==
        "warm-up-too-long at 5:10");
}

TEST_CASE("a topology given as a scenario is told apart") {
  const Parsed parsed = parse("peerfab: 1\nsockets: {cpu0: {model: root-complex}}\n", "t.yaml");
  REQUIRE(parsed.diagnostics.all().size() == 1);
  CHECK(parsed.diagnostics.all()[0].hint == "look at it with: peerfab topo t.yaml");
}

TEST_CASE("steps are a verb with its keys") {
  CHECK(parse(with_steps("  - copy\n")).only_finding() == "bad-step at 4:5");
  CHECK(parse(with_steps("  - {copy: {}, flow: {}}\n")).only_finding() == "bad-step at 4:5");
  CHECK(parse(with_steps("  - cpoy: {from: a, to: b, size: 1B}\n")).only_finding() ==
        "unknown-step at 4:5");
  CHECK(parse(with_steps("  - copy: gpu0\n")).only_finding() == "bad-step at 4:11");
}

TEST_CASE("thousands of bad steps are reported within a second and not all printed") {
  std::string steps;
  for (int i = 0; i < 9000; ++i) steps += "  - copy: {form: a, to: b, size: 1B}\n";
  const Parsed parsed = parse(with_steps(steps));
  CHECK_FALSE(parsed.scenario);
  CHECK(parsed.diagnostics.error_count() > 100);
  CHECK(parsed.diagnostics.error_count() < 300);
}

TEST_CASE("more steps than anyone writes are refused") {
  std::string steps;
  for (int i = 0; i < 10'001; ++i) steps += "  - copy: {from: a, to: b, size: 1B}\n";
  CHECK(parse(with_steps(steps)).only_finding() == "too-many at 3:1");
}

}  // namespace peerfab::scenario::test
