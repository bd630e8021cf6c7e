// SPDX-License-Identifier: Apache-2.0
// A copy through host memory crosses the root port's link once up and once down, which are separate
// directions: how much slower it is than peer to peer follows from how the two halves overlap.
#include "tests/support/catch.h"
#include "tests/validation/measured/measure.h"

namespace peerfab::validation {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

scenario::VariantResult run(scenario::Via via, unsigned buffers) {
  scenario::FlowSpec spec = copy("copy", "gpu0", "gpu1", Bytes(256 * kMiB));
  spec.via = via;
  spec.staging_buffers = buffers;
  return simulate(R"(peerfab: 1
name: two GPUs
sockets:
  cpu0: {preset: xeon-sapphire-rapids}
devices:
  sw0:  {model: switch, preset: pex89104, at: cpu0, link: gen5 x16}
  gpu0: {model: gpu, preset: h200-pcie, at: sw0, link: gen5 x16}
  gpu1: {model: gpu, preset: h200-pcie, at: sw0, link: gen5 x16}
)",
                  {spec});
}

const scenario::LinkResult& uplink(const scenario::VariantResult& result,
                                   const std::string& direction) {
  for (const scenario::LinkResult& link : result.links) {
    if (link.name == "cpu0-sw0" && link.direction == direction) return link;
  }
  FAIL("no link cpu0-sw0");
  return result.links.front();
}

}  // namespace

TEST_CASE("only an unpipelined bounce halves the bandwidth") {
  const scenario::VariantResult p2p = run(scenario::Via::kP2p, 2);
  const scenario::VariantResult one = run(scenario::Via::kHost, 1);
  const scenario::VariantResult two = run(scenario::Via::kHost, 2);
  const scenario::VariantResult four = run(scenario::Via::kHost, 4);
  const std::uint64_t direct = total_rate(p2p);

  // With one buffer the halves take turns. Each is a copy with a launch of its own, so it is
  // somewhat less than half.
  CHECK(total_rate(one) * 100 <= direct * 50);
  CHECK(total_rate(one) * 100 >= direct * 35);
  // With two the halves overlap; what is left of the loss are the launches.
  CHECK(total_rate(two) * 100 >= direct * 70);
  CHECK(total_rate(two) < direct);
  // More buffers add nothing: the copies of either engine follow one another already.
  CHECK(total_rate(four) * 100 <= total_rate(two) * 105);

  CHECK(uplink(p2p, "up").payload == Bytes());
  CHECK(uplink(p2p, "down").payload == Bytes());
  for (const scenario::VariantResult* bounce : {&one, &two, &four}) {
    CHECK(uplink(*bounce, "up").payload == Bytes(256 * kMiB));
    CHECK(uplink(*bounce, "down").payload == Bytes(256 * kMiB));
  }
}

TEST_CASE("a copy through a small BAR1 moves the same bytes as through a large one") {
  scenario::FlowSpec spec = copy("copy", "gpu0", "gpu1", Bytes(256 * kMiB));
  spec.via = scenario::Via::kP2p;
  const scenario::VariantResult result = simulate(R"(peerfab: 1
name: two GPUs
sockets:
  cpu0: {preset: xeon-sapphire-rapids}
devices:
  sw0:  {model: switch, preset: pex89104, at: cpu0, link: gen5 x16}
  gpu0: {model: gpu, preset: h200-pcie, at: sw0, link: gen5 x16}
  gpu1: {model: gpu, preset: h200-pcie, at: sw0, link: gen5 x16, bar1: 16MiB}
)",
                                                  {spec});
  CHECK(result.flows.front().bytes == Bytes(256 * kMiB));
  CHECK(uplink(result, "up").payload == Bytes());
}

}  // namespace peerfab::validation
