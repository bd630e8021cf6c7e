// SPDX-License-Identifier: Apache-2.0
// A scenario as the runner needs it: what moves, in which variants, and what is expected of the
// result. Read from YAML by sim/scenario/parse.h; every default is filled in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostics.h"
#include "sim/base/units.h"
#include "sim/scenario/expectation.h"
#include "sim/scenario/link_event.h"

namespace peerfab::scenario {

// kAuto: peer to peer where the topology routes it, else through host memory.
enum class Via { kAuto, kP2p, kHost };
// kFlow: transactions of one initiator. kCopy: what a driver's copy call does: the chunks of a
// buffer, each one a descriptor of the initiator's engine, and staging buffers when via is kHost.
// A flow is always direct: its via is kAuto.
enum class Verb { kFlow, kCopy };
enum class Payload { kNone, kReal };

struct FlowSpec {
  std::string name;  // unique; "copy", "flow", "copy2", ... when not given
  SourceLocation where;
  Verb verb = Verb::kFlow;

  // Component names; a socket's name ("cpu0", or "cpu0.memory") is the host memory behind it.
  // Data moves from `from` to `to`.
  std::string from;
  std::string to;
  SourceLocation from_where;
  SourceLocation to_where;
  // Who issues the TLPs: `from` (it writes) or `to` (it reads). Empty: `from` if its model can
  // initiate, else `to`.
  std::string by;
  SourceLocation by_where;

  Bytes size;         // of one repetition; > 0
  Bytes chunk;        // one transaction (one descriptor); > 0, the last one may be shorter
  Bytes row;          // contiguous pieces within a transaction (2D copy); == chunk: one piece
  Bytes stride;       // from the start of one row to the start of the next; >= row
  Bytes from_offset;  // of the first byte from the start of the source's memory
  Bytes to_offset;
  unsigned queue_depth = 1;  // transactions outstanding; > 0
  std::uint64_t count = 1;   // repetitions, back to back; > 0
  Picoseconds start;         // not before this time; relative to the end of the last of `after`
  std::vector<std::string> after;
  std::vector<SourceLocation> after_where;
  // Open loop: a transaction becomes ready every interval, whether or not earlier ones completed
  // (it waits for a place in the queue, and the wait counts as latency). Absent: closed loop.
  std::optional<Picoseconds> interval;

  Via via = Via::kAuto;
  SourceLocation via_where;
  // Through host memory: the copy goes in pieces of staging_chunk through so many buffers in the
  // memory of `staging` (a socket; empty: that of the source). One buffer: nothing overlaps.
  Bytes staging_chunk;
  unsigned staging_buffers = 2;
  std::string staging;
  SourceLocation staging_where;

  [[nodiscard]] Bytes total() const { return Bytes(size.count() * count); }
};

// A change to one parameter of one device or socket, as in `gpu1.bar1: 256MiB`.
struct TopologyOverride {
  std::string component;
  std::string parameter;
  std::string value;
  SourceLocation component_where;
  SourceLocation parameter_where;
  SourceLocation value_where;
};

struct Variant {
  std::string name;
  SourceLocation where;
  std::vector<FlowSpec> flows;     // the scenario's, with this variant's overrides applied
  std::filesystem::path topology;  // the scenario's unless overridden
  SourceLocation topology_where;   // of the line that names it
  std::vector<TopologyOverride> topology_overrides;
};

struct Scenario {
  std::string name;                // the file's stem when it has none
  std::string file;                // as given
  std::filesystem::path topology;  // relative to the working directory
  SourceLocation topology_where;
  std::uint64_t seed = 1;
  Payload payload = Payload::kNone;
  // What completes before this time is not counted in any statistic.
  Picoseconds warm_up;
  // The run ends here even if flows are unfinished, and the result says so; max(): no limit.
  Picoseconds time_limit = Picoseconds::max();
  // Every PCIe link has an exact data link layer, and not only those on which something can go
  // wrong; and has to train before it carries anything.
  bool exact_links = false;
  bool train_links = false;
  std::vector<LinkEvent> link_events;
  // The run ends when no flow made progress for this long although events happened; 0: never.
  Picoseconds watchdog = Picoseconds(50'000'000'000);
  std::vector<FlowSpec> flows;
  std::vector<Variant> variants;  // at least one; "run" when nothing is compared
  std::vector<Expectation> expectations;
  bool monitors = false;  // conformance monitors watch; whoever starts the run wants it, no file
};

}  // namespace peerfab::scenario
