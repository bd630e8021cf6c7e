// SPDX-License-Identifier: Apache-2.0
// Contract in flow_keys.h.
#include "sim/scenario/flow_keys.h"

namespace peerfab::scenario {
namespace {

using config::Parameter;
using config::ParameterTable;
using config::Quantity;

// Bounds that keep every sum of sizes and times far from 2^64.
constexpr const char* kMaxSize = "1024TiB";
constexpr const char* kMaxTime = "1000s";

Parameter size_key(const char* name, const char* fallback, const char* minimum,
                   const char* meaning) {
  return {name, Quantity::kSize, fallback, meaning, minimum, kMaxSize, {}};
}

Parameter time_key(const char* name, const char* meaning) {
  return {name, Quantity::kTime, "0s", meaning, "0s", kMaxTime, {}};
}

Parameter count_key(const char* name, const char* fallback, const char* maximum,
                    const char* meaning) {
  return {name, Quantity::kInteger, fallback, meaning, "1", maximum, {}};
}

Parameter component_key(const char* name, const char* fallback, const char* meaning) {
  return {name, Quantity::kText, fallback, meaning, "", "", {}};
}

std::vector<Parameter> common_keys() {
  return {
      component_key("by", "auto",
                    "component that issues the transactions: 'from' writes, 'to' reads; auto: "
                    "'from' if it can, else 'to'"),
      size_key("chunk", "4MiB", "1B", "bytes of one transaction; never more than 'size'"),
      size_key("from_offset", "0B", "0B", "first byte within the source's memory"),
      size_key("to_offset", "0B", "0B", "first byte within the target's memory"),
      count_key("queue_depth", "2", "65536", "transactions outstanding at the same time"),
      count_key("count", "1", "1000000000000", "repetitions of 'size', back to back"),
      time_key("start",
               "earliest start, counted from the end of what 'after' names (else from time zero)"),
      time_key("interval",
               "open loop: a transaction becomes ready every so often; 0s: closed loop, the next "
               "one when the queue has room"),
  };
}

std::vector<Parameter> copy_keys() {
  return {
      {"via",
       Quantity::kChoice,
       "auto",
       "p2p: device to device; host: through staging buffers in host memory; auto: p2p where the "
       "topology routes it, else host",
       "",
       "",
       {"auto", "p2p", "host"}},
      size_key("row", "0B", "0B",
               "contiguous bytes within a transaction, as in a 2D copy: no TLP spans two rows; 0B: "
               "all of it"),
      size_key("stride", "0B", "0B", "from the start of one row to the next; 0B: rows adjoin"),
      component_key("staging", "auto",
                    "socket whose memory holds the staging buffers; auto: the source's"),
      size_key("staging_chunk", "1MiB", "1B", "bytes of one staging buffer"),
      count_key("staging_buffers", "2", "1024",
                "staging buffers; with 1 the two halves of the copy do not overlap"),
  };
}

ParameterTable copy_table() {
  std::vector<Parameter> keys = common_keys();
  for (const Parameter& key : copy_keys()) keys.push_back(key);
  return ParameterTable(std::move(keys));
}

}  // namespace

std::string_view verb_name(Verb verb) { return verb == Verb::kFlow ? "flow" : "copy"; }

const std::vector<Verb>& all_verbs() {
  static const std::vector<Verb> verbs = {Verb::kCopy, Verb::kFlow};
  return verbs;
}

std::string_view verb_summary(Verb verb) {
  return verb == Verb::kFlow
             ? "A stream of direct transactions between two components."
             : "A buffer copied as a driver's copy call does it, device to device, through host "
               "memory, or between a device and host memory.";
}

const std::vector<Parameter>& required_flow_keys() {
  static const std::vector<Parameter> keys = {
      component_key("from", "", "component that holds the data; a socket means its memory"),
      component_key("to", "", "component that gets the data; a socket means its memory"),
      size_key("size", "", "1B", "bytes to move in one repetition"),
  };
  return keys;
}

const ParameterTable& flow_table(Verb verb) {
  static const ParameterTable flow(common_keys());
  static const ParameterTable copy = copy_table();
  return verb == Verb::kFlow ? flow : copy;
}

std::vector<std::string> flow_key_names(Verb verb) {
  std::vector<std::string> names = {std::string(kNameKey)};
  for (const Parameter& key : required_flow_keys()) names.push_back(key.name);
  for (const std::string& name : flow_table(verb).names()) names.push_back(name);
  names.emplace_back(kAfterKey);
  return names;
}

const ParameterTable& scenario_table() {
  static const ParameterTable table({
      {"seed", Quantity::kInteger, "1", "seed of every random choice", "0", "", {}},
      {"payload",
       Quantity::kChoice,
       "none",
       "real: bytes move and are checked; none: timing only",
       "",
       "",
       {"none", "real"}},
      {"exact_links",
       Quantity::kFlag,
       "false",
       "every PCIe link has an exact data link layer, and not only those on which errors can "
       "happen: each Ack is a packet of its own",
       "",
       "",
       {}},
      {"train_links",
       Quantity::kFlag,
       "false",
       "PCIe links start untrained, and initialise flow control before they carry anything",
       "",
       "",
       {}},
      {"warm_up",
       Quantity::kTime,
       "0s",
       "transactions that complete earlier are not part of the result",
       "0s",
       kMaxTime,
       {}},
      {"time_limit",
       Quantity::kTime,
       "0s",
       "simulated time at which the run ends, finished or not; 0s: no limit",
       "0s",
       "100000s",
       {}},
      {"watchdog",
       Quantity::kTime,
       "50ms",
       "simulated time without progress of any flow after which a run that keeps busy is ended; "
       "0s: never",
       "0s",
       kMaxTime,
       {}},
  });
  return table;
}

}  // namespace peerfab::scenario
