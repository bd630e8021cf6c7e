// SPDX-License-Identifier: Apache-2.0
#include "sim/config/text_index.h"

#include <algorithm>

#include "sim/base/utf8.h"

namespace peerfab::config {

TextIndex::TextIndex(std::string_view text) : text_(text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  end_ = last == std::string_view::npos ? 0 : last + 1;
  line_starts_.push_back(0);
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    line_starts_.push_back(at + 1);
}

TextPosition TextIndex::position(std::size_t offset) {
  offset = std::min(offset, end_);
  // Both characters of a Windows line end are one place.
  const bool within_line_end =
      offset != 0 && offset < text_.size() && text_[offset] == '\n' && text_[offset - 1] == '\r';
  if (within_line_end) --offset;
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - line_starts_.begin());
  if (line != last_.line || offset < last_offset_) {
    last_ = {line, 1};
    last_offset_ = line_starts_[line - 1];
  }
  while (last_offset_ < offset) {
    last_offset_ += code_point_at(text_, last_offset_).bytes;
    ++last_.column;
  }
  return last_;
}

}  // namespace peerfab::config
