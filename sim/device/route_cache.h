// SPDX-License-Identifier: Apache-2.0
// Keeps the verdicts of route() for one ingress of one hop, so that the decision is made once for
// a range of addresses and not for every TLP. Registers that are written make it forget.
#pragma once

#include <array>
#include <cstdint>

#include "sim/cfgspace/route.h"
#include "sim/engine/tlp.h"

namespace peerfab::device {

// The routing fields of a TLP in flight.
[[nodiscard]] inline cfgspace::RoutedTlp routed(const engine::Tlp& tlp) {
  cfgspace::RoutedTlp fields;
  fields.relaxed_ordering = (tlp.attributes & engine::Tlp::kRelaxedOrdering) != 0;
  fields.requester = Bdf(tlp.requester);
  if (tlp.flow_class == pcie::FlowClass::kCompletion) {
    fields.category = cfgspace::TlpCategory::kCompletion;
    fields.routing = cfgspace::Routing::kById;
    fields.destination = Bdf(tlp.requester);
  } else {
    fields.category = tlp.flow_class == pcie::FlowClass::kPosted
                          ? cfgspace::TlpCategory::kPosted
                          : cfgspace::TlpCategory::kNonPosted;
    fields.address = BusAddress(tlp.address);
    fields.length = Bytes(tlp.length);
  }
  return fields;
}

class RouteCache {
 public:
  // The verdict for a TLP. The reference holds until the next call.
  const cfgspace::Verdict& find(const engine::Tlp& tlp, const cfgspace::RoutingView& view) {
    const bool completion = tlp.flow_class == pcie::FlowClass::kCompletion;
    // Bridge windows have a granularity of 1 MiB (PCIe r6.0, sec 7.5.1.3.8).
    const std::uint64_t key = completion ? tlp.requester >> 3 : tlp.address >> 20;
    Entry& entry = entries_[static_cast<unsigned>(tlp.flow_class) * kSlots +
                            ((key ^ (key >> 6) ^ (key >> 13)) & (kSlots - 1))];
    const bool relaxed = (tlp.attributes & engine::Tlp::kRelaxedOrdering) != 0;
    if (entry.valid && entry.relaxed == relaxed && covers(entry.verdict, tlp, completion)) {
      return entry.verdict;
    }
    entry = {cfgspace::route(routed(tlp), view), true, relaxed};
    return entry.verdict;
  }

  void forget() {
    for (Entry& entry : entries_) entry.valid = false;
  }

 private:
  static constexpr std::size_t kSlots = 64;
  struct Entry {
    cfgspace::Verdict verdict;
    bool valid = false;
    bool relaxed = false;
  };

  static bool covers(const cfgspace::Verdict& verdict, const engine::Tlp& tlp, bool completion) {
    if (completion) return verdict.destinations.contains(Bdf(tlp.requester));
    return verdict.addresses.contains(BusAddress(tlp.address), Bytes(tlp.length)) &&
           verdict.requesters.contains(Bdf(tlp.requester));
  }

  std::array<Entry, kSlots * pcie::kFlowClassCount> entries_;
};

}  // namespace peerfab::device
