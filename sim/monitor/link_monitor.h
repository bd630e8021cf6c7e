// SPDX-License-Identifier: Apache-2.0
// All monitors of one link: an observer of each of its directions, which shows what happens to
// whom it concerns. Passive: the link does the same with and without it.
//
// A wire between sockets is no PCIe link: of its traffic only what concerns TLPs as such is
// watched, that is ordering, completions and headers.
#pragma once

#include <memory>
#include <string>

#include "sim/engine/link_observer.h"
#include "sim/engine/transmitter.h"
#include "sim/monitor/findings.h"
#include "sim/monitor/link_description.h"

namespace peerfab::monitor {

class LinkMonitor {
 public:
  // Watches from now on, until it is destroyed. Registers, transmitters and findings outlive it.
  LinkMonitor(Findings& findings, const LinkDescription& description, engine::Transmitter& down,
              engine::Transmitter& up);
  ~LinkMonitor();
  LinkMonitor(const LinkMonitor&) = delete;
  LinkMonitor& operator=(const LinkMonitor&) = delete;

  // What the transmitters tell: for whoever wants to tell it himself.
  [[nodiscard]] engine::LinkObserver& down();
  [[nodiscard]] engine::LinkObserver& up();

 private:
  class Way;
  std::unique_ptr<Way> down_way_;
  std::unique_ptr<Way> up_way_;
  engine::Transmitter& down_;
  engine::Transmitter& up_;
};

}  // namespace peerfab::monitor
