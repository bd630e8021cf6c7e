// SPDX-License-Identifier: Apache-2.0
// Contract in run_report.h.
#include "tools/peerfab/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sim/config/quantity.h"
#include "sim/scenario/expectation.h"
#include "sim/stats/breakdown.h"
#include "tools/peerfab/text_table.h"

namespace peerfab::cli {
namespace {

using scenario::FlowResult;
using scenario::LinkResult;
using scenario::RunResult;
using scenario::VariantResult;

constexpr std::size_t kIndent = 2;
constexpr std::size_t kGap = 3;
// Latency tells something about small transactions; that of large ones is their size over the rate.
constexpr std::uint64_t kSmallTransaction = 4096;

bool is_good(const VariantResult& variant) { return variant.error.empty(); }

// What went wrong in one sentence; the lines behind it explain a deadlock wait by wait.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

bool shows_latency(const RunResult& result) {
  for (const VariantResult& variant : result.variants) {
    for (const FlowResult& flow : variant.flows) {
      if (flow.transactions > 1 && flow.bytes.count() / flow.transactions <= kSmallTransaction) {
        return true;
      }
    }
  }
  return false;
}

std::size_t flows_per_variant(const RunResult& result) {
  std::size_t most = 0;
  for (const VariantResult& variant : result.variants) most = std::max(most, variant.flows.size());
  return most;
}

std::string over_links(const VariantResult& variant, const std::vector<std::string>& names) {
  Bytes up;
  Bytes down;
  for (const LinkResult& link : variant.links) {
    if (std::find(names.begin(), names.end(), link.name) == names.end()) continue;
    (link.direction == "up" ? up : down) += link.payload;
  }
  if (up == Bytes() && down == Bytes()) return "0B";
  if (down == Bytes()) return config::format_size_rounded(up) + " up";
  if (up == Bytes()) return config::format_size_rounded(down) + " down";
  return config::format_size_rounded(up) + " up, " + config::format_size_rounded(down) + " down";
}

// Which label columns a row has: the variant, the flow, or both.
struct Labels {
  bool variant = false;
  bool flow = false;

  explicit Labels(const RunResult& result)
      : variant(result.variants.size() > 1), flow(!variant || flows_per_variant(result) > 1) {}

