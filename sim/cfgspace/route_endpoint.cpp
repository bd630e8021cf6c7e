// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include "sim/cfgspace/route_decision.h"

namespace peerfab::cfgspace {

Verdict route_in_endpoint(const PortRegisters& hop, Ingress ingress, RouteDecision& decision) {
  if (ingress.kind == Ingress::Kind::kInternal) {
    // Bus Master Enable stops memory requests, MSIs among them; it does not stop completions and
    // messages (PCIe r6.0, sec 7.5.1.1.3).
    if (decision.by_address() && !hop.command.bus_master_enable) {
      return decision.pass(Action::kNotIssued, 0, Reason::kBusMasterDisabled, hop.bdf);
    }
    return decision.pass(Action::kToUpstream, 0, Reason::kIssued, hop.bdf);
  }
  assert(ingress.kind == Ingress::Kind::kUpstream);
  if (!decision.by_address()) {
    if (decision.destination_in({hop.bdf, hop.bdf})) {
      return decision.pass(Action::kToFunction, 0, Reason::kOwnId, hop.bdf);
    }
    return decision.refuse(Reason::kOtherId, hop.bdf);
  }
  if (!hop.command.memory_space_enable) {
    return decision.refuse(Reason::kMemorySpaceDisabled, hop.bdf);
  }
  for (const Bar& bar : hop.bars) {
    if (decision.address_in(bar.range())) {
      return decision.pass(Action::kToBar, bar.request.index, Reason::kBar, hop.bdf);
    }
  }
  return decision.refuse(Reason::kNoBar, hop.bdf);
}

}  // namespace peerfab::cfgspace
