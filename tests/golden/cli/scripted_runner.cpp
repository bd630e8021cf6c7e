// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include "sim/config/quantity.h"
#include "tests/golden/cli/scripted.h"

namespace peerfab::scripted {
namespace {

using scenario::FlowResult;
using scenario::FlowSpec;
using scenario::LinkResult;
using scenario::VariantResult;
using scenario::Via;
using stats::Segment;

constexpr Bandwidth kDirectRate(54'900'000'000);
constexpr Bandwidth kStagedRate(37'200'000'000);

FlowResult flow_result(const FlowSpec& flow) {
  const bool staged = flow.via == Via::kHost;
  FlowResult result;
  result.name = flow.name;
  result.from = flow.from;
  result.to = flow.to;
  result.by = flow.by.empty() ? flow.from : flow.by;
  result.via = staged ? "host" : "p2p";
  result.bytes = flow.total();
  result.time = transfer_time(result.bytes, staged ? kStagedRate : kDirectRate);
  result.bandwidth = average_bandwidth(result.bytes, result.time);
  result.first_byte = Picoseconds(staged ? 17'900'000 : 609'000);
  result.transactions = (flow.total().count() + flow.chunk.count() - 1) / flow.chunk.count();
  result.finished = flow.name != "unfinished";
  const Picoseconds wire = transfer_time(flow.chunk, kDirectRate);
  result.breakdown_mean[Segment::kSerialisation] = wire;
  result.breakdown_mean[Segment::kSwitch] = Picoseconds(115'000);
  result.breakdown_mean[Segment::kMemory] = Picoseconds(494'000);
  for (std::size_t i = 0; i < stats::kSegmentCount; ++i) {
    result.breakdown.segments[i] = result.breakdown_mean.segments[i] * result.transactions;
  }
  const Picoseconds latency = result.breakdown_mean.total();
  result.latency = {latency, latency, latency, latency, latency};
  result.limited_by = staged ? "staging: two copies, pipelined" : "link sw0-gpu0 up: serialisation";
  return result;
}

LinkResult link_result(const topology::PcieLink& link, const char* direction, Bytes payload,
                       Picoseconds time) {
  LinkResult result;
  result.name = link.name;
  result.direction = direction;
  result.speed = config::format_link(link.negotiated);
  result.payload = payload;
  result.tlps = (payload.count() + 255) / 256;
  result.tlp = Bytes(payload.count() + result.tlps * 24);
  result.dllp = Bytes(result.tlps / 4 * 8);
  const auto busy = transfer_time(result.tlp, Bandwidth(63'015'384'615)).count();
  result.utilisation_ppm = time.count() == 0
                               ? 0
                               : static_cast<std::uint64_t>(static_cast<unsigned __int128>(busy) *
                                                            1'000'000 / time.count());
  result.queue_peak = payload == Bytes() ? 0 : 12;
  return result;
}

void add_monitors(VariantResult& result) {
  result.monitors = {{"credits", "2.6.1", 4000, 0, {}}, {"tag-reuse", "2.2.6.2", 1000, 0, {}}};
  if (result.flows.front().name != "violate") return;
  result.monitors[1].violations = 5;
  result.monitors[1].findings = {
      "tag-reuse (PCIe r6.0, sec 2.2.6.2) on link sw0-gpu0 up at 2000 ps: MRd 4DW 16 DW at "
      "0x8000000000, 03:00.0 tag 0x007, BE f/f: expected a tag that is not in use, saw that of a "
      "MRd which waits for 64 B"};
}

void wait_for_stop(const scenario::RunHooks& hooks) {
  while (hooks.stop == nullptr || !hooks.stop->load()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

scenario::VariantResult run_variant(const scenario::Scenario& scenario,
                                    const scenario::Variant& variant,
                                    const topology::Topology& topology, scenario::RunHooks& hooks) {
  VariantResult result;
  result.name = variant.name;
  Bytes staged;
  Bytes total;
  for (const FlowSpec& flow : variant.flows) {
    if (flow.name == "crash") std::abort();
    if (flow.name == "throw") throw std::runtime_error("a model threw");
    if (flow.name == "fail") result.error = "flow 'fail': read of 0x1000 was not supported";
    total += flow.total();
    if (flow.via == Via::kHost) staged += flow.total();
    result.flows.push_back(flow_result(flow));
    result.time = std::max(result.time, result.flows.back().time);
    if (flow.name != "forever") continue;
    hooks.progress({Bytes(flow.total().count() / 2), flow.total(), result.time});
    wait_for_stop(hooks);
    result.partial = true;
  }
  if (scenario.monitors) add_monitors(result);
  hooks.progress({total, total, result.time});
  for (const topology::PcieLink& link : topology.links) {
    const bool root = topology.components[link.upper].is_socket;
    const Bytes payload = root ? staged : total;
    result.links.push_back(link_result(link, "up", payload, result.time));
    result.links.push_back(link_result(link, "down", root ? staged : Bytes(), result.time));
  }
  for (const topology::Component& component : topology.components) {
    scenario::ComponentResult entry{component.name, component.model->kind, {}};
    for (const auto& statistic : component.model->statistics) {
      entry.statistics.push_back({statistic.name, statistic.unit, scenario.seed});
    }
    result.components.push_back(std::move(entry));
  }
  return result;
}

}  // namespace peerfab::scripted
