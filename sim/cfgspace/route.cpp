// SPDX-License-Identifier: Apache-2.0
#include "sim/cfgspace/route.h"

#include "sim/cfgspace/route_decision.h"

namespace peerfab::cfgspace {

Verdict route(const RoutedTlp& tlp, const RoutingView& view) {
  RouteDecision decision(tlp);
  Verdict verdict;
  if (const auto* hop = std::get_if<const SwitchRegisters*>(&view.hop)) {
    verdict = route_in_switch(**hop, view.ingress, decision);
  } else if (const auto* root = std::get_if<const RootComplexRegisters*>(&view.hop)) {
    verdict = route_in_root_complex(**root, view.ingress, decision);
  } else {
    verdict =
        route_in_endpoint(**std::get_if<const PortRegisters*>(&view.hop), view.ingress, decision);
  }
  if (decision.by_address() && !verdict.addresses.contains(tlp.address, tlp.length)) {
    // The first and last byte are for different targets. Windows start and end on 1 MiB, and a TLP
    // never crosses 4 KiB (PCIe r6.0, sec 2.2.7), so this is a small BAR's end.
    verdict = decision.refuse(Reason::kCrossesBoundary, verdict.decided_at);
    verdict.addresses = AddressRange();
  }
  return verdict;
}

}  // namespace peerfab::cfgspace
