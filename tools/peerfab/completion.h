// SPDX-License-Identifier: Apache-2.0
// Scripts that let a shell complete the program's arguments. What they offer is read from the CLI11
// application, so that they know what `--help` knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace peerfab::cli {

// Type names of options and positionals whose values a shell can complete. They stand in the help.
inline constexpr const char* kYamlFileType = "FILE.yaml";
inline constexpr const char* kAnyFileType = "FILE";
inline constexpr const char* kModelType = "MODEL";

enum class ValueKind { kNone, kAnything, kChoice, kYamlFile, kAnyFile };

// An option or a positional.
struct CompletedArgument {
  std::vector<std::string> spellings;  // "-q", "--quiet"; empty: a positional
  std::string name;                    // what its value is called
  std::string description;
  ValueKind value = ValueKind::kNone;  // none: a flag
  std::vector<std::string> choices;    // of kChoice
  bool repeats = false;                // a positional that takes any number
};

struct CompletedCommand {
  std::string name;
  std::string description;
  std::vector<CompletedArgument> options;
  std::vector<CompletedArgument> positionals;  // in their order
};

struct CompletedProgram {
  std::string name;
  std::vector<CompletedArgument> options;  // before any command
  std::vector<CompletedCommand> commands;
};

// `models` are the choices of values of type kModelType.
[[nodiscard]] CompletedProgram describe_command_line(const CLI::App& app,
                                                     const std::vector<std::string>& models);

[[nodiscard]] std::string bash_completion(const CompletedProgram& program);
[[nodiscard]] std::string zsh_completion(const CompletedProgram& program);
[[nodiscard]] std::string fish_completion(const CompletedProgram& program);

// The parts joined by what stands between them.
[[nodiscard]] std::string joined(const std::vector<std::string>& parts, std::string_view between);

}  // namespace peerfab::cli
