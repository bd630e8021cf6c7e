// SPDX-License-Identifier: Apache-2.0
// A topology brought to life: models, links between them, and the registers that the built-in
// firmware wrote. SystemC allows one elaboration for each process, so there is one System.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostics.h"
#include "sim/cfgspace/enumeration.h"
#include "sim/device/model.h"
#include "sim/engine/engine.h"
#include "sim/engine/link_control.h"
#include "sim/engine/transmitter.h"
#include "sim/monitor/findings.h"
#include "sim/monitor/link_monitor.h"
#include "sim/topology/link_faults.h"
#include "sim/topology/topology.h"

namespace peerfab::topology {

struct ElaborationOptions {
  std::uint64_t seed = 1;
  bool real_payload = false;  // bytes move, and are there to be checked
  // What may go wrong on a link, by its name; a link that is named, or whose topology gives it a
  // bit-error rate, has an exact data link layer.
  LinkFaultsByName faults{};
  // Every PCIe link has one, whether or not anything can go wrong.
  bool exact_links = false;
  // Every PCIe link with an exact data link layer has to train first.
  bool untrained_links = false;
  // Conformance monitors watch every link and wire.
  bool monitors = false;
};

class System {
 public:
  // Findings of the firmware (a BAR that does not fit, too many buses) go to `diagnostics`, as
  // warnings with the place of the component: it is there, but cannot be reached. nullptr when the
  // topology cannot be built at all, with an error.
  static std::unique_ptr<System> elaborate(const Topology& topology,
                                           const ElaborationOptions& options,
                                           Diagnostics& diagnostics);

  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] engine::Engine& engine() { return *engine_; }
  [[nodiscard]] engine::TlpPool& pool() { return *pool_; }
  [[nodiscard]] device::Model& model(ComponentId id) { return *models_[id]; }
  [[nodiscard]] const cfgspace::Enumeration& registers() const { return enumeration_; }

  struct Directions {
    std::unique_ptr<engine::Transmitter> down;  // of a wire: from a to b
    std::unique_ptr<engine::Transmitter> up;
    // nullptr for a link without an exact data link layer, which never leaves L0.
    std::unique_ptr<engine::LinkControl> control;
  };
  // As topology().links and topology().wires.
  [[nodiscard]] const std::vector<Directions>& links() const { return links_; }
  [[nodiscard]] const std::vector<Directions>& wires() const { return wires_; }

  // Adds what waits in all components and in front of all links, named (sim/engine/waits.h).
  void describe_waits(engine::WaitGraph& graph) const;
  // What the monitors have checked and found so far; all zero without them.
  [[nodiscard]] const monitor::Findings& findings() const { return findings_; }

  // The warm-up ends: what was counted so far is forgotten.
  void reset_statistics();

 private:
  System(const Topology& topology, const ElaborationOptions& options);
  void create_models();
  void connect_links();
  void connect_wires();
  void write_registers();
  void watch();
  [[nodiscard]] const cfgspace::PortRegisters& port_above(const PcieLink& link) const;
  Directions connect(device::Model& above, device::PortRef above_port, device::Model& below,
                     device::PortRef below_port, const pcie::LinkConfig& link,
                     std::optional<Bandwidth> wire_rate, Picoseconds wire_latency);
  void add_data_link(const PcieLink& link, std::size_t index, Directions& directions);

  const Topology& topology_;
  ElaborationOptions options_;
  cfgspace::Enumeration enumeration_;
  Bytes max_payload_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<engine::TlpPool> pool_;
  std::map<std::int64_t, device::RequesterTable> requesters_;  // by PCI segment
  std::vector<std::unique_ptr<device::Model>> models_;
  std::vector<Directions> links_;
  std::vector<Directions> wires_;
  monitor::Findings findings_;
  std::vector<std::unique_ptr<monitor::LinkMonitor>> monitors_;  // of links, then of wires
};

}  // namespace peerfab::topology
