// SPDX-License-Identifier: Apache-2.0
// Whose turn it is, where that is not plain round robin: weights (PCIe r6.0, sec 6.3.3) and two
// virtual channels (sec 2.5).
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "sim/base/rng.h"
#include "sim/engine/transmitter.h"
#include "sim/engine/weighted_round_robin.h"
#include "tests/support/catch.h"
#include "tests/support/engine_link.h"

using peerfab::Bdf;
using peerfab::Picoseconds;
using peerfab::Rng;
using peerfab::engine::Arbitration;
using peerfab::engine::Receiver;
using peerfab::engine::SecondChannel;
using peerfab::engine::Tlp;
using peerfab::engine::Transmitter;
using peerfab::engine::TransmitterConfig;
using peerfab::engine::WeightedRoundRobin;
using peerfab::pcie::FlowClass;
using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

namespace {

using Tags = std::vector<std::uint16_t>;

TransmitterConfig weighted_wire() {
  TransmitterConfig config = bare_wire(5, 16);
  config.arbitration = Arbitration::kWeightedRoundRobin;
  return config;
}

// Queues `count` writes whose tag is the input's number.
void fill(LinkRig& rig, unsigned input, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    rig.send(make_write(rig.pool, 64, 0, 0x100, static_cast<std::uint16_t>(input)), input);
  }
}

unsigned count_of(const Tags& tags, std::size_t first, std::size_t count, std::uint16_t tag) {
  const auto begin = tags.begin() + static_cast<std::ptrdiff_t>(first);
  return static_cast<unsigned>(std::count(begin, begin + static_cast<std::ptrdiff_t>(count), tag));
}

}  // namespace

TEST_CASE("with weights, turns in a round are taken one by one", "[arbitration]") {
  WeightedRoundRobin turns(3);
  turns.set_weight(0, 3);
  turns.set_weight(2, 2);
  Tags seen;
  for (int i = 0; i < 12; ++i) {
    CHECK(turns.serve([&seen](unsigned index) {
      seen.push_back(static_cast<std::uint16_t>(index));
      return true;
    }));
  }
  CHECK(seen == Tags{0, 1, 2, 0, 2, 0, 1, 2, 0, 2, 0, 0});
}

TEST_CASE("whom nobody takes the turn from keeps it", "[arbitration]") {
  WeightedRoundRobin turns(2);
  turns.set_weight(0, 2);
  const auto take = [&turns](unsigned who) {
    return turns.serve([who](unsigned index) { return index == who; });
  };
  const auto nobody = [](unsigned) { return false; };
  CHECK(take(0));
  CHECK(take(0));
  // 0 has had its turns; that nobody can use one begins no round.
  CHECK_FALSE(turns.serve(nobody));
  unsigned first = 9;
  CHECK(turns.serve([&first](unsigned index) {
    first = index;
    return true;
  }));
  CHECK(first == 1);
}

TEST_CASE("shares of a full wire follow the weights within one TLP over each round",
          "[arbitration]") {
  constexpr std::array<unsigned, 4> kWeights = {1, 4, 2, 7};
  constexpr unsigned kRound = 14;
  constexpr unsigned kRounds = 20;
  LinkRig rig(weighted_wire(), kWeights.size());
  for (unsigned i = 0; i < kWeights.size(); ++i) {
    rig.out.set_weight(i, kWeights[i]);
    fill(rig, i, kRounds * kWeights[i]);
  }
  rig.run();
  const Tags tags = rig.far_end.tags();
  REQUIRE(tags.size() == std::size_t{kRounds} * kRound);
  for (std::size_t first = 0; first + kRound <= tags.size(); first += kRound) {
    for (unsigned i = 0; i < kWeights.size(); ++i) {
      const unsigned sent = count_of(tags, first, kRound, static_cast<std::uint16_t>(i));
      REQUIRE(sent + 1 >= kWeights[i]);
      REQUIRE(sent <= kWeights[i] + 1);
    }
  }
}

