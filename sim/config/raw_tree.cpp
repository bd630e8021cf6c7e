// SPDX-License-Identifier: Apache-2.0
#include "sim/config/raw_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>

#include "sim/config/limits.h"
#include "sim/config/text_check.h"
#include "sim/config/yaml_syntax.h"

namespace peerfab::config {
namespace {

// Ends the scan from within an event; yaml-cpp offers no other way. The error is already added.
struct Stop {};

constexpr const char* kOpenQuote = "a quote is not closed before the text ends";
constexpr std::size_t kMaxKeyLength = 1024;
// After so many findings the rest is not read: they have one cause.
constexpr unsigned kMaxErrors = 50;

class Handler final : public YAML::EventHandler {
 public:
  Handler(std::string_view text, std::size_t skipped, const std::string& file_name,
          Diagnostics& diagnostics)
      : index_(text), skipped_(skipped), file_name_(file_name), diagnostics_(diagnostics) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    const std::size_t offset = offset_of(mark);
    if (index_.text().substr(offset, 3) == "---") {
      stop("several-documents", place_of(offset, 3), "a second document starts here",
           "one file holds one document");
    }
    stop("yaml-syntax", place_of(offset), "this does not continue what stands above",
         "check the indentation");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::size_t offset = skip_anchor(index_.text(), offset_of(mark));
    refuse_tag(offset);
    if (awaits_key()) stop("bad-key", place_of(offset), "a key is missing here");
    RawNode node;
    node.kind = RawKind::kNull;
    // yaml-cpp places an empty value where the next thing starts.
    if (is_written_null(index_.text(), offset)) {
      node.place = place_of(offset, index_.text()[offset] == '~' ? 1 : 4);
    } else {
      node.place = owner_place(offset);
    }
    finish(anchor, add(std::move(node)));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const std::size_t offset = offset_of(mark);
    const RawPlace place = place_of(offset, word_length(index_.text(), offset));
    if (awaits_key()) stop("bad-key", place, "an alias cannot be a key");
    const auto target = anchors_.find(anchor);
    if (target == anchors_.end()) {
      stop("self-reference", place, "this alias stands inside what it refers to");
    }
    RawNode node;
    node.alias_of = target->second;
    node.place = place;
    add(std::move(node));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const std::size_t offset = skip_anchor(index_.text(), offset_of(mark));
    refuse_tag(offset);
    const ScalarExtent extent = scalar_extent(index_.text(), offset, value);
    last_offset_ = offset;
    const RawPlace place = place_of(offset, extent.length);
    if (!extent.closed) stop("yaml-syntax", place, kOpenQuote);
    if (awaits_key()) {
      begin_entry(value, place);
      return;
    }
    RawNode node;
    node.kind = RawKind::kScalar;
    node.quoted = tag == "!";
    node.text = value;
    node.place = place;
    finish(anchor, add(std::move(node)));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(RawKind::kSequence, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(RawKind::kMap, mark, anchor);
  }
  void OnMapEnd() override { close(); }

  void explain(const YAML::Exception& exception) {
    const std::size_t offset = offset_of(exception.mark);
    const RawPlace place = place_of(offset);
    const bool flow_ended = exception.msg.starts_with("end of map flow not found") ||
                            exception.msg.starts_with("end of sequence flow not found");
    for (auto frame = frames_.rbegin(); flow_ended && frame != frames_.rend(); ++frame) {
      if (frame->bracket == '\0') continue;
      report("yaml-syntax", tree_.nodes[frame->node].place,
             std::string("this '") + frame->bracket + "' is not closed",
             "the value breaks off in line " + std::to_string(place.at.line));
      return;
    }
    if (exception.msg.starts_with("illegal EOF in scalar")) {
      const std::size_t quote = find_open_quote(index_.text(), last_offset_);
      const std::size_t start = quote == std::string_view::npos ? offset : quote;
      const ScalarExtent extent = scalar_extent(index_.text(), start, "");
      report("yaml-syntax", place_of(start, extent.length), kOpenQuote);
      return;
    }
    const SyntaxExplanation why = explain_syntax(exception.msg, index_.text(), offset);
    report("yaml-syntax", place_of(why.offset, why.length), why.message, why.hint);
  }

  [[nodiscard]] bool empty() const { return documents_ == 0; }
  [[nodiscard]] bool failed() const { return errors_ != 0; }
  [[nodiscard]] bool may_report() const { return errors_ < kMaxErrors; }
  [[nodiscard]] RawTree take() { return std::move(tree_); }

 private:
  struct Frame {
    std::uint32_t node;
    char bracket;  // '[', '{', or '\0' for a block
    std::size_t offset;
    bool has_key = false;
    YAML::anchor_t anchor = 0;
    std::unordered_map<std::string, std::uint32_t> key_lines;
  };

  [[nodiscard]] std::size_t offset_of(const YAML::Mark& mark) const {
    if (mark.is_null()) return 0;
    return std::min(index_.text().size(), static_cast<std::size_t>(mark.pos) + skipped_);
  }
  [[nodiscard]] RawPlace place_of(std::size_t offset, std::size_t length = 1) {
    return {index_.position(offset), static_cast<std::uint32_t>(length)};
  }
  void report(const char* check, const RawPlace& place, std::string message,
              std::string hint = "") {
    if (++errors_ > kMaxErrors) throw Stop{};
    diagnostics_.error(check, {file_name_, place.at.line, place.at.column, place.length, ""},
                       std::move(message), std::move(hint));
  }
  [[noreturn]] void stop(const char* check, const RawPlace& place, std::string message,
                         std::string hint = "") {
    report(check, place, std::move(message), std::move(hint));
    throw Stop{};
  }

