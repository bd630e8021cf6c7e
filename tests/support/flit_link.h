// SPDX-License-Identifier: Apache-2.0
// Two ends of a link in FLIT mode with a lossy wire between them, flit by flit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/base/rng.h"
#include "sim/pcie/flit_receiver.h"
#include "sim/pcie/flit_transmitter.h"

namespace peerfab::test {

inline pcie::FlitTlpBytes numbered(std::uint64_t number) {
  pcie::FlitTlpBytes bytes{};
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(number >> (8 * i));
  return bytes;
}
inline std::uint64_t number_of(const pcie::Flit& flit) {
  std::uint64_t number = 0;
  for (unsigned i = 0; i < 8; ++i) {
    number |= std::to_integer<std::uint64_t>(flit.tlp_bytes[i]) << (8 * i);
  }
  return number;
}

struct FlitEnd {
  FlitEnd(const pcie::FlitTransmitterConfig& config, unsigned receive_buffer)
      : transmitter(config), receiver(receive_buffer) {}

  pcie::FlitTransmitter transmitter;
  pcie::FlitReceiver receiver;
  std::deque<std::optional<pcie::Flit>> incoming;
  std::uint64_t sent = 0;      // payload flits, numbered from 0
  std::uint64_t received = 0;  // in order
  bool sound = true;           // what came was what was sent, in order and once
};

class FlitLink {
 public:
  FlitLink(const pcie::FlitTransmitterConfig& config, unsigned receive_buffer,
           std::size_t flits_on_the_way, std::uint64_t seed)
      : a(config, receive_buffer),
        b(config, receive_buffer),
        flits_on_the_way_(flits_on_the_way),
        rng_(seed) {}

  // One flit time in both directions. Parts in a million: flits that become unreadable, and flit
  // times in which an end has a payload flit to send, while it is below `most`.
  void step(std::uint64_t loss, std::uint64_t load, std::uint64_t most) {
    send(a, b, loss, load, most);
    send(b, a, loss, load, b_sends ? most : 0);
    deliver(a);
    deliver(b);
    if (a.transmitter.needs_recovery() || b.transmitter.needs_recovery()) recover();
  }
  // Recovery: what is on the wire is lost, and both ends begin with the handshake again.
  void recover() {
    ++recoveries;
    for (FlitEnd* end : {&a, &b}) {
      end->incoming.clear();
      end->transmitter.retrained();
      end->receiver.retrained();
    }
  }

  FlitEnd a;
  FlitEnd b;
  bool b_sends = true;  // payload flits; else b acknowledges only
  std::uint64_t recoveries = 0;

 private:
  void send(FlitEnd& from, FlitEnd& to, std::uint64_t loss, std::uint64_t load,
            std::uint64_t most) {
    const bool has_payload =
        from.sent < most && from.transmitter.accepts_payload() && rng_.below(1'000'000) < load;
    const pcie::FlitTlpBytes payload = numbered(from.sent);
    if (has_payload) ++from.sent;
    const pcie::Flit flit = from.transmitter.next(has_payload ? &payload : nullptr, from.receiver);
    if (rng_.below(1'000'000) < loss) {
      to.incoming.emplace_back(std::nullopt);
    } else {
      to.incoming.emplace_back(flit);
    }
  }
  void deliver(FlitEnd& end) {
    if (end.incoming.size() <= flits_on_the_way_) return;
    const std::optional<pcie::Flit> flit = end.incoming.front();
    end.incoming.pop_front();
    std::vector<pcie::Flit> in_order;
    end.receiver.receive(flit, in_order);
    if (flit.has_value()) {
      end.transmitter.receive_ack_nak(flit->command, flit->sequence_number);
    }
    for (const pcie::Flit& each : in_order) {
      end.sound = end.sound && number_of(each) == end.received;
      ++end.received;
    }
  }

  std::size_t flits_on_the_way_;
  Rng rng_;
};

}  // namespace peerfab::test
