// SPDX-License-Identifier: Apache-2.0
// Private to the room: the state of one routing decision. Every comparison of the TLP with a
// register range goes through it, so that it learns for which other TLPs the verdict holds.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/cfgspace/route.h"

namespace peerfab::cfgspace {

class RouteDecision {
 public:
  explicit RouteDecision(const RoutedTlp& tlp) : tlp_(tlp) {}

  [[nodiscard]] const RoutedTlp& tlp() const { return tlp_; }
  [[nodiscard]] bool is_completion() const { return tlp_.category == TlpCategory::kCompletion; }
  [[nodiscard]] bool by_address() const {
    return !is_completion() && tlp_.routing == Routing::kByAddress;
  }

  // Comparisons. Each narrows what the verdict covers to the TLPs that compare alike.
  bool address_in(const AddressRange& range);
  bool destination_in(const IdRange& range);
  bool requester_in(const IdRange& range);
  // In one of a bridge's two memory windows.
  bool in_windows(const PortRegisters& bridge);

  [[nodiscard]] Verdict pass(Action action, unsigned index, Reason reason, Bdf decided_at) const;
  [[nodiscard]] Verdict pass_to_peer(Action action, unsigned index, Reason reason,
                                     Bdf decided_at) const;
  // Unsupported Request; a completion is dropped instead, as nobody answers a completion.
  [[nodiscard]] Verdict refuse(Reason reason, Bdf decided_at) const;
  [[nodiscard]] Verdict acs_violation(Reason reason, Bdf decided_at) const;

 private:
  const RoutedTlp& tlp_;
  AddressRange addresses_ = AddressRange::all();
  IdRange requesters_ = IdRange::all();
  IdRange destinations_ = IdRange::all();
};

// What a root port or switch downstream port checks first in a TLP that it receives from below: ACS
// Source Validation and Translation Blocking (PCIe r6.0, sec 6.12.1.1), then Bus Master Enable
// (PCIe r6.0, sec 7.5.1.1.3). In this order because an ACS Violation outranks an Unsupported
// Request where one TLP has both errors (PCIe r6.0, sec 6.2.3.2.3). Nothing: the TLP goes on.
[[nodiscard]] std::optional<Verdict> refuse_at_ingress(const PortRegisters& port,
                                                       RouteDecision& decision);

// What the ingress port's ACS controls do with a request to a peer (PCIe r6.0, sec 6.12.3,
// Table 6-11).
enum class AcsPeer : std::uint8_t {
  kDirect,
  kDirectTranslated,
  kRedirect,
  kEgressRedirect,
  kBlock
};
[[nodiscard]] AcsPeer acs_request_to_peer(const AcsControl& acs, unsigned egress_port_number,
                                          const RouteDecision& decision);
// The same where the egress has no port number: behind another socket.
[[nodiscard]] AcsPeer acs_request_to_other_socket(const AcsControl& acs,
                                                  const RouteDecision& decision);
// Whether a completion to a peer goes up instead.
[[nodiscard]] bool acs_redirects_completion(const AcsControl& acs, const RouteDecision& decision);

[[nodiscard]] Verdict route_in_switch(const SwitchRegisters& hop, Ingress ingress,
                                      RouteDecision& decision);
[[nodiscard]] Verdict route_in_root_complex(const RootComplexRegisters& hop, Ingress ingress,
                                            RouteDecision& decision);
[[nodiscard]] Verdict route_in_endpoint(const PortRegisters& hop, Ingress ingress,
                                        RouteDecision& decision);

}  // namespace peerfab::cfgspace
