// SPDX-License-Identifier: Apache-2.0
// Flow control (PCIe r6.0, sec 2.6.1): a TLP starts exactly when its credits are there.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/base/rng.h"
#include "sim/engine/transmitter.h"
#include "tests/support/catch.h"
#include "tests/support/engine_link.h"

using peerfab::Picoseconds;
using peerfab::Rng;
using peerfab::engine::ReceiveBuffer;
using peerfab::engine::Tlp;
using peerfab::engine::TlpSegment;
using peerfab::engine::TransmitterConfig;
using peerfab::pcie::FlowClass;
using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

namespace {

constexpr unsigned kPosted = 0;
constexpr unsigned kNonPosted = 1;

// Gen1 x1: a write of 64 B takes 336,000 ps on the wire, a read 80,000 ps; 5 ns of flight time.
TransmitterConfig slow_wire() {
  TransmitterConfig config = bare_wire(1, 1);
  config.propagation = Picoseconds(5'000);
  config.credit_return_latency = Picoseconds(20'000);
  return config;
}

void check_arrives(LinkRig& rig, std::size_t index, std::uint64_t time) {
  INFO("TLP " << index << " at " << time);
  rig.run(Picoseconds(time - 1));
  CHECK_FALSE(rig.arrival(index).has_value());
  rig.run(Picoseconds(time));
  CHECK(rig.arrival(index) == Picoseconds(time));
}

}  // namespace

TEST_CASE("without a header credit a TLP waits until the return takes effect", "[credits]") {
  TransmitterConfig config = slow_wire();
  config.buffer.classes[kPosted] = {1, 0};
  LinkRig rig(config);
  SECTION("freed on arrival") {
    rig.send(make_write(rig.pool, 64));
    rig.send(make_write(rig.pool, 64));
    check_arrives(rig, 0, 341'000);
    // Freed at 341,000, known at 366,000 after the UpdateFC's flight and the return latency.
    CHECK(rig.out.blocked());
    check_arrives(rig, 1, 707'000);
    CHECK_FALSE(rig.out.blocked());
  }
  SECTION("freed later") {
    rig.far_end.returns_credits = false;
    rig.send(make_write(rig.pool, 64));
    rig.send(make_write(rig.pool, 64));
    rig.at(Picoseconds(500'000),
           [&](Picoseconds now) { rig.out.return_credit(FlowClass::kPosted, 4, now); });
    check_arrives(rig, 0, 341'000);
    check_arrives(rig, 1, 866'000);
  }
  SECTION("freed at a time that was known beforehand") {
    rig.far_end.returns_credits = false;
    rig.send(make_write(rig.pool, 64));
    rig.send(make_write(rig.pool, 64));
    rig.out.return_credit(FlowClass::kPosted, 4, Picoseconds(500'000));
    check_arrives(rig, 1, 866'000);
  }
  SECTION("known while another TLP has the wire") {
    // The read takes the wire from 341,000 to 421,000, the credit is back at 366,000.
    rig.send(make_write(rig.pool, 64));
    rig.at(Picoseconds(340'999), [&](Picoseconds) { rig.send(make_read(rig.pool, 64)); });
    rig.at(Picoseconds(341'001), [&](Picoseconds) { rig.send(make_write(rig.pool, 64)); });
    check_arrives(rig, 1, 425'999);
    check_arrives(rig, 2, 761'999);
  }
}

TEST_CASE("a TLP that comes as the credit takes effect does not wait", "[credits]") {
  TransmitterConfig config = slow_wire();
  config.buffer.classes[kPosted] = {1, 0};
  LinkRig rig(config);
  rig.send(make_write(rig.pool, 64));
  SECTION("at that time") {
    rig.at(Picoseconds(366'000), [&](Picoseconds) { rig.send(make_write(rig.pool, 64)); });
    check_arrives(rig, 1, 707'000);
    CHECK(rig.out.statistics().credit_stall_ps == 0);
  }
  SECTION("one picosecond before") {
    rig.at(Picoseconds(365'999), [&](Picoseconds) { rig.send(make_write(rig.pool, 64)); });
    check_arrives(rig, 1, 707'000);
    CHECK(rig.out.statistics().credit_stall_ps == 1);
  }
}

TEST_CASE("a credit that comes late does not hold up what could go before", "[credits]") {
  TransmitterConfig config = slow_wire();
  config.buffer.classes[kPosted] = {1, 0};
  LinkRig rig(config, 2);
  rig.far_end.returns_credits = false;
  rig.send(make_write(rig.pool, 64), 0);
  rig.send(make_read(rig.pool, 64), 1);   // input 1's turn, so that the write is looked at next
  rig.send(make_write(rig.pool, 64), 0);  // blocked at 416,000
  rig.at(Picoseconds(500'000), [&](Picoseconds) {
    rig.send(make_read(rig.pool, 64), 1);  // until 580,000
    rig.send(make_read(rig.pool, 64), 1);
  });
  rig.at(Picoseconds(510'000), [&](Picoseconds now) {
    rig.out.return_credit(FlowClass::kPosted, 4, now + Picoseconds(5'000'000));
  });
  check_arrives(rig, 2, 585'000);
  check_arrives(rig, 3, 665'000);
  check_arrives(rig, 4, 5'535'000 + 341'000);
}

TEST_CASE("data credits run out by units of 16 B", "[credits]") {
  TransmitterConfig config = slow_wire();
  SECTION("two writes of four units fit into eight, the third waits") {
    config.buffer.classes[kPosted] = {0, 8};
    LinkRig rig(config);
    for (int i = 0; i < 3; ++i) rig.send(make_write(rig.pool, 64));
    check_arrives(rig, 0, 341'000);
    check_arrives(rig, 1, 677'000);
    check_arrives(rig, 2, 1'013'000);  // the first return was back at 366,000
  }
  SECTION("an unaligned payload takes one unit more") {
    config.buffer.classes[kPosted] = {0, 8};
    LinkRig rig(config);
    rig.send(make_write(rig.pool, 64, 0x1));  // 68 B on the wire: 352,000 ps
    rig.send(make_write(rig.pool, 64));
    check_arrives(rig, 0, 357'000);
    check_arrives(rig, 1, 723'000);  // from 357,000 + 25,000
  }
  SECTION("what needs eight waits for both halves") {
    config.buffer.classes[kPosted] = {0, 8};
    LinkRig rig(config);
    rig.send(make_write(rig.pool, 64));
    rig.send(make_write(rig.pool, 64));
    rig.send(make_write(rig.pool, 128));  // 148 symbols: 592,000 ps
    check_arrives(rig, 1, 677'000);
    check_arrives(rig, 2, 702'000 + 592'000 + 5'000);
  }
  SECTION("headers and data are counted apart") {
    config.buffer.classes[kPosted] = {2, 64};
    LinkRig rig(config);
    for (int i = 0; i < 3; ++i) rig.send(make_write(rig.pool, 64));
    // Data for 16 writes, headers for two: the third goes when the wire is free, at 672,000, as
    // the first return came long before.
    check_arrives(rig, 2, 1'013'000);
    CHECK(rig.out.statistics().credit_stall_ps == 0);
  }
  SECTION("a request without data needs no data credit") {
    config.buffer.classes[kNonPosted] = {0, 1};
    LinkRig rig(config);
    rig.far_end.returns_credits = false;
    for (int i = 0; i < 20; ++i) rig.send(make_read(rig.pool, 4096));
    rig.run();
    CHECK(rig.far_end.arrivals.size() == 20);
  }
}

TEST_CASE("infinite credits need no return", "[credits]") {
  LinkRig rig(slow_wire());
  rig.far_end.returns_credits = false;
  for (int i = 0; i < 3000; ++i) {
    rig.send(make_write(rig.pool, 4096));
    rig.send(make_read(rig.pool, 4096));
    rig.send(make_completion(rig.pool, 4096));
  }
  rig.run();
  CHECK(rig.far_end.arrivals.size() == 9000);
  CHECK(rig.out.backlog() == 0);
  CHECK(rig.out.statistics().credit_stall_ps == 0);
  CHECK(rig.back.statistics().dllp_bytes == 8);  // the first TLP's Ack, and no UpdateFC
}

TEST_CASE("each class has credits of its own", "[credits]") {
  TransmitterConfig config = slow_wire();
  for (auto& flow : config.buffer.classes) flow = {1, 16};
  LinkRig rig(config, 3);
  rig.far_end.returns_credits = false;
  for (std::uint16_t i = 0; i < 2; ++i) {
    rig.send(make_write(rig.pool, 64, 0, 0x100, static_cast<std::uint16_t>(10 + i)), 0);
    rig.send(make_read(rig.pool, 64, 0, 0x100, static_cast<std::uint16_t>(20 + i)), 1);
    rig.send(make_completion(rig.pool, 64, 0x100, static_cast<std::uint16_t>(30 + i)), 2);
  }
  rig.run();
  CHECK(rig.far_end.tags() == std::vector<std::uint16_t>{10, 20, 30});
  rig.out.return_credit(FlowClass::kNonPosted, 0, rig.scheduler.now());
  rig.run();
  CHECK(rig.far_end.tags() == std::vector<std::uint16_t>{10, 20, 30, 21});
  rig.out.return_credit(FlowClass::kCompletion, 4, rig.scheduler.now());
  rig.run();
  CHECK(rig.far_end.tags() == std::vector<std::uint16_t>{10, 20, 30, 21, 31});
  rig.out.return_credit(FlowClass::kPosted, 4, rig.scheduler.now());
  rig.run();
  CHECK(rig.far_end.tags() == std::vector<std::uint16_t>{10, 20, 30, 21, 31, 11});
}

TEST_CASE("a return never overtakes an earlier one of its class", "[credits]") {
  TransmitterConfig config = slow_wire();
  config.buffer.classes[kPosted] = {2, 0};
  LinkRig rig(config);
  rig.far_end.returns_credits = false;
  for (int i = 0; i < 4; ++i) rig.send(make_write(rig.pool, 64));
  rig.out.return_credit(FlowClass::kPosted, 4, Picoseconds(900'000));
  rig.out.return_credit(FlowClass::kPosted, 4, Picoseconds(800'000));
  check_arrives(rig, 2, 925'000 + 341'000);
  check_arrives(rig, 3, 925'000 + 336'000 + 341'000);
}

TEST_CASE("a buffer is freed when the last byte has left it", "[credits]") {
  // Two links in a row; between them a component that forwards at once.
  TransmitterConfig config = slow_wire();
  config.buffer.classes[kPosted] = {1, 0};
  LinkRig first(config);
  LinkRig second(slow_wire());
  second.out.set_upstream(0, &first.out);
  first.far_end.returns_credits = false;
  // Both rigs have a scheduler: move what arrives at the first over to the second by hand.
  first.send(make_write(first.pool, 64));
  first.send(make_write(first.pool, 64));
  first.run();
  REQUIRE(first.far_end.arrivals.size() == 1);
  REQUIRE(first.arrival(0) == Picoseconds(341'000));
  second.at(Picoseconds(341'000), [&](Picoseconds) { second.send(make_write(second.pool, 64)); });
  second.run();
  // Its last byte is on the second wire at 677,000; 25,000 later the first transmitter knows.
  check_arrives(first, 1, 702'000 + 341'000);
}

TEST_CASE("a write that was split on its way frees its buffer with its last piece", "[credits]") {
  TransmitterConfig config = slow_wire();
  // Either kind of credit would show a buffer that was freed too early.
  for (const ReceiveBuffer::Class buffer : {ReceiveBuffer::Class{1, 0}, {0, 8}, {1, 8}}) {
    config.buffer.classes[kPosted] = buffer;
    LinkRig first(config);
    LinkRig second(slow_wire());
    second.out.set_upstream(0, &first.out);
    first.far_end.returns_credits = false;
    first.send(make_write(first.pool, 128));
    first.send(make_write(first.pool, 128));
    first.run();
    REQUIRE(first.arrival(0) == Picoseconds(597'000));
    second.at(Picoseconds(597'000), [&](Picoseconds) {
      Tlp* const early = make_write(second.pool, 64);
      early->flags |= Tlp::kEarlyPiece;
      early->byte_count = Tlp::kFreesNothing;
      second.send(early);
      Tlp* const last = make_write(second.pool, 64);
      last->byte_count = 8;  // credits of the whole
      second.send(last);
    });
    second.run();
    check_arrives(first, 1, 597'000 + 2 * 336'000 + 25'000 + 597'000);
    // All eight units came back: else the third write would never go.
    first.out.return_credit(FlowClass::kPosted, 8, first.scheduler.now());
    first.send(make_write(first.pool, 128));
    first.run();
    CHECK(first.far_end.arrivals.size() == 3);
  }
}

TEST_CASE("a piece has a buffer of its own from the next hop on", "[credits]") {
  LinkRig rig(slow_wire());
  Tlp* const early = make_write(rig.pool, 64);
  early->flags |= Tlp::kEarlyPiece;
  early->byte_count = Tlp::kFreesNothing;
  Tlp* const last = make_write(rig.pool, 64);
  last->byte_count = 8;
  rig.send(early);
  rig.send(last);
  rig.run();
  REQUIRE(rig.far_end.arrivals.size() == 2);
  for (const auto& arrival : rig.far_end.arrivals) CHECK(arrival.tlp.byte_count == 0);
  // Whose delivery counts is another matter.
  CHECK((rig.far_end.arrivals[0].tlp.flags & Tlp::kEarlyPiece) != 0);
  CHECK((rig.far_end.arrivals[1].tlp.flags & Tlp::kEarlyPiece) == 0);
}

TEST_CASE("never more is in the far end's buffer than it advertised", "[credits]") {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed);
    TransmitterConfig config = bare_wire(static_cast<unsigned>(rng.between(1, 5)), 16);
    config.propagation = Picoseconds(rng.below(20'000));
    config.credit_return_latency = Picoseconds(rng.below(30'000));
    config.dllp_interval = Picoseconds(rng.below(50'000));
    for (ReceiveBuffer::Class& flow : config.buffer.classes) {
      flow.headers = static_cast<std::uint32_t>(rng.below(8) == 0 ? 0 : rng.between(1, 127));
      flow.data = static_cast<std::uint32_t>(rng.below(8) == 0 ? 0 : rng.between(17, 200));
    }
    const unsigned inputs = static_cast<unsigned>(rng.between(1, 5));
    LinkRig rig(config, inputs);
    rig.far_end.returns_credits = false;
    std::array<std::int64_t, 3> headers{};
    std::array<std::int64_t, 3> data{};
    std::array<std::int64_t, 3> most_headers{};
    bool overrun = false;
    // What is freed, in order of time: the far end's own bookkeeping.
    std::vector<std::pair<std::uint64_t, std::pair<unsigned, std::uint32_t>>> freed;
    rig.far_end.on_arrival = [&](const Tlp& tlp, Picoseconds now) {
      std::sort(freed.begin(), freed.end());
      while (!freed.empty() && freed.front().first <= now.count()) {
        --headers[freed.front().second.first];
        data[freed.front().second.first] -= freed.front().second.second;
        freed.erase(freed.begin());
      }
      const auto flow = static_cast<unsigned>(tlp.flow_class);
      ++headers[flow];
      data[flow] += tlp.data_credits();
      most_headers[flow] = std::max(most_headers[flow], headers[flow]);
      const ReceiveBuffer::Class& limit = config.buffer.classes[flow];
      if (limit.headers != 0 && headers[flow] > limit.headers) overrun = true;
      if (limit.data != 0 && data[flow] > limit.data) overrun = true;
      const Picoseconds at = now + Picoseconds(rng.below(60'000));
      freed.push_back({at.count(), {flow, tlp.data_credits()}});
      rig.out.return_credit(tlp, at);
    };
    constexpr unsigned kTlps = 2000;
    for (unsigned i = 0; i < kTlps; ++i) {
      const auto bytes = static_cast<unsigned>(rng.between(1, 256));
      const unsigned input = static_cast<unsigned>(rng.below(inputs));
      switch (rng.below(3)) {
        case 0:
          rig.send(make_write(rig.pool, bytes, rng.below(4)), input);
          break;
        case 1:
          rig.send(make_read(rig.pool, bytes), input);
          break;
        default:
          rig.send(make_completion(rig.pool, bytes), input);
      }
    }
    rig.run();
    CHECK_FALSE(overrun);
    REQUIRE(rig.far_end.arrivals.size() == kTlps);
    CHECK(rig.out.backlog() == 0);
    CHECK_FALSE(rig.out.blocked());
    // The buffer is used as well: with few headers, all of them.
    for (unsigned flow = 0; flow < 3; ++flow) {
      const ReceiveBuffer::Class& limit = config.buffer.classes[flow];
      if (limit.headers != 0 && limit.headers < 3) CHECK(most_headers[flow] == limit.headers);
    }
  }
}
