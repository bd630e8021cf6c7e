// SPDX-License-Identifier: Apache-2.0
// Somebody else's SystemC memory behind an endpoint. Each case elaborates, so each runs in a
// process of its own.
#include "sim/device/tlm_target.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/engine_outsiders.h"
#include "tests/support/engine_tlm_bench.h"

using peerfab::Bdf;
using peerfab::Picoseconds;
using peerfab::device::DmaReport;
using peerfab::device::TlmEndpointConfig;
using peerfab::engine::CompletionStatus;
using peerfab::engine::PcieExtension;
using peerfab::engine::Tlp;
using peerfab::engine::TransmitterConfig;
using peerfab::stats::Segment;
using namespace peerfab::test;  // NOLINT(google-build-using-namespace)
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

constexpr std::size_t kBytes = 1 << 20;

NodeConfig peer_with(unsigned reads, unsigned writes) {
  NodeConfig config;
  config.dma.max_payload = 256;
  config.dma.max_read_request = 256;
  config.dma.outstanding_reads = reads;
  config.dma.outstanding_writes = writes;
  config.dma.channels = 1;
  return config;
}

TlmEndpointConfig with_threads(unsigned threads) {
  TlmEndpointConfig config;
  config.target_threads = threads;
  return config;
}

std::vector<unsigned char> part(const std::vector<unsigned char>& data, std::size_t from,
                                std::size_t bytes) {
  return {data.begin() + static_cast<long>(from), data.begin() + static_cast<long>(from + bytes)};
}

}  // namespace

