// SPDX-License-Identifier: Apache-2.0
#include "sim/device/completer.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "sim/base/rng.h"
#include "sim/device/memory.h"
#include "tests/support/catch.h"
#include "tests/support/engine_link.h"

using peerfab::Bandwidth;
using peerfab::Bdf;
using peerfab::Bytes;
using peerfab::Picoseconds;
using peerfab::Rng;
using peerfab::device::Completer;
using peerfab::device::Memory;
using peerfab::device::MemoryConfig;
using peerfab::device::PostedListener;
using peerfab::device::RequesterTable;
using peerfab::engine::CompletionStatus;
using peerfab::engine::Receiver;
using peerfab::engine::Scheduler;
using peerfab::engine::Tlp;
using peerfab::engine::TlpPool;
using peerfab::engine::Transmitter;
using peerfab::engine::TransmitterConfig;
using peerfab::pcie::FlowClass;
using peerfab::pcie::TlpKind;
using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::uint16_t kRequester = 0x0512;
constexpr Bdf kCompleter(0x0300);

struct Returned {
  Tlp tlp;
  Picoseconds at;
  std::vector<std::byte> data;
};

struct Told {
  std::uint16_t tag;
  Picoseconds at;
  std::string refused;  // empty: delivered
};

// A requester's end that writes down completions, and a completer with a memory at the other.
class CompleterRig final : public PostedListener {
 public:
  explicit CompleterRig(const MemoryConfig& memory_config = fast_memory(),
                        const TransmitterConfig& requests = bare_wire(5, 16),
                        const TransmitterConfig& completions = bare_wire(5, 16))
      : pool(4096),
        down(scheduler, requests, 1),
        up(scheduler, completions, 1),
        memory(memory_config, 42),
        completer(scheduler, pool, requesters),
        near_(*this),
        far_(*this) {
    down.connect(&far_, &up);
    up.connect(&near_, &down);
    completer.add_port(up, 0, down);
    completer.set_identity(kCompleter);
    requesters.add(Bdf(kRequester), this);
  }

  static MemoryConfig fast_memory() {
    MemoryConfig config;
    config.size = Bytes(1 << 20);
    return config;
  }

  void read(unsigned bytes, std::uint64_t address, std::uint16_t tag = 0) {
    down.enqueue(0, make_read(pool, bytes, address, kRequester, tag), scheduler.now());
  }
  void write(const std::vector<std::byte>& data, std::uint64_t address, std::uint16_t tag = 0,
             std::uint8_t flags = 0) {
    Tlp* const tlp = make_write(pool, static_cast<unsigned>(data.size()), address, kRequester, tag);
    tlp->flags |= flags;
    std::memcpy(pool.payload(tlp), data.data(), data.size());
    down.enqueue(0, tlp, scheduler.now());
  }
  void run() { scheduler.run_until(Picoseconds::max()); }
  std::vector<std::byte> content(std::uint64_t offset, std::size_t bytes) {
    std::vector<std::byte> result(bytes);
    memory.content().read(offset, result.data(), bytes);
    return result;
  }

  void posted_delivered(const Tlp& tlp, Picoseconds at) override {
    told.push_back({tlp.tag, at, ""});
  }
  void posted_refused(const Tlp& tlp, std::string_view why, Picoseconds at) override {
    told.push_back({tlp.tag, at, std::string(why)});
  }

  Scheduler scheduler;
  TlpPool pool;
  RequesterTable requesters;
  Transmitter down;
  Transmitter up;
  Memory memory;
  Completer completer;
  std::vector<Returned> returned;
  std::vector<Told> told;
  std::function<void(Tlp*, Picoseconds)> on_request;  // in place of serving

 private:
  struct Near final : Receiver {
    explicit Near(CompleterRig& owner) : rig(owner) {}
    void receive(Tlp* tlp, Picoseconds now) override {
      const std::byte* const payload = rig.pool.payload(tlp);
      rig.returned.push_back({*tlp, now, {payload, payload + tlp->payload_bytes()}});
      rig.up.return_credit(*tlp, now);
      rig.pool.release(tlp);
    }
    CompleterRig& rig;
  };
  struct Far final : Receiver {
    explicit Far(CompleterRig& owner) : rig(owner) {}
    void receive(Tlp* tlp, Picoseconds now) override {
      if (rig.on_request) {
        rig.on_request(tlp, now);
      } else {
        rig.completer.serve(tlp, rig.completer.way(0), rig.memory, tlp->address, now);
      }
    }
    CompleterRig& rig;
  };
  Near near_;
  Far far_;
};

// Length, byte count and lower address of a completion.
using Shape = std::vector<std::vector<unsigned>>;
Shape shapes(const CompleterRig& rig) {
  Shape result;
  for (const Returned& completion : rig.returned) {
    result.push_back(
        {completion.tlp.length, completion.tlp.byte_count, completion.tlp.lower_address()});
  }
  return result;
}

}  // namespace

