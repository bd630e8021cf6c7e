// SPDX-License-Identifier: Apache-2.0
// The monitors of a link together: silent and free of allocations where all is well, passive, and
// restarted with the link.
#include <algorithm>
#include <string>
#include <vector>

#include "sim/monitor/monitor_list.h"
#include "tests/support/engine_allocations.h"
#include "tests/unit/monitor/rig.h"

namespace peerfab::monitor::test {
namespace {

using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

// Reads of 256 B that the host answers in two completions, with writes between them.
void exchange(LinkRig& rig, unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) {
    for (std::uint16_t tag = 0; tag < 8; ++tag) {
      rig.send(make_read(rig.pool, 256, 0x1000, kDevice, tag));
      rig.send(make_write(rig.pool, 128, 0x2000), 1);
    }
    rig.run();
    for (std::uint16_t tag = 0; tag < 8; ++tag) {
      for (const unsigned left : {256U, 128U}) {
        engine::Tlp* const completion = make_completion(rig.pool, 128, kDevice, tag, kHost);
        completion->byte_count = static_cast<std::uint16_t>(left);
        rig.back.enqueue(0, completion, rig.scheduler.now());
      }
    }
    rig.run();
  }
}

engine::TransmitterConfig small_buffers() {
  engine::TransmitterConfig config = bare_wire(3, 4);
  for (auto& flow : config.buffer.classes) flow = {4, 32};
  config.propagation = Picoseconds(5'000);
  return config;
}

}  // namespace

TEST_CASE("where all is well every monitor that has something to check is silent") {
  WatchedLink link(small_buffers(), numbered());
  exchange(link.rig, 10);
  link.check_silent();
  for (std::size_t i = 0; i < kMonitorCount; ++i) {
    const auto id = static_cast<MonitorId>(i);
    INFO(info(id).name);
    CHECK(link.findings.tally(id).checks != 0);
  }
  CHECK(link.findings.tally(MonitorId::kTagReuse).checks == 80);
  CHECK(link.findings.tally(MonitorId::kCompletion).checks == 160);
  CHECK(link.findings.tally(MonitorId::kMalformedTlp).checks == 320);
}

TEST_CASE("bit errors and replays break no rule") {
  engine::BitErrorConfig errors;
  errors.rate = 1e-5;
  errors.seed = 3;
  WatchedLink link(small_buffers(), numbered(), errors);
  exchange(link.rig, 200);
  link.check_silent();
  CHECK(link.rig.out.data_link()->statistics().tlps_replayed > 50);
  CHECK(link.rig.back.data_link()->statistics().tlps_replayed > 50);
  CHECK(link.findings.tally(MonitorId::kCompletion).checks == 200 * 16);
}

TEST_CASE("a link does the same with monitors and without") {
  LinkRig alone(small_buffers(), 2);
  exchange(alone, 5);
  WatchedLink watched(small_buffers());
  exchange(watched.rig, 5);
  REQUIRE(alone.far_end.arrivals.size() == watched.rig.far_end.arrivals.size());
  for (std::size_t i = 0; i < alone.far_end.arrivals.size(); ++i) {
    CHECK(alone.far_end.arrivals[i].at == watched.rig.far_end.arrivals[i].at);
  }
}

TEST_CASE("after warm-up the monitors allocate nothing") {
  WatchedLink link(small_buffers());
  exchange(link.rig, 20);
  link.rig.far_end.arrivals.reserve(100'000);
  link.rig.near_end.arrivals.reserve(100'000);
  const std::uint64_t before = allocations();
  exchange(link.rig, 500);
  CHECK(allocations() == before);
  link.check_silent();
}

TEST_CASE("monitors that come while TLPs are on the wire learn and do not accuse") {
  LinkRig rig(small_buffers(), 2);
  for (int i = 0; i < 20; ++i) rig.send(make_write(rig.pool, 128, 0x2000));
  rig.send(make_read(rig.pool, 256, 0x1000, kDevice, 3));
  rig.run(Picoseconds(100'000));
  REQUIRE(!rig.far_end.arrivals.empty());
  REQUIRE(rig.far_end.arrivals.size() < 20);
  Findings findings;
  LinkDescription late;
  late.joined_late = true;
  const LinkMonitor monitor(findings, late, rig.back, rig.out);
  rig.run();
  rig.back.enqueue(0, make_completion(rig.pool, 256, kDevice, 3, kHost), rig.scheduler.now());
  exchange(rig, 3);
  INFO(findings.text());
  CHECK(findings.violations() == 0);
}

TEST_CASE("a link that went down starts anew") {
  engine::TransmitterConfig config = bare_wire(5, 16);
  WatchedLink link(config, numbered());
  const engine::Tlp& read = *make_read(link.rig.pool, 64, 0x1000);
  link.tell_queued(*make_write(link.rig.pool, 64));  // refused when the link goes down
  link.tell_sent(read, 0);
  link.tell_state(engine::LinkState::kDown);
  // What the receiver held when the link went down leaves it, and nobody needs to know.
  link.monitor.up().credits_returned(pcie::FlowClass::kPosted, 1, 4, Picoseconds(4000),
                                     Picoseconds(4500));
  for (auto* const way : {&link.monitor.up(), &link.monitor.down()}) {
    way->state_changed(engine::LinkState::kInit, Picoseconds(5000));
  }
  for (const auto kind : {pcie::DllpKind::kInitFc1, pcie::DllpKind::kInitFc2}) {
    for (auto* const way : {&link.monitor.up(), &link.monitor.down()}) {
      for (const auto flow :
           {pcie::FlowClass::kPosted, pcie::FlowClass::kNonPosted, pcie::FlowClass::kCompletion}) {
        pcie::Dllp dllp;
        dllp.kind = kind;
        dllp.flow_class = flow;
        way->dllp_sent(dllp, Picoseconds(6000), false);
      }
    }
  }
  link.tell_state(engine::LinkState::kUp);
  link.tell_queued(read);
  link.tell_sent(read, 0);  // the same tag and the same sequence number
  link.check_silent();
}

TEST_CASE("only the first violations are told in words") {
  WatchedLink link;
  for (unsigned i = 0; i < 100; ++i) link.rig.send(make_write(link.rig.pool, 128, 0x1f84));
  link.rig.run();
  CHECK(link.findings.tally(MonitorId::kRequestSize).violations == 100);
  CHECK(link.findings.tally(MonitorId::kRequestSize).first.size() == Findings::kTextsKept);
}

TEST_CASE("on a wire between sockets only TLPs as such are watched") {
  engine::TransmitterConfig wire = bare_wire(5, 16);
  wire.wire_rate = Bandwidth(20'000'000'000);
  wire.buffer.classes[0] = {1, 1};
  LinkDescription description;
  description.at_endpoint = false;
  WatchedLink link(wire, description);
  link.rig.send(make_write(link.rig.pool, 256, 0x1000));
  link.rig.run(Picoseconds(1));
  CHECK(link.findings.tally(MonitorId::kCredits).checks == 0);
  CHECK(link.findings.tally(MonitorId::kSequenceNumber).checks == 0);
  CHECK(link.findings.tally(MonitorId::kFlowControlInit).checks == 0);
}

TEST_CASE("names of monitors are unique, and each says what it watches") {
  std::vector<std::string> names;
  for (const MonitorInfo& monitor : all_monitors()) {
    CHECK(!monitor.section.empty());
    CHECK(!monitor.watches.empty());
    names.emplace_back(monitor.name);
  }
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

}  // namespace peerfab::monitor::test
