// SPDX-License-Identifier: Apache-2.0
// Somebody else's SystemC initiator that sends into the fabric. Each case elaborates, so each runs
// in a process of its own.
#include "sim/device/tlm_initiator.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/engine_outsiders.h"
#include "tests/support/engine_tlm_bench.h"

using peerfab::Picoseconds;
using peerfab::device::TlmEndpointConfig;
using peerfab::engine::CompletionStatus;
using peerfab::engine::PcieExtension;
using peerfab::engine::Tlp;
using peerfab::engine::TransmitterConfig;
using peerfab::pcie::FlowClass;
using namespace peerfab::test;  // NOLINT(google-build-using-namespace)
using outsider::Core;

namespace {

using Bytes = std::vector<unsigned char>;
constexpr std::uint64_t kPeer = TlmBench::kPeer;

TlmEndpointConfig initiator_only(std::uint32_t max_read_request = 512, unsigned reads = 32) {
  TlmEndpointConfig config;
  config.target = false;
  config.initiator = true;
  config.max_read_request = max_read_request;
  config.outstanding_reads = reads;
  return config;
}

std::uint64_t now() { return sc_core::sc_time_stamp().value(); }

Bytes counting(std::size_t bytes, unsigned from = 1) {
  Bytes result(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    result[i] = static_cast<unsigned char>((i + from) * 37 >> 2);
  }
  return result;
}

// One core at the endpoint's initiator side.
class CoreBench {
 public:
  explicit CoreBench(Core::Program program, const TlmEndpointConfig& config = initiator_only(),
                     const NodeConfig& peer = {}, const TransmitterConfig& link = bare_wire(5, 16),
                     std::size_t payload = 4096)
      : bench(config, peer, link, payload), core("core", std::move(program)) {
    core.socket.bind(bench.endpoint.initiator_side()->socket);
  }
  void run() {
    bench.engine.run();
    CHECK(core.finished);
    CHECK_FALSE(sc_core::sc_pending_activity());
  }
  TlmBench bench;
  Core core;
};

// A payload with everything that a well-behaved initiator sets.
struct Payload {
  Payload(tlm::tlm_command command, std::uint64_t address, Bytes& data) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(static_cast<unsigned>(data.size()));
  }
  tlm::tlm_response_status send(Core& core) {
    core.socket->b_transport(payload, delay);
    return payload.get_response_status();
  }
  tlm::tlm_generic_payload payload;
  sc_core::sc_time delay;
};

}  // namespace