TEST_CASE("the completions of a read end on read completion boundaries", "[completer]") {
  CompleterRig rig;
  SECTION("128 B boundary, 128 B at most") {
    rig.completer.set_limits({128, 128});
    rig.read(300, 0x1040);
    rig.run();
    CHECK(shapes(rig) == Shape{{64, 300, 0x40}, {128, 236, 0x00}, {108, 108, 0x00}});
  }
  SECTION("128 B boundary, 256 B at most") {
    rig.completer.set_limits({128, 256});
    rig.read(300, 0x1040);
    rig.run();
    CHECK(shapes(rig) == Shape{{192, 300, 0x40}, {108, 108, 0x00}});
  }
  SECTION("64 B boundary, 64 B at most") {
    rig.completer.set_limits({64, 64});
    rig.read(200, 0x1fd);
    rig.run();
    CHECK(shapes(rig) ==
          Shape{{3, 200, 0x7d}, {64, 197, 0x00}, {64, 133, 0x40}, {64, 69, 0x00}, {5, 5, 0x40}});
  }
  SECTION("one is enough for a short read, whatever boundaries it crosses") {
    rig.completer.set_limits({128, 256});
    rig.read(200, 0x40);
    rig.run();
    CHECK(shapes(rig) == Shape{{200, 200, 0x40}});
  }
  SECTION("a read of no bytes is answered by one DW") {
    rig.read(0, 0x80);
    rig.run();
    CHECK(shapes(rig) == Shape{{1, 1, 0x00}});
    CHECK(rig.returned[0].tlp.payload_dw_bytes() == 4);
  }
}

TEST_CASE("a completion goes to its requester and tells who answered", "[completer]") {
  CompleterRig rig;
  Tlp* const tlp = make_read(rig.pool, 64, 0x100, kRequester, 77);
  tlp->attributes = Tlp::kRelaxedOrdering | Tlp::kNoSnoop;
  rig.down.enqueue(0, tlp, Picoseconds(0));
  rig.run();
  REQUIRE(rig.returned.size() == 1);
  const Tlp& completion = rig.returned[0].tlp;
  CHECK(completion.kind == TlpKind::kCompletionData);
  CHECK(completion.flow_class == FlowClass::kCompletion);
  CHECK(completion.requester == kRequester);
  CHECK(completion.tag == 77);
  CHECK(completion.completer() == kCompleter);
  CHECK(completion.status() == CompletionStatus::kSuccessful);
  CHECK(completion.attributes == (Tlp::kRelaxedOrdering | Tlp::kNoSnoop));
}

TEST_CASE("the data of a read is the memory's, byte by byte", "[completer]") {
  Rng rng(11);
  for (int i = 0; i < 60; ++i) {
    CompleterRig rig;
    rig.completer.set_limits({rng.below(2) == 0 ? 64U : 128U, 128U << rng.below(3)});
    const auto bytes = static_cast<unsigned>(rng.between(1, 4096));
    const std::uint64_t page = 4096 * rng.below(200);
    const std::uint64_t address = page + rng.below(4096 - bytes + 1);
    INFO(bytes << " B at " << address);
    rig.read(bytes, address);
    rig.run();
    std::vector<std::byte> data;
    for (const Returned& completion : rig.returned) {
      REQUIRE(completion.tlp.byte_count == bytes - data.size());
      REQUIRE(completion.tlp.lower_address() == ((address + data.size()) & 0x7f));
      data.insert(data.end(), completion.data.begin(), completion.data.end());
    }
    REQUIRE(data == rig.content(address, bytes));
  }
}

