// SPDX-License-Identifier: Apache-2.0
// What the monitors of a link have to know about it besides what its transmitters say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/cfgspace/port_registers.h"

namespace peerfab::monitor {

// One end of a link. Registers are read at each check, so whoever writes them need not tell.
struct LinkEnd {
  // nullptr: not known, and nothing that depends on them is checked.
  const cfgspace::PortRegisters* registers = nullptr;
  // Max_Read_Request_Size (PCIe r6.0, sec 7.5.3.4) of the function at this end, 0 where it has none
  // or it is not known: a port that only forwards has none that matters.
  std::uint32_t max_read_request = 0;
};

struct LinkDescription {
  std::string name;  // "gpu0-sw0"
  LinkEnd upper;
  LinkEnd lower;
  // Its lower end is an endpoint: all requests of the endpoint and to it pass here, and so do all
  // of their answers.
  bool at_endpoint = true;
  // It has a data link layer of its own, so that its TLPs carry their sequence numbers.
  bool numbered = false;
  // There was traffic before the monitors came.
  bool joined_late = false;
  // Root complexes whose Read Completion Boundary is 64 B (PCIe r6.0, sec 2.3.1.1).
  std::vector<Bdf> small_boundary;
};

}  // namespace peerfab::monitor