TEST_CASE("a write reaches the outsider's memory, in its time", "[tlm]") {
  TlmBench bench(with_threads(4), peer_with(32, 64));
  outsider::WaitingMemory memory("memory", kBytes, sc_time(80, SC_NS), sc_time(50, SC_NS));
  bench.endpoint.target()->socket.bind(memory.socket);
  bench.write(0x101, 200, 0x3000);
  bench.engine.run();
  REQUIRE(bench.jobs.reports.size() == 1);
  const DmaReport& report = bench.jobs.reports[0];
  CHECK(report.error.empty());
  // 228 B on the wire (a 4 DW header, 51 DWs), 3618.16 ps, then 50 ns in the target.
  CHECK(report.end == Picoseconds(3'619 + 50'000));
  CHECK(report.breakdown[Segment::kMemory] == Picoseconds(50'000));
  CHECK(report.breakdown.total() == report.end);
  CHECK(part(memory.data, 0x101, 200) == bench.peer_bytes(0x3000, 200));
  CHECK(memory.data[0x100] == 0);
  CHECK(memory.data[0x101 + 200] == 0);
  CHECK(memory.calls == 1);
}

TEST_CASE("a read brings the outsider's data, in its time", "[tlm]") {
  TlmBench bench(with_threads(4), peer_with(32, 64));
  outsider::WaitingMemory memory("memory", kBytes, sc_time(80, SC_NS), sc_time(50, SC_NS));
  bench.endpoint.target()->socket.bind(memory.socket);
  for (std::size_t i = 0; i < kBytes; ++i) memory.data[i] = static_cast<unsigned char>(i * 7);
  bench.read(0x1040, 128, 0x5000);
  bench.engine.run();
  REQUIRE(bench.jobs.reports.size() == 1);
  const DmaReport& report = bench.jobs.reports[0];
  // The request takes 381 ps, the target 80 ns, the completion 2349 ps.
  CHECK(report.end == Picoseconds(381 + 80'000 + 2'349));
  CHECK(report.breakdown[Segment::kMemory] == Picoseconds(80'000));
  CHECK(bench.peer_bytes(0x5000, 128) == part(memory.data, 0x1040, 128));
}

TEST_CASE("completions of an outsider's data keep the read completion boundary", "[tlm]") {
  TlmBench bench(with_threads(4), peer_with(32, 64));
  outsider::WaitingMemory memory("memory", kBytes, sc_time(80, SC_NS), sc_time(50, SC_NS));
  bench.endpoint.target()->socket.bind(memory.socket);
  bench.peer.dma.set_identity(TlmBench::kPeerId, 4096);
  for (std::size_t i = 0; i < kBytes; ++i) memory.data[i] = static_cast<unsigned char>(i * 5 + 1);
  bench.read(0x10c1, 5'000, 0x8001);
  bench.engine.run();
  REQUIRE(bench.jobs.reports.size() == 1);
  CHECK(bench.peer_bytes(0x8001, 5'000) == part(memory.data, 0x10c1, 5'000));
  for (const Arrival& arrival : bench.peer.arrivals) {
    const Tlp& tlp = arrival.tlp;
    CHECK(tlp.completer() == TlmBench::kEndpointId);
    // It ends on a boundary of 128 B, or it is the last of its read.
    CHECK((((tlp.lower_address() + tlp.length) % 128) == 0 || tlp.byte_count == tlp.length));
  }
}

TEST_CASE("reads are in the target together, as many as there are threads", "[tlm]") {
  TlmBench bench(with_threads(3), peer_with(32, 64));
  outsider::WaitingMemory memory("memory", kBytes, sc_time(100, SC_NS), sc_time(50, SC_NS));
  bench.endpoint.target()->socket.bind(memory.socket);
  bench.read(0, 256 * 9, 0);
  bench.engine.run();
  CHECK(memory.calls == 9);
  CHECK(memory.most_inside == 3);
  // Three rounds of 100 ns, and the wire.
  CHECK(bench.jobs.reports[0].end > Picoseconds(300'000));
  CHECK(bench.jobs.reports[0].end < Picoseconds(315'000));
}

TEST_CASE("a write is alone in the target, and a read behind it finds its data", "[tlm]") {
  TlmBench bench(with_threads(8), peer_with(32, 64));
  // Reads are much faster than writes: started together, they would overtake.
  outsider::WaitingMemory memory("memory", kBytes, sc_time(5, SC_NS), sc_time(200, SC_NS));
  bench.endpoint.target()->socket.bind(memory.socket);
  unsigned inside_at_write = 0;
  memory.look = [&](tlm::tlm_generic_payload& payload) {
    if (payload.is_write()) inside_at_write = std::max(inside_at_write, memory.now_inside);
  };
  for (std::uint64_t i = 0; i < 5; ++i) {
    bench.write(256 * i, 256, 0x10000 + 256 * i, 2 * i);
    bench.read(256 * i, 256, 0x20000 + 256 * i, 2 * i + 1);
  }
  bench.engine.run();
  CHECK(bench.jobs.reports.size() == 10);
  for (std::uint64_t i = 0; i < 5; ++i) {
    CHECK(bench.peer_bytes(0x20000 + 256 * i, 256) == bench.peer_bytes(0x10000 + 256 * i, 256));
  }
  CHECK(inside_at_write == 1);
}

TEST_CASE("an annotated delay is kept, and nobody waits for it", "[tlm]") {
  TlmBench bench(with_threads(1), peer_with(32, 64));
  outsider::DirectMemory memory("memory", kBytes, sc_time(300, SC_NS), sc_time(10, SC_NS));
  memory.offers_direct_access = false;
  bench.endpoint.target()->socket.bind(memory.socket);
  bench.write(0, 256 * 10, 0);
  bench.engine.run();
  CHECK(memory.calls == 10);
  // All ten are on their way at once: the wire's time and 300 ns.
  const std::uint64_t wire = (std::uint64_t{10} * 280 * 8125 + 511) / 512;
  CHECK(bench.jobs.reports[0].end == Picoseconds(wire + 300'000));
  CHECK(bench.jobs.reports[0].first_byte == Picoseconds(4'444 + 300'000));
  CHECK(part(memory.data, 0, 2560) == bench.peer_bytes(0, 2560));
}

TEST_CASE("a target that grants direct access is called once", "[tlm]") {
  TlmBench bench(with_threads(2), peer_with(32, 64));
  outsider::DirectMemory memory("memory", kBytes, sc_time(300, SC_NS), sc_time(40, SC_NS));
  bench.endpoint.target()->socket.bind(memory.socket);
  bench.write(0, 256, 0, 1);
  bench.engine.run();
  CHECK(memory.calls == 1);
  const Picoseconds start = bench.engine.now();
  bench.write(256, 256 * 9, 256, 2);
  bench.engine.run();
  bench.read(0, 2560, 0x40000, 3);
  bench.engine.run();
  CHECK(memory.calls == 1);
  // Its time is modelled all the same: what the target says for direct access.
  const DmaReport* const written = bench.jobs.find(2);
  REQUIRE(written != nullptr);
  CHECK(written->first_byte == start + Picoseconds(4'444 + 40'000));
  const std::uint64_t wire = (std::uint64_t{9} * 280 * 8125 + 511) / 512;
  CHECK(written->end == start + Picoseconds(wire + 40'000));
  CHECK(written->breakdown[Segment::kMemory] == Picoseconds(40'000));
  CHECK(part(memory.data, 0, 2560) == bench.peer_bytes(0, 2560));
  CHECK(bench.peer_bytes(0x40000, 2560) == bench.peer_bytes(0, 2560));
  CHECK(bench.endpoint.target()->statistics().through_dmi == 9 + 10);
}

TEST_CASE("direct access ends when it is invalidated", "[tlm]") {
  TlmBench bench(with_threads(2), peer_with(32, 64));
  outsider::DirectMemory memory("memory", kBytes, sc_time(300, SC_NS), sc_time(40, SC_NS));
  bench.endpoint.target()->socket.bind(memory.socket);
  bench.write(0, 256, 0);
  bench.engine.run();
  bench.write(256, 256, 0);
  bench.engine.run();
  CHECK(memory.calls == 1);
  SC_REPORT_INFO("test", "revoked");
  memory.revoke(0x8000, 0x8fff);  // a part is enough: the region is one
  memory.offers_direct_access = false;
  std::vector<unsigned char> old = memory.data;
  old.swap(memory.data);  // the old array is gone
  old.assign(old.size(), 0xee);
  bench.write(512, 256, 0x1000);
  bench.engine.run();
  CHECK(memory.calls == 2);
  CHECK(part(memory.data, 512, 256) == bench.peer_bytes(0x1000, 256));
  CHECK(old == std::vector<unsigned char>(kBytes, 0xee));
  CHECK(bench.endpoint.target()->statistics().invalidations == 1);
}

TEST_CASE("direct access for reads alone leaves the writes to calls", "[tlm]") {
  TlmBench bench(with_threads(2), peer_with(32, 64));
  outsider::DirectMemory memory("memory", kBytes, sc_time(300, SC_NS), sc_time(40, SC_NS));
  memory.read_only = true;
  bench.endpoint.target()->socket.bind(memory.socket);
  bench.read(0, 256, 0);
  bench.engine.run();
  bench.read(256, 256, 256);
  bench.engine.run();
  CHECK(memory.calls == 1);
  for (std::uint64_t i = 0; i < 4; ++i) {
    bench.write(1024 * i, 256, 0x9000 + 1024 * i, i);
    // Behind a write that is called, a read does not take the short cut.
    bench.read(1024 * i, 256, 0xa0000 + 1024 * i, i);
  }
  bench.engine.run();
  for (std::uint64_t i = 0; i < 4; ++i) {
    CHECK(bench.peer_bytes(0xa0000 + 1024 * i, 256) == bench.peer_bytes(0x9000 + 1024 * i, 256));
  }
  CHECK(memory.calls >= 5);
}

TEST_CASE("what the target refuses comes back as UR or CA", "[tlm]") {
  TlmBench bench(with_threads(2), peer_with(32, 64));
  // Half as large as its BAR.
  outsider::WaitingMemory memory("memory", kBytes / 2, sc_time(80, SC_NS), sc_time(50, SC_NS));
  bench.endpoint.target()->socket.bind(memory.socket);
  const auto error_of = [&bench](bool writes, std::uint64_t offset) {
    if (writes) {
      bench.write(offset, 64, 0);
    } else {
      bench.read(offset, 64, 0);
    }
    bench.engine.run();
    return bench.jobs.reports.back().error;
  };
  CHECK(error_of(false, 0).empty());
  CHECK(error_of(false, kBytes / 2) == "a read was answered with Unsupported Request");
  CHECK(error_of(true, kBytes / 2).find("TLM_ADDRESS_ERROR_RESPONSE") != std::string::npos);
  for (const auto response : {tlm::TLM_GENERIC_ERROR_RESPONSE, tlm::TLM_BURST_ERROR_RESPONSE,
                              tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, tlm::TLM_INCOMPLETE_RESPONSE}) {
    memory.answer = response;
    CHECK(error_of(false, 0) == "a read was answered with Completer Abort");
  }
  memory.answer = tlm::TLM_COMMAND_ERROR_RESPONSE;
  CHECK(error_of(false, 0) == "a read was answered with Unsupported Request");
  // The extension has the last word.
  memory.look = [](tlm::tlm_generic_payload& payload) {
    payload.get_extension<PcieExtension>()->status = CompletionStatus::kUnsupportedRequest;
  };
  memory.answer = tlm::TLM_GENERIC_ERROR_RESPONSE;
  CHECK(error_of(false, 0) == "a read was answered with Unsupported Request");
  memory.look = nullptr;
  memory.answer = tlm::TLM_OK_RESPONSE;
  CHECK(error_of(true, 0).empty());
}

TEST_CASE("the target sees who asks, and how", "[tlm]") {
  NodeConfig peer = peer_with(32, 64);
  peer.dma.relaxed_ordering = true;
  TlmBench bench(with_threads(2), peer);
  outsider::WaitingMemory memory("memory", kBytes, sc_time(80, SC_NS), sc_time(50, SC_NS));
  bench.endpoint.target()->socket.bind(memory.socket);
  std::vector<Bdf> requesters;
  std::vector<unsigned> attributes;
  memory.look = [&](tlm::tlm_generic_payload& payload) {
    const auto* const extension = payload.get_extension<PcieExtension>();
    requesters.push_back(extension->requester);
    attributes.push_back(extension->attributes);
  };
  bench.write(0, 64, 0);
  bench.read(0, 64, 0);
  bench.engine.run();
  CHECK(requesters == std::vector<Bdf>(2, TlmBench::kPeerId));
  CHECK(attributes == std::vector<unsigned>(2, Tlp::kRelaxedOrdering));
}

TEST_CASE("what no BAR claims never reaches the target", "[tlm]") {
  TlmBench bench(with_threads(2), peer_with(32, 64));
  outsider::WaitingMemory memory("memory", kBytes, sc_time(80, SC_NS), sc_time(50, SC_NS));
  bench.endpoint.target()->socket.bind(memory.socket);
  bench.read(kBytes, 64, 0);
  bench.engine.run();
  CHECK(bench.jobs.reports.back().error == "a read was answered with Unsupported Request");
  bench.registers.command.memory_space_enable = false;
  bench.endpoint.registers_changed();
  bench.read(0, 64, 0);
  bench.write(0, 64, 0);
  bench.engine.run();
  CHECK(bench.jobs.reports.size() == 3);
  CHECK(bench.jobs.reports[1].error.empty() == false);
  CHECK(bench.jobs.reports[2].error.empty() == false);
  CHECK(memory.calls == 0);
}

TEST_CASE("the target's buffers are given back, however small they are", "[tlm]") {
  TransmitterConfig link = bare_wire(5, 16);
  for (auto& flow : link.buffer.classes) flow = {1, 16};
  TlmBench bench(with_threads(4), peer_with(16, 16), link);
  outsider::WaitingMemory memory("memory", kBytes, sc_time(20, SC_NS), sc_time(10, SC_NS));
  bench.endpoint.target()->socket.bind(memory.socket);
  bench.write(0, 256 * 40, 0x0, 1);
  bench.read(0, 256 * 40, 0x80000, 2);
  bench.engine.run();
  CHECK(bench.jobs.reports.size() == 2);
  CHECK(bench.peer_bytes(0x80000, 256 * 40) == bench.peer_bytes(0, 256 * 40));
  CHECK(bench.to_endpoint.backlog() == 0);
}

TEST_CASE("bytes can be looked at without time passing", "[tlm]") {
  TlmBench bench(with_threads(2), peer_with(32, 64));
  outsider::WaitingMemory memory("memory", kBytes, sc_time(80, SC_NS), sc_time(50, SC_NS));
  bench.endpoint.target()->socket.bind(memory.socket);
  std::vector<std::byte> bytes(100, std::byte{0x42});
  bench.engine.run(Picoseconds(0));
  CHECK(bench.endpoint.target()->debug_write(1000, bytes.data(), 100) == 100);
  std::vector<std::byte> found(100);
  CHECK(bench.endpoint.target()->debug_read(1000, found.data(), 100) == 100);
  CHECK(found == bytes);
  CHECK(bench.endpoint.target()->debug_read(kBytes - 10, found.data(), 100) == 0);
  CHECK(memory.calls == 0);
  CHECK(sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME);
}

TEST_CASE("where no payload moves, the target sees zeros and keeps its time", "[tlm]") {
  TlmBench bench(with_threads(4), peer_with(32, 64), bare_wire(5, 16), 0);
  outsider::WaitingMemory memory("memory", kBytes, sc_time(80, SC_NS), sc_time(50, SC_NS));
  bench.endpoint.target()->socket.bind(memory.socket);
  memory.data.assign(kBytes, 0x11);
  bench.write(0, 256, 0, 1);
  bench.read(256, 256, 0, 2);
  bench.engine.run();
  CHECK(bench.jobs.find(1)->end == Picoseconds(4'444 + 50'000));
  CHECK(part(memory.data, 0, 256) == std::vector<unsigned char>(256, 0));
  CHECK(bench.jobs.find(2)->error.empty());
}
