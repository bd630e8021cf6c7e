// SPDX-License-Identifier: Apache-2.0
// A link under watch: a LinkRig whose near end is an endpoint, with the monitors of both
// directions; and a way to tell the monitors of things that no transmitter of ours does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/base/units.h"
#include "sim/cfgspace/port_registers.h"
#include "sim/engine/data_link.h"
#include "sim/engine/link_observer.h"
#include "sim/monitor/findings.h"
#include "sim/monitor/link_monitor.h"
#include "sim/pcie/dllp.h"
#include "tests/support/catch.h"
#include "tests/support/engine_link.h"

namespace peerfab::monitor::test {

inline constexpr std::uint16_t kDevice = 0x100;  // the requester in tests/support/engine_link.h
inline constexpr Bdf kHost{0x200};               // the completer there

// A link with a data link layer of its own.
inline LinkDescription numbered() {
  LinkDescription description;
  description.numbered = true;
  return description;
}

class WatchedLink {
 public:
  explicit WatchedLink(const engine::TransmitterConfig& config = peerfab::test::bare_wire(5, 16),
                       const LinkDescription& description = {},
                       const engine::BitErrorConfig& errors = {})
      : rig(config, 2),
        description_(complete(description)),
        monitor(findings, description_, rig.back, rig.out) {
    if (!description.numbered) return;
    engine::DataLinkConfig exact;
    exact.errors = errors;
    exact.ack_interval = Picoseconds(42'000);
    exact.replay_timeout = Picoseconds(6'000'000);
    rig.out.use_data_link(exact);
    rig.back.use_data_link(exact);
  }

  // Whether this monitor has found something, and no other.
  void check_only(MonitorId id) const {
    INFO(findings.text());
    for (std::size_t i = 0; i < kMonitorCount; ++i) {
      const auto each = static_cast<MonitorId>(i);
      INFO(info(each).name);
      CHECK((findings.tally(each).violations != 0) == (each == id));
    }
  }
  void check_silent() const {
    INFO(findings.text());
    CHECK(findings.violations() == 0);
  }
  [[nodiscard]] std::string text(MonitorId id) const {
    return findings.tally(id).first.empty() ? "" : findings.tally(id).first.front();
  }

  // --- Told to the monitors by hand, in the direction of the endpoint's requests ---
  void tell_queued(const engine::Tlp& tlp) { monitor.up().tlp_queued(0, tlp, Picoseconds(now_)); }
  void tell_sent(const engine::Tlp& tlp) { tell_sent(tlp, next_++); }
  void tell_sent(const engine::Tlp& tlp, unsigned number) {
    now_ += 1000;
    monitor.up().tlp_sent(0, tlp, sent(number, false));
  }
  void tell_replayed(unsigned number) {
    now_ += 1000;
    monitor.up().tlp_replayed(sent(number, true));
  }
  void tell_received(const engine::Tlp& tlp, unsigned number) {
    now_ += 1000;
    monitor.up().tlp_received(tlp, static_cast<std::uint16_t>(number), Picoseconds(now_));
  }
  void tell_state(engine::LinkState state) {
    monitor.up().state_changed(state, Picoseconds(now_));
    monitor.down().state_changed(state, Picoseconds(now_));
  }
  // An Ack or Nak for the TLPs that go up.
  void tell_acknowledged(pcie::DllpKind kind, unsigned number, bool damaged = false) {
    pcie::Dllp dllp;
    dllp.kind = kind;
    dllp.sequence_number = static_cast<std::uint16_t>(number);
    monitor.down().dllp_sent(dllp, Picoseconds(now_), damaged);
  }

  peerfab::test::LinkRig rig;
  cfgspace::PortRegisters device;
  cfgspace::PortRegisters port;
  Findings findings;

 private:
  LinkDescription complete(LinkDescription description) {
    device.bdf = Bdf(kDevice);
    description.name = "host-device";
    description.upper.registers = &port;
    description.lower.registers = &device;
    return description;
  }
  [[nodiscard]] engine::SentTlp sent(unsigned number, bool replayed) const {
    return {Picoseconds(now_), Picoseconds(now_ + 100), 64, static_cast<std::uint16_t>(number),
            replayed};
  }

  LinkDescription description_;
  unsigned next_ = 0;
  std::uint64_t now_ = 0;

 public:
  LinkMonitor monitor;
};

}  // namespace peerfab::monitor::test
