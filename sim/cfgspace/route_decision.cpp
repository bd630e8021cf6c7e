// SPDX-License-Identifier: Apache-2.0
#include "sim/cfgspace/route_decision.h"

#include <algorithm>

namespace peerfab::cfgspace {
namespace {

// Narrows the interval [low, high] around `value` to those values that lie inside or outside of
// [first, last] as `value` does.
template <typename Value, typename Next, typename Previous>
bool narrow(Value value, Value first, Value last, Value& low, Value& high, Next next,
            Previous previous) {
  if (last < first) return false;
  if (value < first) {
    high = std::min(high, previous(first));
    return false;
  }
  if (last < value) {
    low = std::max(low, next(last));
    return false;
  }
  low = std::max(low, first);
  high = std::min(high, last);
  return true;
}

bool narrow_ids(Bdf value, const IdRange& range, IdRange& covered) {
  return narrow(
      value, range.first, range.last, covered.first, covered.last,
      [](Bdf id) { return Bdf(static_cast<std::uint16_t>(id.value() + 1)); },
      [](Bdf id) { return Bdf(static_cast<std::uint16_t>(id.value() - 1)); });
}

}  // namespace

bool RouteDecision::address_in(const AddressRange& range) {
  return narrow(
      tlp_.address, range.base, range.limit, addresses_.base, addresses_.limit,
      [](BusAddress address) { return BusAddress(address.value() + 1); },
      [](BusAddress address) { return BusAddress(address.value() - 1); });
}

bool RouteDecision::destination_in(const IdRange& range) {
  return narrow_ids(tlp_.destination, range, destinations_);
}

bool RouteDecision::requester_in(const IdRange& range) {
  return narrow_ids(tlp_.requester, range, requesters_);
}

bool RouteDecision::in_windows(const PortRegisters& bridge) {
  return address_in(bridge.memory_window) || address_in(bridge.prefetchable_window);
}

Verdict RouteDecision::pass(Action action, unsigned index, Reason reason, Bdf decided_at) const {
  Verdict verdict;
  verdict.action = action;
  verdict.index = index;
  verdict.reason = reason;
  verdict.decided_at = decided_at;
  verdict.addresses = addresses_;
  verdict.requesters = requesters_;
  verdict.destinations = destinations_;
  return verdict;
}

Verdict RouteDecision::pass_to_peer(Action action, unsigned index, Reason reason,
                                    Bdf decided_at) const {
  Verdict verdict = pass(action, index, reason, decided_at);
  verdict.peer_to_peer = true;
  return verdict;
}

Verdict RouteDecision::refuse(Reason reason, Bdf decided_at) const {
  return pass(is_completion() ? Action::kDropped : Action::kUnsupportedRequest, 0, reason,
              decided_at);
}

Verdict RouteDecision::acs_violation(Reason reason, Bdf decided_at) const {
  return pass(Action::kCompleterAbort, 0, reason, decided_at);
}

std::optional<Verdict> refuse_at_ingress(const PortRegisters& port, RouteDecision& decision) {
  if (decision.is_completion()) return std::nullopt;
  if (port.acs.source_validation && !decision.requester_in(port.buses.behind())) {
    return decision.acs_violation(Reason::kSourceValidation, port.bdf);
  }
  // The AT field and Bus Master Enable concern memory requests only.
  if (!decision.by_address()) return std::nullopt;
  if (port.acs.translation_blocking && decision.tlp().address_type != AddressType::kUntranslated) {
    return decision.acs_violation(Reason::kTranslationBlocking, port.bdf);
  }
  if (!port.command.bus_master_enable) {
    return decision.refuse(Reason::kBusMasterDisabled, port.bdf);
  }
  return std::nullopt;
}

namespace {

bool is_direct_translated(const AcsControl& acs, const RouteDecision& decision) {
  return acs.direct_translated_p2p && decision.by_address() &&
         decision.tlp().address_type == AddressType::kTranslated;
}

}  // namespace

AcsPeer acs_request_to_peer(const AcsControl& acs, unsigned egress_port_number,
                            const RouteDecision& decision) {
  if (is_direct_translated(acs, decision)) return AcsPeer::kDirectTranslated;
  if (acs.p2p_egress_control) {
    if (!acs.egress_control_vector.test(egress_port_number)) return AcsPeer::kDirect;
    return acs.p2p_request_redirect ? AcsPeer::kEgressRedirect : AcsPeer::kBlock;
  }
  return acs.p2p_request_redirect ? AcsPeer::kRedirect : AcsPeer::kDirect;
}

AcsPeer acs_request_to_other_socket(const AcsControl& acs, const RouteDecision& decision) {
  if (is_direct_translated(acs, decision)) return AcsPeer::kDirectTranslated;
  return acs.p2p_request_redirect ? AcsPeer::kRedirect : AcsPeer::kDirect;
}

bool acs_redirects_completion(const AcsControl& acs, const RouteDecision& decision) {
  return acs.p2p_completion_redirect && !decision.tlp().relaxed_ordering;
}

}  // namespace peerfab::cfgspace
