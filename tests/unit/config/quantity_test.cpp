// SPDX-License-Identifier: Apache-2.0
#include "sim/config/quantity.h"

#include "tests/support/catch.h"
#include "tests/unit/config/support.h"

using namespace peerfab;
using namespace peerfab::config;
using namespace peerfab::config::test;

namespace {

// The value, or the name of the check that refused it.
template <typename Parse>
std::string outcome(Parse parse, const Node& node) {
  Diagnostics diagnostics;
  const auto value = parse(node, diagnostics);
  if (value) return diagnostics.all().empty() ? *value : "accepted with findings";
  return diagnostics.all().size() == 1 ? diagnostics.all()[0].check : "not one finding";
}

std::string time_of(const Node& node) {
  return outcome(
      [](const Node& n, Diagnostics& d) -> std::optional<std::string> {
        const auto value = parse_time(n, d);
        if (!value) return std::nullopt;
        return std::to_string(value->count());
      },
      node);
}
std::string time_of(const std::string& text) { return time_of(scalar(text)); }

std::string size_of(const std::string& text) {
  return outcome(
      [](const Node& n, Diagnostics& d) -> std::optional<std::string> {
        const auto value = parse_size(n, d);
        if (!value) return std::nullopt;
        return std::to_string(value->count());
      },
      scalar(text));
}

std::string bandwidth_of(const std::string& text) {
  return outcome(
      [](const Node& n, Diagnostics& d) -> std::optional<std::string> {
        const auto value = parse_bandwidth(n, d);
        if (!value) return std::nullopt;
        return std::to_string(value->bytes_per_second());
      },
      scalar(text));
}

std::string integer_of(const std::string& text) {
  return outcome(
      [](const Node& n, Diagnostics& d) -> std::optional<std::string> {
        const auto value = parse_integer(n, d);
        if (!value) return std::nullopt;
        return std::to_string(*value);
      },
      scalar(text));
}

std::string ratio_of(const std::string& text) {
  return outcome(
      [](const Node& n, Diagnostics& d) -> std::optional<std::string> {
        const auto value = parse_ratio(n, d);
        if (!value) return std::nullopt;
        return format_ratio(*value);
      },
      scalar(text));
}

std::string link_of(const std::string& text) {
  return outcome(
      [](const Node& n, Diagnostics& d) -> std::optional<std::string> {
        const auto value = parse_link(n, d);
        if (!value) return std::nullopt;
        return format_link(*value);
      },
      scalar(text));
}

std::string flag_of(const std::string& text) {
  return outcome(
      [](const Node& n, Diagnostics& d) -> std::optional<std::string> {
        const auto value = parse_flag(n, d);
        if (!value) return std::nullopt;
        return *value ? "true" : "false";
      },
      scalar(text));
}

std::string hint_of_time(const std::string& text) {
  Diagnostics diagnostics;
  (void)parse_time(scalar(text), diagnostics);
  return diagnostics.all().empty() ? "accepted" : diagnostics.all()[0].hint;
}

}  // namespace

TEST_CASE("times are read in every unit", "[quantity]") {
  CHECK(time_of("1ps") == "1");
  CHECK(time_of("105ns") == "105000");
  CHECK(time_of("2us") == "2000000");
  CHECK(time_of("3ms") == "3000000000");
  CHECK(time_of("4s") == "4000000000000");
  CHECK(time_of("0ns") == "0");
  CHECK(time_of("007ns") == "7000");
  CHECK(time_of("105 ns") == "105000");
  CHECK(time_of("105  ns") == "unknown-unit");
}

TEST_CASE("sizes are read in every unit", "[quantity]") {
  CHECK(size_of("7B") == "7");
  CHECK(size_of("1KB") == "1000");
  CHECK(size_of("1MB") == "1000000");
  CHECK(size_of("1GB") == "1000000000");
  CHECK(size_of("1TB") == "1000000000000");
  CHECK(size_of("1KiB") == "1024");
  CHECK(size_of("1MiB") == "1048576");
  CHECK(size_of("1GiB") == "1073741824");
  CHECK(size_of("1TiB") == "1099511627776");
}

