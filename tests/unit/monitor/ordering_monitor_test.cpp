// SPDX-License-Identifier: Apache-2.0
// The ordering table under watch (PCIe r6.0, sec 2.4.1).
#include "tests/unit/monitor/rig.h"

namespace peerfab::monitor::test {
namespace {

using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

// Queues both, and sends the second one first.
void overtake(WatchedLink& link, const engine::Tlp& first, const engine::Tlp& second) {
  link.tell_queued(first);
  link.tell_queued(second);
  link.tell_sent(second);
  link.tell_sent(first);
}

}  // namespace

TEST_CASE("monitor ordering: a TLP that passes a write") {
  WatchedLink link;
  const engine::Tlp& write = *make_write(link.rig.pool, 64, 0x1000);
  SECTION("a write") {
    overtake(link, write, *make_write(link.rig.pool, 64, 0x2000));
    link.check_only(MonitorId::kOrdering);
  }
  SECTION("a read") {
    overtake(link, write, *make_read(link.rig.pool, 64, 0x2000));
    link.check_only(MonitorId::kOrdering);
    CHECK(link.text(MonitorId::kOrdering) ==
          "ordering (PCIe r6.0, sec 2.4.1) on link host-device up at 1000 ps: MRd 3DW 16 DW at "
          "0x2000, 01:00.0 tag 0x000, BE f/f: expected its turn after what came before it at input "
          "0, saw it pass MWr 3DW 16 DW at 0x1000, 01:00.0 tag 0x000, BE f/f");
  }
  SECTION("a write with Relaxed Ordering may") {
    engine::Tlp& relaxed = *make_write(link.rig.pool, 64, 0x2000);
    relaxed.attributes = engine::Tlp::kRelaxedOrdering;
    overtake(link, write, relaxed);
    link.check_silent();
  }
  SECTION("a read with ID-based ordering of another requester may") {
    engine::Tlp& other = *make_read(link.rig.pool, 64, 0x2000, 0x108);
    other.attributes = engine::Tlp::kIdOrdering;
    overtake(link, write, other);
    link.check_silent();
  }
  SECTION("what came in elsewhere may") {
    const engine::Tlp& read = *make_read(link.rig.pool, 64, 0x2000);
    link.tell_queued(write);
    link.monitor.up().tlp_queued(1, read, Picoseconds());
    link.monitor.up().tlp_sent(1, read, {Picoseconds(10), Picoseconds(20), 24, 0, false});
    link.check_silent();
  }
}

TEST_CASE("monitor ordering: a completion that passes another of the same request") {
  WatchedLink link;
  // A read of 256 B of the host came down, and its two completions go up the wrong way round: their
  // fields are wrong then, too.
  link.monitor.down().tlp_sent(0, *make_read(link.rig.pool, 256, 0x1000, 0x10),
                               {Picoseconds(1), Picoseconds(2), 24, 0, false});
  engine::Tlp& first = *make_completion(link.rig.pool, 128, 0x10, 0, Bdf(kDevice));
  first.byte_count = 256;
  engine::Tlp& second = *make_completion(link.rig.pool, 128, 0x10, 0, Bdf(kDevice));
  SECTION("in order") {
    for (const engine::Tlp* tlp : {&first, &second}) {
      link.tell_queued(*tlp);
      link.tell_sent(*tlp);
    }
    link.check_silent();
  }
  SECTION("out of order") {
    overtake(link, first, second);
    CHECK(link.findings.tally(MonitorId::kOrdering).violations == 1);
    CHECK(link.findings.tally(MonitorId::kCompletion).violations >= 1);
  }
}

TEST_CASE("a real transmitter keeps the order that the monitor watches") {
  engine::TransmitterConfig config = bare_wire(1, 1);
  config.buffer.classes[0] = {2, 64};
  WatchedLink link(config);
  for (std::uint16_t i = 0; i < 200; ++i) {
    link.rig.send(make_write(link.rig.pool, 64, 0x1000U + i * 64U), i % 2U);
    link.rig.send(make_read(link.rig.pool, 64, 0x1000, kDevice, i), i % 2U);
  }
  link.rig.run();
  CHECK(link.rig.far_end.arrivals.size() == 400);
  link.check_silent();
  CHECK(link.findings.tally(MonitorId::kOrdering).checks == 400);
}

}  // namespace peerfab::monitor::test
