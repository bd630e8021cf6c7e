// SPDX-License-Identifier: Apache-2.0
// Routing in a switch: a tree of bridges around one internal bus (PCIe r6.0, sec 1.3.3).
#include <cassert>
#include <optional>

#include "sim/cfgspace/route_decision.h"

namespace peerfab::cfgspace {
namespace {

class SwitchRoute {
 public:
  SwitchRoute(const SwitchRegisters& hop, RouteDecision& decision)
      : hop_(hop), decision_(decision) {}

  Verdict address_from_above() {
    const PortRegisters& upstream = hop_.upstream;
    if (!upstream.command.memory_space_enable) {
      return decision_.refuse(Reason::kMemorySpaceDisabled, upstream.bdf);
    }
    if (!decision_.in_windows(upstream)) return decision_.refuse(Reason::kNoWindow, upstream.bdf);
    if (const auto port = port_with_window(kNone)) {
      return decision_.pass(Action::kToPort, *port, Reason::kWindow, hop_.downstream[*port].bdf);
    }
    return unclaimed(kNone, upstream.bdf);
  }

  Verdict address_from_port(unsigned ingress) {
    const PortRegisters& port = hop_.downstream[ingress];
    if (auto refused = refuse_at_ingress(port, decision_)) return *refused;
    if (const auto egress = port_with_window(ingress)) return request_to_peer(ingress, *egress);
    if (decision_.in_windows(port)) return to_own_egress(ingress);
    // Inside the upstream port's windows nothing leaves the switch upwards: that bridge forwards
    // from its secondary side what lies outside them (PCIe r6.0, sec 6.12.1.1, ACS Unclaimed
    // Request Redirect, which is off).
    if (decision_.in_windows(hop_.upstream)) return unclaimed(ingress, port.bdf);
    return upwards(Reason::kTowardsRoot, hop_.upstream.bdf);
  }

  Verdict id_from_above() {
    if (const auto own = own_function()) return *own;
    if (!decision_.destination_in(hop_.upstream.buses.behind())) {
      return decision_.refuse(Reason::kNoBusRange, hop_.upstream.bdf);
    }
    if (const auto port = port_with_bus(kNone)) {
      return decision_.pass(Action::kToPort, *port, Reason::kBusRange, hop_.downstream[*port].bdf);
    }
    return decision_.refuse(Reason::kNoBusRange, hop_.upstream.bdf);
  }

  Verdict id_from_port(unsigned ingress) {
    const PortRegisters& port = hop_.downstream[ingress];
    if (auto refused = refuse_at_ingress(port, decision_)) return *refused;
    if (const auto own = own_function()) return *own;
    if (const auto egress = port_with_bus(ingress)) {
      if (!decision_.is_completion()) return request_to_peer(ingress, *egress);
      if (acs_redirects_completion(port.acs, decision_)) {
        return upwards(Reason::kCompletionRedirect, port.bdf);
      }
      return decision_.pass_to_peer(Action::kToPort, *egress, Reason::kPeerPort, port.bdf);
    }
    if (decision_.destination_in(port.buses.behind())) return to_own_egress(ingress);
    if (decision_.destination_in(hop_.upstream.buses.behind())) {
      return decision_.refuse(Reason::kNoBusRange, port.bdf);
    }
    return upwards(Reason::kTowardsRoot, hop_.upstream.bdf);
  }

 private:
  static constexpr unsigned kNone = ~0U;

  std::optional<unsigned> port_with_window(unsigned except) {
    for (unsigned i = 0; i < hop_.downstream.size(); ++i) {
      if (i == except || !hop_.downstream[i].command.memory_space_enable) continue;
      if (decision_.in_windows(hop_.downstream[i])) return i;
    }
    return std::nullopt;
  }

  std::optional<unsigned> port_with_bus(unsigned except) {
    for (unsigned i = 0; i < hop_.downstream.size(); ++i) {
      if (i != except && decision_.destination_in(hop_.downstream[i].buses.behind())) return i;
    }
    return std::nullopt;
  }

