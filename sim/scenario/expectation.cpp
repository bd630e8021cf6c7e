// SPDX-License-Identifier: Apache-2.0
// Contract in expectation.h.
#include "sim/scenario/expectation.h"

#include <algorithm>
#include <array>
#include <limits>

#include "sim/config/quantity.h"
#include "sim/scenario/text_span.h"

namespace peerfab::scenario {
namespace {

constexpr const char* kCheck = "bad-expectation";
constexpr std::uint64_t kPpm = 1'000'000;  // parts per million in one
constexpr std::uint64_t kPpmPerPercent = 10'000;

struct MetricName {
  const char* name;
  Metric metric;
};

constexpr std::array<MetricName, 9> kFlowMetrics = {{{"bandwidth", Metric::kBandwidth},
                                                     {"time", Metric::kTime},
                                                     {"bytes", Metric::kBytes},
                                                     {"first_byte", Metric::kFirstByte},
                                                     {"latency.min", Metric::kLatencyMin},
                                                     {"latency.mean", Metric::kLatencyMean},
                                                     {"latency.p50", Metric::kLatencyP50},
                                                     {"latency.p99", Metric::kLatencyP99},
                                                     {"latency.max", Metric::kLatencyMax}}};
constexpr std::array<MetricName, 4> kLinkMetrics = {{{"payload", Metric::kLinkPayload},
                                                     {"tlp", Metric::kLinkTlp},
                                                     {"dllp", Metric::kLinkDllp},
                                                     {"utilisation", Metric::kLinkUtilisation}}};
constexpr std::string_view kBreakdownPrefix = "breakdown.";

template <std::size_t N>
std::optional<Metric> find_metric(const std::array<MetricName, N>& table, std::string_view name) {
  for (const MetricName& entry : table) {
    if (name == entry.name) return entry.metric;
  }
  return std::nullopt;
}

std::vector<std::string> flow_metric_names() {
  std::vector<std::string> names;
  for (const MetricName& entry : kFlowMetrics) names.emplace_back(entry.name);
  for (std::size_t i = 0; i < stats::kSegmentCount; ++i) {
    names.push_back(std::string(kBreakdownPrefix) +
                    std::string(stats::segment_name(stats::segment_at(i))));
  }
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The hint for an unknown name: the nearest one, else all of them.
std::string name_hint(std::string_view wanted, const std::vector<std::string>& names) {
  const std::string nearest = did_you_mean(wanted, names);
  return nearest.empty() ? "known: " + joined(names) : nearest;
}

class Parser {
 public:
  Parser(const ExpectationNames& names, Diagnostics& diagnostics)
      : names_(names), diagnostics_(diagnostics) {}

  std::optional<Expectation> parse(const config::Node& node) {
    if (!node.is_scalar()) {
      diagnostics_.error(kCheck, node.where(), "an expectation is one line of text",
                         "for example: copy.bandwidth at least 50GB/s");
      return std::nullopt;
    }
    const TextSpan line = TextSpan(node).trimmed();
    Expectation expectation;
    expectation.text = std::string(line.text());
    expectation.where = node.where();
    if (!parse_subject(line.before(" "), expectation)) return std::nullopt;
    if (!parse_relation(line.behind(" ").trimmed(), expectation)) return std::nullopt;
    return expectation;
  }

 private:
  bool fail(const TextSpan& at, std::string message, std::string hint = "") {
    diagnostics_.error(kCheck, at.where(), std::move(message), std::move(hint));
    return false;
  }

  // A leading "<variant>." is taken off `subject`.
  bool parse_variant(TextSpan& subject, Expectation& expectation) {
    const TextSpan first = subject.before(".");
    const bool is_link = first.text().substr(0, 5) == "link[";
    const bool is_flow = contains(names_.flows, first.text());
    if (!is_link && contains(names_.variants, first.text()) && (names_.compared || !is_flow)) {
      expectation.subject.variant = std::string(first.text());
      subject = subject.behind(".");
      return true;
    }
    if (!names_.compared) {
      expectation.subject.variant = names_.variants.front();
      return true;
    }
    const std::string example = names_.variants.front() + "." + std::string(subject.text());
    if (is_link || is_flow) {
      return fail(first, "say which variant is meant", "for example " + example);
    }
    return fail(first, "no variant is called '" + printable(first.text()) + "'",
                name_hint(first.text(), names_.variants));
  }

  bool parse_subject(TextSpan subject, Expectation& expectation) {
    if (subject.empty()) return fail(subject, "this expectation is empty");
    if (!parse_variant(subject, expectation)) return false;
    if (subject.text().substr(0, 5) == "link[") return parse_link_subject(subject, expectation);
    const TextSpan flow = subject.before(".");
    const TextSpan metric = subject.behind(".");
    if (!contains(names_.flows, flow.text())) {
      return fail(flow, "no flow is called '" + printable(flow.text()) + "'",
                  name_hint(flow.text(), names_.flows));
    }
    expectation.subject.flow = std::string(flow.text());
    if (metric.empty()) return missing_metric(subject, flow_metric_names());
    if (const auto found = find_metric(kFlowMetrics, metric.text())) {
      expectation.subject.metric = *found;
      return true;
    }
    if (metric.text().substr(0, kBreakdownPrefix.size()) == kBreakdownPrefix) {
      if (const auto segment = stats::find_segment(metric.text().substr(kBreakdownPrefix.size()))) {
        expectation.subject.metric = Metric::kBreakdown;
        expectation.subject.segment = *segment;
        return true;
      }
    }
    return fail(metric, "a flow has no metric '" + printable(metric.text()) + "'",
                name_hint(metric.text(), flow_metric_names()));
  }

  bool parse_link_subject(const TextSpan& subject, Expectation& expectation) {
    const std::size_t close = subject.text().find(']');
    if (close == std::string_view::npos) return fail(subject, "a ']' is missing behind 'link['");
    const TextSpan link = subject.sub(5, close - 5);
    if (link.empty()) {
      return fail(subject, "link[] needs the name of a link", "for example link[cpu0-sw0]");
    }
    expectation.subject.link = std::string(link.text());
    expectation.link_where = link.where();
    TextSpan metric = subject.sub(close + 1);
    if (!metric.empty() && metric.text().front() == '.') metric = metric.sub(1);
    const TextSpan side = metric.before(".");
    if (side.text() == "up" || side.text() == "down") {
      expectation.subject.side = side.text() == "up" ? LinkSide::kUp : LinkSide::kDown;
      metric = metric.behind(".");
    }
    std::vector<std::string> names;
    for (const MetricName& entry : kLinkMetrics) names.emplace_back(entry.name);
    if (metric.empty()) return missing_metric(subject, names);
    if (const auto found = find_metric(kLinkMetrics, metric.text())) {
      expectation.subject.metric = *found;
      return true;
    }
    return fail(metric, "a link has no metric '" + printable(metric.text()) + "'",
                name_hint(metric.text(), names));
  }

  bool missing_metric(const TextSpan& subject, const std::vector<std::string>& names) {
    return fail(subject, "a metric is missing behind '" + printable(subject.text()) + "'",
                "known: " + joined(names));
  }

  std::optional<std::uint64_t> parse_value(const TextSpan& text, Unit unit) {
    if (text.empty()) {
      fail(text, "a value is missing at the end");
      return std::nullopt;
    }
    const config::Node node = text.node();
    switch (unit) {
      case Unit::kTime: {
        const auto value = config::parse_time(node, diagnostics_);
        return value ? std::optional(value->count()) : std::nullopt;
      }
      case Unit::kSize: {
        const auto value = config::parse_size(node, diagnostics_);
        return value ? std::optional(value->count()) : std::nullopt;
      }
      case Unit::kBandwidth: {
        const auto value = config::parse_bandwidth(node, diagnostics_);
        return value ? std::optional(value->bytes_per_second()) : std::nullopt;
      }
      case Unit::kShare:
        return parse_share(node, diagnostics_);
    }
    return std::nullopt;
  }

  bool parse_relation(const TextSpan& relation, Expectation& expectation) {
    const Unit unit = metric_unit(expectation.subject.metric);
    const auto rest_of = [&relation](std::string_view words) -> std::optional<TextSpan> {
      if (relation.text().substr(0, words.size()) != words) return std::nullopt;
      const TextSpan rest = relation.sub(words.size());
      if (!rest.empty() && rest.text().front() != ' ') return std::nullopt;
      return rest.trimmed();
    };
    if (const auto rest = rest_of("is")) {
      const auto value = parse_value(*rest, unit);
      if (!value) return false;
      expectation.low = expectation.high = *value;
      return true;
    }
    if (const auto rest = rest_of("at least")) {
      const auto value = parse_value(*rest, unit);
      if (!value) return false;
      expectation.low = *value;
      expectation.high = std::numeric_limits<std::uint64_t>::max();
      return true;
    }
    if (const auto rest = rest_of("at most")) {
      const auto value = parse_value(*rest, unit);
      if (!value) return false;
      expectation.high = *value;
      return true;
    }
    if (const auto rest = rest_of("between")) return parse_between(*rest, unit, expectation);
    if (const auto rest = rest_of("within")) return parse_within(*rest, unit, expectation);
    const std::string known =
        "known: is A, at least A, at most A, between A and B, within 4% of A, within A of B";
    if (relation.empty())
      return fail(relation, "this says what to look at but not what to expect", known);
    return fail(relation, "no relation begins like '" + printable(relation.text()) + "'", known);
  }

  bool parse_between(const TextSpan& rest, Unit unit, Expectation& expectation) {
    const TextSpan second = rest.behind(" and ").trimmed();
    if (second.empty()) return fail(rest, "'between' needs two values", "between A and B");
    const auto low = parse_value(rest.before(" and ").trimmed(), unit);
    const auto high = parse_value(second, unit);
    if (!low || !high) return false;
    if (*low > *high) {
      return fail(rest, "the first value is above the second: nothing lies between them");
    }
    expectation.low = *low;
    expectation.high = *high;
    return true;
  }

  bool parse_within(const TextSpan& rest, Unit unit, Expectation& expectation) {
    const TextSpan target_text = rest.behind(" of ").trimmed();
    if (target_text.empty()) {
      return fail(rest, "'within' needs a tolerance and a value", "within 4% of A");
    }
    const TextSpan tolerance = rest.before(" of ").trimmed();
    const bool relative = !tolerance.empty() && tolerance.text().back() == '%';
    const auto allowed = parse_value(tolerance, relative ? Unit::kShare : unit);
    const auto target = parse_value(target_text, unit);
    if (!allowed || !target) return false;
    // |x - target| <= target * p is the same as <= the rounded-down product, since x is whole.
    const auto product = static_cast<unsigned __int128>(*target) * *allowed / kPpm;
    const std::uint64_t delta = relative ? static_cast<std::uint64_t>(product) : *allowed;
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - *target;
    expectation.low = *target - std::min(*target, delta);
    expectation.high = *target + std::min(room, delta);
    return true;
  }

  const ExpectationNames& names_;
  Diagnostics& diagnostics_;
};

}  // namespace

Unit metric_unit(Metric metric) {
  switch (metric) {
    case Metric::kBandwidth:
      return Unit::kBandwidth;
    case Metric::kBytes:
    case Metric::kLinkPayload:
    case Metric::kLinkTlp:
    case Metric::kLinkDllp:
      return Unit::kSize;
    case Metric::kLinkUtilisation:
      return Unit::kShare;
    default:
      return Unit::kTime;
  }
}

std::string_view unit_symbol(Unit unit) {
  switch (unit) {
    case Unit::kTime:
      return "ps";
    case Unit::kSize:
      return "B";
    case Unit::kBandwidth:
      return "B/s";
    case Unit::kShare:
      return "ppm";
  }
  return "";
}

std::string format_measured(Unit unit, std::uint64_t value) {
  switch (unit) {
    case Unit::kTime:
      return config::format_time_rounded(Picoseconds(value), 4);
    case Unit::kSize:
      return config::format_size_rounded(Bytes(value), 4);
    case Unit::kBandwidth:
      return config::format_bandwidth_rounded(Bandwidth(value), 4);
    case Unit::kShare: {
      // Tenths of a percent, rounded half up.
      const std::uint64_t tenths = value / 1000 + (value % 1000 >= 500 ? 1 : 0);
      return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "%";
    }
  }
  return "";
}

std::optional<std::uint64_t> parse_share(const config::Node& node, Diagnostics& diagnostics) {
  const auto fail = [&](const std::string& message) {
    diagnostics.error("bad-quantity", node.where(), message, "for example 4% or 0.5%");
    return std::nullopt;
  };
  std::string_view text = node.text();
  if (text.empty() || text.back() != '%') {
    return fail("'" + printable(text) + "' is no share: it needs the unit %");
  }
  text.remove_suffix(1);
  if (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view part =
      point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  const auto digits = [](std::string_view number) {
    return std::all_of(number.begin(), number.end(),
                       [](char letter) { return letter >= '0' && letter <= '9'; });
  };
  if (whole.empty() || !digits(whole) || !digits(part) || part.size() > 4 ||
      (point != std::string_view::npos && part.empty())) {
    return fail("'" + printable(node.text()) +
                "' is no share: digits, at most four of them behind a point, and %");
  }
  std::uint64_t ppm = 0;
  for (const char digit : whole) {
    ppm = ppm * 10 + static_cast<std::uint64_t>(digit - '0');
    if (ppm > 100) return fail("'" + printable(node.text()) + "' is more than 100%");
  }
  ppm *= kPpmPerPercent;
  std::uint64_t weight = kPpmPerPercent;
  for (const char digit : part) {
    weight /= 10;
    ppm += static_cast<std::uint64_t>(digit - '0') * weight;
  }
  if (ppm > kPpm) return fail("'" + printable(node.text()) + "' is more than 100%");
  return ppm;
}

std::optional<Expectation> parse_expectation(const config::Node& node,
                                             const ExpectationNames& names,
                                             Diagnostics& diagnostics) {
  return Parser(names, diagnostics).parse(node);
}

}  // namespace peerfab::scenario
