// SPDX-License-Identifier: Apache-2.0
// Flit retry over a lossy wire: nothing lost, nothing twice, order kept; and the cost of a replay.
#include "sim/pcie/flit_packing.h"
#include "sim/pcie/flit_tlp.h"
#include "tests/support/catch.h"
#include "tests/support/flit_link.h"

namespace peerfab::pcie {
namespace {

using test::FlitEnd;
using test::FlitLink;

constexpr std::uint64_t kAlways = 1'000'000;

// Without loss, until all has come and been acknowledged.
void settle(FlitLink& link) {
  for (int i = 0; i < 20'000; ++i) {
    if (link.a.received == link.b.sent && link.b.received == link.a.sent &&
        link.a.transmitter.unacknowledged() == 0 && link.b.transmitter.unacknowledged() == 0) {
      return;
    }
    link.step(0, 0, 0);
  }
}

void check_settled(const FlitLink& link) {
  CHECK(link.a.sound);
  CHECK(link.b.sound);
  CHECK(link.b.received == link.a.sent);
  CHECK(link.a.received == link.b.sent);
  CHECK(link.a.transmitter.unacknowledged() == 0);
  CHECK(link.b.transmitter.unacknowledged() == 0);
  CHECK(link.a.transmitter.statistics().protocol_errors == 0);
  CHECK(link.b.transmitter.statistics().protocol_errors == 0);
}

TEST_CASE("sequence numbers roll over from 1023 to 1", "[flit_replay]") {
  CHECK(next_flit(1023) == 1);
  CHECK(previous_flit(1) == 1023);
  CHECK(flits_between(1023, 1) == 1);
  CHECK(flits_between(1, 1023) == 1022);
  CHECK(flits_between(7, 7) == 0);
}

TEST_CASE("without loss every flit goes once and the wire is full", "[flit_replay]") {
  for (const unsigned receive_buffer : {0U, 64U}) {
    FlitLink link({}, receive_buffer, 20, 1);
    for (int i = 0; i < 5000; ++i) link.step(0, kAlways, ~0ULL);
    settle(link);
    check_settled(link);
    CHECK(link.a.sent == 5000);
    CHECK(link.a.transmitter.statistics().replayed_flits == 0);
    CHECK_FALSE(link.a.transmitter.in_handshake());
  }
}

TEST_CASE("nothing lost, nothing twice, order kept", "[flit_replay][property]") {
  Rng rng(20261201);
  std::uint64_t standard = 0;
  std::uint64_t selective = 0;
  for (int run = 0; run < 120; ++run) {
    FlitTransmitterConfig config;
    config.retry_buffer_flits = static_cast<unsigned>(rng.between(1, 511));
    config.nak_ignore_window_flits = static_cast<unsigned>(rng.between(0, 200));
    const auto receive_buffer = static_cast<unsigned>(rng.below(2) == 0 ? 0 : rng.between(1, 100));
    const std::uint64_t loss = std::uint64_t{1} << rng.between(4, 18);  // up to one in four
    const std::uint64_t load = rng.between(1000, kAlways);
    const std::size_t on_the_way = rng.below(60);
    INFO("run " << run << ": buffer " << config.retry_buffer_flits << ", window "
                << config.nak_ignore_window_flits << ", receive buffer " << receive_buffer
                << ", loss " << loss << ", load " << load << ", on the way " << on_the_way);
    FlitLink link(config, receive_buffer, on_the_way, rng.next());
    for (int i = 0; i < 4000; ++i) link.step(loss, load, ~0ULL);
    settle(link);
    check_settled(link);
    standard += link.a.transmitter.statistics().standard_replays;
    selective += link.a.transmitter.statistics().selective_replays;
  }
  CHECK(standard > 100);
  CHECK(selective > 100);
}

TEST_CASE("a lost Ack or NOP flit costs no replay", "[flit_replay]") {
  // Only NOP flits are lost: one direction has nothing to send.
  FlitLink link({}, 0, 10, 3);
  for (int i = 0; i < 500; ++i) link.step(0, kAlways, 300);
  for (int i = 0; i < 5000; ++i) link.step(10'000, 0, 0);
  settle(link);
  check_settled(link);
  CHECK(link.a.sent == 300);
  CHECK(link.a.transmitter.statistics().replayed_flits == 0);
}

TEST_CASE("a selective replay sends one flit, a standard one all that are under way",
          "[flit_replay]") {
  for (const unsigned receive_buffer : {0U, 64U}) {
    FlitLink link({}, receive_buffer, 10, 4);
    for (int i = 0; i < 300; ++i) link.step(0, kAlways, ~0ULL);
    link.b.incoming.back().reset();  // one payload flit of a
    for (int i = 0; i < 300; ++i) link.step(0, kAlways, ~0ULL);
    settle(link);
    check_settled(link);
    const FlitReplayStatistics& statistics = link.a.transmitter.statistics();
    if (receive_buffer == 0) {
      CHECK(statistics.standard_replays == 1);
      CHECK(statistics.selective_replays == 0);
      CHECK(statistics.replayed_flits > 10);  // a round trip of them
      CHECK(statistics.replayed_flits < 40);
    } else {
      CHECK(statistics.selective_replays == 1);
      CHECK(statistics.standard_replays == 0);
      CHECK(statistics.replayed_flits == 1);
    }
  }
}

TEST_CASE("two gaps make a selective Nak a standard one", "[flit_replay]") {
  FlitLink link({}, 64, 10, 5);
  for (int i = 0; i < 300; ++i) link.step(0, kAlways, ~0ULL);
  link.b.incoming.back().reset();
  link.step(0, kAlways, ~0ULL);
  link.step(0, kAlways, ~0ULL);
  link.b.incoming.back().reset();
  for (int i = 0; i < 300; ++i) link.step(0, kAlways, ~0ULL);
  settle(link);
  check_settled(link);
  CHECK(link.a.transmitter.statistics().standard_replays == 1);
}

TEST_CASE("a receive buffer that is too small costs a second replay, and nothing else",
          "[flit_replay]") {
  FlitLink link({}, 3, 10, 6);
  for (int i = 0; i < 300; ++i) link.step(0, kAlways, ~0ULL);
  link.b.incoming.back().reset();
  for (int i = 0; i < 300; ++i) link.step(0, kAlways, ~0ULL);
  settle(link);
  check_settled(link);
  CHECK(link.a.transmitter.statistics().selective_replays == 1);
  CHECK(link.a.transmitter.statistics().standard_replays == 1);
}

TEST_CASE("with every Ack lost the replay timer replays, and then the link retrains",
          "[flit_replay]") {
  FlitLink link({}, 0, 5, 7);
  link.b_sends = false;
  for (int i = 0; i < 100; ++i) link.step(0, kAlways, 50);
  CHECK(link.b.received == 50);
  // From here on nothing that b sends arrives.
  for (int i = 0; i < 10; ++i) link.step(0, kAlways, 60);
  for (int i = 0; i < 9 * 1600 && link.recoveries == 0; ++i) {
    link.step(0, 0, 0);
    for (auto& flit : link.a.incoming) flit.reset();
  }
  const FlitReplayStatistics& statistics = link.a.transmitter.statistics();
  CHECK(statistics.timeouts == 8);
  CHECK(statistics.standard_replays == spec::kMaxFlitReplays);
  CHECK(statistics.rollovers == 1);
  CHECK(link.recoveries == 1);
  settle(link);
  check_settled(link);
}

TEST_CASE("no more payload flits than the retry buffer holds are under way", "[flit_replay]") {
  for (const unsigned size : {1U, 7U, 511U}) {
    FlitTransmitter transmitter({size, 150});
    const FlitReceiver receiver(0);
    unsigned sent = 0;
    for (int i = 0; i < 600; ++i) {
      const FlitTlpBytes payload = test::numbered(sent);
      const bool accepts = transmitter.accepts_payload();
      const Flit flit = transmitter.next(accepts ? &payload : nullptr, receiver);
      sent += flit.is_payload ? 1 : 0;
    }
    CHECK(sent == size);
    CHECK(transmitter.unacknowledged() == size);
    transmitter.receive_ack_nak(ReplayCommand::kAck, 1);
    CHECK(transmitter.accepts_payload());
  }
}

TEST_CASE("an Ack of what was never sent is a protocol error", "[flit_replay]") {
  FlitTransmitter transmitter({});
  const FlitReceiver receiver(0);
  const FlitTlpBytes payload{};
  for (int i = 0; i < 5; ++i) (void)transmitter.next(&payload, receiver);
  transmitter.receive_ack_nak(ReplayCommand::kAck, 5);
  CHECK(transmitter.statistics().protocol_errors == 0);
  transmitter.receive_ack_nak(ReplayCommand::kAck, 6);
  transmitter.receive_ack_nak(ReplayCommand::kStandardNak, 4);
  CHECK(transmitter.statistics().protocol_errors == 2);
  transmitter.receive_ack_nak(ReplayCommand::kAck, 0);  // ignored
  CHECK(transmitter.statistics().protocol_errors == 2);
}

TEST_CASE("TLPs cross a link whose bytes get damaged", "[flit_replay][property]") {
  // The whole way: packer, retry, CRC and ECC, retry, unpacker. One direction carries TLPs.
  Rng rng(9);
  FlitPacker packer;
  FlitUnpacker unpacker;
  FlitEnd a({}, 32);
  FlitEnd b({}, 32);
  std::vector<TlpBytes> sent;
  std::vector<TlpBytes> received;
  unsigned corrected = 0;
  unsigned invalid = 0;
  const auto cross = [&](FlitEnd& from, FlitEnd& to, const FlitTlpBytes* payload, bool damage) {
    FlitBytes bytes = pack(from.transmitter.next(payload, from.receiver));
    for (std::uint64_t i = damage && rng.below(20) == 0 ? rng.between(1, 4) : 0; i > 0; --i) {
      bytes[rng.below(bytes.size())] ^= static_cast<std::byte>(rng.between(1, 255));
    }
    const ReceivedFlit arrived = unpack_flit(bytes);
    corrected += arrived.error.has_value() ? 0 : arrived.corrected_bytes;
    invalid += arrived.error.has_value() ? 1 : 0;
    std::vector<Flit> in_order;
    to.receiver.receive(arrived.error ? std::nullopt : std::optional(arrived.flit), in_order);
    if (!arrived.error) {
      to.transmitter.receive_ack_nak(arrived.flit.command, arrived.flit.sequence_number);
    }
    for (const Flit& flit : in_order) {
      REQUIRE_FALSE(unpacker.take(flit.tlp_bytes, received).has_value());
    }
  };
  for (int i = 0; i < 6000; ++i) {
    const bool damage = i < 5000;
    if (damage && rng.below(2) == 0) {
      FlitTlpWord word;
      word.type = 0x60;
      word.length_dw = static_cast<std::uint16_t>(rng.between(1, 64));
      const auto first = pack(word);
      TlpBytes tlp(first.begin(), first.end());
      while (tlp.size() < tlp_dw(word) * spec::kDwBytes) {
        tlp.push_back(static_cast<std::byte>(rng.below(256)));
      }
      sent.push_back(tlp);
      packer.push(std::move(tlp));
    }
    FlitTlpBytes payload;
    const bool has_payload =
        a.transmitter.accepts_payload() && !packer.empty() && packer.next(payload);
    cross(a, b, has_payload ? &payload : nullptr, damage);
    cross(b, a, nullptr, damage);
  }
  CHECK(corrected > 50);
  CHECK(invalid > 50);
  CHECK(received == sent);
}

}  // namespace
}  // namespace peerfab::pcie
