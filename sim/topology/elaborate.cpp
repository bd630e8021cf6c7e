// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "sim/base/rng.h"
#include "sim/cfgspace/route.h"
#include "sim/device/model_registry.h"
#include "sim/pcie/dllp_timing.h"
#include "sim/topology/system.h"

namespace peerfab::topology {

using device::ModelRole;
using device::PortRef;

namespace {

// The part of the topology that the firmware sees.
cfgspace::TreeNode make_node(const Topology& topology, ComponentId id) {
  const Component& component = topology.components[id];
  cfgspace::TreeNode node;
  node.id = id;
  node.name = component.name;
  node.max_payload_supported = component.values.size("max_payload_size");
  if (component.model->role == ModelRole::kEndpoint) {
    node.kind = cfgspace::TreeNode::Kind::kEndpoint;
    if (component.model->bars) node.bars = component.model->bars(component.values);
    return node;
  }
  node.kind = cfgspace::TreeNode::Kind::kSwitch;
  // Ports up to the last one in use; one that is not in use takes a function number all the same.
  for (const PcieLink* link : topology.links_below(id)) {
    if (node.ports.size() <= link->upper_port) node.ports.resize(link->upper_port + 1);
    node.ports[link->upper_port].below.push_back(make_node(topology, link->lower));
  }
  return node;
}

cfgspace::SystemTree make_tree(const Topology& topology) {
  cfgspace::SystemTree tree;
  for (ComponentId id = 0; id < topology.components.size(); ++id) {
    const Component& component = topology.components[id];
    if (!component.is_socket) continue;
    cfgspace::RootComplexTree root;
    root.name = component.name;
    root.segment = static_cast<unsigned>(component.values.integer("segment"));
    root.memory = component.values.size("memory_size");
    root.max_payload_supported = component.values.size("max_payload_size");
    root.root_ports.resize(component.model->downstream_ports(component.values));
    for (const PcieLink* link : topology.links_below(id)) {
      root.root_ports[link->upper_port].below.push_back(make_node(topology, link->lower));
    }
    tree.root_complexes.push_back(std::move(root));
  }
  // A server's address width: with fewer bits, large framebuffers would not fit above its memory.
  tree.limits.physical_address_bits = 52;
  return tree;
}

void report(const cfgspace::EnumerationFinding& finding, const Topology& topology,
            Diagnostics& diagnostics) {
  ComponentId id = 0;
  if (finding.node.has_value()) {
    id = *finding.node;
  } else {
    // Sockets come first, in the order of the root complexes.
    id = finding.root_complex;
  }
  diagnostics.warning("enumeration", topology.components[id].where, finding.message);
}

Bytes largest_payload_in_force(const cfgspace::Enumeration& enumeration) {
  Bytes largest(pcie::spec::kMinMaxPayloadSize);
  for (const auto& [id, endpoint] : enumeration.endpoints) {
    largest = std::max(largest, endpoint.max_payload_size);
  }
  return largest;
}

}  // namespace

System::System(const Topology& topology, const ElaborationOptions& options)
    : topology_(topology), options_(options) {}

std::unique_ptr<System> System::elaborate(const Topology& topology,
                                          const ElaborationOptions& options,
                                          Diagnostics& diagnostics) {
  std::unique_ptr<System> system(new System(topology, options));
  system->enumeration_ = cfgspace::enumerate(make_tree(topology));
  for (const cfgspace::EnumerationFinding& finding : system->enumeration_.findings) {
    report(finding, topology, diagnostics);
  }
  system->max_payload_ = largest_payload_in_force(system->enumeration_);
  system->engine_ = std::make_unique<engine::Engine>("engine");
  system->pool_ =
      std::make_unique<engine::TlpPool>(options.real_payload ? system->max_payload_.count() : 0);
  system->create_models();
  system->connect_links();
  system->connect_wires();
  system->write_registers();
  if (options.monitors) system->watch();
  if (system->engine_->scheduler().actors() > engine::Scheduler::kMaxActors) {
    diagnostics.error("too-large", SourceLocation{topology.file, 1, 1, 1, ""},
                      "the topology has more ports and channels than the engine can hold");
    return nullptr;
  }
  return system;
}

void System::create_models() {
  for (ComponentId id = 0; id < topology_.components.size(); ++id) {
    const Component& component = topology_.components[id];
    const std::int64_t segment =
        topology_.components[topology_.socket_of(id)].values.integer("segment");
    const device::ModelContext context{
        component.name, component.values,     *engine_,
        *pool_,         requesters_[segment], Rng(options_.seed + id).next()};
    models_.push_back(component.model->create(context));
  }
}

System::Directions System::connect(device::Model& above, PortRef above_port, device::Model& below,
                                   PortRef below_port, const pcie::LinkConfig& link,
                                   std::optional<Bandwidth> wire_rate, Picoseconds wire_latency) {
  const device::PortProfile upper = above.profile(above_port);
  const device::PortProfile lower = below.profile(below_port);
  const auto make = [&](const device::PortProfile& from, const device::PortProfile& to) {
    engine::TransmitterConfig config;
    config.link = link;
    config.link.start_alignment_bytes = from.start_alignment_bytes;
    config.wire_rate = wire_rate;
    config.propagation =
        wire_rate.has_value() ? wire_latency : upper.propagation + lower.propagation;
    config.receive_latency = to.receive_latency;
    config.cut_through = to.cut_through;
    config.buffer = to.buffer;
    config.credit_return_latency = to.credit_return_latency;
    config.completions_push_all_inputs = from.completions_push_all_inputs;
    config.arbitration = from.arbitration;
    config.weight_beyond = from.arbitration_weight;
    config.dllp_interval =
        pcie::DllpTiming(config.link, static_cast<unsigned>(max_payload_.count()))
            .ack_interval()
            .to_picoseconds_ceil();
    return std::make_unique<engine::Transmitter>(engine_->scheduler(), config,
                                                 from.transmit_inputs);
  };
  Directions directions{make(upper, lower), make(lower, upper), nullptr};
  engine::Receiver& below_receiver = below.connect(below_port, *directions.up, *directions.down);
  engine::Receiver& above_receiver = above.connect(above_port, *directions.down, *directions.up);
  directions.down->connect(&below_receiver, directions.up.get());
  directions.up->connect(&above_receiver, directions.down.get());
  return directions;
}

void System::connect_links() {
  for (const PcieLink& link : topology_.links) {
    links_.push_back(connect(*models_[link.upper], {PortRef::Kind::kDownstream, link.upper_port},
                             *models_[link.lower], {PortRef::Kind::kUpstream, 0},
                             {link.negotiated.generation, link.negotiated.width}, std::nullopt,
                             Picoseconds()));
    add_data_link(link, links_.size() - 1, links_.back());
  }
}

void System::add_data_link(const PcieLink& link, std::size_t index, Directions& directions) {
  device::Model& above = *models_[link.upper];
  device::Model& below = *models_[link.lower];
  const PortRef above_port{PortRef::Kind::kDownstream, link.upper_port};
  const PortRef below_port{PortRef::Kind::kUpstream, 0};
  const device::PortProfile upper = above.profile(above_port);
  const device::PortProfile lower = below.profile(below_port);
  const auto faults = options_.faults.find(link.name);
  const bool named = faults != options_.faults.end();
  if (!named && !options_.exact_links && upper.bit_error_rate == 0 && lower.bit_error_rate == 0) {
    return;
  }
  const bool extended_sync = upper.extended_sync || lower.extended_sync;
  const auto max_payload = static_cast<unsigned>(max_payload_.count());
  const auto add = [&](engine::Transmitter& direction, const device::PortProfile& from,
                       const device::PortProfile& to, const LinkFaults::Direction* scripted,
                       std::uint64_t stream) {
    const pcie::DllpTiming timing(direction.config().link, max_payload, extended_sync);
    engine::DataLinkConfig config;
    config.ack_interval = timing.ack_interval().to_picoseconds_ceil();
    config.replay_timeout = engine::replay_timeout(timing, direction.config().propagation);
    config.replay_buffer_bytes = from.replay_buffer_bytes;
    config.errors.rate = to.bit_error_rate;
    // Apart from the seeds of the memories, which are those of the components.
    config.errors.seed = Rng(options_.seed ^ (stream + 1) << 32).next();
    if (scripted != nullptr) {
      config.errors.tlps = scripted->tlps;
      config.errors.acknowledgements = scripted->acknowledgements;
    }
    direction.use_data_link(config);
  };
  add(*directions.down, upper, lower, named ? &faults->second.down : nullptr, 2 * index);
  add(*directions.up, lower, upper, named ? &faults->second.up : nullptr, 2 * index + 1);
  directions.control = std::make_unique<engine::LinkControl>(
      engine_->scheduler(), *directions.down, *directions.up,
      engine::LinkControlConfig{std::max(upper.training_time, lower.training_time),
                                std::max(upper.recovery_time, lower.recovery_time), max_payload,
                                extended_sync});
  directions.control->on_lost_down(
      [&above, above_port](std::optional<unsigned> input, engine::Tlp* tlp, Picoseconds now) {
        above.lost(above_port, input, tlp, now);
      });
  directions.control->on_lost_up(
      [&below, below_port](std::optional<unsigned> input, engine::Tlp* tlp, Picoseconds now) {
        below.lost(below_port, input, tlp, now);
      });
  directions.control->on_speed_change([&above, &below] {
    above.link_changed();
    below.link_changed();
  });
  if (options_.untrained_links) directions.control->start_untrained();
}

// The wire ports of a root complex are numbered as the other sockets are in its registers.
void System::connect_wires() {
  const auto socket_number = [this](ComponentId id) {
    return static_cast<unsigned>(
        std::count_if(topology_.components.begin(), topology_.components.begin() + id,
                      [](const Component& component) { return component.is_socket; }));
  };
  const auto port_towards = [this](unsigned from, unsigned to) {
    const auto& others = enumeration_.root_complexes[from].other_sockets;
    const auto found =
        std::find_if(others.begin(), others.end(),
                     [to](const cfgspace::OtherSocket& other) { return other.socket == to; });
    assert(found != others.end());
    return PortRef{PortRef::Kind::kSocket, static_cast<unsigned>(found - others.begin())};
  };
  for (const Wire& wire : topology_.wires) {
    const unsigned a = socket_number(wire.a);
    const unsigned b = socket_number(wire.b);
    wires_.push_back(connect(*models_[wire.a], port_towards(a, b), *models_[wire.b],
                             port_towards(b, a), pcie::LinkConfig{},
                             wire.values.bandwidth("bandwidth"), wire.values.time("latency")));
  }
}

void System::write_registers() {
  unsigned socket = 0;
  for (ComponentId id = 0; id < topology_.components.size(); ++id) {
    switch (topology_.components[id].model->role) {
      case ModelRole::kRootComplex:
        models_[id]->configure(enumeration_.root_complexes[socket++]);
        break;
      case ModelRole::kSwitch:
        models_[id]->configure(enumeration_.switches.at(id));
        break;
      case ModelRole::kEndpoint:
        models_[id]->configure(enumeration_.endpoints.at(id));
        break;
    }
  }
}

void System::describe_waits(engine::WaitGraph& graph) const {
  const auto name = [&](const Directions& directions, const std::string& link, ComponentId above,
                        ComponentId below) {
    graph.name(*directions.down, link + " down", topology_.components[below].name);
    graph.name(*directions.up, link + " up", topology_.components[above].name);
  };
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const PcieLink& link = topology_.links[i];
    name(links_[i], "link " + link.name, link.upper, link.lower);
  }
  for (std::size_t i = 0; i < wires_.size(); ++i) {
    const Wire& wire = topology_.wires[i];
    const std::string& a = topology_.components[wire.a].name;
    name(wires_[i], "wire " + a + "-" + topology_.components[wire.b].name, wire.a, wire.b);
  }
  for (const auto* set : {&links_, &wires_}) {
    for (const Directions& directions : *set) {
      directions.down->describe_waits(graph);
      directions.up->describe_waits(graph);
    }
  }
  for (const auto& model : models_) model->describe_waits(graph);
}

void System::reset_statistics() {
  for (const auto& model : models_) model->reset_statistics();
  for (auto* set : {&links_, &wires_}) {
    for (const Directions& directions : *set) {
      directions.down->reset_statistics();
      directions.up->reset_statistics();
      if (directions.control) directions.control->reset_statistics();
    }
  }
}

}  // namespace peerfab::topology
