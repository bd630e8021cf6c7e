// SPDX-License-Identifier: Apache-2.0
// Contract in result_json.h.
#include "sim/scenario/result_json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace peerfab::scenario {
namespace {

using Json = nlohmann::ordered_json;

// Millionths as a decimal number. The division of two exact doubles is correctly rounded, so the
// shortest text that reads back is the same everywhere: at most six digits.
double from_millionths(std::uint64_t value) { return static_cast<double>(value) / 1e6; }
std::uint64_t to_millionths(double value) {
  return static_cast<std::uint64_t>(std::llround(value * 1e6));
}

Json breakdown_to_json(const stats::Breakdown& breakdown) {
  Json json = Json::object();
  for (std::size_t i = 0; i < stats::kSegmentCount; ++i) {
    json[std::string(stats::segment_name(stats::segment_at(i)))] = breakdown.segments[i].count();
  }
  return json;
}

stats::Breakdown breakdown_from_json(const Json& json) {
  stats::Breakdown breakdown;
  for (std::size_t i = 0; i < stats::kSegmentCount; ++i) {
    const std::string name(stats::segment_name(stats::segment_at(i)));
    breakdown.segments[i] = Picoseconds(json.at(name).get<std::uint64_t>());
  }
  return breakdown;
}

Json flow_to_json(const FlowResult& flow) {
  return Json{{"name", flow.name},
              {"from", flow.from},
              {"to", flow.to},
              {"by", flow.by},
              {"via", flow.via},
              {"bytes", flow.bytes.count()},
              {"time_ps", flow.time.count()},
              {"bandwidth_bytes_per_s", flow.bandwidth.bytes_per_second()},
              {"first_byte_ps", flow.first_byte.count()},
              {"transactions", flow.transactions},
              {"finished", flow.finished},
              {"latency_ps",
               {{"min", flow.latency.min.count()},
                {"mean", flow.latency.mean.count()},
                {"p50", flow.latency.p50.count()},
                {"p99", flow.latency.p99.count()},
                {"max", flow.latency.max.count()},
                {"total", flow.breakdown.total().count()}}},
              {"breakdown_ps", breakdown_to_json(flow.breakdown_mean)},
              {"breakdown_total_ps", breakdown_to_json(flow.breakdown)},
              {"limited_by", flow.limited_by}};
}

Picoseconds time_at(const Json& json, const char* key) {
  return Picoseconds(json.at(key).get<std::uint64_t>());
}

FlowResult flow_from_json(const Json& json) {
  FlowResult flow;
  json.at("name").get_to(flow.name);
  json.at("from").get_to(flow.from);
  json.at("to").get_to(flow.to);
  json.at("by").get_to(flow.by);
  json.at("via").get_to(flow.via);
  flow.bytes = Bytes(json.at("bytes").get<std::uint64_t>());
  flow.time = time_at(json, "time_ps");
  flow.bandwidth = Bandwidth(json.at("bandwidth_bytes_per_s").get<std::uint64_t>());
  flow.first_byte = time_at(json, "first_byte_ps");
  json.at("transactions").get_to(flow.transactions);
  json.at("finished").get_to(flow.finished);
  const Json& latency = json.at("latency_ps");
  flow.latency.min = time_at(latency, "min");
  flow.latency.mean = time_at(latency, "mean");
  flow.latency.p50 = time_at(latency, "p50");
  flow.latency.p99 = time_at(latency, "p99");
  flow.latency.max = time_at(latency, "max");
  flow.breakdown_mean = breakdown_from_json(json.at("breakdown_ps"));
  flow.breakdown = breakdown_from_json(json.at("breakdown_total_ps"));
  json.at("limited_by").get_to(flow.limited_by);
  return flow;
}

// The counters of a data link layer, declared once for both ways.
struct DataLinkField {
  const char* name;
  std::uint64_t engine::DataLinkStatistics::*value;
};
constexpr DataLinkField kDataLinkFields[] = {
    {"tlps_damaged", &engine::DataLinkStatistics::tlps_damaged},
    {"dllps_damaged", &engine::DataLinkStatistics::dllps_damaged},
    {"acks", &engine::DataLinkStatistics::acks},
    {"naks", &engine::DataLinkStatistics::naks},
    {"replays", &engine::DataLinkStatistics::replays},
    {"replay_timeouts", &engine::DataLinkStatistics::timeouts},
    {"tlps_replayed", &engine::DataLinkStatistics::tlps_replayed},
    {"replayed_bytes", &engine::DataLinkStatistics::replayed_bytes},
    {"duplicates", &engine::DataLinkStatistics::duplicates},
    {"out_of_order", &engine::DataLinkStatistics::out_of_order},
    {"retrains", &engine::DataLinkStatistics::retrains},
    {"nullified", &engine::DataLinkStatistics::nullified},
    {"replay_buffer_stall_ps", &engine::DataLinkStatistics::buffer_stall_ps},
};

Json link_to_json(const LinkResult& link) {
  Json json{{"name", link.name},
            {"direction", link.direction},
            {"speed", link.speed},
            {"payload_bytes", link.payload.count()},
            {"tlp_bytes", link.tlp.count()},
            {"dllp_bytes", link.dllp.count()},
            {"tlps", link.tlps},
            {"utilisation", from_millionths(link.utilisation_ppm)},
            {"credit_stall_ps", link.credit_stall.count()},
            {"queue_peak", link.queue_peak}};
  if (link.data_link.has_value()) {
    Json counters = Json::object();
    for (const DataLinkField& field : kDataLinkFields) {
      counters[field.name] = (*link.data_link).*field.value;
    }
    json["data_link"] = std::move(counters);
  }
  return json;
}

LinkResult link_from_json(const Json& json) {
  LinkResult link;
  json.at("name").get_to(link.name);
  json.at("direction").get_to(link.direction);
  json.at("speed").get_to(link.speed);
  link.payload = Bytes(json.at("payload_bytes").get<std::uint64_t>());
  link.tlp = Bytes(json.at("tlp_bytes").get<std::uint64_t>());
  link.dllp = Bytes(json.at("dllp_bytes").get<std::uint64_t>());
  json.at("tlps").get_to(link.tlps);
  link.utilisation_ppm = to_millionths(json.at("utilisation").get<double>());
  link.credit_stall = time_at(json, "credit_stall_ps");
  json.at("queue_peak").get_to(link.queue_peak);
  if (const auto counters = json.find("data_link"); counters != json.end()) {
    link.data_link.emplace();
    for (const DataLinkField& field : kDataLinkFields) {
      counters->at(field.name).get_to((*link.data_link).*field.value);
    }
  }
  return link;
}

Json component_to_json(const ComponentResult& component) {
  Json statistics = Json::array();
  for (const Statistic& statistic : component.statistics) {
    statistics.push_back(
        Json{{"name", statistic.name}, {"unit", statistic.unit}, {"value", statistic.value}});
  }
  return Json{
      {"name", component.name}, {"model", component.model}, {"statistics", std::move(statistics)}};
}

ComponentResult component_from_json(const Json& json) {
  ComponentResult component;
  json.at("name").get_to(component.name);
  json.at("model").get_to(component.model);
  for (const Json& item : json.at("statistics")) {
    component.statistics.push_back({item.at("name").get<std::string>(),
                                    item.at("unit").get<std::string>(),
                                    item.at("value").get<std::uint64_t>()});
  }
  return component;
}

Json monitor_to_json(const MonitorResult& monitor) {
  return Json{{"name", monitor.name},
              {"section", monitor.section},
              {"checks", monitor.checks},
              {"violations", monitor.violations},
              {"findings", monitor.findings}};
}

MonitorResult monitor_from_json(const Json& json) {
  MonitorResult monitor;
  json.at("name").get_to(monitor.name);
  json.at("section").get_to(monitor.section);
  json.at("checks").get_to(monitor.checks);
  json.at("violations").get_to(monitor.violations);
  json.at("findings").get_to(monitor.findings);
  return monitor;
}

Json variant_json(const VariantResult& variant) {
  Json flows = Json::array();
  for (const FlowResult& flow : variant.flows) flows.push_back(flow_to_json(flow));
  Json links = Json::array();
  for (const LinkResult& link : variant.links) links.push_back(link_to_json(link));
  Json components = Json::array();
  for (const ComponentResult& component : variant.components) {
    components.push_back(component_to_json(component));
  }
  Json json{{"name", variant.name},
            {"partial", variant.partial},
            {"error", variant.error.empty() ? Json(nullptr) : Json(variant.error)},
            {"time_ps", variant.time.count()},
            {"flows", std::move(flows)},
            {"links", std::move(links)},
            {"components", std::move(components)}};
  if (!variant.monitors.empty()) {
    Json monitors = Json::array();
    for (const MonitorResult& monitor : variant.monitors) {
      monitors.push_back(monitor_to_json(monitor));
    }
    json["monitors"] = std::move(monitors);
  }
  return json;
}

Json host_json(const HostStats& host) {
  return Json{{"wall_seconds", from_millionths(host.wall_microseconds)},
              {"events", host.events},
              {"hops", host.hops},
              {"peak_memory_bytes", host.peak_memory.count()}};
}

std::string dump(const Json& json, int indent) {
  // A file name need not be UTF-8; what is not becomes U+FFFD instead of an exception.
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json expectation_json(const ExpectationResult& expectation) {
  const bool judged = expectation.outcome != Outcome::kNotJudged;
  const bool bounded = expectation.high != std::numeric_limits<std::uint64_t>::max();
  return Json{{"text", expectation.text},
              {"outcome", outcome_name(expectation.outcome)},
              {"unit", unit_symbol(expectation.unit)},
              {"measured", judged ? Json(expectation.measured) : Json(nullptr)},
              {"low", expectation.low},
              {"high", bounded ? Json(expectation.high) : Json(nullptr)}};
}

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
      return "passed";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kNotJudged:
      return "not judged";
  }
  return "";
}

