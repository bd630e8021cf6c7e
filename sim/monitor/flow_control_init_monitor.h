// SPDX-License-Identifier: Apache-2.0
// Flow control initialisation of one direction (PCIe r6.0, sec 3.4.1): what this end advertises
// with InitFC DLLPs for the buffer of the other direction, in which order, and that TLPs and
// UpdateFCs wait for it. Where the link's DLLPs are only accounted for, what is advertised is all
// there is to check.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/base/units.h"
#include "sim/engine/link_observer.h"
#include "sim/engine/tlp.h"
#include "sim/engine/transmitter.h"
#include "sim/monitor/findings.h"
#include "sim/pcie/dllp.h"

namespace peerfab::monitor {

class FlowControlInitMonitor {
 public:
  // `advertised`: the receive buffer at the end that sends in this direction.
  FlowControlInitMonitor(Pen pen, const engine::ReceiveBuffer& advertised)
      : pen_(std::move(pen)), advertised_(advertised) {}

  // payload_limit: Max_Payload_Size in force, 0 when it is not known.
  void check_advertisement(std::uint32_t payload_limit);
  void state_changed(engine::LinkState state, Picoseconds now);
  void tlp_sent(const engine::Tlp& tlp, Picoseconds starts);
  // damaged: the other end drops it. `other`: the monitor of the other direction.
  void dllp_sent(const pcie::Dllp& dllp, bool damaged, const FlowControlInitMonitor& other,
                 Picoseconds starts);

 private:
  void check_init(const pcie::Dllp& dllp, const FlowControlInitMonitor& other, Picoseconds starts);
  void check_update(const pcie::Dllp& dllp, Picoseconds starts);
  void check_credits(const pcie::Dllp& dllp, Picoseconds starts);
  static constexpr std::uint8_t kAllClasses = (1U << pcie::kFlowClassCount) - 1;
  // A set is one InitFC for each class, in order.
  struct Sets {
    unsigned next = 0;      // class that comes next
    unsigned complete = 0;  // sets that were sent
  };

  Pen pen_;
  engine::ReceiveBuffer advertised_;
  std::optional<engine::LinkState> state_;  // none: the link's states are not modelled
  Sets init1_;
  Sets init2_;
  std::uint8_t told_ = 0;  // classes of which an InitFC went undamaged, a bit each
};

}  // namespace peerfab::monitor
