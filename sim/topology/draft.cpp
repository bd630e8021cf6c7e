// SPDX-License-Identifier: Apache-2.0
// The shape of a topology file. What the names in it mean is the business of the checks.
#include "sim/topology/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/topology/wire_kinds.h"

namespace peerfab::topology {
namespace {

using config::Node;

constexpr std::string_view kFormatVersion = "1";
constexpr std::size_t kMaxTitle = 200;

const std::vector<std::string>& top_keys() {
  static const std::vector<std::string> kKeys = {"peerfab", "name",    "presets",
                                                 "sockets", "devices", "wires"};
  return kKeys;
}

void report_unknown_keys(const Node& map, const std::vector<std::string>& known,
                         std::string_view of, Diagnostics& diagnostics) {
  for (const Node::Entry& entry : map.entries()) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    std::string hint = did_you_mean(entry.key, known);
    if (hint.empty()) hint = fmt::format("it knows {}", fmt::join(known, ", "));
    diagnostics.error("unknown-key", entry.key_where,
                      fmt::format("{} has no key '{}'", of, shown(entry.key)), hint);
  }
}

// False where the rest of the file cannot be trusted to mean what this version reads into it.
bool check_version(const Node& root, Diagnostics& diagnostics) {
  const Node* version = root.find("peerfab");
  if (version == nullptr) {
    diagnostics.error("format-version", root.where(),
                      "the file does not say which version of the format it is written in",
                      "begin it with 'peerfab: 1'");
    return false;
  }
  if (!version->is_scalar() || version->text() != kFormatVersion) {
    diagnostics.error(
        "format-version", version->where(),
        version->is_scalar()
            ? fmt::format("format version '{}' is not known", shown(version->text()))
            : fmt::format("the format version is {}, not a number", kind_name(version->kind())),
        "this build reads 'peerfab: 1'");
    return false;
  }
  return true;
}

std::string read_title(const Node& root, const std::string& file, Diagnostics& diagnostics) {
  const Node* title = root.find("name");
  if (title == nullptr || title->is_null()) return std::filesystem::path(file).stem().string();
  if (!title->is_scalar()) {
    diagnostics.error("wrong-type", title->where(),
                      fmt::format("'name' is {}, not a text", kind_name(title->kind())));
    return {};
  }
  const std::string& text = title->text();
  if (count_code_points(text) > kMaxTitle || printable(text) != text) {
    diagnostics.error(
        "invalid-name", title->where(),
        fmt::format("a topology's name is one line of at most {} printable characters", kMaxTitle));
    return {};
  }
  return text;
}

void read_components(const Node& root, bool sockets, Draft& draft, Diagnostics& diagnostics) {
  const std::string_view section = sockets ? "sockets" : "devices";
  const std::string_view singular = sockets ? "socket" : "device";
  const std::size_t limit = sockets ? kMaxSockets : kMaxDevices;
  const Node* map = root.find(section);
  if (map == nullptr || map->is_null()) return;
  if (!map->is_map()) {
    diagnostics.error(
        "wrong-type", map->where(),
        fmt::format("'{}' is {}, not a map of names", section, kind_name(map->kind())),
        sockets ? "for example {cpu0: {preset: xeon-sapphire-rapids}}"
                : "for example {gpu0: {model: gpu, at: cpu0}}");
    draft.complete = false;
    return;
  }
  std::size_t count = 0;
  for (const Node::Entry& entry : map->entries()) {
    if (++count > limit) {
      diagnostics.error("too-many-components", entry.key_where,
                        fmt::format("a topology has at most {} {}; this one has {}", limit, section,
                                    map->entries().size()));
      return;
    }
    DraftComponent component;
    component.name = entry.key;
    component.where = entry.key_where;
    component.is_socket = sockets;
    if (entry.value.is_map()) {
      component.body = &entry.value;
    } else if (!entry.value.is_null()) {
      // Kept in the draft, so that what refers to the name still finds it.
      component.readable = false;
      diagnostics.error(
          "wrong-type", entry.value.where(),
          fmt::format("{} '{}' is {}, not a map", singular, shown(entry.key),
                      kind_name(entry.value.kind())),
          sockets ? "write {preset: ...} or {memory_size: ...}" : "write {model: ..., at: ...}");
    }
    draft.by_name.emplace(entry.key, draft.components.size());
    draft.components.push_back(std::move(component));
  }
}

void read_wires(const Node& root, Draft& draft, Diagnostics& diagnostics) {
  const Node* list = root.find("wires");
  if (list == nullptr || list->is_null()) return;
  constexpr std::string_view kExample = "for example [{kind: socket, between: [cpu0, cpu1]}]";
  if (!list->is_sequence()) {
    diagnostics.error("wrong-type", list->where(),
                      fmt::format("'wires' is {}, not a list", kind_name(list->kind())),
                      std::string(kExample));
    return;
  }
  for (const Node& item : list->items()) {
    if (draft.wires.size() == kMaxWires) {
      diagnostics.error("too-many-components", item.where(),
                        fmt::format("a topology has at most {} wires; this one has {}", kMaxWires,
                                    list->items().size()));
      return;
    }
    if (!item.is_map()) {
      diagnostics.error("wrong-type", item.where(),
                        fmt::format("a wire is {}, not a map", kind_name(item.kind())),
                        std::string(kExample));
      continue;
    }
    DraftWire wire;
    wire.body = &item;
    draft.wires.push_back(std::move(wire));
  }
}

SourceLocation first_place(const Node& root) {
  if (root.entries().empty()) return root.where();
  return root.entries().front().key_where;
}

}  // namespace

