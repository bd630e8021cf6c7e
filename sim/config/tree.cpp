// SPDX-License-Identifier: Apache-2.0
#include "sim/config/tree.h"

#include <algorithm>
#include <utility>

namespace peerfab::config {

Node::Node() = default;
Node::~Node() = default;
Node::Node(const Node&) = default;
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(const Node&) = default;
Node& Node::operator=(Node&&) noexcept = default;

Node Node::scalar(std::string text, SourceLocation where) {
  Node node;
  node.kind_ = Kind::kScalar;
  node.text_ = std::move(text);
  node.where_ = std::move(where);
  return node;
}

const Node::Entry* Node::find_entry(std::string_view key) const {
  const auto it = std::lower_bound(by_key_.begin(), by_key_.end(), key,
                                   [this](std::uint32_t index, std::string_view wanted) {
                                     return entries_[index].key < wanted;
                                   });
  if (it == by_key_.end() || entries_[*it].key != key) return nullptr;
  return &entries_[*it];
}

const Node* Node::find(std::string_view key) const {
  const Entry* entry = find_entry(key);
  return entry == nullptr ? nullptr : &entry->value;
}

std::vector<std::string> Node::keys() const {
  std::vector<std::string> result;
  result.reserve(entries_.size());
  for (const Entry& entry : entries_) result.push_back(entry.key);
  return result;
}

std::string_view kind_name(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::kScalar:
      return "a value";
    case Node::Kind::kMap:
      return "a map";
    case Node::Kind::kSequence:
      return "a list";
    case Node::Kind::kNull:
      break;
  }
  return "nothing";
}

}  // namespace peerfab::config
