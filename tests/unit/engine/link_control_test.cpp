// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/link_control.h"

#include <optional>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/engine_link.h"

using peerfab::Picoseconds;
using peerfab::engine::DataLinkConfig;
using peerfab::engine::LinkControl;
using peerfab::engine::LinkControlConfig;
using peerfab::engine::LinkObserver;
using peerfab::engine::LinkState;
using peerfab::engine::SentTlp;
using peerfab::engine::Tlp;
using peerfab::engine::TransmitterConfig;
using peerfab::pcie::DllpKind;
using peerfab::pcie::FlowClass;
using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

namespace {

// Gen5 x16: 276 B take 4380 ps.
constexpr std::uint64_t kTlpTime = 4380;
constexpr Picoseconds kTraining(20'000'000);
constexpr Picoseconds kRecovery(1'000'000);

TransmitterConfig wire() {
  TransmitterConfig config = bare_wire(5, 16);
  config.propagation = Picoseconds(10'000);
  for (auto& flow : config.buffer.classes) flow = {32, 512};
  return config;
}

DataLinkConfig exact() {
  DataLinkConfig config;
  config.ack_interval = Picoseconds(42'000);
  config.replay_timeout = Picoseconds(6'000'000);
  return config;
}

struct Watcher final : LinkObserver {
  void tlp_queued(unsigned, const Tlp&, Picoseconds) override {}
  void tlp_sent(unsigned, const Tlp&, const SentTlp&) override {}
  void tlp_replayed(const SentTlp&) override {}
  void tlp_received(const Tlp&, std::uint16_t, Picoseconds) override {}
  void credits_returned(FlowClass, std::uint32_t, std::uint32_t, Picoseconds,
                        Picoseconds) override {}
  void dllp_sent(const peerfab::pcie::Dllp& dllp, Picoseconds, bool) override {
    dllps.push_back(dllp);
  }
  void state_changed(LinkState state, Picoseconds now) override { states.emplace_back(state, now); }
  std::vector<peerfab::pcie::Dllp> dllps;
  std::vector<std::pair<LinkState, Picoseconds>> states;
};

struct Controlled : LinkRig {
  explicit Controlled(const DataLinkConfig& there = exact()) : LinkRig(wire()) {
    out.use_data_link(there);
    back.use_data_link(exact());
    control.emplace(scheduler, out, back, LinkControlConfig{kTraining, kRecovery, 256, false});
    out.observe(&watcher);
  }
  void send_numbered(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      send(make_write(pool, 256, 0, 0x100, static_cast<std::uint16_t>(i)));
    }
  }
  std::optional<LinkControl> control;
  Watcher watcher;
};

}  // namespace

TEST_CASE("a link is up from the start unless it is told to train", "[link-control]") {
  Controlled rig;
  CHECK(rig.control->state() == LinkState::kUp);
  rig.send_numbered(1);
  rig.run();
  CHECK(rig.arrival(0) == Picoseconds(kTlpTime + 10'000));
  CHECK(rig.watcher.states.empty());
}

TEST_CASE("an untrained link trains, initialises flow control, and only then carries TLPs",
          "[link-control]") {
  Controlled rig;
  rig.control->start_untrained();
  rig.send_numbered(3);
  rig.run();
  REQUIRE(rig.watcher.states.size() == 3);
  CHECK(rig.watcher.states[0] == std::pair(LinkState::kTraining, Picoseconds(0)));
  CHECK(rig.watcher.states[1] == std::pair(LinkState::kInit, kTraining));
  CHECK(rig.watcher.states[2].first == LinkState::kUp);
  // Two sets of three DLLPs over a wire of 10 ns.
  CHECK(rig.watcher.states[2].second > kTraining + Picoseconds(20'000));
  CHECK(rig.watcher.states[2].second < kTraining + Picoseconds(25'000));
  REQUIRE(rig.watcher.dllps.size() >= 6);
  for (unsigned i = 0; i < 6; ++i) {
    CHECK(rig.watcher.dllps[i].kind == (i < 3 ? DllpKind::kInitFc1 : DllpKind::kInitFc2));
    CHECK(rig.watcher.dllps[i].flow_class == static_cast<FlowClass>(i % 3));
    CHECK(rig.watcher.dllps[i].header_credits == 32);
    CHECK(rig.watcher.dllps[i].data_credits == 512);
  }
  REQUIRE(rig.far_end.arrivals.size() == 3);
  CHECK(rig.arrival(0) > rig.watcher.states[2].second);
}

TEST_CASE("flow control is initialised although DLLPs are lost", "[link-control]") {
  DataLinkConfig errors = exact();
  errors.errors.rate = 0.005;  // a DLLP of 8 B in four
  unsigned lost = 0;
  unsigned sent = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    errors.errors.seed = seed;
    Controlled rig(errors);
    rig.control->start_untrained();
    rig.run(Picoseconds(20'500'000));
    CHECK(rig.control->state() == LinkState::kUp);
    lost += static_cast<unsigned>(rig.out.data_link()->statistics().dllps_damaged);
    sent += static_cast<unsigned>(rig.watcher.dllps.size());
  }
  CHECK(lost > 20);
  CHECK(sent > 20 * 6 + 20);  // whole sets again
}

TEST_CASE("Recovery stops the link for its time, and nothing is lost", "[link-control]") {
  Controlled rig;
  rig.send_numbered(20);
  rig.at(Picoseconds(30'000), [&](Picoseconds now) {
    rig.control->retrain(now);
    CHECK(rig.control->state() == LinkState::kRecovery);
    rig.control->retrain(now);  // already there
  });
  rig.run();
  REQUIRE(rig.far_end.arrivals.size() == 20);
  for (unsigned i = 0; i < 20; ++i) CHECK(rig.far_end.arrivals[i].tlp.tag == i);
  CHECK(rig.control->statistics().recoveries == 1);
  CHECK(rig.control->state() == LinkState::kUp);
  CHECK(rig.arrival(19) > Picoseconds(30'000) + kRecovery);
  CHECK(rig.arrival(19) < Picoseconds(30'000) + kRecovery + Picoseconds(20 * kTlpTime));
  CHECK(rig.out.data_link()->statistics().replays == 0);
}

TEST_CASE("another rate and width hold from the end of Recovery on", "[link-control]") {
  Controlled rig;
  rig.send_numbered(1);
  bool changed = false;
  rig.control->on_speed_change([&] { changed = true; });
  rig.at(Picoseconds(100'000), [&](Picoseconds now) {
    rig.control->retrain(now, peerfab::pcie::LinkConfig{3, 8});
  });
  rig.at(Picoseconds(5'000'000),
         [&](Picoseconds now) { rig.out.enqueue(0, make_write(rig.pool, 256), now); });
  rig.run();
  CHECK(changed);
  REQUIRE(rig.far_end.arrivals.size() == 2);
  // Gen3 x8 takes eight times as long.
  CHECK(rig.arrival(1) == Picoseconds(5'000'000 + 8 * kTlpTime + 10'000));
  CHECK(rig.out.config().link.generation == 3);
  CHECK(rig.out.config().link.width == 8);
}

TEST_CASE("REPLAY_NUM rolls over into a retrained link", "[link-control]") {
  DataLinkConfig errors = exact();
  errors.errors.tlps = {1, 2, 3, 4};
  Controlled rig(errors);
  rig.send_numbered(1);
  rig.run();
  CHECK(rig.far_end.arrivals.size() == 1);
  CHECK(rig.control->statistics().recoveries == 1);
  CHECK(rig.control->statistics().recovery_ps == kRecovery.count());
}

TEST_CASE("a link that goes down hands over what it had and what comes later", "[link-control]") {
  Controlled rig;
  std::vector<unsigned> queued;
  std::vector<unsigned> carried;
  rig.control->on_lost_down([&](std::optional<unsigned> input, Tlp* tlp, Picoseconds) {
    (input.has_value() ? queued : carried).push_back(tlp->tag);
    rig.pool.release(tlp);
  });
  rig.control->on_lost_up(
      [&](std::optional<unsigned>, Tlp* tlp, Picoseconds) { rig.pool.release(tlp); });
  rig.send_numbered(20);
  rig.at(Picoseconds(30'000), [&](Picoseconds now) {
    rig.control->go_down(now);
    rig.control->go_down(now);  // already there
    rig.control->retrain(now);  // too late
  });
  rig.at(Picoseconds(100'000), [&](Picoseconds now) {
    rig.out.enqueue(0, make_write(rig.pool, 256, 0, 0x100, 99), now);
  });
  rig.run();
  CHECK(rig.control->state() == LinkState::kDown);
  // 4,380 ps each and 10,000 of flight: four have arrived by then.
  CHECK(rig.far_end.arrivals.size() == 4);
  CHECK(carried.size() + queued.size() == 17);
  CHECK(carried.front() == 4);
  CHECK(queued.back() == 99);
  CHECK(rig.control->statistics().lost_tlps == 17);
  CHECK(rig.out.backlog() == 0);
}
