// SPDX-License-Identifier: Apache-2.0
// A root complex: memory, root ports, policies for peer-to-peer traffic, other sockets.
#include "tests/unit/cfgspace/fixtures.h"

namespace peerfab::cfgspace::testing {
namespace {

const Bdf kHost(0, 0, 0);
const Bdf kDevice0(0x11, 0, 0);
const Bdf kDevice1(0x21, 0, 0);
constexpr std::uint64_t kOwn = kHighMmio;          // behind root port 0
constexpr std::uint64_t kPeer = kHighMmio + kGiB;  // behind root port 1
constexpr std::uint64_t kOtherMmio = 512 * kGiB;

struct RootFixture {
  RootComplexRegisters hop = three_port_root();
  AcsControl& acs = hop.root_ports[0].acs;  // of the ingress port

  [[nodiscard]] Verdict up(const RoutedTlp& tlp) const {
    return route(tlp, {&hop, Ingress::port(0)});
  }
  [[nodiscard]] Verdict inside(const RoutedTlp& tlp) const {
    return route(tlp, {&hop, Ingress::internal()});
  }
  [[nodiscard]] Verdict from_socket(const RoutedTlp& tlp) const {
    return route(tlp, {&hop, Ingress::socket(1)});
  }
};

TEST_CASE_METHOD(RootFixture, "Requests to memory reach it from every side", "[cfgspace]") {
  const Verdict verdict = up(write_to(5 * kGiB, kDevice0));
  check(verdict, Action::kToHostMemory, Reason::kHostMemory);
  CHECK(verdict.addresses == range(4 * kGiB, 2 * kGiB));
  CHECK_FALSE(verdict.peer_to_peer);
  check(inside(read_from(0x1000, kHost)), Action::kToHostMemory, Reason::kHostMemory);
  check(from_socket(read_from(0x1000, kHost)), Action::kToHostMemory, Reason::kHostMemory);
  check(up(write_to(9 * kGiB, kDevice0)), Action::kToSocket, 1, Reason::kOtherSocketMemory);
  check(inside(write_to(9 * kGiB, kHost)), Action::kToSocket, 1, Reason::kOtherSocketMemory);
}

TEST_CASE_METHOD(RootFixture, "The host reaches devices by window, whatever the policy",
                 "[cfgspace]") {
  hop.p2p = P2pPolicy::kNoneUr;
  hop.other_sockets[0].p2p = P2pPolicy::kNoneUr;
  check(inside(read_from(kPeer, kHost)), Action::kToPort, 1, Reason::kWindow);
  check(inside(read_from(kOtherMmio, kHost)), Action::kToSocket, 1, Reason::kOtherSocketWindow);
  check(from_socket(read_from(kPeer, kHost)), Action::kToPort, 1, Reason::kWindow);
  hop.root_ports[1].command.memory_space_enable = false;
  const Verdict closed = inside(read_from(kPeer, kHost));
  check(closed, Action::kUnsupportedRequest, Reason::kMemorySpaceDisabled);
  CHECK(closed.decided_at == hop.root_ports[1].bdf);
}

TEST_CASE_METHOD(RootFixture, "An address of nobody is a UR, also from another socket",
                 "[cfgspace]") {
  const Verdict verdict = up(read_from(3 * kGiB, kDevice0));
  check(verdict, Action::kUnsupportedRequest, Reason::kNoWindow);
  CHECK(verdict.addresses == range(2 * kGiB, 2 * kGiB));
  check(inside(read_from(3 * kGiB, kHost)), Action::kUnsupportedRequest, Reason::kNoWindow);
  // It must not bounce between sockets.
  check(from_socket(read_from(kOtherMmio, kHost)), Action::kUnsupportedRequest, Reason::kNoWindow);
  check(from_socket(read_from(9 * kGiB, kHost)), Action::kUnsupportedRequest, Reason::kNoWindow);
  check(from_socket(completion_to(Bdf(0x81, 0, 0))), Action::kDropped, Reason::kNoBusRange);
}

TEST_CASE_METHOD(RootFixture, "Bus Master Enable off at a root port", "[cfgspace]") {
  hop.root_ports[0].command.bus_master_enable = false;
  const Verdict verdict = up(write_to(0x1000, kDevice0));
  check(verdict, Action::kUnsupportedRequest, Reason::kBusMasterDisabled);
  CHECK(verdict.decided_at == hop.root_ports[0].bdf);
  check(up(write_to(kPeer, kDevice0)), Action::kUnsupportedRequest, Reason::kBusMasterDisabled);
  check(up(completion_to(kHost)), Action::kToFunction, Reason::kOwnId);
  check(inside(write_to(kOwn, kHost)), Action::kToPort, 0, Reason::kWindow);
}

TEST_CASE_METHOD(RootFixture, "sec 1.3.1: peer to peer is the platform's policy", "[cfgspace]") {
  const RoutedTlp write = write_to(kPeer, kDevice0);
  const RoutedTlp read = read_from(kPeer, kDevice0);
  const RoutedTlp completion = completion_to(kDevice1);
  SECTION("full") {
    for (const RoutedTlp& tlp : {write, read, completion}) {
      const Verdict verdict = up(tlp);
      check(verdict, Action::kToPort, 1, Reason::kRootPeer);
      CHECK(verdict.peer_to_peer);
    }
  }
  SECTION("posted only") {
    hop.p2p = P2pPolicy::kPostedOnly;
    check(up(write), Action::kToPort, 1, Reason::kRootPeer);
    check(up(read), Action::kUnsupportedRequest, Reason::kP2pPostedOnly);
    check(up(completion), Action::kDropped, Reason::kP2pPostedOnly);
  }
  SECTION("none, with UR") {
    hop.p2p = P2pPolicy::kNoneUr;
    check(up(write), Action::kUnsupportedRequest, Reason::kNoP2p);
    check(up(read), Action::kUnsupportedRequest, Reason::kNoP2p);
    check(up(completion), Action::kDropped, Reason::kNoP2p);
    CHECK(up(read).decided_at == hop.root_ports[0].bdf);
    CHECK(up(read).peer_to_peer);
  }
  SECTION("none, with all ones") {
    hop.p2p = P2pPolicy::kNoneAllOnes;
    check(up(write), Action::kAllOnes, Reason::kNoP2pAllOnes);
    check(up(read), Action::kAllOnes, Reason::kNoP2pAllOnes);
    CHECK_FALSE(up(read).passes());
    check(up(completion), Action::kDropped, Reason::kNoP2p);
  }
  // Host memory is never a peer.
  check(up(write_to(0x1000, kDevice0)), Action::kToHostMemory, Reason::kHostMemory);
}

TEST_CASE_METHOD(RootFixture, "Between sockets another policy decides", "[cfgspace]") {
  hop.p2p = P2pPolicy::kNoneUr;
  const Verdict verdict = up(read_from(kOtherMmio, kDevice0));
  check(verdict, Action::kToSocket, 1, Reason::kRootPeer);
  CHECK(verdict.peer_to_peer);
  check(up(completion_to(Bdf(0x81, 0, 0))), Action::kToSocket, 1, Reason::kRootPeer);
  hop.other_sockets[0].p2p = P2pPolicy::kPostedOnly;
  check(up(write_to(kOtherMmio, kDevice0)), Action::kToSocket, 1, Reason::kRootPeer);
  check(up(read_from(kOtherMmio, kDevice0)), Action::kUnsupportedRequest, Reason::kP2pPostedOnly);
  check(up(completion_to(Bdf(0x81, 0, 0))), Action::kDropped, Reason::kP2pPostedOnly);
  // A completion to the other socket's host is not peer to peer.
  check(up(completion_to(Bdf(0x80, 0, 0))), Action::kToSocket, 1, Reason::kOtherSocketBus);
}

TEST_CASE_METHOD(RootFixture, "By ID: to the host, to a root port, to another socket",
                 "[cfgspace]") {
  check(up(completion_to(kHost)), Action::kToFunction, Reason::kOwnId);
  check(inside(completion_to(kDevice1)), Action::kToPort, 1, Reason::kBusRange);
  check(inside(completion_to(Bdf(0x85, 0, 0))), Action::kToSocket, 1, Reason::kOtherSocketBus);
  check(from_socket(completion_to(kDevice1)), Action::kToPort, 1, Reason::kBusRange);
  check(from_socket(completion_to(kHost)), Action::kToFunction, Reason::kOwnId);
  check(up(completion_to(Bdf(0x70, 0, 0))), Action::kDropped, Reason::kNoBusRange);
  check(inside(request_to_id(Bdf(0x70, 0, 0), kHost)), Action::kUnsupportedRequest,
        Reason::kNoBusRange);
  const Verdict port = inside(request_to_id(Bdf(0, 2, 0), kHost));
  check(port, Action::kToFunction, Reason::kOwnId);
  CHECK(port.decided_at == hop.root_ports[1].bdf);
}

TEST_CASE_METHOD(RootFixture, "Hairpin: back out of the root port it came in at", "[cfgspace]") {
  const RoutedTlp write = write_to(kOwn, kDevice0);
  SECTION("without Upstream Forwarding the specification says nothing") {
    const Verdict verdict = up(write);
    check(verdict, Action::kToPort, 0, Reason::kOwnEgress);
    CHECK(verdict.undefined_by_specification);
    CHECK(verdict.peer_to_peer);
    check(up(completion_to(kDevice0)), Action::kToPort, 0, Reason::kOwnEgress);
  }
  SECTION("with it the request is reflected or blocked") {
    acs.upstream_forwarding = true;
    const Verdict verdict = up(write);
    check(verdict, Action::kToPort, 0, Reason::kReflected);
    CHECK_FALSE(verdict.undefined_by_specification);
    CHECK(verdict.peer_to_peer);
    check(up(completion_to(kDevice0)), Action::kToPort, 0, Reason::kReflected);
    hop.reflects_redirected = false;
    check(up(write), Action::kCompleterAbort, Reason::kRedirectBlocked);
    // Completions come down without further access control.
    check(up(completion_to(kDevice0)), Action::kToPort, 0, Reason::kReflected);
  }
  SECTION("not allowed") {
    hop.hairpin = false;
    check(up(write), Action::kUnsupportedRequest, Reason::kNoHairpin);
    check(up(completion_to(kDevice0)), Action::kDropped, Reason::kNoHairpin);
    check(up(write_to(kPeer, kDevice0)), Action::kToPort, 1, Reason::kRootPeer);
  }
  SECTION("the policy holds for it too") {
    acs.upstream_forwarding = true;
    hop.p2p = P2pPolicy::kPostedOnly;
    check(up(write), Action::kToPort, 0, Reason::kReflected);
    check(up(read_from(kOwn, kDevice0)), Action::kUnsupportedRequest, Reason::kP2pPostedOnly);
    hop.p2p = P2pPolicy::kNoneUr;
    check(up(write), Action::kUnsupportedRequest, Reason::kNoP2p);
    hop.p2p = P2pPolicy::kNoneAllOnes;
    check(up(read_from(kOwn, kDevice0)), Action::kAllOnes, Reason::kNoP2pAllOnes);
  }
}

TEST_CASE_METHOD(RootFixture, "sec 6.12.1.1: ACS in a root port", "[cfgspace][acs]") {
  const RoutedTlp request = read_from(kPeer, kDevice0);
  SECTION("Source Validation and Translation Blocking hold for memory too") {
    acs.source_validation = true;
    check(up(write_to(0x1000, kDevice1)), Action::kCompleterAbort, Reason::kSourceValidation);
    check(up(write_to(0x1000, Bdf(0x1f, 0, 0))), Action::kToHostMemory, Reason::kHostMemory);
    acs.translation_blocking = true;
    check(up(translated(write_to(0x1000, kDevice0))), Action::kCompleterAbort,
          Reason::kTranslationBlocking);
  }
  SECTION("Request Redirect asks Redirected Request Validation") {
    acs.p2p_request_redirect = true;
    check(up(request), Action::kToPort, 1, Reason::kReflected);
    check(up(read_from(kOtherMmio, kDevice0)), Action::kToSocket, 1, Reason::kReflected);
    hop.reflects_redirected = false;
    check(up(request), Action::kCompleterAbort, Reason::kRedirectBlocked);
    check(up(read_from(kOtherMmio, kDevice0)), Action::kCompleterAbort, Reason::kRedirectBlocked);
    check(up(completion_to(kDevice1)), Action::kToPort, 1, Reason::kRootPeer);
    acs.direct_translated_p2p = true;
    check(up(translated(request)), Action::kToPort, 1, Reason::kDirectTranslated);
    hop.p2p = P2pPolicy::kNoneUr;
    check(up(translated(request)), Action::kUnsupportedRequest, Reason::kNoP2p);
  }
  SECTION("Egress Control is by the egress root port") {
    acs.p2p_egress_control = true;
    acs.egress_control_vector.set(hop.root_ports[1].port_number);
    const Verdict blocked = up(request);
    check(blocked, Action::kCompleterAbort, Reason::kEgressBlocked);
    CHECK(blocked.peer_to_peer);
    check(up(read_from(kHighMmio + 2 * kGiB, kDevice0)), Action::kToPort, 2, Reason::kRootPeer);
    acs.p2p_request_redirect = true;
    check(up(request), Action::kToPort, 1, Reason::kReflected);
  }
  SECTION("Completion Redirect changes order, not the way") {
    acs.p2p_completion_redirect = true;
    check(up(completion_to(kDevice1)), Action::kToPort, 1, Reason::kRootPeer);
  }
}

}  // namespace
}  // namespace peerfab::cfgspace::testing