std::string result_to_json(const RunResult& result) {
  Json variants = Json::array();
  Json hosts = Json::array();
  for (const VariantResult& variant : result.variants) {
    variants.push_back(variant_json(variant));
    Json host = Json::object();
    host["name"] = variant.name;
    host.update(host_json(variant.host));
    hosts.push_back(std::move(host));
  }
  Json expectations = Json::array();
  for (const ExpectationResult& expectation : result.expectations) {
    expectations.push_back(expectation_json(expectation));
  }
  const Json document{{"schema_version", kResultSchemaVersion},
                      {"peerfab", result.version},
                      {"scenario", {{"name", result.scenario}, {"file", result.scenario_file}}},
                      {"topology", {{"name", result.topology}, {"file", result.topology_file}}},
                      {"seed", result.seed},
                      {"payload", result.payload},
                      {"partial", result.partial},
                      {"variants", std::move(variants)},
                      {"expectations", std::move(expectations)},
                      {"host",
                       {{"wall_seconds", from_millionths(result.wall_microseconds)},
                        {"variants", std::move(hosts)}}}};
  return dump(document, 2) + "\n";
}

std::string variant_to_json(const VariantResult& variant) {
  Json json = variant_json(variant);
  json["host"] = host_json(variant.host);
  return dump(json, -1);
}

std::optional<VariantResult> variant_from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    VariantResult variant;
    json.at("name").get_to(variant.name);
    json.at("partial").get_to(variant.partial);
    if (!json.at("error").is_null()) json.at("error").get_to(variant.error);
    variant.time = time_at(json, "time_ps");
    for (const Json& item : json.at("flows")) variant.flows.push_back(flow_from_json(item));
    for (const Json& item : json.at("links")) variant.links.push_back(link_from_json(item));
    for (const Json& item : json.at("components")) {
      variant.components.push_back(component_from_json(item));
    }
    if (json.contains("monitors")) {
      for (const Json& item : json.at("monitors")) {
        variant.monitors.push_back(monitor_from_json(item));
      }
    }
    const Json& host = json.at("host");
    variant.host.wall_microseconds = to_millionths(host.at("wall_seconds").get<double>());
    host.at("events").get_to(variant.host.events);
    host.at("hops").get_to(variant.host.hops);
    variant.host.peak_memory = Bytes(host.at("peak_memory_bytes").get<std::uint64_t>());
    return variant;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace peerfab::scenario
