// SPDX-License-Identifier: Apache-2.0
// Flow control under watch (PCIe r6.0, sec 2.6.1).
#include "tests/unit/monitor/rig.h"

namespace peerfab::monitor::test {
namespace {

using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

constexpr unsigned kPosted = 0;

engine::TransmitterConfig with_posted_buffer(std::uint32_t headers, std::uint32_t data) {
  engine::TransmitterConfig config = bare_wire(5, 16);
  config.buffer.classes[kPosted] = {headers, data};
  return config;
}

}  // namespace

TEST_CASE("monitor credits: a TLP without a credit") {
  SECTION("of its header") {
    WatchedLink link(with_posted_buffer(1, 0));
    link.tell_sent(*make_write(link.rig.pool, 64));
    link.check_silent();
    link.tell_sent(*make_write(link.rig.pool, 64));
    link.check_only(MonitorId::kCredits);
    CHECK(link.text(MonitorId::kCredits) ==
          "credits (PCIe r6.0, sec 2.6.1) on link host-device up at 2000 ps: MWr 3DW 16 DW at 0x0, "
          "01:00.0 tag 0x000, BE f/f: expected 1 header and 4 data credits of class P, saw 0 "
          "header and infinite data left");
  }
  SECTION("of its data: 8 units hold 128 B") {
    WatchedLink link(with_posted_buffer(0, 8));
    link.tell_sent(*make_write(link.rig.pool, 124));
    link.check_silent();
    link.tell_sent(*make_write(link.rig.pool, 4));
    link.check_only(MonitorId::kCredits);
  }
  SECTION("whose return has not arrived yet") {
    WatchedLink link(with_posted_buffer(1, 0));
    const engine::Tlp& write = *make_write(link.rig.pool, 64);
    link.tell_sent(write);  // at 1000 ps
    link.tell_received(write, 0);
    link.monitor.up().credits_returned(pcie::FlowClass::kPosted, 1, 4, Picoseconds(2000),
                                       Picoseconds(3001));
    link.tell_sent(write);  // at 3000 ps
    link.check_only(MonitorId::kCredits);
  }
  SECTION("whose return has just arrived is fine") {
    WatchedLink link(with_posted_buffer(1, 0));
    const engine::Tlp& write = *make_write(link.rig.pool, 64);
    link.tell_sent(write);
    link.tell_received(write, 0);
    link.monitor.up().credits_returned(pcie::FlowClass::kPosted, 1, 4, Picoseconds(2000),
                                       Picoseconds(3000));
    link.tell_sent(write);
    link.check_silent();
  }
}

TEST_CASE("monitor credits: a receiver that returns credits twice") {
  WatchedLink link(with_posted_buffer(4, 64));
  int times = 1;
  link.rig.far_end.on_arrival = [&](const engine::Tlp& tlp, Picoseconds now) {
    for (int i = 1; i < times; ++i) {
      link.rig.out.return_credit(tlp.flow_class, tlp.data_credits(), now);
    }
  };
  link.rig.send(make_write(link.rig.pool, 64));
  link.rig.run();
  link.check_silent();
  times = 2;
  link.rig.send(make_write(link.rig.pool, 64));
  link.rig.run();
  link.check_only(MonitorId::kCredits);
}

TEST_CASE("monitor credits: a receiver that returns more data than it took") {
  WatchedLink link(with_posted_buffer(4, 64));
  link.rig.far_end.returns_credits = false;
  link.rig.far_end.on_arrival = [&](const engine::Tlp& tlp, Picoseconds now) {
    link.rig.out.return_credit(tlp.flow_class, tlp.data_credits() + 1, now);
  };
  link.rig.send(make_write(link.rig.pool, 64));
  link.rig.run();
  link.check_only(MonitorId::kCredits);
}

TEST_CASE("a return that arrives tells what one before it, which was lost, would have told") {
  WatchedLink link(with_posted_buffer(2, 0));
  const engine::Tlp& write = *make_write(link.rig.pool, 64);
  for (unsigned i = 0; i < 2; ++i) {
    link.tell_sent(write);
    link.tell_received(write, i);
  }
  for (const std::uint64_t effective : {1'000'000U, 4500U}) {
    link.monitor.up().credits_returned(pcie::FlowClass::kPosted, 1, 4, Picoseconds(4000),
                                       Picoseconds(effective));
  }
  for (unsigned i = 0; i < 2; ++i) link.tell_sent(write);
  link.check_silent();
}

TEST_CASE("a monitor of credits that came late knows bounds") {
  LinkDescription late;
  late.joined_late = true;
  WatchedLink link(with_posted_buffer(2, 0), late);
  // Those of before may be on their way and may have used up everything, or nothing.
  link.monitor.up().credits_returned(pcie::FlowClass::kPosted, 1, 4, Picoseconds(1),
                                     Picoseconds(1));
  link.monitor.up().credits_returned(pcie::FlowClass::kPosted, 1, 4, Picoseconds(1),
                                     Picoseconds(1));
  link.check_silent();
  SECTION("more cannot have been there to return") {
    link.monitor.up().credits_returned(pcie::FlowClass::kPosted, 1, 4, Picoseconds(1),
                                       Picoseconds(1));
    link.check_only(MonitorId::kCredits);
  }
  SECTION("more cannot be there to send with") {
    for (int i = 0; i < 2; ++i) link.tell_sent(*make_write(link.rig.pool, 64));
    link.check_silent();
    link.tell_sent(*make_write(link.rig.pool, 64));
    link.check_only(MonitorId::kCredits);
  }
}

}  // namespace peerfab::monitor::test
