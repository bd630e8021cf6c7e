// SPDX-License-Identifier: Apache-2.0
// Whatever a file holds, it ends in a topology or in findings.
#include <string>
#include <vector>

#include "sim/base/rng.h"
#include "sim/topology/checks.h"
#include "sim/topology/views.h"
#include "tests/support/catch.h"
#include "tests/unit/topology/lab.h"

namespace peerfab::topology {
namespace {

// '@' marks a place where something else can stand.
constexpr std::string_view kBase = R"(peerfab: @1@
name: @Everything@
presets: @[]@
sockets: @
  cpu0: @{preset: @lab-host@, memory_size: @1GiB@, root_port_link: @gen5 x8@}@
  cpu1: @{model: @root-complex@, root_ports: @2@}@
@devices: @
  sw0:  @{preset: @lab-switch@, at: @cpu0@, port: @1@, lanes: @40@}@
  gpu0: @{model: @gpu@, preset: @lab-gpu@, at: @sw0@, link: @gen5 x16@}@
  gpu1: @{model: @gpu@, at: @sw0@, port: @2@, bar1: @256MiB@}@
@wires: @
  - @{kind: @socket@, between: @[@cpu0@, @cpu1@]@, bandwidth: @48GB/s@, latency: @40ns@}@
@)";

const std::vector<std::string> kIntruders = {
    "",
    "~",
    "[]",
    "{}",
    "[[[]]]",
    "{a: {b: [c]}}",
    "-1",
    "0",
    "99999999999999999999999999",
    "1e308",
    ".nan",
    "true",
    "\"\"",
    "\"a\\0b\"",
    "\"\\e[31m\\u202e\"",
    "sw0",
    "cpu0",
    "gpu0",
    "socket",
    "lab-gpu",
    "gen5 x16",
    "gen9 x64",
    "gen5 x0",
    "-1ns",
    "99999999999GiB",
    "&a [*a]",
    "&a b",
    "*a",
    "!!binary aGk=",
    "? x",
    "- - -",
    "\t",
    "|\n  text",
    std::string(3000, 'x'),
    std::string(200, '['),
    std::string("\x00\xff\xfe", 3),
};

std::vector<std::string_view> parts() {
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  for (std::size_t at = kBase.find('@'); at != std::string_view::npos;
       at = kBase.find('@', begin)) {
    pieces.push_back(kBase.substr(begin, at - begin));
    begin = at + 1;
  }
  pieces.push_back(kBase.substr(begin));
  return pieces;
}

void check_sound(const std::string& text) {
  const lab::Outcome outcome = lab::parse(text);
  INFO(text << "\n" << outcome.rendered());
  REQUIRE(outcome.topology.has_value() == !outcome.diagnostics.has_errors());
  if (!outcome.topology) return;
  CHECK_FALSE(tree_view(*outcome.topology).empty());
  CHECK_FALSE(matrix_view(*outcome.topology).empty());
  CHECK_FALSE(to_dot(*outcome.topology).empty());
  CHECK_FALSE(to_json(*outcome.topology).dump().empty());
}

std::string many(std::string_view section, std::size_t count, std::string_view value) {
  std::string text = std::string(section) + ":\n";
  for (std::size_t i = 0; i < count; ++i) {
    text += "  n" + std::to_string(i) + ": " + std::string(value) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("the base of the hostile files is good", "[topology]") {
  std::string text;
  for (const std::string_view part : parts()) text += part;
  const lab::Outcome outcome = lab::parse(text);
  INFO(outcome.rendered());
  CHECK(outcome.topology);
}

TEST_CASE("intruders in every place are findings", "[topology][hostile]") {
  const std::vector<std::string_view> pieces = parts();
  for (std::size_t place = 0; place < pieces.size(); ++place) {
    for (const std::string& intruder : kIntruders) {
      std::string text;
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        text += i == place ? std::string_view(intruder) : pieces[i];
      }
      check_sound(text);
    }
  }
}

TEST_CASE("several intruders at once are findings", "[topology][hostile]") {
  const std::vector<std::string_view> pieces = parts();
  Rng rng(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> mixed(pieces.begin(), pieces.end());
    for (std::uint64_t i = rng.between(2, 6); i != 0; --i) {
      mixed[rng.below(mixed.size())] = kIntruders[rng.below(kIntruders.size())];
    }
    std::string text;
    for (const std::string& piece : mixed) text += piece;
    check_sound(text);
  }
}

TEST_CASE("files cut off anywhere are findings or topologies", "[topology][hostile]") {
  std::string text;
  for (const std::string_view part : parts()) text += part;
  for (std::size_t length = 0; length < text.size(); ++length) check_sound(text.substr(0, length));
}

TEST_CASE("numbers of components have limits", "[topology][hostile]") {
  const std::string head = "peerfab: 1\n";
  const lab::Outcome sockets = lab::parse(head + many("sockets", kMaxSockets + 1, "{}"));
  CHECK_FALSE(sockets.topology);
  CHECK(sockets.has("too-many-components"));
  const lab::Outcome devices = lab::parse(
      head + "sockets: {cpu0: {}}\n" + many("devices", kMaxDevices + 1, "{model: gpu, at: cpu0}"));
  CHECK_FALSE(devices.topology);
  CHECK(devices.has("too-many-components"));
  CHECK(devices.has("too-many-ports"));
  std::string wires = head + "sockets: {cpu0: {}, cpu1: {}}\nwires:\n";
  for (std::size_t i = 0; i <= kMaxWires; ++i)
    wires += "  - {kind: socket, between: [cpu0, cpu1]}\n";
  CHECK(lab::parse(wires).has("too-many-components"));
}

TEST_CASE("thousands of wrong references end soon", "[topology][hostile]") {
  const lab::Outcome outcome = lab::parse(
      "peerfab: 1\nsockets: {cpu0: {}}\n" +
      many("devices", kMaxDevices, "{model: gpu, at: a-name-nobody-has-but-which-is-long-enough}"));
  CHECK(outcome.diagnostics.error_count() == kMaxDevices);
}

TEST_CASE("a large topology is fine", "[topology]") {
  std::string text = "peerfab: 1\nsockets: {cpu0: {root_ports: 8}}\ndevices:\n";
  for (int s = 0; s < 8; ++s) {
    const std::string name = "sw" + std::to_string(s);
    text += "  " + name + ": {model: switch, max_ports: 65, at: cpu0}\n";
    for (int d = 0; d < 64; ++d) {
      text += "  " + name + "g" + std::to_string(d) + ": {model: gpu, link: gen5 x8, at: " + name +
              "}\n";
    }
  }
  const Topology topology = lab::must_parse(text);
  CHECK(topology.endpoints().size() == 512);
  CHECK(matrix_view(topology).size() > 512 * 512 * 4);
}

}  // namespace peerfab::topology
