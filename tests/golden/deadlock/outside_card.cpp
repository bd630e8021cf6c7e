// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/deadlock/outside_card.h"

#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <optional>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "sim/device/memory.h"
#include "sim/device/port_parameters.h"
#include "sim/device/tlm_endpoint.h"

namespace peerfab::test {

namespace {

constexpr std::uint64_t kBarBytes = std::uint64_t{1} << 20;

// What is in the card. It knows nothing of this project.
class Inside : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Inside> target;
  tlm_utils::simple_initiator_socket<Inside> initiator;

  Inside(const sc_core::sc_module_name& name, std::string does)
      : sc_module(name), target("target"), initiator("initiator"), does_(std::move(does)) {
    target.register_b_transport(this, &Inside::b_transport);
  }
  std::uint64_t partner = 0;  // bus address

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
    sc_core::wait(20, sc_core::SC_NS);
    if (payload.is_write()) before_accepting(payload);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  void before_accepting(tlm::tlm_generic_payload& payload) {
    std::vector<unsigned char> bytes(payload.get_data_length());
    if (does_ == "forward") {
      send(tlm::TLM_WRITE_COMMAND, partner + payload.get_address(), bytes);
    } else if (does_ == "read-partner") {
      send(tlm::TLM_READ_COMMAND, partner + payload.get_address(), bytes);
    } else if (does_ == "poll-partner") {
      std::vector<unsigned char> flag(4);
      while (flag[0] == 0) {
        send(tlm::TLM_READ_COMMAND, partner + kBarBytes / 2, flag);
        sc_core::wait(100, sc_core::SC_NS);
      }
    } else if (does_ == "never-answers") {
      sc_core::wait(never_);
    }
  }
  void send(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char>& bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(static_cast<unsigned>(bytes.size()));
    payload.set_streaming_width(static_cast<unsigned>(bytes.size()));
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    initiator->b_transport(payload, delay);
  }

  std::string does_;
  sc_core::sc_event never_;
};

// The endpoint around it, with a BAR that flows can write to.
class OutsideCard final : public device::Model, public device::MemoryTarget {
 public:
  OutsideCard(const device::ModelContext& context, CardBases& bases)
      : Model(context.name),
        bases_(bases),
        partner_(context.values.text("partner")),
        endpoint_(context, both_sides()),
        inside_((context.name + "_inside").c_str(), context.values.text("does")),
        memory_(device::MemoryConfig{Bytes(kBarBytes), Picoseconds(), Bandwidth()},
                context.pattern_seed) {
    endpoint_.target()->socket.bind(inside_.target);
    inside_.initiator.bind(endpoint_.initiator_side()->socket);
  }

  [[nodiscard]] device::PortProfile profile(device::PortRef port) const override {
    return endpoint_.profile(port);
  }
  engine::Receiver& connect(device::PortRef port, engine::Transmitter& out,
                            engine::Transmitter& in) override {
    return endpoint_.connect(port, out, in);
  }
  void configure(cfgspace::PortRegisters& registers) override {
    endpoint_.configure(registers);
    bases_[name()] = registers.bars.front().base.value();
  }
  void lost(device::PortRef port, std::optional<unsigned> input, engine::Tlp* tlp,
            Picoseconds now) override {
    endpoint_.lost(port, input, tlp, now);
  }
  void describe_waits(engine::WaitGraph& graph) const override { endpoint_.describe_waits(graph); }
  [[nodiscard]] std::vector<device::StatisticValue> statistics() const override {
    return endpoint_.statistics();
  }
  void reset_statistics() override { endpoint_.reset_statistics(); }

  device::MemoryTarget* memory_target() override { return this; }
  device::Memory& memory() override { return memory_; }
  // All cards have their places by now.
  std::optional<BusAddress> map(std::uint64_t offset, std::uint64_t length) override {
    inside_.partner = bases_.at(partner_);
    if (offset + length > kBarBytes) return std::nullopt;
    return BusAddress(bases_.at(name()) + offset);
  }
  void unmap(BusAddress /*address*/, std::uint64_t /*length*/) override {}
  [[nodiscard]] std::uint64_t largest_mapping() const override { return kBarBytes; }

 private:
  static device::TlmEndpointConfig both_sides() {
    device::TlmEndpointConfig config;
    config.initiator = true;
    return config;
  }

  CardBases& bases_;
  std::string partner_;
  device::TlmEndpoint endpoint_;
  Inside inside_;
  device::Memory memory_;
};

}  // namespace

device::ModelDescriptor outside_card_model(CardBases& bases) {
  using config::Quantity;
  device::ModelDescriptor model;
  model.kind = "outside-card";
  model.summary = "somebody else's SystemC model";
  model.parameters = config::ParameterTable(device::with_port_parameters(
      {{"max_link", Quantity::kLink, "gen4 x8", "fastest and widest link", "", "", {}},
       {"partner", Quantity::kText, "", "the other card", "", "", {}},
       {"does",
        Quantity::kChoice,
        "nothing",
        "before it accepts a write",
        "",
        "",
        {"nothing", "forward", "read-partner", "poll-partner", "never-answers"}}},
      {}));
  model.statistics = device::TlmEndpoint::statistic_descriptors();
  model.downstream_ports = [](const config::ParameterValues&) { return 0U; };
  model.bars = [](const config::ParameterValues&) {
    return std::vector<cfgspace::BarRequest>{{0, Bytes(kBarBytes), true, true, "their memory"}};
  };
  model.memory_size = [](const config::ParameterValues&) { return Bytes(kBarBytes); };
  model.create = [&bases](const device::ModelContext& context) -> std::unique_ptr<device::Model> {
    return std::make_unique<OutsideCard>(context, bases);
  };
  return model;
}

}  // namespace peerfab::test
