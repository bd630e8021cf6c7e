// SPDX-License-Identifier: Apache-2.0
// Peer-to-peer writes between RTX PRO 6000 GPUs, each row with the preset of its own hardware.
// Source of the rows: github:voipmonitor/rtx6kpro@29f3863a, files named below.
#include <string>

#include "tests/support/catch.h"
#include "tests/validation/measured/measure.h"

namespace peerfab::validation {
namespace {

constexpr double kGiga = 1e9;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

void check_copies(const std::string& row, const std::string& topology,
                  const std::vector<std::pair<std::string, std::string>>& pairs, double measured,
                  double low, double high) {
  std::vector<scenario::FlowSpec> flows;
  for (const auto& [from, to] : pairs) {
    flows.push_back(copy(from + "-" + to, from, to, Bytes(256 * kMiB)));
    flows.back().via = scenario::Via::kP2p;
  }
  check_row(row, total_rate(simulate(topology, flows)), measured, low, high, kGiga, "GB/s");
}

}  // namespace

// hardware/asus-esc8000a-e13p-broadcom-switches.md
TEST_CASE("P2P198: write under one PEX890xx switch") {
  check_copies("P2P198", R"(peerfab: 1
name: EPYC 9575F with a PEX890xx
sockets:
  cpu0: {preset: epyc-turin-9575f}
devices:
  sw0:  {model: switch, preset: pex89144, at: cpu0, link: gen5 x16}
  gpu0: {model: gpu, preset: rtx-pro-6000-blackwell, at: sw0, link: gen5 x16}
  gpu1: {model: gpu, preset: rtx-pro-6000-blackwell, at: sw0, link: gen5 x16}
)",
               {{"gpu0", "gpu1"}}, 53.5, 50.29, 56.71);
}

// hardware/wrx90-cpayne-2switch-flat.md
TEST_CASE("P2P215: write under one Switchtec switch whose uplink is forced to Gen2") {
  check_copies("P2P215", R"(peerfab: 1
name: Threadripper PRO with a Switchtec switch
sockets:
  cpu0: {preset: threadripper-pro-7955wx}
devices:
  sw0:  {model: switch, preset: switchtec-pm50100-gen5, at: cpu0, link: gen2 x16}
  gpu0: {model: gpu, preset: rtx-pro-6000-blackwell, at: sw0, link: gen5 x16}
  gpu1: {model: gpu, preset: rtx-pro-6000-blackwell, at: sw0, link: gen5 x16}
)",
               {{"gpu0", "gpu1"}}, 54.2, 50.948, 57.452);
}

// hardware/wrx90-cpayne-8gpu-root-topology-comparison.md
TEST_CASE("P2P218: two writes share one uplink to another switch") {
  check_copies("P2P218", R"(peerfab: 1
name: Threadripper PRO with two Switchtec switches
sockets:
  cpu0: {preset: threadripper-pro-7955wx}
devices:
  sw0:  {model: switch, preset: switchtec-pm50100-gen5, at: cpu0, link: gen5 x16}
  sw1:  {model: switch, preset: switchtec-pm50100-gen5, at: cpu0, link: gen5 x16}
  gpu0: {model: gpu, preset: rtx-pro-6000-blackwell, at: sw0, link: gen5 x16}
  gpu1: {model: gpu, preset: rtx-pro-6000-blackwell, at: sw0, link: gen5 x16}
  gpu2: {model: gpu, preset: rtx-pro-6000-blackwell, at: sw1, link: gen5 x16}
  gpu3: {model: gpu, preset: rtx-pro-6000-blackwell, at: sw1, link: gen5 x16}
)",
               {{"gpu0", "gpu2"}, {"gpu1", "gpu3"}}, 56.4, 53.016, 59.784);
}

// hardware/asrockrack-turin-cpayne-16gpu.md
TEST_CASE("P2P220: a single pair, under one switch and across two") {
  const std::string topology = R"(peerfab: 1
name: EPYC Turin with Switchtec switches
sockets:
  cpu0: {preset: epyc-turin-9575f}
devices:
  sw0:  {model: switch, preset: switchtec-pm50100-gen5, at: cpu0, link: gen5 x16}
  sw1:  {model: switch, preset: switchtec-pm50100-gen5, at: cpu0, link: gen5 x16}
  gpu0: {model: gpu, preset: rtx-pro-6000-blackwell, at: sw0, link: gen5 x16}
  gpu1: {model: gpu, preset: rtx-pro-6000-blackwell, at: sw0, link: gen5 x16}
  gpu2: {model: gpu, preset: rtx-pro-6000-blackwell, at: sw1, link: gen5 x16}
)";
  check_copies("P2P220 PIX", topology, {{"gpu0", "gpu1"}}, 56.3, 52.922, 59.678);
  check_copies("P2P220 NODE", topology, {{"gpu0", "gpu2"}}, 56.3, 52.922, 59.678);
}

}  // namespace peerfab::validation
