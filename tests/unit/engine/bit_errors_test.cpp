// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/bit_errors.h"

#include <cmath>
#include <cstdint>

#include "tests/support/catch.h"

using peerfab::engine::BitErrorConfig;
using peerfab::engine::BitErrors;

namespace {

BitErrorConfig at_rate(double rate, std::uint64_t seed = 1) {
  BitErrorConfig config;
  config.rate = rate;
  config.seed = seed;
  return config;
}

}  // namespace

TEST_CASE("packets are damaged as often as their bits and the rate say", "[bit-errors]") {
  for (const double rate : {1e-6, 1e-4, 1e-3}) {
    for (const std::uint32_t bytes : {8U, 288U}) {
      BitErrors errors(at_rate(rate, 7));
      constexpr unsigned kPackets = 2'000'000;
      unsigned damaged = 0;
      for (unsigned i = 0; i < kPackets; ++i) damaged += errors.damages_tlp(bytes) ? 1 : 0;
      const double chance = -std::expm1(bytes * 8.0 * std::log1p(-rate));
      const double expected = kPackets * chance;
      const double deviation = std::sqrt(expected * (1 - chance));
      INFO("rate " << rate << ", " << bytes << " B: " << damaged << ", expected " << expected);
      CHECK(std::abs(damaged - expected) < 4.5 * deviation + 1);
    }
  }
}

TEST_CASE("without a rate nothing is damaged, with a rate of one everything", "[bit-errors]") {
  BitErrors never(at_rate(0));
  BitErrors always(at_rate(1));
  for (unsigned i = 0; i < 1000; ++i) {
    CHECK_FALSE(never.damages_tlp(4096));
    CHECK(always.damages_tlp(1));
  }
}

TEST_CASE("a script names packets by their number", "[bit-errors]") {
  BitErrorConfig config;
  config.tlps = {1, 4};
  config.acknowledgements = {2};
  CHECK(config.any());
  BitErrors errors(config);
  CHECK(errors.damages_tlp(100));
  CHECK_FALSE(errors.damages_acknowledgement(8));
  CHECK_FALSE(errors.damages_tlp(100));
  CHECK(errors.damages_acknowledgement(8));
  CHECK_FALSE(errors.damages_dllp(8));
  CHECK_FALSE(errors.damages_tlp(100));
  CHECK(errors.damages_tlp(100));
  CHECK_FALSE(errors.damages_tlp(100));
  CHECK_FALSE(BitErrorConfig{}.any());
}

TEST_CASE("the same seed damages the same packets, another one others", "[bit-errors]") {
  BitErrors one(at_rate(1e-4, 1));
  BitErrors same(at_rate(1e-4, 1));
  BitErrors other(at_rate(1e-4, 2));
  unsigned differences = 0;
  for (unsigned i = 0; i < 10'000; ++i) {
    const bool damaged = one.damages_tlp(288);
    CHECK(damaged == same.damages_tlp(288));
    differences += damaged == other.damages_tlp(288) ? 0 : 1;
  }
  CHECK(differences > 100);
}
