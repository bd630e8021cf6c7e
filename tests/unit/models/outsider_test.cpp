// SPDX-License-Identifier: Apache-2.0
// Somebody else's SystemC memory and core as endpoints of a topology, beside the models of this
// tree: the example of docs/attaching-systemc-models.md.
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/device/port_parameters.h"
#include "sim/device/tlm_endpoint.h"
#include "tests/support/catch.h"
#include "tests/support/engine_outsiders.h"
#include "tests/unit/models/model_lab.h"

namespace peerfab::models::test {
namespace {

constexpr std::size_t kBarBytes = std::size_t{1} << 20;

constexpr std::string_view kTopology = R"(
peerfab: 1
name: two outsiders beside a GPU
sockets:
  cpu0: {model: root-complex}
devices:
  sw0:   {model: switch,         at: cpu0}
  gpu0:  {model: gpu,            at: sw0, link: gen5 x8}
  card0: {model: outside-memory, at: sw0, link: gen4 x8}
  core0: {model: outside-core,   at: sw0, link: gen4 x8}
)";

// What both have in common: a port, and no more.
device::ModelDescriptor endpoint_of(const char* kind) {
  device::ModelDescriptor model;
  model.kind = kind;
  model.summary = "somebody else's SystemC model";
  model.parameters = config::ParameterTable(device::with_port_parameters(
      {{"max_link", config::Quantity::kLink, "gen4 x8", "fastest and widest link", "", "", {}}},
      {}));
  model.statistics = device::TlmEndpoint::statistic_descriptors();
  model.downstream_ports = [](const config::ParameterValues&) { return 0U; };
  return model;
}

// The two descriptors, and the outsider's modules that they make.
struct Outsiders {
  std::unique_ptr<outsider::WaitingMemory> memory;
  std::unique_ptr<outsider::Core> core;

  std::vector<device::ModelDescriptor> descriptors(outsider::Core::Program program) {
    device::ModelDescriptor card = endpoint_of("outside-memory");
    card.bars = [](const config::ParameterValues&) {
      return std::vector<cfgspace::BarRequest>{{0, Bytes(kBarBytes), true, true, "their memory"}};
    };
    card.create = [this](const device::ModelContext& context) -> std::unique_ptr<device::Model> {
      device::TlmEndpointConfig config;
      auto endpoint = std::make_unique<device::TlmEndpoint>(context, config);
      memory = std::make_unique<outsider::WaitingMemory>("their_memory", kBarBytes,
                                                         sc_core::sc_time(80, sc_core::SC_NS),
                                                         sc_core::sc_time(50, sc_core::SC_NS));
      endpoint->target()->socket.bind(memory->socket);
      return endpoint;
    };

    device::ModelDescriptor initiator = endpoint_of("outside-core");
    initiator.create = [this, program = std::move(program)](
                           const device::ModelContext& context) -> std::unique_ptr<device::Model> {
      device::TlmEndpointConfig config;
      config.target = false;
      config.initiator = true;
      auto endpoint = std::make_unique<device::TlmEndpoint>(context, config);
      core = std::make_unique<outsider::Core>("their_core", program);
      core->socket.bind(endpoint->initiator_side()->socket);
      return endpoint;
    };
    return {card, initiator};
  }
};

}  // namespace

TEST_CASE("a GPU writes into an outsider's memory and reads it back", "[tlm]") {
  Outsiders outsiders;
  ModelLab lab(kTopology, outsiders.descriptors([](outsider::Core&) {}));
  constexpr std::uint64_t kBytes = 64 * 1024;
  constexpr std::uint64_t kBack = std::uint64_t{1} << 30;
  device::DmaJob job;
  job.remote = lab.bar("card0") + Bytes(0x8000);
  job.length = kBytes;
  CHECK(lab.run("gpu0", job).error.empty());
  job.direction = device::DmaJob::Direction::kRead;
  job.local = kBack;
  CHECK(lab.run("gpu0", job).error.empty());

  const std::vector<std::byte> sent = lab.bytes("gpu0", 0, kBytes);
  CHECK(lab.bytes("gpu0", kBack, kBytes) == sent);
  CHECK(std::memcmp(outsiders.memory->data.data() + 0x8000, sent.data(), kBytes) == 0);
}

TEST_CASE("an outsider's core reaches a GPU and an outsider's memory", "[tlm]") {
  std::uint64_t gpu = 0;
  std::uint64_t card = 0;
  std::vector<unsigned char> from_gpu(256);
  std::vector<unsigned char> from_card(256);
  tlm::tlm_response_status nowhere = tlm::TLM_INCOMPLETE_RESPONSE;
  std::vector<unsigned char> written(256);
  for (std::size_t i = 0; i < written.size(); ++i) written[i] = static_cast<unsigned char>(i * 3);
  Outsiders outsiders;
  ModelLab lab(kTopology, outsiders.descriptors([&](outsider::Core& core) {
    sc_core::wait(1, sc_core::SC_US);
    CHECK(core.write(gpu, written) == tlm::TLM_OK_RESPONSE);
    CHECK(core.read(gpu, from_gpu) == tlm::TLM_OK_RESPONSE);
    CHECK(core.write(card + 512, from_gpu) == tlm::TLM_OK_RESPONSE);
    CHECK(core.read(card + 512, from_card) == tlm::TLM_OK_RESPONSE);
    std::vector<unsigned char> lost(16);
    nowhere = core.read(std::uint64_t{1} << 45, lost);
  }));
  const std::optional<BusAddress> mapped = lab.model("gpu0").memory_target()->map(0x1000, 4096);
  REQUIRE(mapped.has_value());
  gpu = mapped->value();
  card = lab.bar("card0").value();
  lab.system().engine().run();
  CHECK(outsiders.core->finished);
  CHECK(from_gpu == written);
  CHECK(from_card == written);
  CHECK(nowhere != tlm::TLM_OK_RESPONSE);
}

}  // namespace peerfab::models::test
