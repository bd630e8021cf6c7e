// SPDX-License-Identifier: Apache-2.0
#include "sim/pcie/flit_packing.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "sim/pcie/flit_tlp.h"

namespace peerfab::pcie {
namespace {

// TLPs of the half of a flit that one is in.
class HalfCount {
 public:
  // Moves to the half of `position`; a TLP that goes on across the border counts in both.
  void enter(std::size_t position, bool within_tlp) {
    const std::size_t half = position / spec::kFlitHalfBytes;
    if (half == half_) return;
    half_ = half;
    tlps_ = within_tlp ? 1 : 0;
  }
  void count() { ++tlps_; }
  [[nodiscard]] bool full() const { return tlps_ >= spec::kMaxTlpsPerFlitHalf; }
  [[nodiscard]] bool exceeded() const { return tlps_ > spec::kMaxTlpsPerFlitHalf; }

 private:
  std::size_t half_ = ~std::size_t{0};
  unsigned tlps_ = 0;
};

std::span<const std::byte, 4> dw_at(const FlitTlpBytes& bytes, std::size_t position) {
  return std::span<const std::byte, 4>(bytes.data() + position, 4);
}

}  // namespace

void FlitPacker::push(TlpBytes tlp) {
  assert(!tlp.empty() && tlp.size() % spec::kDwBytes == 0);
  waiting_.push_back(std::move(tlp));
}

bool FlitPacker::next(FlitTlpBytes& out) {
  out.fill(std::byte{kFlitTypeNop});
  HalfCount half;
  bool payload = false;
  std::size_t position = 0;
  while (position < out.size()) {
    half.enter(position, sent_ != 0);
    const bool starts = sent_ == 0;
    if (waiting_.empty() || (starts && half.full())) {
      // NOP TLPs up to the next boundary; whether a TLP is ready by then is asked again.
      position = std::min((position / spec::kNopAlignmentBytes + 1) * spec::kNopAlignmentBytes,
                          out.size());
      continue;
    }
    if (starts) half.count();
    const TlpBytes& tlp = waiting_.front();
    // Up to the end of the half, where the count starts again.
    const std::size_t end = position < spec::kFlitHalfBytes ? spec::kFlitHalfBytes : out.size();
    const std::size_t bytes = std::min(tlp.size() - sent_, end - position);
    std::copy_n(tlp.begin() + static_cast<std::ptrdiff_t>(sent_), bytes, out.begin() + position);
    position += bytes;
    sent_ += bytes;
    payload = true;
    if (sent_ == tlp.size()) {
      waiting_.pop_front();
      sent_ = 0;
    }
  }
  return payload;
}

std::string_view describe(FlitPackingError error) {
  switch (error) {
    case FlitPackingError::kTooManyTlps:
      return "more than eight TLPs in half a flit";
    case FlitPackingError::kNopsCutShort:
      return "a TLP follows NOP TLPs within four DW";
    case FlitPackingError::kPrefixOfNop:
      return "a local prefix has no TLP";
    case FlitPackingError::kNoTlp:
      return "a payload flit has no TLP";
  }
  return "";
}

void FlitUnpacker::start(std::span<const std::byte, 4> dw) {
  const FlitTlpWord word = unpack_flit_tlp_word(dw);
  after_prefix_ = is_local_prefix(word);
  missing_ = std::size_t{tlp_dw(word)} * spec::kDwBytes;
}

std::optional<FlitPackingError> FlitUnpacker::take(const FlitTlpBytes& bytes,
                                                   std::vector<TlpBytes>& tlps) {
  HalfCount half;
  bool in_nops = false;
  bool payload = false;
  for (std::size_t position = 0; position < bytes.size(); position += spec::kDwBytes) {
    half.enter(position, !current_.empty());
    const auto dw = dw_at(bytes, position);
    if (missing_ == 0 && dw[0] == std::byte{kFlitTypeNop}) {
      if (after_prefix_) return FlitPackingError::kPrefixOfNop;
      in_nops = true;
      continue;
    }
    if (missing_ == 0) {
      if (in_nops && position % spec::kNopAlignmentBytes != 0) {
        return FlitPackingError::kNopsCutShort;
      }
      if (current_.empty()) half.count();  // else its prefix has counted
      if (half.exceeded()) return FlitPackingError::kTooManyTlps;
      start(dw);
    }
    in_nops = false;
    payload = true;
    current_.insert(current_.end(), dw.begin(), dw.end());
    missing_ -= spec::kDwBytes;
    if (missing_ == 0 && !after_prefix_) tlps.push_back(std::exchange(current_, {}));
  }
  if (!payload) return FlitPackingError::kNoTlp;
  return std::nullopt;
}

}  // namespace peerfab::pcie
