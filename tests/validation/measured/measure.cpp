// SPDX-License-Identifier: Apache-2.0
#include "tests/validation/measured/measure.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "models/register_all.h"
#include "sim/scenario/runner.h"
#include "sim/scenario/workers.h"
#include "sim/topology/topology.h"
#include "tests/support/catch.h"

namespace peerfab::validation {

using scenario::FlowSpec;
using scenario::VariantResult;

FlowSpec flow(const std::string& name, const std::string& from, const std::string& to, Bytes size,
              Bytes chunk, unsigned queue_depth) {
  FlowSpec spec;
  spec.name = name;
  spec.from = from;
  spec.to = to;
  spec.size = size;
  spec.chunk = std::min(chunk, size);
  spec.row = spec.chunk;
  spec.stride = spec.chunk;
  spec.queue_depth = queue_depth;
  spec.staging_chunk = Bytes(std::uint64_t{1} << 20);
  return spec;
}

FlowSpec copy(const std::string& name, const std::string& from, const std::string& to, Bytes size) {
  FlowSpec spec = flow(name, from, to, size, Bytes(std::uint64_t{4} << 20), 2);
  spec.verb = scenario::Verb::kCopy;
  return spec;
}

VariantResult simulate(const std::string& topology_yaml, const std::vector<FlowSpec>& flows,
                       Picoseconds duration, Picoseconds warm_up) {
  device::ModelRegistry registry;
  models::register_all_models(registry);
  SourceTexts texts;
  Diagnostics diagnostics;
  const config::PresetLibrary presets = config::PresetLibrary::builtin(texts, diagnostics);
  const auto topology = topology::parse_topology(topology_yaml, "validation.yaml", registry,
                                                 presets, texts, diagnostics);
  std::ostringstream rendered;
  diagnostics.render(rendered, texts);
  INFO(rendered.str());
  REQUIRE(!diagnostics.has_errors());
  REQUIRE(topology.has_value());

  scenario::Scenario scenario;
  scenario.time_limit = duration;
  scenario.warm_up = warm_up;
  scenario.monitors = true;
  scenario::Variant variant;
  variant.name = "run";
  variant.flows = flows;
  scenario.variants = {variant};
  scenario::WorkerOptions options;
  options.jobs = 1;
  const std::vector<VariantResult> results = scenario::run_in_workers(
      scenario.variants,
      [&](const scenario::Variant& which, scenario::RunHooks& hooks) {
        return scenario::run_variant(scenario, which, *topology, hooks);
      },
      options);
  REQUIRE(results.size() == 1);
  INFO(results.front().error);
  REQUIRE(results.front().error.empty());
  REQUIRE(!results.front().partial);
  for (const scenario::MonitorResult& monitor : results.front().monitors) {
    for (const std::string& finding : monitor.findings) FAIL_CHECK(finding);
  }
  return results.front();
}

std::uint64_t total_rate(const VariantResult& result) {
  Bytes bytes;
  Picoseconds time;
  for (const scenario::FlowResult& one : result.flows) {
    bytes += one.bytes;
    time = std::max(time, one.time);
  }
  return average_bandwidth(bytes, time).bytes_per_second();
}

void check_row(const std::string& row, std::uint64_t simulated, double measured, double low,
               double high, double bytes_per_second_per_unit, const std::string& unit) {
  const double value = static_cast<double>(simulated) / bytes_per_second_per_unit;
  std::printf("%s: simulated %.3f %s, measured %.3f (%+.1f %%), window %.3f to %.3f\n", row.c_str(),
              value, unit.c_str(), measured, (value / measured - 1) * 100, low, high);
  INFO(row);
  CHECK(value >= low);
  CHECK(value <= high);
}

}  // namespace peerfab::validation
