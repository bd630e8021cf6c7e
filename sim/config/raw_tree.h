// SPDX-License-Identifier: Apache-2.0
// A YAML document as it was written, aliases not yet replaced: what the event handler fills and
// the tree is made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostics.h"
#include "sim/config/text_index.h"

namespace peerfab::config {

// As Node::Kind. This header stays apart from tree.h: yaml-cpp has a class Node, too.
enum class RawKind { kNull, kScalar, kMap, kSequence };

struct RawPlace {
  TextPosition at;
  std::uint32_t length = 1;
};

struct RawNode {
  struct Entry {
    std::string key;
    RawPlace place;
    std::uint32_t value = 0;  // index in RawTree::nodes
  };
  RawKind kind = RawKind::kNull;
  bool quoted = false;
  std::optional<std::uint32_t> alias_of;  // of a node that was complete before this one
  RawPlace place;
  std::string text;
  std::vector<Entry> entries;
  std::vector<std::uint32_t> items;
};

struct RawTree {
  std::vector<RawNode> nodes;
  std::uint32_t root = 0;
};

// Scans one document. nullopt with an error added when anything is wrong. The text has passed
// check_text().
std::optional<RawTree> scan_yaml(std::string_view text, const std::string& file_name,
                                 Diagnostics& diagnostics);

}  // namespace peerfab::config
