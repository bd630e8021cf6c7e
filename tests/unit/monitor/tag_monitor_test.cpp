// SPDX-License-Identifier: Apache-2.0
// Transaction IDs under watch (PCIe r6.0, sec 2.2.6.2).
#include "tests/unit/monitor/rig.h"

namespace peerfab::monitor::test {
namespace {

using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

constexpr std::uint16_t kTag = 7;

}  // namespace

TEST_CASE("monitor tag-reuse: a requester that uses a tag again") {
  WatchedLink link;
  link.rig.send(make_read(link.rig.pool, 64, 0x1000, kDevice, kTag));
  link.rig.run();
  SECTION("while nothing has come back") {
    link.rig.send(make_read(link.rig.pool, 64, 0x2000, kDevice, kTag));
    link.rig.run();
    link.check_only(MonitorId::kTagReuse);
    CHECK_THAT(link.text(MonitorId::kTagReuse),
               Catch::Contains("expected a tag that is not in use, saw that of a MRd which waits "
                               "for 64 B"));
  }
  SECTION("while its completion is on the wire") {
    const engine::Tlp& completion = *make_completion(link.rig.pool, 64, kDevice, kTag);
    link.monitor.down().tlp_sent(0, completion, {Picoseconds(1), Picoseconds(2), 24, 0, false});
    link.monitor.up().tlp_sent(0, *make_read(link.rig.pool, 64, 0x2000, kDevice, kTag),
                               {Picoseconds(3), Picoseconds(4), 24, 1, false});
    link.check_only(MonitorId::kTagReuse);
  }
  SECTION("after its completion is fine") {
    link.rig.back.enqueue(0, make_completion(link.rig.pool, 64, kDevice, kTag),
                          link.rig.scheduler.now());
    link.rig.run();
    link.rig.send(make_read(link.rig.pool, 64, 0x2000, kDevice, kTag));
    link.rig.run();
    link.check_silent();
    CHECK(link.findings.tally(MonitorId::kTagReuse).checks == 2);
  }
  SECTION("of another function is another transaction") {
    link.rig.send(make_read(link.rig.pool, 64, 0x2000, kDevice + 1, kTag));
    link.rig.run();
    link.check_silent();
  }
  SECTION("after a refusal is fine") {
    engine::Tlp* const refusal = make_completion(link.rig.pool, 0, kDevice, kTag);
    refusal->kind = pcie::TlpKind::kCompletion;
    refusal->flags = 0;
    refusal->byte_count = 64;
    refusal->set_status(engine::CompletionStatus::kUnsupportedRequest);
    link.rig.back.enqueue(0, refusal, link.rig.scheduler.now());
    link.rig.run();
    link.rig.send(make_read(link.rig.pool, 64, 0x2000, kDevice, kTag));
    link.rig.run();
    link.check_silent();
  }
}

TEST_CASE("within the fabric an answer may take another way, and nobody objects") {
  LinkDescription inside;
  inside.at_endpoint = false;
  WatchedLink link(bare_wire(5, 16), inside);
  for (int i = 0; i < 2; ++i) link.rig.send(make_read(link.rig.pool, 64, 0x1000, 0x300, kTag));
  link.rig.back.enqueue(0, make_completion(link.rig.pool, 64, 0x400, kTag), Picoseconds());
  link.rig.run();
  link.check_silent();
}

}  // namespace peerfab::monitor::test
