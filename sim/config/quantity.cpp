// SPDX-License-Identifier: Apache-2.0
#include "sim/config/quantity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <system_error>

#include "sim/config/unit_family.h"

namespace peerfab::config {
namespace {

// Half of what 64 bits hold, so that sums of a few of them do not wrap.
constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
// More digits behind the point than any unit has.
constexpr std::size_t kMaxDecimals = 18;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& rest) {
  std::size_t count = 0;
  while (count < rest.size() && is_digit(rest[count])) ++count;
  const std::string_view digits = rest.substr(0, count);
  rest.remove_prefix(count);
  return digits;
}

// nullopt beyond `largest`.
std::optional<std::uint64_t> to_number(std::string_view digits, std::uint64_t largest) {
  std::uint64_t value = 0;
  for (const char c : digits) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (largest - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

std::string article(const std::string& noun) {
  return std::string("aeiou").find(noun[0]) != std::string::npos ? "an " + noun : "a " + noun;
}

// True, or one error: the node is not a scalar.
bool check_scalar(const Node& node, const std::string& noun, const std::string& example,
                  Diagnostics& diagnostics) {
  if (node.is_scalar()) return true;
  if (node.is_null()) {
    diagnostics.error("missing-value", node.where(), article(noun) + " is missing here",
                      "for example " + example);
  } else {
    diagnostics.error("wrong-type", node.where(),
                      "expected " + article(noun) + ", not " + std::string(kind_name(node.kind())),
                      "for example " + example);
  }
  return false;
}

std::string unit_list(const UnitFamily& family) {
  return article(family.noun) + " takes " + list_of(family.names);
}

void report_unit(const Node& node, const UnitFamily& family, std::string_view unit,
                 Diagnostics& diagnostics) {
  const std::string name(unit);
  for (const UnitFamily* other : {&time_family(), &size_family(), &bandwidth_family()}) {
    if (other == &family || other->find(unit) == nullptr) continue;
    diagnostics.error("wrong-unit", node.where(),
                      in_quotes(name) + " is a unit of " + other->noun + ", not of " + family.noun,
                      unit_list(family));
    return;
  }
  std::string hint;
  if (name == "\xc2\xb5s" || name == "\xce\xbcs") {  // both of Unicode's micro signs
    if (family.find("us") != nullptr) hint = "did you mean 'us'?";
  } else {
    hint = did_you_mean(name, family.names);
  }
  diagnostics.error("unknown-unit", node.where(), in_quotes(name) + " is no unit of " + family.noun,
                    hint.empty() ? unit_list(family) : hint);
}

std::optional<std::uint64_t> parse_with_unit(const Node& node, const UnitFamily& family,
                                             Diagnostics& diagnostics) {
  if (!check_scalar(node, family.noun, family.example, diagnostics)) return std::nullopt;
  const auto fail = [&](const char* check, const std::string& what, const std::string& hint) {
    diagnostics.error(check, node.where(), in_quotes(node.text()) + " " + what, hint);
    return std::nullopt;
  };
  const std::string example = "for example " + family.example;
  std::string_view rest = node.text();
  const bool negative = rest.size() > 1 && rest[0] == '-' && (is_digit(rest[1]) || rest[1] == '.');
  if (negative) return fail("negative-value", "is negative", example);
  const std::string_view whole = take_digits(rest);
  if (whole.empty()) return fail("not-a-number", "is not " + article(family.noun), example);
  std::string_view decimals;
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    decimals = take_digits(rest);
    if (decimals.empty()) return fail("not-a-number", "lacks digits behind the point", example);
    if (decimals.size() > kMaxDecimals) {
      return fail("not-a-number", "has too many digits behind the point", "");
    }
  }
  if (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
  if (rest.empty()) return fail("missing-unit", "has no unit", unit_list(family));
  const Unit* unit = family.find(rest);
  if (unit == nullptr) {
    report_unit(node, family, rest, diagnostics);
    return std::nullopt;
  }

  using Wide = unsigned __int128;
  const auto too_large = [&] {
    return fail("out-of-range", "is too large",
                "at most " + std::to_string(kLargest) + family.units.front().name);
  };
  const std::optional<std::uint64_t> whole_number = to_number(whole, kLargest);
  if (!whole_number) return too_large();
  // At most 2^63 * 2^40, and 10^18 * 2^40 before the division: both fit into 128 bits.
  Wide value = static_cast<Wide>(*whole_number) * unit->scale;
  Wide fraction = 0;
  Wide divisor = 1;
  for (const char c : decimals) {
    fraction = fraction * 10 + static_cast<unsigned>(c - '0');
    divisor *= 10;
  }
  value += fraction * unit->scale / divisor;
  if (value > kLargest) return too_large();
  if (value == 0 && fraction != 0) {
    return fail("out-of-range", "is less than 1" + family.units.front().name, "");
  }
  return static_cast<std::uint64_t>(value);
}

}  // namespace

std::optional<Picoseconds> parse_time(const Node& node, Diagnostics& diagnostics) {
  const auto value = parse_with_unit(node, time_family(), diagnostics);
  return value ? std::optional(Picoseconds(*value)) : std::nullopt;
}

std::optional<Bytes> parse_size(const Node& node, Diagnostics& diagnostics) {
  const auto value = parse_with_unit(node, size_family(), diagnostics);
  return value ? std::optional(Bytes(*value)) : std::nullopt;
}

std::optional<Bandwidth> parse_bandwidth(const Node& node, Diagnostics& diagnostics) {
  const auto value = parse_with_unit(node, bandwidth_family(), diagnostics);
  return value ? std::optional(Bandwidth(*value)) : std::nullopt;
}

std::optional<std::int64_t> parse_integer(const Node& node, Diagnostics& diagnostics) {
  if (!check_scalar(node, "whole number", "8", diagnostics)) return std::nullopt;
  const auto fail = [&](const char* check, const std::string& what) {
    diagnostics.error(check, node.where(), in_quotes(node.text()) + " " + what);
    return std::nullopt;
  };
  std::string_view rest = node.text();
  const bool negative = !rest.empty() && rest[0] == '-';
  if (negative) rest.remove_prefix(1);
  const std::uint64_t largest = kLargest + (negative ? 1 : 0);
  std::optional<std::uint64_t> magnitude;
  if (rest.starts_with("0x") && rest.size() > 2) {
    const std::string_view hex = rest.substr(2);
    magnitude = 0;
    for (const char c : hex) {
      const std::size_t digit =
          std::string_view("0123456789abcdef")
              .find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
      if (digit == std::string_view::npos) return fail("not-a-number", "is not a whole number");
      if (magnitude && *magnitude <= (largest - digit) / 16) {
        magnitude = *magnitude * 16 + digit;
      } else {
        magnitude.reset();
      }
    }
  } else {
    const std::string_view digits = take_digits(rest);
    if (digits.empty()) return fail("not-a-number", "is not a whole number");
    if (!rest.empty()) {
      return fail("not-a-number",
                  rest[0] == '.' ? "is not a whole number" : "is not a whole number without unit");
    }
    magnitude = to_number(digits, largest);
  }
  if (!magnitude) return fail("out-of-range", "does not fit into 64 bits");
  return static_cast<std::int64_t>(negative ? 0 - *magnitude : *magnitude);
}

std::optional<double> parse_ratio(const Node& node, Diagnostics& diagnostics) {
  if (!check_scalar(node, "number from 0 to 1", "1e-6", diagnostics)) return std::nullopt;
  const std::string& text = node.text();
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (rest != end || (error != std::errc() && error != std::errc::result_out_of_range) ||
      std::isnan(value)) {
    diagnostics.error("not-a-number", node.where(), in_quotes(text) + " is not a number",
                      "a number from 0 to 1 without unit, for example 1e-6");
    return std::nullopt;
  }
  if (error != std::errc() || value < 0 || value > 1) {
    diagnostics.error("out-of-range", node.where(), in_quotes(text) + " is not from 0 to 1");
    return std::nullopt;
  }
  return value;
}

std::optional<bool> parse_flag(const Node& node, Diagnostics& diagnostics) {
  if (!check_scalar(node, "flag", "true", diagnostics)) return std::nullopt;
  if (node.text() == "true") return true;
  if (node.text() == "false") return false;
  std::string hint = "a flag is true or false";
  for (const char* word : {"yes", "on", "1", "True", "TRUE", "Yes", "On"}) {
    if (node.text() == word) hint = "did you mean 'true'?";
  }
  for (const char* word : {"no", "off", "0", "False", "FALSE", "No", "Off"}) {
    if (node.text() == word) hint = "did you mean 'false'?";
  }
  diagnostics.error("not-a-flag", node.where(), in_quotes(node.text()) + " is not a flag", hint);
  return std::nullopt;
}

std::optional<std::string> parse_text(const Node& node, Diagnostics& diagnostics) {
  if (!check_scalar(node, "text", "'a few words'", diagnostics)) return std::nullopt;
  if (node.text().empty()) {
    diagnostics.error("missing-value", node.where(), "a text is missing here");
    return std::nullopt;
  }
  return node.text();
}

std::optional<LinkSpeed> parse_link(const Node& node, Diagnostics& diagnostics) {
  if (!check_scalar(node, "link speed", "gen5 x16", diagnostics)) return std::nullopt;
  const auto fail = [&](const char* check, const std::string& what, const std::string& hint) {
    diagnostics.error(check, node.where(), what, hint);
    return std::nullopt;
  };
  std::string text;
  for (const char c : node.text()) {
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  std::string_view rest = text;
  std::string_view generation_digits;
  std::string_view width_digits;
  if (rest.starts_with("gen")) {
    rest.remove_prefix(3);
    generation_digits = take_digits(rest);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (rest.starts_with("x")) {
      rest.remove_prefix(1);
      width_digits = take_digits(rest);
    }
  }
  if (generation_digits.empty() || width_digits.empty() || !rest.empty()) {
    return fail("bad-link", in_quotes(node.text()) + " is not a link speed",
                "write generation and width, for example gen5 x16");
  }
  const std::string generation_text(generation_digits);
  const std::string width_text(width_digits);
  const std::string spelled = "gen" + generation_text + " x" + width_text;
  if (node.text() != spelled) {
    return fail("bad-link", in_quotes(node.text()) + " is not spelled as a link speed",
                "did you mean '" + spelled + "'?");
  }
  const std::optional<std::uint64_t> generation = to_number(generation_digits, kLargest);
  if (!generation || *generation < 1 || *generation > kMaxLinkGeneration) {
    return fail("out-of-range", "there is no generation " + in_quotes("gen" + generation_text),
                "gen1 to gen" + std::to_string(kMaxLinkGeneration));
  }
  const std::optional<std::uint64_t> width = to_number(width_digits, kLargest);
  if (!width ||
      std::find(std::begin(kLinkWidths), std::end(kLinkWidths), *width) == std::end(kLinkWidths)) {
    return fail("out-of-range", "no link is " + in_quotes("x" + width_text) + " wide",
                "x1, x2, x4, x8 or x16");
  }
  return LinkSpeed{static_cast<unsigned>(*generation), static_cast<unsigned>(*width)};
}

const std::vector<std::string>& time_units() { return time_family().names; }
const std::vector<std::string>& size_units() { return size_family().names; }
const std::vector<std::string>& bandwidth_units() { return bandwidth_family().names; }

}  // namespace peerfab::config