TEST_CASE("bandwidths are read in bytes and bits", "[quantity]") {
  CHECK(bandwidth_of("1B/s") == "1");
  CHECK(bandwidth_of("1KB/s") == "1000");
  CHECK(bandwidth_of("1MB/s") == "1000000");
  CHECK(bandwidth_of("53.5GB/s") == "53500000000");
  CHECK(bandwidth_of("4.8TB/s") == "4800000000000");
  CHECK(bandwidth_of("1KiB/s") == "1024");
  CHECK(bandwidth_of("1MiB/s") == "1048576");
  CHECK(bandwidth_of("1GiB/s") == "1073741824");
  CHECK(bandwidth_of("1TiB/s") == "1099511627776");
  CHECK(bandwidth_of("8Mb/s") == "1000000");
  CHECK(bandwidth_of("100Gb/s") == "12500000000");
}

TEST_CASE("decimals are exact, or rounded down to the unit", "[quantity]") {
  CHECK(time_of("0.6us") == "600000");
  CHECK(time_of("0.1ns") == "100");
  CHECK(time_of("1.0019ns") == "1001");
  CHECK(time_of("1.9999ps") == "1");
  CHECK(size_of("1.5KiB") == "1536");
  CHECK(size_of("0.1KiB") == "102");
  // In binary floating point these come out one too small.
  CHECK(time_of("4.35us") == "4350000");
  CHECK(bandwidth_of("1.1GB/s") == "1100000000");
  CHECK(time_of("9223372.036854775807s") == "9223372036854775807");
  CHECK(time_of("0.123456789012345678s") == "123456789012");
  CHECK(time_of("0.1234567890123456789s") == "not-a-number");
}

TEST_CASE("what is more than nothing never becomes nothing", "[quantity]") {
  CHECK(time_of("0.9ps") == "out-of-range");
  CHECK(time_of("0.0009ns") == "out-of-range");
  CHECK(time_of("0.001ns") == "1");
  CHECK(time_of("0.0ps") == "0");
}

TEST_CASE("a number needs its unit, and so does zero", "[quantity]") {
  CHECK(time_of("115") == "missing-unit");
  CHECK(time_of("0") == "missing-unit");
  CHECK(size_of("4096") == "missing-unit");
  CHECK(bandwidth_of("1.5") == "missing-unit");
  CHECK(time_of("115 ") == "missing-unit");
  CHECK(hint_of_time("115") == "a time takes ps, ns, us, ms or s");
}

TEST_CASE("unknown units suggest the nearest or list all", "[quantity]") {
  CHECK(time_of("5nss") == "unknown-unit");
  CHECK(hint_of_time("5nss") == "did you mean 'ns'?");
  CHECK(hint_of_time("5NS") == "did you mean 'ns'?");
  CHECK(hint_of_time("5\xc2\xb5s") == "did you mean 'us'?");
  CHECK(hint_of_time("5\xce\xbcs") == "did you mean 'us'?");
  CHECK(hint_of_time("5 fortnights") == "a time takes ps, ns, us, ms or s");
  CHECK(size_of("1kB") == "unknown-unit");
  CHECK(size_of("1 K") == "unknown-unit");
  CHECK(size_of("1e9B") == "unknown-unit");
  CHECK(size_of("1_000B") == "unknown-unit");
  CHECK(size_of("1,000B") == "unknown-unit");
  CHECK(size_of("1.2.3B") == "unknown-unit");
}

TEST_CASE("a unit of something else is named as such", "[quantity]") {
  CHECK(time_of("5GB") == "wrong-unit");
  CHECK(size_of("5ns") == "wrong-unit");
  CHECK(size_of("5GB/s") == "wrong-unit");
  CHECK(bandwidth_of("5GB") == "wrong-unit");
}

TEST_CASE("negative values are refused", "[quantity]") {
  CHECK(time_of("-5ns") == "negative-value");
  CHECK(time_of("-0ns") == "negative-value");
  CHECK(size_of("-1B") == "negative-value");
  CHECK(time_of("-") == "not-a-number");
  CHECK(time_of("-ns") == "not-a-number");
}

TEST_CASE("what is not a number is refused", "[quantity]") {
  CHECK(time_of("") == "not-a-number");
  CHECK(time_of("ns") == "not-a-number");
  CHECK(time_of("fast") == "not-a-number");
  CHECK(time_of(" 5ns") == "not-a-number");
  CHECK(time_of("+5ns") == "not-a-number");
  CHECK(time_of(".5ns") == "not-a-number");
  CHECK(time_of("5.ns") == "not-a-number");
  CHECK(time_of("inf") == "not-a-number");
}

