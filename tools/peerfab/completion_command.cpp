// SPDX-License-Identifier: Apache-2.0
// `peerfab completion`: what the CLI11 application accepts, as data, and the choice of a shell.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/peerfab/commands.h"
#include "tools/peerfab/completion.h"
#include "tools/peerfab/session.h"
#include "tools/peerfab/standard_output.h"

namespace peerfab::cli {
namespace {

// CLI11 writes the members of CLI::IsMember into the type name: "TEXT:{none,real}". Empty: there
// are none.
std::vector<std::string> members(const std::string& type) {
  std::vector<std::string> found;
  const std::size_t open = type.find(":{");
  const std::size_t close = type.find('}', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return found;
  std::size_t start = open + 2;
  while (start <= close) {
    const std::size_t end = std::min(type.find(',', start), close);
    found.push_back(type.substr(start, end - start));
    start = end + 1;
  }
  return found;
}

CompletedArgument describe(const CLI::Option& option, const std::vector<std::string>& models) {
  CompletedArgument argument;
  for (const std::string& name : option.get_snames()) argument.spellings.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) argument.spellings.push_back("--" + name);
  argument.name = option.get_single_name();
  argument.description = option.get_description();
  argument.repeats = option.get_expected_max() > 1;
  if (option.get_items_expected_max() == 0) return argument;
  const std::string type = option.get_type_name();
  argument.choices = type == kModelType ? models : members(type);
  if (!argument.choices.empty()) {
    argument.value = ValueKind::kChoice;
  } else if (type == kYamlFileType) {
    argument.value = ValueKind::kYamlFile;
  } else if (type == kAnyFileType) {
    argument.value = ValueKind::kAnyFile;
  } else {
    argument.value = ValueKind::kAnything;
  }
  return argument;
}

}  // namespace

CompletedProgram describe_command_line(const CLI::App& app,
                                       const std::vector<std::string>& models) {
  CompletedProgram program;
  program.name = app.get_name();
  for (const CLI::Option* option : app.get_options()) {
    program.options.push_back(describe(*option, models));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CompletedCommand described;
    described.name = command->get_name();
    described.description = command->get_description();
    for (const CLI::Option* option : command->get_options()) {
      (option->get_positional() ? described.positionals : described.options)
          .push_back(describe(*option, models));
    }
    program.commands.push_back(std::move(described));
  }
  return program;
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += between;
    text += part;
  }
  return text;
}

int completion_command(const std::string& shell, const CLI::App& app,
                       const device::ModelRegistry& registry) {
  std::vector<std::string> models;
  for (const device::ModelDescriptor& model : registry.all()) models.push_back(model.kind);
  const CompletedProgram program = describe_command_line(app, models);
  std::string script;
  if (shell == "bash") {
    script = bash_completion(program);
  } else if (shell == "zsh") {
    script = zsh_completion(program);
  } else {
    script = fish_completion(program);
  }
  return print(script) ? kExitFine : kExitBadInput;
}

}  // namespace peerfab::cli
