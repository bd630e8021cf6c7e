// SPDX-License-Identifier: Apache-2.0
#include "sim/config/parameters.h"

#include "tests/support/catch.h"
#include "tests/unit/config/support.h"

using namespace peerfab;
using namespace peerfab::config;
using namespace peerfab::config::test;

namespace {

std::vector<Parameter> declarations() {
  return {
      {"hairpin", Quantity::kFlag, "false", "Turns back on its port", "", "", {}},
      {"ports", Quantity::kInteger, "4", "Number of ports", "1", "32", {}},
      {"latency", Quantity::kTime, "105ns", "Through the part", "1ns", "1us", {}},
      {"bar1", Quantity::kSize, "256MiB", "Aperture", "1MiB", "", {}},
      {"hbm", Quantity::kBandwidth, "4.8TB/s", "Memory", "", "10TB/s", {}},
      {"label", Quantity::kText, "", "Free text", "", "", {}},
      {"p2p", Quantity::kChoice, "full", "Policy", "", "", {"full", "posted-only"}},
      {"max_link", Quantity::kLink, "gen5 x16", "Fastest link", "", "", {}},
  };
}

ParameterTable table() { return ParameterTable(declarations()); }

std::string problem_of(const Parameter& parameter) {
  const std::vector<std::string> problems = ParameterTable::problems({parameter});
  return problems.empty() ? "" : problems.front();
}

std::optional<ParameterValues> bound(const std::string& yaml, Diagnostics& diagnostics) {
  const Node map = parsed(yaml);
  return config::bind(table(), nullptr, &map, {"model", "at"}, diagnostics);
}

std::string bind_findings(const std::string& yaml) {
  Diagnostics diagnostics;
  const bool accepted = bound(yaml, diagnostics).has_value();
  if (accepted == diagnostics.has_errors()) return "result and findings contradict each other";
  return findings(diagnostics);
}

}  // namespace

