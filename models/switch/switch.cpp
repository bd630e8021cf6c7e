// SPDX-License-Identifier: Apache-2.0
#include "models/switch/switch.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/cfgspace/route.h"
#include "sim/device/completer.h"
#include "sim/device/forwarder.h"
#include "sim/device/lost_tlp.h"
#include "sim/device/model.h"
#include "sim/device/port_parameters.h"
#include "sim/device/route_cache.h"
#include "sim/pcie/link_timing.h"

namespace peerfab::models {
namespace {

using config::Quantity;
using device::PortRef;
using engine::Tlp;

// Port 0 of the forwarder is the upstream port, port 1 + n the downstream port n.
constexpr unsigned kUpstream = 0;

unsigned port_index(PortRef port) {
  return port.kind == PortRef::Kind::kUpstream ? kUpstream : port.index + 1;
}

class Switch final : public device::Model {
 public:
  explicit Switch(const device::ModelContext& context)
      : Model(context.name),
        profile_(device::port_profile(context.values)),
        ports_(static_cast<unsigned>(context.values.integer("max_ports"))),
        cut_through_(context.values.text("forwarding") == "cut-through"),
        forwarder_(context.engine.scheduler(), ports_),
        completer_(context.engine.scheduler(), context.pool, context.requesters),
        ingresses_(ports_),
        store_and_forward_(std::size_t{ports_} * ports_, 0) {
    profile_.receive_latency = context.values.time("latency");
    profile_.cut_through = cut_through_;
    profile_.arbitration = device::arbitration(context.values);
    // One for each ingress, and one for the completions of requests that the switch refuses.
    profile_.transmit_inputs = ports_ + 1;
    for (unsigned i = 0; i < ports_; ++i) ingresses_[i].attach(*this, i);
  }

  [[nodiscard]] device::PortProfile profile(PortRef /*port*/) const override { return profile_; }

  engine::Receiver& connect(PortRef port, engine::Transmitter& out,
                            engine::Transmitter& in) override {
    const unsigned index = port_index(port);
    forwarder_.connect(index, out, in);
    ingresses_[index].answers = completer_.add_port(out, ports_, in);
    out.set_weight(ports_, profile_.arbitration_weight);
    for (unsigned other = 0; other < ports_; ++other) {
      if (!forwarder_.connected(other)) continue;
      find_speed_steps(index, other);
      find_speed_steps(other, index);
    }
    return ingresses_[index];
  }

  void lost(PortRef port, std::optional<unsigned> input, Tlp* tlp, Picoseconds now) override {
    const bool came_in = input.has_value() && *input < ports_;
    device::answer_for_link(completer_, came_in ? &ingresses_[*input].answers : nullptr, tlp,
                            device::link_is_down(port, name()), now);
  }
  void link_changed() override {
    for (unsigned a = 0; a < ports_; ++a) {
      for (unsigned b = 0; b < ports_; ++b) {
        if (forwarder_.connected(a) && forwarder_.connected(b)) find_speed_steps(a, b);
      }
    }
  }

  void configure(cfgspace::SwitchRegisters& registers) override {
    registers_ = &registers;
    completer_.set_identity(registers.upstream.bdf);
    registers_changed();
  }
  void registers_changed() override {
    for (Ingress& ingress : ingresses_) ingress.routes.forget();
  }

  void describe_waits(engine::WaitGraph& graph) const override {
    forwarder_.describe_waits(graph, name());
    completer_.describe_waits(graph, name());
  }

  [[nodiscard]] std::vector<device::StatisticValue> statistics() const override {
    return {{"forwarded_up", statistics_.up},
            {"forwarded_down", statistics_.down},
            {"peer_to_peer", statistics_.peer_to_peer},
            {"peer_to_peer_bytes", statistics_.peer_to_peer_bytes},
            {"stored_and_forwarded", statistics_.stored},
            {"refused", completer_.statistics().refused + statistics_.dropped}};
  }
  void reset_statistics() override {
    statistics_ = {};
    completer_.reset_statistics();
  }

 private:
  struct Statistics {
    std::uint64_t up = 0;
    std::uint64_t down = 0;
    std::uint64_t peer_to_peer = 0;
    std::uint64_t peer_to_peer_bytes = 0;
    std::uint64_t stored = 0;
    std::uint64_t dropped = 0;
  };

  struct alignas(64) Ingress final : engine::Receiver {
    void attach(Switch& owner, unsigned number) {
      self = &owner;
      index = number;
    }
    void receive(Tlp* tlp, Picoseconds now) override { self->receive(tlp, index, now); }
    void receive_damaged(const Tlp& tlp, Picoseconds now) override {
      self->receive_damaged(tlp, index, now);
    }

    Switch* self = nullptr;
    unsigned index = 0;
    device::Completer::Way answers;
    device::RouteCache routes;
  };

  // Cut-through works only where the ingress is at least as fast as the egress: else the egress
  // would run dry in the middle of a TLP.
  void find_speed_steps(unsigned ingress, unsigned egress) {
    const auto rate = [](const engine::Transmitter& direction) {
      const pcie::LinkConfig& link = direction.config().link;
      return pcie::encoded_line_rate(link.generation, link.width);
    };
    store_and_forward_[std::size_t{ingress} * ports_ + egress] =
        cut_through_ && rate(forwarder_.in(ingress)) < rate(forwarder_.out(egress)) ? 1 : 0;
  }

