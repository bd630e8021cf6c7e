// SPDX-License-Identifier: Apache-2.0
#include "sim/config/text_check.h"

#include "sim/base/printable.h"
#include "sim/base/utf8.h"
#include "sim/config/limits.h"
#include "sim/config/text_index.h"

namespace peerfab::config {
namespace {

bool starts_with_utf16_or_utf32(std::string_view text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
         text.starts_with(std::string_view("\0\0\xfe\xff", 4));
}

class Checker {
 public:
  Checker(std::string_view text, const std::string& file_name, Diagnostics& diagnostics)
      : text_(text), file_name_(file_name), diagnostics_(diagnostics) {}

  bool run() {
    if (text_.size() > kMaxTextBytes) {
      diagnostics_.error("too-large", {file_name_, 0, 0, 1, ""},
                         "is larger than " + std::to_string(kMaxTextBytes >> 20) + " MiB");
      return false;
    }
    if (starts_with_utf16_or_utf32(text_)) {
      diagnostics_.error("not-text", {file_name_, 0, 0, 1, ""},
                         "is UTF-16 or UTF-32; only UTF-8 is read", "save it as UTF-8");
      return false;
    }
    std::size_t open = 0;
    std::size_t tokens = 0;
    for (std::size_t i = byte_order_mark(text_); i < text_.size();) {
      const CodePoint point = code_point_at(text_, i);
      if (!point.valid) {
        return fail(i, "not-text", "the byte " + printable(point) + " is not UTF-8");
      }
      const char32_t c = point.value;
      if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f) {
        return fail(i, "not-text",
                    "the control character " + printable(point) + " does not belong in a text");
      }
      const bool opens = c == '[' || c == '{';
      const bool closes = c == ']' || c == '}';
      if (opens && ++open > kMaxOpenBrackets) {
        return fail(i, "too-deep",
                    "more than " + std::to_string(kMaxOpenBrackets) + " brackets are open");
      }
      if (closes && open != 0) --open;
      if ((opens || closes || c == ',') && ++tokens > kMaxFlowTokens) {
        return fail(i, "too-many-nodes",
                    "more than " + std::to_string(kMaxFlowTokens) + " brackets and commas");
      }
      i += point.bytes;
    }
    return true;
  }

 private:
  bool fail(std::size_t offset, const char* check, std::string message) {
    TextIndex index(text_);
    const TextPosition at = index.position(offset);
    diagnostics_.error(check, {file_name_, at.line, at.column, 1, ""}, std::move(message));
    return false;
  }

  std::string_view text_;
  const std::string& file_name_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::size_t byte_order_mark(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") ? 3 : 0;
}

bool check_text(std::string_view text, const std::string& file_name, Diagnostics& diagnostics) {
  return Checker(text, file_name, diagnostics).run();
}

}  // namespace peerfab::config
