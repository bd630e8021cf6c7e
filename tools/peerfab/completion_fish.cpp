// SPDX-License-Identifier: Apache-2.0
// The completion script for fish: contract in completion.h.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "tools/peerfab/completion.h"

namespace peerfab::cli {
namespace {

constexpr std::string_view kHead = R"(# Completion of {0} for fish. Try it:
#   {0} completion fish | source
# Keep it:
#   {0} completion fish > ~/.config/fish/completions/{0}.fish

complete -c {0} -f
)";

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// Options of `complete` that say what values there are.
std::string values(const CompletedArgument& argument) {
  switch (argument.value) {
    case ValueKind::kNone:
      return {};
    case ValueKind::kChoice:
      return " -x -a " + quoted(joined(argument.choices, " "));
    case ValueKind::kYamlFile:
      return " -x -a '(__fish_complete_suffix .yaml)'";
    case ValueKind::kAnyFile:
      return " -r -F";
    case ValueKind::kAnything:
      break;
  }
  return " -x";
}

std::string names(const CompletedArgument& option) {
  std::string text;
  for (const std::string& spelling : option.spellings) {
    const bool is_long = spelling.compare(0, 2, "--") == 0;
    text += is_long ? " -l " + spelling.substr(2) : " -s " + spelling.substr(1);
  }
  return text;
}

std::string line(const CompletedProgram& program, const std::string& condition,
                 const std::string& rest, const std::string& description) {
  return fmt::format("complete -c {} -n {}{} -d {}\n", program.name, quoted(condition), rest,
                     quoted(description));
}

}  // namespace

std::string fish_completion(const CompletedProgram& program) {
  std::string text = fmt::format(kHead, program.name);
  const std::string first = "__fish_use_subcommand";
  for (const CompletedArgument& option : program.options) {
    text += line(program, first, names(option) + values(option), option.description);
  }
  for (const CompletedCommand& command : program.commands) {
    text += line(program, first, " -a " + command.name, command.description);
  }
  for (const CompletedCommand& command : program.commands) {
    text += "\n";
    const std::string condition = "__fish_seen_subcommand_from " + command.name;
    for (const CompletedArgument& option : command.options) {
      text += line(program, condition, names(option) + values(option), option.description);
    }
    // fish does not count positionals: it offers the values of all of them.
    for (const CompletedArgument& positional : command.positionals) {
      text += line(program, condition, values(positional), positional.description);
    }
  }
  return text;
}

}  // namespace peerfab::cli
