// SPDX-License-Identifier: Apache-2.0
// A piece of a scalar that remembers where in the file it stands, so that a finding about one word
// of a line points at that word.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "sim/config/tree.h"

namespace peerfab::scenario {

class TextSpan {
 public:
  explicit TextSpan(const config::Node& node)
      : TextSpan(node.text(), node.where(), node.quoted()) {}
  TextSpan(std::string_view text, const SourceLocation& where, bool quoted = false)
      : text_(text), where_(where) {
    // Where the text in the file is not the value letter by letter (escapes, folded lines), all
    // pieces point at the whole.
    const std::size_t quotes = quoted ? 2 : 0;
    exact_ = where.known() && where.length == code_points(text) + quotes;
    if (exact_ && quoted) {
      where_.column += 1;
      where_.length -= 2;
    }
  }

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] const SourceLocation& where() const { return where_; }

  [[nodiscard]] TextSpan sub(std::size_t offset, std::size_t count = std::string_view::npos) const {
    TextSpan part = *this;
    part.text_ = text_.substr(offset, count);
    if (exact_) {
      part.where_.column += static_cast<unsigned>(code_points(text_.substr(0, offset)));
      part.where_.length = std::max(1U, static_cast<unsigned>(code_points(part.text_)));
    }
    return part;
  }
  [[nodiscard]] TextSpan trimmed() const {
    const std::size_t first = text_.find_first_not_of(' ');
    if (first == std::string_view::npos) return sub(text_.size());
    return sub(first, text_.find_last_not_of(' ') - first + 1);
  }
  // Cuts off what stands before the separator; everything when it does not occur.
  [[nodiscard]] TextSpan before(std::string_view separator) const {
    return sub(0, text_.find(separator));
  }
  // What stands behind the separator; nothing when it does not occur.
  [[nodiscard]] TextSpan behind(std::string_view separator) const {
    const std::size_t found = text_.find(separator);
    return found == std::string_view::npos ? sub(text_.size()) : sub(found + separator.size());
  }
  [[nodiscard]] config::Node node() const {
    return config::Node::scalar(std::string(text_), where_);
  }

 private:
  static std::size_t code_points(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
  }

  std::string_view text_;
  SourceLocation where_;
  bool exact_ = false;
};

}  // namespace peerfab::scenario
