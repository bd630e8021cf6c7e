// SPDX-License-Identifier: Apache-2.0
// PCIe r6.0, sec 3.4.1: InitFC1 until all classes of the other port are known, then InitFC2 until
// one of those has been seen.
#include "sim/pcie/flow_control_init.h"

#include "sim/base/rng.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

using State = FlowControlInit::State;

Dllp init(DllpKind kind, FlowClass flow_class) {
  Dllp dllp;
  dllp.kind = kind;
  dllp.flow_class = flow_class;
  return dllp;
}

TEST_CASE("a port goes on when it has seen all three classes", "[conformance][sec-3.4.1]") {
  for (const DllpKind kind : {DllpKind::kInitFc1, DllpKind::kInitFc2}) {
    FlowControlInit port;
    CHECK(port.sends() == DllpKind::kInitFc1);
    port.receive(init(kind, FlowClass::kPosted));
    port.receive(init(kind, FlowClass::kPosted));
    port.receive(init(kind, FlowClass::kCompletion));
    CHECK(port.state() == State::kInit1);
    port.receive(init(kind, FlowClass::kNonPosted));
    CHECK(port.state() == State::kInit2);
    CHECK(port.sends() == DllpKind::kInitFc2);
  }
}

TEST_CASE("InitFC2 or UpdateFC ends it, InitFC1 and others do not", "[conformance][sec-3.4.1]") {
  for (const DllpKind kind : {DllpKind::kInitFc2, DllpKind::kUpdateFc}) {
    FlowControlInit port;
    for (const FlowClass flow :
         {FlowClass::kPosted, FlowClass::kNonPosted, FlowClass::kCompletion}) {
      port.receive(init(DllpKind::kInitFc1, flow));
    }
    port.receive(init(DllpKind::kInitFc1, FlowClass::kPosted));
    port.receive(init(DllpKind::kNop, FlowClass::kPosted));
    port.receive(init(DllpKind::kAck, FlowClass::kPosted));
    CHECK(port.state() == State::kInit2);
    port.receive(init(kind, FlowClass::kNonPosted));
    CHECK(port.state() == State::kDone);
    CHECK(port.sends() == DllpKind::kInitFc2);
  }
  // Before the values are known an UpdateFC means nothing.
  FlowControlInit fresh;
  fresh.receive(init(DllpKind::kUpdateFc, FlowClass::kPosted));
  CHECK(fresh.state() == State::kInit1);
}

TEST_CASE("two ports come up whatever is lost", "[conformance][sec-3.4.1]") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed);
    FlowControlInit a;
    FlowControlInit b;
    unsigned rounds = 0;
    while (a.state() != State::kDone || b.state() != State::kDone) {
      REQUIRE(++rounds < 200);
      const DllpKind from_a = a.sends();
      const DllpKind from_b = b.sends();
      for (unsigned i = 0; i < kFlowClassCount; ++i) {
        const auto flow = static_cast<FlowClass>(i);
        if (rng.below(2) == 0) b.receive(init(from_a, flow));
        if (rng.below(2) == 0) a.receive(init(from_b, flow));
      }
    }
    CHECK(rounds >= 2);
  }
}

}  // namespace
}  // namespace peerfab::pcie
