// SPDX-License-Identifier: Apache-2.0
// The one routing decision: a pure function of a TLP's routing fields and of the registers of one
// hop. The hop, the path explanation and the tests all use it. A hop may keep a verdict for as long
// as the registers stay as they are, for all TLPs that the verdict's ranges cover.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/cfgspace/address_range.h"
#include "sim/cfgspace/port_registers.h"

namespace peerfab::cfgspace {

enum class TlpCategory : std::uint8_t { kPosted, kNonPosted, kCompletion };
// Memory requests are routed by address; completions, configuration requests and some messages by
// ID (PCIe r6.0, sec 2.2.4.1 and 2.2.4.2). A completion is always routed by ID.
enum class Routing : std::uint8_t { kByAddress, kById };
// The AT field of a memory request (PCIe r6.0, sec 10.2.1).
enum class AddressType : std::uint8_t { kUntranslated, kTranslationRequest, kTranslated };

struct RoutedTlp {
  TlpCategory category = TlpCategory::kPosted;
  Routing routing = Routing::kByAddress;
  BusAddress address;  // by address: first byte
  Bytes length;        // by address: zero counts as one byte
  Bdf requester;       // of a request
  Bdf destination;     // by ID: for a completion, the requester it returns to
  AddressType address_type = AddressType::kUntranslated;
  bool relaxed_ordering = false;
};

// Where the TLP came into the hop. kInternal: from the hop itself, that is from the host's cores
// and memory in a root complex, from the function itself in an endpoint.
struct Ingress {
  enum class Kind : std::uint8_t { kInternal, kUpstream, kPort, kSocket };
  Kind kind = Kind::kInternal;
  unsigned index = 0;  // kPort: index into root_ports or downstream; kSocket: OtherSocket::socket

  [[nodiscard]] static constexpr Ingress internal() { return {Kind::kInternal, 0}; }
  [[nodiscard]] static constexpr Ingress upstream() { return {Kind::kUpstream, 0}; }
  [[nodiscard]] static constexpr Ingress port(unsigned index) { return {Kind::kPort, index}; }
  [[nodiscard]] static constexpr Ingress socket(unsigned index) { return {Kind::kSocket, index}; }
  bool operator==(const Ingress&) const = default;
};

// One hop as route() sees it; the pointer must not be null. The last alternative is an endpoint.
// A switch's ingress is kUpstream or kPort, a root complex's kInternal, kPort or kSocket, an
// endpoint's kInternal or kUpstream.
struct RoutingView {
  std::variant<const SwitchRegisters*, const RootComplexRegisters*, const PortRegisters*> hop;
  Ingress ingress;
};

enum class Action : std::uint8_t {
  kToPort,              // out of root_ports[index] or downstream[index]
  kToUpstream,          // out of the switch's or endpoint's upstream port
  kToHostMemory,        // the root complex's own memory
  kToBar,               // the endpoint's BAR with this register index
  kToSocket,            // over the inter-socket link to root complex `index`
  kToFunction,          // by ID: arrived; in a root complex, at the host itself
  kUnsupportedRequest,  // non-posted: completion with UR; posted: discarded; logged in both cases
  kCompleterAbort,      // ACS Violation; non-posted: completion with CA (PCIe r6.0, sec 6.12.5)
  kAllOnes,             // non-posted: successful completion with all bits set; posted: discarded
  kDropped,             // a completion that nobody expects: discarded and logged
  kNotIssued,           // the endpoint must not send it
};

// Why. Each has a sentence and a section of the specification.
enum class Reason : std::uint8_t {
  // Passed on.
  kWindow,             // a bridge window below contains the address
  kBusRange,           // the bus range of a port below contains the destination
  kTowardsRoot,        // nothing below this hop claims it
  kHostMemory,         //
  kOtherSocketMemory,  // host memory of another socket
  kOtherSocketWindow,  // a device of another socket
  kOtherSocketBus,     // by ID: another socket
  kBar,                //
  kOwnId,              //
  kIssued,             // the endpoint's own TLP
  kPeerPort,           // directly between two ports of this switch
  kDirectTranslated,   // the same, by ACS Direct Translated P2P
  kRootPeer,           // the root complex routes peer to peer
  kRequestRedirect,    // ACS P2P Request Redirect
  kCompletionRedirect,
  kEgressRedirect,      // ACS P2P Egress Control together with Request Redirect
  kUpstreamForwarding,  // ACS Upstream Forwarding
  kReflected,           // redirected by ACS to the root complex, which sends it down again
  kOwnEgress,           // from below to below the same port, not defined: the policy lets it pass
  // Refused.
  kNoWindow,
  kNoBar,
  kNoBusRange,
  kOtherId,  // arrived at an endpoint, but the ID is another function's
  kMemorySpaceDisabled,
  kBusMasterDisabled,
  kSourceValidation,
  kTranslationBlocking,
  kEgressBlocked,
  kRedirectBlocked,   // Redirected Request Validation in the root complex
  kOwnEgressRefused,  // from below to below the same port, not defined: the policy refuses it
  kNoP2p,
  kNoP2pAllOnes,
  kP2pPostedOnly,
  kNoHairpin,
  kCrossesBoundary,  // begins inside a range and ends outside it
};

// The reason in a sentence without its end: "no window contains the address".
[[nodiscard]] std::string_view text(Reason reason);
// "PCIe r6.0, sec 2.2.4.1"; empty where the specification leaves the matter to the platform.
[[nodiscard]] std::string_view section(Reason reason);

struct Verdict {
  Action action = Action::kUnsupportedRequest;
  unsigned index = 0;  // of the action: port, BAR register or socket
  Reason reason = Reason::kNoWindow;
  Bdf decided_at;  // the function whose registers decided
  // Between two devices, and turned round in this hop: passed on to a peer or refused as one. A
  // root complex says so where the TLP enters it from a root port.
  bool peer_to_peer = false;
  bool undefined_by_specification = false;
  // The verdict is the same for every TLP with the same category, routing, AT and RO from the same
  // ingress whose bytes all lie in `addresses`, whose requester lies in `requesters` and whose
  // destination lies in `destinations`. An empty `addresses`: hold it for no other TLP.
  AddressRange addresses = AddressRange::all();
  IdRange requesters = IdRange::all();
  IdRange destinations = IdRange::all();

  // Whether the TLP goes on or has arrived.
  [[nodiscard]] bool passes() const { return action <= Action::kToFunction; }
};

[[nodiscard]] Verdict route(const RoutedTlp& tlp, const RoutingView& view);

// For people: "Unsupported Request: Bus Master Enable is off at 02:00.0 (PCIe r6.0,
// sec 7.5.1.1.3)".
[[nodiscard]] std::string describe(const Verdict& verdict);
// "02:00.0"
[[nodiscard]] std::string format_bdf(Bdf bdf);

}  // namespace peerfab::cfgspace
