// SPDX-License-Identifier: Apache-2.0
// A topology file on its way to a Topology: what was written, and what the checks have resolved so
// far. Only sim/topology looks inside. Pointers into the tree live as long as the tree does.
#pragma once

#include <bitset>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostics.h"
#include "sim/config/parameters.h"
#include "sim/config/tree.h"
#include "sim/device/model_registry.h"

namespace peerfab::topology {

// What one check can accept or reject on its own: a component, a wire or the file as a whole.
struct DraftItem {
  std::bitset<64> not_passed;  // by position in the list of checks: rejected, or not examined
  bool readable = true;        // if not, no check examines it
};

struct DraftComponent : DraftItem {
  std::string name;
  SourceLocation where;  // of the name
  bool is_socket = false;
  const config::Node* body = nullptr;  // a map, or null where the file says nothing

  // Filled in by checks; empty until then and after a rejection.
  const device::ModelDescriptor* model = nullptr;
  const config::Preset* preset = nullptr;
  std::optional<config::ParameterValues> values;
  std::optional<std::size_t> parent;  // index into Draft::components
  std::optional<unsigned> port;       // among the ports below the parent
  std::optional<config::LinkSpeed> requested;
  // Filled in together, once both ends are known.
  std::optional<config::LinkSpeed> upper_max, lower_max, negotiated;

  [[nodiscard]] const config::Node* find(std::string_view key) const {
    return body == nullptr ? nullptr : body->find(key);
  }
  // Where to point when the value of `key` is at fault; the name if there is no such key.
  [[nodiscard]] const SourceLocation& where_of(std::string_view key) const {
    const config::Node* node = find(key);
    return node == nullptr ? where : node->where();
  }
};

struct WireKind;

struct DraftWire : DraftItem {
  const config::Node* body = nullptr;  // a map
  const WireKind* kind = nullptr;
  const config::Preset* preset = nullptr;
  std::optional<config::ParameterValues> values;
  std::vector<std::size_t> ends;  // indices into Draft::components; two when resolved
};

struct Draft {
  std::string name;
  std::string file;
  SourceLocation where;  // of the first key, for findings about the file as a whole
  SourceLocation sockets_where;
  DraftItem whole;
  bool complete = true;                    // no section had to be left out as unreadable
  std::vector<DraftComponent> components;  // sockets first
  std::vector<DraftWire> wires;
  // Index into components: of the first where several have the name.
  std::map<std::string, std::size_t, std::less<>> by_name;

  [[nodiscard]] std::optional<std::size_t> find(std::string_view component_name) const;
};

// A name as messages show it: printable, and cut where it is absurdly long.
[[nodiscard]] std::string shown(std::string_view name);

// The keys with a meaning of their own; every other key is a parameter of the model.
[[nodiscard]] const std::vector<std::string>& socket_keys();  // model, preset
[[nodiscard]] const std::vector<std::string>& device_keys();  // and at, port, link
[[nodiscard]] const std::vector<std::string>& wire_keys();    // kind, preset, between

// Largest numbers of sockets, devices and wires in one file.
inline constexpr std::size_t kMaxSockets = 8;
inline constexpr std::size_t kMaxDevices = 4096;
inline constexpr std::size_t kMaxWires = 1024;

// Reads the shape of the file: top keys, maps and lists. nullopt where nothing is left to check.
[[nodiscard]] std::optional<Draft> read_draft(const config::Node& root, const std::string& file,
                                              Diagnostics& diagnostics);

// Adds the files under `presets:` to `library`.
void add_own_presets(const config::Node& root, const std::string& file,
                     config::PresetLibrary& library, SourceTexts& texts, Diagnostics& diagnostics);

}  // namespace peerfab::topology
