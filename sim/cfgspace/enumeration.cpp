// SPDX-License-Identifier: Apache-2.0
#include "sim/cfgspace/enumeration.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdio>

#include "sim/cfgspace/memory_map.h"
#include "sim/cfgspace/resource_plan.h"

namespace peerfab::cfgspace {
namespace {

using Kind = EnumerationFinding::Kind;

constexpr unsigned kBuses = 256;
constexpr unsigned kDevicesPerBus = 32;
// Device 0 on the root bus is the host.
constexpr std::size_t kFunctionsPerDevice = 8;
constexpr std::size_t kMostRootPorts = (kDevicesPerBus - 1) * kFunctionsPerDevice;
// Port numbers have 8 bits, and the upstream port has one of them (PCIe r6.0, sec 7.5.3.6).
constexpr std::size_t kMostDownstreamPorts = 255;

std::string size_text(Bytes size) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::uint64_t count = size.count();
  std::size_t unit = 0;
  while (count != 0 && count % 1024 == 0 && unit + 1 < kUnits.size()) {
    count /= 1024;
    ++unit;
  }
  return std::to_string(count) + " " + kUnits[unit];
}

std::string range_text(const AddressRange& range) {
  if (range.empty()) return "no window";
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "0x%llx-0x%llx",
                static_cast<unsigned long long>(range.base.value()),
                static_cast<unsigned long long>(range.limit.value()));
  return size_text(range.size()) + " at " + buffer.data();
}

class Firmware {
 public:
  explicit Firmware(const SystemTree& system) : system_(system) {}

  Enumeration run() {
    // Pointers into this vector and the vectors of ports are kept: sizes are final from here on.
    result_.root_complexes.resize(system_.root_complexes.size());
    for (std::size_t i = 0; i < system_.root_complexes.size(); ++i) number_root_complex(i);
    const MemoryMap map = make_memory_map(system_);
    place_memory(map);
    place_bars(map);
    connect_sockets();
    for (PortRegisters* function : functions_) function->max_payload_size = max_payload_size_;
    return std::move(result_);
  }

 private:
  struct PlacedBar {
    PortRegisters* function;
    std::size_t position;  // in function->bars
    ResourcePlan::BarId id;
    const TreeNode* node;
    std::size_t root_complex;
  };
  struct PlacedBridge {
    PortRegisters* bridge;
    ResourcePlan::SpaceId space;
  };

  EnumerationFinding& report(Kind kind, const TreeNode* node, std::string what) {
    EnumerationFinding finding;
    finding.kind = kind;
    finding.root_complex = static_cast<unsigned>(current_root_complex_);
    finding.message = "socket '" + system_.root_complexes[current_root_complex_].name + "'";
    if (node != nullptr) {
      finding.node = node->id;
      finding.message += ", device '" + node->name + "'";
    }
    finding.message += ": " + std::move(what);
    result_.findings.push_back(std::move(finding));
    return result_.findings.back();
  }

  // Software gives every bridge's secondary side the next bus number, depth first (PCIe r6.0,
  // sec 7.3.1).
  bool take_bus(std::uint8_t& bus) {
    if (next_bus_ >= kBuses) return false;
    bus = static_cast<std::uint8_t>(next_bus_++);
    return true;
  }

  [[nodiscard]] std::uint8_t last_bus() const { return static_cast<std::uint8_t>(next_bus_ - 1); }

  void enable(PortRegisters& function, Bytes max_payload_supported) {
    function.command = {.memory_space_enable = true, .bus_master_enable = true};
    // One size for all: any two devices may be peers, and a TLP larger than a receiver's setting is
    // malformed (PCIe r6.0, sec 2.2.2).
    max_payload_size_ = std::min(max_payload_size_, max_payload_supported);
    functions_.push_back(&function);
  }

  void number_root_complex(std::size_t index) {
    current_root_complex_ = index;
    const RootComplexTree& tree = system_.root_complexes[index];
    RootComplexRegisters& root = result_.root_complexes[index];
    const ResourcePlan::SpaceId space = plan_.add_root_complex();
    root_spaces_.push_back(space);
    root.root_ports.resize(tree.root_ports.size());
    for (PortRegisters& port : root.root_ports) port.type = PortType::kRootPort;
    last_buses_.push_back(0);
    next_bus_ = next_bus_of_segment_[tree.segment];
    if (!take_bus(root.root_bus)) {
      report(Kind::kNoBusNumber, nullptr, "no bus number is left for the root bus");
      for (const TreeNode::Port& port : tree.root_ports) leave_out(port);
      return;
    }
    for (std::size_t i = 0; i < tree.root_ports.size(); ++i) {
      PortRegisters& port = root.root_ports[i];
      if (i >= kMostRootPorts) {
        report(Kind::kTooManyPorts, below(tree.root_ports[i]),
               "the root bus has room for " + std::to_string(kMostRootPorts) + " root ports");
        leave_out(tree.root_ports[i]);
        continue;
      }
      const auto device = static_cast<std::uint8_t>(1 + i % (kDevicesPerBus - 1));
      const auto function = static_cast<std::uint8_t>(i / (kDevicesPerBus - 1));
      port.bdf = Bdf(root.root_bus, device, function);
      port.port_number = static_cast<std::uint8_t>(i + 1);
      number_bridge(port, root.root_bus, tree.max_payload_supported, space, tree.root_ports[i]);
    }
    last_buses_.back() = last_bus();
    next_bus_of_segment_[tree.segment] = next_bus_;
  }

