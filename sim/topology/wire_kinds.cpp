// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/wire_kinds.h"

namespace peerfab::topology {

const std::vector<WireKind>& wire_kinds() {
  using config::Parameter;
  using config::Quantity;
  static const std::vector<WireKind> kKinds = {
      {"socket", "coherent link between two sockets, as UPI or xGMI", true,
       config::ParameterTable({
           Parameter{"bandwidth",
                     Quantity::kBandwidth,
                     "0B/s",
                     "payload bandwidth in each direction; 0B/s: unlimited",
                     "",
                     "",
                     {}},
           Parameter{"latency",
                     Quantity::kTime,
                     "0ns",
                     "time from one socket to the other, one way",
                     "",
                     "1ms",
                     {}},
       })},
  };
  return kKinds;
}

const WireKind* find_wire_kind(std::string_view name) {
  for (const WireKind& kind : wire_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace peerfab::topology
