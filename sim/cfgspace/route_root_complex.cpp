// SPDX-License-Identifier: Apache-2.0
// Routing in a root complex: host memory, root ports, and other sockets. Between root ports it does
// what the platform's policy says (PCIe r6.0, sec 1.3.1).
#include <algorithm>
#include <cassert>
#include <optional>

#include "sim/cfgspace/route_decision.h"

namespace peerfab::cfgspace {
namespace {

class RootComplexRoute {
 public:
  RootComplexRoute(const RootComplexRegisters& hop, RouteDecision& decision)
      : hop_(hop), decision_(decision) {}

  // From the host itself, or from another socket, which has applied the policy already.
  Verdict address_from_inside(bool may_leave_socket) {
    if (in_any(hop_.host_memory)) return to_memory(hop_.host());
    if (may_leave_socket) {
      if (const auto* other = socket_with_memory()) return to_memory_of(*other, hop_.host());
    }
    if (const auto port = port_with_window(kNone)) {
      return decision_.pass(Action::kToPort, *port, Reason::kWindow, hop_.root_ports[*port].bdf);
    }
    if (may_leave_socket) {
      if (const auto* other = socket_with_mmio()) {
        return decision_.pass(Action::kToSocket, other->socket, Reason::kOtherSocketWindow,
                              hop_.host());
      }
    }
    return unclaimed(kNone, hop_.host());
  }

  Verdict address_from_port(unsigned ingress) {
    const PortRegisters& port = hop_.root_ports[ingress];
    if (auto refused = refuse_at_ingress(port, decision_)) return *refused;
    if (in_any(hop_.host_memory)) return to_memory(port.bdf);
    if (const auto* other = socket_with_memory()) return to_memory_of(*other, port.bdf);
    if (const auto egress = port_with_window(ingress)) return request_to_peer(ingress, *egress);
    if (decision_.in_windows(port)) return to_own_egress(ingress);
    if (const auto* other = socket_with_mmio()) return request_to_other_socket(port, *other);
    return unclaimed(ingress, port.bdf);
  }

  Verdict id_from_inside(bool may_leave_socket) {
    if (const auto own = own_function()) return *own;
    if (const auto port = port_with_bus(kNone)) {
      return decision_.pass(Action::kToPort, *port, Reason::kBusRange, hop_.root_ports[*port].bdf);
    }
    if (may_leave_socket) {
      if (const auto* other = socket_with_bus()) return to_bus_of(*other, hop_.host());
    }
    return decision_.refuse(Reason::kNoBusRange, hop_.host());
  }

  Verdict id_from_port(unsigned ingress) {
    const PortRegisters& port = hop_.root_ports[ingress];
    if (auto refused = refuse_at_ingress(port, decision_)) return *refused;
    if (const auto own = own_function()) return *own;
    if (const auto egress = port_with_bus(ingress)) {
      return decision_.is_completion()
                 ? completion_to_peer(hop_.p2p, Action::kToPort, *egress, port)
                 : request_to_peer(ingress, *egress);
    }
    if (decision_.destination_in(port.buses.behind())) return to_own_egress(ingress);
    if (const auto* other = socket_with_bus()) {
      // To the other socket's host: not peer to peer.
      if (other->same_segment &&
          decision_.destination_in(IdRange::of_buses(other->root_bus, other->root_bus))) {
        return to_bus_of(*other, port.bdf);
      }
      return decision_.is_completion()
                 ? completion_to_peer(other->p2p, Action::kToSocket, other->socket, port)
                 : request_to_other_socket(port, *other);
    }
    return decision_.refuse(Reason::kNoBusRange, port.bdf);
  }

 private:
  static constexpr unsigned kNone = ~0U;

  bool in_any(const std::vector<AddressRange>& ranges) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [this](const AddressRange& range) { return decision_.address_in(range); });
  }

  const OtherSocket* socket_with_memory() {
    for (const OtherSocket& other : hop_.other_sockets) {
      if (in_any(other.memory)) return &other;
    }
    return nullptr;
  }

