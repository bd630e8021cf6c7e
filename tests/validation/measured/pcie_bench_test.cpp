// SPDX-License-Identifier: Apache-2.0
// pcie-bench rows PB001 to PB036: a Netronome NFP6000 on Gen3 x8 in two hosts, IOMMU off, warm
// cache, aligned. Source of all rows: github:pcie-bench/data@b2abf2f7,
// nfp6000-1.2GHz_{hsw-Xeon-E5-2637v3_supermicro,bdw-Xeon-E5-2630v4-dell-t430-s0-s0-s0}/
// bw_dma_sz_sweep.txt. Windows are those of the curated table of anchors.
#include <string>

#include "tests/support/catch.h"
#include "tests/validation/measured/measure.h"

namespace peerfab::validation {
namespace {

enum class Operation { kRead, kWrite, kBoth };

struct Row {
  const char* id;
  Operation operation;
  std::uint64_t size;  // bytes of one operation
  double measured;     // Gb/s of payload; of each direction for kBoth
  double low;
  double high;
};

// Operations in flight: the benchmark keeps the engine's queue full.
constexpr unsigned kQueueDepth = 64;
constexpr std::uint64_t kOperations = 10'000'000;  // more than the duration lets through
constexpr Picoseconds kDuration(500'000'000);
constexpr double kGigabit = 1e9 / 8;

void check(const Row& row, const std::string& topology) {
  const Bytes chunk(row.size);
  const Bytes size(row.size * kOperations);
  std::vector<scenario::FlowSpec> flows;
  if (row.operation != Operation::kWrite) {
    flows.push_back(flow("read", "cpu0", "nfp", size, chunk, kQueueDepth));
  }
  if (row.operation != Operation::kRead) {
    flows.push_back(flow("write", "nfp", "cpu0", size, chunk, kQueueDepth));
  }
  const scenario::VariantResult result = simulate(topology, flows, kDuration);
  // The benchmark alternates reads and writes, so that either direction moves the mean of what the
  // two, left to themselves, move in the same time.
  std::uint64_t rate = 0;
  for (const scenario::FlowResult& one : result.flows) {
    rate += one.bandwidth.bytes_per_second() / flows.size();
  }
  check_row(row.id, rate, row.measured, row.low, row.high, kGigabit, "Gb/s");
}

constexpr Row kHaswell[] = {
    {"PB001", Operation::kRead, 64, 28.65, 24.3525, 32.9475},
    {"PB002", Operation::kRead, 128, 42.962, 36.5177, 49.4063},
    {"PB003", Operation::kRead, 256, 46.892, 42.2028, 51.5812},
    {"PB004", Operation::kRead, 512, 55.11, 49.599, 58.4491},
    {"PB005", Operation::kRead, 1024, 49.103, 44.1927, 54.0133},
    {"PB006", Operation::kRead, 2048, 55.248, 49.7232, 58.4491},
    {"PB007", Operation::kWrite, 64, 24.269, 20.62865, 27.90935},
    {"PB008", Operation::kWrite, 128, 42.402, 36.0417, 48.7623},
    {"PB009", Operation::kWrite, 256, 50.545, 45.4905, 55.5995},
    {"PB010", Operation::kWrite, 512, 54.443, 48.9987, 57.6141},
    {"PB011", Operation::kWrite, 1024, 54.444, 48.9996, 57.6141},
    {"PB012", Operation::kWrite, 2048, 54.444, 48.9996, 57.6141},
    {"PB013", Operation::kBoth, 64, 22.95, 19.5075, 26.3925},
    {"PB014", Operation::kBoth, 128, 33.823, 28.74955, 38.89645},
    {"PB015", Operation::kBoth, 256, 42.078, 37.8702, 46.2858},
    {"PB016", Operation::kBoth, 512, 42.672, 38.4048, 46.9392},
    {"PB017", Operation::kBoth, 1024, 43.841, 39.4569, 48.2251},
    {"PB018", Operation::kBoth, 2048, 49.169, 44.2521, 54.0859},
};

constexpr Row kBroadwell[] = {
    {"PB019", Operation::kRead, 64, 31.906, 27.1201, 36.6919},
    {"PB020", Operation::kRead, 128, 43.766, 37.2011, 50.3309},
    {"PB021", Operation::kRead, 256, 47.67, 42.903, 52.437},
    {"PB022", Operation::kRead, 512, 55.034, 49.5306, 58.4491},
    {"PB023", Operation::kRead, 1024, 55.413, 49.8717, 58.4491},
    {"PB024", Operation::kRead, 2048, 55.579, 50.0211, 58.4491},
    {"PB025", Operation::kWrite, 64, 24.269, 20.62865, 27.90935},
    {"PB026", Operation::kWrite, 128, 42.355, 36.00175, 48.70825},
    {"PB027", Operation::kWrite, 256, 50.488, 45.4392, 55.5368},
    {"PB028", Operation::kWrite, 512, 53.013, 47.7117, 57.6141},
    {"PB029", Operation::kWrite, 1024, 53.013, 47.7117, 57.6141},
    {"PB030", Operation::kWrite, 2048, 53.013, 47.7117, 57.6141},
    {"PB031", Operation::kBoth, 64, 23.084, 19.6214, 26.5466},
    {"PB032", Operation::kBoth, 128, 33.856, 28.7776, 38.9344},
    {"PB033", Operation::kBoth, 256, 42.087, 37.8783, 46.2957},
    {"PB034", Operation::kBoth, 512, 42.678, 38.4102, 46.9458},
    {"PB035", Operation::kBoth, 1024, 43.556, 39.2004, 47.9116},
    {"PB036", Operation::kBoth, 2048, 52.0, 46.8, 57.0033},
};

}  // namespace

TEST_CASE("pcie-bench bandwidth on the Haswell host, rows PB001 to PB018") {
  for (const Row& row : kHaswell) {
    check(row, R"(peerfab: 1
name: NFP6000 in a Haswell host
sockets:
  cpu0: {preset: xeon-haswell-e5-2637v3}
devices:
  nfp: {model: dma, preset: nfp6000, at: cpu0, link: gen3 x8}
)");
  }
}

TEST_CASE("pcie-bench bandwidth on the Broadwell host, rows PB019 to PB036") {
  for (const Row& row : kBroadwell) {
    check(row, R"(peerfab: 1
name: NFP6000 in a Broadwell host
sockets:
  cpu0: {preset: xeon-broadwell-e5-2630v4}
devices:
  nfp: {model: dma, preset: nfp6000, at: cpu0, link: gen3 x8, max_read_request: 4096B}
)");
  }
}

}  // namespace peerfab::validation
