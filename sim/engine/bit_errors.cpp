// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/bit_errors.h"

#include <cassert>
#include <cmath>

namespace peerfab::engine {

BitErrors::BitErrors(const BitErrorConfig& config)
    : rate_(config.rate),
      rng_(config.seed),
      tlps_{config.tlps, 0},
      acknowledgements_{config.acknowledgements, 0} {
  assert(rate_ >= 0 && rate_ <= 1);
  if (rate_ > 0) good_bits_ = distance();
}

// More than one error may hit a packet: the next good stretch begins behind it.
void BitErrors::go_beyond(std::uint64_t bits) {
  std::uint64_t position = good_bits_ + 1;  // behind the bit that was hit
  while (position <= bits) {
    good_bits_ = distance();
    if (good_bits_ >= bits - position) {
      good_bits_ -= bits - position;
      return;
    }
    position += good_bits_ + 1;
  }
  good_bits_ = distance();
}

// Bits that arrive undamaged before the next error: geometric by inversion.
std::uint64_t BitErrors::distance() {
  constexpr double kFarAway = 9e18;
  if (rate_ >= 1) return 0;
  // In (0, 1]: 53 random bits, and never zero.
  const double uniform = (static_cast<double>(rng_.next() >> 11) + 1) * 0x1p-53;
  const double bits = std::floor(std::log(uniform) / std::log1p(-rate_));
  return bits < kFarAway ? static_cast<std::uint64_t>(bits) : static_cast<std::uint64_t>(kFarAway);
}

}  // namespace peerfab::engine
