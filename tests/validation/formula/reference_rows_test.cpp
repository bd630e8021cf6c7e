// SPDX-License-Identifier: Apache-2.0
// The rows of ../shared/validation/anchors_open.csv that are closed forms (counts=formula) or plain
// constants of the protocol (counts=spec), each computed from our code. Values, windows and sources
// are written out here, so that the test stands without the table; where the table is at hand, it
// is checked that no such row is missing here and that the values are the table's.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/pcie/credits.h"
#include "sim/pcie/dllp_timing.h"
#include "sim/pcie/link_timing.h"
#include "sim/pcie/spec.h"
#include "tests/conformance/reference_table.h"
#include "tests/support/catch.h"
#include "tests/validation/formula/pcie_bench_model.h"

namespace peerfab::validation {
namespace {

using pcie::CreditType;
namespace spec = pcie::spec;

BenchSetting setting(unsigned generation, unsigned width, unsigned max_payload) {
  BenchSetting result;
  result.generation = generation;
  result.width = width;
  result.max_payload = max_payload;
  return result;
}

BenchSetting with_32_bit_addresses() {
  BenchSetting result;
  result.address_bits = 32;
  return result;
}

double ack(unsigned generation, unsigned width, unsigned max_payload) {
  return pcie::ack_latency_limit_symbols(generation, width, max_payload);
}
double replay(unsigned generation, unsigned width, unsigned max_payload) {
  return pcie::replay_timer_limit_symbols(generation, width, max_payload);
}
double seconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

struct ReferenceRow {
  const char* id;
  double value;
  double lo;
  double hi;
  double ours;
};

// pcie-bench/pcie-model at 40703cfe, model/pcie.py; the bandwidths to rounding as published in
// pcie-bench/data at b2abf2f7, bw_calc.dat (Gen3 x8, MPS 256, MRRS 512).
std::vector<ReferenceRow> formula_rows() {
  const BenchSetting gen3x8 = setting(3, 8, 256);
  BenchSetting digest = gen3x8;
  digest.digest = true;
  const double digest_bytes = write_overhead_bytes(digest) - write_overhead_bytes(gen3x8);
  return {
      {"MD128", 24, 24, 24, static_cast<double>(write_overhead_bytes(gen3x8))},
      {"MD129", 20, 20, 20, static_cast<double>(write_overhead_bytes(with_32_bit_addresses()))},
      {"MD130", 24, 24, 24, static_cast<double>(read_request_bytes(gen3x8))},
      {"MD131", 20, 20, 20, static_cast<double>(read_request_bytes(with_32_bit_addresses()))},
      {"MD132", 20, 20, 20, static_cast<double>(completion_overhead_bytes(gen3x8))},
      {"MD133", 4, 4, 4, digest_bytes},
      {"MD134", 8, 8, 8, static_cast<double>(pcie::dllp_wire_bytes(3))},
      {"MD135", 1538, 1538, 1538, spec::kSkpMaxIntervalSymbols},
      {"MD136", 4, 4, 4, spec::kSkpSymbols8b10b},
      {"MD137", 57.8848, 57.855858, 57.913742, tlp_gbps(gen3x8)},
      {"MD138", 56.6659, 56.637567, 56.694233, tlp_gbps(setting(3, 8, 128))},
      {"MD139", 113.7001, 113.64325, 113.75695, tlp_gbps(setting(3, 16, 256))},
      {"MD140", 227.4001, 227.2864, 227.5138, tlp_gbps(setting(4, 16, 256))},
      {"MD142", 42.1, 42.094, 42.106, write_gbps(gen3x8, 64)},
      {"MD143", 44.1, 44.094, 44.106, read_gbps(gen3x8, 64)},
      {"MD144", 33.08, 33.074, 33.086, read_write_gbps(gen3x8, 64)},
      {"MD148", 52.92, 52.914, 52.926, write_gbps(gen3x8, 256)},
      {"MD149", 53.69, 53.684, 53.696, read_gbps(gen3x8, 256)},
      {"MD150", 48.75, 48.744, 48.756, read_write_gbps(gen3x8, 256)},
      {"MD151", 52.92, 52.914, 52.926, write_gbps(gen3x8, 512)},
      {"MD152", 53.69, 53.684, 53.696, read_gbps(gen3x8, 512)},
      {"MD153", 50.75, 50.744, 50.756, read_write_gbps(gen3x8, 512)},
  };
}

std::vector<ReferenceRow> spec_rows() {
  return {
      // Per-lane rate after coding, Gb/s: pcie-model, model/pcie.py.
      {"PC157", 2.0, 1.999998, 2.000002, encoded_gbps(1, 1)},
      {"PC158", 4.0, 3.999996, 4.000004, encoded_gbps(2, 1)},
      {"PC159", 7.876923, 7.876915, 7.876931, encoded_gbps(3, 1)},
      {"PC160", 15.753846, 15.75383, 15.753862, encoded_gbps(4, 1)},
      {"PC161", 31.507692, 31.50766, 31.507724, encoded_gbps(5, 1)},
      // A flit's share of TLP bytes: https://glennklockwood.com/garden/PCIe-Gen6.
      {"PC162", 0.921875, 0.921875, 0.921875,
       static_cast<double>(spec::kFlitTlpBytes) / spec::kFlitBytes},
      // Symbol times: MindShare, PCI Express Technology 3.0, tables 10-3 to 10-8.
      {"PC163", 237, 237, 237, ack(1, 1, 128)},
      {"PC164", 711, 711, 711, replay(1, 1, 128)},
      {"PC165", 107, 107, 107, ack(1, 8, 256)},
      {"PC166", 321, 321, 321, replay(1, 8, 256)},
      {"PC167", 168, 168, 168, ack(3, 16, 256)},
      {"PC169", 203, 203, 203, ack(3, 8, 256)},
      {"PC170", 609, 609, 609, replay(3, 8, 256)},
      {"PC171", 182, 182, 182, ack(3, 16, 512)},
      {"PC173", 4239, 4239, 4239, ack(3, 1, 4096)},
      {"PC174", 12717, 12717, 12717, replay(3, 1, 4096)},
      // Credits: the same book, tables 6-1 and 6-2.
      {"PC175", 16, 16, 16, spec::kCreditUnitBytes},
      {"PC176", 20, 20, 20, spec::kRequestHeaderCreditBytes},
      {"PC177", 16, 16, 16, spec::kCompletionHeaderCreditBytes},
      {"PC178", 1, 1, 1, static_cast<double>(min_initial_credits(CreditType::kPostedHeader, 1024))},
      {"PC179", 1, 1, 1,
       static_cast<double>(min_initial_credits(CreditType::kNonPostedHeader, 1024))},
      {"PC180", 1, 1, 1, static_cast<double>(min_initial_credits(CreditType::kNonPostedData, 16))},
      {"PC183", 64, 64, 64,
       static_cast<double>(min_initial_credits(CreditType::kPostedData, 1024))},
      {"PC184", 0, 0, 0, spec::kInfiniteCredits},
      // Completion timeout ranges, s: Intel 683724, table 15.
      {"PC185", 5e-05, 5e-05, 5e-05, seconds(spec::kCompletionTimeoutRangeALowNs)},
      {"PC186", 0.01, 0.01, 0.01, seconds(spec::kCompletionTimeoutRangeAHighNs)},
      {"PC187", 0.25, 0.25, 0.25, seconds(spec::kCompletionTimeoutRangeBHighNs)},
      {"PC188", 4, 4, 4, seconds(spec::kCompletionTimeoutRangeCHighNs)},
      {"PC189", 64, 64, 64, seconds(spec::kCompletionTimeoutRangeDHighNs)},
      // Read completion boundary, B; the other choice is checked below.
      {"PC190", 64, 64, 128, spec::kRcbSmallBytes},
      // Write efficiency without DLLPs, MPS 256, 3 DW header: Intel AN 456.
      {"PC191", 0.9275, 0.922863, 0.932137,
       256.0 / pcie::LinkTiming(pcie::LinkConfig{3, 8, 4}).tlp_wire_bytes(12, 256, false)},
      // Peak of an FPGA's DMA, GB/s, Gen3 x8, MPS 256: Intel AN 690. Ours is the hard ceiling.
      {"PC192", 7.1, 6.745, 7.455,
       static_cast<double>(pcie::payload_ceiling(3, 8, 16, 256).bytes_per_second()) * 1e-9},
  };
}

void check_rows(const std::vector<ReferenceRow>& rows) {
  for (const ReferenceRow& row : rows) {
    INFO(row.id << ": table " << row.value << ", ours " << row.ours);
    // The windows of constants have no width, and seconds are not exact in binary.
    const double slack = 1e-12 * row.value;
    CHECK(row.ours >= row.lo - slack);
    CHECK(row.ours <= row.hi + slack);
  }
}

TEST_CASE("closed forms of pcie-bench", "[validation][formula]") { check_rows(formula_rows()); }

TEST_CASE("constants of the protocol", "[validation][formula]") {
  check_rows(spec_rows());
  CHECK(spec::kRcbLargeBytes == 128);
  // The measured peak of PC192 lies between the closed form and the hard ceiling.
  CHECK(write_gbps(setting(3, 8, 256), 1 << 20) / 8 < 7.1);
  CHECK(pcie::payload_ceiling(3, 8, 16, 256) > Bandwidth(7'100'000'000));
}

TEST_CASE("no closed form or constant of the reference table is missing", "[validation][formula]") {
  const auto table = reference::read_table("anchors_open.csv");
  if (!table) {
    WARN("skipped: no reference table anchors_open.csv");
    return;
  }
  std::map<std::string, ReferenceRow> ours;
  for (const ReferenceRow& row : formula_rows()) ours.emplace(row.id, row);
  for (const ReferenceRow& row : spec_rows()) ours.emplace(row.id, row);
  std::size_t found = 0;
  for (const reference::Row& row : *table) {
    if (row.at("counts") != "formula" && row.at("counts") != "spec") continue;
    INFO(row.at("id") << " " << row.at("quantity"));
    const auto match = ours.find(row.at("id"));
    REQUIRE(match != ours.end());
    CHECK(match->second.value == std::stod(row.at("value")));
    CHECK(match->second.lo == std::stod(row.at("lo")));
    CHECK(match->second.hi == std::stod(row.at("hi")));
    ++found;
  }
  CHECK(found == ours.size());
}

}  // namespace
}  // namespace peerfab::validation
