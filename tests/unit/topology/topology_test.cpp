// SPDX-License-Identifier: Apache-2.0
// What a good file becomes.
#include "sim/topology/topology.h"

#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/unit/topology/lab.h"

namespace peerfab::topology {
namespace {

constexpr std::string_view kTwoGpus = R"(peerfab: 1
name: Two GPUs
sockets:
  cpu0: {preset: lab-host}
devices:
  gpu0: {preset: lab-gpu, at: sw0, link: gen4 x8}
  sw0:  {preset: lab-switch, at: cpu0, port: 2}
  gpu1: {model: gpu, at: sw0, bar1: 1GiB}
)";

}  // namespace

TEST_CASE("sockets come first, then devices in file order", "[topology]") {
  const Topology topology = lab::must_parse(kTwoGpus);
  CHECK(topology.name == "Two GPUs");
  CHECK(topology.file == "test.yaml");
  REQUIRE(topology.components.size() == 4);
  CHECK(topology.components[0].name == "cpu0");
  CHECK(topology.components[0].is_socket);
  CHECK(topology.components[1].name == "gpu0");
  CHECK(topology.components[2].name == "sw0");
  CHECK(topology.components[3].name == "gpu1");
  CHECK(topology.socket_count() == 1);
  CHECK(topology.find("gpu1") == 3U);
  CHECK_FALSE(topology.find("gpu9"));
  CHECK(topology.endpoints() == std::vector<ComponentId>{1, 3});
}

TEST_CASE("models, presets and parameters are resolved", "[topology]") {
  const Topology topology = lab::must_parse(kTwoGpus);
  CHECK(topology.components[0].model->kind == "root-complex");
  CHECK(topology.components[1].model->kind == "gpu");  // from the preset
  CHECK(topology.components[1].preset == "lab-gpu");
  CHECK(topology.components[3].preset.empty());
  CHECK(topology.components[1].values.size("bar1") == Bytes(std::uint64_t{128} << 30));
  CHECK(topology.components[3].values.size("bar1") == Bytes(std::uint64_t{1} << 30));
  CHECK(topology.components[3].values.where("bar1").line == 8);
  CHECK(topology.components[3].where.line == 8);
  CHECK(topology.components[3].where.column == 3);
}

TEST_CASE("links are negotiated between both ends and the file", "[topology]") {
  const Topology topology = lab::must_parse(kTwoGpus);
  REQUIRE(topology.links.size() == 3);
  const PcieLink& asked = topology.links[0];
  CHECK(asked.name == "sw0-gpu0");
  CHECK(asked.link_given);
  CHECK(asked.negotiated == config::LinkSpeed{4, 8});
  CHECK(asked.upper_max == config::LinkSpeed{5, 16});
  CHECK(asked.where.line == 6);
  const PcieLink& silent = *topology.find_link("sw0-gpu1");
  CHECK_FALSE(silent.link_given);
  CHECK(silent.requested == config::LinkSpeed{5, 16});
  CHECK(silent.negotiated == config::LinkSpeed{5, 16});
  CHECK(topology.find_link("cpu0-sw0")->upper_port == 2);
  CHECK(topology.find_link("cpu0-gpu0") == nullptr);
}

TEST_CASE("generation and width are negotiated apart", "[topology]") {
  const Topology topology = lab::must_parse(R"(peerfab: 1
sockets: {cpu0: {root_port_link: gen3 x16}}
devices:
  gpu0: {model: gpu, at: cpu0, max_link: gen5 x4}
)");
  CHECK(topology.links[0].negotiated == config::LinkSpeed{3, 4});
}

TEST_CASE("named ports are taken first, the others are the lowest free ones", "[topology]") {
  const Topology topology = lab::must_parse(R"(peerfab: 1
sockets:
  cpu0:
devices:
  a: {model: gpu, at: cpu0}
  b: {model: gpu, at: cpu0, port: 0}
  c: {model: gpu, at: cpu0}
  d: {model: gpu, at: cpu0, port: 2}
)");
  CHECK(topology.name == "test");  // the file's, without a name
  const auto port = [&](std::string_view name) {
    return topology.link_above(*topology.find(name))->upper_port;
  };
  CHECK(port("b") == 0);
  CHECK(port("a") == 1);
  CHECK(port("d") == 2);
  CHECK(port("c") == 3);
  std::vector<std::string> in_port_order;
  for (const ComponentId id : topology.children(0)) {
    in_port_order.push_back(topology.components[id].name);
  }
  CHECK(in_port_order == std::vector<std::string>{"b", "a", "d", "c"});
  CHECK(topology.links_below(0).front()->name == "cpu0-b");
}

