// SPDX-License-Identifier: Apache-2.0
// The rules of a topology, each a named check with a severity and prerequisites. A check looks at
// one component, wire or file at a time and skips those that one of its prerequisites has rejected
// or skipped, so that a mistake is reported once, where it was made, and never hides another one.
// Some checks also resolve what they check (a name to a model, a text to a link).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/topology/draft.h"

namespace peerfab::topology {

struct CheckInfo {
  std::string_view name;
  Severity severity;
  std::vector<std::string_view> prerequisites;
  std::string_view meaning;
};

class CheckRun;

struct Check {
  CheckInfo info;
  void (*run)(CheckRun&);
};

// In the order they run; prerequisites come before those that need them.
[[nodiscard]] const std::vector<Check>& checks();

void run_checks(Draft& draft, const device::ModelRegistry& registry,
                const config::PresetLibrary& presets, Diagnostics& diagnostics);

// One check at work on one draft.
class CheckRun {
 public:
  CheckRun(std::size_t position, Draft& draft, const device::ModelRegistry& registry,
           const config::PresetLibrary& presets, Diagnostics& diagnostics);

  [[nodiscard]] Draft& draft() { return draft_; }
  [[nodiscard]] const device::ModelRegistry& registry() const { return registry_; }
  [[nodiscard]] const config::PresetLibrary& presets() const { return presets_; }
  // For parsers and binders, which name their own findings; reject() follows.
  [[nodiscard]] Diagnostics& diagnostics() { return diagnostics_; }

  // Whether the item has passed all prerequisites; if not, it counts as not examined.
  [[nodiscard]] bool ready(DraftItem& item);
  // Whether the item has passed a check that ran before this one.
  [[nodiscard]] bool passed(const DraftItem& item, std::string_view check) const;

  // A finding of this check. One of severity error rejects the item.
  void report(DraftItem& item, const SourceLocation& where, std::string message,
              std::string hint = "");
  // An error of a more general name ("wrong-type", "missing-key") that rejects the item.
  void reject_as(std::string_view name, DraftItem& item, const SourceLocation& where,
                 std::string message, std::string hint = "");
  // "did you mean 'sw0'?" or nothing.
  [[nodiscard]] std::string suggest(std::string_view wanted,
                                    const std::vector<std::string>& candidates);
  // The item is rejected; another finding has said why.
  void reject(DraftItem& item) const { item.not_passed.set(position_); }

  template <typename Function>
  void for_components(Function function) {
    for (DraftComponent& component : draft_.components) {
      if (ready(component)) function(component);
    }
  }
  template <typename Function>
  void for_devices(Function function) {
    for (DraftComponent& component : draft_.components) {
      if (!component.is_socket && ready(component)) function(component);
    }
  }
  template <typename Function>
  void for_wires(Function function) {
    for (DraftWire& wire : draft_.wires) {
      if (ready(wire)) function(wire);
    }
  }

 private:
  std::size_t position_;
  std::bitset<64> prerequisites_;
  std::size_t suggestions_ = 0;
  Draft& draft_;
  const device::ModelRegistry& registry_;
  const config::PresetLibrary& presets_;
  Diagnostics& diagnostics_;
};

// The groups that make up checks().
[[nodiscard]] std::vector<Check> naming_checks();      // names, models, presets, parameters
[[nodiscard]] std::vector<Check> attachment_checks();  // who hangs below whom
[[nodiscard]] std::vector<Check> port_checks();        // which port
[[nodiscard]] std::vector<Check> link_checks();        // how wide and how fast
[[nodiscard]] std::vector<Check> buffer_checks();      // room for what arrives
[[nodiscard]] std::vector<Check> wire_checks();        // connections beside the tree

// The text of a key that must hold one value: nullptr when the key is absent, and also, with the
// item rejected, when it holds anything else.
[[nodiscard]] const config::Node* scalar(CheckRun& run, DraftItem& item, const config::Node* body,
                                         std::string_view key);

// "'sw0'", "'sw0' and 'sw1'", "'a', 'b', 'c' and 2 more": names for messages.
[[nodiscard]] std::string quoted_list(const std::vector<std::string>& names);

}  // namespace peerfab::topology
