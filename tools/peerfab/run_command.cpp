// SPDX-License-Identifier: Apache-2.0
// `peerfab run`: contract in commands.h.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sim/config/quantity.h"
#include "sim/scenario/judge.h"
#include "sim/scenario/result_json.h"
#include "sim/scenario/workers.h"
#include "tools/peerfab/commands.h"
#include "tools/peerfab/output_file.h"
#include "tools/peerfab/progress_bar.h"
#include "tools/peerfab/run_report.h"
#include "tools/peerfab/session.h"
#include "tools/peerfab/standard_output.h"
#include "tools/peerfab/stop_signal.h"

namespace peerfab::cli {
namespace {

using scenario::RunResult;
using scenario::Scenario;

// Line by line: the explanation of a deadlock has several.
std::string printable_lines(const std::string& text) {
  std::string lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines += printable(std::string_view(text).substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return lines;
}

// Where the JSON goes.
class JsonTarget {
 public:
  // False, with a message printed, when it could not be written later.
  bool open(const std::optional<std::string>& name) {
    name_ = name;
    if (!name) return true;
    if (*name == "-") {
      if (standard_output_is_open()) return true;
      print_error("peerfab: --json -: standard output is closed\n");
      return false;
    }
    std::string error;
    file_ = OutputFile::open(*name, error);
    if (!file_) print_error("peerfab: cannot write '" + *name + "': " + error + "\n");
    return file_ != nullptr;
  }
  [[nodiscard]] bool is_standard_output() const { return name_ && *name_ == "-"; }

  bool write(const RunResult& result) {
    if (!name_) return true;
    const std::string text = scenario::result_to_json(result);
    if (is_standard_output()) return print(text);
    std::string error;
    if (file_->commit(text, error)) return true;
    print_error("peerfab: cannot write '" + *name_ + "': " + error + "\n");
    return false;
  }

 private:
  std::optional<std::string> name_;
  std::unique_ptr<OutputFile> file_;
};

void apply_arguments(const RunArguments& arguments, Scenario& scenario) {
  if (arguments.seed) scenario.seed = *arguments.seed;
  if (arguments.payload) {
    scenario.payload =
        *arguments.payload == "real" ? scenario::Payload::kReal : scenario::Payload::kNone;
  }
  scenario.monitors = arguments.monitors;
}

RunResult simulate(const Session::Prepared& prepared, const RunArguments& arguments,
                   const RunVariant& run_variant) {
  const Scenario& scenario = prepared.scenario;
  const auto start = std::chrono::steady_clock::now();
  ProgressBar bar(!arguments.quiet && is_terminal(STDERR_FILENO));
  scenario::WorkerOptions options;
  options.jobs = arguments.jobs;
  options.stop = &stop_requested();
  options.progress = [&bar](const scenario::Progress& progress) { bar.show(progress); };
  const auto runner = [&](const scenario::Variant& variant, scenario::RunHooks& hooks) {
    const auto index = static_cast<std::size_t>(&variant - scenario.variants.data());
    return run_variant(scenario, variant, prepared.topologies[index], hooks);
  };
  RunResult result;
  result.variants = scenario::run_in_workers(scenario.variants, runner, options);
  bar.clear();
  result.expectations = scenario::judge(scenario.expectations, result.variants);
  result.scenario = scenario.name;
  result.scenario_file = scenario.file;
  result.topology = prepared.topologies.front().name;
  result.topology_file = scenario.topology.string();
  result.version = PEERFAB_VERSION;
  result.seed = scenario.seed;
  result.payload = scenario.payload == scenario::Payload::kReal ? "real" : "none";
  result.partial = std::any_of(result.variants.begin(), result.variants.end(),
                               [](const auto& variant) { return variant.partial; });
  result.wall_microseconds =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                     std::chrono::steady_clock::now() - start)
                                     .count());
  return result;
}

ReportOptions report_options(const Session::Prepared& prepared, const RunArguments& arguments,
                             int descriptor) {
  const Scenario& scenario = prepared.scenario;
  const topology::Topology& topology = prepared.topologies.front();
  ReportOptions options;
  options.title = topology.name.empty() ? scenario.topology.string() : topology.name;
  if (scenario.flows.size() == 1) {
    const scenario::FlowSpec& flow = scenario.flows.front();
    options.title += ": " + config::format_size(flow.total()) + " " + flow.from + " -> " + flow.to;
  } else {
    options.title += ": " + scenario.name;
  }
  for (const topology::PcieLink& link : topology.links) {
    if (topology.components[link.upper].is_socket) options.root_links.push_back(link.name);
  }
  options.topology_file = scenario.topology.string();
  options.colour = is_terminal(descriptor) && std::getenv("NO_COLOR") == nullptr;
  options.verbose = arguments.verbose;
  return options;
}

int exit_code(const RunResult& result, bool written) {
  const auto failed = [](const scenario::VariantResult& variant) {
    const auto& monitors = variant.monitors;
    return !variant.error.empty() || std::any_of(monitors.begin(), monitors.end(),
                                                 [](auto& each) { return each.violations != 0; });
  };
  if (!written || result.partial ||
      std::any_of(result.variants.begin(), result.variants.end(), failed)) {
    return kExitSimulationFailed;
  }
  const auto missed = [](const auto& expectation) {
    return expectation.outcome != scenario::Outcome::kPassed;
  };
  return std::any_of(result.expectations.begin(), result.expectations.end(), missed)
             ? kExitExpectationFailed
             : kExitFine;
}

}  // namespace

int run_command(const RunArguments& arguments, const device::ModelRegistry& registry,
                const RunVariant& run_variant) {
  Session session(registry);
  auto prepared = session.prepare(arguments.scenario);
  session.report(arguments.quiet     ? Severity::kError
                 : arguments.verbose ? Severity::kNote
                                     : Severity::kWarning);
  if (!prepared) return kExitBadInput;
  apply_arguments(arguments, prepared->scenario);
  JsonTarget json;
  if (!json.open(arguments.json)) return kExitBadInput;

  catch_stop_signals();
  const RunResult result = simulate(*prepared, arguments, run_variant);
  bool written = json.write(result);
  for (const scenario::VariantResult& variant : result.variants) {
    if (variant.error.empty()) continue;
    print_error("peerfab: the simulation of '" + variant.name +
                "' failed: " + printable_lines(variant.error));
  }
  if (arguments.quiet) {
    print_error(render_missed(result) + render_violations(result));
  } else {
    const int descriptor = json.is_standard_output() ? STDERR_FILENO : STDOUT_FILENO;
    const std::string report =
        render_report(result, report_options(*prepared, arguments, descriptor));
    written = (descriptor == STDERR_FILENO ? print_error(report) : print(report)) && written;
  }
  return exit_code(result, written);
}

}  // namespace peerfab::cli
