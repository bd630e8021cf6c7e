// SPDX-License-Identifier: Apache-2.0
// Header fields of the TLPs in one direction: what a receiver would call malformed (PCIe r6.0, sec
// 2.3), and what no sender may send (sec 2.2). The sizes that depend on registers are the request
// monitor's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/base/units.h"
#include "sim/engine/tlp.h"
#include "sim/monitor/findings.h"

namespace peerfab::monitor {

class MalformedMonitor {
 public:
  // tag_values: how many tags the link's generation has at most.
  MalformedMonitor(Pen pen, std::uint32_t tag_values)
      : pen_(std::move(pen)), tag_values_(tag_values) {}

  void sent(const engine::Tlp& tlp, Picoseconds starts);

 private:
  Pen pen_;
  std::uint32_t tag_values_;
};

}  // namespace peerfab::monitor
