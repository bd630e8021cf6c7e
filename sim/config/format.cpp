// SPDX-License-Identifier: Apache-2.0
// Quantities as text.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "sim/config/quantity.h"
#include "sim/config/unit_family.h"

namespace peerfab::config {
namespace {

using Wide = unsigned __int128;

constexpr unsigned kMaxExactDecimals = 3;
constexpr unsigned kMaxRoundedDigits = 9;

std::uint64_t power_of_ten(unsigned exponent) {
  std::uint64_t value = 1;
  for (; exponent != 0; --exponent) value *= 10;
  return value;
}

// `count` thousandths (for decimals = 3) as "12.34", without zeros at the end.
std::string decimal_text(std::uint64_t count, unsigned decimals) {
  const std::uint64_t divisor = power_of_ten(decimals);
  std::string fraction = std::to_string(count % divisor);
  fraction.insert(0, decimals - std::min<std::size_t>(decimals, fraction.size()), '0');
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  const std::string whole = std::to_string(count / divisor);
  return decimals == 0 || fraction.empty() ? whole : whole + "." + fraction;
}

// The shortest of the spellings with at most three decimals that mean exactly this value.
std::string exact(std::uint64_t value, const UnitFamily& family) {
  std::string best;
  for (const Unit& unit : family.units) {
    if (!unit.printed || (value < unit.scale && unit.scale != 1)) continue;
    const Wide thousandths = static_cast<Wide>(value) * power_of_ten(kMaxExactDecimals);
    if (thousandths % unit.scale != 0) continue;
    const Wide count = thousandths / unit.scale;
    std::string text = unit.scale == 1
                           ? std::to_string(value)
                           : decimal_text(static_cast<std::uint64_t>(count), kMaxExactDecimals);
    text += unit.name;
    if (best.empty() || text.size() < best.size()) best = text;
  }
  return best;
}

// In the largest unit of one kind (powers of 1000 or, for sizes, of 1024) that leaves a digit
// other than 0 before the point.
std::string rounded(std::uint64_t value, const UnitFamily& family, unsigned digits) {
  digits = std::min(digits, kMaxRoundedDigits);
  const bool binary = &family == &size_family();
  std::vector<const Unit*> units;
  for (const Unit& unit : family.units) {
    const bool fits = unit.scale == 1 || std::has_single_bit(unit.scale) == binary;
    if (unit.printed && fits) units.push_back(&unit);
  }
  for (std::size_t i = 0;; ++i) {
    const Unit& unit = *units[i];
    const std::size_t whole_digits = std::to_string(value / unit.scale).size();
    unsigned decimals = 0;  // the smallest unit is never divided
    if (unit.scale != 1 && whole_digits < digits) {
      decimals = digits - static_cast<unsigned>(whole_digits);
    }
    const Wide scaled = static_cast<Wide>(value) * power_of_ten(decimals);
    const Wide count = (scaled + unit.scale / 2) / unit.scale;
    // Compared after rounding: 999.96ns reads as 1us.
    const bool larger_fits =
        i + 1 < units.size() &&
        count >= static_cast<Wide>(power_of_ten(decimals)) * (units[i + 1]->scale / unit.scale);
    if (!larger_fits) return decimal_text(static_cast<std::uint64_t>(count), decimals) + unit.name;
  }
}

}  // namespace

std::string format_time(Picoseconds value) { return exact(value.count(), time_family()); }
std::string format_size(Bytes value) { return exact(value.count(), size_family()); }
std::string format_bandwidth(Bandwidth value) {
  return exact(value.bytes_per_second(), bandwidth_family());
}
std::string format_link(LinkSpeed value) {
  return "gen" + std::to_string(value.generation) + " x" + std::to_string(value.width);
}

std::string format_ratio(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(std::begin(text), std::end(text), value);
  return error == std::errc() ? std::string(text, end) : "0";
}

std::string format_time_rounded(Picoseconds value, unsigned digits) {
  return rounded(value.count(), time_family(), digits);
}
std::string format_size_rounded(Bytes value, unsigned digits) {
  return rounded(value.count(), size_family(), digits);
}
std::string format_bandwidth_rounded(Bandwidth value, unsigned digits) {
  return rounded(value.bytes_per_second(), bandwidth_family(), digits);
}

}  // namespace peerfab::config
