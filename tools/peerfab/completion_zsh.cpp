// SPDX-License-Identifier: Apache-2.0
// The completion script for zsh: contract in completion.h.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "tools/peerfab/completion.h"

namespace peerfab::cli {
namespace {

constexpr std::string_view kHead = R"(#compdef {0}
# Completion of {0} for zsh. Try it:
#   source <({0} completion zsh)
# Keep it, in a folder that $fpath names:
#   {0} completion zsh > ~/.zfunc/_{0}

_{0}() {{
  local curcontext=$curcontext state line ret=1
  typeset -A opt_args
)";

constexpr std::string_view kTail = R"(      esac
      ;;
  esac
  return ret
}}

if [[ $funcstack[1] == _{0} ]]; then
  _{0} "$@"  # loaded from $fpath at the first completion
else
  compdef _{0} {0}
fi
)";

// Within single quotes, with a backslash before each of the characters that mean something there.
std::string escaped(const std::string& text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += R"('\'')";
      continue;
    }
    if (c == '\\' || special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// ":message:action" of _arguments.
std::string value(const CompletedArgument& argument) {
  std::string action = " ";
  switch (argument.value) {
    case ValueKind::kNone:
      return {};
    case ValueKind::kChoice:
      action = "(" + joined(argument.choices, " ") + ")";
      break;
    case ValueKind::kYamlFile:
      action = R"(_files -g "*.yaml")";
      break;
    case ValueKind::kAnyFile:
      action = "_files";
      break;
    case ValueKind::kAnything:
      break;
  }
  return ":" + escaped(argument.name, ":") + ":" + action;
}

// One argument of _arguments for each option and positional.
std::vector<std::string> specifications(const std::vector<CompletedArgument>& options,
                                        const std::vector<CompletedArgument>& positionals) {
  std::vector<std::string> all;
  for (const CompletedArgument& option : options) {
    // Who has given one of the spellings is not offered another.
    const std::string others = "(" + joined(option.spellings, " ") + ")";
    const std::string takes = option.value == ValueKind::kNone ? "" : "=";
    for (const std::string& spelling : option.spellings) {
      const bool is_long = spelling.size() > 2;
      all.push_back(fmt::format("'{}{}{}[{}]{}'", others, spelling, is_long ? takes : "",
                                escaped(option.description, "[]:"), value(option)));
    }
  }
  for (std::size_t i = 0; i < positionals.size(); ++i) {
    const std::string place = positionals[i].repeats ? "*" : std::to_string(i + 1);
    all.push_back("'" + place + value(positionals[i]) + "'");
  }
  return all;
}

std::string call_arguments(const std::vector<std::string>& specifications, const char* flags,
                           const std::string& indent) {
  return indent + "_arguments" + flags + " \\\n" + indent + "  " +
         joined(specifications, " \\\n" + indent + "  ") + " && ret=0\n";
}

}  // namespace

std::string zsh_completion(const CompletedProgram& program) {
  std::string text = fmt::format(kHead, program.name);
  std::vector<std::string> first = specifications(program.options, {});
  first.emplace_back("'1: :->command'");
  first.emplace_back("'*:: :->arguments'");
  text += call_arguments(first, " -C", "  ");
  text += "  case $state in\n    command)\n      local -a commands=(\n";
  for (const CompletedCommand& command : program.commands) {
    text += fmt::format("        '{}:{}'\n", command.name, escaped(command.description, ":"));
  }
  text +=
      "      )\n      _describe -t commands command commands && ret=0\n      ;;\n"
      "    arguments)\n      case $line[1] in\n";
  for (const CompletedCommand& command : program.commands) {
    text += "        " + command.name + ")\n" +
            call_arguments(specifications(command.options, command.positionals), "", "          ") +
            "          ;;\n";
  }
  return text + fmt::format(kTail, program.name);
}

}  // namespace peerfab::cli
