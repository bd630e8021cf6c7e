// SPDX-License-Identifier: Apache-2.0
// What happens to links in a scenario: `link_events:`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/diagnostics.h"
#include "sim/base/units.h"
#include "sim/config/parameters.h"
#include "sim/config/quantity.h"
#include "sim/config/tree.h"
#include "sim/topology/link_faults.h"
#include "sim/topology/topology.h"

namespace peerfab::scenario {

struct LinkEvent {
  enum class Kind : std::uint8_t {
    kRetrain,       // through Recovery
    kSpeed,         // through Recovery, to another rate or width
    kSurpriseDown,  // for good
    kDamageTlp,     // the n-th TLP that a direction carries
    kDamageAck,     // the n-th Ack or Nak that it carries
  };
  Kind kind = Kind::kRetrain;
  std::string link;  // "cpu0-sw0"
  SourceLocation link_where;
  Picoseconds at;            // of the first three
  config::LinkSpeed to;      // of kSpeed
  SourceLocation to_where;   //
  bool up = false;           // direction of the last two: towards the root complex
  std::uint64_t number = 1;  // likewise, from 1
};

[[nodiscard]] const config::ParameterTable& link_event_table();
// Keys of the table without which an event means nothing.
[[nodiscard]] const std::vector<std::string>& required_link_event_keys();

// The list behind `link_events:`. False, with diagnostics, when something is wrong.
[[nodiscard]] bool read_link_events(const config::Node& node, std::vector<LinkEvent>& events,
                                    Diagnostics& diagnostics);
// Against a topology: that the links exist and can do what is asked.
[[nodiscard]] bool check_link_events(const std::vector<LinkEvent>& events,
                                     const topology::Topology& topology, Diagnostics& diagnostics);
// What elaboration has to know: every link that is named, and the packets that are damaged.
[[nodiscard]] topology::LinkFaultsByName link_faults(const std::vector<LinkEvent>& events);

}  // namespace peerfab::scenario
