// SPDX-License-Identifier: Apache-2.0
// One line of `expect:`: a value of the result and the range it must lie in. Integers in the
// value's own unit (picoseconds, bytes, bytes per second, parts per million).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostics.h"
#include "sim/config/tree.h"
#include "sim/stats/breakdown.h"

namespace peerfab::scenario {

enum class Metric {
  kBandwidth,
  kTime,
  kBytes,
  kFirstByte,
  kLatencyMin,
  kLatencyMean,
  kLatencyP50,
  kLatencyP99,
  kLatencyMax,
  kBreakdown,  // mean of one segment
  kLinkPayload,
  kLinkTlp,
  kLinkDllp,
  kLinkUtilisation,
};

enum class Unit { kTime, kSize, kBandwidth, kShare };

[[nodiscard]] Unit metric_unit(Metric metric);
// "ps", "B", "B/s", "ppm": what low, high and a measured value count.
[[nodiscard]] std::string_view unit_symbol(Unit unit);
// For people: "54.9GB/s", "12.3%".
[[nodiscard]] std::string format_measured(Unit unit, std::uint64_t value);

enum class LinkSide { kBoth, kUp, kDown };  // kBoth: summed; utilisation: the busier one

struct Subject {
  std::string variant;
  std::string flow;  // empty for links
  std::string link;  // "cpu0-sw0"; empty for flows
  LinkSide side = LinkSide::kBoth;
  Metric metric = Metric::kBandwidth;
  stats::Segment segment = stats::Segment::kSerialisation;
};

struct Expectation {
  std::string text;  // as written
  SourceLocation where;
  SourceLocation link_where;  // of the link's name, for the check against the topology
  Subject subject;
  std::uint64_t low = 0;  // both ends included
  std::uint64_t high = 0;
};

// What an expectation may name.
struct ExpectationNames {
  std::vector<std::string> variants;
  bool compared = false;  // false: one variant, "run", whose name may be left out
  std::vector<std::string> flows;
};

// "<variant>.<flow>.<metric> <relation>" or "<variant>.link[<name>].<metric> <relation>"; the
// relations are "is A", "at least A", "at most A", "between A and B", "within 4% of A" and
// "within A of B". nullopt and one error when the line says something else.
std::optional<Expectation> parse_expectation(const config::Node& node,
                                             const ExpectationNames& names,
                                             Diagnostics& diagnostics);

// "4%", "0.5%" in parts per million; at most four digits after the point.
std::optional<std::uint64_t> parse_share(const config::Node& node, Diagnostics& diagnostics);

}  // namespace peerfab::scenario
