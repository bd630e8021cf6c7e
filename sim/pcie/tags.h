// SPDX-License-Identifier: Apache-2.0
// Tags of a requester: which values its tag size allows, and which are free.
//
// Contract: PCIe r6.0, sec 2.2.6.2. Acquire and release are O(1) and allocate nothing; a tag comes
// back into use after all that were freed before it, so that a late completion of a cancelled
// request is as unlikely as can be to meet a new one.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/ids.h"
#include "sim/pcie/spec.h"

namespace peerfab::pcie {

enum class TagSize : std::uint8_t { k5Bit, k8Bit, k10Bit, k14Bit };

struct TagRange {
  std::uint16_t first = 0;
  std::uint16_t count = 0;

  [[nodiscard]] constexpr bool contains(Tag tag) const {
    return tag.value() >= first && tag.value() < first + count;
  }
};

// The values a requester may send with this size, to a completer that supports it. 14-bit tags
// exist in FLIT mode only, whose completers all support them.
[[nodiscard]] constexpr TagRange tag_range(TagSize size) {
  switch (size) {
    case TagSize::k5Bit:
      return {0, spec::kTags5Bit};
    case TagSize::k8Bit:
      return {0, spec::kTags8Bit};
    case TagSize::k10Bit:
      return {spec::kFirst10BitTag, spec::kTags10Bit};
    case TagSize::k14Bit:
      return {spec::kFirst14BitTag, spec::kTags14Bit};
  }
  return {};
}

// The smallest size that has `outstanding` tags; none when 768, or 15,360 in FLIT mode, are not
// enough.
[[nodiscard]] constexpr std::optional<TagSize> smallest_tag_size(unsigned outstanding,
                                                                 bool flit_mode = false) {
  for (const TagSize size : {TagSize::k5Bit, TagSize::k8Bit, TagSize::k10Bit}) {
    if (outstanding <= tag_range(size).count) return size;
  }
  if (flit_mode && outstanding <= tag_range(TagSize::k14Bit).count) return TagSize::k14Bit;
  return std::nullopt;
}

class TagAllocator {
 public:
  // max_outstanding: the requester's own limit; 0, or more than the size has, means all of the
  // size.
  explicit TagAllocator(TagSize size, unsigned max_outstanding = 0)
      : range_(tag_range(size)),
        limit_(max_outstanding == 0 || max_outstanding > range_.count ? range_.count
                                                                      : max_outstanding),
        free_(range_.count),
        in_use_(range_.count, false) {
    for (unsigned i = 0; i < range_.count; ++i) {
      free_[i] = static_cast<std::uint16_t>(range_.first + i);
    }
  }

  [[nodiscard]] TagRange range() const { return range_; }
  [[nodiscard]] unsigned limit() const { return limit_; }
  [[nodiscard]] unsigned outstanding() const { return outstanding_; }
  [[nodiscard]] bool exhausted() const { return outstanding_ == limit_; }
  [[nodiscard]] bool is_outstanding(Tag tag) const {
    return range_.contains(tag) && in_use_[index_of(tag)];
  }
  // Position of a tag within the range, for tables of per-request state. Requires a tag of the
  // range.
  [[nodiscard]] unsigned index_of(Tag tag) const {
    return static_cast<unsigned>(tag.value()) - range_.first;
  }

  // None when the limit is reached.
  [[nodiscard]] std::optional<Tag> acquire() {
    if (exhausted()) return std::nullopt;
    const Tag tag(free_[head_]);
    head_ = advance(head_);
    ++outstanding_;
    in_use_[index_of(tag)] = true;
    return tag;
  }

  // False when the tag is not outstanding: the completion that brought it is unexpected (PCIe r6.0,
  // sec 2.3.2).
  [[nodiscard]] bool release(Tag tag) {
    if (!is_outstanding(tag)) return false;
    in_use_[index_of(tag)] = false;
    free_[tail_] = tag.value();
    tail_ = advance(tail_);
    --outstanding_;
    return true;
  }

 private:
  [[nodiscard]] unsigned advance(unsigned position) const {
    return position + 1 == range_.count ? 0 : position + 1;
  }

  TagRange range_;
  unsigned limit_;
  std::vector<std::uint16_t> free_;  // a ring: free tags from head_ up to tail_
  std::vector<bool> in_use_;
  unsigned head_ = 0;
  unsigned tail_ = 0;
  unsigned outstanding_ = 0;
};

}  // namespace peerfab::pcie
