// SPDX-License-Identifier: Apache-2.0
// Flow control initialisation under watch (PCIe r6.0, sec 3.4.1).
#include "tests/unit/monitor/rig.h"

namespace peerfab::monitor::test {
namespace {

using namespace peerfab::test;  // NOLINT(google-build-using-namespace)
using engine::LinkState;
using pcie::DllpKind;
using pcie::FlowClass;

engine::TransmitterConfig with_buffer() {
  engine::TransmitterConfig config = bare_wire(5, 16);
  config.buffer.classes[0] = {32, 256};
  config.buffer.classes[1] = {16, 8};
  return config;
}

// Whoever tells it: both ends of this rig have the same buffer.
struct Initialising : WatchedLink {
  Initialising() : WatchedLink(with_buffer()) {
    tell_state(LinkState::kDown);
    tell_state(LinkState::kTraining);
    tell_state(LinkState::kInit);
  }
  static pcie::Dllp dllp(DllpKind kind, FlowClass flow) {
    const engine::ReceiveBuffer::Class buffer =
        with_buffer().buffer.classes[static_cast<unsigned>(flow)];
    pcie::Dllp dllp;
    dllp.kind = kind;
    dllp.flow_class = flow;
    dllp.header_credits = static_cast<std::uint8_t>(buffer.headers);
    dllp.data_credits = static_cast<std::uint16_t>(buffer.data);
    return dllp;
  }
  void tell(engine::LinkObserver& way, DllpKind kind, FlowClass flow) {
    way.dllp_sent(dllp(kind, flow), Picoseconds(100), false);
  }
  void tell_set(engine::LinkObserver& way, DllpKind kind) {
    for (const FlowClass flow :
         {FlowClass::kPosted, FlowClass::kNonPosted, FlowClass::kCompletion}) {
      tell(way, kind, flow);
    }
  }
  // As it should be, up to the end of this phase.
  void first_phase() {
    tell_set(monitor.up(), DllpKind::kInitFc1);
    tell_set(monitor.down(), DllpKind::kInitFc1);
  }
  void both_phases() {
    first_phase();
    tell_set(monitor.up(), DllpKind::kInitFc2);
    tell_set(monitor.down(), DllpKind::kInitFc2);
    tell_state(LinkState::kUp);
  }
};

}  // namespace

TEST_CASE("monitor flow-control-init: what must not come before it") {
  Initialising link;
  SECTION("all in order") {
    link.both_phases();
    link.tell_sent(*make_write(link.rig.pool, 64));
    link.tell(link.monitor.up(), DllpKind::kUpdateFc, FlowClass::kPosted);
    link.check_silent();
  }
  SECTION("a TLP") {
    link.first_phase();
    link.tell_sent(*make_write(link.rig.pool, 64));
    link.check_only(MonitorId::kFlowControlInit);
    CHECK_THAT(link.text(MonitorId::kFlowControlInit),
               Catch::Contains("expected no TLP before DL_Active, saw one in DL_Init"));
  }
  SECTION("an UpdateFC") {
    link.first_phase();
    link.tell(link.monitor.up(), DllpKind::kUpdateFc, FlowClass::kPosted);
    link.check_only(MonitorId::kFlowControlInit);
  }
  SECTION("the second phase before the first one is over at the other end") {
    link.tell_set(link.monitor.up(), DllpKind::kInitFc1);
    link.tell(link.monitor.up(), DllpKind::kInitFc2, FlowClass::kPosted);
    link.check_only(MonitorId::kFlowControlInit);
  }
  SECTION("DL_Active without the second phase") {
    link.first_phase();
    link.tell_state(LinkState::kUp);
    link.check_only(MonitorId::kFlowControlInit);
  }
}

TEST_CASE("monitor flow-control-init: InitFCs that are wrong") {
  Initialising link;
  SECTION("out of order") {
    link.tell(link.monitor.up(), DllpKind::kInitFc1, FlowClass::kNonPosted);
    link.check_only(MonitorId::kFlowControlInit);
  }
  SECTION("with another value than the buffer's") {
    pcie::Dllp dllp = Initialising::dllp(DllpKind::kInitFc1, FlowClass::kPosted);
    dllp.header_credits = 33;
    link.monitor.up().dllp_sent(dllp, Picoseconds(100), false);
    link.check_only(MonitorId::kFlowControlInit);
    CHECK_THAT(link.text(MonitorId::kFlowControlInit),
               Catch::Contains("InitFC1-P VC0 header 33 data 256: expected 32 header and 256 data "
                               "credits, saw 33 and 256"));
  }
  SECTION("the second phase although one of the other end's was damaged") {
    link.tell_set(link.monitor.up(), DllpKind::kInitFc1);
    link.tell(link.monitor.down(), DllpKind::kInitFc1, FlowClass::kPosted);
    link.monitor.down().dllp_sent(Initialising::dllp(DllpKind::kInitFc1, FlowClass::kNonPosted),
                                  Picoseconds(100), true);
    link.tell(link.monitor.down(), DllpKind::kInitFc1, FlowClass::kCompletion);
    link.check_silent();
    SECTION("at once") {
      link.tell(link.monitor.up(), DllpKind::kInitFc2, FlowClass::kPosted);
      link.check_only(MonitorId::kFlowControlInit);
    }
    SECTION("after it came again is fine") {
      link.tell_set(link.monitor.down(), DllpKind::kInitFc1);
      link.tell(link.monitor.up(), DllpKind::kInitFc2, FlowClass::kPosted);
      link.check_silent();
    }
  }
  SECTION("after the link is up") {
    link.both_phases();
    link.tell(link.monitor.up(), DllpKind::kInitFc1, FlowClass::kPosted);
    link.check_only(MonitorId::kFlowControlInit);
  }
  SECTION("an UpdateFC of infinite credits that is not zero") {
    link.both_phases();
    pcie::Dllp dllp = Initialising::dllp(DllpKind::kUpdateFc, FlowClass::kCompletion);
    dllp.header_credits = 1;
    link.monitor.up().dllp_sent(dllp, Picoseconds(100), false);
    link.check_only(MonitorId::kFlowControlInit);
  }
}

TEST_CASE("monitor flow-control-init: a receiver that advertises too little") {
  engine::TransmitterConfig config = bare_wire(5, 16);
  SECTION("8 units hold a payload of 128 B") {
    config.buffer.classes[0] = {1, 8};
    WatchedLink(config).check_silent();
  }
  SECTION("7 do not") {
    config.buffer.classes[0] = {1, 7};
    WatchedLink(config).check_only(MonitorId::kFlowControlInit);
  }
}

}  // namespace peerfab::monitor::test