  // A bridge whose secondary bus is a link: a root port or a switch's downstream port.
  void number_bridge(PortRegisters& port, std::uint8_t primary, Bytes max_payload_supported,
                     ResourcePlan::SpaceId parent, const TreeNode::Port& tree) {
    std::uint8_t secondary = 0;
    if (!take_bus(secondary)) {
      report_no_bus(tree);
      leave_out(tree);
      return;
    }
    enable(port, max_payload_supported);
    port.buses.primary = primary;
    port.buses.secondary = secondary;
    const ResourcePlan::SpaceId space = add_bridge(port, parent);
    for (const TreeNode& node : tree.below) number_node(node, secondary, space);
    port.buses.subordinate = last_bus();
  }

  void number_node(const TreeNode& node, std::uint8_t bus, ResourcePlan::SpaceId parent) {
    if (node.kind == TreeNode::Kind::kEndpoint) {
      assert(!result_.endpoints.contains(node.id));
      PortRegisters& function = result_.endpoints[node.id];
      function.bdf = Bdf(bus, 0, 0);
      enable(function, node.max_payload_supported);
      add_bars(node, function, parent);
      return;
    }
    SwitchRegisters& registers = add_switch(node);
    PortRegisters& upstream = registers.upstream;
    std::uint8_t internal_bus = 0;
    if (!take_bus(internal_bus)) {
      report(Kind::kNoBusNumber, &node, "no bus number is left for what is below the switch");
      for (const TreeNode::Port& port : node.ports) leave_out(port);
      return;
    }
    upstream.bdf = Bdf(bus, 0, 0);
    enable(upstream, node.max_payload_supported);
    upstream.buses.primary = bus;
    upstream.buses.secondary = internal_bus;
    const ResourcePlan::SpaceId space = add_bridge(upstream, parent);
    for (std::size_t i = 0; i < node.ports.size(); ++i) {
      if (i >= kMostDownstreamPorts) {
        report(
            Kind::kTooManyPorts, below(node.ports[i]),
            "a switch has at most " + std::to_string(kMostDownstreamPorts) + " downstream ports");
        leave_out(node.ports[i]);
        continue;
      }
      PortRegisters& port = registers.downstream[i];
      port.bdf = Bdf(internal_bus, static_cast<std::uint8_t>(i % kDevicesPerBus),
                     static_cast<std::uint8_t>(i / kDevicesPerBus));
      port.port_number = static_cast<std::uint8_t>(i + 1);
      number_bridge(port, internal_bus, node.max_payload_supported, space, node.ports[i]);
    }
    upstream.buses.subordinate = last_bus();
  }

  SwitchRegisters& add_switch(const TreeNode& node) {
    assert(!result_.switches.contains(node.id));
    SwitchRegisters& registers = result_.switches[node.id];
    registers.upstream.type = PortType::kSwitchUpstream;
    registers.downstream.resize(node.ports.size());
    for (PortRegisters& port : registers.downstream) port.type = PortType::kSwitchDownstream;
    return registers;
  }

  ResourcePlan::SpaceId add_bridge(PortRegisters& bridge, ResourcePlan::SpaceId parent) {
    const ResourcePlan::SpaceId space = plan_.add_bridge(parent);
    bridges_.push_back({&bridge, space});
    return space;
  }

  void add_bars(const TreeNode& node, PortRegisters& function, ResourcePlan::SpaceId parent) {
    unsigned used = 0;  // one bit a register
    for (const BarRequest& request : node.bars) {
      const unsigned registers =
          is_valid(request) ? (request.is_64bit ? 3U : 1U) << request.index : 0U;
      if (registers == 0 || (used & registers) != 0) {
        EnumerationFinding& finding =
            report(Kind::kInvalidBar, &node,
                   "BAR" + std::to_string(request.index) + " of " + size_text(request.size) +
                       (registers == 0 ? " is not a power of two that such a BAR can have"
                                       : " uses a register of another BAR"));
        finding.bar = request.index;
        finding.wanted = request.size;
        continue;
      }
      used |= registers;
      bars_.push_back({&function, function.bars.size(), plan_.add_bar(parent, request), &node,
                       current_root_complex_});
      function.bars.push_back({request, BusAddress(), false});
    }
  }

  static const TreeNode* below(const TreeNode::Port& port) {
    return port.below.empty() ? nullptr : &port.below.front();
  }

  // An empty port without a bus number is missed by nobody.
  void report_no_bus(const TreeNode::Port& port) {
    if (port.below.empty()) return;
    report(Kind::kNoBusNumber, below(port),
           "no bus number is left: one segment has " + std::to_string(kBuses) + " buses");
  }

