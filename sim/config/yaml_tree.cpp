// SPDX-License-Identifier: Apache-2.0
// From the scanned document to the tree: aliases replaced by what they refer to, paths assigned.
#include <algorithm>
#include <utility>

#include "sim/config/raw_tree.h"
#include "sim/config/text_check.h"
#include "sim/config/tree.h"

namespace peerfab::config {
namespace {

// Aliases could multiply a long text, and nested keys a long path.
constexpr std::size_t kMaxExpandedBytes = 4 * kMaxTextBytes;
constexpr std::size_t kMaxPathLength = 512;

Node::Kind node_kind(RawKind kind) {
  switch (kind) {
    case RawKind::kScalar:
      return Node::Kind::kScalar;
    case RawKind::kMap:
      return Node::Kind::kMap;
    case RawKind::kSequence:
      return Node::Kind::kSequence;
    case RawKind::kNull:
      break;
  }
  return Node::Kind::kNull;
}

}  // namespace

class TreeBuilder {
 public:
  TreeBuilder(RawTree raw, const std::string& file_name, Diagnostics& diagnostics)
      : raw_(std::move(raw)), file_name_(file_name), diagnostics_(diagnostics) {}

  std::optional<Node> run() {
    Node root;
    if (!build(raw_.root, "", 1, root)) return std::nullopt;
    return root;
  }

 private:
  [[nodiscard]] SourceLocation location(const RawPlace& place, const std::string& path) const {
    return {file_name_, place.at.line, place.at.column, place.length, path};
  }

  bool fail(const char* check, const RawPlace& place, std::string message) {
    diagnostics_.error(check, location(alias_ ? *alias_ : place, ""), std::move(message));
    return false;
  }

  bool build(std::uint32_t number, const std::string& path, std::size_t depth, Node& out) {
    const RawNode& raw = raw_.nodes[number];
    if (!raw.alias_of) return build_written(raw, path, depth, out);
    const bool outermost = !alias_;
    if (outermost) alias_ = raw.place;
    const bool good = build(*raw.alias_of, path, depth, out);
    if (outermost && good) alias_.reset();
    return good;
  }

  // The depth of the recursion is at most kMaxDepth and one.
  bool build_written(const RawNode& raw, const std::string& path, std::size_t depth, Node& out) {
    bytes_ += raw.text.size();
    if (++nodes_ > kMaxNodes || bytes_ > kMaxExpandedBytes) {
      return fail("too-many-nodes", raw.place, "the aliases multiply to too many values");
    }
    const bool nests = raw.kind == RawKind::kMap || raw.kind == RawKind::kSequence;
    if (nests && depth > kMaxDepth) {
      return fail("too-deep", raw.place,
                  "with its aliases more than " + std::to_string(kMaxDepth) + " levels deep");
    }
    out.kind_ = node_kind(raw.kind);
    out.quoted_ = raw.quoted;
    out.text_ = raw.text;
    out.where_ = location(raw.place, path);
    out.items_.resize(raw.items.size());
    for (std::size_t i = 0; i < raw.items.size(); ++i) {
      const std::string item_path = extended(path, "[" + std::to_string(i) + "]");
      if (!build(raw.items[i], item_path, depth + 1, out.items_[i])) return false;
    }
    out.entries_.resize(raw.entries.size());
    for (std::size_t i = 0; i < raw.entries.size(); ++i) {
      const RawNode::Entry& entry = raw.entries[i];
      const std::string entry_path = extended(path, path.empty() ? entry.key : "." + entry.key);
      bytes_ += entry.key.size();
      out.entries_[i].key = entry.key;
      out.entries_[i].key_where = location(entry.place, entry_path);
      if (!build(entry.value, entry_path, depth + 1, out.entries_[i].value)) return false;
    }
    sort_keys(out);
    return true;
  }

  static std::string extended(const std::string& path, const std::string& step) {
    return path.size() + step.size() > kMaxPathLength ? path : path + step;
  }

  static void sort_keys(Node& map) {
    map.by_key_.resize(map.entries_.size());
    for (std::uint32_t i = 0; i < map.by_key_.size(); ++i) map.by_key_[i] = i;
    std::sort(map.by_key_.begin(), map.by_key_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return map.entries_[a].key < map.entries_[b].key;
    });
  }

  RawTree raw_;
  const std::string& file_name_;
  Diagnostics& diagnostics_;
  std::optional<RawPlace> alias_;  // the outermost one that is being replaced
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
};

std::optional<Node> parse_yaml(std::string_view text, const std::string& file_name,
                               Diagnostics& diagnostics) {
  if (!check_text(text, file_name, diagnostics)) return std::nullopt;
  std::optional<RawTree> raw = scan_yaml(text, file_name, diagnostics);
  if (!raw) return std::nullopt;
  return TreeBuilder(std::move(*raw), file_name, diagnostics).run();
}

}  // namespace peerfab::config
