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

// Max_Payload_Size in force at an endpoint: the least that anything on its way to the root complex
// supports (PCIe r6.0, sec 7.5.3.4).
Bytes payload_in_force(const Draft& draft, const DraftComponent& endpoint) {
  Bytes least = endpoint.values->size(kPayload);
  const DraftComponent* at = &endpoint;
  // A way up that is longer than that goes in a circle, which another finding has said.
  for (std::size_t hops = 0; at->parent && hops < draft.components.size(); ++hops) {
    at = &draft.components[*at->parent];
    if (has(*at, kPayload)) least = std::min(least, at->values->size(kPayload));
  }
  return least;
}

// A receiver advertises room for the largest TLP at least (PCIe r6.0, sec 2.6.1): with less, its
// link would stop for ever.
void check_buffers(CheckRun& run) {
  const Draft& draft = run.draft();
  Bytes largest(pcie::spec::kMinMaxPayloadSize);
  run.for_devices([&](const DraftComponent& device) {
    if (device.model->role != device::ModelRole::kEndpoint || !has(device, kPayload)) return;
    largest = std::max(largest, payload_in_force(draft, device));
  });
  const std::uint64_t least = largest.count() / pcie::spec::kCreditUnitBytes;
  run.for_components([&](DraftComponent& component) {
    for (const std::string_view name : {"posted_data_credits", "completion_data_credits"}) {
      if (!has(component, name)) continue;
      const auto credits = static_cast<std::uint64_t>(component.values->integer(name));
      if (credits == 0 || credits >= least) continue;
      const SourceLocation& where = component.values->where(name);
      run.report(component, where.line != 0 ? where : component.where,
                 fmt::format("'{}' has {} {}, too few for one TLP of {} B", shown(component.name),
                             credits, name, largest.count()),
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
