// SPDX-License-Identifier: Apache-2.0
// Checks of names, and of what names refer to outside the file: models, presets, parameters.
#include <fmt/format.h>

#include <algorithm>

#include "sim/topology/checks.h"
#include "sim/topology/wire_kinds.h"

namespace peerfab::topology {
namespace {

using config::Node;
using device::ModelDescriptor;
using device::ModelRole;

constexpr std::size_t kLongestName = 64;
constexpr std::string_view kSocketModel = "root-complex";  // where a socket names none

// Scenarios and expectations quote these names; brackets, blanks and commas mean something there.
bool is_valid_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto follows = [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestName && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), follows);
}

void check_names(CheckRun& run) {
  run.for_components([&](DraftComponent& component) {
    if (is_valid_name(component.name)) return;
    run.report(component, component.where,
               component.name.size() > kLongestName
                   ? fmt::format("a name has at most {} characters", kLongestName)
                   : fmt::format("'{}' cannot be a name", shown(component.name)),
               "a letter, then letters, digits, '-', '_' and '.'");
  });
}

void check_duplicates(CheckRun& run) {
  Draft& draft = run.draft();
  for (std::size_t i = 0; i < draft.components.size(); ++i) {
    DraftComponent& component = draft.components[i];
    if (!run.ready(component)) continue;
    const DraftComponent& first = draft.components[draft.find(component.name).value_or(i)];
    if (&first == &component) continue;
    run.report(component, component.where,
               fmt::format("'{}' is already the name of a {} (line {})", shown(component.name),
                           first.is_socket ? "socket" : "device", first.where.line));
  }
}

// Wires have presets too, so this serves both.
template <typename Item>
void resolve_preset(CheckRun& run, Item& item) {
  const Node* name = scalar(run, item, item.body, "preset");
  if (name == nullptr) return;
  item.preset = run.presets().find(name->text());
  if (item.preset != nullptr) return;
  run.report(item, name->where(),
             fmt::format("there is no preset called '{}'", shown(name->text())),
             run.suggest(name->text(), run.presets().names()));
}

void check_presets(CheckRun& run) {
  run.for_components([&](DraftComponent& component) { resolve_preset(run, component); });
  run.for_wires([&](DraftWire& wire) { resolve_preset(run, wire); });
}

std::vector<std::string> model_names(CheckRun& run, bool for_socket) {
  std::vector<std::string> names;
  for (const ModelDescriptor& model : run.registry().all()) {
    if ((model.role == ModelRole::kRootComplex) == for_socket) names.push_back(model.kind);
  }
  return names;
}

void check_models(CheckRun& run) {
  run.for_components([&](DraftComponent& component) {
    const Node* name = component.find("model");
    if (name != nullptr) {
      name = scalar(run, component, component.body, "model");
      if (name == nullptr) return;
      component.model = run.registry().find(name->text());
      if (component.model != nullptr) return;
      const std::vector<std::string> names = model_names(run, component.is_socket);
      std::string hint = run.suggest(name->text(), names);
      if (hint.empty()) hint = fmt::format("models: {}", fmt::join(names, ", "));
      run.report(component, name->where(),
                 fmt::format("there is no model called '{}'", shown(name->text())), hint);
      return;
    }
    if (component.preset != nullptr) {
      component.model = run.registry().find(component.preset->model());
      if (component.model == nullptr) {
        run.report(component, component.where_of("preset"),
                   fmt::format("the preset '{}' is for '{}', which is not a model",
                               component.preset->name(), shown(component.preset->model())));
      }
      return;
    }
    if (component.find("preset") != nullptr) {
      run.reject(component);  // unknown-preset has spoken
    } else if (component.is_socket) {
      component.model = run.registry().find(kSocketModel);
      if (component.model == nullptr) {
        run.report(component, component.where, "no root complex model is registered");
      }
    } else {
      run.reject_as("missing-key", component, component.where,
                    fmt::format("'{}' names neither a model nor a preset", shown(component.name)),
                    fmt::format("models: {}", fmt::join(model_names(run, false), ", ")));
    }
  });
}

