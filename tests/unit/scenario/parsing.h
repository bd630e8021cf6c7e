// SPDX-License-Identifier: Apache-2.0
// Reading a scenario from text in a test, with its findings.
#pragma once

#include <optional>
#include <sstream>
#include <string>

#include "sim/scenario/parse.h"

namespace peerfab::scenario::test {

struct Parsed {
  std::optional<Scenario> scenario;
  SourceTexts texts;
  Diagnostics diagnostics;

  // All findings as they are printed.
  [[nodiscard]] std::string rendered() const {
    std::ostringstream out;
    diagnostics.render(out, texts);
    return out.str();
  }
  // "check at line:column" of the only finding; all of them, rendered, when there are more or none.
  [[nodiscard]] std::string only_finding() const {
    if (diagnostics.sorted().size() != 1) return rendered();
    const Diagnostic finding = diagnostics.sorted().front();
    return finding.check + " at " + std::to_string(finding.where.line) + ":" +
           std::to_string(finding.where.column);
  }
};

inline Parsed parse(const std::string& text, const std::string& file = "s/scenario.yaml") {
  Parsed parsed;
  parsed.scenario = parse_scenario(text, file, parsed.texts, parsed.diagnostics);
  return parsed;
}

// A whole scenario around steps, which begin each line with "  - ".
inline std::string with_steps(const std::string& steps) {
  return "peerfab: 1\ntopology: t.yaml\ndo:\n" + steps;
}

}  // namespace peerfab::scenario::test
