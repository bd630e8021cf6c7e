// SPDX-License-Identifier: Apache-2.0
// An H200 on Gen5 x16, measured for this project in two runs: MPS 256, MRRS 4096, relaxed ordering,
// a Sapphire Rapids class host, the IOMMU translating. `stream`: back-to-back copies of 64 MiB.
// `rows`: a 2D copy by the copy engine, each row its own requests.
#include <string>

#include "tests/support/catch.h"
#include "tests/validation/measured/measure.h"

namespace peerfab::validation {
namespace {

constexpr double kGiga = 1e9;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

const std::string kTopology = R"(peerfab: 1
name: one H200
sockets:
  cpu0: {preset: xeon-sapphire-rapids}
devices:
  gpu0: {model: gpu, preset: h200-pcie, at: cpu0, link: gen5 x16}
)";

void check(const std::string& name, std::uint64_t rate, double run1, double run2, double part) {
  const double mean = (run1 + run2) / 2;
  check_row(name, rate, mean, mean * (1 - part), mean * (1 + part), kGiga, "GB/s");
}

struct Row {
  std::uint64_t bytes;
  double h2d[2];
  double d2h[2];
};

constexpr Row kRows[] = {
    {64, {40.807, 41.2695}, {42.6945, 43.0309}},     {128, {49.3494, 49.6767}, {50.8129, 51.0803}},
    {256, {54.4149, 54.4998}, {54.218, 54.4432}},    {512, {54.8619, 54.9914}, {54.8763, 54.839}},
    {1024, {55.052, 55.1403}, {54.9568, 55.1316}},   {2048, {55.2391, 55.1577}, {55.1505, 55.0593}},
    {4096, {55.1955, 55.178}, {55.0708, 55.2901}},   {8192, {55.0506, 55.2973}, {55.0491, 55.2886}},
    {16384, {54.9266, 55.2274}, {54.7288, 55.2435}}, {32768, {54.8591, 55.026}, {54.2671, 54.0141}},
    {65536, {55.039, 55.2115}, {55.1548, 55.0925}},
};

scenario::FlowSpec in_rows(const std::string& from, const std::string& to, std::uint64_t row) {
  // 32 MiB of payload; the gap behind a row keeps it apart from the next.
  scenario::FlowSpec spec = copy("rows", from, to, Bytes(32 * kMiB));
  spec.row = Bytes(row);
  spec.stride = Bytes(2 * row);
  return spec;
}

}  // namespace

TEST_CASE("H200 streams of 64 MiB copies: h2d_pinned_stream, d2h_pinned_stream within 4 %") {
  scenario::FlowSpec down = copy("stream", "cpu0", "gpu0", Bytes(64 * kMiB));
  down.count = 4;
  check("h2d_pinned_stream", total_rate(simulate(kTopology, {down})), 54.9139, 53.1802, 0.04);
  scenario::FlowSpec up = copy("stream", "gpu0", "cpu0", Bytes(64 * kMiB));
  up.count = 4;
  check("d2h_pinned_stream", total_rate(simulate(kTopology, {up})), 54.338, 54.1824, 0.04);
}

TEST_CASE("H200 copies in rows of 64 B and more: rows_h2d, rows_d2h within 6 %") {
  for (const Row& row : kRows) {
    const std::string size = " " + std::to_string(row.bytes);
    check("rows_h2d" + size, total_rate(simulate(kTopology, {in_rows("cpu0", "gpu0", row.bytes)})),
          row.h2d[0], row.h2d[1], 0.06);
    check("rows_d2h" + size, total_rate(simulate(kTopology, {in_rows("gpu0", "cpu0", row.bytes)})),
          row.d2h[0], row.d2h[1], 0.06);
  }
}

}  // namespace peerfab::validation
