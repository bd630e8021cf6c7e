// SPDX-License-Identifier: Apache-2.0
// When a TLP arrives: never a picosecond before its time, and never one after it. The numbers are
// worked out by hand from the rates and framing of the specification.
#include <cstdint>

#include "sim/engine/transmitter.h"
#include "tests/support/catch.h"
#include "tests/support/engine_allocations.h"
#include "tests/support/engine_link.h"

using peerfab::Bandwidth;
using peerfab::Picoseconds;
using peerfab::engine::Tlp;
using peerfab::engine::TransmitterConfig;
using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

namespace {

// Runs up to the picosecond before `time` and then to it.
void check_arrives(LinkRig& rig, std::size_t index, std::uint64_t time) {
  INFO("TLP " << index << " at " << time);
  if (time > 0) {
    rig.run(Picoseconds(time - 1));
    CHECK_FALSE(rig.arrival(index).has_value());
  }
  rig.run(Picoseconds(time));
  REQUIRE(rig.arrival(index).has_value());
  CHECK(*rig.arrival(index) == Picoseconds(time));
}

}  // namespace

TEST_CASE("a TLP takes its bytes and framing on the wire", "[transmitter]") {
  // 8b/10b: STP, sequence number, LCRC and END are 8 symbols; a byte takes 10 bit times a lane.
  SECTION("Gen1 x1, 64 B write: 84 B of 4000 ps") {
    LinkRig rig(bare_wire(1, 1));
    rig.send(make_write(rig.pool, 64));
    check_arrives(rig, 0, 336'000);
  }
  SECTION("Gen2 x4, 64 B write: 84 B of 500 ps") {
    LinkRig rig(bare_wire(2, 4));
    rig.send(make_write(rig.pool, 64));
    check_arrives(rig, 0, 42'000);
  }
  // 128b/130b: the STP token and LCRC are 8 B; 16 B take 130 bit times a lane.
  SECTION("Gen3 x8, 256 B write above 4 GiB: 280 B of 126.953125 ps") {
    LinkRig rig(bare_wire(3, 8));
    rig.send(make_write(rig.pool, 256, 0x1'0000'0000));
    check_arrives(rig, 0, 35'547);
  }
  SECTION("Gen4 x16, read request: 20 B of 31.73828125 ps") {
    LinkRig rig(bare_wire(4, 16));
    rig.send(make_read(rig.pool, 4096));
    check_arrives(rig, 0, 635);
  }
  SECTION("Gen5 x16, 256 B write: 276 B of 15.869140625 ps") {
    LinkRig rig(bare_wire(5, 16));
    rig.send(make_write(rig.pool, 256));
    check_arrives(rig, 0, 4'380);
  }
  SECTION("Gen5 x1, 4 B write: 24 B of 253.90625 ps") {
    LinkRig rig(bare_wire(5, 1));
    rig.send(make_write(rig.pool, 4));
    check_arrives(rig, 0, 6'094);
  }
  SECTION("Gen5 x16 with a digest: 280 B") {
    LinkRig rig(bare_wire(5, 16));
    Tlp* const tlp = make_write(rig.pool, 256);
    tlp->flags |= Tlp::kDigest;
    rig.send(tlp);
    check_arrives(rig, 0, 4'444);  // 4443.359375
  }
  SECTION("Gen5 x16, a write that starts and ends inside a DW: 280 B") {
    LinkRig rig(bare_wire(5, 16));
    rig.send(make_write(rig.pool, 256, 0x1001));
    check_arrives(rig, 0, 4'444);
  }
}

TEST_CASE("a transmitter that starts TLPs on 16 B pads to there", "[transmitter]") {
  TransmitterConfig config = bare_wire(5, 16);
  config.link.start_alignment_bytes = 16;
  LinkRig rig(config);
  rig.send(make_read(rig.pool, 64));    // 20 B become 32: 507.8125 ps
  rig.send(make_write(rig.pool, 256));  // 276 B become 288
  rig.send(make_write(rig.pool, 236));  // 256 B stay
  check_arrives(rig, 0, 508);
  check_arrives(rig, 1, 5'079);  // 320 B: 5078.125 ps
  check_arrives(rig, 2, 9'141);  // 576 B: 9140.625 ps
  CHECK(rig.out.statistics().tlp_bytes == 576);
  CHECK(rig.out.statistics().payload_bytes == 492);
  CHECK(rig.out.statistics().tlps == 3);
}

TEST_CASE("flight time and the far end's latency come on top", "[transmitter]") {
  TransmitterConfig config = bare_wire(5, 16);
  config.propagation = Picoseconds(4'000);
  config.receive_latency = Picoseconds(110'000);
  SECTION("the far end waits for the whole TLP") {
    LinkRig rig(config);
    rig.send(make_write(rig.pool, 256));
    check_arrives(rig, 0, 118'380);
  }
  SECTION("the far end acts on the first bytes") {
    config.cut_through = true;
    LinkRig rig(config);
    rig.send(make_write(rig.pool, 256));
    rig.send(make_write(rig.pool, 256));
    check_arrives(rig, 0, 114'000);
    check_arrives(rig, 1, 118'380);  // the wire is still taken for the whole of the first
  }
}

TEST_CASE("TLPs back to back lose nothing to rounding", "[transmitter]") {
  // A read request takes 317.3828125 ps on Gen5 x16: a time of its own for each would be 318.
  LinkRig rig(bare_wire(5, 16));
  for (int i = 0; i < 1000; ++i) rig.send(make_read(rig.pool, 64));
  check_arrives(rig, 0, 318);
  check_arrives(rig, 1, 635);        // 634.765625
  check_arrives(rig, 2, 953);        // 952.1484375
  check_arrives(rig, 511, 162'500);  // 512 of them are 162,500 ps sharp
  check_arrives(rig, 999, 317'383);  // 317382.8125
}

TEST_CASE("a TLP that finds the wire idle starts at once", "[transmitter]") {
  LinkRig rig(bare_wire(5, 16));
  rig.send(make_read(rig.pool, 64));
  // On the picosecond on which the wire falls free (317.38 ps), one before it and long after it.
  SECTION("as it falls free") {
    rig.at(Picoseconds(318), [&](Picoseconds) { rig.send(make_read(rig.pool, 64)); });
    check_arrives(rig, 1, 635);
  }
  SECTION("just before") {
    rig.at(Picoseconds(317), [&](Picoseconds) { rig.send(make_read(rig.pool, 64)); });
    check_arrives(rig, 1, 635);
  }
  SECTION("later") {
    rig.at(Picoseconds(319), [&](Picoseconds) { rig.send(make_read(rig.pool, 64)); });
    check_arrives(rig, 1, 637);  // 319 + 317.38
  }
}

TEST_CASE("a wire between sockets carries payload at its rate and nothing else", "[transmitter]") {
  TransmitterConfig config = bare_wire(5, 16);
  config.wire_rate = Bandwidth(10'000'000'000);  // 100 ps a byte
  config.propagation = Picoseconds(50'000);
  config.dllp_interval = Picoseconds(0);
  LinkRig rig(config);
  rig.send(make_write(rig.pool, 256));
  rig.send(make_read(rig.pool, 64));  // without payload: 16 B
  check_arrives(rig, 0, 75'600);
  check_arrives(rig, 1, 77'200);
  for (int i = 0; i < 20'000; ++i) rig.send(make_write(rig.pool, 256));  // 512 us: no SKP in them
  rig.run();
  CHECK(rig.far_end.arrivals.back().at == Picoseconds(77'200 + 50'000 + 20'000 * 25'600));
  CHECK(rig.out.statistics().skp_bytes == 0);
  CHECK(rig.back.statistics().dllp_bytes == 0);
}

TEST_CASE("a wire whose byte takes no whole number of ticks is not faster than its rate",
          "[transmitter]") {
  TransmitterConfig config = bare_wire(5, 16);
  config.wire_rate = Bandwidth(7'000'000'000);  // 142.857 ps a byte
  LinkRig rig(config);
  rig.send(make_write(rig.pool, 256));
  check_arrives(rig, 0, 36'572);  // 36571.43
}

TEST_CASE("an unlimited wire takes no time", "[transmitter]") {
  TransmitterConfig config = bare_wire(5, 16);
  config.wire_rate = Bandwidth(0);
  config.propagation = Picoseconds(7);
  LinkRig rig(config);
  for (int i = 0; i < 100; ++i) rig.send(make_write(rig.pool, 256));
  check_arrives(rig, 0, 7);
  CHECK(rig.arrival(99) == Picoseconds(7));
}

TEST_CASE("a busy link stops for its SKP ordered sets", "[transmitter]") {
  SECTION("128b/130b: 375 blocks apart, a block on each lane and the EDS token") {
    // Gen3 x1: a read request takes 20312.5 ps, and so does a SKP ordered set; one is due every
    // 6,093,750 ps, which 300 requests fill.
    LinkRig rig(bare_wire(3, 1));
    for (int i = 0; i < 700; ++i) rig.send(make_read(rig.pool, 64));
    check_arrives(rig, 299, 6'093'750);
    check_arrives(rig, 300, 6'134'375);
    check_arrives(rig, 301, 6'154'688);
    check_arrives(rig, 598, 12'187'500);
    check_arrives(rig, 599, 12'228'125);
    rig.run();
    CHECK(rig.out.statistics().skp_bytes == 40);
  }
  SECTION("8b/10b: 1538 symbols apart, four symbols on each lane") {
    // Gen1 x1: 77 requests of 20 symbols begin before symbol 1538.
    LinkRig rig(bare_wire(1, 1));
    for (int i = 0; i < 100; ++i) rig.send(make_read(rig.pool, 64));
    check_arrives(rig, 76, 1540 * 4'000);
    check_arrives(rig, 77, (1540 + 4 + 20) * 4'000);
    rig.run();
    CHECK(rig.out.statistics().skp_bytes == 4);
  }
}

TEST_CASE("SKP ordered sets that were due inside one long TLP follow it all together",
          "[transmitter]") {
  // PCIe r6.0, sec 4.2.8.4: they accumulate. Gen1 x1: a write of 4096 B takes 4116 symbols, in
  // which two are due; in the second write fall three, at 4614, 6152 and 7690.
  LinkRig rig(bare_wire(1, 1));
  for (int i = 0; i < 3; ++i) rig.send(make_write(rig.pool, 4096));
  check_arrives(rig, 0, 4116 * 4'000);
  check_arrives(rig, 1, (4116 + 8 + 4116) * 4'000);
  check_arrives(rig, 2, (4116 + 8 + 4116 + 12 + 4116) * 4'000);
  CHECK(rig.out.statistics().skp_bytes == 20);
}

TEST_CASE("an idle link sends its SKP ordered sets for nothing", "[transmitter]") {
  LinkRig rig(bare_wire(3, 1));
  rig.at(Picoseconds(50'000'000), [&](Picoseconds) { rig.send(make_read(rig.pool, 64)); });
  check_arrives(rig, 0, 50'020'313);
  // The next is due at 9 times 6,093,750 ps, counted from the start.
  rig.at(Picoseconds(54'843'749), [&](Picoseconds) { rig.send(make_read(rig.pool, 64)); });
  rig.at(Picoseconds(54'843'750), [&](Picoseconds) { rig.send(make_read(rig.pool, 64)); });
  check_arrives(rig, 1, 54'864'062);
  check_arrives(rig, 2, 54'904'687);  // behind the first and the ordered set: 54904686.5
  CHECK(rig.out.statistics().skp_bytes == 20);
  // On the very picosecond on which it falls due, the ordered set goes first.
  rig.at(Picoseconds(60'937'500), [&](Picoseconds) { rig.send(make_read(rig.pool, 64)); });
  check_arrives(rig, 3, 60'978'125);
}

TEST_CASE("what arrives costs the other direction its Ack", "[transmitter]") {
  TransmitterConfig config = bare_wire(5, 16);
  config.dllp_interval = Picoseconds(0);  // one for each TLP
  const TransmitterConfig quiet = bare_wire(5, 16);
  const auto reply = [](LinkRig& rig) {
    rig.back.enqueue(0, make_write(rig.pool, 256), rig.scheduler.now());
  };
  const auto replied = [](const LinkRig& rig) { return rig.near_end.arrivals.back().at; };
  SECTION("without traffic there is none") {
    LinkRig rig(config, quiet, 1);
    reply(rig);
    rig.run();
    CHECK(replied(rig) == Picoseconds(4'380));
    CHECK(rig.back.statistics().dllp_bytes == 0);
  }
  SECTION("between two TLPs that follow each other") {
    LinkRig rig(config, quiet, 1);
    reply(rig);
    reply(rig);
    rig.at(Picoseconds(1'000), [&](Picoseconds) { rig.send(make_read(rig.pool, 64)); });
    rig.run();
    CHECK(replied(rig) == Picoseconds(8'887));  // 276 + 8 + 276 B: 8886.71875 ps
    CHECK(rig.back.statistics().dllp_bytes == 8);
  }
  SECTION("two of them") {
    LinkRig rig(config, quiet, 1);
    reply(rig);
    reply(rig);
    for (std::uint64_t i = 0; i < 2; ++i) {
      rig.at(Picoseconds(1'000 + 500 * i), [&](Picoseconds) { rig.send(make_read(rig.pool, 64)); });
    }
    rig.run();
    CHECK(replied(rig) == Picoseconds(9'014));  // 568 B: 9013.671875 ps
    CHECK(rig.back.statistics().dllp_bytes == 16);
  }
  SECTION("an idle wire carries it for nothing") {
    LinkRig rig(config, quiet, 1);
    rig.send(make_read(rig.pool, 64));
    rig.at(Picoseconds(10'000), [&](Picoseconds) { reply(rig); });
    rig.run();
    CHECK(replied(rig) == Picoseconds(14'380));
    CHECK(rig.back.statistics().dllp_bytes == 8);
  }
  SECTION("and a wire that was idle for a part of it pays the rest") {
    LinkRig rig(config, quiet, 1);
    rig.send(make_read(rig.pool, 64));
    rig.at(Picoseconds(100), [&](Picoseconds) { reply(rig); });
    rig.run();
    CHECK(replied(rig) == Picoseconds(4'507));  // 8 B and 276 B from the start: 4506.84 ps
  }
}

TEST_CASE("Acks and UpdateFCs are as far apart as the interval says", "[transmitter]") {
  TransmitterConfig config = bare_wire(5, 16);
  config.dllp_interval = Picoseconds(100'000);
  SECTION("Acks only, where credits are infinite") {
    LinkRig rig(config);
    for (int i = 0; i < 1000; ++i) rig.send(make_read(rig.pool, 64));  // 317 ns
    rig.run();
    CHECK(rig.back.statistics().dllp_bytes == 4 * 8);
  }
  SECTION("an UpdateFC for each class whose credits are finite") {
    for (auto& flow : config.buffer.classes) flow = {64, 1024};
    LinkRig rig(config);
    for (std::uint64_t i = 0; i < 500; ++i) {
      rig.at(Picoseconds(2'000 * i), [&](Picoseconds) {
        rig.send(make_read(rig.pool, 64));
        rig.send(make_write(rig.pool, 64));
      });
    }
    rig.run();
    // 1 us: ten Acks, and ten UpdateFCs each for posted and non-posted requests.
    CHECK(rig.back.statistics().dllp_bytes == 8 * (10 + 10 + 10));
  }
}

TEST_CASE("the wire's busy time is the time of all its bytes", "[transmitter]") {
  TransmitterConfig config = bare_wire(3, 1);
  config.dllp_interval = Picoseconds(0);
  LinkRig rig(config);
  for (int i = 0; i < 400; ++i) {
    rig.send(make_read(rig.pool, 64));
    rig.back.enqueue(0, make_read(rig.pool, 64), rig.scheduler.now());
  }
  rig.run();
  // 400 requests of 20 B, a SKP ordered set of 20 B, an Ack of 8 B for each TLP that came; a byte
  // takes 1015.625 ps, which are 520,000 ticks. The wire never waited.
  const auto& statistics = rig.out.statistics();
  CHECK(statistics.tlp_bytes == 8000);
  CHECK(statistics.dllp_bytes == 3200);
  CHECK(rig.out.busy_ticks() == (8000 + 3200 + statistics.skp_bytes) * 520'000);
  const std::uint64_t end = rig.far_end.arrivals.back().at.count();
  // Acks of the last two TLPs may still be owed.
  CHECK(rig.out.busy_ticks() / 512 >= end);
  CHECK(rig.out.busy_ticks() / 512 <= end + 2 * 8'125);
}

TEST_CASE("counters start anew where the warm-up ends", "[transmitter]") {
  LinkRig rig(bare_wire(5, 16));
  for (int i = 0; i < 5; ++i) rig.send(make_write(rig.pool, 256));
  CHECK(rig.out.statistics().queue_peak == 4);  // the first went at once
  rig.run(Picoseconds(5'000));
  rig.out.reset_statistics();
  CHECK(rig.out.statistics().tlps == 0);
  CHECK(rig.out.statistics().tlp_bytes == 0);
  CHECK(rig.out.statistics().queue_peak == 3);
  CHECK(rig.out.busy_ticks() == 0);
  rig.run();
  CHECK(rig.out.statistics().tlps == 3);
  CHECK(rig.out.statistics().payload_bytes == 768);
}

TEST_CASE("a warm link allocates nothing for a TLP", "[transmitter]") {
  TransmitterConfig config = bare_wire(5, 16);
  for (auto& flow : config.buffer.classes) flow = {32, 512};
  config.dllp_interval = Picoseconds(50'000);
  LinkRig rig(config, 3);
  rig.far_end.arrivals.reserve(100'000);
  const auto load = [&rig] {
    for (unsigned i = 0; i < 300; ++i) {
      rig.send(make_write(rig.pool, 256), i % 3);
      rig.send(make_read(rig.pool, 64), i % 3);
      rig.send(make_completion(rig.pool, 64), i % 3);
    }
    rig.run();
  };
  load();
  const std::uint64_t before = allocations();
  for (int i = 0; i < 20; ++i) load();
  CHECK(allocations() == before);
}
