// SPDX-License-Identifier: Apache-2.0
// Flow control of one direction (PCIe r6.0, sec 2.6.1): what the transmitter may count on, and what
// the receiver holds, in headers and data units of each class.
#pragma once

#include <array>
#include <cstdint>

#include "sim/base/ring.h"
#include "sim/base/units.h"
#include "sim/engine/tlp.h"
#include "sim/engine/transmitter.h"
#include "sim/monitor/findings.h"
#include "sim/pcie/credits.h"

namespace peerfab::monitor {

class CreditMonitor {
 public:
  // joined_late: TLPs of before may be on their way or in the buffer. Then the monitor knows bounds
  // instead of numbers, and finds what breaks a rule whatever they are.
  CreditMonitor(Pen pen, const engine::ReceiveBuffer& buffer, bool joined_late);

  void sent(const engine::Tlp& tlp, Picoseconds starts);
  void received(const engine::Tlp& tlp, Picoseconds now);
  void returned(pcie::FlowClass flow_class, std::uint32_t headers, std::uint32_t data,
                Picoseconds freed, Picoseconds effective);
  // Flow control starts anew.
  void restart();
  // The link is down: buffers that are freed until it starts anew tell nobody.
  void stop() { stopped_ = true; }

 private:
  // Least and most that a number may be.
  struct Bounds {
    std::int64_t low = 0;
    std::int64_t high = 0;
  };
  // One credit type: PH, PD and so on.
  struct Type {
    std::int64_t buffer = 0;  // units advertised; 0 is infinite
    Bounds available;         // for the transmitter
    Bounds held;              // in the receiver's buffer
  };
  struct Return {
    Picoseconds effective;
    std::uint32_t headers = 0;
    std::uint32_t data = 0;
  };
  struct Class {
    Type headers;
    Type data;
    Ring<Return> returns;  // on their way to the transmitter
  };
  static void give_back(Type& type, std::uint32_t units);
  bool take(Type& type, std::uint32_t units);
  bool free(Type& type, std::uint32_t units);
  void arrive(Class& flow, Picoseconds now);

  Pen pen_;
  std::array<Class, pcie::kFlowClassCount> classes_;
  bool stopped_ = false;
};

}  // namespace peerfab::monitor
