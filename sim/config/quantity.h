// SPDX-License-Identifier: Apache-2.0
// Numbers with units, as people write them: "105ns", "1GiB", "53.5GB/s", "gen5 x16". Parsed in
// integers; a decimal is exact or rounded down to the picosecond, byte or byte per second.
// Each parse function adds one error and returns nullopt when the node holds something else.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostics.h"
#include "sim/base/units.h"
#include "sim/config/tree.h"

namespace peerfab::config {

struct LinkSpeed {
  unsigned generation = 0;
  unsigned width = 0;
  auto operator<=>(const LinkSpeed&) const = default;
};

inline constexpr unsigned kMaxLinkGeneration = 6;
inline constexpr unsigned kLinkWidths[] = {1, 2, 4, 8, 16};

// ps ns us ms s
std::optional<Picoseconds> parse_time(const Node& node, Diagnostics& diagnostics);
// B, KB MB GB TB in powers of 1000, KiB MiB GiB TiB in powers of 1024
std::optional<Bytes> parse_size(const Node& node, Diagnostics& diagnostics);
// B/s, KB/s..TB/s, KiB/s..TiB/s, and Mb/s Gb/s in bits
std::optional<Bandwidth> parse_bandwidth(const Node& node, Diagnostics& diagnostics);
// Decimal or 0x hexadecimal, without unit
std::optional<std::int64_t> parse_integer(const Node& node, Diagnostics& diagnostics);
// A number from 0 to 1, "1e-6" or "0.25".
std::optional<double> parse_ratio(const Node& node, Diagnostics& diagnostics);
// true, false
std::optional<bool> parse_flag(const Node& node, Diagnostics& diagnostics);
// "gen5 x16"
std::optional<LinkSpeed> parse_link(const Node& node, Diagnostics& diagnostics);
// Any non-empty scalar
std::optional<std::string> parse_text(const Node& node, Diagnostics& diagnostics);

// Exact and short; parses back to the same value: "105ns", "1GiB", "53.5GB/s", "gen5 x16".
[[nodiscard]] std::string format_time(Picoseconds value);
[[nodiscard]] std::string format_size(Bytes value);
[[nodiscard]] std::string format_bandwidth(Bandwidth value);
[[nodiscard]] std::string format_link(LinkSpeed value);
[[nodiscard]] std::string format_ratio(double value);  // the shortest text that reads back

// For results: rounded (half up) to `digits` significant digits (at most 9), without zeros at the
// end: "54.9GB/s", "17.9us", "1.04GiB". Digits before the point are all kept.
[[nodiscard]] std::string format_time_rounded(Picoseconds value, unsigned digits = 3);
[[nodiscard]] std::string format_size_rounded(Bytes value, unsigned digits = 3);
[[nodiscard]] std::string format_bandwidth_rounded(Bandwidth value, unsigned digits = 3);

// The units that each kind accepts, smallest first.
[[nodiscard]] const std::vector<std::string>& time_units();
[[nodiscard]] const std::vector<std::string>& size_units();
[[nodiscard]] const std::vector<std::string>& bandwidth_units();

}  // namespace peerfab::config
