// SPDX-License-Identifier: Apache-2.0
// Checks of receive buffers against the payload that arrives.
#include <fmt/format.h>

#include <algorithm>

#include "sim/pcie/spec.h"
#include "sim/topology/checks.h"

namespace peerfab::topology {
namespace {

constexpr std::string_view kPayload = "max_payload_size";

bool has(const DraftComponent& component, std::string_view parameter) {
  return component.values && component.model->parameters.find(parameter) != nullptr;
}

// A receiver advertises room for the largest TLP at least (PCIe r6.0, sec 2.6.1): with less, its
// link would stop for ever.
void check_buffers(CheckRun& run) {
  // The firmware sets one Max_Payload_Size for all: the least that anything supports.
  Bytes in_force(pcie::spec::kMaxMaxPayloadSize);
  run.for_components([&](const DraftComponent& component) {
    if (has(component, kPayload)) in_force = std::min(in_force, component.values->size(kPayload));
  });
  const std::uint64_t least = in_force.count() / pcie::spec::kCreditUnitBytes;
  run.for_components([&](DraftComponent& component) {
    for (const std::string_view name : {"posted_data_credits", "completion_data_credits"}) {
      if (!has(component, name)) continue;
      const auto credits = static_cast<std::uint64_t>(component.values->integer(name));
      if (credits == 0 || credits >= least) continue;
      const SourceLocation& where = component.values->where(name);
      run.report(component, where.line != 0 ? where : component.where,
                 fmt::format("'{}' has {} {}, too few for one TLP of {} B", shown(component.name),
                             credits, name, in_force.count()),
                 fmt::format("at least {}, or 0 for infinite", least));
    }
  });
}

}  // namespace

std::vector<Check> buffer_checks() {
  return {
      {{"credits-below-payload",
        Severity::kError,
        {"parameters", "cycle"},
        "A receive buffer holds a TLP of the largest payload that may arrive."},
       check_buffers},
  };
}

}  // namespace peerfab::topology
