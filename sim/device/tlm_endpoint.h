// SPDX-License-Identifier: Apache-2.0
// An endpoint whose inside is somebody else's SystemC model: its BAR leads to a TLM-2.0 target, a
// TLM-2.0 initiator sends under its requester ID, or both. How to attach one:
// docs/attaching-systemc-models.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/cfgspace/port_registers.h"
#include "sim/device/completer.h"
#include "sim/device/model.h"
#include "sim/device/model_registry.h"
#include "sim/device/route_cache.h"
#include "sim/device/tlm_initiator.h"
#include "sim/device/tlm_target.h"

namespace peerfab::device {

struct TlmEndpointConfig {
  // The side that answers. Requests to any BAR go to the target at their offset in that BAR.
  bool target = true;
  unsigned target_threads = 16;  // reads in the target at once; at least 1
  std::uint32_t max_completion_payload = 256;
  // The side that asks.
  bool initiator = false;
  std::uint32_t max_read_request = 512;
  unsigned outstanding_reads = 32;
};

class TlmEndpoint final : public Model, public engine::Receiver {
 public:
  // Elaborates SystemC modules, named after the model. The sockets of both sides that exist must be
  // bound before the simulation starts. The context's values are those of the port.
  TlmEndpoint(const ModelContext& context, const TlmEndpointConfig& config);

  // nullptr for a side that does not exist.
  [[nodiscard]] TlmTarget* target() { return target_.get(); }
  [[nodiscard]] TlmInitiator* initiator_side() { return initiator_.get(); }

  [[nodiscard]] PortProfile profile(PortRef port) const override;
  engine::Receiver& connect(PortRef port, engine::Transmitter& out,
                            engine::Transmitter& in) override;
  void configure(cfgspace::PortRegisters& registers) override;
  void registers_changed() override;
  void lost(PortRef port, std::optional<unsigned> input, engine::Tlp* tlp,
            Picoseconds now) override;
  void receive(engine::Tlp* tlp, Picoseconds now) override;
  void describe_waits(engine::WaitGraph& graph) const override;

  [[nodiscard]] static std::vector<StatisticDescriptor> statistic_descriptors();
  [[nodiscard]] std::vector<StatisticValue> statistics() const override;
  void reset_statistics() override;

 private:
  engine::TlpPool& pool_;
  PortProfile profile_;
  std::uint32_t max_completion_payload_;
  Completer refusals_;
  std::unique_ptr<TlmTarget> target_;
  std::unique_ptr<TlmInitiator> initiator_;
  engine::Transmitter* in_ = nullptr;
  cfgspace::PortRegisters* registers_ = nullptr;
  std::array<std::uint64_t, 6> bar_bases_{};  // by register index
  RouteCache routes_;
};

}  // namespace peerfab::device
