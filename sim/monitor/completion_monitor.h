// SPDX-License-Identifier: Apache-2.0
// Completions against their requests (PCIe r6.0, sec 2.2.9.1 and 2.3.1.1): the byte count is what
// is still to come, the lower address that of the first byte, and a completion that is not the last
// ends on a read completion boundary.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/engine/tlp.h"
#include "sim/monitor/findings.h"
#include "sim/monitor/transactions.h"

namespace peerfab::monitor {

struct CompletionRules {
  // Every completion on this link answers a request that went over it. Within the fabric the two
  // may take different ways, see TagMonitor.
  bool at_endpoint = true;
  // The monitor came late: what it has not seen asked for may be answered all the same.
  bool joined_late = false;
  // Root complexes whose Read Completion Boundary is 64 B; everybody else's is 128 B.
  std::vector<Bdf> small_boundary;
};

class CompletionMonitor {
 public:
  CompletionMonitor(Pen pen, CompletionRules rules)
      : pen_(std::move(pen)), rules_(std::move(rules)) {}

  // `request`: what it answers, nullptr when none was seen. Takes what it brings off the request.
  void sent(const engine::Tlp& tlp, Transaction* request, Picoseconds starts);

 private:
  void check_data(const engine::Tlp& tlp, const Transaction& request, Picoseconds starts);
  [[nodiscard]] std::uint32_t boundary_of(Bdf completer) const;

  Pen pen_;
  CompletionRules rules_;
};

// What the first completion of this request has to say.
[[nodiscard]] Transaction expect_answer(const engine::Tlp& request);

}  // namespace peerfab::monitor