TEST_CASE("a write returns when it is accepted, a read when its data is there", "[tlm]") {
  NodeConfig peer;
  peer.memory.read_latency = Picoseconds(100'000);
  std::vector<std::uint64_t> times;
  Bytes found(128);
  CoreBench bench(
      [&](Core& core) {
        sc_core::wait(1, sc_core::SC_NS);
        CHECK(core.write(kPeer + 0x40, counting(128)) == tlm::TLM_OK_RESPONSE);
        times.push_back(now());
        CHECK(core.read(kPeer + 0x40, found) == tlm::TLM_OK_RESPONSE);
        times.push_back(now());
      },
      initiator_only(), peer);
  bench.run();
  // The write waits for nothing. It is 152 B on the wire, behind it the read 24 B, 2792.97 ps
  // together; 100 ns in memory; a completion of 148 B, 2348.63 ps.
  CHECK(times == std::vector<std::uint64_t>{1'000, 1'000 + 2'793 + 100'000 + 2'349});
  CHECK(found == counting(128));
  CHECK(bench.bench.peer_bytes(0x40, 128) == counting(128));
}

TEST_CASE("a write is accepted when its last TLP waits in front of the wire", "[tlm]") {
  std::uint64_t accepted = 0;
  CoreBench bench([&](Core& core) {
    CHECK(core.write(kPeer, counting(256 * 10)) == tlm::TLM_OK_RESPONSE);
    accepted = now();
  });
  bench.run();
  // Ten TLPs of 280 B, 4443.36 ps each: one on the wire and two in front of it, so the tenth is
  // taken when the eighth begins.
  CHECK(accepted == (std::uint64_t{7} * 280 * 8125 + 511) / 512);
  CHECK(bench.bench.peer_bytes(0, 2560) == counting(2560));
}

TEST_CASE("transfers are cut by the registers' payload size and the read request size", "[tlm]") {
  const Bytes data = counting(9'000);
  Bytes found(9'000);
  CoreBench bench(
      [&](Core& core) {
        CHECK(core.write(kPeer + 0xe01, data) == tlm::TLM_OK_RESPONSE);
        CHECK(core.read(kPeer + 0xe01, found) == tlm::TLM_OK_RESPONSE);
      },
      initiator_only(1024));
  bench.run();
  CHECK(found == data);
  unsigned largest_read = 0;
  for (const Arrival& arrival : bench.bench.peer.arrivals) {
    const Tlp& tlp = arrival.tlp;
    CHECK(tlp.requester == TlmBench::kEndpointId.value());
    CHECK(tlp.address / 4096 == (tlp.address + tlp.length - 1) / 4096);
    const std::uint64_t dw_bytes = (tlp.address % 4 + tlp.length + 3) / 4 * 4;
    if (tlp.flow_class == FlowClass::kPosted) {
      CHECK(dw_bytes <= 256);
    } else {
      CHECK(dw_bytes <= 1024);
      largest_read = std::max<unsigned>(largest_read, tlp.length);
    }
  }
  CHECK(largest_read == 1024);
}

TEST_CASE("a caller that is ahead waits first", "[tlm]") {
  std::vector<std::uint64_t> times;
  CoreBench bench([&](Core& core) {
    Bytes data = counting(64);
    Payload write(tlm::TLM_WRITE_COMMAND, kPeer, data);
    write.delay = sc_core::sc_time(70, sc_core::SC_NS);
    CHECK(write.send(core) == tlm::TLM_OK_RESPONSE);
    CHECK(write.delay == sc_core::SC_ZERO_TIME);
    times.push_back(now());
  });
  bench.run();
  CHECK(times == std::vector<std::uint64_t>{70'000});
}

TEST_CASE("a refused read says why, a refused write does not", "[tlm]") {
  std::vector<tlm::tlm_response_status> responses;
  std::vector<CompletionStatus> statuses;
  CoreBench* self = nullptr;
  CoreBench bench([&](Core& core) {
    Bytes data(2048);
    for (const auto status :
         {CompletionStatus::kUnsupportedRequest, CompletionStatus::kCompleterAbort}) {
      self->bench.peer.refuse_with = status;
      PcieExtension extension;
      Payload read(tlm::TLM_READ_COMMAND, kPeer, data);
      read.payload.set_extension(&extension);
      responses.push_back(read.send(core));
      statuses.push_back(extension.status);
      CHECK(extension.requester == TlmBench::kEndpointId);
      read.payload.clear_extension(&extension);
    }
    CHECK(core.write(kPeer, data) == tlm::TLM_OK_RESPONSE);
    sc_core::wait(1, sc_core::SC_US);
    self->bench.peer.refuse_with.reset();
    CHECK(core.read(kPeer, data) == tlm::TLM_OK_RESPONSE);
  });
  self = &bench;
  bench.run();
  CHECK(responses == std::vector<tlm::tlm_response_status>{tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                                           tlm::TLM_GENERIC_ERROR_RESPONSE});
  CHECK(statuses == std::vector<CompletionStatus>{CompletionStatus::kUnsupportedRequest,
                                                  CompletionStatus::kCompleterAbort});
  const auto& side = *bench.bench.endpoint.initiator_side();
  CHECK(side.statistics().failed_requests == 4 + 4 + 8);
  CHECK(side.first_failure() == "the test wants it so");
}

TEST_CASE("what no TLP can be made of is refused on the spot", "[tlm]") {
  CoreBench* self = nullptr;
  CoreBench bench([&](Core& core) {
    Bytes data(64);
    {
      Payload payload(tlm::TLM_WRITE_COMMAND, kPeer, data);
      payload.payload.set_streaming_width(16);
      CHECK(payload.send(core) == tlm::TLM_BURST_ERROR_RESPONSE);
    }
    {
      Payload payload(tlm::TLM_WRITE_COMMAND, kPeer, data);
      payload.payload.set_data_length(0);
      CHECK(payload.send(core) == tlm::TLM_BURST_ERROR_RESPONSE);
    }
    {
      Bytes enables(4, TLM_BYTE_ENABLED);
      Payload payload(tlm::TLM_WRITE_COMMAND, kPeer, data);
      payload.payload.set_byte_enable_ptr(enables.data());
      payload.payload.set_byte_enable_length(4);
      CHECK(payload.send(core) == tlm::TLM_OK_RESPONSE);
      enables[2] = TLM_BYTE_DISABLED;
      CHECK(payload.send(core) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    }
    {
      Payload payload(tlm::TLM_READ_COMMAND, ~std::uint64_t{0} - 10, data);
      CHECK(payload.send(core) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }
    {
      Payload payload(tlm::TLM_IGNORE_COMMAND, kPeer, data);
      CHECK(payload.send(core) == tlm::TLM_OK_RESPONSE);
    }
    CHECK(now() == 0);
    sc_core::wait(1, sc_core::SC_US);
    // A function that may not be a bus master sends nothing (PCIe r6.0, sec 7.5.1.1.3).
    self->bench.registers.command.bus_master_enable = false;
    CHECK(core.write(kPeer, data) == tlm::TLM_GENERIC_ERROR_RESPONSE);
    CHECK(core.read(kPeer, data) == tlm::TLM_GENERIC_ERROR_RESPONSE);
  });
  self = &bench;
  bench.run();
  CHECK(bench.bench.peer.arrivals.size() == 1);
}

TEST_CASE("there is no way into the fabric beside its time", "[tlm]") {
  CoreBench bench([&](Core& core) {
    Bytes data(64, 0x55);
    Payload payload(tlm::TLM_READ_COMMAND, kPeer, data);
    CHECK(payload.send(core) == tlm::TLM_OK_RESPONSE);
    CHECK_FALSE(payload.payload.is_dmi_allowed());
    tlm::tlm_dmi dmi;
    CHECK_FALSE(core.socket->get_direct_mem_ptr(payload.payload, dmi));
    CHECK(core.socket->transport_dbg(payload.payload) == 0);
  });
  bench.run();
}

TEST_CASE("the attributes of an extension travel with the TLPs", "[tlm]") {
  CoreBench bench([&](Core& core) {
    Bytes data(64);
    PcieExtension extension;
    extension.attributes = Tlp::kRelaxedOrdering | Tlp::kNoSnoop;
    Payload write(tlm::TLM_WRITE_COMMAND, kPeer, data);
    write.payload.set_extension(&extension);
    CHECK(write.send(core) == tlm::TLM_OK_RESPONSE);
    write.payload.clear_extension(&extension);
    CHECK(core.write(kPeer, data) == tlm::TLM_OK_RESPONSE);
  });
  bench.run();
  REQUIRE(bench.bench.peer.arrivals.size() == 2);
  CHECK(bench.bench.peer.arrivals[0].tlp.attributes == (Tlp::kRelaxedOrdering | Tlp::kNoSnoop));
  CHECK(bench.bench.peer.arrivals[1].tlp.attributes == 0);
}

TEST_CASE("several threads share the tags and get their own data", "[tlm]") {
  constexpr unsigned kThreads = 6;
  NodeConfig peer;
  peer.memory.read_latency = Picoseconds(400'000);
  TlmBench bench(initiator_only(128, 4), peer);
  std::vector<std::unique_ptr<Core>> cores;
  // One target socket takes one initiator; the threads are of one core with six processes.
  std::vector<Bytes> found(kThreads, Bytes(1'500));
  unsigned running = kThreads;
  Core core("core", [&](Core& self) {
    for (unsigned i = 0; i < kThreads; ++i) {
      sc_core::sc_spawn([&, i] {
        for (int round = 0; round < 3; ++round) {
          CHECK(self.write(kPeer + 0x4000 * i, counting(1'500, i)) == tlm::TLM_OK_RESPONSE);
          CHECK(self.read(kPeer + 0x4000 * i, found[i]) == tlm::TLM_OK_RESPONSE);
        }
        --running;
      });
    }
  });
  core.socket.bind(bench.endpoint.initiator_side()->socket);
  bench.engine.run();
  CHECK(running == 0);
  for (unsigned i = 0; i < kThreads; ++i) CHECK(found[i] == counting(1'500, i));
  const auto& statistics = bench.endpoint.initiator_side()->statistics();
  CHECK(statistics.tag_stall_ps > 0);
  CHECK(statistics.unexpected_completions == 0);
  CHECK(statistics.bytes_read == 3 * kThreads * 1'500);
  CHECK(statistics.bytes_written == 3 * kThreads * 1'500);
}

TEST_CASE("a device with both sides reads what others wrote into it", "[tlm]") {
  TlmEndpointConfig config;
  config.initiator = true;
  TlmBench bench(config);
  outsider::WaitingMemory registers("registers", 1 << 20, sc_core::sc_time(10, sc_core::SC_NS),
                                    sc_core::sc_time(10, sc_core::SC_NS));
  // A doorbell: what is written to it says where to fetch from.
  sc_core::sc_event rung;
  std::uint64_t address = 0;
  registers.look = [&](tlm::tlm_generic_payload& payload) {
    if (!payload.is_write()) return;
    address = kPeer + payload.get_address();
    rung.notify(sc_core::SC_ZERO_TIME);
  };
  Bytes fetched(512);
  Core core("core", [&](Core& self) {
    sc_core::wait(rung);
    CHECK(self.read(address, fetched) == tlm::TLM_OK_RESPONSE);
  });
  bench.endpoint.target()->socket.bind(registers.socket);
  core.socket.bind(bench.endpoint.initiator_side()->socket);
  bench.write(0x2000, 4, 0, 1);
  bench.engine.run();
  CHECK(core.finished);
  CHECK(fetched == bench.peer_bytes(0x2000, 512));
}
