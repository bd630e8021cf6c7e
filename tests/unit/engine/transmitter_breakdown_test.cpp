// SPDX-License-Identifier: Apache-2.0
// Where a TLP's time went: what the links write into it never exceeds its age, the rest is
// queueing, and serialisation counts once, at the slowest link.
#include <cstdint>
#include <map>
#include <vector>

#include "sim/base/rng.h"
#include "sim/engine/transmitter.h"
#include "tests/support/catch.h"
#include "tests/support/engine_link.h"

using peerfab::Bandwidth;
using peerfab::Picoseconds;
using peerfab::Rng;
using peerfab::engine::Receiver;
using peerfab::engine::Scheduler;
using peerfab::engine::Tlp;
using peerfab::engine::TlpPool;
using peerfab::engine::TlpSegment;
using peerfab::engine::Transmitter;
using peerfab::engine::TransmitterConfig;
using peerfab::pcie::FlowClass;
using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

namespace {

std::uint64_t sum(const Tlp& tlp) {
  std::uint64_t total = 0;
  for (const std::uint32_t segment : tlp.segments) total += segment;
  return total;
}

std::vector<std::uint32_t> segments(const Tlp& tlp) {
  return {std::begin(tlp.segments), std::end(tlp.segments)};
}

// In the order of TlpSegment.
std::vector<std::uint32_t> expected(std::uint32_t serialisation, std::uint32_t propagation,
                                    std::uint32_t forwarding, std::uint32_t credit_stall = 0,
                                    std::uint32_t ordering_stall = 0) {
  return {serialisation, propagation, forwarding, credit_stall, ordering_stall, 0, 0};
}

// Two links in a row, and a component between them that forwards what it gets.
class TwoHops {
 public:
  TwoHops(const TransmitterConfig& first, const TransmitterConfig& second)
      : pool(0),
        in(scheduler, first, 2),
        in_back(scheduler, bare_wire(5, 16), 1),
        out(scheduler, second, 1),
        out_back(scheduler, bare_wire(5, 16), 1),
        end(pool),
        nobody_(pool),
        middle_(*this) {
    in.connect(&middle_, &in_back);
    in_back.connect(&nobody_, &in);
    out.connect(&end, &out_back);
    out_back.connect(&nobody_, &out);
    out.set_upstream(0, &in);
    end.from = &out;
  }

  Scheduler scheduler;
  TlpPool pool;
  Transmitter in;
  Transmitter in_back;
  Transmitter out;
  Transmitter out_back;
  ArrivalLog end;

 private:
  struct Middle final : Receiver {
    explicit Middle(TwoHops& hops) : owner(hops) {}
    void receive(Tlp* tlp, Picoseconds now) override { owner.out.enqueue(0, tlp, now); }
    TwoHops& owner;
  };
  ArrivalLog nobody_;
  Middle middle_;
};

}  // namespace

