// SPDX-License-Identifier: Apache-2.0
#include "sim/device/forwarder.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/base/rng.h"
#include "tests/support/catch.h"
#include "tests/support/engine_link.h"

using peerfab::Picoseconds;
using peerfab::Rng;
using peerfab::device::Forwarder;
using peerfab::engine::Scheduler;
using peerfab::engine::Tlp;
using peerfab::engine::TlpPool;
using peerfab::engine::Transmitter;
using peerfab::engine::TransmitterConfig;
using peerfab::pcie::FlowClass;
using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

namespace {

// A forwarder with links that take no time, so that what is seen is the forwarder's own.
class ForwarderRig {
 public:
  explicit ForwarderRig(unsigned ports, const TransmitterConfig& in_config = instant(),
                        const TransmitterConfig& out_config = instant())
      : pool(0), forwarder(scheduler, ports) {
    for (unsigned i = 0; i < ports; ++i) {
      in.push_back(std::make_unique<Transmitter>(scheduler, in_config, 1));
      out.push_back(std::make_unique<Transmitter>(scheduler, out_config, ports));
      arrived.push_back(std::make_unique<ArrivalLog>(pool));
      entered.push_back(std::make_unique<ArrivalLog>(pool));
      in.back()->connect(entered.back().get(), out.back().get());
      out.back()->connect(arrived.back().get(), in.back().get());
      arrived.back()->from = out.back().get();
      entered.back()->returns_credits = false;
      forwarder.connect(i, *out.back(), *in.back());
    }
  }
  static TransmitterConfig instant() {
    TransmitterConfig config = bare_wire(5, 16);
    config.wire_rate = peerfab::Bandwidth(0);
    return config;
  }
  Tlp* tlp(std::uint16_t tag) { return make_write(pool, 64, 0, 0x100, tag); }

  Scheduler scheduler;
  TlpPool pool;
  Forwarder forwarder;
  std::vector<std::unique_ptr<Transmitter>> in;
  std::vector<std::unique_ptr<Transmitter>> out;
  std::vector<std::unique_ptr<ArrivalLog>> arrived;
  std::vector<std::unique_ptr<ArrivalLog>> entered;
};

}  // namespace

