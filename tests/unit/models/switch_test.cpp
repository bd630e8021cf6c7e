// SPDX-License-Identifier: Apache-2.0
// What a switch adds to the way of a TLP.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

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

namespace {

// Three engines write 1 MiB each into the same place at once, over one narrow link. When each
// ended.
class Ends final : public device::DmaListener {
 public:
  Ends(ModelLab& lab, std::string_view target) {
    for (const std::string_view name : {"dma0", "dma1", "dma2"}) {
      device::DmaJob job;
      job.remote = *lab.model(target).memory_target()->map(0, kBytes);
      job.length = kBytes;
      lab.model(name).initiator()->submit(0, job, *this, ends_.size(), Picoseconds());
      ends_.emplace_back();
    }
    lab.system().engine().run();
  }
  void dma_done(const device::DmaReport& report) override {
    CHECK(report.error.empty());
    ends_[report.cookie] = report.end;
  }
  // In percent of the last one's.
  [[nodiscard]] std::uint64_t percent(unsigned who) const {
    const Picoseconds last = *std::max_element(ends_.begin(), ends_.end());
    return ends_[who].count() * 100 / last.count();
  }

 private:
  static constexpr std::uint64_t kBytes = std::uint64_t{1} << 20;
  std::vector<Picoseconds> ends_;
};

// dma1 has twice, dma2 five times the weight of dma0: dma2 ends when 8/5 of a job have gone over
// the link, dma1 after that and 3/2 of what it has left then, dma0 with the third job.
void check_weighted(const Ends& ends) {
  CHECK(ends.percent(0) == 100);
  CHECK(ends.percent(1) >= 81);
  CHECK(ends.percent(1) <= 85);
  CHECK(ends.percent(2) >= 52);
  CHECK(ends.percent(2) <= 55);
}

std::string three_engines(const std::string& at) {
  std::string text;
  const char* const weights[] = {"", ", arbitration_weight: 2", ", arbitration_weight: 5"};
  for (unsigned i = 0; i < 3; ++i) {
    text += "  dma" + std::to_string(i) + ": {model: dma, at: " + at + ", link: gen3 x16" +
            weights[i] + "}\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a switch shares its uplink by the weights of what is below it", "[switch]") {
  ModelLab lab(
      "peerfab: 1\nname: weights\nsockets:\n  cpu0: {model: root-complex}\ndevices:\n"
      "  sw0: {model: switch, at: cpu0, link: gen3 x4, arbitration: weighted-round-robin}\n" +
      three_engines("sw0"));
  check_weighted(Ends(lab, "cpu0"));
}

TEST_CASE("weights mean nothing to a switch that arbitrates by plain round robin", "[switch]") {
  ModelLab lab(
      "peerfab: 1\nname: no weights\nsockets:\n  cpu0: {model: root-complex}\ndevices:\n"
      "  sw0: {model: switch, at: cpu0, link: gen3 x4}\n" +
      three_engines("sw0"));
  const Ends ends(lab, "cpu0");
  for (unsigned i = 0; i < 3; ++i) CHECK(ends.percent(i) >= 98);
}

TEST_CASE("a root complex shares a root port by the weights of what is below the others",
          "[root-complex]") {
  ModelLab lab(
      "peerfab: 1\nname: weights\nsockets:\n"
      "  cpu0: {model: root-complex, arbitration: weighted-round-robin}\ndevices:\n"
      "  card0: {model: memory, at: cpu0, link: gen3 x4}\n" +
      three_engines("cpu0"));
  check_weighted(Ends(lab, "card0"));
}

}  // namespace peerfab::models::test