TEST_CASE("an undisturbed TLP's segments are its latency", "[breakdown]") {
  TransmitterConfig config = bare_wire(5, 16);
  config.propagation = Picoseconds(4'000);
  config.receive_latency = Picoseconds(100'000);
  LinkRig rig(config);
  rig.send(make_write(rig.pool, 256));
  rig.run();
  const Arrival& arrival = rig.far_end.arrivals[0];
  CHECK(arrival.at == Picoseconds(108'380));
  CHECK(segments(arrival.tlp) == expected(4'380, 4'000, 100'000));
}

TEST_CASE("waiting for the wire is queueing: no segment claims it", "[breakdown]") {
  LinkRig rig(bare_wire(1, 1));
  for (int i = 0; i < 3; ++i) rig.send(make_write(rig.pool, 64));
  rig.run();
  for (std::uint64_t i = 0; i < 3; ++i) {
    CHECK(segments(rig.far_end.arrivals[i].tlp) == expected(336'000, 0, 0));
    CHECK(rig.far_end.arrivals[i].at == Picoseconds((i + 1) * 336'000));
  }
  CHECK(rig.out.statistics().credit_stall_ps == 0);
  CHECK(rig.out.statistics().ordering_stall_ps == 0);
}

TEST_CASE("a credit stall is the time at the head with the wire free", "[breakdown]") {
  TransmitterConfig config = bare_wire(1, 1);
  config.buffer.classes[0] = {1, 0};
  LinkRig rig(config);
  rig.far_end.returns_credits = false;
  for (int i = 0; i < 3; ++i) rig.send(make_write(rig.pool, 64));
  // The wire is free at 336,000; credits come at 500,000 and at 2,000,000.
  rig.out.return_credit(FlowClass::kPosted, 4, Picoseconds(500'000));
  rig.out.return_credit(FlowClass::kPosted, 4, Picoseconds(2'000'000));
  rig.run();
  REQUIRE(rig.far_end.arrivals.size() == 3);
  CHECK(segments(rig.far_end.arrivals[1].tlp) == expected(336'000, 0, 0, 164'000));
  // The third was behind the second until 500,000 and behind its bytes until 836,000.
  CHECK(segments(rig.far_end.arrivals[2].tlp) == expected(336'000, 0, 0, 2'000'000 - 836'000));
  CHECK(rig.out.statistics().credit_stall_ps == 164'000 + 1'164'000);
}

TEST_CASE("an ordering stall is the time behind a posted request that may not be passed",
          "[breakdown]") {
  TransmitterConfig config = bare_wire(1, 1);
  config.buffer.classes[0] = {1, 0};
  LinkRig rig(config);
  rig.far_end.returns_credits = false;
  rig.send(make_write(rig.pool, 64));
  rig.at(Picoseconds(100'000), [&](Picoseconds) { rig.send(make_write(rig.pool, 64)); });
  rig.at(Picoseconds(400'000), [&](Picoseconds) { rig.send(make_read(rig.pool, 64)); });
  rig.out.return_credit(FlowClass::kPosted, 4, Picoseconds(500'000));
  rig.run();
  REQUIRE(rig.far_end.arrivals.size() == 3);
  CHECK(segments(rig.far_end.arrivals[1].tlp) == expected(336'000, 0, 0, 164'000));
  // It waits from 400,000 on; the write goes at 500,000, the read behind it at 836,000.
  const Arrival& read = rig.far_end.arrivals[2];
  CHECK(read.tlp.kind == peerfab::pcie::TlpKind::kMemoryRead);
  CHECK(read.at == Picoseconds(916'000));
  CHECK(segments(read.tlp) == expected(80'000, 0, 0, 0, 436'000));
  CHECK(rig.out.statistics().ordering_stall_ps == 436'000);
}

TEST_CASE("a TLP that waits for one reason and then for another counts both", "[breakdown]") {
  TransmitterConfig config = bare_wire(1, 1);
  config.buffer.classes[0] = {1, 0};
  config.buffer.classes[1] = {1, 0};
  LinkRig rig(config);
  rig.far_end.returns_credits = false;
  rig.send(make_write(rig.pool, 64));  // at 0
  rig.at(Picoseconds(1), [&](Picoseconds) { rig.send(make_read(rig.pool, 64, 0, 1)); });
  rig.at(Picoseconds(2), [&](Picoseconds) { rig.send(make_write(rig.pool, 64)); });
  rig.at(Picoseconds(3), [&](Picoseconds) { rig.send(make_read(rig.pool, 64, 0, 2)); });
  rig.out.return_credit(FlowClass::kPosted, 4, Picoseconds(1'000'000));
  rig.out.return_credit(FlowClass::kNonPosted, 0, Picoseconds(3'000'000));
  rig.run();
  // 0 write, 336,000 first read, 416,000: the second write lacks credits, the second read may not
  // pass it. 1,000,000 the write goes; at 1,336,000 the read lacks credits, until 3,000,000.
  REQUIRE(rig.far_end.arrivals.size() == 4);
  const Tlp& read = rig.far_end.arrivals[3].tlp;
  CHECK(read.requester == 2);
  CHECK(rig.far_end.arrivals[3].at == Picoseconds(3'080'000));
  CHECK(segments(read) == expected(80'000, 0, 0, 3'000'000 - 1'336'000, 1'336'000 - 416'000));
}

TEST_CASE("serialisation counts once, at the slowest link", "[breakdown]") {
  TransmitterConfig fast = bare_wire(5, 16);  // 256 B: 4379.88 ps
  TransmitterConfig slow = bare_wire(5, 8);   // 8759.77 ps
  fast.propagation = slow.propagation = Picoseconds(3'000);
  SECTION("store and forward, the second link is slower") {
    fast.receive_latency = Picoseconds(100'000);
    TwoHops hops(fast, slow);
    hops.in.enqueue(0, make_write(hops.pool, 256), Picoseconds(0));
    hops.scheduler.run_until(Picoseconds::max());
    CHECK(hops.end.arrivals[0].at == Picoseconds(4'380 + 3'000 + 100'000 + 8'760 + 3'000));
    CHECK(segments(hops.end.arrivals[0].tlp) == expected(8'760, 6'000, 104'380));
  }
  SECTION("store and forward, the first link is slower") {
    slow.receive_latency = Picoseconds(100'000);
    TwoHops hops(slow, fast);
    hops.in.enqueue(0, make_write(hops.pool, 256), Picoseconds(0));
    hops.scheduler.run_until(Picoseconds::max());
    CHECK(hops.end.arrivals[0].at == Picoseconds(8'760 + 3'000 + 100'000 + 4'380 + 3'000));
    CHECK(segments(hops.end.arrivals[0].tlp) == expected(8'760, 6'000, 104'380));
  }
  SECTION("cut-through: the first link's bytes pass while the second sends") {
    fast.receive_latency = Picoseconds(100'000);
    fast.cut_through = true;
    TwoHops hops(fast, slow);
    hops.in.enqueue(0, make_write(hops.pool, 256), Picoseconds(0));
    hops.scheduler.run_until(Picoseconds::max());
    CHECK(hops.end.arrivals[0].at == Picoseconds(3'000 + 100'000 + 8'760 + 3'000));
    CHECK(segments(hops.end.arrivals[0].tlp) == expected(8'760, 6'000, 100'000));
  }
}

TEST_CASE("whatever the load, segments never exceed a TLP's age", "[breakdown]") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed);
    const auto random_config = [&rng](bool may_cut_through) {
      TransmitterConfig config = bare_wire(static_cast<unsigned>(rng.between(3, 5)),
                                           1U << static_cast<unsigned>(rng.between(2, 4)));
      if (rng.below(6) == 0) config.wire_rate = Bandwidth(rng.between(1, 60) * 1'000'000'000);
      config.propagation = Picoseconds(rng.below(10'000));
      config.receive_latency = Picoseconds(rng.below(150'000));
      config.cut_through = may_cut_through && rng.below(2) == 0;
      config.dllp_interval = Picoseconds(rng.below(50'000));
      config.credit_return_latency = Picoseconds(rng.below(40'000));
      for (auto& flow : config.buffer.classes) {
        if (rng.below(3) != 0) flow.headers = static_cast<std::uint32_t>(rng.between(1, 20));
        if (rng.below(3) != 0) flow.data = static_cast<std::uint32_t>(rng.between(17, 100));
      }
      return config;
    };
    const TransmitterConfig first = random_config(true);
    const TransmitterConfig second = random_config(false);
    TwoHops hops(first, second);
    // Made at random times; the tag finds the time again.
    std::vector<Picoseconds> made;
    struct Maker {
      TwoHops& hops;
      Rng& rng;
      std::vector<Picoseconds>& made;
      peerfab::engine::ActorId id = 0;
    } maker{hops, rng, made};
    maker.id = hops.scheduler.add_actor(&maker, [](void* self, Picoseconds now) {
      auto& m = *static_cast<Maker*>(self);
      const auto tag = static_cast<std::uint16_t>(m.made.size());
      const auto bytes = static_cast<unsigned>(m.rng.between(1, 256));
      Tlp* const tlp = m.rng.below(2) == 0   ? make_write(m.hops.pool, bytes, 0, 0x100, tag)
                       : m.rng.below(2) == 0 ? make_read(m.hops.pool, bytes, 0, 0x100, tag)
                                             : make_completion(m.hops.pool, bytes, 0x100, tag);
      tlp->attributes = static_cast<std::uint8_t>(m.rng.below(8));
      m.made.push_back(now);
      m.hops.in.enqueue(static_cast<unsigned>(m.rng.below(2)), tlp, now);
      if (m.made.size() < 1500) {
        m.hops.scheduler.schedule(m.id, now + Picoseconds(m.rng.below(2 * 4'000)));
      }
    });
    hops.scheduler.schedule(maker.id, Picoseconds(0));
    hops.scheduler.run_until(Picoseconds::max());
    REQUIRE(hops.end.arrivals.size() == made.size());
    std::uint64_t stalls = 0;
    for (const Arrival& arrival : hops.end.arrivals) {
      const Tlp& tlp = arrival.tlp;
      const std::uint64_t age = (arrival.at - made[tlp.tag]).count();
      REQUIRE(sum(tlp) <= age);
      // What is certain: flight times and latencies in full, and the wire of the last link.
      REQUIRE(tlp.segment(TlpSegment::kPropagation) ==
              (first.propagation + second.propagation).count());
      REQUIRE(tlp.segment(TlpSegment::kSwitch) >=
              (first.receive_latency + second.receive_latency).count());
      REQUIRE(tlp.segment(TlpSegment::kSerialisation) + 1 >= hops.out.serialisation(tlp).count());
      stalls += tlp.segment(TlpSegment::kCreditStall) + tlp.segment(TlpSegment::kOrderingStall);
    }
    // What the links counted is what the TLPs carry.
    CHECK(stalls == hops.in.statistics().credit_stall_ps + hops.in.statistics().ordering_stall_ps +
                        hops.out.statistics().credit_stall_ps +
                        hops.out.statistics().ordering_stall_ps);
  }
}
