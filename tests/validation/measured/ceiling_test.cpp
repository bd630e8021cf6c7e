// SPDX-License-Identifier: Apache-2.0
// No simulated bandwidth exceeds the hard ceiling of the narrowest link on its way: encoded line
// rate x payload / (payload + overhead). Random widths, generations, sizes, directions.
#include <algorithm>
#include <string>

#include "sim/base/rng.h"
#include "sim/pcie/link_timing.h"
#include "tests/support/catch.h"
#include "tests/validation/measured/measure.h"

namespace peerfab::validation {
namespace {

struct Speed {
  unsigned generation;
  unsigned width;
};

Speed random_speed(Rng& rng) {
  return {static_cast<unsigned>(rng.between(1, 6)), 1U << rng.below(5)};
}

std::string text(Speed speed) {
  return "gen" + std::to_string(speed.generation) + " x" + std::to_string(speed.width);
}

std::string topology(Speed up, Speed source, Speed sink, unsigned payload, unsigned alignment) {
  const std::string both = ", max_payload_size: " + std::to_string(payload) +
                           "B, start_alignment: " + std::to_string(alignment) + "B";
  return "peerfab: 1\nname: random\nsockets:\n  cpu0: {memory_latency: 200ns, root_port_link: gen6 "
         "x16" +
         both +
         "}\ndevices:\n  sw0: {model: switch, at: cpu0, max_link: gen6 x16, link: " + text(up) +
         both + "}\n  a: {model: dma, at: sw0, max_link: gen6 x16, link: " + text(source) + both +
         ", outstanding_reads: 256, max_read_request: 4096B}\n  b: {model: dma, at: sw0, max_link: "
         "gen6 x16, link: " +
         text(sink) + both + "}\n";
}

}  // namespace

TEST_CASE("no bandwidth exceeds the hard ceiling") {
  Rng rng(20261130);
  for (unsigned i = 0; i < 60; ++i) {
    const Speed up = random_speed(rng);
    const Speed source = random_speed(rng);
    const Speed sink = random_speed(rng);
    const unsigned payload = 128U << rng.below(4);
    const unsigned alignment = rng.below(2) == 0 ? 4 : 16;
    const bool to_host = rng.below(3) == 0;
    const bool reads = rng.below(2) == 0;
    const Bytes chunk(rng.between(1, 16384));
    const Bytes size(chunk.count() * rng.between(50, 400));
    const std::string other = to_host ? "cpu0" : "b";
    scenario::FlowSpec spec =
        reads ? flow("f", other, "a", size, chunk, 16) : flow("f", "a", other, size, chunk, 16);
    spec.by = "a";
    const std::string yaml = topology(up, source, sink, payload, alignment);
    INFO(yaml);
    INFO("chunk " << chunk.count() << (reads ? " read" : " written"));
    const scenario::VariantResult result = simulate(yaml, {spec});
    // The largest TLP that the transfer can have; completions and low addresses have 12 B headers.
    const unsigned largest =
        static_cast<unsigned>(std::min<std::uint64_t>(payload, (chunk.count() + 3) / 4 * 4));
    std::uint64_t ceiling = ~std::uint64_t{0};
    for (const Speed& link : {source, to_host ? up : sink}) {
      ceiling = std::min(
          ceiling,
          pcie::payload_ceiling(link.generation, link.width, 12, largest).bytes_per_second());
    }
    CHECK(result.flows.front().bandwidth.bytes_per_second() <= ceiling);
    CHECK(result.flows.front().bandwidth.bytes_per_second() > 0);
    CHECK(result.flows.front().breakdown_mean.total() == result.flows.front().latency.mean);
  }
}

TEST_CASE("a warm-up makes no link faster: what arrived before it ended does not count") {
  const Speed speed{5, 16};
  const std::string yaml = topology(speed, speed, speed, 256, 4);
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  for (const char* const by : {"a", "b"}) {
    for (const std::uint64_t warm_up_us : {20, 60, 100, 130}) {
      scenario::FlowSpec spec = flow("f", "a", "b", Bytes(8 * kMiB), Bytes(4 * kMiB), 2);
      spec.by = by;
      INFO("by " << by << ", warm-up of " << warm_up_us << " us");
      const scenario::VariantResult result =
          simulate(yaml, {spec}, Picoseconds::max(), Picoseconds(warm_up_us * 1'000'000));
      const std::uint64_t ceiling = pcie::payload_ceiling(5, 16, 12, 256).bytes_per_second();
      CHECK(result.flows.front().bandwidth.bytes_per_second() <= ceiling);
      CHECK(result.flows.front().bandwidth.bytes_per_second() > ceiling / 10 * 9);
      CHECK(result.flows.front().bytes.count() < 8 * kMiB);
    }
  }
}

}  // namespace peerfab::validation
