// SPDX-License-Identifier: Apache-2.0
// The program's commands. Each returns the exit code.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/device/model_registry.h"
#include "sim/scenario/result.h"
#include "sim/scenario/run_hooks.h"
#include "sim/scenario/scenario.h"
#include "sim/topology/topology.h"

namespace CLI {
class App;
}  // namespace CLI

namespace peerfab::cli {

// Simulates one variant; in a worker process.
using RunVariant =
    std::function<scenario::VariantResult(const scenario::Scenario&, const scenario::Variant&,
                                          const topology::Topology&, scenario::RunHooks&)>;

struct RunArguments {
  std::string scenario;
  std::optional<std::string> json;  // "-": standard output
  std::optional<std::uint64_t> seed;
  std::optional<std::string> payload;  // "none", "real"
  unsigned jobs = 0;
  bool quiet = false;
  bool verbose = false;
  bool monitors = false;
};
int run_command(const RunArguments& arguments, const device::ModelRegistry& registry,
                const RunVariant& run_variant);

int check_command(const std::vector<std::string>& files, const device::ModelRegistry& registry);

struct TopoArguments {
  std::string topology;
  bool matrix = false;
  std::string format = "tree";  // "tree", "dot", "json"
};
int topo_command(const TopoArguments& arguments, const device::ModelRegistry& registry);

struct ModelsArguments {
  std::string kind;             // empty: all
  std::string format = "text";  // "text", "markdown", "json"
};
int models_command(const ModelsArguments& arguments, const device::ModelRegistry& registry);

// "topology", "scenario", "result".
int schema_command(const std::string& which, const device::ModelRegistry& registry);

// "bash", "zsh", "fish": prints a script that completes what `app` accepts.
int completion_command(const std::string& shell, const CLI::App& app,
                       const device::ModelRegistry& registry);

// Parses the command line and runs what it says. No command: the help, and exit code 2.
int run_cli(int argc, const char* const* argv, const device::ModelRegistry& registry,
            const RunVariant& run_variant);

}  // namespace peerfab::cli
