// SPDX-License-Identifier: Apache-2.0
#include "sim/device/dma_unit.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/rng.h"
#include "tests/support/catch.h"
#include "tests/support/engine_fabric.h"

using peerfab::Bandwidth;
using peerfab::Bytes;
using peerfab::Picoseconds;
using peerfab::Rng;
using peerfab::device::DmaConfig;
using peerfab::device::DmaJob;
using peerfab::device::DmaReport;
using peerfab::engine::CompletionStatus;
using peerfab::engine::Tlp;
using peerfab::engine::TransmitterConfig;
using peerfab::pcie::FlowClass;
using peerfab::stats::Segment;
using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

namespace {

// Node 0 has the DMA unit under test, node 1 answers.
std::vector<NodeConfig> pair(const DmaConfig& dma, const NodeConfig& target = {}) {
  NodeConfig source;
  source.dma = dma;
  return {source, target};
}

DmaConfig plain_dma() {
  DmaConfig config;
  config.max_payload = 256;
  config.max_read_request = 512;
  config.outstanding_reads = 32;
  config.outstanding_writes = 64;
  return config;
}

struct Sent {
  std::uint64_t offset;  // from the start of the target
  unsigned bytes;
  std::uint16_t tag;
  Picoseconds at;
  bool operator==(const Sent&) const = default;
};

// The requests that node 0 sent, as the switch saw them.
void watch(Fabric& fabric, std::vector<Sent>& sent) {
  fabric.on_departure = [&sent](unsigned from, const Tlp& tlp, Picoseconds now) {
    if (from != 0 || tlp.flow_class == FlowClass::kCompletion) return;
    sent.push_back({tlp.address - node_address(1).value(), tlp.length, tlp.tag, now});
  };
}

// Offset and bytes, as text that a failing check prints.
using Pieces = std::vector<std::pair<std::uint64_t, unsigned>>;
std::string text(const Pieces& pieces) {
  std::string result;
  for (const auto& [offset, bytes] : pieces) {
    result += std::to_string(offset) + "+" + std::to_string(bytes) + " ";
  }
  return result;
}
std::string text(const std::vector<Sent>& sent) {
  Pieces pieces;
  for (const Sent& request : sent) pieces.emplace_back(request.offset, request.bytes);
  return text(pieces);
}

std::vector<std::byte> content(Fabric& fabric, unsigned node, std::uint64_t offset,
                               std::size_t bytes) {
  std::vector<std::byte> result(bytes);
  fabric.nodes[node]->memory.content().read(offset, result.data(), bytes);
  return result;
}

}  // namespace

TEST_CASE("a write is cut by the payload size and at 4 KiB", "[dma]") {
  Fabric fabric(pair(plain_dma()), bare_wire(5, 16), bare_wire(5, 16));
  std::vector<Sent> sent;
  watch(fabric, sent);
  SECTION("aligned") {
    fabric.submit(0, 0, Fabric::write_to(1, 0x1000, 600), 1);
    fabric.run();
    CHECK(text(sent) == text(Pieces{{0x1000, 256}, {0x1100, 256}, {0x1200, 88}}));
  }
  SECTION("an unaligned start counts with its whole DW") {
    fabric.submit(0, 0, Fabric::write_to(1, 0x1001, 600), 1);
    fabric.run();
    CHECK(text(sent) == text(Pieces{{0x1001, 255}, {0x1100, 256}, {0x1200, 89}}));
  }
  SECTION("a page's end comes first") {
    fabric.submit(0, 0, Fabric::write_to(1, 0xf81, 600), 1);
    fabric.run();
    CHECK(text(sent) == text(Pieces{{0xf81, 127}, {0x1000, 256}, {0x1100, 217}}));
  }
  SECTION("a single byte") {
    fabric.submit(0, 0, Fabric::write_to(1, 0xfff, 1), 1);
    fabric.run();
    CHECK(text(sent) == text(Pieces{{0xfff, 1}}));
  }
  SECTION("the payload size in force may be less than the device's own") {
    fabric.nodes[0]->dma.set_identity(node_id(0), 128);
    fabric.submit(0, 0, Fabric::write_to(1, 0, 256), 1);
    fabric.run();
    CHECK(text(sent) == text(Pieces{{0, 128}, {128, 128}}));
  }
}

