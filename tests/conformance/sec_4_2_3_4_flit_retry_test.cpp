// SPDX-License-Identifier: Apache-2.0
// PCIe r6.3, sec 4.2.3.4.2.1: numbers and commands of flits, limits of Ack and replay.
#include <vector>

#include "sim/pcie/dllp_timing.h"
#include "tests/support/catch.h"
#include "tests/support/flit_link.h"

namespace peerfab::pcie {
namespace {

const FlitTlpBytes kTlps = test::numbered(1);

// A receiver that has got `count` payload flits, and how the next ones reach it.
struct Receiving {
  FlitReceiver receiver{0};
  std::vector<Flit> in_order;

  void valid(bool payload, FlitSequence number, bool prior_was_payload, bool is_explicit) {
    Flit flit;
    flit.is_payload = payload;
    flit.prior_was_payload = prior_was_payload;
    flit.command = is_explicit ? ReplayCommand::kExplicit : ReplayCommand::kAck;
    flit.sequence_number = number;
    receiver.receive(flit, in_order);
  }
  void invalid() { receiver.receive(std::nullopt, in_order); }
};

}  // namespace

TEST_CASE("an Ack is due in 50 ns on x16, in 80 ns on x1", "[conformance][sec-4.2.3.4.2.1]") {
  constexpr std::uint64_t kNs[] = {80, 64, 56, 52, 50};  // x1 to x16
  for (unsigned i = 0; i < 5; ++i) {
    const DllpTiming timing(LinkConfig{6, 1U << i, 4}, 256);
    CHECK(timing.ack_latency_limit().to_picoseconds_ceil() == Picoseconds(kNs[i] * 1000));
  }
}

TEST_CASE("the handshake phase: three explicit flits and an Ack in turn",
          "[conformance][sec-4.2.3.4.2.1.2]") {
  FlitTransmitter transmitter({});
  Receiving peer;
  peer.valid(false, 1023, false, true);  // the other end's explicit numbers arrive
  for (int round = 0; round < 3; ++round) {
    CHECK(transmitter.in_handshake());
    for (int i = 0; i < 3; ++i) {
      const Flit flit = transmitter.next(nullptr, peer.receiver);
      CHECK(flit.command == ReplayCommand::kExplicit);
      CHECK(flit.sequence_number == 1023);  // no payload flit has been sent
      CHECK_FALSE(flit.is_payload);
    }
    CHECK(transmitter.next(nullptr, peer.receiver).command == ReplayCommand::kAck);
  }
  CHECK_FALSE(transmitter.in_handshake());  // nine explicit flits and three Acks
  CHECK(transmitter.next(nullptr, peer.receiver).command == ReplayCommand::kAck);
}

TEST_CASE("payload flits count from 1, NOP flits have no number of their own",
          "[conformance][sec-4.2.3.4.2.1]") {
  FlitTransmitter transmitter({});
  const FlitReceiver receiver(0);
  CHECK(transmitter.next(&kTlps, receiver).sequence_number == 1);
  CHECK(transmitter.next(nullptr, receiver).sequence_number == 1);
  CHECK(transmitter.next(&kTlps, receiver).sequence_number == 2);
  const Flit ack = transmitter.next(&kTlps, receiver);
  CHECK(ack.command == ReplayCommand::kAck);
  CHECK(ack.sequence_number == 1023);  // nothing was received
  CHECK(ack.is_payload);               // number 3, which it does not tell
  CHECK(ack.prior_was_payload);
  CHECK(transmitter.unacknowledged() == 3);
}

TEST_CASE("a flit without a number has the next one", "[conformance][sec-4.2.3.4.2.1]") {
  Receiving peer;
  peer.valid(true, 5, false, false);  // before any explicit number nothing is taken
  CHECK(peer.in_order.empty());
  peer.valid(true, 1, false, true);
  peer.valid(true, 0, true, false);
  peer.valid(false, 0, true, false);  // a NOP flit takes no number
  peer.valid(true, 0, false, false);
  CHECK(peer.in_order.size() == 3);
  CHECK(peer.receiver.ack_nak() == AckNak{ReplayCommand::kAck, 3});
}

TEST_CASE("the Nak for an unreadable NOP flit is withdrawn", "[conformance][sec-4.2.3.4.2.1.5]") {
  Receiving peer;
  peer.valid(true, 1, false, true);
  peer.invalid();
  CHECK_FALSE(peer.receiver.nak_scheduled());  // Nak Schedule 0: the next flit decides
  peer.valid(true, 0, /*prior_was_payload=*/false, false);
  CHECK(peer.in_order.size() == 2);
  CHECK(peer.receiver.ack_nak() == AckNak{ReplayCommand::kAck, 2});
}

TEST_CASE("the Nak for an unreadable payload flit goes out", "[conformance][sec-4.2.3.4.2.1.5]") {
  Receiving peer;
  peer.valid(true, 1, false, true);
  peer.invalid();
  peer.valid(true, 0, /*prior_was_payload=*/true, false);
  CHECK(peer.in_order.size() == 1);
  CHECK(peer.receiver.ack_nak() == AckNak{ReplayCommand::kStandardNak, 1});
  // Only an explicit flit with the awaited number ends it.
  peer.valid(true, 0, true, false);
  CHECK(peer.receiver.nak_scheduled());
  peer.valid(true, 2, true, true);
  CHECK_FALSE(peer.receiver.nak_scheduled());
  CHECK(peer.in_order.size() == 2);
}

TEST_CASE("two unreadable flits in a row are asked for at once",
          "[conformance][sec-4.2.3.4.2.1.5]") {
  Receiving peer;
  peer.valid(true, 1, false, true);
  peer.invalid();
  peer.invalid();  // Nak Schedule 1
  CHECK(peer.receiver.ack_nak() == AckNak{ReplayCommand::kStandardNak, 1});
}

TEST_CASE("an explicit number of zero is a protocol error", "[conformance][sec-4.2.3.4.2.1.5]") {
  Receiving peer;
  peer.valid(true, 1, false, true);
  peer.valid(true, 0, true, true);  // Flit Discard 2
  CHECK(peer.receiver.protocol_errors() == 1);
  CHECK(peer.in_order.size() == 1);
}

TEST_CASE("a duplicate is discarded and acknowledged again", "[conformance][sec-4.2.3.4.2.1.5]") {
  Receiving peer;
  peer.valid(true, 1, false, true);
  peer.valid(true, 2, true, true);
  peer.valid(true, 1, true, true);
  CHECK(peer.in_order.size() == 2);
  CHECK(peer.receiver.ack_nak() == AckNak{ReplayCommand::kAck, 2});
}

TEST_CASE("at least three Naks in a row are sent", "[conformance][sec-4.2.3.4.2.1.3]") {
  FlitTransmitter transmitter({});
  Receiving peer;
  peer.valid(true, 1, false, true);
  for (int i = 0; i < 12; ++i) (void)transmitter.next(&kTlps, peer.receiver);  // the handshake
  transmitter.receive_ack_nak(ReplayCommand::kAck, 2);
  peer.invalid();
  peer.invalid();
  CHECK(transmitter.next(nullptr, peer.receiver).command == ReplayCommand::kStandardNak);
  // A replay of our own has to wait until the third.
  transmitter.receive_ack_nak(ReplayCommand::kStandardNak, 2);
  CHECK(transmitter.next(nullptr, peer.receiver).command == ReplayCommand::kStandardNak);
  CHECK(transmitter.next(nullptr, peer.receiver).command == ReplayCommand::kStandardNak);
  const Flit replayed = transmitter.next(nullptr, peer.receiver);
  CHECK(replayed.command == ReplayCommand::kExplicit);
  CHECK(replayed.sequence_number == 3);
  CHECK(replayed.is_payload);
}

TEST_CASE("within the Nak Ignore Window a second Nak means nothing",
          "[conformance][sec-4.2.3.4.2.1.6]") {
  FlitTransmitter transmitter({511, 20});
  const FlitReceiver receiver(0);
  for (int i = 0; i < 12; ++i) (void)transmitter.next(&kTlps, receiver);
  const auto replays = [&] { return transmitter.statistics().standard_replays; };
  transmitter.receive_ack_nak(ReplayCommand::kStandardNak, 4);
  while (replays() == 0) (void)transmitter.next(nullptr, receiver);
  for (int i = 0; i < 18; ++i) {
    transmitter.receive_ack_nak(ReplayCommand::kStandardNak, 4);
    (void)transmitter.next(nullptr, receiver);
  }
  CHECK(replays() == 1);
  for (int i = 0; i < 8; ++i) {
    transmitter.receive_ack_nak(ReplayCommand::kStandardNak, 4);
    (void)transmitter.next(nullptr, receiver);
  }
  CHECK(replays() == 2);
}

}  // namespace peerfab::pcie
