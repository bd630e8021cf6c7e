// SPDX-License-Identifier: Apache-2.0
// One entry of `do:`, alone and with the changes of a variant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostics.h"
#include "sim/config/tree.h"
#include "sim/scenario/scenario.h"

namespace peerfab::scenario {

// A value that replaces the one under `key` of a flow.
struct FlowOverride {
  std::string key;
  SourceLocation key_where;
  const config::Node* value = nullptr;
};

class FlowReader {
 public:
  // `item` is one entry of `do:`, a map with the verb as its only key; it must outlive the reader.
  // nullopt and an error when it is something else.
  static std::optional<FlowReader> open(const config::Node& item, Diagnostics& diagnostics);

  [[nodiscard]] Verb verb() const { return verb_; }
  [[nodiscard]] const SourceLocation& where() const { return where_; }
  // The name given; empty if none is.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const SourceLocation& name_where() const { return name_where_; }
  void set_name(std::string name) { name_ = std::move(name); }

  // The flow with the overrides applied and checked; nullopt when anything is wrong.
  [[nodiscard]] std::optional<FlowSpec> read(const std::vector<FlowOverride>& overrides,
                                             Diagnostics& diagnostics) const;

 private:
  FlowReader(Verb verb, const config::Node& body, SourceLocation where)
      : verb_(verb), body_(&body), where_(std::move(where)) {}

  Verb verb_;
  const config::Node* body_;
  SourceLocation where_;
  std::string name_;
  SourceLocation name_where_;
};

// Names of flows and variants: letters, digits, '-' and '_', so that they can stand in
// "p2p.copy.bandwidth". Adds an error and returns false for others.
bool check_name(const std::string& name, const SourceLocation& where, Diagnostics& diagnostics);

}  // namespace peerfab::scenario
