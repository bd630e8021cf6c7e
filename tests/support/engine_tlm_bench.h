// SPDX-License-Identifier: Apache-2.0
// A TLM endpoint at one end of a link, and at the other a peer with memory and a DMA unit, wired by
// hand. One for each process: it elaborates.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/cfgspace/port_registers.h"
#include "sim/config/parameters.h"
#include "sim/device/completer.h"
#include "sim/device/dma_unit.h"
#include "sim/device/memory.h"
#include "sim/device/port_parameters.h"
#include "sim/device/tlm_endpoint.h"
#include "sim/engine/engine.h"
#include "sim/monitor/findings.h"
#include "sim/monitor/link_monitor.h"
#include "tests/support/catch.h"
#include "tests/support/engine_fabric.h"
#include "tests/support/engine_link.h"

namespace peerfab::test {

class TlmBench {
 public:
  static constexpr std::uint64_t kBar = std::uint64_t{1} << 32;   // the endpoint's, 1 MiB
  static constexpr std::uint64_t kPeer = std::uint64_t{1} << 40;  // the peer's memory, 1 MiB
  static constexpr Bdf kEndpointId{0x0500};
  static constexpr Bdf kPeerId{0x0600};

  explicit TlmBench(const device::TlmEndpointConfig& config, const NodeConfig& peer_config = {},
                    const engine::TransmitterConfig& link = bare_wire(5, 16),
                    std::size_t payload = 4096)
      : engine("engine"),
        pool(payload),
        values(config::ParameterTable(device::with_port_parameters({}, {}))),
        endpoint({"outside", values, engine, pool, requesters, 0}, config),
        peer(*this, peer_config),
        to_endpoint(engine.scheduler(), link, 1 + peer.dma.channels()),
        to_peer(engine.scheduler(), link, endpoint.profile({}).transmit_inputs) {
    engine::Receiver& receiver = endpoint.connect({}, to_peer, to_endpoint);
    to_endpoint.connect(&receiver, &to_peer);
    to_peer.connect(&peer, &to_endpoint);
    peer.completer.add_port(to_endpoint, 0, to_peer);
    peer.completer.set_identity(kPeerId);
    peer.dma.connect(to_endpoint, 1);
    peer.dma.set_identity(kPeerId, 4096);
    registers.bdf = kEndpointId;
    registers.command = {true, true};
    registers.max_payload_size = Bytes(256);
    cfgspace::Bar bar;
    bar.request.size = Bytes(1 << 20);
    bar.request.is_64bit = true;
    bar.base = BusAddress(kBar);
    bar.assigned = true;
    registers.bars.push_back(bar);
    endpoint.configure(registers);
    monitor::LinkDescription description;
    description.name = "peer-endpoint";
    description.lower.registers = &registers;
    monitor_.emplace(findings, description, to_endpoint, to_peer);
  }
  // The conformance monitors of the link have watched.
  ~TlmBench() {
    INFO(findings.text());
    CHECK(findings.violations() == 0);
  }
  TlmBench(const TlmBench&) = delete;
  TlmBench& operator=(const TlmBench&) = delete;

  // Jobs of the peer's DMA unit: between its own memory and the endpoint's BAR.
  void write(std::uint64_t offset, std::uint64_t length, std::uint64_t local,
             std::uint64_t cookie = 0) {
    submit(device::DmaJob::Direction::kWrite, offset, length, local, cookie);
  }
  void read(std::uint64_t offset, std::uint64_t length, std::uint64_t local,
            std::uint64_t cookie = 0) {
    submit(device::DmaJob::Direction::kRead, offset, length, local, cookie);
  }
  [[nodiscard]] std::vector<unsigned char> peer_bytes(std::uint64_t offset, std::size_t bytes) {
    std::vector<unsigned char> result(bytes);
    peer.memory.content().read(offset, reinterpret_cast<std::byte*>(result.data()), bytes);
    return result;
  }

  struct Peer final : engine::Receiver {
    Peer(TlmBench& owner, const NodeConfig& config)
        : bench(owner),
          memory(config.memory, 99),
          completer(owner.engine.scheduler(), owner.pool, owner.requesters),
          dma(owner.engine.scheduler(), owner.pool, owner.requesters, memory, config.dma) {
      completer.set_limits(config.completions);
    }
    void receive(engine::Tlp* tlp, Picoseconds now) override {
      arrivals.push_back({*tlp, now});
      if (tlp->flow_class == pcie::FlowClass::kCompletion) {
        bench.to_peer.return_credit(*tlp, now);
        dma.completion(tlp, now);
      } else if (refuse_with.has_value()) {
        completer.refuse(tlp, completer.way(0), *refuse_with, "the test wants it so", now);
      } else {
        completer.serve(tlp, completer.way(0), memory, tlp->address - kPeer, now);
      }
    }
    TlmBench& bench;
    device::Memory memory;
    device::Completer completer;
    device::DmaUnit dma;
    std::optional<engine::CompletionStatus> refuse_with;
    std::vector<Arrival> arrivals;
  };

  engine::Engine engine;
  engine::TlpPool pool;
  device::RequesterTable requesters;
  config::ParameterValues values;
  device::TlmEndpoint endpoint;
  Peer peer;
  engine::Transmitter to_endpoint;
  engine::Transmitter to_peer;
  cfgspace::PortRegisters registers;
  JobLog jobs;
  monitor::Findings findings;

 private:
  std::optional<monitor::LinkMonitor> monitor_;
  void submit(device::DmaJob::Direction direction, std::uint64_t offset, std::uint64_t length,
              std::uint64_t local, std::uint64_t cookie) {
    device::DmaJob job;
    job.direction = direction;
    job.remote = BusAddress(kBar + offset);
    job.local = local;
    job.length = length;
    peer.dma.submit(0, job, jobs, cookie, engine.now());
  }
};

}  // namespace peerfab::test