  void receive(Tlp* tlp, unsigned ingress, Picoseconds now) {
    Ingress& from = ingresses_[ingress];
    const cfgspace::Ingress seen =
        ingress == kUpstream ? cfgspace::Ingress::upstream() : cfgspace::Ingress::port(ingress - 1);
    const device::HopDecision decision = from.routes.find(*tlp, {registers_, seen});
    unsigned egress = 0;
    switch (decision.action) {
      case cfgspace::Action::kToUpstream:
        egress = kUpstream;
        ++statistics_.up;
        break;
      case cfgspace::Action::kToPort:
        egress = decision.index + 1;
        if (decision.peer_to_peer) {
          ++statistics_.peer_to_peer;
          statistics_.peer_to_peer_bytes += tlp->payload_bytes();
        } else {
          ++statistics_.down;
        }
        break;
      default:
        refuse(tlp, from, cfgspace::route(device::routed(*tlp), {registers_, seen}), now);
        return;
    }
    if (store_and_forward_[std::size_t{ingress} * ports_ + egress] != 0) {
      const Picoseconds wait = forwarder_.in(ingress).serialisation(*tlp);
      tlp->pay_serialisation(wait);
      ++statistics_.stored;
      forwarder_.forward_at(tlp, ingress, egress, now + wait, now);
      return;
    }
    forwarder_.forward_at(tlp, ingress, egress, now, now);
  }

  // The LCRC comes last: what cuts through is on its way when the switch sees that it is wrong, and
  // ends nullified (PCIe r6.0, sec 3.6.2.2). The header is taken to be intact.
  void receive_damaged(const Tlp& tlp, unsigned ingress, Picoseconds now) {
    const cfgspace::Ingress seen =
        ingress == kUpstream ? cfgspace::Ingress::upstream() : cfgspace::Ingress::port(ingress - 1);
    const device::HopDecision decision = ingresses_[ingress].routes.find(tlp, {registers_, seen});
    const bool up = decision.action == cfgspace::Action::kToUpstream;
    if (!up && decision.action != cfgspace::Action::kToPort) return;
    const unsigned egress = up ? kUpstream : decision.index + 1;
    if (store_and_forward_[std::size_t{ingress} * ports_ + egress] != 0) return;
    forwarder_.out(egress).send_nullified(tlp, now);
  }

  void refuse(Tlp* tlp, const Ingress& from, const cfgspace::Verdict& verdict, Picoseconds now) {
    if (tlp->flow_class == pcie::FlowClass::kCompletion) ++statistics_.dropped;
    const auto status = verdict.action == cfgspace::Action::kCompleterAbort
                            ? engine::CompletionStatus::kCompleterAbort
                            : engine::CompletionStatus::kUnsupportedRequest;
    completer_.refuse(tlp, from.answers, status, cfgspace::describe(verdict) + " in " + name(),
                      now);
  }

  device::PortProfile profile_;
  unsigned ports_;
  bool cut_through_;
  device::Forwarder forwarder_;
  device::Completer completer_;
  std::vector<Ingress> ingresses_;
  std::vector<std::uint8_t> store_and_forward_;  // by ingress and egress; 1: wait for the whole
  cfgspace::SwitchRegisters* registers_ = nullptr;
  Statistics statistics_;
};

}  // namespace

device::ModelDescriptor switch_model() {
  device::ModelDescriptor model;
  model.kind = "switch";
  model.summary = "PCIe switch: one upstream port, downstream ports, routing between them";
  model.role = device::ModelRole::kSwitch;
  device::PortDefaults defaults;
  defaults.completion_header_credits = "127";
  defaults.completion_data_credits = "2047";
  model.parameters = config::ParameterTable(device::with_port_parameters(
      {
          {"max_ports",
           Quantity::kInteger,
           "16",
           "ports in all, the upstream port included",
           "2",
           "127",
           {}},
          {"lanes",
           Quantity::kInteger,
           "128",
           "lanes in all; the widths of its links may not use "
           "more",
           "2",
           "1024",
           {}},
          {"max_link",
           Quantity::kLink,
           "gen5 x16",
           "fastest and widest link that a port trains to",
           "",
           "",
           {}},
          {"latency",
           Quantity::kTime,
           "110ns",
           "from the first byte in at one port to the first byte out at another, unloaded",
           "0ns",
           "100us",
           {}},
          {"forwarding",
           Quantity::kChoice,
           "cut-through",
           "cut-through forwards from the header on where the ingress is at least as fast as the "
           "egress; store-and-forward waits for the whole TLP",
           "",
           "",
           {"cut-through", "store-and-forward"}},
          device::arbitration_parameter(),
      },
      defaults));
  model.statistics = {
      {"forwarded_up", "TLPs", "from a downstream port to the upstream port"},
      {"forwarded_down", "TLPs", "from the upstream port to a downstream port"},
      {"peer_to_peer", "TLPs", "from one downstream port to another"},
      {"peer_to_peer_bytes", "B", "payload that went from one downstream port to another"},
      {"stored_and_forwarded", "TLPs",
       "waited for whole although the switch cuts through: the "
       "egress is faster than the ingress"},
      {"refused", "TLPs", "answered with UR or CA, or discarded"},
  };
  model.downstream_ports = [](const config::ParameterValues& values) {
    return static_cast<unsigned>(values.integer("max_ports")) - 1;
  };
  model.create = [](const device::ModelContext& context) -> std::unique_ptr<device::Model> {
    return std::make_unique<Switch>(context);
  };
  return model;
}

}  // namespace peerfab::models