  // Registers in their reset state for everything below, so that every node has an entry. Not
  // recursive: what cannot be numbered may be nested without bound.
  void leave_out(const TreeNode::Port& port) {
    std::vector<const TreeNode*> pending;
    for (const TreeNode& node : port.below) pending.push_back(&node);
    while (!pending.empty()) {
      const TreeNode& node = *pending.back();
      pending.pop_back();
      if (node.kind == TreeNode::Kind::kEndpoint) {
        PortRegisters& function = result_.endpoints[node.id];
        for (const BarRequest& request : node.bars) function.bars.push_back({request, {}, false});
        continue;
      }
      add_switch(node);
      for (const TreeNode::Port& inner : node.ports) {
        for (const TreeNode& child : inner.below) pending.push_back(&child);
      }
    }
  }

  void place_memory(const MemoryMap& map) {
    for (std::size_t i = 0; i < map.sockets.size(); ++i) {
      result_.root_complexes[i].host_memory = map.sockets[i].memory;
      const Bytes left_out = map.sockets[i].memory_left_out;
      if (left_out.count() == 0) continue;
      current_root_complex_ = i;
      const Bytes wanted = system_.root_complexes[i].memory;
      EnumerationFinding& finding =
          report(Kind::kMemoryDoesNotFit, nullptr,
                 size_text(left_out) + " of " + size_text(wanted) +
                     " host memory lie beyond the physical address width of " +
                     std::to_string(system_.limits.physical_address_bits) + " bits");
      finding.wanted = wanted;
      finding.largest_fitting = wanted - left_out;
    }
  }

  void place_bars(const MemoryMap& map) {
    std::vector<AddressRange> high;
    for (const MemoryMap::Socket& socket : map.sockets) high.push_back(socket.high_mmio);
    plan_.assign(map.low_mmio, high);
    for (const PlacedBridge& placed : bridges_) {
      placed.bridge->memory_window = plan_.window(placed.space, WindowKind::kMemory);
      placed.bridge->prefetchable_window = plan_.window(placed.space, WindowKind::kPrefetchable);
    }
    for (const PlacedBar& placed : bars_) {
      Bar& bar = placed.function->bars[placed.position];
      bar.assigned = plan_.is_assigned(placed.id);
      if (bar.assigned) {
        bar.base = plan_.address(placed.id);
        continue;
      }
      const bool is_high =
          window_kind(bar.request.is_64bit, bar.request.prefetchable) == WindowKind::kPrefetchable;
      report_bar(placed, bar.request, is_high ? high[placed.root_complex] : map.low_mmio, is_high);
    }
    result_.high_mmio = std::move(high);
    for (const ResourcePlan::SpaceId space : root_spaces_) {
      result_.low_mmio.push_back(plan_.window(space, WindowKind::kMemory));
    }
  }

  void report_bar(const PlacedBar& placed, const BarRequest& request, const AddressRange& window,
                  bool is_high) {
    current_root_complex_ = placed.root_complex;
    const Bytes largest = plan_.largest_fitting(placed.id);
    EnumerationFinding& finding =
        report(Kind::kBarDoesNotFit, placed.node,
               "BAR" + std::to_string(request.index) +
                   (request.meaning.empty() ? "" : " (" + request.meaning + ")") + " of " +
                   size_text(request.size) + " does not fit into the " +
                   (is_high ? "64-bit prefetchable" : "32-bit") + " MMIO window (" +
                   range_text(window) + "); " +
                   (largest.count() == 0 ? "not even the smallest would"
                                         : "the largest that would fit is " + size_text(largest)));
    finding.bar = request.index;
    finding.wanted = request.size;
    finding.window = window;
    finding.largest_fitting = largest;
  }

  void connect_sockets() {
    const std::size_t count = result_.root_complexes.size();
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        if (i == j) continue;
        OtherSocket other;
        other.socket = static_cast<unsigned>(j);
        other.memory = result_.root_complexes[j].host_memory;
        for (const AddressRange& mmio : {result_.low_mmio[j], result_.high_mmio[j]}) {
          if (!mmio.empty()) other.mmio.push_back(mmio);
        }
        other.same_segment = system_.root_complexes[i].segment == system_.root_complexes[j].segment;
        other.root_bus = result_.root_complexes[j].root_bus;
        other.last_bus = last_buses_[j];
        result_.root_complexes[i].other_sockets.push_back(std::move(other));
      }
    }
  }

  const SystemTree& system_;
  Enumeration result_;
  ResourcePlan plan_;
  std::vector<ResourcePlan::SpaceId> root_spaces_;
  std::vector<PlacedBridge> bridges_;
  std::vector<PlacedBar> bars_;
  std::vector<PortRegisters*> functions_;
  std::vector<std::uint8_t> last_buses_;
  Bytes max_payload_size_{4096};
  unsigned next_bus_ = 0;  // of the segment that is being numbered
  std::map<unsigned, unsigned> next_bus_of_segment_;
  std::size_t current_root_complex_ = 0;
};

}  // namespace

Enumeration enumerate(const SystemTree& system) { return Firmware(system).run(); }

}  // namespace peerfab::cfgspace
