// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/expectation.h"

#include <limits>
#include <string>

#include "tests/support/catch.h"

namespace peerfab::scenario::test {

namespace {

constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

struct Line {
  std::optional<Expectation> expectation;
  Diagnostics diagnostics;
};

Line read(const std::string& text, bool compared = true) {
  ExpectationNames names;
  names.compared = compared;
  names.variants =
      compared ? std::vector<std::string>{"p2p", "bounce"} : std::vector<std::string>{"run"};
  names.flows = {"copy", "other"};
  SourceLocation where;
  where.file = "s.yaml";
  where.line = 9;
  where.column = 5;
  where.length = static_cast<unsigned>(text.size());
  Line line;
  line.expectation = parse_expectation(config::Node::scalar(text, where), names, line.diagnostics);
  return line;
}

Expectation good(const std::string& text, bool compared = true) {
  const Line line = read(text, compared);
  INFO(text);
  INFO((line.diagnostics.all().empty() ? "" : line.diagnostics.all()[0].message));
  REQUIRE(line.expectation);
  return *line.expectation;
}

// "column: message (hint)" of the one error.
std::string bad(const std::string& text, bool compared = true) {
  const Line line = read(text, compared);
  INFO(text);
  REQUIRE_FALSE(line.expectation);
  REQUIRE(line.diagnostics.error_count() == 1);
  const Diagnostic& error = line.diagnostics.all()[0];
  return std::to_string(error.where.column) + "+" + std::to_string(error.where.length) + ": " +
         error.message + (error.hint.empty() ? "" : " (" + error.hint + ")");
}

bool begins(const std::string& text, const std::string& start) {
  INFO(text);
  return text.substr(0, start.size()) == start;
}

}  // namespace

TEST_CASE("every relation becomes a range") {
  const Expectation is = good("p2p.copy.bytes is 1KiB");
  CHECK(is.low == 1024);
  CHECK(is.high == 1024);
  const Expectation least = good("p2p.copy.bandwidth at least 50GB/s");
  CHECK(least.low == 50'000'000'000);
  CHECK(least.high == kNoEnd);
  const Expectation most = good("p2p.copy.time at most 3ms");
  CHECK(most.low == 0);
  CHECK(most.high == 3'000'000'000);
  const Expectation between = good("p2p.copy.first_byte between 1us and 2us");
  CHECK(between.low == 1'000'000);
  CHECK(between.high == 2'000'000);
  const Expectation within = good("p2p.copy.bandwidth within 4% of 53.5GB/s");
  CHECK(within.low == 51'360'000'000);
  CHECK(within.high == 55'640'000'000);
  const Expectation absolute = good("p2p.copy.latency.p50 within 5ns of 600ns");
  CHECK(absolute.low == 595'000);
  CHECK(absolute.high == 605'000);
}

TEST_CASE("a relative tolerance includes exactly the values within it") {
  // 4% of 99 is 3.96: 96 and 102 are inside, 95 and 103 outside.
  const Expectation odd = good("p2p.copy.bytes within 4% of 99B");
  CHECK(odd.low == 96);
  CHECK(odd.high == 102);
  const Expectation none = good("p2p.copy.bytes within 0% of 99B");
  CHECK(none.low == 99);
  CHECK(none.high == 99);
  const Expectation all = good("p2p.copy.bytes within 100% of 99B");
  CHECK(all.low == 0);
  CHECK(all.high == 198);
  const Expectation small = good("p2p.copy.bytes within 10B of 3B");
  CHECK(small.low == 0);
}

TEST_CASE("every metric of a flow can be named") {
  const std::pair<const char*, Metric> metrics[] = {
      {"bandwidth at least 1B/s", Metric::kBandwidth},
      {"time at least 1ps", Metric::kTime},
      {"bytes at least 1B", Metric::kBytes},
      {"first_byte at least 1ps", Metric::kFirstByte},
      {"latency.min at least 1ps", Metric::kLatencyMin},
      {"latency.mean at least 1ps", Metric::kLatencyMean},
      {"latency.p50 at least 1ps", Metric::kLatencyP50},
      {"latency.p99 at least 1ps", Metric::kLatencyP99},
      {"latency.max at least 1ps", Metric::kLatencyMax}};
  for (const auto& [text, metric] : metrics) {
    CHECK(good("bounce.other." + std::string(text)).subject.metric == metric);
  }
  for (std::size_t i = 0; i < stats::kSegmentCount; ++i) {
    const auto segment = stats::segment_at(i);
    const Expectation expectation =
        good("bounce.copy.breakdown." + std::string(stats::segment_name(segment)) + " at most 1us");
    CHECK(expectation.subject.metric == Metric::kBreakdown);
    CHECK(expectation.subject.segment == segment);
    CHECK(expectation.subject.flow == "copy");
    CHECK(expectation.subject.variant == "bounce");
  }
}

TEST_CASE("every metric of a link can be named, of one direction or both") {
  const Expectation both = good("p2p.link[cpu0-sw0].payload is 0B");
  CHECK(both.subject.link == "cpu0-sw0");
  CHECK(both.subject.flow.empty());
  CHECK(both.subject.side == LinkSide::kBoth);
  CHECK(both.subject.metric == Metric::kLinkPayload);
  CHECK(both.link_where.column == 14);
  CHECK(both.link_where.length == 8);
  CHECK(good("p2p.link[a-b].up.tlp is 0B").subject.side == LinkSide::kUp);
  CHECK(good("p2p.link[a-b].down.dllp is 0B").subject.side == LinkSide::kDown);
  const Expectation share = good("p2p.link[a-b].up.utilisation at least 95%");
  CHECK(share.subject.metric == Metric::kLinkUtilisation);
  CHECK(share.low == 950'000);
}

TEST_CASE("without a comparison the variant may be left out") {
  CHECK(good("copy.time at most 1s", false).subject.variant == "run");
  CHECK(good("run.copy.time at most 1s", false).subject.variant == "run");
  CHECK(good("link[a-b].payload is 0B", false).subject.variant == "run");
  CHECK(good("run.link[a-b].payload is 0B", false).subject.variant == "run");
}

TEST_CASE("blanks between the words do not matter") {
  CHECK(good("p2p.copy.bandwidth   within 4%   of   53.5GB/s").high == 55'640'000'000);
}

TEST_CASE("errors point at the word that is wrong") {
  CHECK(begins(bad("p2q.copy.time is 1s"), "5+3: no variant is called 'p2q' (did you mean 'p2p'"));
  CHECK(begins(bad("p2p.cpoy.time is 1s"), "9+4: no flow is called 'cpoy' (did you mean 'copy'"));
  CHECK(begins(bad("p2p.copy.bandwith is 1s"),
               "14+8: a flow has no metric 'bandwith' (did you mean 'bandwidth'"));
  CHECK(begins(bad("p2p.copy.breakdown.memry is 1s"), "14+15: a flow has no metric"));
  CHECK(begins(bad("p2p.link[a-b].paylod is 1B"),
               "19+6: a link has no metric 'paylod' (did you mean 'payload'"));
  CHECK(begins(bad("copy.time is 1s"), "5+4: say which variant is meant (for example p2p."));
  CHECK(begins(bad("link[a-b].payload is 1B"), "5+9: say which variant is meant"));
  CHECK(begins(bad("p2p.copy is 1s"), "9+4: a metric is missing behind 'copy'"));
  CHECK(begins(bad("p2p.copy.time was 1s"), "19+6: no relation begins like 'was 1s'"));
  CHECK(begins(bad("p2p.copy.time isnt 1s"), "19+7: no relation begins like"));
  CHECK(begins(bad("p2p.copy.time"), "18+1: this says what to look at but not what to expect"));
  CHECK(begins(bad("p2p.copy.time between 2us and 1us"), "27+11: the first value is above"));
  CHECK(begins(bad("p2p.copy.time between 2us"), "27+3: 'between' needs two values"));
  CHECK(begins(bad("p2p.copy.time within 4%"), "26+2: 'within' needs a tolerance and a value"));
  CHECK(begins(bad("p2p.link[a-b is 1B"), "9+8: a ']' is missing"));
  CHECK(begins(bad("p2p.link[].payload is 1B"), "9+14: link[] needs the name of a link"));
}

TEST_CASE("values need the unit of their metric") {
  CHECK(bad("p2p.copy.bandwidth at least 50GB").substr(0, 5) == "33+4:");
  CHECK(bad("p2p.copy.time at least 50").substr(0, 5) == "28+2:");
  CHECK(bad("p2p.copy.time is").find("value is missing") != std::string::npos);
  CHECK(bad("p2p.link[a-b].utilisation is 5").substr(0, 5) == "34+1:");
  CHECK(bad("p2p.copy.bytes within 4 of 8B").substr(0, 5) == "27+1:");
}

TEST_CASE("shares are exact") {
  const auto share = [](const std::string& text) -> std::optional<std::uint64_t> {
    Diagnostics diagnostics;
    const auto value = parse_share(config::Node::scalar(text, {}), diagnostics);
    CHECK(value.has_value() == !diagnostics.has_errors());
    return value;
  };
  CHECK(share("4%") == 40'000);
  CHECK(share("0%") == 0);
  CHECK(share("0.5%") == 5'000);
  CHECK(share("2.0001 %") == 20'001);
  CHECK(share("100%") == 1'000'000);
  for (const char* text : {"", "%", "4", "4 5%", "-4%", "1e2%", ".5%", "5.%", "1.00001%", "101%",
                           "100.1%", "99999999999999999999999%"}) {
    INFO(text);
    CHECK_FALSE(share(text));
  }
}

TEST_CASE("a line that is quoted with escapes points at the whole") {
  ExpectationNames names{{"run"}, false, {"copy"}};
  SourceLocation where;
  where.file = "s.yaml";
  where.line = 9;
  where.column = 5;
  where.length = 99;  // longer in the file than its value
  Diagnostics diagnostics;
  CHECK_FALSE(
      parse_expectation(config::Node::scalar("cpoy.time is 1s", where), names, diagnostics));
  CHECK(diagnostics.all()[0].where.column == 5);
  CHECK(diagnostics.all()[0].where.length == 99);
}

}  // namespace peerfab::scenario::test
