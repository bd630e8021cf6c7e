// SPDX-License-Identifier: Apache-2.0
// Seeded generator with distributions of our own: the standard library's distributions differ
// between implementations, and the same seed must give the same run everywhere.
#pragma once

#include <cstdint>

namespace peerfab {

// xoshiro256** by Blackman and Vigna (https://prng.di.unimi.it), seeded through splitmix64.
class Rng {
 public:
  explicit constexpr Rng(std::uint64_t seed) {
    for (auto& word : state_) {
      seed += 0x9e3779b97f4a7c15U;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
      word = z ^ (z >> 31);
    }
  }

  constexpr std::uint64_t next() {
    const std::uint64_t result = rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotl(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound); 0 when bound is 0. The bias of the multiply is below bound / 2^64.
  constexpr std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

  // Uniform in [low, high], both included. Requires low <= high.
  constexpr std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + below(high - low + 1);
  }

 private:
  static constexpr std::uint64_t rotl(std::uint64_t value, int count) {
    return (value << count) | (value >> (64 - count));
  }
  std::uint64_t state_[4] = {};
};

}  // namespace peerfab
