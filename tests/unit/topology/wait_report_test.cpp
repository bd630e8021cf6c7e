// SPDX-License-Identifier: Apache-2.0
// What a wait-for graph is stuck on, with graphs made by hand.
#include "sim/topology/wait_report.h"

#include <string>

#include "tests/support/catch.h"

namespace peerfab::topology {
namespace {

using engine::Waiter;
using engine::WaitGraph;
using engine::WaitId;

// Waiters are numbered; `owner` is only an address.
WaitId id(std::uint64_t number) {
  static const int kOwner = 0;
  return {&kOwner, number};
}

Waiter& add(WaitGraph& graph, std::uint64_t number, std::initializer_list<std::uint64_t> waits_for,
            bool any = false) {
  Waiter& waiter = graph.add(id(number), "waiter " + std::to_string(number));
  for (const std::uint64_t other : waits_for) waiter.wait_for(id(other));
  waiter.any = any;
  return waiter;
}

WaitFinding look(WaitGraph& graph, bool at_rest = false) {
  graph.resolve();
  return explain_waits(graph, {id(0)}, at_rest);
}

}  // namespace

TEST_CASE("a circle is a deadlock, and what leads into it is told", "[waits]") {
  WaitGraph graph;
  add(graph, 0, {1});
  add(graph, 1, {2});
  add(graph, 2, {3});
  add(graph, 3, {1});
  const WaitFinding finding = look(graph);
  CHECK(finding.kind == WaitFinding::Kind::kDeadlock);
  CHECK(finding.summary == "3 waits form a circle");
  CHECK(finding.stuck == std::vector<std::size_t>{0});
  REQUIRE(finding.lines.size() == 4);
  CHECK(finding.lines[0] == "  (1) waiter 1; held up by (2)");
  CHECK(finding.lines[2] == "  (3) waiter 3; held up by (1)");
  CHECK(finding.lines[3] == "  waiter 0\n    leads to (1)");
}

TEST_CASE("the shortest circle is told", "[waits]") {
  WaitGraph graph;
  add(graph, 0, {1});
  add(graph, 1, {2, 4});
  add(graph, 2, {3});
  add(graph, 3, {1});
  add(graph, 4, {1});
  CHECK(look(graph).summary == "2 waits form a circle");
}

TEST_CASE("one way out of a circle is enough where any will do", "[waits]") {
  WaitGraph graph;
  add(graph, 0, {1});
  add(graph, 1, {2});
  add(graph, 2, {1, 3}, true);
  add(graph, 3, {}).moves = true;
  CHECK(look(graph).kind == WaitFinding::Kind::kNone);
}

TEST_CASE("one way out of a circle is not enough where all must go on", "[waits]") {
  WaitGraph graph;
  add(graph, 0, {1});
  add(graph, 1, {2});
  add(graph, 2, {1, 3});
  add(graph, 3, {}).moves = true;
  CHECK(look(graph).kind == WaitFinding::Kind::kDeadlock);
}

TEST_CASE("what cannot be looked into is stuck only at rest", "[waits]") {
  for (const bool at_rest : {false, true}) {
    WaitGraph graph;
    add(graph, 0, {1});
    add(graph, 1, {}).opaque = true;
    const WaitFinding finding = look(graph, at_rest);
    CHECK(finding.kind == (at_rest ? WaitFinding::Kind::kDeadEnd : WaitFinding::Kind::kNone));
    if (at_rest) CHECK(finding.lines.front() == "  (1) waiter 1");
  }
}

TEST_CASE("a read whose answer is nowhere is a dead end at rest", "[waits]") {
  WaitGraph graph;
  add(graph, 0, {1});
  add(graph, 1, {}).wait_for_answer(Bdf(0x0300), 7);
  const WaitFinding finding = look(graph, true);
  CHECK(finding.kind == WaitFinding::Kind::kDeadEnd);
  CHECK(finding.lines.front() ==
        "  (1) waiter 1; neither the request nor a completion of it is anywhere: dropped");
  CHECK(finding.usual_cause.find("completion timeout") != std::string::npos);
}

TEST_CASE("a read waits for whoever has its request or its completion", "[waits]") {
  WaitGraph graph;
  add(graph, 0, {}).wait_for_answer(Bdf(0x0300), 7);
  add(graph, 1, {0});
  add(graph, 2, {}).moves = true;
  engine::Tlp other;
  other.flow_class = pcie::FlowClass::kCompletion;
  other.requester = 0x0300;
  other.tag = 8;
  graph.contains(id(2), other);
  graph.contains_answer(id(1), Bdf(0x0300), 7);
  CHECK(look(graph).kind == WaitFinding::Kind::kDeadlock);
}

TEST_CASE("a call from outside is stuck when the process in it is", "[waits]") {
  static const int kProcess = 0;
  for (const bool nested : {false, true}) {
    WaitGraph graph;
    Waiter& call = add(graph, 0, {});
    call.opaque = true;
    call.wait_for_process(&kProcess);
    add(graph, 1, {0});
    if (nested) graph.blocks(id(1), &kProcess);
    CHECK((look(graph).kind == WaitFinding::Kind::kDeadlock) == nested);
  }
}

}  // namespace peerfab::topology
