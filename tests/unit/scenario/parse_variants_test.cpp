// SPDX-License-Identifier: Apache-2.0
// compare: and expect: as parts of a scenario.
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/scenario/parsing.h"

namespace peerfab::scenario::test {

namespace {

Parsed with_tail(const std::string& tail) {
  return parse(with_steps("  - copy: {from: gpu0, to: gpu1, size: 1GiB}\n") + tail);
}

}  // namespace

TEST_CASE("variants change keys of flows and keep the rest") {
  const Parsed parsed = with_tail(
      "compare:\n  p2p: {copy.via: p2p}\n  bounce:\n    copy.via: host\n"
      "    copy.size: 2MiB\n  plain:\n");
  INFO(parsed.rendered());
  REQUIRE(parsed.scenario);
  const auto& variants = parsed.scenario->variants;
  REQUIRE(variants.size() == 3);
  CHECK(variants[0].name == "p2p");
  CHECK(variants[0].flows[0].via == Via::kP2p);
  CHECK(variants[0].flows[0].size == Bytes(1U << 30));
  CHECK(variants[1].flows[0].via == Via::kHost);
  CHECK(variants[1].flows[0].size == Bytes(2U << 20));
  CHECK(variants[1].flows[0].chunk == Bytes(2U << 20));
  CHECK(variants[2].flows[0].via == Via::kAuto);
  CHECK(parsed.scenario->flows[0].via == Via::kAuto);
}

TEST_CASE("variants change the topology or parameters of its components") {
  const Parsed parsed =
      with_tail("compare:\n  small: {gpu1.bar1: 256MiB}\n  other: {topology: other.yaml}\n");
  INFO(parsed.rendered());
  REQUIRE(parsed.scenario);
  const auto& variants = parsed.scenario->variants;
  REQUIRE(variants[0].topology_overrides.size() == 1);
  CHECK(variants[0].topology_overrides[0].component == "gpu1");
  CHECK(variants[0].topology_overrides[0].parameter == "bar1");
  CHECK(variants[0].topology_overrides[0].value == "256MiB");
  CHECK(variants[0].topology_overrides[0].component_where.column == 11);
  CHECK(variants[0].topology_overrides[0].parameter_where.column == 16);
  CHECK(variants[0].topology == "s/t.yaml");
  CHECK(variants[1].topology == "s/other.yaml");
}

TEST_CASE("bad variants are errors at the right place") {
  CHECK(with_tail("compare: {}\n").only_finding() == "bad-variant at 5:10");
  CHECK(with_tail("compare: [a]\n").only_finding() == "bad-variant at 5:10");
  CHECK(with_tail("compare: {\"a b\": {}}\n").only_finding() == "bad-name at 5:11");
  CHECK(with_tail("compare: {a: 3}\n").only_finding() == "bad-variant at 5:14");
  CHECK(with_tail("compare: {a: {copy: p2p}}\n").only_finding() == "bad-variant at 5:15");
  CHECK(with_tail("compare: {a: {copy.vai: p2p}}\n").only_finding() == "unknown-key at 5:20");
  CHECK(with_tail("compare: {a: {copy.name: x}}\n").only_finding() == "unknown-key at 5:20");
  CHECK(with_tail("compare: {a: {copy.via: bus}}\n").diagnostics.all()[0].where.column == 25);
  CHECK(with_tail("compare: {a: {copy.after: copy}}\n").only_finding() == "circular-order at 5:27");
  CHECK(with_tail("compare: {a: {gpu0.bar1: [1]}}\n").only_finding() == "bad-variant at 5:26");
}

TEST_CASE("a variant's values are checked together with what it keeps") {
  CHECK(with_tail("compare: {a: {copy.row: 8MiB}}\n").only_finding() == "row-above-chunk at 5:25");
}

TEST_CASE("the product of variants and flows is bounded") {
  std::string text = "peerfab: 1\ntopology: t.yaml\ndo:\n";
  for (int i = 0; i < 1001; ++i) text += "  - copy: {from: a, to: b, size: 1B}\n";
  text += "compare:\n";
  for (int i = 0; i < 100; ++i) text += "  v" + std::to_string(i) + ":\n";
  CHECK(parse(text).only_finding() == "too-many at 1005:1");
}

TEST_CASE("expectations belong to variants; without compare the name may be left out") {
  const Parsed plain =
      with_tail("expect:\n  - copy.bandwidth at least 50GB/s\n  - run.copy.time at most 1s\n");
  INFO(plain.rendered());
  REQUIRE(plain.scenario);
  CHECK(plain.scenario->expectations[0].subject.variant == "run");
  CHECK(plain.scenario->expectations[1].subject.variant == "run");
  const Parsed compared = with_tail(
      "compare: {p2p: {copy.via: p2p}}\nexpect:\n  - p2p.copy.bandwidth at least 50GB/s\n");
  REQUIRE(compared.scenario);
  CHECK(compared.scenario->expectations[0].subject.variant == "p2p");
}

TEST_CASE("expect is a list of lines") {
  CHECK(with_tail("expect: copy.time at most 1s\n").only_finding() == "bad-expectation at 5:9");
  CHECK(with_tail("expect:\n  - {a: b}\n").only_finding() == "bad-expectation at 6:5");
  CHECK(with_tail("expect:\n").scenario);
  CHECK(with_tail("expect: []\n").scenario);
}

}  // namespace peerfab::scenario::test