TEST_CASE("the largest value is half of 64 bits", "[quantity]") {
  CHECK(size_of("9223372036854775807B") == "9223372036854775807");
  CHECK(size_of("9223372036854775808B") == "out-of-range");
  CHECK(size_of("8388607TiB") == "9223370937343148032");
  CHECK(size_of("8388608TiB") == "out-of-range");
  CHECK(size_of("8388607.999999TiB") == "9223372036853676296");
  CHECK(time_of("9223372s") == "9223372000000000000");
  CHECK(time_of("9223373s") == "out-of-range");
  CHECK(time_of(std::string(400, '9') + "s") == "out-of-range");
  CHECK(time_of("9223372036854775807.9s") == "out-of-range");
}

TEST_CASE("maps, lists and nothing are no quantities", "[quantity]") {
  CHECK(time_of(*parsed("a: {b: 1}").find("a")) == "wrong-type");
  CHECK(time_of(*parsed("a: [5ns]").find("a")) == "wrong-type");
  CHECK(time_of(*parsed("a:").find("a")) == "missing-value");
}

TEST_CASE("integers are whole and fit into 64 bits", "[quantity]") {
  CHECK(integer_of("0") == "0");
  CHECK(integer_of("-7") == "-7");
  CHECK(integer_of("010") == "10");
  CHECK(integer_of("9223372036854775807") == "9223372036854775807");
  CHECK(integer_of("9223372036854775808") == "out-of-range");
  CHECK(integer_of("-9223372036854775808") == "-9223372036854775808");
  CHECK(integer_of("-9223372036854775809") == "out-of-range");
  CHECK(integer_of("0x1F") == "31");
  CHECK(integer_of("0x7fffffffffffffff") == "9223372036854775807");
  CHECK(integer_of("0x8000000000000000") == "out-of-range");
  CHECK(integer_of("0x") == "not-a-number");
  CHECK(integer_of("0x1g") == "not-a-number");
  CHECK(integer_of("1.0") == "not-a-number");
  CHECK(integer_of("4KB") == "not-a-number");
  CHECK(integer_of("") == "not-a-number");
  CHECK(integer_of("-") == "not-a-number");
  CHECK(integer_of("1e3") == "not-a-number");
}

TEST_CASE("ratios are numbers from 0 to 1", "[quantity]") {
  CHECK(ratio_of("0") == "0");
  CHECK(ratio_of("1") == "1");
  CHECK(ratio_of("0.25") == "0.25");
  CHECK(ratio_of("1e-6") == "1e-06");
  CHECK(ratio_of("1e-400").find("out-of-range") != std::string::npos);
  CHECK(ratio_of("1.5").find("out-of-range") != std::string::npos);
  CHECK(ratio_of("-0.5").find("out-of-range") != std::string::npos);
  for (const char* text : {"nan", "1e", "1ppm", "x", "0x1p-3", "1 ", "--1"}) {
    INFO(text);
    CHECK(ratio_of(text).find("not-a-number") != std::string::npos);
  }
}

TEST_CASE("a flag is true or false and nothing like it", "[quantity]") {
  CHECK(flag_of("true") == "true");
  CHECK(flag_of("false") == "false");
  for (const char* text : {"yes", "on", "True", "1", "no", "", "maybe"}) {
    CHECK(flag_of(text) == "not-a-flag");
  }
}

TEST_CASE("links have a generation and a width", "[quantity]") {
  CHECK(link_of("gen1 x1") == "gen1 x1");
  CHECK(link_of("gen5 x16") == "gen5 x16");
  CHECK(link_of("gen3 x2") == "gen3 x2");
  CHECK(link_of("gen0 x1") == "out-of-range");
  CHECK(link_of("gen6 x16") == "gen6 x16");
  CHECK(link_of("gen7 x16") == "out-of-range");
  CHECK(link_of("gen99999999999999999999 x16") == "out-of-range");
  for (const char* width : {"x0", "x3", "x12", "x32", "x99999999999999999999"}) {
    CHECK(link_of(std::string("gen4 ") + width) == "out-of-range");
  }
  for (const char* text : {"", "gen5", "x16", "gen x16", "gen5 16", "gen5 x", "5 x16", "gen5 x16x",
                           "gen5x16", "Gen5 x16", "gen5  x16", "gen5 X16", "gen5 x16 "}) {
    INFO(text);
    CHECK(link_of(text) == "bad-link");
  }
}

TEST_CASE("a text is a scalar that is not empty", "[quantity]") {
  Diagnostics diagnostics;
  CHECK(parse_text(scalar("x"), diagnostics) == "x");
  CHECK_FALSE(parse_text(scalar(""), diagnostics));
  CHECK_FALSE(parse_text(parsed("[a]"), diagnostics));
  CHECK(findings(diagnostics) == "missing-value@1:1+1 wrong-type@1:1+1");
}