TEST_CASE("a read is cut by the read request size and at 4 KiB", "[dma]") {
  Fabric fabric(pair(plain_dma()), bare_wire(5, 16), bare_wire(5, 16));
  std::vector<Sent> sent;
  watch(fabric, sent);
  fabric.submit(0, 0, Fabric::read_from(1, 0xe03, 1500), 1);
  fabric.run();
  CHECK(text(sent) == text(Pieces{{0xe03, 509}, {0x1000, 512}, {0x1200, 479}}));
}

TEST_CASE("rows are read and written at their stride", "[dma]") {
  Fabric fabric(pair(plain_dma()), bare_wire(5, 16), bare_wire(5, 16), 4096);
  std::vector<Sent> sent;
  watch(fabric, sent);
  DmaJob job = Fabric::write_to(1, 0x2000, 250, 0x8000);
  job.row = 100;
  job.stride = 1000;
  SECTION("writes") {
    fabric.submit(0, 0, job, 1);
    fabric.run();
    CHECK(text(sent) == text(Pieces{{0x2000, 100}, {0x2000 + 1000, 100}, {0x2000 + 2000, 50}}));
    for (const std::uint64_t row : {0U, 1000U, 2000U}) {
      const std::size_t bytes = row == 2000 ? 50 : 100;
      CHECK(content(fabric, 1, 0x2000 + row, bytes) == content(fabric, 0, 0x8000 + row, bytes));
      CHECK(content(fabric, 1, 0x2000 + row + bytes, 8) !=
            content(fabric, 0, 0x8000 + row + bytes, 8));
    }
  }
  SECTION("reads") {
    job.direction = DmaJob::Direction::kRead;
    fabric.submit(0, 0, job, 1);
    fabric.run();
    CHECK(text(sent) == text(Pieces{{0x2000, 100}, {0x2000 + 1000, 100}, {0x2000 + 2000, 50}}));
    for (const std::uint64_t row : {0U, 1000U, 2000U}) {
      const std::size_t bytes = row == 2000 ? 50 : 100;
      CHECK(content(fabric, 1, 0x2000 + row, bytes) == content(fabric, 0, 0x8000 + row, bytes));
    }
  }
  SECTION("a row that is larger than a TLP") {
    job.length = 700;
    job.row = 350;
    fabric.submit(0, 0, job, 1);
    fabric.run();
    CHECK(text(sent) ==
          text(Pieces{{0x2000, 256}, {0x2100, 94}, {0x2000 + 1000, 256}, {0x2000 + 1256, 94}}));
  }
}

TEST_CASE("random jobs move every byte once, in requests that keep the rules", "[dma]") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed);
    DmaConfig dma = plain_dma();
    dma.max_payload = 128U << rng.below(4);
    dma.max_read_request = 128U << rng.below(6);
    dma.outstanding_reads = static_cast<unsigned>(rng.between(1, 300));
    dma.outstanding_writes = static_cast<unsigned>(rng.between(1, 64));
    NodeConfig target;
    target.completions = {rng.below(2) == 0 ? 64U : 128U, 128U << rng.below(3)};
    Fabric fabric(pair(dma, target), bare_wire(5, 16), bare_wire(5, 16), 4096);
    std::map<std::uint64_t, unsigned> touched;  // bytes by offset
    bool lawful = true;
    fabric.on_departure = [&](unsigned from, const Tlp& tlp, Picoseconds) {
      if (from != 0 || tlp.flow_class == FlowClass::kCompletion) return;
      const bool write = tlp.flow_class == FlowClass::kPosted;
      const std::uint64_t dws = (tlp.address % 4 + tlp.length + 3) / 4;
      if (dws * 4 > (write ? dma.max_payload : dma.max_read_request)) lawful = false;
      if (tlp.address / 4096 != (tlp.address + tlp.length - 1) / 4096) lawful = false;
      touched[tlp.address - node_address(1).value()] += tlp.length;
    };
    std::map<std::uint64_t, unsigned> asked;
    std::uint64_t cookie = 0;
    std::vector<DmaJob> jobs;
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t offset = 0x100000U * static_cast<unsigned>(i) + rng.below(8192);
      const std::uint64_t length = rng.between(1, 20'000);
      DmaJob job = rng.below(2) == 0 ? Fabric::write_to(1, offset, length, offset + rng.below(99))
                                     : Fabric::read_from(1, offset, length, offset + rng.below(99));
      if (rng.below(2) == 0) {
        job.row = rng.between(length / 20 + 1, length);  // 20 rows: jobs do not reach each other
        job.stride = job.row + rng.below(3000);
      }
      jobs.push_back(job);
      fabric.submit(0, 0, job, cookie++);
    }
    fabric.run();
    REQUIRE(fabric.jobs.reports.size() == jobs.size());
    CHECK(lawful);
    // Every row: covered without gap or overlap, and the same on both sides.
    for (const DmaJob& job : jobs) {
      const std::uint64_t row = job.row == 0 ? job.length : job.row;
      for (std::uint64_t done = 0, start = 0; done < job.length; start += job.stride) {
        const std::uint64_t bytes = std::min(row, job.length - done);
        const std::uint64_t remote = job.remote.value() - node_address(1).value() + start;
        std::uint64_t at = remote;
        while (at < remote + bytes) {
          const auto piece = touched.find(at);
          REQUIRE(piece != touched.end());
          at += piece->second;
        }
        REQUIRE(at == remote + bytes);
        REQUIRE(content(fabric, 1, remote, bytes) == content(fabric, 0, job.local + start, bytes));
        done += bytes;
      }
    }
    CHECK(fabric.nodes[0]->dma.outstanding_reads() == 0);
    CHECK(fabric.nodes[0]->dma.unexpected_completions() == 0);
    CHECK(fabric.nodes[0]->dma.statistics().jobs == jobs.size());
  }
}

