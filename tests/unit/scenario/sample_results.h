// SPDX-License-Identifier: Apache-2.0
// Results with a different number in every field, so that a mixed-up one shows.
#pragma once

#include <string>

#include "sim/scenario/result.h"

namespace peerfab::scenario::test {

inline FlowResult sample_flow(const std::string& name, std::uint64_t base) {
  FlowResult flow;
  flow.name = name;
  flow.from = "gpu0";
  flow.to = "gpu1";
  flow.by = "gpu0";
  flow.via = "p2p";
  flow.bytes = Bytes(base + 1);
  flow.time = Picoseconds(base + 2);
  flow.bandwidth = Bandwidth(base + 3);
  flow.first_byte = Picoseconds(base + 4);
  flow.transactions = 3;
  flow.latency = {Picoseconds(base + 5), Picoseconds(base + 6), Picoseconds(base + 7),
                  Picoseconds(base + 8), Picoseconds(base + 9)};
  for (std::size_t i = 0; i < stats::kSegmentCount; ++i) {
    flow.breakdown.segments[i] = Picoseconds(base + 100 + i);
    flow.breakdown_mean.segments[i] = Picoseconds(base + 200 + i);
  }
  flow.limited_by = "link gpu0-sw0 up: serialisation";
  return flow;
}

inline LinkResult sample_link(const std::string& name, const std::string& direction,
                              std::uint64_t base) {
  LinkResult link;
  link.name = name;
  link.direction = direction;
  link.speed = "gen5 x16";
  link.payload = Bytes(base + 1);
  link.tlp = Bytes(base + 2);
  link.dllp = Bytes(base + 3);
  link.tlps = base + 4;
  link.utilisation_ppm = base + 5;
  link.credit_stall = Picoseconds(base + 6);
  link.queue_peak = base + 7;
  return link;
}

inline VariantResult sample_variant(const std::string& name, std::uint64_t base = 1000) {
  VariantResult variant;
  variant.name = name;
  variant.flows = {sample_flow("copy", base), sample_flow("other", base + 5000)};
  variant.links = {sample_link("cpu0-sw0", "up", base + 10'000),
                   sample_link("cpu0-sw0", "down", base + 20'000)};
  variant.components = {{"gpu0", "gpu", {{"reads", "TLPs", base + 30'000}}}};
  variant.time = Picoseconds(base + 40'000);
  variant.host = {1'500'000, base + 50'000, base + 60'000, Bytes(base + 70'000)};
  return variant;
}

}  // namespace peerfab::scenario::test
