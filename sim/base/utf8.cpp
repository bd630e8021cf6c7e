// SPDX-License-Identifier: Apache-2.0
#include "sim/base/utf8.h"

namespace peerfab {

CodePoint code_point_at(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[offset + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  std::size_t length = 0;
  char32_t value = 0;
  char32_t least = 0;
  if ((first & 0xe0) == 0xc0) {
    length = 2, value = first & 0x1fU, least = 0x80;
  } else if ((first & 0xf0) == 0xe0) {
    length = 3, value = first & 0x0fU, least = 0x800;
  } else if ((first & 0xf8) == 0xf0) {
    length = 4, value = first & 0x07U, least = 0x10000;
  } else {
    return {first, 1, false};
  }
  if (text.size() - offset < length) return {first, 1, false};
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {first, 1, false};
    value = (value << 6) | (byte(i) & 0x3fU);
  }
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < least || value > 0x10ffff || surrogate) return {first, 1, false};
  return {value, length, true};
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); i += code_point_at(text, i).bytes) ++count;
  return count;
}

}  // namespace peerfab
