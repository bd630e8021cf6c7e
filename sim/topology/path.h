// SPDX-License-Identifier: Apache-2.0
// The way between two components over PCIe links and socket wires, as the wiring alone decides it
// (registers, ACS and root complex policies may forbid or bend it: that is route()'s business).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/topology/topology.h"

namespace peerfab::topology {

// An edge of the topology: an index into Topology::links or Topology::wires.
struct EdgeRef {
  enum class Kind { kLink, kWire };
  Kind kind = Kind::kLink;
  std::size_t index = 0;
  bool operator==(const EdgeRef&) const = default;
};

// A component on the way; the first has no ingress and the last no egress.
struct Hop {
  ComponentId component = 0;
  std::optional<EdgeRef> ingress;
  std::optional<EdgeRef> egress;
};

// The hops from `from` to `to`, both included: up to the common ancestor and down again, or through
// both root complexes and the fewest socket wires (the earliest in the file among equals).
// One hop without edges when they are the same; empty when no wire connects their sockets.
[[nodiscard]] std::vector<Hop> path(const Topology& topology, ComponentId from, ComponentId to);

// How close two components are, in the words of `nvidia-smi topo -m`.
enum class Proximity {
  kSelf,           // X
  kOneSwitch,      // PIX: at most one switch between them
  kSwitches,       // PXB: several switches, no root complex
  kRootComplex,    // PHB: through the root complex (host bridge) of one socket
  kSameNode,       // NODE: between host bridges of one socket; a socket has one today, so unused
  kAcrossSockets,  // SYS: over a wire between sockets
  kUnconnected,    // "-": no wire joins their sockets
};

[[nodiscard]] Proximity proximity(const Topology& topology, ComponentId a, ComponentId b);
[[nodiscard]] std::string_view proximity_label(Proximity proximity);

}  // namespace peerfab::topology
