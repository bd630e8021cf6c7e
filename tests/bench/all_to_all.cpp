// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/all_to_all.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "models/register_all.h"

namespace peerfab::bench {
namespace {

constexpr unsigned kEndpointsPerSwitch = 8;
// Ten bus numbers for a switch with eight endpoints: 256 in a PCI segment.
constexpr unsigned kSwitchesPerSegment = 24;
constexpr std::uint64_t kJobBytes = std::uint64_t{1} << 20;

const device::ModelRegistry& registry() {
  static const device::ModelRegistry kRegistry = [] {
    device::ModelRegistry models;
    models::register_all_models(models);
    return models;
  }();
  return kRegistry;
}

topology::Component component(const std::string& name, const char* kind) {
  const device::ModelDescriptor* const model = registry().find(kind);
  return {name, model, config::ParameterValues(model->parameters), {}, false, ""};
}

template <typename T>
void set(topology::Component& component, const char* parameter, T value) {
  component.values.set(parameter, config::ParameterValue(value), {}, "benchmark");
}

topology::Topology make_topology(const AllToAllOptions& options) {
  topology::Topology topology;
  topology.name = "all to all";
  const unsigned switches = options.endpoints / kEndpointsPerSwitch;
  const unsigned sockets = (switches + kSwitchesPerSegment - 1) / kSwitchesPerSegment;
  for (unsigned i = 0; i < sockets; ++i) {
    topology::Component socket = component("cpu" + std::to_string(i), "root-complex");
    socket.is_socket = true;
    set(socket, "root_ports", std::int64_t{kSwitchesPerSegment});
    set(socket, "segment", std::int64_t{i});
    topology.components.push_back(std::move(socket));
  }
  const config::LinkSpeed speed{5, 16};
  const auto attach = [&](topology::ComponentId upper, unsigned port) {
    const auto lower = static_cast<topology::ComponentId>(topology.components.size() - 1);
    topology.links.push_back(
        {topology.components[upper].name + "-" + topology.components[lower].name,
         upper,
         port,
         lower,
         speed,
         speed,
         speed,
         speed,
         false,
         {}});
  };
  for (unsigned i = 0; i < switches; ++i) {
    topology::Component sw = component("sw" + std::to_string(i), "switch");
    set(sw, "max_ports", std::int64_t{kEndpointsPerSwitch + 1});
    set(sw, "start_alignment", Bytes(16));
    topology.components.push_back(std::move(sw));
    const auto id = static_cast<topology::ComponentId>(topology.components.size() - 1);
    attach(i / kSwitchesPerSegment, i % kSwitchesPerSegment);
    for (unsigned j = 0; j < kEndpointsPerSwitch; ++j) {
      topology::Component endpoint =
          component("dma" + std::to_string(i * kEndpointsPerSwitch + j), "dma");
      set(endpoint, "channels", std::int64_t{kEndpointsPerSwitch - 1});
      set(endpoint, "outstanding_writes", std::int64_t{options.in_flight});
      set(endpoint, "local_memory", Bytes(std::uint64_t{32} << 20));
      set(endpoint, "max_payload_size", Bytes(256));
      set(endpoint, "start_alignment", Bytes(16));
      topology.components.push_back(std::move(endpoint));
      attach(id, j);
    }
  }
  topology.index();
  return topology;
}

}  // namespace

AllToAll::AllToAll(const AllToAllOptions& options) : topology_(make_topology(options)) {
  Diagnostics findings;
  system_ = topology::System::elaborate(topology_, {1, options.real_payload}, findings);
  if (system_ == nullptr || !findings.all().empty()) {
    std::fprintf(stderr, "benchmark: the topology does not elaborate: %s\n",
                 findings.all().front().message.c_str());
    std::exit(1);
  }
  for (std::size_t i = 0; i < topology_.links.size(); ++i) {
    const topology::PcieLink& link = topology_.links[i];
    if (topology_.components[link.lower].model->kind == "dma") endpoint_links_.push_back(i);
  }
  busy_before_.assign(endpoint_links_.size() * 2, 0);
  for (const std::size_t link : endpoint_links_) {
    const topology::ComponentId source = topology_.links[link].lower;
    unsigned channel = 0;
    for (const topology::ComponentId peer : topology_.children(topology_.links[link].upper)) {
      if (peer == source) continue;
      Stream stream{system_->model(source).initiator(), channel, {}};
      // Each stream has its own megabyte at the target.
      const std::uint64_t offset = channel * kJobBytes;
      stream.job.remote = *system_->model(peer).memory_target()->map(offset, kJobBytes);
      stream.job.local = offset;
      stream.job.length = kJobBytes;
      streams_.push_back(stream);
      ++channel;
    }
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    submit(i, Picoseconds());
    submit(i, Picoseconds());  // one ahead, so that the channel never runs dry
  }
}

void AllToAll::submit(std::size_t stream, Picoseconds now) {
  streams_[stream].initiator->submit(streams_[stream].channel, streams_[stream].job, *this, stream,
                                     now);
}

void AllToAll::dma_done(const device::DmaReport& report) {
  submit(static_cast<std::size_t>(report.cookie), report.end);
}

void AllToAll::run(Picoseconds duration) {
  now_ += duration;
  system_->engine().run(now_);
}

std::uint64_t AllToAll::hops() const {
  std::uint64_t sum = 0;
  for (const topology::System::Directions& link : system_->links()) {
    sum += link.down->statistics().tlps + link.up->statistics().tlps;
  }
  return sum;
}

std::uint64_t AllToAll::least_busy_ppm() {
  const std::uint64_t whole = (now_ - measured_from_).count() << pcie::LineTime::kTickShift;
  measured_from_ = now_;
  std::uint64_t least = 1'000'000;
  for (std::size_t i = 0; i < busy_before_.size(); ++i) {
    const topology::System::Directions& link = system_->links()[endpoint_links_[i / 2]];
    const std::uint64_t busy = (i % 2 == 0 ? link.up : link.down)->busy_ticks();
    const auto scaled = static_cast<unsigned __int128>(busy - busy_before_[i]) * 1'000'000U;
    if (whole != 0) least = std::min(least, static_cast<std::uint64_t>(scaled / whole));
    busy_before_[i] = busy;
  }
  return least;
}

}  // namespace peerfab::bench
