// SPDX-License-Identifier: Apache-2.0
// One line of `expect:`: a value of the result and the range it must lie in. Integers in the
// value's own unit (picoseconds, bytes, bytes per second, parts per million).
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/diagnostics.h"
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

}  // namespace peerfab::scenario
