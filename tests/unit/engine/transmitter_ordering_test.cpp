// SPDX-License-Identifier: Apache-2.0
// Who goes first: the ordering table (PCIe r6.0, sec 2.4.1) within an input, and round robin
// between inputs.
#include <cstdint>
#include <vector>

#include "sim/base/rng.h"
#include "sim/engine/transmitter.h"
#include "tests/support/catch.h"
#include "tests/support/engine_link.h"

using peerfab::Bdf;
using peerfab::Picoseconds;
using peerfab::Rng;
using peerfab::engine::Tlp;
using peerfab::engine::TransmitSource;
using peerfab::engine::TransmitterConfig;
using peerfab::pcie::FlowClass;
using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

namespace {

using Tags = std::vector<std::uint16_t>;
constexpr std::uint16_t kUs = 0x100;
constexpr std::uint16_t kOthers = 0x300;

// A link whose credits the test gives out one by one. Everything is sent at times of its own, a
// picosecond apart, so that ages are never equal.
class OrderRig {
 public:
  explicit OrderRig(std::uint32_t posted = 0, std::uint32_t non_posted = 0,
                    std::uint32_t completion = 0)
      : rig_(limited(posted, non_posted, completion), 2) {
    rig_.far_end.returns_credits = false;
  }

  Tlp* write(std::uint16_t tag, std::uint16_t requester = kUs) {
    return make_write(rig_.pool, 64, 0, requester, tag);
  }
  Tlp* read(std::uint16_t tag, std::uint16_t requester = kUs) {
    return make_read(rig_.pool, 64, 0, requester, tag);
  }
  Tlp* completion(std::uint16_t tag, Bdf completer = Bdf(kUs)) {
    return make_completion(rig_.pool, 64, 0x777, tag, completer);
  }
  static Tlp* with(Tlp* tlp, std::uint8_t attributes) {
    tlp->attributes = attributes;
    return tlp;
  }
  void send(Tlp* tlp, unsigned input = 0) {
    step();
    rig_.send(tlp, input);
  }
  void give(FlowClass flow) {
    step();
    rig_.out.return_credit(flow, 4, rig_.scheduler.now());
  }
  // Tags in order of arrival once nothing moves any more.
  Tags arrived() {
    rig_.run();
    return rig_.far_end.tags();
  }
  LinkRig& rig() { return rig_; }

 private:
  static TransmitterConfig limited(std::uint32_t posted, std::uint32_t non_posted,
                                   std::uint32_t completion) {
    TransmitterConfig config = bare_wire(5, 16);
    config.buffer.classes = {{{posted, 0}, {non_posted, 0}, {completion, 0}}};
    return config;
  }
  void step() {
    rig_.at(rig_.scheduler.now() + Picoseconds(1), [](Picoseconds) {});
    rig_.run(rig_.scheduler.now() + Picoseconds(1));
  }

  LinkRig rig_;
};

}  // namespace