TEST_CASE("no more reads are outstanding than there are tags, and all of them are used", "[dma]") {
  for (const unsigned limit : {1U, 2U, 32U, 33U, 256U, 257U, 768U}) {
    INFO(limit << " tags");
    DmaConfig dma = plain_dma();
    dma.max_read_request = 128;
    dma.outstanding_reads = limit;
    NodeConfig target;
    target.memory.read_latency = Picoseconds(2'000'000);  // long enough to use up all tags
    Fabric fabric(pair(dma, target), bare_wire(5, 16), bare_wire(5, 16));
    std::set<std::uint16_t> live;
    std::size_t most = 0;
    bool reused = false;
    fabric.on_departure = [&](unsigned from, const Tlp& tlp, Picoseconds) {
      if (from != 0) return;
      if (!live.insert(tlp.tag).second) reused = true;
      most = std::max(most, live.size());
    };
    fabric.on_arrival = [&](unsigned at, const Tlp& tlp, Picoseconds) {
      if (at == 0 && tlp.byte_count == tlp.length) live.erase(tlp.tag);
    };
    fabric.submit(0, 0, Fabric::read_from(1, 0, std::uint64_t{128} * (limit * 3 + 5)), 1);
    fabric.run();
    CHECK_FALSE(reused);
    CHECK(most == limit);
    CHECK(live.empty());
    CHECK(fabric.jobs.reports.size() == 1);
  }
}

