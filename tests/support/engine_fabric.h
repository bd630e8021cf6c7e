// SPDX-License-Identifier: Apache-2.0
// Endpoints around one switch, wired by hand from the parts of sim/device: each endpoint has a
// memory, a completer and a DMA unit. Addresses say which endpoint they belong to, requester IDs
// too. No SystemC and no registers: what is tested is the parts.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/units.h"
#include "sim/device/completer.h"
#include "sim/device/dma_unit.h"
#include "sim/device/forwarder.h"
#include "sim/device/memory.h"
#include "sim/engine/scheduler.h"
#include "sim/engine/tlp.h"
#include "sim/engine/transmitter.h"
#include "sim/monitor/findings.h"
#include "sim/monitor/link_monitor.h"
#include "tests/support/catch.h"
#include "tests/support/engine_link.h"

namespace peerfab::test {

struct NodeConfig {
  device::MemoryConfig memory{Bytes(std::uint64_t{1} << 30), Picoseconds(), Bandwidth()};
  device::DmaConfig dma;
  pcie::CompletionLimits completions{128, 128};
};

inline BusAddress node_address(unsigned node, std::uint64_t offset = 0) {
  return BusAddress((std::uint64_t{node} + 1) << 40 | offset);
}
inline Bdf node_id(unsigned node) { return {static_cast<std::uint8_t>(node + 1), 0, 0}; }

// Writes down what became of jobs.
class JobLog final : public device::DmaListener {
 public:
  void dma_done(const device::DmaReport& report) override {
    reports.push_back(report);
    if (on_done) on_done(report);
  }
  [[nodiscard]] const device::DmaReport* find(std::uint64_t cookie) const {
    for (const device::DmaReport& report : reports) {
      if (report.cookie == cookie) return &report;
    }
    return nullptr;
  }
  std::vector<device::DmaReport> reports;
  std::function<void(const device::DmaReport&)> on_done;
};

class Fabric {
 public:
  struct Node final : engine::Receiver {
    Node(Fabric& owner, unsigned number, const NodeConfig& config)
        : fabric(owner),
          index(number),
          memory(config.memory, 1000 + number),
          completer(owner.scheduler, owner.pool, owner.requesters),
          dma(owner.scheduler, owner.pool, owner.requesters, memory, config.dma),
          limits(config.completions) {}

    void receive(engine::Tlp* tlp, Picoseconds now) override {
      if (fabric.on_arrival) fabric.on_arrival(index, *tlp, now);
      if (tlp->flow_class == pcie::FlowClass::kCompletion) {
        in->return_credit(*tlp, now);
        dma.completion(tlp, now);
      } else if (refuse_with.has_value()) {
        completer.refuse(tlp, completer.way(0), *refuse_with, "the test wants it so", now);
      } else {
        completer.serve(tlp, completer.way(0), memory, tlp->address - node_address(index).value(),
                        now);
      }
    }

    Fabric& fabric;
    unsigned index;
    device::Memory memory;
    device::Completer completer;
    device::DmaUnit dma;
    pcie::CompletionLimits limits;
    std::optional<engine::CompletionStatus> refuse_with;
    std::unique_ptr<engine::Transmitter> out;  // from the node to the switch
    engine::Transmitter* in = nullptr;
  };

