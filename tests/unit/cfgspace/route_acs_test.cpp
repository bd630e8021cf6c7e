// SPDX-License-Identifier: Apache-2.0
// Access Control Services in a switch's downstream ports (PCIe r6.0, sec 6.12).
#include "tests/unit/cfgspace/fixtures.h"

namespace peerfab::cfgspace::testing {
namespace {

const Bdf kHost(0, 0, 0);
const Bdf kDevice0(3, 0, 0);
const Bdf kDevice1(4, 0, 0);
constexpr std::uint64_t kPeer = kHighMmio + kGiB;  // behind port 1
constexpr std::uint64_t kMemory = 0x1000;

struct AcsFixture {
  SwitchRegisters hop = three_port_switch();
  AcsControl& acs = hop.downstream[0].acs;  // of the ingress port

  [[nodiscard]] Verdict up(const RoutedTlp& tlp) const {
    return route(tlp, {&hop, Ingress::port(0)});
  }
  [[nodiscard]] Verdict down(const RoutedTlp& tlp) const {
    return route(tlp, {&hop, Ingress::upstream()});
  }
};

TEST_CASE_METHOD(AcsFixture, "sec 6.12.1.1: Source Validation compares the requester's bus",
                 "[cfgspace][acs]") {
  const RoutedTlp forged = write_to(kMemory, Bdf(4, 0, 0));
  check(up(forged), Action::kToUpstream, Reason::kTowardsRoot);
  acs.source_validation = true;
  const Verdict blocked = up(forged);
  check(blocked, Action::kCompleterAbort, Reason::kSourceValidation);
  CHECK(blocked.decided_at == hop.downstream[0].bdf);
  CHECK_FALSE(blocked.requesters.contains(kDevice0));
  const Verdict good = up(write_to(kMemory, Bdf(3, 31, 7)));
  check(good, Action::kToUpstream, Reason::kTowardsRoot);
  CHECK(good.requesters == IdRange::of_buses(3, 3));
  // Requests by ID too; never completions.
  check(up(request_to_id(kHost, Bdf(9, 0, 0))), Action::kCompleterAbort, Reason::kSourceValidation);
  check(up(completion_to(kHost)), Action::kToUpstream, Reason::kTowardsRoot);
  // Of several errors the ACS Violation is the one to report (sec 6.2.3.2.3).
  hop.downstream[0].command.bus_master_enable = false;
  check(up(forged), Action::kCompleterAbort, Reason::kSourceValidation);
}

TEST_CASE_METHOD(AcsFixture, "sec 6.12.1.1: Translation Blocking stops what is not untranslated",
                 "[cfgspace][acs]") {
  acs.translation_blocking = true;
  check(up(write_to(kMemory, kDevice0)), Action::kToUpstream, Reason::kTowardsRoot);
  check(up(translated(write_to(kMemory, kDevice0))), Action::kCompleterAbort,
        Reason::kTranslationBlocking);
  RoutedTlp translation_request = read_from(kMemory, kDevice0);
  translation_request.address_type = AddressType::kTranslationRequest;
  check(up(translation_request), Action::kCompleterAbort, Reason::kTranslationBlocking);
  // It takes precedence over the peer-to-peer controls and over Upstream Forwarding.
  acs.direct_translated_p2p = acs.p2p_request_redirect = acs.upstream_forwarding = true;
  check(up(translated(write_to(kPeer, kDevice0))), Action::kCompleterAbort,
        Reason::kTranslationBlocking);
  check(up(translated(write_to(kHighMmio, kDevice0))), Action::kCompleterAbort,
        Reason::kTranslationBlocking);
  check(up(completion_to(kHost)), Action::kToUpstream, Reason::kTowardsRoot);
}

TEST_CASE_METHOD(AcsFixture, "sec 6.12.1.1: P2P Request Redirect sends peer requests up",
                 "[cfgspace][acs]") {
  acs.p2p_request_redirect = true;
  const Verdict verdict = up(write_to(kPeer, kDevice0));
  check(verdict, Action::kToUpstream, Reason::kRequestRedirect);
  CHECK_FALSE(verdict.peer_to_peer);
  CHECK(verdict.decided_at == hop.downstream[0].bdf);
  check(up(read_from(kPeer, kDevice0)), Action::kToUpstream, Reason::kRequestRedirect);
  check(up(translated(read_from(kPeer, kDevice0))), Action::kToUpstream, Reason::kRequestRedirect);
  check(up(request_to_id(kDevice1, kDevice0)), Action::kToUpstream, Reason::kRequestRedirect);
  // Not completions, not memory requests to the host, not what travels downstream, and not
  // requests of another port.
  check(up(completion_to(kDevice1)), Action::kToPort, 1, Reason::kPeerPort);
  check(up(write_to(kMemory, kDevice0)), Action::kToUpstream, Reason::kTowardsRoot);
  check(down(write_to(kHighMmio, kHost)), Action::kToPort, 0, Reason::kWindow);
  check(route(write_to(kHighMmio, kDevice1), {&hop, Ingress::port(1)}), Action::kToPort, 0,
        Reason::kPeerPort);
  // The way up is the upstream port's to allow.
  hop.upstream.command.bus_master_enable = false;
  check(up(write_to(kPeer, kDevice0)), Action::kUnsupportedRequest, Reason::kBusMasterDisabled);
}

TEST_CASE_METHOD(AcsFixture, "sec 6.12.1.1: P2P Completion Redirect spares relaxed ordering",
                 "[cfgspace][acs]") {
  acs.p2p_completion_redirect = true;
  check(up(completion_to(kDevice1, false)), Action::kToUpstream, Reason::kCompletionRedirect);
  check(up(completion_to(kDevice1, true)), Action::kToPort, 1, Reason::kPeerPort);
  check(up(completion_to(kHost, false)), Action::kToUpstream, Reason::kTowardsRoot);
  // Requests are never affected, nor completions that travel downstream.
  check(up(write_to(kPeer, kDevice0)), Action::kToPort, 1, Reason::kPeerPort);
  check(down(completion_to(kDevice0)), Action::kToPort, 0, Reason::kBusRange);
  // Completions pass without Bus Master Enable.
  hop.upstream.command.bus_master_enable = false;
  check(up(completion_to(kDevice1, false)), Action::kToUpstream, Reason::kCompletionRedirect);
}

TEST_CASE_METHOD(AcsFixture, "sec 6.12.1.1: Upstream Forwarding takes a redirected TLP further up",
                 "[cfgspace][acs]") {
  const RoutedTlp redirected_below = write_to(kHighMmio, kDevice0);
  CHECK(up(redirected_below).undefined_by_specification);
  acs.upstream_forwarding = true;
  const Verdict verdict = up(redirected_below);
  check(verdict, Action::kToUpstream, Reason::kUpstreamForwarding);
  CHECK_FALSE(verdict.undefined_by_specification);
  check(up(completion_to(kDevice0)), Action::kToUpstream, Reason::kUpstreamForwarding);
  check(up(completion_to(kDevice0, true)), Action::kToUpstream, Reason::kUpstreamForwarding);
  // It does not redirect towards peers.
  check(up(write_to(kPeer, kDevice0)), Action::kToPort, 1, Reason::kPeerPort);
}

TEST_CASE_METHOD(AcsFixture, "Table 6-11: Egress Control and Request Redirect together",
                 "[cfgspace][acs]") {
  const RoutedTlp request = read_from(kPeer, kDevice0);
  const unsigned egress_number = hop.downstream[1].port_number;
  const auto with = [&](bool egress_control, bool redirect, bool vector_bit) {
    acs.p2p_egress_control = egress_control;
    acs.p2p_request_redirect = redirect;
    acs.egress_control_vector.reset();
    acs.egress_control_vector.set(egress_number, vector_bit);
    acs.egress_control_vector.set(hop.downstream[2].port_number, !vector_bit);
    return up(request);
  };
  check(with(false, false, false), Action::kToPort, 1, Reason::kPeerPort);
  check(with(false, false, true), Action::kToPort, 1, Reason::kPeerPort);
  check(with(false, true, false), Action::kToUpstream, Reason::kRequestRedirect);
  check(with(false, true, true), Action::kToUpstream, Reason::kRequestRedirect);
  check(with(true, false, true), Action::kCompleterAbort, Reason::kEgressBlocked);
  check(with(true, false, false), Action::kToPort, 1, Reason::kPeerPort);
  check(with(true, true, true), Action::kToUpstream, Reason::kEgressRedirect);
  check(with(true, true, false), Action::kToPort, 1, Reason::kPeerPort);
  // Completions are never affected, requests by ID are.
  (void)with(true, false, true);
  check(up(completion_to(kDevice1)), Action::kToPort, 1, Reason::kPeerPort);
  check(up(request_to_id(kDevice1, kDevice0)), Action::kCompleterAbort, Reason::kEgressBlocked);
}

TEST_CASE_METHOD(AcsFixture, "sec 6.12.3: Direct Translated P2P overrides redirect and egress",
                 "[cfgspace][acs]") {
  acs.direct_translated_p2p = true;
  acs.p2p_request_redirect = true;
  const RoutedTlp plain = read_from(kPeer, kDevice0);
  const Verdict direct = up(translated(plain));
  check(direct, Action::kToPort, 1, Reason::kDirectTranslated);
  CHECK(direct.peer_to_peer);
  check(up(plain), Action::kToUpstream, Reason::kRequestRedirect);
  acs.p2p_request_redirect = false;
  acs.p2p_egress_control = true;
  acs.egress_control_vector.set();
  check(up(translated(plain)), Action::kToPort, 1, Reason::kDirectTranslated);
  check(up(plain), Action::kCompleterAbort, Reason::kEgressBlocked);
  // The AT field of a request by ID has no meaning.
  check(up(translated(request_to_id(kDevice1, kDevice0))), Action::kCompleterAbort,
        Reason::kEgressBlocked);
}

TEST_CASE_METHOD(AcsFixture, "ACS controls of the egress port change nothing", "[cfgspace][acs]") {
  hop.downstream[1].acs.set_from_register(0x7f);
  hop.downstream[1].acs.egress_control_vector.set();
  check(up(write_to(kPeer, kDevice0)), Action::kToPort, 1, Reason::kPeerPort);
  check(up(completion_to(kDevice1)), Action::kToPort, 1, Reason::kPeerPort);
}

}  // namespace
}  // namespace peerfab::cfgspace::testing