TEST_CASE("depth, socket and neighbours of a component", "[topology]") {
  const Topology topology = lab::must_parse(kTwoGpus);
  CHECK(topology.depth(0) == 0);
  CHECK(topology.depth(2) == 1);
  CHECK(topology.depth(1) == 2);
  CHECK(topology.socket_of(1) == 0);
  CHECK(topology.socket_of(0) == 0);
  CHECK(topology.link_above(0) == nullptr);
  CHECK(topology.link_above(1)->upper == 2);
  CHECK(topology.children(1).empty());
}

TEST_CASE("wires join sockets and may have a preset", "[topology]") {
  const Topology topology = lab::must_parse(R"(peerfab: 1
sockets: {cpu0: {}, cpu1: {}, cpu2: {}, cpu3: {}}
wires:
  - {kind: socket, between: [cpu0, cpu1], bandwidth: 20GB/s, latency: 50ns}
  - {kind: socket, between: [cpu3, cpu2], preset: lab-upi, latency: 60ns}
)");
  REQUIRE(topology.wires.size() == 2);
  CHECK(topology.wires[0].name == "cpu0-cpu1");
  CHECK(topology.wires[0].kind == "socket");
  CHECK(topology.wires[0].values.time("latency") == Picoseconds(50'000));
  CHECK(topology.wires[1].a == 3);
  CHECK(topology.wires[1].b == 2);
  CHECK(topology.wires[1].preset == "lab-upi");
  CHECK(topology.wires[1].values.bandwidth("bandwidth") == Bandwidth(48'000'000'000));
  CHECK(topology.wires[1].values.time("latency") == Picoseconds(60'000));
  CHECK(topology.connected(0, 1));
  CHECK(topology.connected(2, 3));
  CHECK_FALSE(topology.connected(1, 2));
}

TEST_CASE("own presets are read beside the topology", "[topology]") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "peerfab-topology-own-presets";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "mine.yaml")
      << "peerfab: 1\npreset: my-gpu\nmodel: gpu\nmeaning: mine\nparameters:\n"
         "  bar1: {value: 2GiB, source: made up for tests}\n";
  std::ofstream(folder / "lab.yaml") << "peerfab: 1\npresets: [mine.yaml]\nsockets: {cpu0: {}}\n"
                                        "devices: {gpu0: {preset: my-gpu, at: cpu0}}\n";
  const lab::Outcome outcome = lab::load((folder / "lab.yaml").string());
  std::filesystem::remove_all(folder);
  INFO(outcome.rendered());
  REQUIRE(outcome.topology);
  CHECK(outcome.topology->components[1].values.size("bar1") == Bytes(std::uint64_t{2} << 30));
  CHECK(lab::presets().find("my-gpu") == nullptr);  // stays with the file that named it
}

TEST_CASE("a missing file is a finding", "[topology]") {
  const lab::Outcome outcome = lab::load("/nonexistent/topology.yaml");
  CHECK_FALSE(outcome.topology);
  CHECK(outcome.diagnostics.has_errors());
}

TEST_CASE("one mistake does not hide another", "[topology]") {
  const lab::Outcome outcome = lab::parse(R"(peerfab: 1
sockets: {cpu0: {}}
devices:
  sw0: {model: switch, at: nowhere}
  sw1: {model: swich, at: cpu0}
  a: {model: gpu, at: cpu0, port: 1}
  b: {model: gpu, at: cpu0, port: 1}
  c: {model: gpu, at: a}
)");
  CHECK_FALSE(outcome.topology);
  for (const char* check :
       {"unknown-reference", "unknown-model", "port-taken", "attach-to-endpoint"}) {
    INFO(check);
    CHECK(outcome.has(check));
  }
  CHECK(outcome.diagnostics.error_count() == 4);
}

TEST_CASE("a buffer has to hold the payload that the firmware sets for all", "[topology]") {
  // gpu1 does 128 B at most, so 8 units of 16 B hold any TLP.
  const lab::Outcome outcome = lab::parse(
      "peerfab: 1\nname: x\nsockets:\n  cpu0: {preset: lab-host}\ndevices:\n"
      "  gpu0: {preset: lab-gpu, at: cpu0}\n"
      "  gpu1: {preset: lab-gpu, at: cpu0, max_payload_size: 128B, posted_data_credits: 8}\n");
  INFO(outcome.rendered());
  CHECK(outcome.topology.has_value());
  CHECK(lab::parse("peerfab: 1\nname: x\nsockets:\n  cpu0: {preset: lab-host}\ndevices:\n"
                   "  gpu1: {preset: lab-gpu, at: cpu0, max_payload_size: 128B, "
                   "posted_data_credits: 7}\n")
            .has("credits-below-payload"));
}

}  // namespace peerfab::topology
