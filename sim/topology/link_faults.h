// SPDX-License-Identifier: Apache-2.0
// What goes wrong on purpose on a link.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace peerfab::topology {

// Packets that arrive damaged, by their number on the link and direction, from 1 on.
struct LinkFaults {
  struct Direction {
    std::vector<std::uint64_t> tlps;
    std::vector<std::uint64_t> acknowledgements;  // the Acks and Naks that it carries
  };
  Direction down;
  Direction up;
};

using LinkFaultsByName = std::map<std::string, LinkFaults, std::less<>>;

}  // namespace peerfab::topology
