// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/result_json.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/unit/scenario/sample_results.h"

namespace peerfab::scenario::test {

using nlohmann::json;

namespace {

RunResult sample_run() {
  RunResult run;
  run.scenario = "p2p against bounce";
  run.scenario_file = "s.yaml";
  run.topology = "two GPUs";
  run.topology_file = "t.yaml";
  run.version = "0.1.0";
  run.seed = 7;
  run.payload = "none";
  run.variants = {sample_variant("p2p"), sample_variant("bounce", 1'000'000)};
  run.expectations = {{"p2p.copy.time is 1s", Outcome::kFailed, 2, 1, 1, Unit::kTime, "m"},
                      {"p2p.copy.bytes at least 1B", Outcome::kNotJudged, 0, 1,
                       std::numeric_limits<std::uint64_t>::max(), Unit::kSize, "m"}};
  run.wall_microseconds = 2'500'000;
  return run;
}

}  // namespace

TEST_CASE("a variant survives the way from the worker to the parent") {
  VariantResult variant = sample_variant("p2p");
  variant.monitors = {{"tag-reuse", "2.2.6.2", 1000, 2, {"what", "where"}},
                      {"ordering", "2.4.1", 2000, 0, {}}};
  variant.partial = true;
  variant.error = "line 1\n\"quoted\" \x01";
  variant.flows[1].finished = false;
  const std::string text = variant_to_json(variant);
  const auto back = variant_from_json(text);
  REQUIRE(back);
  CHECK(variant_to_json(*back) == text);
  CHECK(back->error == variant.error);
  REQUIRE(back->monitors.size() == 2);
  CHECK(back->monitors[0].findings == variant.monitors[0].findings);
  CHECK(back->partial);
  CHECK_FALSE(back->flows[1].finished);
  CHECK(back->flows[0].breakdown == variant.flows[0].breakdown);
  CHECK(back->host.wall_microseconds == 1'500'000);
}

TEST_CASE("utilisation survives in every millionth") {
  VariantResult variant = sample_variant("p2p");
  for (std::uint64_t ppm = 0; ppm <= 1'000'000; ppm += (ppm < 1000 ? 1 : 997)) {
    variant.links[0].utilisation_ppm = ppm;
    const auto back = variant_from_json(variant_to_json(variant));
    REQUIRE(back);
    REQUIRE(back->links[0].utilisation_ppm == ppm);
  }
}

TEST_CASE("what is no variant is refused without an exception") {
  const std::string text = variant_to_json(sample_variant("p2p"));
  CHECK_FALSE(variant_from_json(""));
  CHECK_FALSE(variant_from_json("{}"));
  CHECK_FALSE(variant_from_json("[1, 2"));
  CHECK_FALSE(variant_from_json(text.substr(0, text.size() / 2)));
}

TEST_CASE("the document has the keys that other programs rely on") {
  const json document = json::parse(result_to_json(sample_run()));
  CHECK(document.at("schema_version") == 1);
  CHECK(document.at("seed") == 7);
  CHECK(document.at("variants").size() == 2);
  CHECK_FALSE(document.at("variants")[0].contains("monitors"));
  const json& flow = document.at("variants")[0].at("flows")[0];
  CHECK(flow.at("name") == "copy");
  CHECK(flow.at("bytes") == 1001);
  CHECK(flow.at("time_ps") == 1002);
  CHECK(flow.at("bandwidth_bytes_per_s") == 1003);
  CHECK(flow.at("latency_ps").at("p50") == 1007);
  CHECK(flow.at("latency_ps").at("p99") == 1008);
  CHECK(flow.at("latency_ps").at("max") == 1009);
  CHECK(flow.at("breakdown_ps").at("serialisation") == 1200);
  CHECK(flow.at("breakdown_total_ps").at("device") == 1109);
  std::uint64_t total = 0;
  for (const auto& segment : flow.at("breakdown_total_ps")) total += segment.get<std::uint64_t>();
  CHECK(flow.at("latency_ps").at("total") == total);
  const json& link = document.at("variants")[0].at("links")[1];
  CHECK(link.at("name") == "cpu0-sw0");
  CHECK(link.at("direction") == "down");
  CHECK(link.at("payload_bytes") == 21'001);
  CHECK(link.at("tlp_bytes") == 21'002);
  CHECK(link.at("dllp_bytes") == 21'003);
  CHECK(link.at("utilisation") == 0.021005);
  CHECK(document.at("host").at("variants")[1].at("name") == "bounce");
  CHECK(document.at("variants")[0].at("error").is_null());
  CHECK(document.at("expectations")[0].at("measured") == 2);
  CHECK(document.at("expectations")[1].at("measured").is_null());
  CHECK(document.at("expectations")[1].at("high").is_null());
}

TEST_CASE("only the host section knows about the host") {
  RunResult run = sample_run();
  json before = json::parse(result_to_json(run));
  run.wall_microseconds = 1;
  for (VariantResult& variant : run.variants) variant.host = HostStats();
  json after = json::parse(result_to_json(run));
  CHECK(before != after);
  before.erase("host");
  after.erase("host");
  CHECK(before == after);
}

TEST_CASE("a decimal is written shortly and text that is not UTF-8 does not throw") {
  RunResult run = sample_run();
  run.scenario_file = "caf\xe9.yaml";
  const std::string text = result_to_json(run);
  CHECK(text.find("\"utilisation\": 0.011005,") != std::string::npos);
  CHECK(text.find("caf\xef\xbf\xbd.yaml") != std::string::npos);
  CHECK(text.back() == '\n');
}

}  // namespace peerfab::scenario::test
