// SPDX-License-Identifier: Apache-2.0
// The units of time, size and bandwidth: one table for parsing, printing and the schema.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace peerfab::config {

struct Unit {
  std::string name;
  std::uint64_t scale;  // picoseconds, bytes or bytes per second
  bool printed;         // whether format_*() uses it
};

struct UnitFamily {
  std::string noun;         // "time"
  std::string example;      // "105ns"
  std::vector<Unit> units;  // as they are listed to people
  std::vector<std::string> names;

  [[nodiscard]] const Unit* find(std::string_view name) const;
};

[[nodiscard]] const UnitFamily& time_family();
[[nodiscard]] const UnitFamily& size_family();
[[nodiscard]] const UnitFamily& bandwidth_family();

// "ps, ns, us, ms or s"
[[nodiscard]] std::string list_of(const std::vector<std::string>& names);

}  // namespace peerfab::config
