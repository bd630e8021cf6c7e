// SPDX-License-Identifier: Apache-2.0
// Sequence numbers under watch (PCIe r6.0, sec 3.6.2 and 3.6.3).
#include "tests/unit/monitor/rig.h"

namespace peerfab::monitor::test {
namespace {

using namespace peerfab::test;  // NOLINT(google-build-using-namespace)
using pcie::DllpKind;

constexpr unsigned kNumbers = 4096;

// Sends and delivers the TLPs with the numbers from 0 up to `count`.
void pass(WatchedLink& link, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const engine::Tlp& write = *make_write(link.rig.pool, 4);
    link.tell_sent(write);
    link.tell_received(write, i % kNumbers);
  }
}

}  // namespace

TEST_CASE("monitor sequence-number: numbers out of sequence") {
  WatchedLink link(bare_wire(5, 16), numbered());
  const engine::Tlp& write = *make_write(link.rig.pool, 4);
  pass(link, 3);
  link.check_silent();
  SECTION("a transmitter that leaves one out") {
    link.tell_sent(write, 4);
    link.check_only(MonitorId::kSequenceNumber);
    CHECK_THAT(link.text(MonitorId::kSequenceNumber),
               Catch::Contains("expected sequence number 3, saw 4"));
  }
  SECTION("a transmitter that uses one twice") {
    link.tell_sent(write, 2);
    link.check_only(MonitorId::kSequenceNumber);
  }
  SECTION("a receiver that takes one twice") {
    link.tell_received(write, 2);
    link.check_only(MonitorId::kSequenceNumber);
  }
  SECTION("a receiver that leaves one out") {
    link.tell_sent(write, 3);
    link.tell_sent(write, 4);
    link.tell_received(write, 4);
    link.check_only(MonitorId::kSequenceNumber);
  }
}

TEST_CASE("numbers wrap around") {
  WatchedLink link(bare_wire(5, 16), numbered());
  for (unsigned i = 0; i < 2 * kNumbers + 5; ++i) {
    const engine::Tlp& write = *make_write(link.rig.pool, 4);
    link.tell_sent(write, i % kNumbers);
    link.tell_received(write, i % kNumbers);
    if (i % 1000 == 999) link.tell_acknowledged(DllpKind::kAck, i % kNumbers);
  }
  link.check_silent();
}

TEST_CASE("monitor sequence-number: Acks and Naks that nobody can mean") {
  WatchedLink link(bare_wire(5, 16), numbered());
  pass(link, 3);
  link.tell_sent(*make_write(link.rig.pool, 4));  // number 3 is on its way
  link.tell_acknowledged(DllpKind::kAck, 1);
  link.check_silent();
  SECTION("of what has not arrived") {
    link.tell_acknowledged(DllpKind::kAck, 3);
    link.check_only(MonitorId::kSequenceNumber);
    CHECK_THAT(link.text(MonitorId::kSequenceNumber),
               Catch::Contains("Ack 3: expected at most sequence number 2, the last one "
                               "accepted, saw 3"));
  }
  SECTION("a step back") {
    link.tell_acknowledged(DllpKind::kNak, 0);
    link.check_only(MonitorId::kSequenceNumber);
  }
  SECTION("damaged ones mean nothing") {
    link.tell_acknowledged(DllpKind::kAck, 3, true);
    link.check_silent();
  }
  SECTION("again, and further, is fine") {
    link.tell_acknowledged(DllpKind::kAck, 1);
    link.tell_acknowledged(DllpKind::kNak, 2);
    link.check_silent();
  }
}

TEST_CASE("monitor sequence-number: replays out of sequence") {
  WatchedLink link(bare_wire(5, 16), numbered());
  const engine::Tlp& write = *make_write(link.rig.pool, 4);
  for (unsigned i = 0; i < 4; ++i) link.tell_sent(write);
  link.tell_received(write, 0);
  link.tell_acknowledged(DllpKind::kNak, 0);  // 1 was damaged: 1, 2 and 3 come again
  SECTION("all of them") {
    for (const unsigned number : {1U, 2U, 3U}) link.tell_replayed(number);
    link.tell_sent(write);
    link.check_silent();
  }
  SECTION("again from the start, and as far as an Ack says") {
    link.tell_replayed(1);
    link.tell_replayed(1);
    link.tell_replayed(2);
    for (const unsigned number : {1U, 2U, 3U}) link.tell_received(write, number);
    link.tell_acknowledged(DllpKind::kAck, 3);
    link.tell_sent(write);
    link.check_silent();
  }
  SECTION("from the second on") {
    link.tell_replayed(2);
    link.check_only(MonitorId::kSequenceNumber);
  }
  SECTION("with a gap") {
    link.tell_replayed(1);
    link.tell_replayed(3);
    link.check_only(MonitorId::kSequenceNumber);
  }
  SECTION("of one that was never sent") {
    link.tell_replayed(4);
    link.check_only(MonitorId::kSequenceNumber);
  }
  SECTION("interrupted by a new one") {
    link.tell_replayed(1);
    link.tell_sent(write);
    link.check_only(MonitorId::kSequenceNumber);
  }
}

TEST_CASE("monitor sequence-number: more TLPs without an Ack than numbers allow") {
  WatchedLink link(bare_wire(5, 16), numbered());
  link.tell_state(engine::LinkState::kInit);
  // Only the numbers matter here: how the link got into DL_Active is another monitor's concern.
  const engine::Tlp& write = *make_write(link.rig.pool, 4);
  for (unsigned i = 0; i < kNumbers / 2 - 1; ++i) link.tell_sent(write);
  CHECK(link.findings.tally(MonitorId::kSequenceNumber).violations == 0);
  link.tell_sent(write);
  link.tell_sent(write);
  CHECK(link.findings.tally(MonitorId::kSequenceNumber).violations != 0);
}

}  // namespace peerfab::monitor::test
