// SPDX-License-Identifier: Apache-2.0
// The command line: contract of run_cli() in commands.h.
#include <CLI/CLI.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sim/base/diagnostics.h"
#include "tools/peerfab/commands.h"
#include "tools/peerfab/completion.h"
#include "tools/peerfab/session.h"
#include "tools/peerfab/standard_output.h"

namespace peerfab::cli {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  peerfab run scenarios/p2p-vs-bounce.yaml\n"
    "      simulate a copy peer to peer and through host memory, and compare them\n"
    "  peerfab run scenarios/p2p-vs-bounce.yaml --json result.json\n"
    "      the same with everything that was measured, for other programs\n"
    "  peerfab check my-topology.yaml\n"
    "      say what is wrong with a file, and where\n"
    "  peerfab topo topologies/two-gpus-one-switch.yaml --matrix\n"
    "      how close the devices are to each other\n"
    "  peerfab models gpu\n"
    "      the parameters of a model, their defaults and meanings\n"
    "  source <(peerfab completion bash)\n"
    "      from now on, Tab completes; zsh and fish too: peerfab completion --help\n"
    "\n"
    "Exit codes: 0 fine, 1 an expectation failed, 2 bad input, 3 the simulation failed or was "
    "stopped.";

struct Arguments {
  RunArguments run;
  std::vector<std::string> check;
  TopoArguments topo;
  ModelsArguments models;
  std::string schema;
  std::string completion;
};

// A message of our own: CLI11 only says that the conversion failed.
CLI::Validator whole_number() {
  return {[](const std::string& text) {
            const bool digits = !text.empty() && text.size() < 20 &&
                                text.find_first_not_of("0123456789") == std::string::npos;
            return digits ? std::string() : "'" + text + "' is not a whole number below 10^19";
          },
          "NUMBER"};
}

// A first word that is no command, told apart from an option and from nothing at all.
bool is_unknown_command(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return false;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == argv[1]) return false;
    names.push_back(command->get_name());
  }
  const std::string hint = did_you_mean(argv[1], names);
  print_error("peerfab: there is no command '" + printable(argv[1]) +
              "': " + (hint.empty() ? "peerfab --help lists them" : hint) + "\n");
  return true;
}

void add_run(CLI::App& app, Arguments& arguments) {
  CLI::App* run = app.add_subcommand("run", "Simulate a scenario and print what came out");
  run->add_option("scenario", arguments.run.scenario, "Scenario file")
      ->required()
      ->type_name(kYamlFileType);
  run->add_option("--json", arguments.run.json,
                  "Write the whole result to this file; - for standard output")
      ->type_name(kAnyFileType);
  run->add_option("--seed", arguments.run.seed, "Use this seed instead of the scenario's")
      ->check(whole_number());
  run->add_option("--payload", arguments.run.payload,
                  "none: timing only; real: bytes move and are checked")
      ->check(CLI::IsMember({"none", "real"}));
  run->add_option("--jobs", arguments.run.jobs,
                  "Variants to simulate at the same time (default: one per core)")
      ->check(CLI::Range(1, 1024));
  run->add_flag("--monitors", arguments.run.monitors,
                "Watch every link for violations of the specification and say what was checked; "
                "with a violation the exit code is 3");
  run->add_flag("-q,--quiet", arguments.run.quiet, "Print errors only");
  run->add_flag("-v,--verbose", arguments.run.verbose,
                "Print also where the time went and what crossed each link");
  run->footer(
      "Example: peerfab run scenarios/p2p-vs-bounce.yaml --json -\n"
      "Ctrl-C ends the simulation; the result so far is written and marked partial.");
}

void add_others(CLI::App& app, Arguments& arguments) {
  CLI::App* check = app.add_subcommand("check", "Check topologies, scenarios and presets");
  check->add_option("files", arguments.check, "Files")->required()->type_name(kYamlFileType);
  check->footer("Example: peerfab check topologies/*.yaml scenarios/*.yaml");

  CLI::App* topo = app.add_subcommand("topo", "Show a topology");
  topo->add_option("topology", arguments.topo.topology, "Topology file")
      ->required()
      ->type_name(kYamlFileType);
  CLI::Option* format = topo->add_option("--format", arguments.topo.format, "tree, dot or json")
                            ->check(CLI::IsMember({"tree", "dot", "json"}))
                            ->default_str("tree");
  topo->add_flag("--matrix", arguments.topo.matrix,
                 "How close the devices are, as `nvidia-smi topo -m` shows it")
      ->excludes(format);
  topo->footer("Example: peerfab topo topologies/two-gpus-one-switch.yaml --format dot");

  CLI::App* models = app.add_subcommand("models", "List the models, or show one in full");
  models->add_option("kind", arguments.models.kind, "A model, for example gpu")
      ->type_name(kModelType);
  models->add_option("--format", arguments.models.format, "text, markdown or json")
      ->check(CLI::IsMember({"text", "markdown", "json"}))
      ->default_str("text");

  CLI::App* schema =
      app.add_subcommand("schema", "Print a JSON Schema, for editors and for programs");
  schema->add_option("which", arguments.schema, "topology, scenario or result")
      ->required()
      ->check(CLI::IsMember({"topology", "scenario", "result"}));

  CLI::App* completion =
      app.add_subcommand("completion", "Print a script that completes arguments in a shell");
  completion->add_option("shell", arguments.completion, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->footer(
      "Examples: source <(peerfab completion bash)\n"
      "          peerfab completion fish | source\n"
      "The first lines of each script say how to keep it.");
}

}  // namespace

int run_cli(int argc, const char* const* argv, const device::ModelRegistry& registry,
            const RunVariant& run_variant) {
  CLI::App app("Simulates PCIe fabrics with peer-to-peer DMA, TLP by TLP.", "peerfab");
  app.set_version_flag("--version", std::string("peerfab ") + PEERFAB_VERSION);
  app.footer(kExamples);
  app.require_subcommand(1);
  Arguments arguments;
  add_run(app, arguments);
  add_others(app, arguments);
  if (argc < 2) {
    print_error(app.help());
    return kExitBadInput;
  }
  if (is_unknown_command(app, argc, argv)) return kExitBadInput;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = app.exit(error, out, err);
    const bool printed = out.str().empty() || print(out.str());
    print_error(err.str());
    return code == 0 && printed ? kExitFine : kExitBadInput;
  }
  if (app.got_subcommand("run")) return run_command(arguments.run, registry, run_variant);
  if (app.got_subcommand("check")) return check_command(arguments.check, registry);
  if (app.got_subcommand("topo")) return topo_command(arguments.topo, registry);
  if (app.got_subcommand("models")) return models_command(arguments.models, registry);
  if (app.got_subcommand("completion")) {
    return completion_command(arguments.completion, app, registry);
  }
  return schema_command(arguments.schema, registry);
}

}  // namespace peerfab::cli
