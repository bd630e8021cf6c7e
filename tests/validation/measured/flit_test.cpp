// SPDX-License-Identifier: Apache-2.0
// Gen6 links from the topology to the result. Nothing was measured: the reference is arithmetic.
// 64 GT/s x 16 lanes / 8 is 128 GB/s on the wire, and 236 of the 256 B of a flit carry TLPs:
// 118 GB/s. A TLP of P bytes behind a header of H gives P / (P + H) of it, no DLLP takes anything,
// and SKP ordered sets take 640 B of every 748 x 256 + 640. The 121 GB/s of press releases is
// 128 x 242 / 256: it counts the DLP bytes as payload.
#include <string>

#include "sim/pcie/link_timing.h"
#include "tests/support/catch.h"
#include "tests/validation/measured/measure.h"

namespace peerfab::validation {
namespace {

constexpr unsigned kHeader = 16;  // the addresses lie above 4 GiB

std::string topology(const std::string& link, unsigned payload, const std::string& reads = "64") {
  const std::string both =
      ", posted_header_credits: 0, posted_data_credits: 0, nonposted_header_credits: 0, "
      "completion_header_credits: 0, completion_data_credits: 0, max_payload_size: " +
      std::to_string(payload) + "B";
  const std::string device =
      "{model: dma, at: sw0, max_link: gen6 x16, max_read_request: 4096B, link: " + link + both +
      ", outstanding_reads: " + reads + ", outstanding_writes: 4096}";
  return "peerfab: 1\nname: gen6\nsockets:\n  cpu0: {memory_latency: 2us, root_port_link: gen6 "
         "x16" +
         both + "}\ndevices:\n  sw0: {model: switch, at: cpu0, max_link: gen6 x16, link: " + link +
         both + "}\n  a: " + device + "\n  b: " + device + "\n";
}

std::uint64_t written(const std::string& link, unsigned payload) {
  scenario::FlowSpec spec = copy("f", "a", "b", Bytes(std::uint64_t{64} << 20));
  spec.by = "a";
  return simulate(topology(link, payload), {spec}).flows.front().bandwidth.bytes_per_second();
}

}  // namespace

TEST_CASE("a Gen6 x16 link carries 118 GB/s of TLPs") {
  for (const unsigned payload : {128U, 256U, 512U, 1024U, 2048U, 4096U}) {
    INFO("payload " << payload);
    const double skips = 1 - 640.0 / (748 * 256 + 640);
    const double expected = 128e9 * 236 / 256 * skips * payload / (payload + kHeader);
    const std::uint64_t got = written("gen6 x16", payload);
    // What is missing is the time of the first and the last byte on their way.
    CHECK(static_cast<double>(got) > expected * 0.998);
    CHECK(static_cast<double>(got) < expected * 1.0005);
    CHECK(got <= pcie::payload_ceiling(6, 16, kHeader, payload).bytes_per_second());
  }
}

TEST_CASE("Gen6 at half the width is twice Gen5 at a quarter, but for coding and framing") {
  // Gen6 x8: 59 GB/s of TLP bytes. Gen5 x16: 63.015 GB/s, and 8 B of framing a TLP.
  const auto gen6 = static_cast<double>(written("gen6 x8", 256));
  const auto gen5 = static_cast<double>(written("gen5 x16", 256));
  const double expected = (59.0 / (256 + kHeader)) / (63.015 / (256 + kHeader + 8));
  CHECK(gen6 / gen5 > expected * 0.98);
  CHECK(gen6 / gen5 < expected * 1.02);
}

TEST_CASE("14-bit tags keep more than 768 reads in flight") {
  // Reads of 64 B from a far memory: bandwidth is the tags in flight over the round trip.
  const auto read = [](const std::string& tags) {
    scenario::FlowSpec spec =
        flow("f", "cpu0", "a", Bytes(std::uint64_t{4} << 20), Bytes(64), 8192);
    spec.by = "a";
    return simulate(topology("gen6 x16", 256, tags), {spec})
        .flows.front()
        .bandwidth.bytes_per_second();
  };
  const std::uint64_t with_768 = read("768");
  CHECK(with_768 > read("256") * 5 / 2);
  CHECK(read("2048") > with_768 * 5 / 2);
}

}  // namespace peerfab::validation
