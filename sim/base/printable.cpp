// SPDX-License-Identifier: Apache-2.0
#include "sim/base/printable.h"

#include <algorithm>
#include <cstdio>
#include <span>

namespace peerfab {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

bool in_any(std::span<const Range> ranges, char32_t value) {
  return std::ranges::any_of(
      ranges, [value](const Range& range) { return value >= range.first && value <= range.last; });
}

// Controls, line and paragraph separators, embedding and isolate controls, the byte order mark.
constexpr Range kEscaped[] = {
    {0x00, 0x1f}, {0x7f, 0x9f}, {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff}};
// Combining diacritics, zero-width space and joiners, variation selectors.
constexpr Range kZeroWidth[] = {{0x300, 0x36f}, {0x200b, 0x200f}, {0xfe00, 0xfe0f}};
// The blocks that Unicode's East Asian Width calls wide, in coarse outline.
constexpr Range kWide[] = {
    {0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
    {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

void append_utf8(std::string& out, char32_t value) {
  const auto add = [&](char32_t byte) {
    out += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (value < 0x80) {
    add(value);
  } else if (value < 0x800) {
    add(0xc0 | (value >> 6));
    add(0x80 | (value & 0x3f));
  } else if (value < 0x10000) {
    add(0xe0 | (value >> 12));
    add(0x80 | ((value >> 6) & 0x3f));
    add(0x80 | (value & 0x3f));
  } else {
    add(0xf0 | (value >> 18));
    add(0x80 | ((value >> 12) & 0x3f));
    add(0x80 | ((value >> 6) & 0x3f));
    add(0x80 | (value & 0x3f));
  }
}

}  // namespace

std::string printable(CodePoint point) {
  if (point.valid && !in_any(kEscaped, point.value)) {
    std::string out;
    append_utf8(out, point.value);
    return out;
  }
  if (point.value == '\n') return "\\n";
  if (point.value == '\r') return "\\r";
  if (point.value == '\t') return "\\t";
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, point.value < 0x100 ? "\\x%02x" : "\\u%04x",
                static_cast<unsigned>(point.value));
  return buffer;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = code_point_at(text, i);
    out += printable(point);
    i += point.bytes;
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t code_points) {
  std::size_t at = 0;
  for (; code_points != 0 && at < text.size(); --code_points) at += code_point_at(text, at).bytes;
  std::string out(text.substr(0, at));
  return at == text.size() ? out : out + "...";
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kQuotedLength = 60;
  return "'" + shortened(text, kQuotedLength) + "'";
}

std::size_t terminal_columns(CodePoint point) {
  if (!point.valid || in_any(kEscaped, point.value)) return printable(point).size();
  if (in_any(kZeroWidth, point.value)) return 0;
  return in_any(kWide, point.value) ? 2 : 1;
}

}  // namespace peerfab
