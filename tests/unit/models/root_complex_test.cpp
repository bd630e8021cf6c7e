// SPDX-License-Identifier: Apache-2.0
// What the root complex does with requests from one root port to another.
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/models/model_lab.h"

namespace peerfab::models::test {
namespace {

constexpr std::uint64_t kBytes = 4096;
constexpr std::uint64_t kPayload = 512;  // Max_Payload_Size in force
constexpr std::uint64_t kElsewhere = std::uint64_t{1} << 29;

// Two DMA engines on root ports of their own.
std::string two_root_ports(const std::string& root_complex) {
  return "peerfab: 1\nname: two root ports\nsockets:\n  cpu0: {model: root-complex" + root_complex +
         "}\ndevices:\n  dma0: {model: dma, at: cpu0}\n  dma1: {model: dma, at: cpu0}\n";
}

}  // namespace

TEST_CASE("a root complex passes requests on between its root ports", "[root-complex]") {
  ModelLab lab(two_root_ports(""));
  CHECK(lab.write("dma0", "dma1", kBytes, kElsewhere).error.empty());
  CHECK(lab.bytes("dma1", kElsewhere, kBytes) == lab.bytes("dma0", 0, kBytes));
  CHECK(lab.statistic("cpu0", "peer_to_peer") == kBytes / kPayload);
  CHECK(lab.statistic("cpu0", "peer_to_peer_bytes") == kBytes);
  CHECK(lab.read("dma0", "dma1", kBytes, kElsewhere).error.empty());
  CHECK(lab.statistic("cpu0", "refused") == 0);
}

TEST_CASE("a root complex that passes on posted requests only refuses reads", "[root-complex]") {
  ModelLab lab(two_root_ports(", p2p: posted-only"));
  CHECK(lab.write("dma0", "dma1", kBytes, kElsewhere).error.empty());
  CHECK(lab.bytes("dma1", kElsewhere, kBytes) == lab.bytes("dma0", 0, kBytes));
  CHECK(lab.read("dma0", "dma1", 512, kElsewhere).error ==
        "a read was answered with Unsupported Request");
}

TEST_CASE("without peer-to-peer a write vanishes and a read is refused", "[root-complex]") {
  ModelLab lab(two_root_ports(", p2p: none-ur"));
  const std::vector<std::byte> before = lab.bytes("dma1", kElsewhere, kBytes);
  CHECK(lab.write("dma0", "dma1", kBytes, kElsewhere).error.starts_with("a write was discarded: "));
  CHECK(lab.bytes("dma1", kElsewhere, kBytes) == before);
  CHECK(lab.read("dma0", "dma1", 512, kElsewhere).error ==
        "a read was answered with Unsupported Request");
  CHECK(lab.statistic("cpu0", "refused") == kBytes / kPayload + 1);
  CHECK(lab.statistic("cpu0", "peer_to_peer") == 0);
}

TEST_CASE("a root complex may answer with all bits set, and nobody is told", "[root-complex]") {
  ModelLab lab(two_root_ports(", p2p: none-all-ones"));
  CHECK(lab.read("dma0", "dma1", 512, kElsewhere).error.empty());
  CHECK(lab.bytes("dma0", 0, 512) == std::vector<std::byte>(512, std::byte{0xff}));
}

TEST_CASE("a write that is split on its way arrives whole, and its sender hears of it once",
          "[root-complex]") {
  ModelLab lab(two_root_ports(", p2p_split: 64B"));
  // From the middle of a line on: seven TLPs of 512 B become a half, seven whole lines and a half
  // each, the last one of 416 B a half and six lines.
  CHECK(lab.write("dma0", "dma1", kBytes - 96, kElsewhere + 32).error.empty());
  CHECK(lab.bytes("dma1", kElsewhere + 32, kBytes - 96) == lab.bytes("dma0", 0, kBytes - 96));
  CHECK(lab.statistic("dma1", "requests_served") == 7 * 9 + 7);
  CHECK(lab.statistic("cpu0", "peer_to_peer_split") == lab.statistic("cpu0", "peer_to_peer"));
}

TEST_CASE("the pieces of a split write pass a switch and the link between sockets",
          "[root-complex]") {
  // Enough pieces to use up every buffer on the way many times over.
  ModelLab lab(
      "peerfab: 1\nname: pieces on a long way\nsockets:\n"
      "  cpu0: {model: root-complex, p2p_split: 64B}\n"
      "  cpu1: {model: root-complex, p2p_split: 64B}\n"
      "devices:\n"
      "  sw0:  {model: switch, at: cpu0, posted_header_credits: 20}\n"
      "  sw1:  {model: switch, at: cpu1, posted_header_credits: 20}\n"
      "  dma0: {model: dma, at: cpu0}\n"
      "  near: {model: dma, at: sw0}\n"
      "  far:  {model: dma, at: sw1}\n"
      "wires:\n"
      "  - {kind: socket, between: [cpu0, cpu1], bandwidth: 20GB/s, latency: 50ns}\n");
  constexpr std::uint64_t kMuch = std::uint64_t{1} << 20;
  for (const char* const target : {"near", "far"}) {
    INFO(target);
    CHECK(lab.write("dma0", target, kMuch, kElsewhere).error.empty());
    CHECK(lab.bytes(target, kElsewhere, kMuch) == lab.bytes("dma0", 0, kMuch));
  }
}

TEST_CASE("host memory holds what a device wrote", "[root-complex]") {
  ModelLab lab(two_root_ports(", memory_latency: 400ns"));
  CHECK(lab.write("dma0", "cpu0", kBytes, 0x100000).error.empty());
  CHECK(lab.bytes("cpu0", 0x100000, kBytes) == lab.bytes("dma0", 0, kBytes));
  const device::DmaReport report = lab.read("dma1", "cpu0", 64, 0x100000);
  CHECK(report.error.empty());
  CHECK(lab.bytes("dma1", 0, 64) == lab.bytes("dma0", 0, 64));
  CHECK(report.breakdown[stats::Segment::kMemory] == Picoseconds(400'000));
}

}  // namespace peerfab::models::test
