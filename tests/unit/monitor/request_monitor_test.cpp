// SPDX-License-Identifier: Apache-2.0
// Sizes of requests under watch (PCIe r6.0, sec 2.2.7, 2.2.2 and 7.5.3.4).
#include "tests/unit/monitor/rig.h"

namespace peerfab::monitor::test {
namespace {

using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

void send(WatchedLink& link, engine::Tlp* tlp) {
  link.rig.send(tlp);
  link.rig.run();
}

}  // namespace

TEST_CASE("monitor request-size: a requester that crosses 4 KiB") {
  WatchedLink link;
  SECTION("a write up to the boundary") {
    send(link, make_write(link.rig.pool, 128, 0x1f80));
    link.check_silent();
  }
  SECTION("a write beyond") {
    send(link, make_write(link.rig.pool, 128, 0x1f84));
    link.check_only(MonitorId::kRequestSize);
    CHECK_THAT(link.text(MonitorId::kRequestSize),
               Catch::Contains("expected an end below the 4 KiB boundary at 0x2000, saw 128 B from "
                               "0x1f84 on"));
  }
  SECTION("a read beyond") {
    send(link, make_read(link.rig.pool, 512, 0x1f84));
    link.check_only(MonitorId::kRequestSize);
  }
}

TEST_CASE("monitor request-size: a payload above Max_Payload_Size") {
  WatchedLink link;
  link.device.max_payload_size = Bytes(512);
  link.port.max_payload_size = Bytes(256);
  SECTION("as large as both ends allow") {
    send(link, make_write(link.rig.pool, 256, 0x1000));
    link.check_silent();
  }
  SECTION("more than the receiver allows") {
    send(link, make_write(link.rig.pool, 260, 0x1000));
    link.check_only(MonitorId::kRequestSize);
  }
  SECTION("in whole DWs") {
    send(link, make_write(link.rig.pool, 256, 0x1001));
    link.check_only(MonitorId::kRequestSize);
  }
  SECTION("registers that change count from then on") {
    link.port.max_payload_size = Bytes(128);
    send(link, make_write(link.rig.pool, 256, 0x1000));
    link.check_only(MonitorId::kRequestSize);
  }
}

TEST_CASE("monitor request-size: a read above Max_Read_Request_Size") {
  LinkDescription description;
  description.lower.max_read_request = 512;
  WatchedLink link(bare_wire(5, 16), description);
  SECTION("as large as allowed") {
    send(link, make_read(link.rig.pool, 512, 0x1000));
    link.check_silent();
  }
  SECTION("one byte more") {
    send(link, make_read(link.rig.pool, 513, 0x1000));
    link.check_only(MonitorId::kRequestSize);
  }
  SECTION("of somebody else, whose limit is another") {
    send(link, make_read(link.rig.pool, 1024, 0x1000, 0x300));
    link.check_silent();
  }
}

}  // namespace peerfab::monitor::test
