// SPDX-License-Identifier: Apache-2.0
// Contract in flow_reader.h.
#include "sim/scenario/flow_reader.h"

#include <algorithm>
#include <limits>
#include <map>

#include "sim/config/parameters.h"
#include "sim/config/quantity.h"
#include "sim/scenario/flow_keys.h"

namespace peerfab::scenario {
namespace {

constexpr const char* kAuto = "auto";

// A key's node: the override if there is one, else what the body holds; null when absent.
class Keys {
 public:
  Keys(const config::Node& body, const std::vector<FlowOverride>& overrides)
      : body_(body), overrides_(overrides) {}
  [[nodiscard]] const config::Node* find(std::string_view key) const {
    for (const FlowOverride& change : overrides_) {
      if (change.key == key) return change.value;
    }
    return body_.find(key);
  }

 private:
  const config::Node& body_;
  const std::vector<FlowOverride>& overrides_;
};

std::vector<std::string> keys_outside_table() {
  std::vector<std::string> keys = {std::string(kNameKey), std::string(kAfterKey)};
  for (const config::Parameter& key : required_flow_keys()) keys.push_back(key.name);
  return keys;
}

bool read_required(const Keys& keys, Verb verb, const SourceLocation& where, FlowSpec& flow,
                   Diagnostics& diagnostics) {
  bool good = true;
  for (const config::Parameter& key : required_flow_keys()) {
    const config::Node* node = keys.find(key.name);
    if (node == nullptr) {
      diagnostics.error("missing-key", where,
                        std::string(verb_name(verb)) + " needs '" + key.name + "'", key.meaning);
      good = false;
      continue;
    }
    const auto value = config::parse_parameter(key, *node, diagnostics);
    if (!value) {
      good = false;
    } else if (key.name == "from") {
      flow.from = std::get<std::string>(*value);
      flow.from_where = node->where();
    } else if (key.name == "to") {
      flow.to = std::get<std::string>(*value);
      flow.to_where = node->where();
    } else {
      flow.size = std::get<Bytes>(*value);
    }
  }
  return good;
}

bool read_after(const Keys& keys, FlowSpec& flow, Diagnostics& diagnostics) {
  const config::Node* node = keys.find(kAfterKey);
  if (node == nullptr) return true;
  std::vector<config::Node> items;
  if (node->is_sequence()) {
    items = node->items();
  } else {
    items.push_back(*node);
  }
  for (const config::Node& item : items) {
    const auto name = config::parse_text(item, diagnostics);
    if (!name) return false;
    flow.after.push_back(*name);
    flow.after_where.push_back(item.where());
  }
  return true;
}

std::string named_or_empty(const config::ParameterValues& values, std::string_view key) {
  const std::string& text = values.text(key);
  return text == kAuto ? std::string() : text;
}

void fill(const config::ParameterValues& values, FlowSpec& flow) {
  flow.by = named_or_empty(values, "by");
  flow.by_where = values.where("by");
  flow.chunk = std::min(values.size("chunk"), flow.size);
  flow.from_offset = values.size("from_offset");
  flow.to_offset = values.size("to_offset");
  flow.queue_depth = static_cast<unsigned>(values.integer("queue_depth"));
  flow.count = static_cast<std::uint64_t>(values.integer("count"));
  flow.start = values.time("start");
  if (values.time("interval") > Picoseconds()) flow.interval = values.time("interval");
  flow.row = flow.chunk;
  flow.stride = flow.chunk;
  flow.staging_chunk = flow.chunk;
  if (flow.verb == Verb::kFlow) return;

  const std::string& via = values.text("via");
  flow.via = via == "p2p" ? Via::kP2p : via == "host" ? Via::kHost : Via::kAuto;
  flow.via_where = values.where("via");
  if (values.size("row") > Bytes()) flow.row = values.size("row");
  flow.stride = values.size("stride") > Bytes() ? values.size("stride") : flow.row;
  flow.staging = named_or_empty(values, "staging");
  flow.staging_where = values.where("staging");
  flow.staging_chunk = std::min(values.size("staging_chunk"), flow.size);
  flow.staging_buffers = static_cast<unsigned>(values.integer("staging_buffers"));
}

const SourceLocation& where_or(const config::ParameterValues& values, std::string_view key,
                               const SourceLocation& fallback) {
  return values.where(key).known() ? values.where(key) : fallback;
}

bool check_sizes(const config::ParameterValues& values, const FlowSpec& flow,
                 Diagnostics& diagnostics) {
  bool good = true;
  if (flow.verb == Verb::kCopy && flow.row > flow.chunk) {
    diagnostics.error("row-above-chunk", where_or(values, "row", flow.where),
                      "a row of " + config::format_size(flow.row) +
                          " does not fit into a transaction of " + config::format_size(flow.chunk),
                      "a transaction is 'chunk', at most 'size'");
    good = false;
  }
  if (flow.verb == Verb::kCopy && flow.stride < flow.row) {
    diagnostics.error("stride-below-row", where_or(values, "stride", flow.where),
                      "rows of " + config::format_size(flow.row) +
                          " would overlap at a stride of " + config::format_size(flow.stride));
    good = false;
  }
  // Bytes and times of the whole flow stay far below 2^64.
  constexpr unsigned __int128 kLimit = std::uint64_t{1} << 62;
  const auto total = static_cast<unsigned __int128>(flow.size.count()) * flow.count;
  if (total > kLimit) {
    diagnostics.error("flow-too-large", where_or(values, "count", flow.where),
                      config::format_size(flow.size) + " times " + std::to_string(flow.count) +
                          " is more than a run can count",
                      "the limit is 4194304TiB");
    good = false;
  }
  const auto rows =
      (static_cast<unsigned __int128>(flow.size.count()) + flow.row.count() - 1) / flow.row.count();
  if (good && rows * flow.stride.count() > kLimit) {
    diagnostics.error("flow-too-large", where_or(values, "stride", flow.where),
                      "the rows of this copy span more than a run can address");
    good = false;
  }
  if (flow.interval) {
    const auto transactions = (total + flow.chunk.count() - 1) / flow.chunk.count() + flow.count;
    if (transactions * flow.interval->count() > kLimit) {
      diagnostics.error("flow-too-long", where_or(values, "interval", flow.where),
                        "so many transactions, one every " + config::format_time(*flow.interval) +
                            ", take longer than a run can count",
                        "the limit is 53 days");
      good = false;
    }
  }
  return good;
}

}  // namespace

bool check_name(const std::string& name, const SourceLocation& where, Diagnostics& diagnostics) {
  const bool good = !name.empty() && std::all_of(name.begin(), name.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
  });
  if (!good) {
    diagnostics.error("bad-name", where, "'" + printable(name) + "' cannot be a name here",
                      "letters, digits, '-' and '_'");
  }
  return good;
}

