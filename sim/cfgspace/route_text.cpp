// SPDX-License-Identifier: Apache-2.0
// Routing verdicts in words.
#include <array>
#include <cstdio>

#include "sim/cfgspace/route.h"

namespace peerfab::cfgspace {
namespace {

struct ReasonText {
  std::string_view text;
  std::string_view section;
};

constexpr std::string_view kAddressRouting = "PCIe r6.0, sec 2.2.4.1";
constexpr std::string_view kIdRouting = "PCIe r6.0, sec 2.2.4.2";
constexpr std::string_view kRequestHandling = "PCIe r6.0, sec 2.3.1";
constexpr std::string_view kCompletionHandling = "PCIe r6.0, sec 2.3.2";
constexpr std::string_view kRootComplex = "PCIe r6.0, sec 1.3.1";
constexpr std::string_view kAcsDownstreamPorts = "PCIe r6.0, sec 6.12.1.1";
constexpr std::string_view kAcsInteractions = "PCIe r6.0, sec 6.12.3, Table 6-11";
constexpr std::string_view kCommandRegister = "PCIe r6.0, sec 7.5.1.1.3";
constexpr std::string_view kBaseAddressRegisters = "PCIe r6.0, sec 7.5.1.2.1";

ReasonText look_up(Reason reason) {
  switch (reason) {
    case Reason::kWindow:
      return {"a bridge window contains the address", kAddressRouting};
    case Reason::kBusRange:
      return {"the bus range of a port contains the destination ID", kIdRouting};
    case Reason::kTowardsRoot:
      return {"nothing below claims it, so it goes towards the root complex", kAddressRouting};
    case Reason::kHostMemory:
      return {"the address is host memory", kRootComplex};
    case Reason::kOtherSocketMemory:
      return {"the address is host memory of another socket", {}};
    case Reason::kOtherSocketWindow:
      return {"the address belongs to a device of another socket", {}};
    case Reason::kOtherSocketBus:
      return {"the destination ID belongs to another socket", {}};
    case Reason::kBar:
      return {"a BAR contains the address", kBaseAddressRegisters};
    case Reason::kOwnId:
      return {"the ID names this function", kIdRouting};
    case Reason::kIssued:
      return {"the function sends it", kRequestHandling};
    case Reason::kPeerPort:
      return {"a peer port of the same switch claims it", "PCIe r6.0, sec 1.3.3"};
    case Reason::kDirectTranslated:
      return {"ACS Direct Translated P2P lets the translated request go to the peer",
              kAcsInteractions};
    case Reason::kRootPeer:
      return {"the root complex routes peer to peer", kRootComplex};
    case Reason::kRequestRedirect:
      return {"ACS P2P Request Redirect sends it up", kAcsInteractions};
    case Reason::kCompletionRedirect:
      return {"ACS P2P Completion Redirect sends it up", kAcsDownstreamPorts};
    case Reason::kEgressRedirect:
      return {"ACS P2P Egress Control with Request Redirect sends it up", kAcsInteractions};
    case Reason::kUpstreamForwarding:
      return {"ACS Upstream Forwarding sends it up", kAcsDownstreamPorts};
    case Reason::kReflected:
      return {"redirected by ACS, the root complex reflects it", kAcsDownstreamPorts};
    case Reason::kOwnEgress:
      return {
          "it targets the port it came from and ACS Upstream Forwarding is off; the platform "
          "lets it pass",
          kAcsDownstreamPorts};
    case Reason::kNoWindow:
      return {"no window contains the address", kRequestHandling};
    case Reason::kNoBar:
      return {"no BAR contains the address", kRequestHandling};
    case Reason::kNoBusRange:
      return {"no bus range contains the destination ID", kIdRouting};
    case Reason::kOtherId:
      return {"the destination ID is not this function's", kCompletionHandling};
    case Reason::kMemorySpaceDisabled:
      return {"Memory Space Enable is off", kCommandRegister};
    case Reason::kBusMasterDisabled:
      return {"Bus Master Enable is off", kCommandRegister};
    case Reason::kSourceValidation:
      return {"ACS Source Validation: the requester's bus is not behind the port",
              kAcsDownstreamPorts};
    case Reason::kTranslationBlocking:
      return {"ACS Translation Blocking: the address type is not untranslated",
              kAcsDownstreamPorts};
    case Reason::kEgressBlocked:
      return {"ACS P2P Egress Control blocks the egress port", kAcsInteractions};
    case Reason::kRedirectBlocked:
      return {"the root complex does not reflect what ACS redirects", kAcsDownstreamPorts};
    case Reason::kOwnEgressRefused:
      return {
          "it targets the port it came from and ACS Upstream Forwarding is off; the switch "
          "refuses it",
          kAcsDownstreamPorts};
    case Reason::kNoP2p:
      return {"the root complex does no peer to peer", kRootComplex};
    case Reason::kNoP2pAllOnes:
      return {"the root complex does no peer to peer: reads return all ones, writes vanish",
              kRootComplex};
    case Reason::kP2pPostedOnly:
      return {"the root complex routes only posted requests peer to peer", kRootComplex};
    case Reason::kNoHairpin:
      return {"the root complex sends nothing back out of the root port it came from",
              kRootComplex};
    case Reason::kCrossesBoundary:
      return {"it begins inside a range and ends outside it", kRequestHandling};
  }
  return {};
}

std::string action_text(const Verdict& verdict) {
  const std::string index = std::to_string(verdict.index);
  switch (verdict.action) {
    case Action::kToPort:
      return "to port " + index;
    case Action::kToUpstream:
      return "upstream";
    case Action::kToHostMemory:
      return "to host memory";
    case Action::kToBar:
      return "to BAR" + index;
    case Action::kToSocket:
      return "to socket " + index;
    case Action::kToFunction:
      return "arrived";
    case Action::kUnsupportedRequest:
      return "Unsupported Request";
    case Action::kCompleterAbort:
      return "ACS Violation";
    case Action::kAllOnes:
      return "answered by the platform";
    case Action::kDropped:
      return "dropped";
    case Action::kNotIssued:
      return "not issued";
  }
  return {};
}

}  // namespace

std::string_view text(Reason reason) { return look_up(reason).text; }

std::string_view section(Reason reason) { return look_up(reason).section; }

std::string describe(const Verdict& verdict) {
  std::string result = action_text(verdict) + " at " + format_bdf(verdict.decided_at) + ": ";
  result += text(verdict.reason);
  if (verdict.undefined_by_specification) result += "; the specification leaves this undefined";
  if (const std::string_view where = section(verdict.reason); !where.empty()) {
    result += " (";
    result += where;
    result += ")";
  }
  return result;
}

std::string format_bdf(Bdf bdf) {
  std::array<char, 8> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%02x:%02x.%u", unsigned{bdf.bus()},
                unsigned{bdf.device()}, unsigned{bdf.function()});
  return buffer.data();
}

}  // namespace peerfab::cfgspace
