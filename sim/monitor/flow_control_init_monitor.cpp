// SPDX-License-Identifier: Apache-2.0
#include "sim/monitor/flow_control_init_monitor.h"

#include <fmt/format.h>

#include <bit>
#include <string>

#include "sim/engine/packet.h"
#include "sim/pcie/packet_text.h"
#include "sim/pcie/spec.h"

namespace peerfab::monitor {

using engine::LinkState;
using pcie::CreditType;
using pcie::DllpKind;

namespace {

constexpr const char* kTypeNames[] = {"PH", "PD", "NPH", "NPD", "CplH", "CplD"};

const char* state_name(LinkState state) {
  switch (state) {
    case LinkState::kDown:
      return "DL_Inactive";
    case LinkState::kTraining:
      return "training";
    case LinkState::kInit:
      return "DL_Init";
    case LinkState::kUp:
      return "DL_Active";
    case LinkState::kRecovery:
      return "Recovery";
  }
  return "";
}

std::uint32_t advertised_credits(const engine::ReceiveBuffer& buffer, CreditType type) {
  const auto& flow = buffer.classes[static_cast<unsigned>(type) / 2];
  return pcie::is_data(type) ? flow.data : flow.headers;
}

// Non-posted data is at most one operand of an AtomicOp with a 64-bit operand; more only where the
// receiver takes 128-bit CAS or DMWr (sec 2.6.1), which shows nowhere here.
std::uint32_t limit_of(CreditType type, std::uint32_t payload_limit) {
  return type == CreditType::kNonPostedData ? pcie::spec::kCreditUnitBytes : payload_limit;
}

}  // namespace

void FlowControlInitMonitor::check_advertisement(std::uint32_t payload_limit) {
  for (unsigned i = 0; i < pcie::kCreditTypeCount; ++i) {
    const auto type = static_cast<CreditType>(i);
    const std::uint32_t credits = advertised_credits(advertised_, type);
    const std::uint32_t limit = limit_of(type, payload_limit);
    pen_.checked();
    if (pcie::is_valid_advertisement(type, credits, limit)) continue;
    pen_.violated(
        Picoseconds(), fmt::format("advertisement of {}", kTypeNames[i]),
        fmt::format("{} to {} credits, or 0 for infinite", pcie::min_initial_credits(type, limit),
                    pcie::max_outstanding_credits(type, pcie::CreditScale::kNone)),
        std::to_string(credits));
  }
}

void FlowControlInitMonitor::state_changed(LinkState state, Picoseconds now) {
  const bool was_init = state_ == LinkState::kInit;
  state_ = state;
  if (state == LinkState::kInit || state == LinkState::kDown || state == LinkState::kTraining) {
    init1_ = {};
    init2_ = {};
    told_ = 0;
    return;
  }
  if (state != LinkState::kUp || !was_init) return;
  pen_.checked();
  if (init1_.complete != 0 && init2_.complete != 0) return;
  pen_.violated(
      now, "DL_Active", "InitFC1 and InitFC2 of all classes before it",
      fmt::format("{} sets of InitFC1 and {} of InitFC2", init1_.complete, init2_.complete));
}

void FlowControlInitMonitor::tlp_sent(const engine::Tlp& tlp, Picoseconds starts) {
  if (!state_.has_value()) return;
  pen_.checked();
  if (*state_ == LinkState::kUp) return;
  pen_.violated(starts, pcie::to_text(engine::header_of(tlp)), "no TLP before DL_Active",
                fmt::format("one in {}", state_name(*state_)));
}

// The value has to be that of the receive buffer, in each DLLP of both phases.
void FlowControlInitMonitor::check_credits(const pcie::Dllp& dllp, Picoseconds starts) {
  const auto& buffer = advertised_.classes[static_cast<unsigned>(dllp.flow_class)];
  const std::uint32_t headers = dllp.header_credits * pcie::scale_factor(dllp.header_scale);
  const std::uint32_t data = dllp.data_credits * pcie::scale_factor(dllp.data_scale);
  if (headers == buffer.headers && data == buffer.data) return;
  pen_.violated(starts, pcie::to_text(dllp),
                fmt::format("{} header and {} data credits", buffer.headers, buffer.data),
                fmt::format("{} and {}", headers, data));
}

void FlowControlInitMonitor::check_init(const pcie::Dllp& dllp, const FlowControlInitMonitor& other,
                                        Picoseconds starts) {
  if (state_.has_value() && *state_ != LinkState::kInit &&
      (*state_ != LinkState::kUp || dllp.kind == DllpKind::kInitFc1)) {
    pen_.violated(starts, pcie::to_text(dllp), "it in DL_Init", state_name(*state_));
    return;
  }
  const bool first_phase = dllp.kind == DllpKind::kInitFc1;
  if (!first_phase && (init1_.complete == 0 || other.told_ != kAllClasses)) {
    pen_.violated(starts, pcie::to_text(dllp), "InitFC1 of all classes from both ends before it",
                  fmt::format("{} sets sent, and {} of {} classes received", init1_.complete,
                              std::popcount(other.told_), pcie::kFlowClassCount));
    return;
  }
  Sets& sets = first_phase ? init1_ : init2_;
  const auto flow = static_cast<unsigned>(dllp.flow_class);
  if (flow != sets.next) {
    static constexpr const char* kClassNames[] = {"P", "NP", "Cpl"};
    pen_.violated(starts, pcie::to_text(dllp), fmt::format("class {} next", kClassNames[sets.next]),
                  kClassNames[flow]);
    return;
  }
  sets.next = (flow + 1) % pcie::kFlowClassCount;
  if (sets.next == 0) ++sets.complete;
  check_credits(dllp, starts);
}

void FlowControlInitMonitor::check_update(const pcie::Dllp& dllp, Picoseconds starts) {
  if (state_.has_value() && *state_ != LinkState::kUp && init2_.complete == 0) {
    pen_.violated(starts, pcie::to_text(dllp), "it after initialisation", state_name(*state_));
    return;
  }
  // What was advertised as infinite stays zero (sec 3.4.2).
  const auto& buffer = advertised_.classes[static_cast<unsigned>(dllp.flow_class)];
  if ((buffer.headers == 0 && dllp.header_credits != 0) ||
      (buffer.data == 0 && dllp.data_credits != 0)) {
    pen_.violated(starts, pcie::to_text(dllp), "0 for what was advertised as infinite",
                  fmt::format("{} and {}", dllp.header_credits, dllp.data_credits));
  }
}

void FlowControlInitMonitor::dllp_sent(const pcie::Dllp& dllp, bool damaged,
                                       const FlowControlInitMonitor& other, Picoseconds starts) {
  switch (dllp.kind) {
    case DllpKind::kInitFc1:
    case DllpKind::kInitFc2:
      pen_.checked();
      check_init(dllp, other, starts);
      if (!damaged) {
        told_ |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(dllp.flow_class));
      }
      break;
    case DllpKind::kUpdateFc:
      pen_.checked();
      check_update(dllp, starts);
      break;
    default:
      break;
  }
}

}  // namespace peerfab::monitor