void check_wire_kinds(CheckRun& run) {
  std::vector<std::string> names;
  for (const WireKind& kind : wire_kinds()) names.push_back(kind.name);
  run.for_wires([&](DraftWire& wire) {
    const Node* name = scalar(run, wire, wire.body, "kind");
    if (name == nullptr) {
      if (wire.body->find("kind") != nullptr) return;
      run.reject_as("missing-key", wire, wire.body->where(),
                    "nothing says what kind of wire this is: 'kind' is missing",
                    fmt::format("kinds: {}", fmt::join(names, ", ")));
      return;
    }
    wire.kind = find_wire_kind(name->text());
    if (wire.kind != nullptr) return;
    std::string hint = run.suggest(name->text(), names);
    if (hint.empty()) hint = fmt::format("kinds: {}", fmt::join(names, ", "));
    run.report(wire, name->where(),
               fmt::format("there is no kind of wire called '{}'", shown(name->text())), hint);
  });
}

template <typename Item>
void check_preset_model(CheckRun& run, Item& item, const std::string& model) {
  if (item.preset == nullptr || item.preset->model() == model) return;
  const std::vector<std::string> others = run.presets().names_of_model(model);
  run.report(item, item.body->find("preset")->where(),
             fmt::format("the preset '{}' is for the model '{}', not for '{}'", item.preset->name(),
                         shown(item.preset->model()), model),
             others.empty() ? "" : fmt::format("presets for it: {}", fmt::join(others, ", ")));
}

void check_preset_models(CheckRun& run) {
  run.for_components([&](DraftComponent& component) {
    check_preset_model(run, component, component.model->kind);
  });
  run.for_wires([&](DraftWire& wire) { check_preset_model(run, wire, wire.kind->name); });
}

void check_roles(CheckRun& run) {
  run.for_components([&](DraftComponent& component) {
    const bool is_root_complex = component.model->role == ModelRole::kRootComplex;
    if (is_root_complex == component.is_socket) return;
    const SourceLocation& where = component.find("model") != nullptr ? component.where_of("model")
                                                                     : component.where_of("preset");
    run.report(
        component, where,
        component.is_socket
            ? fmt::format("a socket is a root complex, not a '{}'", component.model->kind)
            : fmt::format("a '{}' is a socket, not a device", component.model->kind),
        component.is_socket ? "write it under 'devices', with 'at:'" : "write it under 'sockets'");
  });
}

void bind_parameters(CheckRun& run) {
  run.for_components([&](DraftComponent& component) {
    component.values =
        config::bind(component.model->parameters, component.preset, component.body,
                     component.is_socket ? socket_keys() : device_keys(), run.diagnostics());
    if (!component.values) run.reject(component);
  });
  run.for_wires([&](DraftWire& wire) {
    wire.values =
        config::bind(wire.kind->parameters, wire.preset, wire.body, wire_keys(), run.diagnostics());
    if (!wire.values) run.reject(wire);
  });
}

void check_sockets(CheckRun& run) {
  Draft& draft = run.draft();
  if (!draft.complete || draft.components.empty()) return;  // wrong-type, empty-topology
  if (draft.components.front().is_socket) return;
  run.report(draft.whole, draft.sockets_where, "the topology has no socket",
             "devices hang below a root complex: add 'sockets: {cpu0: {}}'");
}

void check_empty(CheckRun& run) {
  Draft& draft = run.draft();
  if (!draft.complete || !draft.components.empty()) return;
  run.report(draft.whole, draft.where, "the topology has neither sockets nor devices",
             "begin with 'sockets: {cpu0: {}}'");
}

}  // namespace

std::vector<Check> naming_checks() {
  constexpr Severity kError = Severity::kError;
  return {
      {{"empty-topology", kError, {}, "A topology describes at least one socket."}, check_empty},
      {{"no-socket", kError, {}, "Devices need a root complex above them."}, check_sockets},
      {{"invalid-name", kError, {}, "Names begin with a letter and hold no blanks or brackets."},
       check_names},
      {{"duplicate-name", kError, {}, "Sockets and devices share one set of names."},
       check_duplicates},
      {{"unknown-preset", kError, {}, "A preset is built in or listed under 'presets'."},
       check_presets},
      {{"unknown-model", kError, {}, "A model is one of those that 'peerfab models' lists."},
       check_models},
      {{"unknown-wire-kind", kError, {}, "A wire is of one of the known kinds."}, check_wire_kinds},
      {{"preset-model-mismatch",
        kError,
        {"unknown-preset", "unknown-model", "unknown-wire-kind"},
        "A preset fits one model."},
       check_preset_models},
      {{"wrong-role",
        kError,
        {"unknown-model"},
        "Sockets are root complexes, devices are everything else."},
       check_roles},
      {{"parameters",
        kError,
        {"preset-model-mismatch", "wrong-role"},
        "Every further key is a parameter of the model, with a unit where it needs one."},
       bind_parameters},
  };
}

}  // namespace peerfab::topology