  const OtherSocket* socket_with_mmio() {
    for (const OtherSocket& other : hop_.other_sockets) {
      if (in_any(other.mmio)) return &other;
    }
    return nullptr;
  }

  const OtherSocket* socket_with_bus() {
    for (const OtherSocket& other : hop_.other_sockets) {
      if (other.same_segment &&
          decision_.destination_in(IdRange::of_buses(other.root_bus, other.last_bus))) {
        return &other;
      }
    }
    return nullptr;
  }

  std::optional<unsigned> port_with_window(unsigned except) {
    for (unsigned i = 0; i < hop_.root_ports.size(); ++i) {
      if (i == except || !hop_.root_ports[i].command.memory_space_enable) continue;
      if (decision_.in_windows(hop_.root_ports[i])) return i;
    }
    return std::nullopt;
  }

  std::optional<unsigned> port_with_bus(unsigned except) {
    for (unsigned i = 0; i < hop_.root_ports.size(); ++i) {
      if (i != except && decision_.destination_in(hop_.root_ports[i].buses.behind())) return i;
    }
    return std::nullopt;
  }

  // The host and the root ports are the functions on the root bus.
  std::optional<Verdict> own_function() {
    for (const PortRegisters& port : hop_.root_ports) {
      if (decision_.destination_in({port.bdf, port.bdf})) {
        return decision_.pass(Action::kToFunction, 0, Reason::kOwnId, port.bdf);
      }
    }
    if (decision_.destination_in(IdRange::of_buses(hop_.root_bus, hop_.root_bus))) {
      return decision_.pass(Action::kToFunction, 0, Reason::kOwnId, hop_.host());
    }
    return std::nullopt;
  }

  [[nodiscard]] Verdict to_memory(Bdf decided_at) const {
    return decision_.pass(Action::kToHostMemory, 0, Reason::kHostMemory, decided_at);
  }

  [[nodiscard]] Verdict to_memory_of(const OtherSocket& other, Bdf decided_at) const {
    return decision_.pass(Action::kToSocket, other.socket, Reason::kOtherSocketMemory, decided_at);
  }

  [[nodiscard]] Verdict to_bus_of(const OtherSocket& other, Bdf decided_at) const {
    return decision_.pass(Action::kToSocket, other.socket, Reason::kOtherSocketBus, decided_at);
  }

  // A root port whose Memory Space Enable is off may be why nobody claims the address.
  Verdict unclaimed(unsigned except, Bdf decided_at) {
    for (unsigned i = 0; i < hop_.root_ports.size(); ++i) {
      if (i != except && decision_.in_windows(hop_.root_ports[i])) {
        return decision_.refuse(Reason::kMemorySpaceDisabled, hop_.root_ports[i].bdf);
      }
    }
    return decision_.refuse(Reason::kNoWindow, decided_at);
  }

  // Nothing where the platform's policy lets the TLP pass.
  std::optional<Verdict> refuse_by_policy(P2pPolicy policy, const PortRegisters& ingress) {
    Verdict verdict;
    switch (policy) {
      case P2pPolicy::kFull:
        return std::nullopt;
      case P2pPolicy::kPostedOnly:
        if (decision_.tlp().category == TlpCategory::kPosted) return std::nullopt;
        verdict = decision_.refuse(Reason::kP2pPostedOnly, ingress.bdf);
        break;
      case P2pPolicy::kNoneUr:
        verdict = decision_.refuse(Reason::kNoP2p, ingress.bdf);
        break;
      case P2pPolicy::kNoneAllOnes:
        verdict = decision_.is_completion()
                      ? decision_.refuse(Reason::kNoP2p, ingress.bdf)
                      : decision_.pass(Action::kAllOnes, 0, Reason::kNoP2pAllOnes, ingress.bdf);
        break;
    }
    verdict.peer_to_peer = true;
    return verdict;
  }

