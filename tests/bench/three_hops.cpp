// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/three_hops.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "models/register_all.h"
#include "sim/config/quantity.h"
#include "sim/device/model_registry.h"
#include "sim/topology/topology.h"

namespace peerfab::bench {

namespace {

std::string make_topology(double bit_error_rate) {
  const std::string rate = config::format_ratio(bit_error_rate);
  const std::string device =
      "model: dma, channels: 1, local_memory: 32MiB, max_payload_size: 256B, outstanding_writes: "
      "512, bit_error_rate: " +
      rate;
  return "peerfab: 1\n"
         "sockets:\n"
         "  cpu0: {model: root-complex}\n"
         "devices:\n"
         "  sw0: {model: switch, at: cpu0, bit_error_rate: " +
         rate +
         "}\n"
         "  sw1: {model: switch, at: sw0, bit_error_rate: " +
         rate +
         "}\n"
         "  writer: {" +
         device +
         ", at: sw1}\n"
         "  target: {" +
         device + ", at: sw0}\n";
}

}  // namespace

ThreeHops::ThreeHops(const ThreeHopsOptions& options) {
  device::ModelRegistry models;
  models::register_all_models(models);
  static device::ModelRegistry kept;  // the topology refers to it
  kept = std::move(models);
  SourceTexts texts;
  Diagnostics findings;
  auto topology = topology::parse_topology(make_topology(options.bit_error_rate), "three-hops.yaml",
                                           kept, {}, texts, findings);
  if (topology.has_value()) {
    topology_ = std::move(*topology);
    topology::ElaborationOptions elaboration;
    elaboration.seed = options.seed;
    elaboration.real_payload = options.real_payload;
    elaboration.exact_links = options.exact_links;
    system_ = topology::System::elaborate(topology_, elaboration, findings);
  }
  if (system_ == nullptr) {
    std::fprintf(stderr, "three hops: the topology does not elaborate\n");
    std::exit(1);
  }
  writer_ = system_->model(*topology_.find("writer")).initiator();
  target_ = system_->model(*topology_.find("target")).memory_target()->map(0, kJobBytes)->value();
}

void ThreeHops::watch() {
  for (std::size_t i = 0; i < topology_.links.size(); ++i) {
    if (topology_.links[i].name == "sw0-target") system_->links()[i].down->observe(this);
  }
}

void ThreeHops::submit(Picoseconds now) {
  if (jobs_left_ == 0) return;
  --jobs_left_;
  device::DmaJob job;
  job.remote = BusAddress(target_);
  job.length = kJobBytes;
  writer_->submit(0, job, *this, 0, now);
}

void ThreeHops::dma_done(const device::DmaReport& report) {
  if (!report.error.empty()) ++failed_jobs_;
  submit(report.end);
}

void ThreeHops::write(std::uint64_t bytes) {
  jobs_left_ = bytes / kJobBytes;
  submit(system_->engine().now());
  submit(system_->engine().now());  // one ahead, so that the channel never runs dry
  system_->engine().run();
}

void ThreeHops::tlp_received(const engine::Tlp& tlp, std::uint16_t /*number*/,
                             Picoseconds /*now*/) {
  if (tlp.flow_class != pcie::FlowClass::kPosted) return;
  ++arrived_;
  if (tlp.address != target_ + next_offset_ || tlp.length != kTlpBytes) ++out_of_turn_;
  next_offset_ = (next_offset_ + kTlpBytes) % kJobBytes;
}

ThreeHopsCounts ThreeHops::counts() const {
  ThreeHopsCounts counts;
  for (std::size_t i = 0; i < topology_.links.size(); ++i) {
    for (const engine::Transmitter* direction :
         {system_->links()[i].down.get(), system_->links()[i].up.get()}) {
      if (topology_.links[i].name == "sw1-writer") counts.tlps += direction->statistics().tlps;
      if (direction->data_link() == nullptr) continue;
      const engine::DataLinkStatistics& counted = direction->data_link()->statistics();
      counts.errors += counted.tlps_damaged;
      counts.lost_dllps += counted.dllps_damaged;
      counts.naks += counted.naks;
      counts.replays += counted.replays;
      counts.replayed += counted.tlps_replayed;
      counts.timeouts += counted.timeouts;
      counts.duplicates += counted.duplicates;
      counts.retrains += counted.retrains;
      counts.nullified += counted.nullified;
    }
  }
  return counts;
}

std::uint64_t ThreeHops::wrong_bytes() {
  std::vector<std::byte> sent(kJobBytes);
  std::vector<std::byte> received(kJobBytes);
  system_->model(*topology_.find("writer"))
      .memory_target()
      ->memory()
      .content()
      .read(0, sent.data(), kJobBytes);
  system_->model(*topology_.find("target"))
      .memory_target()
      ->memory()
      .content()
      .read(0, received.data(), kJobBytes);
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < sent.size(); ++i) wrong += sent[i] == received[i] ? 0 : 1;
  return wrong;
}

}  // namespace peerfab::bench
