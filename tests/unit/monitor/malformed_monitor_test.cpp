// SPDX-License-Identifier: Apache-2.0
// Header fields under watch (PCIe r6.0, sec 2.2 and 2.3).
#include "tests/unit/monitor/rig.h"

namespace peerfab::monitor::test {
namespace {

using namespace peerfab::test;  // NOLINT(google-build-using-namespace)
using engine::Tlp;
using pcie::TlpKind;

void send(WatchedLink& link, Tlp* tlp) {
  link.rig.send(tlp);
  link.rig.run();
}

Tlp* make_atomic(WatchedLink& link, TlpKind kind, unsigned bytes, std::uint64_t address) {
  Tlp* const tlp = make_write(link.rig.pool, bytes, address);
  tlp->kind = kind;
  tlp->flow_class = pcie::FlowClass::kNonPosted;
  return tlp;
}

}  // namespace

TEST_CASE("monitor malformed-tlp: a requester that makes bad headers") {
  WatchedLink link;
  SECTION("3 DW above 4 GiB") {
    Tlp* const write = make_write(link.rig.pool, 64, std::uint64_t{1} << 32);
    write->flags &= static_cast<std::uint8_t>(~Tlp::kFourDw);
    send(link, write);
    link.check_only(MonitorId::kMalformedTlp);
    CHECK_THAT(link.text(MonitorId::kMalformedTlp),
               Catch::Contains("expected a 4 DW header, saw 3 DW at 0x100000000"));
  }
  SECTION("4 DW below 4 GiB") {
    Tlp* const write = make_write(link.rig.pool, 64, 0x1000);
    write->flags |= Tlp::kFourDw;
    send(link, write);
    link.check_only(MonitorId::kMalformedTlp);
  }
  SECTION("a read with a payload") {
    Tlp* const read = make_read(link.rig.pool, 64, 0x1000);
    read->flags |= Tlp::kHasPayload;
    send(link, read);
    link.check_only(MonitorId::kMalformedTlp);
  }
  SECTION("a write of nothing") {
    send(link, make_write(link.rig.pool, 0, 0x1000));
    link.check_only(MonitorId::kMalformedTlp);
  }
  SECTION("a write among the non-posted requests") {
    Tlp* const write = make_write(link.rig.pool, 64, 0x1000);
    write->flow_class = pcie::FlowClass::kNonPosted;
    send(link, write);
    link.check_only(MonitorId::kMalformedTlp);
  }
  SECTION("a tag of 11 bits") {
    send(link, make_read(link.rig.pool, 64, 0x1000, kDevice, 0x400));
    link.check_only(MonitorId::kMalformedTlp);
  }
}

TEST_CASE("monitor malformed-tlp: AtomicOps of sizes that there are not") {
  WatchedLink link;
  SECTION("FetchAdd of 8 B") { send(link, make_atomic(link, TlpKind::kFetchAdd, 8, 0x1008)); }
  SECTION("CAS of two times 16 B") {
    send(link, make_atomic(link, TlpKind::kCompareSwap, 32, 0x1010));
  }
  link.check_silent();
  SECTION("FetchAdd of 12 B") {
    send(link, make_atomic(link, TlpKind::kFetchAdd, 12, 0x1008));
    link.check_only(MonitorId::kMalformedTlp);
  }
  SECTION("Swap of 16 B") {
    send(link, make_atomic(link, TlpKind::kSwap, 16, 0x1010));
    link.check_only(MonitorId::kMalformedTlp);
  }
  SECTION("FetchAdd beside its alignment") {
    send(link, make_atomic(link, TlpKind::kFetchAdd, 8, 0x1004));
    link.check_only(MonitorId::kMalformedTlp);
  }
}

TEST_CASE("monitor malformed-tlp: completions with fields that there are not") {
  WatchedLink link;
  send(link, make_read(link.rig.pool, 64, 0x1000));
  Tlp* const completion = make_completion(link.rig.pool, 64);
  const auto reply = [&] {
    link.rig.back.enqueue(0, completion, link.rig.scheduler.now());
    link.rig.run();
  };
  SECTION("data with a refusal") {
    completion->set_status(engine::CompletionStatus::kCompleterAbort);
    reply();
    link.check_only(MonitorId::kMalformedTlp);
  }
  SECTION("a reserved status") {
    completion->set_status(static_cast<engine::CompletionStatus>(3));
    reply();
    link.check_only(MonitorId::kMalformedTlp);
  }
}

}  // namespace peerfab::monitor::test
