// SPDX-License-Identifier: Apache-2.0
// What every endpoint has: one upstream port, BARs that lead to memory, a completer and, where the
// model moves data by itself, a DMA unit. A model derives from it and says what is behind its BARs.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "sim/cfgspace/port_registers.h"
#include "sim/device/completer.h"
#include "sim/device/dma_unit.h"
#include "sim/device/memory.h"
#include "sim/device/model.h"
#include "sim/device/model_registry.h"
#include "sim/device/route_cache.h"

namespace peerfab::device {

// What a request that arrives touches of an endpoint, in one cache line.
class alignas(64) EndpointIngress : public engine::Receiver {
 protected:
  ~EndpointIngress() = default;
  // Requests that may be served without asking: of one kind, from these requesters, whose bytes all
  // lie in an exposed part of a BAR.
  struct Open {
    cfgspace::AddressRange addresses;  // none at first
    std::uint64_t bar_base = 0;
    cfgspace::IdRange requesters;
    pcie::FlowClass flow_class = pcie::FlowClass::kPosted;
    bool relaxed_ordering = false;

    [[nodiscard]] bool holds(const engine::Tlp& tlp) const {
      return addresses.contains(BusAddress(tlp.address), Bytes(tlp.length)) &&
             requesters.contains(Bdf(tlp.requester)) && tlp.flow_class == flow_class &&
             tlp.relaxed_ordering() == relaxed_ordering;
    }
  };
  Completer::Way way_;
  Open open_;
};

class Endpoint : private EndpointIngress, public Model {
 public:
  [[nodiscard]] PortProfile profile(PortRef port) const override;
  engine::Receiver& connect(PortRef port, engine::Transmitter& out,
                            engine::Transmitter& in) override;
  void configure(cfgspace::PortRegisters& registers) override;
  void registers_changed() override;
  void lost(PortRef port, std::optional<unsigned> input, engine::Tlp* tlp,
            Picoseconds now) override;
  void receive(engine::Tlp* tlp, Picoseconds now) override;
  void describe_waits(engine::WaitGraph& graph) const override;

  [[nodiscard]] Initiator* initiator() override { return dma_.get(); }
  [[nodiscard]] std::vector<StatisticValue> statistics() const override;
  void reset_statistics() override;

  // The statistics that every endpoint reports, for its model's table.
  [[nodiscard]] static std::vector<StatisticDescriptor> common_statistics(bool with_dma);

 protected:
  // Without a DMA configuration the endpoint only answers.
  Endpoint(const ModelContext& context, const MemoryConfig& memory,
           const std::optional<DmaConfig>& dma, std::uint32_t max_completion_payload);

  // The first `bytes` of the BAR are the first `bytes` of the endpoint's memory.
  void expose(unsigned bar, std::uint64_t bytes) { bars_[bar].exposed = bytes; }
  // Where a byte of a BAR lies in the endpoint's memory that is not exposed so; nullopt: nothing
  // there (an unmapped part of an aperture), which is answered with UR.
  [[nodiscard]] virtual std::optional<std::uint64_t> locate(unsigned /*bar*/,
                                                            std::uint64_t /*offset*/) const {
    return std::nullopt;
  }

  [[nodiscard]] Memory& local_memory() { return memory_; }
  // Base of an assigned BAR, nullopt when enumeration found no place for it.
  [[nodiscard]] std::optional<BusAddress> bar_base(unsigned bar) const;
  [[nodiscard]] const cfgspace::PortRegisters* registers() const { return registers_; }

 private:
  struct BarWindow {
    std::uint64_t base = 0;
    std::uint64_t exposed = 0;  // bytes
  };

  void keep_open(const engine::Tlp& like, const cfgspace::Verdict& verdict);

  cfgspace::PortRegisters* registers_ = nullptr;
  std::array<BarWindow, 6> bars_{};  // by register index
  std::unique_ptr<DmaUnit> dma_;
  Memory memory_;
  Completer completer_;
  RouteCache routes_;
  engine::TlpPool& pool_;
  PortProfile profile_;
  std::uint32_t max_completion_payload_;
};

}  // namespace peerfab::device
