// SPDX-License-Identifier: Apache-2.0
// What a transmitter says about the TLPs that wait in it.
#include <string>

#include "sim/engine/waits.h"
#include "tests/support/catch.h"
#include "tests/support/engine_link.h"

using peerfab::Bdf;
using peerfab::Picoseconds;
using peerfab::engine::TransmitterConfig;
using peerfab::engine::Waiter;
using peerfab::engine::WaitGraph;
using peerfab::engine::WaitReason;
using peerfab::pcie::FlowClass;
using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

namespace {

constexpr unsigned kPosted = 0;
constexpr unsigned kNonPosted = 1;

WaitGraph describe(const LinkRig& rig) {
  WaitGraph graph;
  graph.name(rig.out, "link a-b down", "b");
  rig.out.describe_waits(graph);
  graph.resolve();
  return graph;
}

const Waiter& queue(const WaitGraph& graph, const LinkRig& rig, FlowClass flow_class) {
  const auto found = graph.find(rig.out.queue_id(0, flow_class));
  REQUIRE(found.has_value());
  return graph.waiters()[*found];
}

}  // namespace

TEST_CASE("nothing waits in an idle transmitter", "[waits]") {
  const LinkRig rig(bare_wire(1, 1));
  CHECK(describe(rig).waiters().empty());
}

TEST_CASE("a TLP without credits names them, and who has them", "[waits]") {
  TransmitterConfig config = bare_wire(1, 1);
  config.buffer.classes[kPosted] = {8, 20};
  LinkRig rig(config);
  rig.far_end.returns_credits = false;
  rig.send(make_write(rig.pool, 256, 0x1000, 0x0300));
  rig.send(make_write(rig.pool, 128, 0x2000, 0x0300));
  rig.send(make_write(rig.pool, 128, 0x3000, 0x0300));
  SECTION("while the first one is still on the wire") {
    rig.run(Picoseconds(1));
    const WaitGraph graph = describe(rig);
    const Waiter& waiting = queue(graph, rig, FlowClass::kPosted);
    CHECK(waiting.what ==
          "the first of 2, MWr 3DW 32 DW at 0x2000, 03:00.0 tag 0x000, BE f/f, waits for the wire");
    CHECK(waiting.moves);
  }
  SECTION("when it has arrived") {
    rig.run();
    const WaitGraph graph = describe(rig);
    REQUIRE(graph.waiters().size() == 1);
    const Waiter& waiting = queue(graph, rig, FlowClass::kPosted);
    CHECK(waiting.who == "link a-b down, posted requests");
    CHECK(waiting.what ==
          "the first of 2, MWr 3DW 32 DW at 0x2000, 03:00.0 tag 0x000, BE f/f, waits for 8 PD "
          "credits (20 in all) of b");
    CHECK(waiting.reason == WaitReason::kPostedCredits);
    CHECK_FALSE(waiting.moves);
    CHECK(waiting.opaque);  // nobody says that he holds them
  }
  SECTION("when they are on their way back") {
    rig.run();
    rig.out.return_credit(FlowClass::kPosted, 16, rig.scheduler.now());
    CHECK(queue(describe(rig), rig, FlowClass::kPosted).moves);
  }
}

TEST_CASE("a TLP that must not pass names what is before it", "[waits]") {
  TransmitterConfig config = bare_wire(1, 1);
  config.buffer.classes[kPosted] = {1, 0};
  config.buffer.classes[kNonPosted] = {1, 0};
  LinkRig rig(config);
  rig.far_end.returns_credits = false;
  rig.send(make_write(rig.pool, 64));
  rig.send(make_write(rig.pool, 64, 0x40));
  rig.at(Picoseconds(1'000'000),
         [&](Picoseconds) { rig.send(make_read(rig.pool, 64, 0x80, 0x0300, 5)); });
  rig.run();
  const WaitGraph graph = describe(rig);
  const Waiter& read = queue(graph, rig, FlowClass::kNonPosted);
  CHECK(read.reason == WaitReason::kOrdering);
  CHECK(read.what ==
        "MRd 3DW 16 DW at 0x80, 03:00.0 tag 0x005, BE f/f, must not pass the posted request MWr "
        "3DW 16 DW at 0x40, 01:00.0 tag 0x000, BE f/f (PCIe r6.0, sec 2.4.1)");
  REQUIRE(read.waits_for.size() == 1);
  CHECK(&graph.waiters()[read.waits_for.front()] == &queue(graph, rig, FlowClass::kPosted));
}

TEST_CASE("who forwards TLPs holds the buffer that they came into", "[waits]") {
  TransmitterConfig config = bare_wire(1, 1);
  config.buffer.classes[kPosted] = {1, 0};
  LinkRig rig(config);  // out feeds what `next` sends on
  LinkRig next(config);
  next.far_end.returns_credits = false;
  next.out.set_upstream(0, &rig.out);
  rig.far_end.returns_credits = false;
  rig.send(make_write(rig.pool, 64));
  rig.send(make_write(rig.pool, 64));
  rig.run();
  next.send(make_write(next.pool, 64));
  next.send(make_write(next.pool, 64));
  // The first one gave its buffer back when it left: once more nothing comes free.
  next.run();
  WaitGraph graph;
  rig.out.describe_waits(graph);
  next.out.describe_waits(graph);
  graph.resolve();
  const Waiter& here = queue(graph, rig, FlowClass::kPosted);
  const Waiter& there = queue(graph, next, FlowClass::kPosted);
  REQUIRE(here.waits_for.size() == 1);
  CHECK(&graph.waiters()[here.waits_for.front()] == &there);
  CHECK(here.any);
}