  [[nodiscard]] std::vector<TextTable::Column> columns() const {
    std::vector<TextTable::Column> columns;
    if (variant) columns.push_back({"", Align::kLeft});
    if (flow) columns.push_back({"", Align::kLeft});
    return columns;
  }
  [[nodiscard]] std::vector<std::string> cells(const std::string& variant_name,
                                               const std::string& flow_name) const {
    std::vector<std::string> cells;
    if (variant) cells.push_back(variant_name);
    if (flow) cells.push_back(flow_name);
    return cells;
  }
};

std::string render_flows(const RunResult& result, const ReportOptions& options) {
  const Labels labels(result);
  const bool latency = shows_latency(result);
  std::vector<TextTable::Column> columns = labels.columns();
  columns.push_back({"bandwidth", Align::kRight});
  columns.push_back({"first byte", Align::kRight});
  if (latency) {
    columns.push_back({"latency p50", Align::kRight});
    columns.push_back({"p99", Align::kRight});
  }
  columns.push_back({"limited by", Align::kLeft});
  if (!options.root_links.empty()) {
    columns.push_back({options.root_links.size() == 1 ? "over " + options.root_links.front()
                                                      : std::string("over the root ports"),
                       Align::kLeft});
  }
  TextTable table(std::move(columns));
  for (const VariantResult& variant : result.variants) {
    if (!is_good(variant)) {
      table.add_spanning(
          labels.cells(variant.name, labels.variant ? "" : variant.name),
          painted("failed: " + first_line(variant.error), Paint::kBad, options.colour));
      continue;
    }
    if (variant.flows.empty()) {
      table.add_spanning(labels.cells(variant.name, labels.variant ? "" : variant.name),
                         "not started");
    }
    bool first = true;
    for (const FlowResult& flow : variant.flows) {
      std::vector<std::string> cells = labels.cells(first ? variant.name : "", flow.name);
      cells.push_back(config::format_bandwidth_rounded(flow.bandwidth));
      cells.push_back(config::format_time_rounded(flow.first_byte));
      if (latency) {
        cells.push_back(config::format_time_rounded(flow.latency.p50));
        cells.push_back(config::format_time_rounded(flow.latency.p99));
      }
      cells.push_back(flow.finished ? flow.limited_by : flow.limited_by + " (unfinished)");
      if (!options.root_links.empty()) {
        cells.push_back(first ? over_links(variant, options.root_links) : "");
      }
      table.add(std::move(cells));
      first = false;
    }
  }
  return table.render(kIndent, kGap);
}

// Those that took time anywhere: ten columns are more than most terminals have.
std::vector<stats::Segment> used_segments(const RunResult& result) {
  stats::Breakdown sum;
  for (const VariantResult& variant : result.variants) {
    for (const FlowResult& flow : variant.flows) sum += flow.breakdown_mean;
  }
  std::vector<stats::Segment> used;
  for (std::size_t i = 0; i < stats::kSegmentCount; ++i) {
    if (sum.segments[i] != Picoseconds()) used.push_back(stats::segment_at(i));
  }
  return used;
}

bool is_idle(const LinkResult& link) { return link.tlps == 0 && link.dllp == Bytes(); }

std::string render_breakdown(const RunResult& result) {
  const Labels labels(result);
  std::vector<TextTable::Column> columns = labels.columns();
  columns.push_back({"mean", Align::kRight});
  const std::vector<stats::Segment> segments = used_segments(result);
  for (const stats::Segment segment : segments) {
    columns.push_back({std::string(stats::segment_name(segment)), Align::kRight});
  }
  TextTable table(std::move(columns));
  for (const VariantResult& variant : result.variants) {
    bool first = true;
    for (const FlowResult& flow : variant.flows) {
      std::vector<std::string> cells = labels.cells(first ? variant.name : "", flow.name);
      cells.push_back(config::format_time_rounded(flow.latency.mean));
      for (const stats::Segment segment : segments) {
        const Picoseconds time = flow.breakdown_mean[segment];
        cells.push_back(time == Picoseconds() ? "-" : config::format_time_rounded(time));
      }
      table.add(std::move(cells));
      first = false;
    }
  }
  return "\nWhere the time of a transaction goes:\n" + table.render(kIndent, kGap);
}

std::string render_links(const RunResult& result) {
  const bool compared = result.variants.size() > 1;
  std::vector<TextTable::Column> columns;
  if (compared) columns.push_back({"", Align::kLeft});
  for (const char* header : {"link", "", "speed"}) columns.push_back({header, Align::kLeft});
  for (const char* header : {"payload", "TLPs", "DLLPs", "busy", "credit stall", "queue peak"}) {
    columns.push_back({header, Align::kRight});
  }
  TextTable table(std::move(columns));
  for (const VariantResult& variant : result.variants) {
    bool first = true;
    for (const LinkResult& link : variant.links) {
      if (is_idle(link)) continue;
      std::vector<std::string> cells;
      if (compared) cells.push_back(first ? variant.name : "");
      cells.insert(
          cells.end(),
          {link.name, link.direction, link.speed, config::format_size_rounded(link.payload),
           config::format_size_rounded(link.tlp), config::format_size_rounded(link.dllp),
           scenario::format_measured(scenario::Unit::kShare, link.utilisation_ppm),
           config::format_time_rounded(link.credit_stall), std::to_string(link.queue_peak)});
      table.add(std::move(cells));
      first = false;
    }
  }
  return "\nWhat crossed each link (sizes on the wire; idle ones left out):\n" +
         table.render(kIndent, kGap);
}

std::string render_expectations(const RunResult& result, bool colour) {
  std::string out;
  for (const auto& expectation : result.expectations) {
    const bool passed = expectation.outcome == scenario::Outcome::kPassed;
    const bool failed = expectation.outcome == scenario::Outcome::kFailed;
    const std::string verdict = passed ? painted("ok    ", Paint::kGood, colour)
                                       : painted(failed ? "FAILED" : "?     ", Paint::kBad, colour);
    out += fmt::format("  {}   {}: {}\n", verdict, expectation.text, expectation.message);
  }
  return out;
}

// The same monitors watch in every variant that ran.
std::string render_monitors(const RunResult& result, bool colour) {
  std::vector<scenario::MonitorResult> sums;
  for (const VariantResult& variant : result.variants) {
    if (sums.empty()) sums.resize(variant.monitors.size());
    for (std::size_t i = 0; i < std::min(sums.size(), variant.monitors.size()); ++i) {
      sums[i].name = variant.monitors[i].name;
      sums[i].section = variant.monitors[i].section;
      sums[i].checks += variant.monitors[i].checks;
      sums[i].violations += variant.monitors[i].violations;
    }
  }
  if (sums.empty()) return "";
  TextTable table({{"monitor", Align::kLeft},
                   {"PCIe r6.0", Align::kLeft},
                   {"checks", Align::kRight},
                   {"violations", Align::kRight}});
  for (const scenario::MonitorResult& sum : sums) {
    const std::string violations = std::to_string(sum.violations);
    table.add({sum.name, "sec " + sum.section, std::to_string(sum.checks),
               sum.violations == 0 ? violations : painted(violations, Paint::kBad, colour)});
  }
  return "\nConformance of all links:\n" + table.render(kIndent, kGap) + render_violations(result) +
         "\n";
}

// "1.5", "12": with one digit below ten.
std::string ratio_text(std::uint64_t fast, std::uint64_t slow) {
  const auto tenths =
      static_cast<std::uint64_t>((static_cast<unsigned __int128>(fast) * 10 + slow / 2) / slow);
  if (tenths >= 100) return std::to_string((tenths + 5) / 10);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

// Says which variant is the fastest, where each has one flow.
std::string render_comparison(const RunResult& result) {
  const VariantResult* fast = nullptr;
  const VariantResult* slow = nullptr;
  for (const VariantResult& variant : result.variants) {
    if (!is_good(variant) || variant.partial || variant.flows.size() != 1) return "";
    const Bandwidth bandwidth = variant.flows.front().bandwidth;
    if (fast == nullptr || bandwidth > fast->flows.front().bandwidth) fast = &variant;
    if (slow == nullptr || bandwidth < slow->flows.front().bandwidth) slow = &variant;
  }
  if (result.variants.size() < 2) return "";
  const std::uint64_t high = fast->flows.front().bandwidth.bytes_per_second();
  const std::uint64_t low = slow->flows.front().bandwidth.bytes_per_second();
  if (low == 0) return "";
  const std::string ratio = ratio_text(high, low);
  if (ratio == "1.0") return "  All are equally fast.";
  return fmt::format("  {} is {} times as fast as {}.", fast->name, ratio, slow->name);
}

}  // namespace

std::string render_violations(const RunResult& result) {
  // Of each monitor the first few: one mistake of a model shows a thousand times.
  constexpr std::size_t kShown = 3;
  std::string out;
  for (const VariantResult& variant : result.variants) {
    for (const scenario::MonitorResult& monitor : variant.monitors) {
      const std::size_t shown = std::min(kShown, monitor.findings.size());
      for (std::size_t i = 0; i < shown; ++i) {
        out += fmt::format("peerfab: {}: {}\n", variant.name, monitor.findings[i]);
      }
      if (monitor.violations > shown) {
        out += fmt::format("peerfab: {}: {}: {} more\n", variant.name, monitor.name,
                           monitor.violations - shown);
      }
    }
  }
  return out;
}

std::string render_missed(const RunResult& result) {
  std::string out;
  for (const auto& expectation : result.expectations) {
    if (expectation.outcome == scenario::Outcome::kPassed) continue;
    out += fmt::format("peerfab: {}: {}\n", expectation.text, expectation.message);
  }
  return out;
}

std::string render_report(const RunResult& result, const ReportOptions& options) {
  std::string out = painted(options.title, Paint::kBold, options.colour) + "\n";
  out += render_flows(result, options);
  if (options.verbose) out += render_breakdown(result) + render_links(result) + "\n";
  out += render_monitors(result, options.colour);
  out += render_expectations(result, options.colour);
  for (const VariantResult& variant : result.variants) {
    if (variant.partial) {
      out += fmt::format("  {} was stopped: its numbers cover what was done until then.\n",
                         variant.name);
    }
  }
  std::string closing = render_comparison(result);
  if (!options.topology_file.empty()) {
    closing += fmt::format("  The way: peerfab topo {} --matrix", options.topology_file);
  }
  if (!closing.empty()) out += closing + "\n";
  return out;
}

}  // namespace peerfab::cli
