// SPDX-License-Identifier: Apache-2.0
// Ack latency limit, UpdateFC pacing and replay timer as a link sees them. The specification's
// tables are checked in tests/conformance.
#include "sim/pcie/dllp_timing.h"

#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

TEST_CASE("limits in line time follow the symbol time", "[dllp_timing]") {
  const DllpTiming gen3(LinkConfig{3, 16, 4}, 256);
  CHECK(gen3.ack_latency_limit().to_picoseconds_ceil() == Picoseconds(168'000));
  CHECK(gen3.replay_timer_limit().to_picoseconds_ceil() == Picoseconds(504'000));
  // The same number of symbols, each half as long.
  const DllpTiming gen4(LinkConfig{4, 16, 4}, 256);
  CHECK(gen4.ack_latency_limit().to_picoseconds_ceil() == Picoseconds(84'000));
  const DllpTiming gen5(LinkConfig{5, 16, 4}, 256);
  CHECK(gen5.ack_latency_limit().to_picoseconds_ceil() == Picoseconds(42'000));
  const DllpTiming gen1(LinkConfig{1, 1, 4}, 128);
  CHECK(gen1.ack_latency_limit().to_picoseconds_ceil() == Picoseconds(948'000));
  CHECK(gen1.replay_timer_limit().to_picoseconds_ceil() == Picoseconds(2'844'000));
}

TEST_CASE("from 16 GT/s on the simplified replay timer is the only one", "[dllp_timing]") {
  for (unsigned generation = 4; generation <= 5; ++generation) {
    for (unsigned payload = 128; payload <= 4096; payload *= 2) {
      const unsigned symbols = replay_timer_limit_symbols(generation, 16, payload);
      CHECK(symbols >= spec::kSimplifiedReplayMinSymbols);
      CHECK(symbols <= spec::kSimplifiedReplayMaxSymbols);
    }
  }
  CHECK(replay_timer_limit_symbols(3, 16, 4096) == 1890);
}

TEST_CASE("Ack and UpdateFC cost little of a saturated link", "[dllp_timing]") {
  for (unsigned generation = 1; generation <= 5; ++generation) {
    for (unsigned width = 1; width <= 16; width *= 2) {
      for (unsigned payload = 128; payload <= 4096; payload *= 2) {
        INFO("gen " << generation << " x" << width << " MPS " << payload);
        const LinkConfig config{generation, width, 4};
        const DllpTiming dllp(config, payload);
        // An Ack and an UpdateFC an interval.
        const LineTime cost = LinkTiming(config).dllp_time() * 2;
        CHECK(cost.ticks() * 14 < dllp.ack_interval().ticks());
        CHECK(dllp.update_fc_interval() == dllp.ack_interval());
      }
    }
  }
}

TEST_CASE("in FLIT mode flits are acknowledged and replayed", "[dllp_timing]") {
  for (unsigned payload = 128; payload <= 4096; payload *= 2) {
    const DllpTiming x16(LinkConfig{6, 16, 4}, payload);
    CHECK(x16.ack_latency_limit().to_picoseconds_ceil() == Picoseconds(50'000));
    CHECK(x16.replay_timer_limit().to_picoseconds_ceil() == Picoseconds(1500 * 2000));
    const DllpTiming x1(LinkConfig{6, 1, 4}, payload);
    CHECK(x1.ack_latency_limit().to_picoseconds_ceil() == Picoseconds(80'000));
    CHECK(x1.replay_timer_limit().to_picoseconds_ceil() == Picoseconds(1500 * 32'000));
  }
}

TEST_CASE("idle links repeat UpdateFC every 30 us", "[dllp_timing]") {
  CHECK(kIdleUpdateFcInterval == Picoseconds(30'000'000));
}

}  // namespace
}  // namespace peerfab::pcie
