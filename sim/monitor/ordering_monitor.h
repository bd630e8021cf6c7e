// SPDX-License-Identifier: Apache-2.0
// The ordering table in front of one direction (PCIe r6.0, sec 2.4.1): what waits at one input of a
// transmitter came in order, and leaves in an order that the table allows. Inputs are different
// sources, between which there is no order.
//
// Only what must not be is watched. Entries that say "must be able to pass" are about progress: a
// queue that breaks them gets stuck, which no single TLP shows.
#pragma once

#include <vector>

#include "sim/base/units.h"
#include "sim/engine/tlp.h"
#include "sim/monitor/findings.h"
#include "sim/pcie/ordering.h"

namespace peerfab::monitor {

class OrderingMonitor {
 public:
  explicit OrderingMonitor(Pen pen) : pen_(std::move(pen)) {}

  void queued(unsigned input, const engine::Tlp& tlp);
  // A TLP that was queued before the monitor came is not looked at.
  void sent(unsigned input, const engine::Tlp& tlp, Picoseconds starts);
  void restart() { inputs_.clear(); }

 private:
  struct Waiting {
    const engine::Tlp* tlp = nullptr;
    pcie::OrderingFields fields;
  };
  // Those before `first` have left; they are thrown out when they are many.
  struct Input {
    std::vector<Waiting> queue;
    std::size_t first = 0;
  };
  static void remove(Input& input, std::size_t index);

  Pen pen_;
  std::vector<Input> inputs_;
};

}  // namespace peerfab::monitor
