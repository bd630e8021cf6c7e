// SPDX-License-Identifier: Apache-2.0
// Short ways to parse a text and to see what was found.
#pragma once

#include <sstream>
#include <string>

#include "sim/config/tree.h"

namespace peerfab::config::test {

// "check@line:column+length" of every finding, in the order found, separated by blanks.
inline std::string findings(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    if (!out.empty()) out += ' ';
    out += diagnostic.check + "@" + std::to_string(diagnostic.where.line) + ":" +
           std::to_string(diagnostic.where.column) + "+" + std::to_string(diagnostic.where.length);
  }
  return out;
}

// The findings of a text that must be refused; "accepted" if it is not.
inline std::string refusal(std::string_view text) {
  Diagnostics diagnostics;
  if (parse_yaml(text, "t.yaml", diagnostics)) return "accepted";
  return diagnostics.has_errors() ? findings(diagnostics) : "refused without an error";
}

// The tree of a text that must be accepted; a null node if it is not.
inline Node parsed(std::string_view text) {
  Diagnostics diagnostics;
  const std::optional<Node> node = parse_yaml(text, "t.yaml", diagnostics);
  return node && diagnostics.all().empty() ? *node : Node();
}

inline Node scalar(std::string text) {
  return Node::scalar(std::move(text), {"t.yaml", 1, 1, 1, ""});
}

// "line:column+length"
inline std::string place(const SourceLocation& where) {
  return std::to_string(where.line) + ":" + std::to_string(where.column) + "+" +
         std::to_string(where.length);
}

inline std::string rendered(const Diagnostics& diagnostics, const SourceTexts& texts) {
  std::ostringstream out;
  diagnostics.render(out, texts);
  return out.str();
}

}  // namespace peerfab::config::test