std::optional<std::size_t> Draft::find(std::string_view component_name) const {
  const auto found = by_name.find(component_name);
  if (found == by_name.end()) return std::nullopt;
  return found->second;
}

std::string shown(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  std::string text;
  std::size_t points = 0;
  for (std::size_t offset = 0; offset < name.size(); ++points) {
    if (points == kLongest) return text + "...";
    const CodePoint point = code_point_at(name, offset);
    text += point.valid ? printable(name.substr(offset, point.bytes))
                        : printable(name.substr(offset, 1));
    offset += point.bytes;
  }
  return text;
}

const std::vector<std::string>& socket_keys() {
  static const std::vector<std::string> kKeys = {"model", "preset"};
  return kKeys;
}

const std::vector<std::string>& device_keys() {
  static const std::vector<std::string> kKeys = {"model", "preset", "at", "port", "link"};
  return kKeys;
}

const std::vector<std::string>& wire_keys() {
  static const std::vector<std::string> kKeys = {"kind", "preset", "between"};
  return kKeys;
}

std::optional<Draft> read_draft(const Node& root, const std::string& file,
                                Diagnostics& diagnostics) {
  if (root.is_null() || (root.is_map() && root.entries().empty())) {
    diagnostics.error("empty-topology", root.where(), "the file describes nothing",
                      "docs/writing-topologies.md begins with a small example");
    return std::nullopt;
  }
  if (!root.is_map()) {
    diagnostics.error("wrong-type", root.where(),
                      fmt::format("a topology is a map with the keys {}; this file is {}",
                                  fmt::join(top_keys(), ", "), kind_name(root.kind())));
    return std::nullopt;
  }
  if (!check_version(root, diagnostics)) return std::nullopt;
  report_unknown_keys(root, top_keys(), "a topology", diagnostics);

  Draft draft;
  draft.file = file;
  draft.where = first_place(root);
  const Node::Entry* sockets = root.find_entry("sockets");
  draft.sockets_where = sockets == nullptr ? draft.where : sockets->key_where;
  draft.name = read_title(root, file, diagnostics);
  read_components(root, true, draft, diagnostics);
  read_components(root, false, draft, diagnostics);
  read_wires(root, draft, diagnostics);
  return draft;
}

void add_own_presets(const Node& root, const std::string& file, config::PresetLibrary& library,
                     SourceTexts& texts, Diagnostics& diagnostics) {
  const Node* list = root.find("presets");
  if (list == nullptr || list->is_null()) return;
  if (!list->is_sequence()) {
    diagnostics.error("wrong-type", list->where(),
                      fmt::format("'presets' is {}, not a list of files", kind_name(list->kind())),
                      "for example [my-switch.yaml]");
    return;
  }
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  for (const Node& item : list->items()) {
    if (!item.is_scalar() || item.text().empty()) {
      diagnostics.error("wrong-type", item.where(),
                        fmt::format("a preset file is {}, not a path", kind_name(item.kind())));
      continue;
    }
    // A file that cannot be opened is reported by the library without a place in this file; say
    // here who asked for it.
    const std::filesystem::path path = folder / item.text();
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      diagnostics.error("unknown-preset", item.where(),
                        fmt::format("there is no preset file '{}'", shown(path.string())),
                        "paths are relative to the topology file");
      continue;
    }
    library.add_file(path, texts, diagnostics);
  }
}

}  // namespace peerfab::topology
