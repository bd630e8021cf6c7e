// SPDX-License-Identifier: Apache-2.0
#include "sim/monitor/malformed_monitor.h"

#include <fmt/format.h>

#include "sim/engine/packet.h"
#include "sim/pcie/packet_text.h"
#include "sim/pcie/spec.h"

namespace peerfab::monitor {

using engine::CompletionStatus;
using engine::Tlp;
using pcie::TlpKind;

namespace {

// What is wrong with a TLP; none when nothing is.
struct Objection {
  std::string expected;
  std::string seen;
};
using Judgement = std::optional<Objection>;

bool has_payload(const Tlp& tlp) { return (tlp.flags & Tlp::kHasPayload) != 0; }
bool has_4dw(const Tlp& tlp) { return (tlp.flags & Tlp::kFourDw) != 0; }

// Fmt, Type and Length (sec 2.2.1, 2.2.2 and 2.2.4.1).
Judgement judge_form(const Tlp& tlp) {
  const pcie::TlpTraits& traits = pcie::traits(tlp.kind);
  if (tlp.flow_class != traits.flow) {
    return Objection{fmt::format("the flow control class of {}", traits.name), "another"};
  }
  if (has_payload(tlp) != traits.has_data) {
    return Objection{traits.has_data ? "a payload" : "no payload",
                     has_payload(tlp) ? "a payload" : "none"};
  }
  if (has_payload(tlp) && tlp.length == 0) return Objection{"a payload of at least 1 B", "0 B"};
  if (tlp.length > pcie::spec::kMaxPayloadBytes) {
    return Objection{fmt::format("a Length of at most {} B", pcie::spec::kMaxPayloadBytes),
                     fmt::format("{} B", tlp.length)};
  }
  const bool wants_4dw = pcie::has_4dw_header(tlp.kind, tlp.address);
  if (pcie::is_completion(tlp.kind) ? has_4dw(tlp) : has_4dw(tlp) != wants_4dw) {
    return Objection{fmt::format("a {} DW header", wants_4dw ? 4 : 3),
                     fmt::format("{} DW at {:#x}", has_4dw(tlp) ? 4 : 3, tlp.address)};
  }
  return std::nullopt;
}

// sec 2.2.9.1.
Judgement judge_completion(const Tlp& tlp) {
  const CompletionStatus status = tlp.status();
  switch (status) {
    case CompletionStatus::kSuccessful:
      break;
    case CompletionStatus::kUnsupportedRequest:
    case CompletionStatus::kConfigurationRequestRetry:
    case CompletionStatus::kCompleterAbort:
      if (has_payload(tlp)) return Objection{"no data with this status", "some"};
      break;
    default:
      return Objection{"a status of SC, UR, RRS or CA",
                       fmt::format("{}", static_cast<unsigned>(status))};
  }
  const unsigned byte_count = tlp.byte_count;
  if (byte_count == 0 || byte_count > pcie::spec::kMaxPayloadBytes) {
    return Objection{"a byte count of 1 to 4096", fmt::format("{}", byte_count)};
  }
  if (tlp.length > byte_count) {
    return Objection{fmt::format("at most the {} B of its byte count", byte_count),
                     fmt::format("{} B", tlp.length)};
  }
  return std::nullopt;
}

// sec 2.2.7: operands of 4, 8 or, for CAS, 16 B, aligned to their size.
Judgement judge_atomic(const Tlp& tlp) {
  const bool compares = tlp.kind == TlpKind::kCompareSwap;
  const unsigned operand = compares ? tlp.length / 2U : tlp.length;
  const bool size_is_legal = (operand == 4 || operand == 8 || (compares && operand == 16)) &&
                             tlp.length == operand * (compares ? 2U : 1U);
  if (!size_is_legal) {
    return Objection{"an operand of 4 or 8 B, or 16 B of CAS", fmt::format("{} B", operand)};
  }
  if (tlp.address % operand != 0) {
    return Objection{fmt::format("an address that is a multiple of {}", operand),
                     fmt::format("{:#x}", tlp.address)};
  }
  return std::nullopt;
}

bool is_atomic(TlpKind kind) {
  return kind == TlpKind::kFetchAdd || kind == TlpKind::kSwap || kind == TlpKind::kCompareSwap;
}

Judgement judge(const Tlp& tlp, std::uint32_t tag_values) {
  if (Judgement form = judge_form(tlp); form.has_value()) return form;
  constexpr unsigned kAttributes = Tlp::kNoSnoop | Tlp::kRelaxedOrdering | Tlp::kIdOrdering;
  if ((tlp.attributes & ~kAttributes) != 0) {
    return Objection{"three attributes", fmt::format("{:#x}", tlp.attributes)};
  }
  if (!pcie::is_posted(tlp.kind) && tlp.tag >= tag_values) {
    return Objection{fmt::format("a tag below {}", tag_values), fmt::format("{:#x}", tlp.tag)};
  }
  if (pcie::is_completion(tlp.kind)) return judge_completion(tlp);
  if (is_atomic(tlp.kind)) return judge_atomic(tlp);
  return std::nullopt;
}

}  // namespace

void MalformedMonitor::sent(const Tlp& tlp, Picoseconds starts) {
  pen_.checked();
  const Judgement objection = judge(tlp, tag_values_);
  if (!objection.has_value()) return;
  pen_.violated(starts, pcie::to_text(engine::header_of(tlp)), objection->expected,
                objection->seen);
}

}  // namespace peerfab::monitor