TEST_CASE("a read is answered when the memory has its data", "[completer]") {
  MemoryConfig config = CompleterRig::fast_memory();
  config.read_latency = Picoseconds(100'000);
  config.bandwidth = Bandwidth(100'000'000'000);  // 10 ps a byte
  CompleterRig rig(config);
  rig.read(128, 0, 1);
  rig.read(128, 4096, 2);
  rig.run();
  // Requests arrive at 318 and 635. The second one's turn comes at 318 + 1280. A completion of
  // 128 B takes 2348.63 ps.
  REQUIRE(rig.returned.size() == 2);
  CHECK(rig.returned[0].at == Picoseconds(318 + 100'000 + 2'349));
  CHECK(rig.returned[1].at == Picoseconds(318 + 1'280 + 100'000 + 1'069 + 2'349));
  CHECK(rig.returned[0].tlp.segment(peerfab::engine::TlpSegment::kMemory) == 100'000);
  CHECK(rig.returned[1].tlp.segment(peerfab::engine::TlpSegment::kMemory) ==
        318 + 1'280 + 100'000 - 635);
}

TEST_CASE("reads are answered in order, as long as the link takes", "[completer]") {
  CompleterRig rig;
  for (std::uint16_t tag = 0; tag < 50; ++tag) rig.read(512, 512U * tag, tag);
  std::uint32_t most_waiting = 0;
  rig.run();
  REQUIRE(rig.returned.size() == 200);
  for (std::size_t i = 0; i < 200; ++i) {
    REQUIRE(rig.returned[i].tlp.tag == i / 4);
    most_waiting = std::max(most_waiting, rig.up.waiting(0));
  }
  // 148 B each from 318 ps on, without a gap (and one SKP ordered set is not yet due).
  const std::uint64_t wire = 200 * 148 * 8125 / 512;
  CHECK(rig.returned.back().at.count() >= 318 + wire);
  CHECK(rig.returned.back().at.count() <= 318 + wire + 1);
  CHECK(rig.up.statistics().queue_peak <= 2);
  CHECK(most_waiting == 0);
}

TEST_CASE("a refused read is answered once and without data", "[completer]") {
  for (const CompletionStatus status :
       {CompletionStatus::kUnsupportedRequest, CompletionStatus::kCompleterAbort}) {
    CompleterRig rig;
    rig.on_request = [&](Tlp* tlp, Picoseconds now) {
      rig.completer.refuse(tlp, rig.completer.way(0), status, "no such place", now);
    };
    rig.read(1024, 0x40, 9);
    rig.run();
    REQUIRE(rig.returned.size() == 1);
    const Tlp& completion = rig.returned[0].tlp;
    CHECK(completion.kind == TlpKind::kCompletion);
    CHECK(completion.status() == status);
    CHECK(completion.tag == 9);
    CHECK(completion.payload_dw_bytes() == 0);
    CHECK(completion.byte_count == 1024);
    CHECK(rig.completer.statistics().refused == 1);
    CHECK(rig.completer.statistics().read_requests == 0);
    CHECK(rig.told.empty());
  }
}

TEST_CASE("a refused write is answered by nobody, and its sender's statistics know why",
          "[completer]") {
  CompleterRig rig;
  rig.on_request = [&](Tlp* tlp, Picoseconds now) {
    rig.completer.refuse(tlp, rig.completer.way(0), CompletionStatus::kUnsupportedRequest,
                         "no such place", now);
  };
  const std::vector<std::byte> data(64, std::byte{1});
  rig.write(data, 0, 3);
  rig.write(data, 64, 4, Tlp::kEarlyPiece);
  rig.run();
  CHECK(rig.returned.empty());
  REQUIRE(rig.told.size() == 2);  // of a piece of a write that was split, too
  CHECK(rig.told[0].tag == 3);
  CHECK(rig.told[0].refused == "no such place");
  CHECK(rig.told[1].tag == 4);
  CHECK(rig.told[1].refused == "no such place");
  CHECK(rig.content(0, 64) != data);
}

TEST_CASE("several requesters on one bus are told apart", "[completer]") {
  struct Listener final : peerfab::device::PostedListener {
    void posted_delivered(const Tlp&, Picoseconds) override {}
    void posted_refused(const Tlp&, std::string_view, Picoseconds) override {}
  };
  Listener first, second, third, replacement;
  RequesterTable table;
  CHECK(table.find(0) == nullptr);
  table.add(Bdf(3, 0, 0), &first);
  table.add(Bdf(3, 0, 1), &second);
  table.add(Bdf(255, 31, 7), &third);
  CHECK(table.find(Bdf(3, 0, 0).value()) == &first);
  CHECK(table.find(Bdf(3, 0, 1).value()) == &second);
  CHECK(table.find(Bdf(3, 0, 2).value()) == nullptr);
  CHECK(table.find(0xffff) == &third);
  table.add(Bdf(3, 0, 0), &replacement);
  table.add(Bdf(3, 0, 1), &first);
  CHECK(table.find(Bdf(3, 0, 0).value()) == &replacement);
  CHECK(table.find(Bdf(3, 0, 1).value()) == &first);
}

TEST_CASE("a read may be answered with all bits set", "[completer]") {
  CompleterRig rig;
  rig.on_request = [&](Tlp* tlp, Picoseconds now) {
    rig.completer.answer_all_ones(tlp, rig.completer.way(0), "nothing there", now);
  };
  rig.read(200, 0x7f, 5);
  const std::vector<std::byte> data(64, std::byte{1});
  rig.write(data, 0, 6);
  rig.run();
  std::vector<std::byte> answer;
  for (const Returned& completion : rig.returned) {
    CHECK(completion.tlp.status() == CompletionStatus::kSuccessful);
    answer.insert(answer.end(), completion.data.begin(), completion.data.end());
  }
  CHECK(answer == std::vector<std::byte>(200, std::byte{0xff}));
  REQUIRE(rig.told.size() == 1);
  CHECK(rig.told[0].refused == "nothing there");
  CHECK(rig.completer.statistics().refused == 2);
}

TEST_CASE("a write is delivered when the memory takes it", "[completer]") {
  MemoryConfig config = CompleterRig::fast_memory();
  config.bandwidth = Bandwidth(1'000'000'000);  // 1000 ps a byte
  config.write_buffer = Bytes(64);
  CompleterRig rig(config);
  std::vector<std::byte> data(64, std::byte{0x5a});
  for (std::uint16_t tag = 0; tag < 3; ++tag) rig.write(data, 64U * tag, tag);
  rig.run();
  // 84 B on the wire: arrivals at 1334, 2667 and 4000. The buffer holds one.
  REQUIRE(rig.told.size() == 3);
  CHECK(rig.told[0].at == Picoseconds(1'334));
  CHECK(rig.told[1].at == Picoseconds(1'334 + 64'000));
  CHECK(rig.told[2].at == Picoseconds(1'334 + 128'000));
  for (std::uint16_t tag = 0; tag < 3; ++tag) CHECK(rig.told[tag].tag == tag);
  CHECK(rig.content(0, 64) == data);
  CHECK(rig.content(128, 64) == data);
  CHECK(rig.completer.statistics().write_requests == 3);
  CHECK(rig.completer.statistics().bytes_written == 192);
}

TEST_CASE("pieces of a split write are all written, and their sender learns of each",
          "[completer]") {
  CompleterRig rig;
  const std::vector<std::byte> data(64, std::byte{0x77});
  rig.write(data, 0, 1, Tlp::kEarlyPiece);
  rig.write(data, 64, 1, Tlp::kEarlyPiece);
  rig.write(data, 128, 1);
  rig.run();
  REQUIRE(rig.told.size() == 3);
  CHECK(rig.told[0].at == Picoseconds(1'334));
  CHECK(rig.told[2].at == Picoseconds(4'000));
  CHECK(rig.content(0, 192) == std::vector<std::byte>(192, std::byte{0x77}));
}

TEST_CASE("credits go back when a request has left the receive buffer", "[completer]") {
  TransmitterConfig requests = bare_wire(5, 16);
  requests.credit_return_latency = Picoseconds(10'000);
  for (auto& flow : requests.buffer.classes) flow = {1, 4};
  SECTION("a read: at once, however long its answer takes") {
    MemoryConfig config = CompleterRig::fast_memory();
    config.read_latency = Picoseconds(1'000'000);
    CompleterRig rig(config, requests);
    rig.read(64, 0, 1);
    rig.read(64, 64, 2);
    rig.run();
    REQUIRE(rig.returned.size() == 2);
    // 318, then 10,000 until the credit is back, then another 318 on the wire.
    CHECK(rig.returned[1].at - rig.returned[0].at == Picoseconds(10'318));
  }
  SECTION("a write: when the memory has taken it") {
    MemoryConfig config = CompleterRig::fast_memory();
    config.bandwidth = Bandwidth(1'000'000'000);
    config.write_buffer = Bytes(0);
    CompleterRig rig(config, requests);
    const std::vector<std::byte> data(64, std::byte{1});
    rig.write(data, 0, 1);
    rig.write(data, 64, 2);
    rig.run();
    // Arrives at 1334, taken at 65,334; credit at 75,334; arrives 1334 later; 64,000 to write.
    REQUIRE(rig.told.size() == 2);
    CHECK(rig.told[0].at == Picoseconds(65'334));
    CHECK(rig.told[1].at == Picoseconds(75'334 + 1'333 + 1 + 64'000));
  }
  SECTION("a refused request: at once") {
    CompleterRig rig(CompleterRig::fast_memory(), requests);
    rig.on_request = [&](Tlp* tlp, Picoseconds now) {
      rig.completer.refuse(tlp, rig.completer.way(0), CompletionStatus::kUnsupportedRequest, "no",
                           now);
    };
    const std::vector<std::byte> data(64, std::byte{1});
    for (std::uint16_t tag = 0; tag < 20; ++tag) {
      rig.write(data, 0, tag);
      rig.read(64, 0, tag);
    }
    rig.run();
    CHECK(rig.returned.size() == 20);
    CHECK(rig.told.size() == 20);
  }
  SECTION("all of them, over and over") {
    CompleterRig rig(CompleterRig::fast_memory(), requests);
    const std::vector<std::byte> data(64, std::byte{1});
    for (std::uint16_t tag = 0; tag < 300; ++tag) {
      rig.write(data, 0, tag);
      rig.read(64, 0, tag);
    }
    rig.run();
    CHECK(rig.returned.size() == 300);
    CHECK(rig.told.size() == 300);
    CHECK(rig.down.backlog() == 0);
  }
}
