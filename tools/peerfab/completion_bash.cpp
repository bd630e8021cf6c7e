// SPDX-License-Identifier: Apache-2.0
// The completion script for bash: contract in completion.h.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "tools/peerfab/completion.h"

namespace peerfab::cli {
namespace {

constexpr std::string_view kHead = R"(# Completion of {0} for bash. Try it:
#   source <({0} completion bash)
# Keep it:
#   {0} completion bash > ~/.local/share/bash-completion/completions/{0}

# Offers those of the words $2... that begin with $1.
_{0}_words() {{
  local begin=$1 word
  shift
  for word; do
    [[ $word == "$begin"* ]] && COMPREPLY+=("$word")
  done
}}

# Offers folders and files that begin with $1 and match the pattern $2.
_{0}_files() {{
  local name
  compopt -o filenames 2>/dev/null  # an error only outside of a completion
  while IFS= read -r name; do
    COMPREPLY+=("$name")
  done < <(compgen -d -- "$1"; compgen -f -X "!$2" -- "$1")
}}

_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command= position=0 i
  COMPREPLY=()
  # bash hands over `--format=dot` as three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
)";

constexpr std::string_view kCountPositions = R"(  for ((i = 1; i < COMP_CWORD; i++)); do
    case $command:${{COMP_WORDS[i]}} in
      {0})  # a value follows
        [[ ${{COMP_WORDS[i + 1]}} == = ]] && ((i++))
        ((i++))
        ;;
      *:-*) ;;
      :*) command=${{COMP_WORDS[i]}} ;;
      *) ((position++)) ;;
    esac
  done
)";

// What offers the values of an argument; empty: nothing can.
std::string offer(const CompletedArgument& argument, const std::string& program) {
  switch (argument.value) {
    case ValueKind::kChoice:
      return fmt::format("_{}_words \"$current\" {}", program, joined(argument.choices, " "));
    case ValueKind::kYamlFile:
      return fmt::format("_{}_files \"$current\" '*.yaml'", program);
    case ValueKind::kAnyFile:
      return fmt::format("_{}_files \"$current\" '*'", program);
    case ValueKind::kAnything:
    case ValueKind::kNone:
      break;
  }
  return {};
}

// "run:--json", for `case`.
std::string patterns(const CompletedCommand& command, const CompletedArgument& option) {
  std::vector<std::string> all;
  for (const std::string& spelling : option.spellings) all.push_back(command.name + ":" + spelling);
  return joined(all, " | ");
}

std::string options_with_values(const CompletedProgram& program) {
  std::vector<std::string> all;
  for (const CompletedCommand& command : program.commands) {
    for (const CompletedArgument& option : command.options) {
      if (option.value != ValueKind::kNone) all.push_back(patterns(command, option));
    }
  }
  return joined(all, " | ");
}

std::string values(const CompletedProgram& program) {
  std::string text = "  case $command:$previous in\n";
  for (const CompletedCommand& command : program.commands) {
    for (const CompletedArgument& option : command.options) {
      if (option.value == ValueKind::kNone) continue;
      const std::string call = offer(option, program.name);
      text += fmt::format("    {}) {}return ;;\n", patterns(command, option),
                          call.empty() ? "" : call + "; ");
    }
  }
  return text + "  esac\n";
}

std::string spellings(const std::vector<CompletedArgument>& options) {
  std::vector<std::string> all;
  for (const CompletedArgument& option : options) {
    all.insert(all.end(), option.spellings.begin(), option.spellings.end());
  }
  return joined(all, " ");
}

std::string options(const CompletedProgram& program) {
  constexpr std::string_view line = "      {}) _{}_words \"$current\" {} ;;\n";
  std::string text = "  if [[ $current == -* ]]; then\n    case $command in\n";
  text += fmt::format(line, "''", program.name, spellings(program.options));
  for (const CompletedCommand& command : program.commands) {
    text += fmt::format(line, command.name, program.name, spellings(command.options));
  }
  return text + "    esac\n    return\n  fi\n";
}

std::string positionals(const CompletedProgram& program) {
  std::vector<std::string> names;
  for (const CompletedCommand& command : program.commands) names.push_back(command.name);
  std::string text = "  case $command:$position in\n";
  text += fmt::format("    :*) _{}_words \"$current\" {} ;;\n", program.name, joined(names, " "));
  for (const CompletedCommand& command : program.commands) {
    for (std::size_t i = 0; i < command.positionals.size(); ++i) {
      const CompletedArgument& positional = command.positionals[i];
      const std::string call = offer(positional, program.name);
      if (call.empty()) continue;
      text += fmt::format("    {}:{}) {} ;;\n", command.name,
                          positional.repeats ? "*" : std::to_string(i), call);
    }
  }
  return text + "  esac\n";
}

}  // namespace

std::string bash_completion(const CompletedProgram& program) {
  return fmt::format(kHead, program.name) +
         fmt::format(kCountPositions, options_with_values(program)) + values(program) +
         options(program) + positionals(program) +
         fmt::format("}}\n\ncomplete -F _{0} {0}\n", program.name);
}

}  // namespace peerfab::cli