TEST_CASE("weights hold where credits and not the wire are scarce", "[arbitration]") {
  TransmitterConfig config = weighted_wire();
  config.buffer.classes[0] = {1, 0};
  config.credit_return_latency = Picoseconds(100'000);
  LinkRig rig(config, 2);
  rig.out.set_weight(0, 3);
  fill(rig, 0, 60);
  fill(rig, 1, 20);
  rig.run();
  const Tags tags = rig.far_end.tags();
  REQUIRE(tags.size() == 80);
  for (std::size_t first = 0; first < 80; first += 4) {
    REQUIRE(count_of(tags, first, 4, 0) >= 2);
    REQUIRE(count_of(tags, first, 4, 1) <= 2);
  }
  CHECK(count_of(tags, 0, 40, 1) >= 9);
}

TEST_CASE("the share of an idle input goes to the others, and it saves nothing up",
          "[arbitration]") {
  LinkRig rig(weighted_wire(), 3);
  rig.out.set_weight(0, 2);
  rig.out.set_weight(1, 100);
  fill(rig, 0, 40);
  fill(rig, 2, 20);
  rig.run();
  const Tags alone = rig.far_end.tags();
  REQUIRE(alone.size() == 60);
  for (std::size_t first = 0; first < 60; first += 3) CHECK(count_of(alone, first, 3, 2) == 1);
  // The wire was never idle for the missing one: 60 TLPs of 88 B.
  const Picoseconds last = rig.far_end.arrivals.back().at;
  CHECK(last <= rig.out.serialisation(rig.far_end.arrivals.back().tlp) * 60);
}

TEST_CASE("no input starves beside one of the greatest weight", "[arbitration]") {
  LinkRig rig(weighted_wire(), 2);
  rig.out.set_weight(0, WeightedRoundRobin::kMaxWeight);
  fill(rig, 0, 2000);
  fill(rig, 1, 5);
  rig.run();
  const Tags tags = rig.far_end.tags();
  std::size_t since = 0;
  unsigned seen = 0;
  for (std::size_t i = 0; i < tags.size() && seen < 5; ++i, ++since) {
    if (tags[i] != 1) continue;
    ++seen;
    since = 0;
    REQUIRE(since <= 2 * WeightedRoundRobin::kMaxWeight);
  }
  CHECK(seen == 5);
  CHECK(count_of(tags, 0, 5 * (WeightedRoundRobin::kMaxWeight + 1), 1) >= 4);
}

TEST_CASE("without weights set, weighted round robin is round robin", "[arbitration]") {
  LinkRig rig(weighted_wire(), 100);
  for (unsigned i = 0; i < 100; ++i) fill(rig, i, 3);
  rig.run();
  const Tags tags = rig.far_end.tags();
  REQUIRE(tags.size() == 300);
  for (std::size_t i = 0; i < tags.size(); ++i) REQUIRE(tags[i] == i % 100);
}

// --- Two virtual channels ------------------------------------------------------------------------

namespace {

constexpr unsigned kFastClass = 5;  // TC5 and TC7 use VC1 here

SecondChannel second_channel() {
  SecondChannel channel;
  channel.traffic_classes = 1U << kFastClass | 1U << 7;
  return channel;
}

Tlp* of_class(Tlp* tlp, unsigned traffic_class) {
  tlp->set_traffic_class(traffic_class);
  return tlp;
}

// One link with room for one TLP of each class in either channel, whose credits the test returns.
class ChannelRig {
 public:
  ChannelRig() : rig_(config(), 2) { rig_.far_end.returns_credits = false; }
  void write(std::uint16_t tag, unsigned traffic_class, unsigned input = 0) {
    send(make_write(rig_.pool, 64, 0, 0x100, tag), traffic_class, input);
  }
  void read(std::uint16_t tag, unsigned traffic_class, unsigned input = 0) {
    send(make_read(rig_.pool, 64, 0, 0x100, tag), traffic_class, input);
  }
  void complete(std::uint16_t tag, unsigned traffic_class, unsigned input = 0) {
    send(make_completion(rig_.pool, 64, 0x777, tag, Bdf(0x100)), traffic_class, input);
  }
  void give(FlowClass flow, unsigned traffic_class) {
    rig_.out.return_credit(flow, 4, rig_.scheduler.now(), traffic_class);
  }
  Tags arrived() {
    rig_.run();
    return rig_.far_end.tags();
  }
  LinkRig& rig() { return rig_; }

 private:
  static TransmitterConfig config() {
    TransmitterConfig config = bare_wire(5, 16);
    config.buffer.classes = {{{1, 0}, {1, 0}, {1, 0}}};
    config.second_channel = second_channel();
    config.second_channel->buffer = config.buffer;
    config.completions_push_all_inputs = true;
    return config;
  }
  void send(Tlp* tlp, unsigned traffic_class, unsigned input) {
    const Picoseconds at = rig_.scheduler.now() + Picoseconds(10'000);
    of_class(tlp, traffic_class);
    rig_.at(at, [this, tlp, input](Picoseconds) { rig_.send(tlp, input); });
    rig_.run(at);
  }
  LinkRig rig_;
};

}  // namespace

TEST_CASE("the traffic class leaves the attributes alone", "[virtual-channel]") {
  Tlp tlp;
  tlp.attributes = Tlp::kRelaxedOrdering | Tlp::kIdOrdering;
  tlp.set_traffic_class(7);
  tlp.set_traffic_class(5);
  CHECK(tlp.traffic_class() == 5);
  CHECK(tlp.relaxed_ordering());
  tlp.set_traffic_class(0);
  CHECK(tlp.attributes == (Tlp::kRelaxedOrdering | Tlp::kIdOrdering));
}

TEST_CASE("a blocked virtual channel does not block the other", "[virtual-channel]") {
  ChannelRig rig;
  SECTION("VC0 is stuck") {
    rig.write(1, 0);
    rig.write(2, 0);  // blocked
    rig.write(3, kFastClass);
    rig.read(4, 7);
    rig.complete(5, kFastClass, 1);
    CHECK(rig.arrived() == Tags{1, 3, 4, 5});
  }
  SECTION("VC1 is stuck") {
    rig.write(1, 7);
    rig.write(2, kFastClass);  // blocked
    rig.write(3, 0);
    rig.read(4, 1);  // TC1 is not mapped to VC1
    rig.complete(5, 6, 1);
    CHECK(rig.arrived() == Tags{1, 3, 4, 5});
  }
}

TEST_CASE("the ordering rules hold within each virtual channel", "[virtual-channel]") {
  ChannelRig rig;
  for (const unsigned traffic_class : {0U, kFastClass}) {
    const auto base = static_cast<std::uint16_t>(10 * traffic_class);
    rig.write(static_cast<std::uint16_t>(base + 1), traffic_class);
    rig.write(static_cast<std::uint16_t>(base + 2), traffic_class);        // blocked
    rig.read(static_cast<std::uint16_t>(base + 3), traffic_class);         // behind it
    rig.complete(static_cast<std::uint16_t>(base + 4), traffic_class, 1);  // likewise
  }
  CHECK(rig.arrived() == Tags{1, 51});
  rig.give(FlowClass::kPosted, kFastClass);
  CHECK(rig.arrived() == Tags{1, 51, 52, 54, 53});  // the inputs take turns
  rig.give(FlowClass::kPosted, 0);
  CHECK(rig.arrived() == Tags{1, 51, 52, 54, 53, 2, 4, 3});
  CHECK(rig.rig().out.backlog() == 0);
}

TEST_CASE("credits come back to the channel that they were taken from", "[virtual-channel]") {
  ChannelRig rig;
  rig.write(1, 0);
  rig.write(2, kFastClass);
  rig.write(3, 0);           // blocked
  rig.write(4, kFastClass);  // blocked
  CHECK(rig.arrived() == Tags{1, 2});
  rig.give(FlowClass::kNonPosted, 0);  // of no use to either
  CHECK(rig.arrived() == Tags{1, 2});
  rig.give(FlowClass::kPosted, 7);
  CHECK(rig.arrived() == Tags{1, 2, 4});
  rig.give(FlowClass::kPosted, 6);
  CHECK(rig.arrived() == Tags{1, 2, 4, 3});
}

TEST_CASE("the channels share the wire by their weights, and each its inputs",
          "[virtual-channel]") {
  TransmitterConfig config = bare_wire(5, 16);
  config.second_channel = second_channel();
  std::array<unsigned, 2> share{};
  SECTION("in turn") { share = {20, 20}; }
  SECTION("one to three") {
    config.second_channel->weights = {1, 3};
    share = {10, 30};
  }
  LinkRig rig(config, 2);
  for (unsigned i = 0; i < 40; ++i) {
    for (unsigned input = 0; input < 2; ++input) {
      // A channel has its share, however many of its inputs have something to send.
      if (input == 0) {
        rig.send(of_class(make_write(rig.pool, 64, 0, 0x100, 0), 0), input);
      }
      rig.send(of_class(make_write(rig.pool, 64, 0, 0x100, static_cast<std::uint16_t>(10 + input)),
                        kFastClass),
               input);
    }
  }
  CHECK(rig.out.waiting(0) + rig.out.waiting(1) + 1 == 120);
  rig.run();
  const Tags tags = rig.far_end.tags();
  REQUIRE(tags.size() == 120);
  const unsigned first_channel = count_of(tags, 0, 40, 0);
  const unsigned a = count_of(tags, 0, 40, 10);
  const unsigned b = count_of(tags, 0, 40, 11);
  CHECK(first_channel + 1 >= share[0]);
  CHECK(first_channel <= share[0] + 1);
  CHECK(a + b + first_channel == 40);
  CHECK(a <= b + 1);
  CHECK(b <= a + 1);
}
