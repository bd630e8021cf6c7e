// SPDX-License-Identifier: Apache-2.0
// What a switch adds to the way of a TLP.
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/models/model_lab.h"

namespace peerfab::models::test {
namespace {

using stats::Segment;

std::string below_a_switch(const std::string& sw, const std::string& first_link,
                           const std::string& second_link) {
  return "peerfab: 1\nname: a switch\nsockets:\n  cpu0: {model: root-complex}\ndevices:\n"
         "  sw0: {model: switch, at: cpu0, latency: 100ns" +
         sw +
         "}\n"
         "  dma0: {model: dma, at: sw0, launch: 0ns, memory_latency: 0ns, link: " +
         first_link + "}\n  dma1: {model: dma, at: sw0, link: " + second_link + "}\n";
}

// One write TLP of 256 B: 24 B of header, framing and LCRC and 256 B of payload on the wire,
// aligned to 4 B. Gen3 x4 carries a byte in 253.90625 ps, Gen3 x8 in half of it.
constexpr std::uint64_t kTlpX4 = 71'094;  // 280 B, rounded up

}  // namespace

TEST_CASE("cut-through adds its latency and no more", "[switch]") {
  ModelLab lab(below_a_switch("", "gen3 x4", "gen3 x4"));
  const device::DmaReport report = lab.write("dma0", "dma1", 256);
  CHECK(report.breakdown[Segment::kSerialisation] == Picoseconds(kTlpX4));
  CHECK(report.breakdown[Segment::kSwitch] == Picoseconds(100'000));
  CHECK(lab.statistic("sw0", "peer_to_peer") == 1);
  CHECK(lab.statistic("sw0", "peer_to_peer_bytes") == 256);
}

TEST_CASE("store-and-forward waits for the whole TLP", "[switch]") {
  ModelLab lab(below_a_switch(", forwarding: store-and-forward", "gen3 x4", "gen3 x4"));
  const device::DmaReport report = lab.write("dma0", "dma1", 256);
  CHECK(report.breakdown[Segment::kSerialisation] == Picoseconds(kTlpX4));
  CHECK(report.breakdown[Segment::kSwitch] == Picoseconds(100'000 + kTlpX4));
}

TEST_CASE("from a slow link to a fast one a switch stores even when it cuts through", "[switch]") {
  ModelLab lab(below_a_switch("", "gen3 x4", "gen3 x8"));
  const device::DmaReport report = lab.write("dma0", "dma1", 256);
  CHECK(lab.statistic("sw0", "stored_and_forwarded") == 1);
  // The slow link's time is the serialisation; the fast one's is paid in the switch's part.
  CHECK(report.breakdown[Segment::kSerialisation] == Picoseconds(kTlpX4));
  CHECK(report.breakdown[Segment::kSwitch] == Picoseconds(100'000 + kTlpX4 / 2));
}

TEST_CASE("from a fast link to a slow one a switch cuts through", "[switch]") {
  ModelLab lab(below_a_switch("", "gen3 x8", "gen3 x4"));
  const device::DmaReport report = lab.write("dma0", "dma1", 256);
  CHECK(lab.statistic("sw0", "stored_and_forwarded") == 0);
  CHECK(report.breakdown[Segment::kSerialisation] == Picoseconds(kTlpX4));
  CHECK(report.breakdown[Segment::kSwitch] == Picoseconds(100'000));
}

TEST_CASE("what goes up and down a switch is counted", "[switch]") {
  ModelLab lab(below_a_switch("", "gen3 x4", "gen3 x4"));
  CHECK(lab.write("dma0", "cpu0", 1024).error.empty());
  CHECK(lab.statistic("sw0", "forwarded_up") == 2);  // two writes of 512 B
  CHECK(lab.read("dma0", "cpu0", 1024).error.empty());
  CHECK(lab.statistic("sw0", "forwarded_up") == 4);    // two requests of 512 B
  CHECK(lab.statistic("sw0", "forwarded_down") >= 4);  // completions of 256 B at most
  CHECK(lab.statistic("sw0", "peer_to_peer") == 0);
}

}  // namespace peerfab::models::test