  // Every node has the same link; `payload` bytes travel with each TLP, 0 for timing only.
  Fabric(const std::vector<NodeConfig>& configs, const engine::TransmitterConfig& up,
         const engine::TransmitterConfig& down, std::size_t payload = 0)
      : pool(payload), forwarder_(scheduler, static_cast<unsigned>(configs.size())) {
    const auto count = static_cast<unsigned>(configs.size());
    for (unsigned i = 0; i < count; ++i) {
      nodes.push_back(std::make_unique<Node>(*this, i, configs[i]));
      Node& node = *nodes.back();
      node.out = std::make_unique<engine::Transmitter>(scheduler, up, 1 + node.dma.channels());
      switch_out_.push_back(std::make_unique<engine::Transmitter>(scheduler, down, count));
      ingresses_.push_back(std::make_unique<Ingress>(*this, i));
      node.in = switch_out_.back().get();
      node.out->connect(ingresses_.back().get(), node.in);
      node.in->connect(&node, node.out.get());
      node.completer.add_port(*node.out, 0, *node.in);
      node.completer.set_identity(node_id(i));
      node.completer.set_limits(node.limits);
      node.dma.connect(*node.out, 1);
      node.dma.set_identity(node_id(i), 4096);
      forwarder_.connect(i, *node.in, *node.out);
    }
    watch();
  }
  // The conformance monitors of all links have watched.
  ~Fabric() {
    INFO(findings.text());
    CHECK(findings.violations() == 0);
  }
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  void submit(unsigned node, unsigned channel, const device::DmaJob& job, std::uint64_t cookie) {
    nodes[node]->dma.submit(channel, job, jobs, cookie, scheduler.now());
  }
  // A contiguous job between a node's own memory and another's.
  static device::DmaJob write_to(unsigned node, std::uint64_t offset, std::uint64_t length,
                                 std::uint64_t local = 0) {
    device::DmaJob job;
    job.direction = device::DmaJob::Direction::kWrite;
    job.remote = node_address(node, offset);
    job.local = local;
    job.length = length;
    return job;
  }
  static device::DmaJob read_from(unsigned node, std::uint64_t offset, std::uint64_t length,
                                  std::uint64_t local = 0) {
    device::DmaJob job = write_to(node, offset, length, local);
    job.direction = device::DmaJob::Direction::kRead;
    return job;
  }
  void at(Picoseconds time, std::function<void(Picoseconds)> action) {
    events_.push_back(std::make_unique<std::function<void(Picoseconds)>>(std::move(action)));
    const engine::ActorId id =
        scheduler.add_actor(events_.back().get(), [](void* self, Picoseconds now) {
          (*static_cast<std::function<void(Picoseconds)>*>(self))(now);
        });
    scheduler.schedule(id, time);
  }
  void run(Picoseconds until = Picoseconds::max()) { scheduler.run_until(until); }
  [[nodiscard]] const engine::Transmitter& down(unsigned node) const { return *switch_out_[node]; }
  [[nodiscard]] const engine::Transmitter& up(unsigned node) const { return *nodes[node]->out; }

  engine::Scheduler scheduler;
  engine::TlpPool pool;
  device::RequesterTable requesters;
  JobLog jobs;
  monitor::Findings findings;
  std::vector<std::unique_ptr<Node>> nodes;
  // A TLP comes into the switch from this node, or arrives at this node.
  std::function<void(unsigned from, const engine::Tlp&, Picoseconds)> on_departure;
  std::function<void(unsigned at, const engine::Tlp&, Picoseconds)> on_arrival;

 private:
  struct Ingress final : engine::Receiver {
    Ingress(Fabric& owner, unsigned number) : fabric(owner), index(number) {}
    void receive(engine::Tlp* tlp, Picoseconds now) override {
      if (fabric.on_departure) fabric.on_departure(index, *tlp, now);
      const bool completion = tlp->flow_class == pcie::FlowClass::kCompletion;
      const auto egress = static_cast<unsigned>(completion ? Bdf(tlp->requester).bus() - 1U
                                                           : (tlp->address >> 40) - 1);
      fabric.forwarder_.forward_at(tlp, index, egress, now, now);
    }
    Fabric& fabric;
    unsigned index;
  };

  void watch() {
    monitor::LinkDescription description;
    for (const auto& node : nodes) {
      if (node->limits.read_completion_boundary == pcie::spec::kRcbSmallBytes) {
        description.small_boundary.push_back(node_id(node->index));
      }
    }
    for (const auto& node : nodes) {
      description.name = "node" + std::to_string(node->index);
      monitors_.push_back(
          std::make_unique<monitor::LinkMonitor>(findings, description, *node->in, *node->out));
    }
  }

  device::Forwarder forwarder_;
  std::vector<std::unique_ptr<engine::Transmitter>> switch_out_;
  std::vector<std::unique_ptr<Ingress>> ingresses_;
  std::vector<std::unique_ptr<std::function<void(Picoseconds)>>> events_;
  std::vector<std::unique_ptr<monitor::LinkMonitor>> monitors_;
};

}  // namespace peerfab::test
