// SPDX-License-Identifier: Apache-2.0
// Sizes of TLPs in one direction: the 4 KiB boundary (PCIe r6.0, sec 2.2.7), Max_Payload_Size of
// both ends (sec 2.2.2) and Max_Read_Request_Size of the requester (sec 7.5.3.4).
#pragma once

#include <cstdint>

#include "sim/base/units.h"
#include "sim/engine/tlp.h"
#include "sim/monitor/findings.h"
#include "sim/monitor/link_description.h"

namespace peerfab::monitor {

// Largest payload that may go between these ends; 0 when it is not known.
[[nodiscard]] std::uint32_t max_payload(const LinkEnd& from, const LinkEnd& to);

class RequestMonitor {
 public:
  RequestMonitor(Pen pen, const LinkEnd& from, const LinkEnd& to)
      : pen_(std::move(pen)), from_(from), to_(to) {}

  void sent(const engine::Tlp& tlp, Picoseconds starts);

 private:
  [[nodiscard]] bool is_own(const engine::Tlp& tlp) const {
    return from_.registers != nullptr && from_.registers->bdf == Bdf(tlp.requester);
  }

  Pen pen_;
  LinkEnd from_;
  LinkEnd to_;
};

}  // namespace peerfab::monitor
