// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/judge.h"

#include <limits>

#include "tests/support/catch.h"
#include "tests/unit/scenario/sample_results.h"

namespace peerfab::scenario::test {

namespace {

Expectation about(Subject subject, std::uint64_t low, std::uint64_t high) {
  Expectation expectation;
  expectation.text = "text";
  expectation.subject = std::move(subject);
  expectation.low = low;
  expectation.high = high;
  return expectation;
}

Subject flow_subject(Metric metric, stats::Segment segment = stats::Segment::kSerialisation) {
  Subject subject;
  subject.variant = "a";
  subject.flow = "other";
  subject.metric = metric;
  subject.segment = segment;
  return subject;
}

Subject link_subject(Metric metric, LinkSide side) {
  Subject subject;
  subject.variant = "a";
  subject.link = "cpu0-sw0";
  subject.metric = metric;
  subject.side = side;
  return subject;
}

std::uint64_t measured(const Subject& subject) {
  const auto results = judge({about(subject, 0, 0)}, {sample_variant("b", 7), sample_variant("a")});
  REQUIRE(results.size() == 1);
  REQUIRE(results[0].outcome != Outcome::kNotJudged);
  return results[0].measured;
}

Outcome outcome(std::uint64_t low, std::uint64_t high, const VariantResult& variant) {
  return judge({about(flow_subject(Metric::kBytes), low, high)}, {variant})[0].outcome;
}

}  // namespace

TEST_CASE("each metric reads its own field of the named flow") {
  CHECK(measured(flow_subject(Metric::kBytes)) == 6001);
  CHECK(measured(flow_subject(Metric::kTime)) == 6002);
  CHECK(measured(flow_subject(Metric::kBandwidth)) == 6003);
  CHECK(measured(flow_subject(Metric::kFirstByte)) == 6004);
  CHECK(measured(flow_subject(Metric::kLatencyMin)) == 6005);
  CHECK(measured(flow_subject(Metric::kLatencyMean)) == 6006);
  CHECK(measured(flow_subject(Metric::kLatencyP50)) == 6007);
  CHECK(measured(flow_subject(Metric::kLatencyP99)) == 6008);
  CHECK(measured(flow_subject(Metric::kLatencyMax)) == 6009);
  CHECK(measured(flow_subject(Metric::kBreakdown, stats::Segment::kSwitch)) == 6202);
}

TEST_CASE("links are summed over both directions, utilisation is the busier one") {
  CHECK(measured(link_subject(Metric::kLinkPayload, LinkSide::kUp)) == 11'001);
  CHECK(measured(link_subject(Metric::kLinkPayload, LinkSide::kDown)) == 21'001);
  CHECK(measured(link_subject(Metric::kLinkPayload, LinkSide::kBoth)) == 32'002);
  CHECK(measured(link_subject(Metric::kLinkTlp, LinkSide::kBoth)) == 32'004);
  CHECK(measured(link_subject(Metric::kLinkDllp, LinkSide::kBoth)) == 32'006);
  CHECK(measured(link_subject(Metric::kLinkUtilisation, LinkSide::kBoth)) == 21'005);
  CHECK(measured(link_subject(Metric::kLinkUtilisation, LinkSide::kUp)) == 11'005);
}

TEST_CASE("both ends of the range belong to it") {
  const VariantResult variant = sample_variant("a");
  CHECK(outcome(6001, 6001, variant) == Outcome::kPassed);
  CHECK(outcome(0, 6000, variant) == Outcome::kFailed);
  CHECK(outcome(6002, 9000, variant) == Outcome::kFailed);
  CHECK(outcome(0, 6001, variant) == Outcome::kPassed);
  CHECK(outcome(6001, std::numeric_limits<std::uint64_t>::max(), variant) == Outcome::kPassed);
}

TEST_CASE("what failed, was stopped or is missing is not judged") {
  VariantResult variant = sample_variant("a");
  variant.partial = true;
  CHECK(outcome(6001, 6001, variant) == Outcome::kNotJudged);
  variant.partial = false;
  variant.error = "it broke";
  CHECK(outcome(6001, 6001, variant) == Outcome::kNotJudged);
  CHECK(outcome(6001, 6001, sample_variant("other")) == Outcome::kNotJudged);
  variant = sample_variant("a");
  variant.flows.pop_back();
  CHECK(outcome(6001, 6001, variant) == Outcome::kNotJudged);
}

TEST_CASE("messages name the value and the range") {
  VariantResult variant = sample_variant("a");
  variant.flows[1].bandwidth = Bandwidth(54'900'000'000);
  const auto message = [&variant](std::uint64_t low, std::uint64_t high) {
    return judge({about(flow_subject(Metric::kBandwidth), low, high)}, {variant})[0].message;
  };
  CHECK(message(51'360'000'000, 55'640'000'000) == "is 54.9GB/s; expected 51.36GB/s to 55.64GB/s");
  CHECK(message(50'000'000'000, std::numeric_limits<std::uint64_t>::max()) ==
        "is 54.9GB/s; expected at least 50GB/s");
  CHECK(message(0, 50'000'000'000) == "is 54.9GB/s; expected at most 50GB/s");
  CHECK(message(0, 0) == "is 54.9GB/s; expected exactly 0B/s");
  CHECK(format_measured(Unit::kShare, 123'456) == "12.3%");
  CHECK(format_measured(Unit::kShare, 999'500) == "100.0%");
}

}  // namespace peerfab::scenario::test