TEST_CASE("without anything given, values are the defaults", "[parameters]") {
  Diagnostics diagnostics;
  const auto values = config::bind(table(), nullptr, nullptr, {}, diagnostics);
  REQUIRE(values);
  CHECK_FALSE(values->flag("hairpin"));
  CHECK(values->integer("ports") == 4);
  CHECK(values->time("latency") == Picoseconds(105'000));
  CHECK(values->size("bar1") == Bytes(256ULL << 20));
  CHECK(values->bandwidth("hbm") == Bandwidth(4'800'000'000'000));
  CHECK(values->text("label").empty());
  CHECK(values->text("p2p") == "full");
  CHECK(values->link("max_link") == LinkSpeed{5, 16});
  CHECK(values->source("latency") == "default of the model");
  CHECK_FALSE(values->where("latency").known());
  CHECK(values->names() == table().names());
}

TEST_CASE("a topology's values replace the defaults and know their place", "[parameters]") {
  Diagnostics diagnostics;
  const auto values = bound(
      "{model: x, at: y, hairpin: true, ports: 32, latency: 1ns, bar1: 1MiB,"
      " hbm: 10TB/s, label: 'a b', p2p: posted-only, max_link: gen4 x8}",
      diagnostics);
  REQUIRE(values);
  CHECK(values->flag("hairpin"));
  CHECK(values->integer("ports") == 32);
  CHECK(values->time("latency") == Picoseconds(1000));
  CHECK(values->text("label") == "a b");
  CHECK(values->text("p2p") == "posted-only");
  CHECK(values->link("max_link") == LinkSpeed{4, 8});
  CHECK(values->source("hairpin") == "t.yaml");
  CHECK(place(values->where("hairpin")) == "1:28+4");
  CHECK(values->where("hairpin").path == "hairpin");
}

TEST_CASE("values print as a person would write them", "[parameters]") {
  const ParameterValues values(table());
  CHECK(values.formatted("hairpin") == "false");
  CHECK(values.formatted("ports") == "4");
  CHECK(values.formatted("latency") == "105ns");
  CHECK(values.formatted("bar1") == "256MiB");
  CHECK(values.formatted("hbm") == "4.8TB/s");
  CHECK(values.formatted("p2p") == "full");
  CHECK(values.formatted("max_link") == "gen5 x16");
}

TEST_CASE("both ends of a range are inside", "[parameters]") {
  CHECK(bind_findings("ports: 1").empty());
  CHECK(bind_findings("ports: 0") == "out-of-range@1:8+1");
  CHECK(bind_findings("ports: -1") == "out-of-range@1:8+2");
  CHECK(bind_findings("ports: 32").empty());
  CHECK(bind_findings("ports: 33") == "out-of-range@1:8+2");
  CHECK(bind_findings("latency: 1ns").empty());
  CHECK(bind_findings("latency: 999ps") == "out-of-range@1:10+5");
  CHECK(bind_findings("latency: 1us").empty());
  CHECK(bind_findings("latency: 1000.001ns") == "out-of-range@1:10+10");
  CHECK(bind_findings("bar1: 1MiB").empty());
  CHECK(bind_findings("bar1: 1048575B") == "out-of-range@1:7+8");
  CHECK(bind_findings("hbm: 10TB/s").empty());
  CHECK(bind_findings("hbm: 10.001TB/s") == "out-of-range@1:6+10");
}

TEST_CASE("unknown keys and choices suggest the nearest", "[parameters]") {
  Diagnostics diagnostics;
  CHECK_FALSE(bound("{latncy: 5ns, modle: x, p2p: posted, zzz: 1}", diagnostics));
  REQUIRE(diagnostics.all().size() == 4);
  CHECK(findings(diagnostics) ==
        "unknown-key@1:2+6 unknown-key@1:15+5 unknown-choice@1:30+6 unknown-key@1:38+3");
  CHECK(diagnostics.all()[0].hint == "did you mean 'latency'?");
  CHECK(diagnostics.all()[1].hint == "did you mean 'model'?");
  CHECK(diagnostics.all()[2].hint == "one of full or posted-only");
  CHECK(diagnostics.all()[3].hint.empty());
}

TEST_CASE("all findings of a map are reported", "[parameters]") {
  CHECK(bind_findings(
            "latency: 5\nports: x\nbar1: 5ns\nhairpin: yes\nmax_link: gen9 x1\nlabel: []") ==
        "missing-unit@1:10+1 not-a-number@2:8+1 wrong-unit@3:7+3 not-a-flag@4:10+3 "
        "out-of-range@5:11+7 wrong-type@6:8+1");
}

TEST_CASE("only a map can give parameters", "[parameters]") {
  CHECK(bind_findings("[latency, 5ns]") == "wrong-type@1:1+1");
  CHECK(bind_findings("text") == "wrong-type@1:1+4");
  CHECK(bind_findings("~").empty());
}

TEST_CASE("a table without problems has none", "[parameters]") {
  CHECK(ParameterTable::problems(declarations()).empty());
  CHECK(table().find("bar1")->quantity == Quantity::kSize);
  CHECK(table().find("bar2") == nullptr);
}

TEST_CASE("mistakes in a table are found", "[parameters]") {
  CHECK(problem_of({"", Quantity::kFlag, "true", "m", "", "", {}}) == "parameter '' has no name");
  CHECK(problem_of({"x", Quantity::kFlag, "true", "", "", "", {}}) ==
        "parameter 'x' has no meaning");
  CHECK(problem_of({"x", Quantity::kTime, "5", "m", "", "", {}}) ==
        "parameter 'x' has a bad default: '5' has no unit");
  CHECK(problem_of({"x", Quantity::kTime, "", "m", "", "", {}}) ==
        "parameter 'x' has a bad default: '' is not a time");
  CHECK(problem_of({"x", Quantity::kInteger, "0", "m", "1", "", {}}) ==
        "parameter 'x' has a bad default: '0' is too small for 'x'");
  CHECK(problem_of({"x", Quantity::kInteger, "3", "m", "", "2", {}}) ==
        "parameter 'x' has a bad default: '3' is too large for 'x'");
  CHECK(problem_of({"x", Quantity::kInteger, "3", "m", "5", "2", {}}) ==
        "parameter 'x' has a minimum above its maximum");
  CHECK(problem_of({"x", Quantity::kSize, "3B", "m", "1", "", {}}) ==
        "parameter 'x' has a bad limit: '1' has no unit");
  CHECK(problem_of({"x", Quantity::kFlag, "true", "m", "false", "", {}}) ==
        "parameter 'x' cannot have a range");
  CHECK(problem_of({"x", Quantity::kChoice, "a", "m", "", "", {}}) ==
        "parameter 'x' must have choices exactly if it is a choice");
  CHECK(problem_of({"x", Quantity::kText, "a", "m", "", "", {"a"}}) ==
        "parameter 'x' must have choices exactly if it is a choice");
  CHECK(problem_of({"x", Quantity::kChoice, "c", "m", "", "", {"a", "b"}}) ==
        "parameter 'x' has a bad default: 'c' is no choice of 'x'");
  const Parameter good{"x", Quantity::kFlag, "true", "m", "", "", {}};
  CHECK(ParameterTable::problems({good, good}) ==
        std::vector<std::string>{"parameter 'x' is declared twice"});
}

TEST_CASE("values can be set for a test or a default that depends on another", "[parameters]") {
  ParameterValues values(table());
  values.set("ports", std::int64_t{8}, {}, "derived");
  CHECK(values.integer("ports") == 8);
  CHECK(values.source("ports") == "derived");
}
