// SPDX-License-Identifier: Apache-2.0
// Completions under watch (PCIe r6.0, sec 2.2.9.1 and 2.3.1.1).
#include "tests/unit/monitor/rig.h"

namespace peerfab::monitor::test {
namespace {

using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

constexpr std::uint16_t kTag = 7;

// The host's answer: `bytes` from `address` on, with `byte_count` still to come.
void answer(WatchedLink& link, std::uint64_t address, unsigned bytes, unsigned byte_count,
            std::uint16_t tag = kTag) {
  engine::Tlp* const tlp = make_completion(link.rig.pool, bytes, kDevice, tag);
  tlp->set_completion_address(address, kHost);
  tlp->byte_count = static_cast<std::uint16_t>(byte_count);
  link.rig.back.enqueue(0, tlp, link.rig.scheduler.now());
  link.rig.run();
}

void ask(WatchedLink& link, std::uint64_t address, unsigned bytes) {
  link.rig.send(make_read(link.rig.pool, bytes, address, kDevice, kTag));
  link.rig.run();
}

}  // namespace

TEST_CASE("monitor completion: a completer that counts wrongly") {
  WatchedLink link;
  ask(link, 0x1002, 200);
  SECTION("right: up to a boundary, then the rest") {
    answer(link, 0x1002, 126, 200);
    answer(link, 0x1080, 74, 74);
    link.check_silent();
    CHECK(link.findings.tally(MonitorId::kCompletion).checks == 2);
  }
  SECTION("the byte count") {
    answer(link, 0x1002, 126, 199);
    link.check_only(MonitorId::kCompletion);
    CHECK_THAT(link.text(MonitorId::kCompletion),
               Catch::Contains("expected byte count 200, saw 199"));
  }
  SECTION("the byte count of the second one") {
    answer(link, 0x1002, 126, 200);
    answer(link, 0x1080, 74, 200);
    link.check_only(MonitorId::kCompletion);
  }
  SECTION("the lower address") {
    answer(link, 0x1006, 126, 200);
    link.check_only(MonitorId::kCompletion);
    CHECK_THAT(link.text(MonitorId::kCompletion),
               Catch::Contains("expected lower address 0x02, saw 0x06"));
  }
  SECTION("an end beside the boundary") {
    answer(link, 0x1002, 62, 200);  // at a multiple of 64 B
    link.check_only(MonitorId::kCompletion);
    CHECK_THAT(link.text(MonitorId::kCompletion),
               Catch::Contains("expected an end on a multiple of 128 B, saw an end at 0x1040"));
  }
  SECTION("an answer to nothing") {
    answer(link, 0x1002, 64, 64, kTag + 1);
    link.check_only(MonitorId::kCompletion);
  }
  SECTION("an answer too many") {
    answer(link, 0x1002, 126, 200);
    answer(link, 0x1080, 74, 74);
    answer(link, 0x1080, 74, 74);
    link.check_only(MonitorId::kCompletion);
  }
  SECTION("success without data") {
    engine::Tlp* const empty = make_completion(link.rig.pool, 0, kDevice, kTag);
    empty->kind = pcie::TlpKind::kCompletion;
    empty->flags = 0;
    empty->byte_count = 200;
    link.rig.back.enqueue(0, empty, link.rig.scheduler.now());
    link.rig.run();
    link.check_only(MonitorId::kCompletion);
  }
}

TEST_CASE("monitor completion: a root complex of 64 B may cut there, and nowhere else") {
  LinkDescription description;
  description.small_boundary = {kHost};
  WatchedLink link(bare_wire(5, 16), description);
  ask(link, 0x1002, 200);
  SECTION("at 64 B") {
    answer(link, 0x1002, 62, 200);
    link.check_silent();
  }
  SECTION("at 32 B") {
    answer(link, 0x1002, 30, 200);
    link.check_only(MonitorId::kCompletion);
  }
}

TEST_CASE("a zero-length read has one byte to count") {
  WatchedLink link;
  ask(link, 0x1000, 0);
  answer(link, 0x1000, 1, 1);
  link.check_silent();
}

TEST_CASE("a monitor of completions that came late takes what it cannot know") {
  LinkDescription late;
  late.joined_late = true;
  WatchedLink link(bare_wire(5, 16), late);
  answer(link, 0x1000, 64, 64);
  link.check_silent();
  ask(link, 0x1000, 64);
  answer(link, 0x1000, 64, 64);
  link.check_silent();
  answer(link, 0x1000, 64, 64);
  link.check_only(MonitorId::kCompletion);
}

}  // namespace peerfab::monitor::test