  void refuse_tag(std::size_t offset) {
    if (offset < index_.text().size() && index_.text()[offset] == '!') {
      stop("yaml-tag", place_of(offset), "tags are not read", "leave the '!...' out");
    }
  }

  [[nodiscard]] bool awaits_key() const {
    return !frames_.empty() && !frames_.back().has_key &&
           tree_.nodes[frames_.back().node].kind == RawKind::kMap;
  }

  // The key that a value belongs to, or the list that it is in.
  [[nodiscard]] RawPlace owner_place(std::size_t offset) {
    if (frames_.empty()) return place_of(offset);
    const RawNode& owner = tree_.nodes[frames_.back().node];
    return owner.kind == RawKind::kMap ? owner.entries.back().place : owner.place;
  }

  void begin_entry(const std::string& key, const RawPlace& place) {
    Frame& frame = frames_.back();
    if (key.empty() || key.size() > kMaxKeyLength) {
      stop("bad-key", place, key.empty() ? "a key is empty" : "a key is too long");
    }
    if (key == "<<") {
      report("merge-key", place, "merge keys are not read", "write the keys out");
    }
    const auto [first, is_new] = frame.key_lines.emplace(key, place.at.line);
    if (!is_new) {
      report("duplicate-key", place,
             "the key " + in_quotes(key) + " is already given in line " +
                 std::to_string(first->second));
    }
    tree_.nodes[frame.node].entries.push_back({key, place, 0});
    frame.has_key = true;
  }

  std::uint32_t add(RawNode node) {
    if (tree_.nodes.size() >= kMaxNodes) {
      stop("too-many-nodes", node.place,
           "more than " + std::to_string(kMaxNodes) + " values in one file");
    }
    const auto number = static_cast<std::uint32_t>(tree_.nodes.size());
    tree_.nodes.push_back(std::move(node));
    if (frames_.empty()) {
      tree_.root = number;
      return number;
    }
    Frame& frame = frames_.back();
    RawNode& owner = tree_.nodes[frame.node];
    if (owner.kind == RawKind::kMap) {
      owner.entries.back().value = number;
      frame.has_key = false;
    } else {
      owner.items.push_back(number);
    }
    return number;
  }

  // An anchor may be used once what it names is complete.
  void finish(YAML::anchor_t anchor, std::uint32_t node) {
    if (anchor != 0) anchors_[anchor] = node;
  }

  void open(RawKind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    const std::size_t offset = skip_anchor(index_.text(), offset_of(mark));
    refuse_tag(offset);
    const char first = offset < index_.text().size() ? index_.text()[offset] : '\0';
    const char bracket = first == '[' || first == '{' ? first : '\0';
    RawPlace place = place_of(offset);
    if (awaits_key()) {
      refuse_open_bracket(bracket, offset);
      stop("bad-key", place, "a key is one word or a quoted text, not a map or a list");
    }
    if (frames_.size() >= kMaxDepth) {
      stop("too-deep", place, "more than " + std::to_string(kMaxDepth) + " levels deep");
    }
    const bool value_of_key =
        !frames_.empty() && tree_.nodes[frames_.back().node].kind == RawKind::kMap;
    if (bracket == '\0' && value_of_key) place = owner_place(offset);
    RawNode node;
    node.kind = kind;
    node.place = place;
    const std::uint32_t number = add(std::move(node));
    frames_.push_back({number, bracket, offset, false, anchor, {}});
  }

  // yaml-cpp takes a bracketed value for a key when the text ends before the brackets do.
  void refuse_open_bracket(char bracket, std::size_t offset) {
    const auto refuse = [this](char which, std::size_t at) {
      if (which == '\0' || bracket_closes(index_.text(), at)) return;
      stop("yaml-syntax", place_of(at), std::string("this '") + which + "' is not closed");
    };
    refuse(bracket, offset);
    for (std::size_t i = frames_.size(); i-- != 0;) refuse(frames_[i].bracket, frames_[i].offset);
  }

  void close() {
    finish(frames_.back().anchor, frames_.back().node);
    frames_.pop_back();
  }

  TextIndex index_;
  std::size_t skipped_;  // of the text, before what yaml-cpp got to see
  const std::string& file_name_;
  Diagnostics& diagnostics_;
  unsigned documents_ = 0;
  unsigned errors_ = 0;
  std::size_t last_offset_ = 0;  // of the last scalar
  RawTree tree_;
  std::vector<Frame> frames_;
  std::unordered_map<YAML::anchor_t, std::uint32_t> anchors_;
};

}  // namespace

std::optional<RawTree> scan_yaml(std::string_view text, const std::string& file_name,
                                 Diagnostics& diagnostics) {
  const std::size_t skipped = byte_order_mark(text);
  std::istringstream in{std::string(text.substr(skipped))};
  Handler handler(text, skipped, file_name, diagnostics);
  try {
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(handler)) {
    }
  } catch (const Stop&) {
    return std::nullopt;
  } catch (const YAML::Exception& exception) {
    if (handler.may_report()) handler.explain(exception);
    return std::nullopt;
  }
  if (handler.empty()) {
    diagnostics.error("empty-file", {file_name, 0, 0, 1, ""}, "is empty");
    return std::nullopt;
  }
  if (handler.failed()) return std::nullopt;
  return handler.take();
}

}  // namespace peerfab::config
