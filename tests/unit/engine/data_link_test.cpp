// SPDX-License-Identifier: Apache-2.0
// Sequence numbers, Ack and Nak, replay: both ends of one link.
#include "sim/engine/data_link.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/base/rng.h"
#include "sim/monitor/findings.h"
#include "sim/monitor/link_monitor.h"
#include "tests/support/catch.h"
#include "tests/support/engine_link.h"

using peerfab::Bandwidth;
using peerfab::Picoseconds;
using peerfab::Rng;
using peerfab::engine::DataLinkConfig;
using peerfab::engine::DataLinkStatistics;
using peerfab::engine::LinkState;
using peerfab::engine::Tlp;
using peerfab::engine::TransmitterConfig;
using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

namespace {

// Gen5 x16: 256 B with a 12 B header and 8 B of framing take 276 B or 4380 ps.
constexpr std::uint64_t kTlpTime = 4380;

TransmitterConfig wire() {
  TransmitterConfig config = bare_wire(5, 16);
  config.propagation = Picoseconds(10'000);
  return config;
}

DataLinkConfig exact() {
  DataLinkConfig config;
  config.ack_interval = Picoseconds(42'000);
  config.replay_timeout = Picoseconds(6'000'000);
  return config;
}

// Under watch: whatever a test does to it, no rule is broken.
struct Exact : LinkRig {
  explicit Exact(const DataLinkConfig& there, const DataLinkConfig& back_again = exact(),
                 const TransmitterConfig& config = wire())
      : LinkRig(config) {
    out.use_data_link(there);
    back.use_data_link(back_again);
    peerfab::monitor::LinkDescription description;
    description.name = "exact";
    description.numbered = true;
    monitor.emplace(findings, description, back, out);
  }
  ~Exact() {
    INFO(findings.text());
    CHECK(findings.violations() == 0);
  }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  void send_numbered(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      send(make_write(pool, 256, 0, 0x100, static_cast<std::uint16_t>(i)));
    }
  }
  void check_all_in_order(unsigned count) {
    REQUIRE(far_end.arrivals.size() == count);
    for (unsigned i = 0; i < count; ++i) CHECK(far_end.arrivals[i].tlp.tag == i % 65536);
  }
  peerfab::monitor::Findings findings;
  std::optional<peerfab::monitor::LinkMonitor> monitor;
  const DataLinkStatistics& counted() { return out.data_link()->statistics(); }
};

}  // namespace

TEST_CASE("without errors TLPs arrive as they do without a data link layer", "[data-link]") {
  Exact rig(exact());
  LinkRig plain(wire());
  rig.send_numbered(100);
  for (unsigned i = 0; i < 100; ++i) plain.send(make_write(plain.pool, 256));
  rig.run();
  plain.run();
  rig.check_all_in_order(100);
  for (unsigned i = 0; i < 100; ++i) CHECK(rig.arrival(i) == plain.arrival(i));
  CHECK(rig.counted().naks == 0);
  CHECK(rig.counted().replays == 0);
  // One for the first TLP, then one for each interval: 438 ns of TLPs.
  CHECK(rig.counted().acks >= 10);
  CHECK(rig.counted().acks <= 12);
  CHECK(rig.out.data_link()->unacknowledged() == 0);
  CHECK(rig.back.statistics().dllp_bytes == rig.counted().acks * 8);
}

TEST_CASE("a damaged TLP is sent again, with all behind it, and nothing is lost", "[data-link]") {
  DataLinkConfig errors = exact();
  errors.errors.tlps = {3};
  Exact rig(errors);
  rig.send_numbered(20);
  rig.run();
  rig.check_all_in_order(20);
  CHECK(rig.counted().tlps_damaged == 1);
  CHECK(rig.counted().naks == 1);
  CHECK(rig.counted().replays == 1);
  CHECK(rig.counted().timeouts == 0);
  // Damaged until 3 * 4380 + 10,000; the Nak takes 127 ps and 10,000. Meanwhile five or six more
  // went out behind it.
  CHECK(rig.counted().tlps_replayed == 1 + rig.counted().out_of_order);
  CHECK(rig.counted().out_of_order >= 5);
  CHECK(rig.counted().out_of_order <= 6);
  CHECK(rig.counted().duplicates == 0);
  CHECK(rig.far_end.arrivals[2].at > Picoseconds(3 * kTlpTime + 30'000));
}

TEST_CASE("one Nak for each gap; a second loss waits for the replay timer", "[data-link]") {
  DataLinkConfig errors = exact();
  errors.errors.tlps = {1, 2};  // the replayed one, too: nothing but these two is sent
  Exact rig(errors);
  rig.send_numbered(1);
  rig.run();
  rig.check_all_in_order(1);
  CHECK(rig.counted().naks == 1);
  CHECK(rig.counted().timeouts == 1);
  CHECK(rig.counted().replays == 2);
  CHECK(rig.far_end.arrivals[0].at > Picoseconds(6'000'000));
}

TEST_CASE("a lost Nak is made good by the replay timer", "[data-link]") {
  DataLinkConfig errors = exact();
  errors.errors.tlps = {2};
  DataLinkConfig back = exact();
  back.errors.acknowledgements = {2};  // the first one is the Ack of the first TLP
  Exact rig(errors, back);
  rig.send_numbered(10);
  rig.run();
  rig.check_all_in_order(10);
  CHECK(rig.counted().naks == 1);
  CHECK(rig.counted().dllps_damaged == 1);
  CHECK(rig.counted().timeouts == 1);
  CHECK(rig.counted().duplicates == 0);
}

TEST_CASE("a lost last Ack brings duplicates, which are dropped and acknowledged again",
          "[data-link]") {
  DataLinkConfig back = exact();
  back.errors.acknowledgements = {1};
  Exact rig(exact(), back);
  rig.send_numbered(1);
  rig.run();
  rig.check_all_in_order(1);
  CHECK(rig.counted().timeouts == 1);
  CHECK(rig.counted().tlps_replayed == 1);
  CHECK(rig.counted().duplicates == 1);
  CHECK(rig.counted().acks == 2);
  CHECK(rig.out.data_link()->unacknowledged() == 0);
}

TEST_CASE("the fourth replay without progress asks for a retrained link", "[data-link]") {
  DataLinkConfig errors = exact();
  errors.errors.tlps = {1, 2, 3, 4};
  Exact rig(errors);
  std::vector<Picoseconds> retrained;
  rig.out.data_link()->on_replay_rollover([&](Picoseconds now) { retrained.push_back(now); });
  rig.send_numbered(1);
  rig.run();
  rig.check_all_in_order(1);
  CHECK(rig.counted().replays == 4);
  CHECK(rig.counted().retrains == 1);
  REQUIRE(retrained.size() == 1);
  CHECK(retrained[0] > Picoseconds(3 * 6'000'000));
}

TEST_CASE("a full replay buffer holds TLPs back until an Ack", "[data-link]") {
  DataLinkConfig small = exact();
  small.replay_buffer_bytes = 4 * 276;
  Exact rig(small);
  rig.send_numbered(64);
  rig.run();
  rig.check_all_in_order(64);
  CHECK(rig.counted().buffer_stall_ps > 0);
  // Four of them in the time of an Ack: at most one interval and the way there and back.
  CHECK(rig.scheduler.now() > Picoseconds(64 / 4 * 40'000));
}

TEST_CASE("held, a link loses nothing and its timers stand still", "[data-link]") {
  Exact rig(exact());
  rig.send_numbered(50);
  const auto hold = [&](bool held, Picoseconds now) {
    for (auto* direction : {&rig.out, &rig.back}) {
      if (held) {
        direction->data_link()->hold(now);
      } else {
        direction->data_link()->resume(now);
      }
    }
  };
  rig.at(Picoseconds(50'000), [&](Picoseconds now) { hold(true, now); });
  rig.at(Picoseconds(50'000'000), [&](Picoseconds now) { hold(false, now); });
  rig.run();
  rig.check_all_in_order(50);
  CHECK(rig.counted().replays == 0);
  CHECK(rig.counted().timeouts == 0);
  CHECK(rig.far_end.arrivals.back().at > Picoseconds(50'000'000));
}

TEST_CASE("whatever is damaged, each TLP arrives once and in order", "[data-link]") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed);
    TransmitterConfig config =
        bare_wire(static_cast<unsigned>(rng.between(1, 5)), 1U << rng.below(5));
    config.propagation = Picoseconds(rng.below(100'000));
    config.receive_latency = Picoseconds(rng.below(150'000));
    config.cut_through = rng.below(2) == 0;
    config.dllp_interval = Picoseconds(rng.between(10'000, 200'000));
    config.credit_return_latency = Picoseconds(rng.below(50'000));
    for (auto& flow : config.buffer.classes) {
      if (rng.below(2) == 0) flow = {static_cast<std::uint32_t>(rng.between(1, 32)), 512};
    }
    DataLinkConfig there = exact();
    there.ack_interval = config.dllp_interval;
    there.errors.rate = rng.below(2) == 0 ? 1e-5 : 1e-4;
    there.errors.seed = seed;
    if (rng.below(2) == 0)
      there.replay_buffer_bytes = static_cast<std::uint32_t>(rng.between(1, 20'000));
    DataLinkConfig back = there;
    back.errors.seed = seed + 1000;
    back.errors.rate = rng.below(2) == 0 ? 1e-3 : 1e-5;
    Exact rig(there, back, config);
    constexpr unsigned kCount = 5000;  // more than there are sequence numbers
    for (unsigned i = 0; i < kCount; ++i) {
      rig.send(make_write(rig.pool, static_cast<unsigned>(rng.between(1, 64)) * 4, 0, 0x100,
                          static_cast<std::uint16_t>(i)));
      // The other direction is busy, too.
      if (i % 3 == 0) rig.back.enqueue(0, make_write(rig.pool, 64), rig.scheduler.now());
    }
    rig.run();
    rig.check_all_in_order(kCount);
    CHECK(rig.near_end.arrivals.size() == (kCount + 2) / 3);
    CHECK(rig.counted().tlps_damaged > 0);
    CHECK(rig.out.data_link()->unacknowledged() == 0);
  }
}
