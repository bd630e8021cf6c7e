// SPDX-License-Identifier: Apache-2.0
// What a run needs of memory: after warm-up no TLP allocates anything, and a run without payload
// needs what its topology needs, however many bytes it moves.
#include "tests/bench/all_to_all.h"
#include "tests/support/catch.h"
#include "tests/support/engine_allocations.h"
#include "tests/validation/measured/measure.h"

namespace peerfab::validation {

TEST_CASE("no TLP allocates after warm-up") {
  bench::AllToAll load({8, false, 64});
  // Until every kind of object has been in use: a stream finishes its first job after 130 us.
  load.run(Picoseconds(300'000'000));
  const std::uint64_t hops = load.hops();
  const std::uint64_t before = test::allocations();
  load.run(Picoseconds(500'000'000));
  CHECK(load.hops() > hops + 1'000'000);
  CHECK(test::allocations() == before);
}

TEST_CASE("no TLP allocates after warm-up with real payload") {
  bench::AllToAll load({8, true, 64});
  // Until every stream has written all of its megabyte.
  load.run(Picoseconds(300'000'000));
  const std::uint64_t before = test::allocations();
  load.run(Picoseconds(200'000'000));
  CHECK(test::allocations() == before);
}

TEST_CASE("peak memory without payload does not depend on the bytes moved") {
  const std::string topology = R"(peerfab: 1
name: two GPUs
sockets:
  cpu0: {preset: xeon-sapphire-rapids}
devices:
  sw0:  {model: switch, preset: pex89104, at: cpu0, link: gen5 x16}
  gpu0: {model: gpu, preset: h200-pcie, at: sw0, link: gen5 x16}
  gpu1: {model: gpu, preset: h200-pcie, at: sw0, link: gen5 x16}
)";
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  const Bytes small =
      simulate(topology, {copy("copy", "gpu0", "gpu1", Bytes(16 * kMiB))}).host.peak_memory;
  const Bytes large =
      simulate(topology, {copy("copy", "gpu0", "gpu1", Bytes(512 * kMiB))}).host.peak_memory;
  CHECK(large.count() <= small.count() + 2 * kMiB);
}

}  // namespace peerfab::validation