  // After the policy: what Redirected Request Validation says to a request that a root port's ACS
  // redirects, or the plain way to the peer (PCIe r6.0, sec 6.12.1.1).
  Verdict validated(bool redirected, Reason direct, Action action, unsigned index,
                    const PortRegisters& ingress) {
    if (!redirected) return decision_.pass_to_peer(action, index, direct, ingress.bdf);
    if (hop_.reflects_redirected) {
      return decision_.pass_to_peer(action, index, Reason::kReflected, ingress.bdf);
    }
    Verdict verdict = decision_.acs_violation(Reason::kRedirectBlocked, ingress.bdf);
    verdict.peer_to_peer = true;
    return verdict;
  }

  Verdict peer_request(AcsPeer acs, P2pPolicy policy, Action action, unsigned index,
                       const PortRegisters& ingress) {
    if (acs == AcsPeer::kBlock) {
      Verdict verdict = decision_.acs_violation(Reason::kEgressBlocked, ingress.bdf);
      verdict.peer_to_peer = true;
      return verdict;
    }
    if (auto refused = refuse_by_policy(policy, ingress)) return *refused;
    const bool redirected = acs == AcsPeer::kRedirect || acs == AcsPeer::kEgressRedirect;
    const Reason direct =
        acs == AcsPeer::kDirectTranslated ? Reason::kDirectTranslated : Reason::kRootPeer;
    return validated(redirected, direct, action, index, ingress);
  }

  Verdict request_to_peer(unsigned ingress, unsigned egress) {
    const PortRegisters& port = hop_.root_ports[ingress];
    return peer_request(
        acs_request_to_peer(port.acs, hop_.root_ports[egress].port_number, decision_), hop_.p2p,
        Action::kToPort, egress, port);
  }

  Verdict request_to_other_socket(const PortRegisters& port, const OtherSocket& other) {
    return peer_request(acs_request_to_other_socket(port.acs, decision_), other.p2p,
                        Action::kToSocket, other.socket, port);
  }

  // ACS Completion Redirect in a root port changes the order of completions, not their way
  // (PCIe r6.0, sec 6.12.1.1).
  Verdict completion_to_peer(P2pPolicy policy, Action action, unsigned index,
                             const PortRegisters& ingress) {
    if (auto refused = refuse_by_policy(policy, ingress)) return *refused;
    return decision_.pass_to_peer(action, index, Reason::kRootPeer, ingress.bdf);
  }

  Verdict to_own_egress(unsigned ingress) {
    const PortRegisters& port = hop_.root_ports[ingress];
    const bool defined = port.acs.upstream_forwarding;
    Verdict verdict;
    if (const auto refused = refuse_by_policy(hop_.p2p, port)) {
      verdict = *refused;
    } else if (!hop_.hairpin) {
      verdict = decision_.refuse(Reason::kNoHairpin, port.bdf);
    } else if (!defined) {
      verdict = decision_.pass_to_peer(Action::kToPort, ingress, Reason::kOwnEgress, port.bdf);
    } else if (decision_.is_completion()) {
      verdict = decision_.pass_to_peer(Action::kToPort, ingress, Reason::kReflected, port.bdf);
    } else {
      verdict = validated(true, Reason::kReflected, Action::kToPort, ingress, port);
    }
    verdict.peer_to_peer = true;
    verdict.undefined_by_specification = !defined;
    return verdict;
  }

  const RootComplexRegisters& hop_;
  RouteDecision& decision_;
};

}  // namespace

Verdict route_in_root_complex(const RootComplexRegisters& hop, Ingress ingress,
                              RouteDecision& decision) {
  RootComplexRoute route(hop, decision);
  if (ingress.kind == Ingress::Kind::kPort) {
    assert(ingress.index < hop.root_ports.size());
    return decision.by_address() ? route.address_from_port(ingress.index)
                                 : route.id_from_port(ingress.index);
  }
  assert(ingress.kind == Ingress::Kind::kInternal || ingress.kind == Ingress::Kind::kSocket);
  const bool may_leave_socket = ingress.kind == Ingress::Kind::kInternal;
  return decision.by_address() ? route.address_from_inside(may_leave_socket)
                               : route.id_from_inside(may_leave_socket);
}

}  // namespace peerfab::cfgspace