TEST_CASE("with credits for all, the oldest goes first", "[ordering]") {
  OrderRig rig;
  rig.send(rig.write(1));  // on the wire at once
  rig.send(rig.completion(2));
  rig.send(rig.read(3));
  rig.send(rig.write(4));
  rig.send(rig.read(5));
  rig.send(rig.completion(6));
  rig.send(rig.write(7));
  CHECK(rig.arrived() == Tags{1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("a class stays in order among itself", "[ordering]") {
  OrderRig rig(0, 1, 1);
  for (const std::uint16_t tag : Tags{10, 11, 12}) rig.send(rig.read(tag));
  for (const std::uint16_t tag : Tags{20, 21, 22}) rig.send(rig.completion(tag));
  for (const std::uint16_t tag : Tags{30, 31, 32}) rig.send(rig.write(tag));
  CHECK(rig.arrived() == Tags{10, 20, 30, 31, 32});
  rig.give(FlowClass::kNonPosted);
  CHECK(rig.arrived() == Tags{10, 20, 30, 31, 32, 11});
  rig.give(FlowClass::kCompletion);
  rig.give(FlowClass::kCompletion);
  CHECK(rig.arrived() == Tags{10, 20, 30, 31, 32, 11, 21, 22});
}

TEST_CASE("a posted request passes blocked non-posted requests and completions", "[ordering]") {
  // Entries A3, A4 and A5: without it there is a deadlock.
  OrderRig rig(0, 1, 1);
  rig.send(rig.read(1));
  rig.send(rig.completion(2));
  rig.send(rig.read(3));        // blocked
  rig.send(rig.completion(4));  // blocked
  rig.send(rig.write(5));
  rig.send(rig.write(6));
  CHECK(rig.arrived() == Tags{1, 2, 5, 6});
}

TEST_CASE("a completion passes blocked non-posted requests", "[ordering]") {
  // Entries D3 and D4.
  OrderRig rig(0, 1, 0);
  rig.send(rig.read(1));
  rig.send(rig.read(2));  // blocked
  rig.send(rig.completion(3));
  CHECK(rig.arrived() == Tags{1, 3});
}

TEST_CASE("a read request passes blocked completions", "[ordering]") {
  OrderRig rig(0, 0, 1);
  rig.send(rig.completion(1));
  rig.send(rig.completion(2));  // blocked
  rig.send(rig.read(3));
  CHECK(rig.arrived() == Tags{1, 3});
}

TEST_CASE("nothing passes a blocked posted request without leave", "[ordering]") {
  OrderRig rig(1, 0, 0);
  rig.send(rig.write(1));
  rig.send(rig.write(2));  // blocked
  SECTION("non-posted requests wait") {
    rig.send(rig.read(3));
    CHECK(rig.arrived() == Tags{1});
    rig.give(FlowClass::kPosted);
    CHECK(rig.arrived() == Tags{1, 2, 3});
  }
  SECTION("completions wait") {
    rig.send(rig.completion(3));
    CHECK(rig.arrived() == Tags{1});
    rig.give(FlowClass::kPosted);
    CHECK(rig.arrived() == Tags{1, 2, 3});
  }
  SECTION("other requesters wait too") {
    rig.send(rig.read(3, kOthers));
    rig.send(rig.completion(4, Bdf(kOthers)));
    CHECK(rig.arrived() == Tags{1});
  }
  SECTION("a posted request behind it waits, whatever its attributes are") {
    rig.send(OrderRig::with(rig.write(3, kOthers), Tlp::kRelaxedOrdering | Tlp::kIdOrdering));
    CHECK(rig.arrived() == Tags{1});
  }
}

TEST_CASE("relaxed ordering lets completions pass, and read requests not", "[ordering]") {
  OrderRig rig(1, 0, 0);
  rig.send(rig.write(1));
  rig.send(rig.write(2));  // blocked
  rig.send(OrderRig::with(rig.read(3), Tlp::kRelaxedOrdering));
  rig.send(OrderRig::with(rig.completion(4), Tlp::kRelaxedOrdering));
  rig.send(OrderRig::with(rig.completion(5), Tlp::kNoSnoop));
  CHECK(rig.arrived() == Tags{1, 4});
  rig.give(FlowClass::kPosted);
  CHECK(rig.arrived() == Tags{1, 4, 2, 3, 5});
}

TEST_CASE("ID-based ordering lets the TLPs of others pass", "[ordering]") {
  OrderRig rig(1, 0, 0);
  rig.send(rig.write(1));
  SECTION("a read of another requester") {
    rig.send(rig.write(2, kUs));
    rig.send(OrderRig::with(rig.read(3, kOthers), Tlp::kIdOrdering));
    CHECK(rig.arrived() == Tags{1, 3});
  }
  SECTION("a read of the same requester waits") {
    rig.send(rig.write(2, kUs));
    rig.send(OrderRig::with(rig.read(3, kUs), Tlp::kIdOrdering));
    CHECK(rig.arrived() == Tags{1});
  }
  SECTION("it may pass all that wait before it or none") {
    rig.send(rig.write(2, kOthers));
    rig.send(rig.write(3, kUs));
    rig.send(OrderRig::with(rig.read(4, kUs), Tlp::kIdOrdering));
    CHECK(rig.arrived() == Tags{1});
    rig.give(FlowClass::kPosted);
    CHECK(rig.arrived() == Tags{1, 2});
    rig.give(FlowClass::kPosted);
    CHECK(rig.arrived() == Tags{1, 2, 3, 4});
  }
  SECTION("a completion is known by its completer") {
    rig.send(rig.write(2, kUs));
    rig.send(OrderRig::with(rig.completion(3, Bdf(kOthers)), Tlp::kIdOrdering));
    rig.send(OrderRig::with(rig.completion(4, Bdf(kUs)), Tlp::kIdOrdering));
    CHECK(rig.arrived() == Tags{1, 3});
  }
}

TEST_CASE("a posted request that came later holds nobody up", "[ordering]") {
  OrderRig rig(1, 1, 1);
  rig.send(rig.write(1));
  rig.send(rig.read(2));
  rig.send(rig.completion(3));
  rig.send(rig.read(4));        // blocked by credits
  rig.send(rig.completion(5));  // blocked by credits
  rig.send(rig.write(6));       // blocked by credits, and younger than both
  CHECK(rig.arrived() == Tags{1, 2, 3});
  rig.give(FlowClass::kNonPosted);
  CHECK(rig.arrived() == Tags{1, 2, 3, 4});
  rig.give(FlowClass::kCompletion);
  CHECK(rig.arrived() == Tags{1, 2, 3, 4, 5});
}

TEST_CASE("only the posted requests before it matter to an ID-ordered read", "[ordering]") {
  OrderRig rig(1, 1, 0);
  rig.send(rig.write(1));
  rig.send(rig.read(2));
  rig.send(rig.write(3, kOthers));                               // blocked by credits
  rig.send(OrderRig::with(rig.read(4, kUs), Tlp::kIdOrdering));  // blocked by credits
  rig.send(rig.write(5, kUs));                                   // behind both
  CHECK(rig.arrived() == Tags{1, 2});
  rig.give(FlowClass::kNonPosted);
  CHECK(rig.arrived() == Tags{1, 2, 4});
}

TEST_CASE("what is queued at the same picosecond counts as in order", "[ordering]") {
  OrderRig rig(1, 0, 0);
  rig.send(rig.write(1));
  rig.rig().send(rig.write(2));  // blocked
  rig.rig().send(rig.read(3));
  rig.rig().send(rig.completion(4));
  CHECK(rig.arrived() == Tags{1});
  rig.give(FlowClass::kPosted);
  CHECK(rig.arrived() == Tags{1, 2, 3, 4});
}

TEST_CASE("inputs do not order each other", "[ordering]") {
  OrderRig rig(1, 0, 0);
  rig.send(rig.write(1), 0);
  rig.send(rig.write(2), 0);  // blocked
  rig.send(rig.read(3), 1);
  rig.send(rig.completion(4), 1);
  rig.send(rig.read(5), 0);
  CHECK(rig.arrived() == Tags{1, 3, 4});
}

TEST_CASE("the completions of an endpoint wait for the posted requests of all its inputs",
          "[ordering]") {
  TransmitterConfig config = bare_wire(5, 16);
  config.buffer.classes[0] = {1, 0};
  config.completions_push_all_inputs = true;
  LinkRig rig(config, 100);
  rig.far_end.returns_credits = false;
  const auto later = [&rig](Tlp* tlp, unsigned input, std::uint8_t attributes = 0) {
    tlp->attributes = attributes;
    const Picoseconds at = rig.scheduler.now() + Picoseconds(10'000);
    rig.at(at, [&rig, tlp, input](Picoseconds) { rig.send(tlp, input); });
    rig.run(at);
  };
  later(make_write(rig.pool, 64, 0, kUs, 1), 1);
  later(make_write(rig.pool, 64, 0, kUs, 2), 99);  // blocked
  later(make_completion(rig.pool, 64, 0x777, 3, Bdf(kUs)), 0);
  later(make_read(rig.pool, 64, 0, kUs, 4), 2);  // another engine's, which made no order with it
  SECTION("and go once these are gone") {
    later(make_write(rig.pool, 64, 0, kUs, 5), 1);  // behind the completion
    rig.run();
    CHECK(rig.far_end.tags() == Tags{1, 4});
    for (int i = 0; i < 2; ++i) {
      rig.out.return_credit(FlowClass::kPosted, 4, rig.scheduler.now());
      rig.run();
    }
    CHECK(rig.far_end.tags() == Tags{1, 4, 2, 3, 5});
    CHECK(rig.out.statistics().ordering_stall_ps > 0);
  }
  SECTION("except with leave") {
    later(make_completion(rig.pool, 64, 0x777, 6, Bdf(kUs)), 3, Tlp::kRelaxedOrdering);
    later(make_completion(rig.pool, 64, 0x777, 7, Bdf(kOthers)), 4, Tlp::kIdOrdering);
    later(make_completion(rig.pool, 64, 0x777, 8, Bdf(kUs)), 5, Tlp::kIdOrdering);
    rig.run();
    CHECK(rig.far_end.tags() == Tags{1, 4, 6, 7});
  }
}

TEST_CASE("inputs are served in turn, one TLP each", "[arbitration]") {
  TransmitterConfig config = bare_wire(5, 16);
  LinkRig rig(config, 3);
  for (std::uint16_t i = 0; i < 4; ++i) {
    rig.send(make_read(rig.pool, 64, 0, kUs, static_cast<std::uint16_t>(100 + i)), 0);
  }
  for (std::uint16_t i = 0; i < 4; ++i) {
    rig.send(make_write(rig.pool, 256, 0, kUs, static_cast<std::uint16_t>(200 + i)), 1);
  }
  for (std::uint16_t i = 0; i < 2; ++i) {
    rig.send(make_completion(rig.pool, 64, kUs, static_cast<std::uint16_t>(300 + i)), 2);
  }
  rig.run();
  CHECK(rig.far_end.tags() == Tags{100, 200, 300, 101, 201, 301, 102, 202, 103, 203});
}

TEST_CASE("an input that cannot send does not lose its turn to wait for", "[arbitration]") {
  TransmitterConfig config = bare_wire(5, 16);
  config.buffer.classes[1] = {1, 0};
  LinkRig rig(config, 3);
  rig.far_end.returns_credits = false;
  for (std::uint16_t i = 0; i < 3; ++i) {
    rig.send(make_write(rig.pool, 64, 0, kUs, static_cast<std::uint16_t>(100 + i)), 0);
    rig.send(make_read(rig.pool, 64, 0, kUs, static_cast<std::uint16_t>(200 + i)), 1);
    rig.send(make_write(rig.pool, 64, 0, kUs, static_cast<std::uint16_t>(300 + i)), 2);
  }
  rig.run();
  CHECK(rig.far_end.tags() == Tags{100, 200, 300, 101, 301, 102, 302});
}

TEST_CASE("the last of 64 inputs gets its share", "[arbitration]") {
  LinkRig rig(bare_wire(5, 16), 64);
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned input = 64; input-- > 0;) {
      rig.send(make_write(rig.pool, 64, 0, kUs, static_cast<std::uint16_t>(input)), input);
    }
  }
  rig.run();
  Tags expected{63};  // it found the wire idle
  for (unsigned round = 0; round < 3; ++round) {
    for (std::uint16_t input = 0; input < 64; ++input) expected.push_back(input);
  }
  expected.pop_back();
  CHECK(rig.far_end.tags() == expected);
}

namespace {

// Keeps its input filled, as a DMA channel does.
class Refill final : public TransmitSource {
 public:
  Refill(LinkRig& rig, unsigned count) : rig_(rig), left_(count) {}
  void attach(unsigned input, unsigned number) {
    input_ = input;
    rig_.out.set_source(input, this, number);
  }
  void fill(Picoseconds now) {
    while (left_ > 0 && rig_.out.waiting(input_) < 2) {
      --left_;
      rig_.out.enqueue(input_,
                       make_write(rig_.pool, 64, 0, kUs, static_cast<std::uint16_t>(input_)), now);
    }
  }
  void input_drained(unsigned number, Picoseconds now) override {
    numbers.push_back(number);
    fill(now);
  }
  std::vector<unsigned> numbers;

 private:
  LinkRig& rig_;
  unsigned input_ = 0;
  unsigned left_;
};

}  // namespace

TEST_CASE("a source is asked for more as its TLPs go, and the wire never runs dry",
          "[arbitration]") {
  LinkRig rig(bare_wire(1, 1), 2);
  Refill a(rig, 50);
  Refill b(rig, 50);
  a.attach(0, 7);
  b.attach(1, 9);
  a.fill(Picoseconds(0));
  b.fill(Picoseconds(0));
  rig.run();
  REQUIRE(rig.far_end.arrivals.size() == 100);
  CHECK(a.numbers == std::vector<unsigned>(50, 7));
  CHECK(b.numbers == std::vector<unsigned>(50, 9));
  for (std::size_t i = 0; i < 100; ++i) REQUIRE(rig.far_end.arrivals[i].tlp.tag == i % 2);
  // 84 symbols each, and a SKP ordered set of four before each TLP that starts after it is due.
  CHECK(rig.far_end.arrivals.back().at == Picoseconds((100 * 84 + 5 * 4) * 4'000));
  CHECK(rig.out.statistics().queue_peak <= 4);
}

TEST_CASE("whatever waits, no TLP is forgotten and no class is out of order", "[arbitration]") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed);
    TransmitterConfig config = bare_wire(5, 8);
    for (auto& flow : config.buffer.classes) {
      flow = {static_cast<std::uint32_t>(rng.between(1, 4)), 0};
    }
    config.credit_return_latency = Picoseconds(rng.below(20'000));
    const auto inputs = static_cast<unsigned>(rng.between(1, 6));
    LinkRig rig(config, inputs);
    // The tag counts TLPs of one input and class, the requester names both.
    std::vector<std::uint16_t> sent(std::size_t{inputs} * 3, 0);
    std::uint64_t time = 0;
    for (int i = 0; i < 600; ++i) {
      time += rng.below(4'000);
      const auto input = static_cast<unsigned>(rng.below(inputs));
      const auto flow = static_cast<unsigned>(rng.below(3));
      const auto attributes = static_cast<std::uint8_t>(rng.below(8));
      const auto stream = static_cast<std::uint16_t>(input * 3 + flow);
      const std::uint16_t tag = sent[stream]++;
      rig.at(Picoseconds(time), [&rig, input, flow, attributes, stream, tag](Picoseconds) {
        Tlp* const tlp = flow == 0   ? make_write(rig.pool, 64, 0, stream, tag)
                         : flow == 1 ? make_read(rig.pool, 64, 0, stream, tag)
                                     : make_completion(rig.pool, 64, stream, tag, Bdf(stream));
        tlp->attributes = attributes;
        rig.send(tlp, input);
      });
    }
    rig.run();
    REQUIRE(rig.far_end.arrivals.size() == 600);
    std::vector<std::uint16_t> seen(sent.size(), 0);
    for (const Arrival& arrival : rig.far_end.arrivals) {
      REQUIRE(arrival.tlp.tag == seen[arrival.tlp.requester]++);
    }
    CHECK(rig.out.backlog() == 0);
  }
}