TEST_CASE("a TLP leaves through the port it is given, at the time it is given", "[forwarder]") {
  ForwarderRig rig(3);
  rig.forwarder.forward(rig.tlp(1), 0, 2, Picoseconds(0));
  rig.forwarder.forward_at(rig.tlp(2), 0, 1, Picoseconds(0), Picoseconds(0));
  rig.forwarder.forward_at(rig.tlp(3), 0, 1, Picoseconds(5'000), Picoseconds(0));
  rig.scheduler.run_until(Picoseconds(4'999));
  CHECK(rig.arrived[2]->tags() == std::vector<std::uint16_t>{1});
  CHECK(rig.arrived[1]->tags() == std::vector<std::uint16_t>{2});
  rig.scheduler.run_until(Picoseconds(5'000));
  CHECK(rig.arrived[1]->tags() == std::vector<std::uint16_t>{2, 3});
  CHECK(rig.arrived[0]->arrivals.empty());
}

TEST_CASE("what comes later from one ingress does not overtake what is delayed", "[forwarder]") {
  ForwarderRig rig(2);
  rig.forwarder.forward_at(rig.tlp(1), 0, 1, Picoseconds(1'000), Picoseconds(0));
  rig.forwarder.forward_at(rig.tlp(2), 0, 1, Picoseconds(1'000), Picoseconds(0));
  rig.forwarder.forward_at(rig.tlp(3), 0, 1, Picoseconds(1'500), Picoseconds(0));
  // Not delayed itself, but behind one that is: a read that is stored and forwarded, then a write
  // that cuts through.
  rig.forwarder.forward_at(rig.tlp(4), 0, 1, Picoseconds(0), Picoseconds(0));
  // Another ingress is not concerned.
  rig.forwarder.forward_at(rig.tlp(9), 1, 1, Picoseconds(0), Picoseconds(0));
  rig.scheduler.run_until(Picoseconds::max());
  CHECK(rig.arrived[1]->tags() == std::vector<std::uint16_t>{9, 1, 2, 3, 4});
  CHECK(rig.arrived[1]->arrivals[1].at == Picoseconds(1'000));
  CHECK(rig.arrived[1]->arrivals[4].at == Picoseconds(1'500));
}

TEST_CASE("a delay holds a TLP for exactly as long as it says", "[forwarder]") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed);
    constexpr unsigned kPorts = 4;
    ForwarderRig rig(kPorts);
    struct Expected {
      std::uint16_t tag;
      Picoseconds at;
      unsigned egress;
    };
    std::vector<std::vector<Expected>> by_ingress(kPorts);
    for (unsigned ingress = 0; ingress < kPorts; ++ingress) {
      std::uint64_t time = 0;
      for (std::uint16_t i = 0; i < 200; ++i) {
        time += rng.below(3) == 0 ? 0 : rng.below(1'000);
        by_ingress[ingress].push_back({static_cast<std::uint16_t>(ingress * 1000 + i),
                                       Picoseconds(time), static_cast<unsigned>(rng.below(4))});
      }
      for (const Expected& e : by_ingress[ingress]) {
        rig.forwarder.forward_at(rig.tlp(e.tag), ingress, e.egress, e.at, Picoseconds(0));
      }
    }
    rig.scheduler.run_until(Picoseconds::max());
    std::size_t seen = 0;
    for (unsigned egress = 0; egress < kPorts; ++egress) {
      std::vector<std::uint16_t> next(kPorts, 0);
      for (const Arrival& arrival : rig.arrived[egress]->arrivals) {
        const unsigned ingress = arrival.tlp.tag / 1000;
        const Expected& e = by_ingress[ingress][arrival.tlp.tag % 1000];
        REQUIRE(e.egress == egress);
        REQUIRE(e.at == arrival.at);
        REQUIRE(arrival.tlp.tag % 1000 >= next[ingress]);
        next[ingress] = static_cast<std::uint16_t>(arrival.tlp.tag % 1000);
        ++seen;
      }
    }
    CHECK(seen == 4 * 200);
  }
}

TEST_CASE("buffers of every ingress are freed through every egress", "[forwarder]") {
  TransmitterConfig narrow = bare_wire(5, 16);
  narrow.buffer.classes[0] = {1, 4};
  constexpr unsigned kPorts = 3;
  ForwarderRig rig(kPorts, narrow, bare_wire(5, 16));
  // Each port's link has room for one write; ten go in at each port, to each port in turn, the one
  // they came from included. They pass only if each one's credit comes back.
  for (unsigned ingress = 0; ingress < kPorts; ++ingress) {
    rig.entered[ingress]->on_arrival = [&rig, ingress](const Tlp& tlp, Picoseconds now) {
      Tlp* const copy = rig.pool.allocate();
      *copy = tlp;
      rig.forwarder.forward(copy, ingress, tlp.tag % kPorts, now);
    };
    for (std::uint16_t i = 0; i < 10; ++i) {
      rig.in[ingress]->enqueue(0, rig.tlp(i), Picoseconds(0));
    }
  }
  rig.scheduler.run_until(Picoseconds::max());
  std::size_t passed = 0;
  for (unsigned port = 0; port < kPorts; ++port) {
    passed += rig.arrived[port]->arrivals.size();
    CHECK(rig.in[port]->backlog() == 0);
  }
  CHECK(passed == 30);
}

TEST_CASE("two virtual channels pass a switch, and one that is stuck does not stop the other",
          "[forwarder][virtual-channel]") {
  // TC5 uses VC1. Both links have room for one write in each channel.
  TransmitterConfig link = bare_wire(5, 16);
  link.buffer.classes[0] = {1, 4};
  link.second_channel.emplace();
  link.second_channel->buffer = link.buffer;
  link.second_channel->traffic_classes = 1U << 5;
  for (const unsigned stuck : {0U, 5U}) {
    INFO("TC" << stuck << " is stuck");
    ForwarderRig rig(2, link, link);
    rig.entered[0]->on_arrival = [&rig](const Tlp& tlp, Picoseconds now) {
      Tlp* const copy = rig.pool.allocate();
      *copy = tlp;
      rig.forwarder.forward(copy, 0, 1, now);
    };
    std::array<unsigned, 8> arrived{};
    rig.arrived[1]->returns_credits = false;
    rig.arrived[1]->on_arrival = [&](const Tlp& tlp, Picoseconds now) {
      ++arrived[tlp.traffic_class()];
      if (tlp.traffic_class() != stuck) rig.out[1]->return_credit(tlp, now);
    };
    for (std::uint16_t i = 0; i < 10; ++i) {
      for (const unsigned traffic_class : {0U, 5U}) {
        Tlp* const tlp = rig.tlp(i);
        tlp->set_traffic_class(traffic_class);
        rig.in[0]->enqueue(0, tlp, Picoseconds(0));
      }
    }
    rig.scheduler.run_until(Picoseconds::max());
    CHECK(arrived[5 - stuck] == 10);
    CHECK(arrived[stuck] == 1);
    CHECK(rig.out[1]->backlog() == 1);  // one waits in the switch,
    CHECK(rig.in[0]->backlog() == 8);   // the others in front of it
    // The far end frees its buffers one by one: nothing was lost.
    for (unsigned i = 2; i <= 10; ++i) {
      rig.out[1]->return_credit(FlowClass::kPosted, 4, rig.scheduler.now(), stuck);
      rig.scheduler.run_until(Picoseconds::max());
      CHECK(arrived[stuck] == i);
    }
    CHECK(rig.in[0]->backlog() == 0);
  }
}