std::optional<FlowReader> FlowReader::open(const config::Node& item, Diagnostics& diagnostics) {
  std::vector<std::string> verbs;
  for (const Verb verb : all_verbs()) verbs.emplace_back(verb_name(verb));
  const std::string example = "for example - copy: {from: gpu0, to: gpu1, size: 1GiB}";
  if (!item.is_map() || item.entries().size() != 1) {
    diagnostics.error("bad-step", item.where(),
                      "a step is one of copy, flow with its keys, found " +
                          (item.is_map() ? std::to_string(item.entries().size()) + " keys"
                                         : std::string(config::kind_name(item.kind()))),
                      example);
    return std::nullopt;
  }
  const config::Node::Entry& entry = item.entries().front();
  std::optional<Verb> verb;
  for (const Verb known : all_verbs()) {
    if (entry.key == verb_name(known)) verb = known;
  }
  if (!verb) {
    const std::string nearest = did_you_mean(entry.key, verbs);
    diagnostics.error("unknown-step", entry.key_where,
                      "'" + printable(entry.key) + "' is not something a scenario can do",
                      nearest.empty() ? "known: copy, flow" : nearest);
    return std::nullopt;
  }
  if (!entry.value.is_map()) {
    diagnostics.error("bad-step", entry.value.where(),
                      entry.key + " needs a map of keys, found " +
                          std::string(config::kind_name(entry.value.kind())),
                      example);
    return std::nullopt;
  }
  FlowReader reader(*verb, entry.value, entry.key_where);
  if (const config::Node* name = entry.value.find(kNameKey)) {
    const auto text = config::parse_text(*name, diagnostics);
    if (!text || !check_name(*text, name->where(), diagnostics)) return std::nullopt;
    reader.name_ = *text;
    reader.name_where_ = name->where();
  } else {
    reader.name_where_ = entry.key_where;
  }
  return reader;
}

std::optional<FlowSpec> FlowReader::read(const std::vector<FlowOverride>& overrides,
                                         Diagnostics& diagnostics) const {
  FlowSpec flow;
  flow.name = name_;
  flow.where = where_;
  flow.verb = verb_;
  const Keys keys(*body_, overrides);
  bool good = read_required(keys, verb_, where_, flow, diagnostics);
  good = read_after(keys, flow, diagnostics) && good;
  const config::ParameterTable& table = flow_table(verb_);
  auto values = config::bind(table, nullptr, body_, keys_outside_table(), diagnostics);
  if (!values) return std::nullopt;
  for (const FlowOverride& change : overrides) {
    const config::Parameter* parameter = table.find(change.key);
    if (parameter == nullptr) continue;  // a required key or `after`, read above
    auto value = config::parse_parameter(*parameter, *change.value, diagnostics);
    if (!value) {
      good = false;
      continue;
    }
    values->set(change.key, std::move(*value), change.value->where(), where_.file);
  }
  if (!good) return std::nullopt;
  fill(*values, flow);
  if (!check_sizes(*values, flow, diagnostics)) return std::nullopt;
  return flow;
}

}  // namespace peerfab::scenario
