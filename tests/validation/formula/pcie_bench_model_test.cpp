// SPDX-License-Identifier: Apache-2.0
// Properties of the closed form that no table row states.
#include "tests/validation/formula/pcie_bench_model.h"

#include "sim/pcie/link_timing.h"
#include "tests/support/catch.h"

namespace peerfab::validation {
namespace {

TEST_CASE("the closed form stays below the hard ceiling", "[validation][formula]") {
  for (unsigned generation = 1; generation <= 5; ++generation) {
    for (unsigned width = 1; width <= 16; width *= 2) {
      for (unsigned max_payload = 128; max_payload <= 4096; max_payload *= 2) {
        BenchSetting setting;
        setting.generation = generation;
        setting.width = width;
        setting.max_payload = max_payload;
        setting.max_read_request = 4096;
        const Bandwidth ceiling = pcie::payload_ceiling(generation, width, 12, max_payload);
        const double gbps = static_cast<double>(ceiling.bytes_per_second()) * 8e-9;
        for (const unsigned size : {64U, 256U, 1024U, 4096U}) {
          CHECK(write_gbps(setting, size) < gbps);
          CHECK(read_gbps(setting, size) < gbps);
          CHECK(read_write_gbps(setting, size) <= write_gbps(setting, size));
          CHECK(read_write_gbps(setting, size) <= read_gbps(setting, size));
        }
      }
    }
  }
}

TEST_CASE("small reads are bound by their requests where those are larger",
          "[validation][formula]") {
  BenchSetting setting;
  setting.digest = true;
  // 1 B: a request of 28 B against a completion of 25 B.
  const double expected = tlp_gbps(setting) / 28.0;
  CHECK(read_gbps(setting, 1) > expected * 0.999999);
  CHECK(read_gbps(setting, 1) < expected * 1.000001);
}

}  // namespace
}  // namespace peerfab::validation
