// SPDX-License-Identifier: Apache-2.0
// YAML as our own tree: every node and every key knows its place. Scalars stay text; what they
// mean is decided by whoever asks for a quantity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostics.h"
#include "sim/config/limits.h"

namespace peerfab::config {

// Immutable once parsed. Copies are deep.
class Node {
 public:
  enum class Kind { kNull, kScalar, kMap, kSequence };
  struct Entry;

  Node();
  ~Node();
  Node(const Node&);
  Node(Node&&) noexcept;
  Node& operator=(const Node&);
  Node& operator=(Node&&) noexcept;

  // A scalar that no file holds: a default, a command-line argument.
  [[nodiscard]] static Node scalar(std::string text, SourceLocation where);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_null() const { return kind_ == Kind::kNull; }
  [[nodiscard]] bool is_scalar() const { return kind_ == Kind::kScalar; }
  [[nodiscard]] bool is_map() const { return kind_ == Kind::kMap; }
  [[nodiscard]] bool is_sequence() const { return kind_ == Kind::kSequence; }
  // Scalars: the value. Flow maps and sequences: the opening bracket. Block maps and sequences
  // and empty values: the key that they belong to.
  [[nodiscard]] const SourceLocation& where() const { return where_; }
  // The value of a scalar, unquoted; else empty.
  [[nodiscard]] const std::string& text() const { return text_; }
  // True for "quoted" and 'quoted' scalars and for block text.
  [[nodiscard]] bool quoted() const { return quoted_; }
  // A map's entries in the order written, keys unique; else empty.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  // A sequence's items; else empty.
  [[nodiscard]] const std::vector<Node>& items() const { return items_; }
  [[nodiscard]] const Node* find(std::string_view key) const;
  [[nodiscard]] const Entry* find_entry(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> keys() const;

 private:
  friend class TreeBuilder;

  Kind kind_ = Kind::kNull;
  bool quoted_ = false;
  SourceLocation where_;
  std::string text_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> by_key_;  // indices of entries_, sorted by key
  std::vector<Node> items_;
};

struct Node::Entry {
  std::string key;
  SourceLocation key_where;
  Node value;
};

// "a map", "a list", "a value", "nothing": for messages.
[[nodiscard]] std::string_view kind_name(Node::Kind kind);

// One YAML document in UTF-8. nullopt with at least one error added when anything is wrong.
std::optional<Node> parse_yaml(std::string_view text, const std::string& file_name,
                               Diagnostics& diagnostics);

// Reads a file, keeps its text in `texts` under the path's spelling, and parses it.
std::optional<Node> load_yaml(const std::filesystem::path& path, SourceTexts& texts,
                              Diagnostics& diagnostics);

}  // namespace peerfab::config