TEST_CASE("waiting for a tag is counted to the picosecond", "[dma]") {
  DmaConfig dma = plain_dma();
  dma.max_read_request = 128;
  dma.outstanding_reads = 1;
  NodeConfig target;
  target.memory.read_latency = Picoseconds(500'000);
  Fabric fabric(pair(dma, target), bare_wire(5, 16), bare_wire(5, 16));
  std::vector<Sent> sent;
  watch(fabric, sent);
  fabric.submit(0, 0, Fabric::read_from(1, 0, 384), 1);
  fabric.run();
  // One read: 24 B twice (a 4 DW header), 500 ns, 148 B twice: 380.86 and 2348.63 ps.
  constexpr std::uint64_t kRoundTrip = 2 * 381 + 500'000 + 2 * 2'349;
  REQUIRE(sent.size() == 3);
  CHECK(sent[1].at - sent[0].at == Picoseconds(kRoundTrip));
  CHECK(sent[2].at - sent[1].at == Picoseconds(kRoundTrip));
  const DmaReport& report = fabric.jobs.reports[0];
  CHECK(report.end == Picoseconds(3 * kRoundTrip));
  CHECK(report.breakdown[Segment::kTagStall] == Picoseconds(2 * kRoundTrip));
  CHECK(fabric.nodes[0]->dma.statistics().tag_stall_ps == 2 * kRoundTrip);
  CHECK(report.breakdown.total() == report.end - report.ready);
}

TEST_CASE("no more writes are on their way than the window allows", "[dma]") {
  for (const unsigned window : {1U, 2U, 7U}) {
    INFO("window " << window);
    DmaConfig dma = plain_dma();
    dma.outstanding_writes = window;
    TransmitterConfig link = bare_wire(5, 16);
    link.propagation = Picoseconds(200'000);
    Fabric fabric(pair(dma), link, link);
    unsigned live = 0;
    unsigned most = 0;
    fabric.on_departure = [&](unsigned, const Tlp&, Picoseconds) { most = std::max(most, ++live); };
    fabric.on_arrival = [&](unsigned at, const Tlp&, Picoseconds) {
      if (at == 1) --live;
    };
    fabric.submit(0, 0, Fabric::write_to(1, 0, 256 * 50), 1);
    fabric.run();
    CHECK(most <= window);
    CHECK(live == 0);
    // 50 writes in rounds of `window`, each of two links and their flight.
    const std::uint64_t rounds = (50 + window - 1) / window;
    CHECK(fabric.jobs.reports[0].end >= Picoseconds(rounds * 400'000));
    CHECK(fabric.jobs.reports[0].end <= Picoseconds(rounds * 400'000 + 50 * 2 * 4'500));
    CHECK(fabric.nodes[0]->dma.statistics().tag_stall_ps > 0);
  }
}

TEST_CASE("a job is launched before its first request, and reads its own memory", "[dma]") {
  NodeConfig source;
  source.dma = plain_dma();
  source.dma.launch = Picoseconds(300'000);
  source.memory.read_latency = Picoseconds(150'000);
  Fabric fabric({source, NodeConfig{}}, bare_wire(5, 16), bare_wire(5, 16));
  std::vector<Sent> sent;
  watch(fabric, sent);
  SECTION("a read needs nothing from its own memory") {
    fabric.submit(0, 0, Fabric::read_from(1, 0, 128), 1);
    fabric.run();
    CHECK(sent[0].at == Picoseconds(300'000 + 381));
    CHECK(fabric.jobs.reports[0].breakdown[Segment::kDevice] == Picoseconds(300'000));
  }
  SECTION("a write fetches first") {
    fabric.submit(0, 0, Fabric::write_to(1, 0, 256), 1);
    fabric.run();
    CHECK(sent[0].at == Picoseconds(450'000 + 4'444));
    CHECK(fabric.jobs.reports[0].breakdown[Segment::kDevice] == Picoseconds(300'000));
    CHECK(fabric.jobs.reports[0].breakdown[Segment::kMemory] == Picoseconds(150'000));
  }
}

TEST_CASE("descriptors of a ring overlap, copies of a stream follow each other", "[dma]") {
  DmaConfig dma = plain_dma();
  dma.launch = Picoseconds(1'000'000);
  NodeConfig target;
  target.memory.read_latency = Picoseconds(500'000);
  // From the first request of a job to its end.
  constexpr std::uint64_t kWork = 2 * 381 + 500'000 + 2 * 2'349;
  SECTION("a ring") {
    Fabric fabric(pair(dma, target), bare_wire(5, 16), bare_wire(5, 16));
    std::vector<Sent> sent;
    watch(fabric, sent);
    for (std::uint64_t i = 0; i < 3; ++i) {
      fabric.submit(0, 0, Fabric::read_from(1, 4096 * i, 128), i);
    }
    fabric.run();
    // All three were fetched at the same time.
    CHECK(sent[0].at == Picoseconds(1'000'381));
    CHECK(sent[2].at == Picoseconds(1'000'000 + 1'143));  // three requests back to back
  }
  SECTION("a stream") {
    dma.one_at_a_time = true;
    Fabric fabric(pair(dma, target), bare_wire(5, 16), bare_wire(5, 16));
    for (std::uint64_t i = 0; i < 3; ++i) {
      fabric.submit(0, 0, Fabric::read_from(1, 4096 * i, 128), i);
    }
    fabric.run();
    for (std::uint64_t i = 0; i < 3; ++i) {
      const DmaReport* const report = fabric.jobs.find(i);
      REQUIRE(report != nullptr);
      CHECK(report->end == Picoseconds((i + 1) * (1'000'000 + kWork)));
      CHECK(report->breakdown[Segment::kDevice] == Picoseconds(1'000'000));
      CHECK(report->breakdown.total() == report->end - report->ready);
    }
  }
  SECTION("chunks that continue a copy cost no launch and wait for nobody") {
    dma.one_at_a_time = true;
    Fabric fabric(pair(dma, target), bare_wire(5, 16), bare_wire(5, 16));
    std::vector<Sent> sent;
    watch(fabric, sent);
    for (std::uint64_t i = 0; i < 3; ++i) {
      DmaJob job = Fabric::read_from(1, 4096 * i, 128);
      job.continues = i != 0;
      fabric.submit(0, 0, job, i);
    }
    fabric.run();
    CHECK(sent[0].at == Picoseconds(1'000'381));
    CHECK(sent[2].at == Picoseconds(1'001'143));
    CHECK(fabric.jobs.find(2)->breakdown[Segment::kDevice] == Picoseconds(0));
  }
}

TEST_CASE("a channel keeps its jobs in order, channels do not wait for each other", "[dma]") {
  DmaConfig dma = plain_dma();
  dma.channels = 2;
  Fabric fabric(pair(dma), bare_wire(5, 16), bare_wire(5, 16));
  std::vector<Sent> sent;
  watch(fabric, sent);
  fabric.submit(0, 0, Fabric::write_to(1, 0, 256 * 4), 0);
  fabric.submit(0, 0, Fabric::write_to(1, 0x100000, 256), 1);
  fabric.submit(0, 1, Fabric::write_to(1, 0x200000, 256 * 2), 2);
  fabric.run();
  // One TLP each in turn, as long as both have some.
  CHECK(text(sent) == text(Pieces{{0, 256},
                                  {0x200000, 256},
                                  {256, 256},
                                  {0x200100, 256},
                                  {512, 256},
                                  {768, 256},
                                  {0x100000, 256}}));
}

TEST_CASE("the datapath of a device paces its requests", "[dma]") {
  DmaConfig dma = plain_dma();
  std::vector<Sent> sent;
  const auto spacing = [&sent](const DmaConfig& config, unsigned bytes) {
    Fabric fabric(pair(config), bare_wire(5, 16), bare_wire(5, 16));
    sent.clear();
    watch(fabric, sent);
    fabric.submit(0, 0, Fabric::write_to(1, 0, std::uint64_t{bytes} * 4), 1);
    fabric.run();
    REQUIRE(sent.size() >= 4);
    for (std::size_t i = 2; i < sent.size(); ++i) {
      CHECK(sent[i].at - sent[i - 1].at == sent[1].at - sent[0].at);
    }
    return (sent[1].at - sent[0].at).count();
  };
  SECTION("least time between two writes") {
    dma.write_interval = Picoseconds(50'000);
    CHECK(spacing(dma, 256) == 50'000);
  }
  SECTION("bandwidth and cost of the write path") {
    dma.write_path = {Bandwidth(10'000'000'000), Picoseconds(7'000)};
    CHECK(spacing(dma, 256) == 25'600 + 7'000);
  }
  SECTION("bandwidth of its own memory") {
    NodeConfig source;
    source.dma = dma;
    source.memory.bandwidth = Bandwidth(10'000'000'000);
    Fabric fabric({source, NodeConfig{}}, bare_wire(5, 16), bare_wire(5, 16));
    watch(fabric, sent);
    fabric.submit(0, 0, Fabric::write_to(1, 0, 256 * 4), 1);
    fabric.run();
    CHECK(sent[3].at - sent[2].at == Picoseconds(25'600));
  }
  SECTION("the bus, whose cost counts once for a contiguous piece") {
    dma.bus = {Bandwidth(10'000'000'000), Picoseconds(7'000)};
    Fabric fabric(pair(dma), bare_wire(5, 16), bare_wire(5, 16));
    watch(fabric, sent);
    DmaJob job = Fabric::write_to(1, 0, 1024);
    job.row = 512;
    job.stride = 4096;
    fabric.submit(0, 0, job, 1);
    fabric.run();
    REQUIRE(sent.size() == 4);
    CHECK(sent[1].at - sent[0].at == Picoseconds(25'600 + 7'000));
    CHECK(sent[2].at - sent[1].at == Picoseconds(25'600));
    CHECK(sent[3].at - sent[2].at == Picoseconds(25'600 + 7'000));
  }
}

TEST_CASE("what reads bring passes the read path, which charges each request once", "[dma]") {
  DmaConfig dma = plain_dma();
  dma.max_read_request = 512;
  dma.read_path = {Bandwidth(10'000'000'000), Picoseconds(9'000)};
  Fabric fabric(pair(dma), bare_wire(5, 16), bare_wire(5, 16));
  fabric.submit(0, 0, Fabric::read_from(1, 0, 512 * 10), 1);
  fabric.run();
  // Ten requests of four completions each, which queue in front of the path: it is busy from the
  // first completion's arrival on.
  const std::uint64_t first = 2 * 381 + 2 * 2'349;
  CHECK(fabric.jobs.reports[0].end == Picoseconds(first + 10 * (51'200 + 9'000)));
  CHECK(fabric.jobs.reports[0].first_byte == Picoseconds(first + 12'800));
}

TEST_CASE("a refused request fails its job and costs no tag", "[dma]") {
  DmaConfig dma = plain_dma();
  dma.max_read_request = 128;
  dma.outstanding_reads = 4;
  dma.outstanding_writes = 4;
  Fabric fabric(pair(dma), bare_wire(5, 16), bare_wire(5, 16));
  const auto run = [&fabric](const DmaJob& job) {
    fabric.submit(0, 0, job, 1);
    fabric.run();
    return fabric.jobs.reports.back();
  };
  fabric.nodes[1]->refuse_with = CompletionStatus::kUnsupportedRequest;
  CHECK(run(Fabric::read_from(1, 0, 2048)).error == "a read was answered with Unsupported Request");
  CHECK(run(Fabric::write_to(1, 0, 4096)).error == "a write was discarded: the test wants it so");
  fabric.nodes[1]->refuse_with = CompletionStatus::kCompleterAbort;
  CHECK(run(Fabric::read_from(1, 0, 2048)).error == "a read was answered with Completer Abort");
  CHECK(fabric.nodes[0]->dma.statistics().failed_requests == 16 + 16 + 16);
  CHECK(fabric.nodes[0]->dma.outstanding_reads() == 0);
  fabric.nodes[1]->refuse_with.reset();
  CHECK(run(Fabric::read_from(1, 0, 2048)).error.empty());
  CHECK(run(Fabric::write_to(1, 0, 4096)).error.empty());
  for (const DmaReport& report : fabric.jobs.reports) {
    CHECK(report.breakdown.total() == report.end - report.ready);
  }
}

TEST_CASE("a completion that nobody waits for is counted and dropped", "[dma]") {
  Fabric fabric(pair(plain_dma()), bare_wire(5, 16), bare_wire(5, 16));
  fabric.nodes[0]->dma.completion(make_completion(fabric.pool, 64, node_id(0).value(), 3),
                                  Picoseconds(0));
  CHECK(fabric.nodes[0]->dma.unexpected_completions() == 1);
  fabric.submit(0, 0, Fabric::read_from(1, 0, 4096), 1);
  fabric.run();
  CHECK(fabric.jobs.reports.size() == 1);
}

TEST_CASE("a write that was split counts every piece, and a refused piece fails the job", "[dma]") {
  for (const bool refuse_early : {false, true}) {
    Fabric fabric(pair(plain_dma()), bare_wire(5, 16), bare_wire(5, 16));
    fabric.submit(0, 0, Fabric::write_to(1, 0, 256), 1);
    // What the far end would tell of a write in two pieces, if the one on the wire were both.
    Tlp early = *make_write(fabric.pool, 64, 0, node_id(0).value(), 0);
    early.flags |= Tlp::kEarlyPiece;
    const Picoseconds at(1);
    auto& dma = fabric.nodes[0]->dma;
    if (refuse_early) {
      dma.posted_refused(early, "no such place", at);
    } else {
      dma.posted_delivered(early, at);
    }
    CHECK(fabric.jobs.reports.empty());
    fabric.run();
    REQUIRE(fabric.jobs.reports.size() == 1);
    CHECK(dma.statistics().bytes_written == (refuse_early ? 256U : 256U + 64U));
    CHECK(fabric.jobs.reports[0].error ==
          (refuse_early ? "a write was discarded: no such place" : ""));
    if (!refuse_early) CHECK(fabric.jobs.reports[0].first_byte == at);
  }
}

TEST_CASE("a channel that reads and one that writes do not take each other's turns", "[dma]") {
  // With one tag and one place for a write, each direction alone is bound by its round trip; both
  // together are no slower.
  DmaConfig dma = plain_dma();
  dma.channels = 2;
  dma.max_read_request = 128;
  dma.outstanding_reads = 1;
  dma.outstanding_writes = 1;
  TransmitterConfig link = bare_wire(5, 16);
  link.propagation = Picoseconds(250'000);
  const auto time = [&](bool reads, bool writes) {
    Fabric fabric(pair(dma), link, link);
    if (reads) fabric.submit(0, 0, Fabric::read_from(1, 0, 128 * 100), 1);
    if (writes) fabric.submit(0, 1, Fabric::write_to(1, 0x100000, 256 * 200), 2);
    fabric.run();
    return fabric.scheduler.now().count();
  };
  const std::uint64_t alone = std::max(time(true, false), time(false, true));
  CHECK(time(true, true) < alone + alone / 20);
}

TEST_CASE("whatever the load, the breakdown of a job sums to its latency", "[dma]") {
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed);
    const auto random_link = [&rng](unsigned generation, unsigned width) {
      TransmitterConfig config = bare_wire(generation, width);
      config.propagation = Picoseconds(rng.below(10'000));
      config.receive_latency = Picoseconds(rng.below(150'000));
      config.dllp_interval = Picoseconds(rng.below(50'000));
      config.credit_return_latency = Picoseconds(rng.below(30'000));
      for (auto& flow : config.buffer.classes) {
        if (rng.below(2) == 0) {
          flow = {static_cast<std::uint32_t>(rng.between(1, 32)),
                  static_cast<std::uint32_t>(rng.between(64, 300))};
        }
      }
      return config;
    };
    const auto generation = static_cast<unsigned>(rng.between(3, 5));
    const unsigned width = 1U << rng.between(2, 4);
    std::vector<NodeConfig> configs(static_cast<std::size_t>(rng.between(2, 5)));
    for (NodeConfig& config : configs) {
      config.memory.read_latency = Picoseconds(rng.below(400'000));
      if (rng.below(2) == 0) {
        config.memory.bandwidth = Bandwidth(rng.between(5, 200) * 1'000'000'000);
      }
      config.memory.write_buffer = Bytes(rng.below(65536));
      config.dma.channels = static_cast<unsigned>(rng.between(1, 4));
      config.dma.launch = Picoseconds(rng.below(500'000));
      config.dma.one_at_a_time = rng.below(2) == 0;
      config.dma.max_payload = 128U << rng.below(3);
      config.dma.max_read_request = 128U << rng.below(4);
      config.dma.outstanding_reads = static_cast<unsigned>(rng.between(1, 64));
      config.dma.outstanding_writes = static_cast<unsigned>(rng.between(1, 64));
      config.dma.relaxed_ordering = rng.below(2) == 0;
      if (rng.below(3) == 0) {
        config.dma.read_path = {Bandwidth(rng.between(2, 60) * 1'000'000'000),
                                Picoseconds(rng.below(20'000))};
        config.dma.write_path = {Bandwidth(rng.between(2, 60) * 1'000'000'000),
                                 Picoseconds(rng.below(20'000))};
      }
      if (rng.below(4) == 0) {
        config.dma.bus = {Bandwidth(rng.between(2, 60) * 1'000'000'000),
                          Picoseconds(rng.below(20'000))};
      }
    }
    TransmitterConfig up = random_link(generation, width);
    up.cut_through = rng.below(2) == 0;  // the switch; the nodes take whole TLPs
    const TransmitterConfig down = random_link(generation, width);
    Fabric fabric(configs, up, down);
    // Jobs at random times, several outstanding on each channel.
    std::uint64_t cookie = 0;
    std::uint64_t bytes = 0;
    for (unsigned node = 0; node < configs.size(); ++node) {
      for (int i = 0; i < 40; ++i) {
        const std::uint64_t time = rng.below(40'000'000);
        const auto channel = static_cast<unsigned>(rng.below(configs[node].dma.channels));
        const auto peer =
            static_cast<unsigned>((node + 1 + rng.below(configs.size() - 1)) % configs.size());
        const std::uint64_t length = rng.between(1, 8'000);
        const std::uint64_t offset = rng.below(100'000);
        DmaJob job = rng.below(2) == 0 ? Fabric::write_to(peer, offset, length)
                                       : Fabric::read_from(peer, offset, length);
        if (rng.below(4) == 0) {
          job.row = rng.between(1, length);
          job.stride = job.row + rng.below(1000);
        }
        job.continues = rng.below(4) == 0;
        bytes += length;
        fabric.at(Picoseconds(time), [&fabric, node, channel, job, id = cookie++](Picoseconds) {
          fabric.submit(node, channel, job, id);
        });
      }
    }
    fabric.run();
    REQUIRE(fabric.jobs.reports.size() == cookie);
    std::uint64_t moved = 0;
    for (const DmaReport& report : fabric.jobs.reports) {
      INFO("job " << report.cookie);
      REQUIRE(report.error.empty());
      REQUIRE(report.breakdown.total() == report.end - report.ready);
      REQUIRE(report.first_byte > report.ready);
      REQUIRE(report.first_byte <= report.end);
      REQUIRE(report.breakdown[Segment::kSerialisation] > Picoseconds(0));
      REQUIRE(report.breakdown[Segment::kPropagation] >= up.propagation + down.propagation);
      moved += report.bytes;
    }
    CHECK(moved == bytes);
    std::uint64_t counted = 0;
    for (const auto& node : fabric.nodes) {
      counted += node->dma.statistics().bytes_read + node->dma.statistics().bytes_written;
      CHECK(node->dma.outstanding_reads() == 0);
      CHECK(node->dma.unexpected_completions() == 0);
    }
    CHECK(counted == bytes);
  }
}

TEST_CASE("an undisturbed job's breakdown is its latency, named segment by segment", "[dma]") {
  TransmitterConfig link = bare_wire(5, 16);
  link.propagation = Picoseconds(3'000);
  TransmitterConfig up = link;
  up.receive_latency = Picoseconds(110'000);  // the switch
  up.cut_through = true;
  NodeConfig target;
  target.memory.read_latency = Picoseconds(200'000);
  DmaConfig dma = plain_dma();
  dma.launch = Picoseconds(50'000);
  Fabric fabric(pair(dma, target), up, link);
  SECTION("a write") {
    fabric.submit(0, 0, Fabric::write_to(1, 0, 256), 1);
    fabric.run();
    const DmaReport& report = fabric.jobs.reports[0];
    CHECK(report.end == Picoseconds(50'000 + 3'000 + 110'000 + 3'000 + 4'444));
    CHECK(report.breakdown[Segment::kDevice] == Picoseconds(50'000));
    CHECK(report.breakdown[Segment::kPropagation] == Picoseconds(6'000));
    CHECK(report.breakdown[Segment::kSwitch] == Picoseconds(110'000));
    CHECK(report.breakdown[Segment::kSerialisation] == Picoseconds(4'444));
    CHECK(report.breakdown[Segment::kQueueing] == Picoseconds(0));
  }
  SECTION("a read") {
    fabric.submit(0, 0, Fabric::read_from(1, 0, 128), 1);
    fabric.run();
    const DmaReport& report = fabric.jobs.reports[0];
    // The request's 381 ps and the completion's 2349: the slowest counts as serialisation, and what
    // both wait for in all is in the sum.
    CHECK(report.end == Picoseconds(50'000 + 116'000 + 381 + 200'000 + 116'000 + 2'349));
    CHECK(report.breakdown[Segment::kDevice] == Picoseconds(50'000));
    CHECK(report.breakdown[Segment::kPropagation] == Picoseconds(12'000));
    CHECK(report.breakdown[Segment::kMemory] == Picoseconds(200'000));
    CHECK(report.breakdown[Segment::kSerialisation] == Picoseconds(2'349));
    CHECK(report.breakdown[Segment::kSwitch] == Picoseconds(220'000 + 381));
    CHECK(report.breakdown[Segment::kQueueing] == Picoseconds(0));
  }
}
