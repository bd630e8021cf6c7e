// SPDX-License-Identifier: Apache-2.0
// Contract in judge.h.
#include "sim/scenario/judge.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace peerfab::scenario {
namespace {

std::uint64_t flow_value(const FlowResult& flow, const Subject& subject) {
  switch (subject.metric) {
    case Metric::kBandwidth:
      return flow.bandwidth.bytes_per_second();
    case Metric::kTime:
      return flow.time.count();
    case Metric::kBytes:
      return flow.bytes.count();
    case Metric::kFirstByte:
      return flow.first_byte.count();
    case Metric::kLatencyMin:
      return flow.latency.min.count();
    case Metric::kLatencyMean:
      return flow.latency.mean.count();
    case Metric::kLatencyP50:
      return flow.latency.p50.count();
    case Metric::kLatencyP99:
      return flow.latency.p99.count();
    case Metric::kLatencyMax:
      return flow.latency.max.count();
    case Metric::kBreakdown:
      return flow.breakdown_mean[subject.segment].count();
    default:
      return 0;  // metrics of links never come with a flow
  }
}

std::uint64_t link_value(const LinkResult& link, Metric metric) {
  switch (metric) {
    case Metric::kLinkPayload:
      return link.payload.count();
    case Metric::kLinkTlp:
      return link.tlp.count();
    case Metric::kLinkDllp:
      return link.dllp.count();
    default:
      return link.utilisation_ppm;
  }
}

std::optional<std::uint64_t> measure(const VariantResult& variant, const Subject& subject) {
  if (subject.link.empty()) {
    for (const FlowResult& flow : variant.flows) {
      if (flow.name == subject.flow) return flow_value(flow, subject);
    }
    return std::nullopt;
  }
  std::optional<std::uint64_t> value;
  for (const LinkResult& link : variant.links) {
    if (link.name != subject.link) continue;
    if (subject.side == LinkSide::kUp && link.direction != "up") continue;
    if (subject.side == LinkSide::kDown && link.direction != "down") continue;
    const std::uint64_t side = link_value(link, subject.metric);
    value = subject.metric == Metric::kLinkUtilisation ? std::max(value.value_or(0), side)
                                                       : value.value_or(0) + side;
  }
  return value;
}

std::string describe_range(Unit unit, std::uint64_t low, std::uint64_t high) {
  if (low == high) return "exactly " + format_measured(unit, low);
  if (high == std::numeric_limits<std::uint64_t>::max()) {
    return "at least " + format_measured(unit, low);
  }
  if (low == 0) return "at most " + format_measured(unit, high);
  return format_measured(unit, low) + " to " + format_measured(unit, high);
}

}  // namespace

std::vector<ExpectationResult> judge(const std::vector<Expectation>& expectations,
                                     const std::vector<VariantResult>& variants) {
  std::vector<ExpectationResult> results;
  results.reserve(expectations.size());
  for (const Expectation& expectation : expectations) {
    ExpectationResult result;
    result.text = expectation.text;
    result.low = expectation.low;
    result.high = expectation.high;
    result.unit = metric_unit(expectation.subject.metric);
    const std::string range = describe_range(result.unit, result.low, result.high);
    result.message = "expected " + range + "; not judged";
    for (const VariantResult& variant : variants) {
      if (variant.name != expectation.subject.variant) continue;
      if (variant.partial || !variant.error.empty()) break;
      const auto measured = measure(variant, expectation.subject);
      if (!measured) break;
      result.measured = *measured;
      const bool passed = *measured >= result.low && *measured <= result.high;
      result.outcome = passed ? Outcome::kPassed : Outcome::kFailed;
      result.message = "is " + format_measured(result.unit, *measured) + "; expected " + range;
      break;
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace peerfab::scenario
