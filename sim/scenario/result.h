// SPDX-License-Identifier: Apache-2.0
// What a run answers. The JSON form is docs/schemas/result.schema.json; all but the host section is
// a function of the input and the seed alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/engine/data_link.h"
#include "sim/scenario/expectation.h"
#include "sim/stats/breakdown.h"

namespace peerfab::scenario {

// Over the transactions that completed after the warm-up.
struct LatencySummary {
  Picoseconds min;
  Picoseconds mean;
  Picoseconds p50;
  Picoseconds p99;
  Picoseconds max;
};

struct FlowResult {
  std::string name;
  std::string from;
  std::string to;
  std::string by;   // the initiator that was used
  std::string via;  // "p2p", "host" (staged) or "direct" (one end is host memory)
  Bytes bytes;      // payload that arrived after the warm-up
  // From the flow's start (or the warm-up's end, if later) to its last byte's arrival.
  Picoseconds time;
  Bandwidth bandwidth;     // bytes / time
  Picoseconds first_byte;  // from the flow's start to the first payload at the target
  std::uint64_t transactions = 0;
  bool finished = true;  // false: time limit or interrupt came first
  LatencySummary latency;
  stats::Breakdown breakdown;       // sum over the transactions: total() == sum of latencies
  stats::Breakdown breakdown_mean;  // total() == latency.mean
  std::string limited_by;           // "link gpu0-sw0 up: serialisation"; the busiest resource
};

struct LinkResult {
  std::string name;       // "<upper>-<lower>", as in the topology
  std::string direction;  // "up" (towards the root complex) or "down"
  std::string speed;      // negotiated: "gen5 x16"
  Bytes payload;
  Bytes tlp;   // on the wire, with framing, headers and digests
  Bytes dllp;  // on the wire
  std::uint64_t tlps = 0;
  std::uint64_t utilisation_ppm = 0;  // busy time over measured time, in parts per million
  Picoseconds credit_stall;
  std::uint64_t queue_peak = 0;  // TLPs
  // Of a link with an exact data link layer.
  std::optional<engine::DataLinkStatistics> data_link;
};

struct Statistic {
  std::string name;
  std::string unit;
  std::uint64_t value = 0;
};

struct ComponentResult {
  std::string name;
  std::string model;
  std::vector<Statistic> statistics;  // in the order of the model's table
};

// A conformance monitor on all links and wires together.
struct MonitorResult {
  std::string name;     // "tag-reuse"
  std::string section;  // of PCIe r6.0: "2.2.6.2"
  std::uint64_t checks = 0;
  std::uint64_t violations = 0;
  std::vector<std::string> findings;  // the texts of the first violations
};

// How the simulation itself fared; differs from run to run and is kept apart.
struct HostStats {
  std::uint64_t wall_microseconds = 0;
  std::uint64_t events = 0;
  std::uint64_t hops = 0;  // TLPs over one link
  Bytes peak_memory;
};

struct VariantResult {
  std::string name;
  std::vector<FlowResult> flows;  // in the scenario's order
  std::vector<LinkResult> links;  // in the topology's order, "up" before "down"
  std::vector<ComponentResult> components;
  std::vector<MonitorResult> monitors;  // empty when none watched
  Picoseconds time;                     // simulated, from 0 to the end of the last flow
  bool partial = false;  // ended by an interrupt (the time limit only leaves flows unfinished)
  std::string error;     // not empty: the simulation failed
  HostStats host;
};

enum class Outcome {
  kPassed,
  kFailed,
  kNotJudged
};  // kNotJudged: the variant is partial or failed

struct ExpectationResult {
  std::string text;
  Outcome outcome = Outcome::kNotJudged;
  std::uint64_t measured = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  Unit unit = Unit::kTime;
  std::string message;  // for people: "54.9GB/s; expected 51.4GB/s to 55.6GB/s"
};

struct RunResult {
  std::string scenario;
  std::string scenario_file;
  std::string topology;
  std::string topology_file;
  std::string version;
  std::uint64_t seed = 0;
  std::string payload;  // "none" or "real"
  bool partial = false;
  std::vector<VariantResult> variants;
  std::vector<ExpectationResult> expectations;
  std::uint64_t wall_microseconds = 0;  // of the whole run, for the host section
};

}  // namespace peerfab::scenario
