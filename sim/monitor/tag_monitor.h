// SPDX-License-Identifier: Apache-2.0
// Transaction IDs of the requests in one direction (PCIe r6.0, sec 2.2.6.2): a tag is free again
// when the last completion has arrived.
//
// Only on links at an endpoint, over which all of its requests and all of their answers pass.
// Within the fabric the answer may take another way than the request (PCIe r6.0, sec 6.12.1.1:
// requests are redirected and completions are not), so there nobody can tell when a tag is free.
#pragma once

#include "sim/base/units.h"
#include "sim/engine/tlp.h"
#include "sim/monitor/findings.h"
#include "sim/monitor/transactions.h"

namespace peerfab::monitor {

class TagMonitor {
 public:
  TagMonitor(Pen pen, bool at_endpoint) : pen_(std::move(pen)), at_endpoint_(at_endpoint) {}

  // `same_id`: what is known of this transaction ID so far.
  void request_sent(const engine::Tlp& tlp, const Transaction& same_id, Picoseconds starts);

 private:
  Pen pen_;
  bool at_endpoint_;
};

}  // namespace peerfab::monitor