  // The ports of the switch are functions with IDs themselves, once the buses are numbered.
  std::optional<Verdict> own_function() {
    const PortRegisters& upstream = hop_.upstream;
    if (upstream.buses.secondary == 0) return std::nullopt;
    if (decision_.destination_in({upstream.bdf, upstream.bdf})) {
      return decision_.pass(Action::kToFunction, 0, Reason::kOwnId, upstream.bdf);
    }
    for (const PortRegisters& port : hop_.downstream) {
      if (port.bdf.bus() == upstream.buses.secondary &&
          decision_.destination_in({port.bdf, port.bdf})) {
        return decision_.pass(Action::kToFunction, 0, Reason::kOwnId, port.bdf);
      }
    }
    return std::nullopt;
  }

  // A port whose Memory Space Enable is off may be why nobody claims the address.
  Verdict unclaimed(unsigned except, Bdf decided_at) {
    for (unsigned i = 0; i < hop_.downstream.size(); ++i) {
      if (i != except && decision_.in_windows(hop_.downstream[i])) {
        return decision_.refuse(Reason::kMemorySpaceDisabled, hop_.downstream[i].bdf);
      }
    }
    return decision_.refuse(Reason::kNoWindow, decided_at);
  }

  Verdict request_to_peer(unsigned ingress, unsigned egress) {
    const PortRegisters& port = hop_.downstream[ingress];
    switch (acs_request_to_peer(port.acs, hop_.downstream[egress].port_number, decision_)) {
      case AcsPeer::kDirect:
        return decision_.pass_to_peer(Action::kToPort, egress, Reason::kPeerPort, port.bdf);
      case AcsPeer::kDirectTranslated:
        return decision_.pass_to_peer(Action::kToPort, egress, Reason::kDirectTranslated, port.bdf);
      case AcsPeer::kRedirect:
        return upwards(Reason::kRequestRedirect, port.bdf);
      case AcsPeer::kEgressRedirect:
        return upwards(Reason::kEgressRedirect, port.bdf);
      case AcsPeer::kBlock:
        break;
    }
    return decision_.acs_violation(Reason::kEgressBlocked, port.bdf);
  }

  Verdict to_own_egress(unsigned ingress) {
    const PortRegisters& port = hop_.downstream[ingress];
    if (port.acs.upstream_forwarding) return upwards(Reason::kUpstreamForwarding, port.bdf);
    Verdict verdict;
    switch (hop_.own_egress) {
      case OwnEgressPolicy::kForwardUpstream:
        verdict = upwards(Reason::kOwnEgress, port.bdf);
        break;
      case OwnEgressPolicy::kReflect:
        verdict = decision_.pass_to_peer(Action::kToPort, ingress, Reason::kOwnEgress, port.bdf);
        break;
      case OwnEgressPolicy::kRefuse:
        verdict = decision_.refuse(Reason::kOwnEgressRefused, port.bdf);
        break;
    }
    verdict.undefined_by_specification = true;
    return verdict;
  }

  // Out of the upstream port, which forwards memory requests only as a bus master.
  Verdict upwards(Reason reason, Bdf decided_at) {
    if (decision_.by_address() && !hop_.upstream.command.bus_master_enable) {
      return decision_.refuse(Reason::kBusMasterDisabled, hop_.upstream.bdf);
    }
    return decision_.pass(Action::kToUpstream, 0, reason, decided_at);
  }

  const SwitchRegisters& hop_;
  RouteDecision& decision_;
};

}  // namespace

Verdict route_in_switch(const SwitchRegisters& hop, Ingress ingress, RouteDecision& decision) {
  SwitchRoute route(hop, decision);
  if (ingress.kind == Ingress::Kind::kUpstream) {
    return decision.by_address() ? route.address_from_above() : route.id_from_above();
  }
  assert(ingress.kind == Ingress::Kind::kPort && ingress.index < hop.downstream.size());
  return decision.by_address() ? route.address_from_port(ingress.index)
                               : route.id_from_port(ingress.index);
}

}  // namespace peerfab::cfgspace
