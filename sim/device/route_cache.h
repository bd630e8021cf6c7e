// SPDX-License-Identifier: Apache-2.0
// Keeps the verdicts of route() for one ingress of one hop, so that the decision is made once for
// a range of addresses and not for every TLP. Registers that are written make it forget.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/cfgspace/route.h"
#include "sim/engine/tlp.h"

namespace peerfab::device {

// The routing fields of a TLP in flight.
[[nodiscard]] inline cfgspace::RoutedTlp routed(const engine::Tlp& tlp) {
  cfgspace::RoutedTlp fields;
  fields.relaxed_ordering = tlp.relaxed_ordering();
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

// What a hop does with a TLP, as far as it is worth keeping.
struct HopDecision {
  cfgspace::Action action = cfgspace::Action::kUnsupportedRequest;
  std::uint8_t index = 0;
  bool peer_to_peer = false;
};

class RouteCache {
 public:
  // Where route() had to be asked, and `asked` is not null, its whole verdict is left there.
  HopDecision find(const engine::Tlp& tlp, const cfgspace::RoutingView& view,
                   std::optional<cfgspace::Verdict>* asked = nullptr) {
    const bool completion = tlp.flow_class == pcie::FlowClass::kCompletion;
    const std::uint64_t granule = completion ? tlp.requester : tlp.address >> kGranuleBits;
    const std::uint64_t wanted = key(tlp, granule);
    const Entry* entry = &entries_[first_way(tlp, granule)];
    if (!holds(*entry, wanted, tlp.requester)) {
      ++entry;
      if (!holds(*entry, wanted, tlp.requester)) return decide(tlp, view, granule, asked);
    }
    return {entry->action, entry->index, entry->peer_to_peer};
  }

  void forget() { entries_.fill(Entry{}); }

 private:
  // Bridge windows have a granularity of 1 MiB (PCIe r6.0, sec 7.5.1.3.8). A verdict that does not
  // hold for the whole granule (a BAR smaller than that) is made anew for every TLP.
  static constexpr unsigned kGranuleBits = 20;
  static constexpr unsigned kSetBits = 5;
  static constexpr std::size_t kSlots = std::size_t{2} << kSetBits;
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  // A quarter of a cache line, since a busy switch looks at one for each TLP.
  struct Entry {
    std::uint64_t key = kEmpty;
    std::uint16_t first_requester = 0;
    std::uint16_t last_requester = 0;
    cfgspace::Action action = cfgspace::Action::kUnsupportedRequest;
    std::uint8_t index = 0;
    bool peer_to_peer = false;
  };

  // Completions look up the very ID; requests are from a range of requesters.
  static bool holds(const Entry& entry, std::uint64_t key, std::uint16_t requester) {
    return entry.key == key && requester >= entry.first_requester &&
           requester <= entry.last_requester;
  }
  // Two ways, so that two ranges that are busy at once do not drive each other out.
  static std::size_t first_way(const engine::Tlp& tlp, std::uint64_t granule) {
    // Fibonacci hashing: BARs lie at powers of two, and so do the buffers in them.
    const std::uint64_t set = granule * 0x9e3779b97f4a7c15U >> (64 - kSetBits);
    return static_cast<unsigned>(tlp.flow_class) * kSlots + 2 * set;
  }
  static std::uint64_t key(const engine::Tlp& tlp, std::uint64_t granule) {
    return granule << 1 | (tlp.relaxed_ordering() ? 1 : 0);
  }

  HopDecision decide(const engine::Tlp& tlp, const cfgspace::RoutingView& view,
                     std::uint64_t granule, std::optional<cfgspace::Verdict>* asked) {
    const cfgspace::Verdict verdict = cfgspace::route(routed(tlp), view);
    if (asked != nullptr) *asked = verdict;
    const HopDecision decision{verdict.action, static_cast<std::uint8_t>(verdict.index),
                               verdict.peer_to_peer};
    Entry entry{key(tlp, granule),    0, 0xffff, decision.action, decision.index,
                decision.peer_to_peer};
    if (tlp.flow_class != pcie::FlowClass::kCompletion) {
      const BusAddress first(granule << kGranuleBits);
      if (!verdict.addresses.contains(first, Bytes(std::uint64_t{1} << kGranuleBits))) {
        return decision;
      }
      entry.first_requester = verdict.requesters.first.value();
      entry.last_requester = verdict.requesters.last.value();
    }
    const std::size_t way = first_way(tlp, granule);
    entries_[way + 1] = entries_[way];
    entries_[way] = entry;
    return decision;
  }

  std::array<Entry, kSlots * pcie::kFlowClassCount> entries_;
};

}  // namespace peerfab::device
