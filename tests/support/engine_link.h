// SPDX-License-Identifier: Apache-2.0
// One PCIe link by hand: two directions, and at each end something that writes down what arrives.
// No SystemC: the scheduler is driven by the test.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/units.h"
#include "sim/engine/scheduler.h"
#include "sim/engine/tlp.h"
#include "sim/engine/transmitter.h"
#include "sim/pcie/tlp_kind.h"

namespace peerfab::test {

inline engine::Tlp* make_write(engine::TlpPool& pool, unsigned bytes, std::uint64_t address = 0,
                               std::uint16_t requester = 0x100, std::uint16_t tag = 0) {
  engine::Tlp* const tlp = pool.allocate();
  *tlp = engine::Tlp{};
  tlp->kind = pcie::TlpKind::kMemoryWrite;
  tlp->flow_class = pcie::FlowClass::kPosted;
  tlp->flags = engine::Tlp::kHasPayload;
  tlp->address = address;
  if (address >> 32 != 0) tlp->flags |= engine::Tlp::kFourDw;
  tlp->length = static_cast<std::uint16_t>(bytes);
  tlp->requester = requester;
  tlp->tag = tag;
  return tlp;
}

inline engine::Tlp* make_read(engine::TlpPool& pool, unsigned bytes, std::uint64_t address = 0,
                              std::uint16_t requester = 0x100, std::uint16_t tag = 0) {
  engine::Tlp* const tlp = make_write(pool, bytes, address, requester, tag);
  tlp->kind = pcie::TlpKind::kMemoryRead;
  tlp->flow_class = pcie::FlowClass::kNonPosted;
  tlp->flags &= static_cast<std::uint8_t>(~engine::Tlp::kHasPayload);
  return tlp;
}

inline engine::Tlp* make_completion(engine::TlpPool& pool, unsigned bytes,
                                    std::uint16_t requester = 0x100, std::uint16_t tag = 0,
                                    Bdf completer = Bdf(0x200)) {
  engine::Tlp* const tlp = make_write(pool, bytes, 0, requester, tag);
  tlp->kind = pcie::TlpKind::kCompletionData;
  tlp->flow_class = pcie::FlowClass::kCompletion;
  tlp->set_completion_address(0, completer);
  tlp->byte_count = static_cast<std::uint16_t>(bytes);
  return tlp;
}

// What arrived, as it was when it arrived.
struct Arrival {
  engine::Tlp tlp;
  Picoseconds at;
};

// Takes TLPs off a link. Unless told otherwise it frees their buffer at once.
class ArrivalLog final : public engine::Receiver {
 public:
  explicit ArrivalLog(engine::TlpPool& pool) : pool_(pool) {}

  void receive(engine::Tlp* tlp, Picoseconds now) override {
    arrivals.push_back({*tlp, now});
    if (on_arrival) on_arrival(*tlp, now);
    if (returns_credits && from != nullptr) {
      from->return_credit(*tlp, now);
    }
    pool_.release(tlp);
  }

  [[nodiscard]] std::vector<std::uint16_t> tags() const {
    std::vector<std::uint16_t> result;
    for (const Arrival& arrival : arrivals) result.push_back(arrival.tlp.tag);
    return result;
  }

  std::vector<Arrival> arrivals;
  engine::Transmitter* from = nullptr;
  bool returns_credits = true;
  std::function<void(const engine::Tlp&, Picoseconds)> on_arrival;

 private:
  engine::TlpPool& pool_;
};

// All credits infinite, no latency anywhere, one Ack in a second: what is left is the wire.
inline engine::TransmitterConfig bare_wire(unsigned generation, unsigned width) {
  engine::TransmitterConfig config;
  config.link = {generation, width, 4};
  config.dllp_interval = Picoseconds(1'000'000'000'000U);
  return config;
}

class LinkRig {
 public:
  explicit LinkRig(const engine::TransmitterConfig& config, unsigned inputs = 1)
      : LinkRig(config, config, inputs) {}
  LinkRig(const engine::TransmitterConfig& there, const engine::TransmitterConfig& back_again,
          unsigned inputs)
      : pool(0),
        out(scheduler, there, inputs),
        back(scheduler, back_again, inputs),
        far_end(pool),
        near_end(pool) {
    out.connect(&far_end, &back);
    back.connect(&near_end, &out);
    far_end.from = &out;
    near_end.from = &back;
  }

  // Queues a TLP now.
  void send(engine::Tlp* tlp, unsigned input = 0) { out.enqueue(input, tlp, scheduler.now()); }
  // Runs `action` at a time of its own.
  void at(Picoseconds time, std::function<void(Picoseconds)> action) {
    auto event = std::make_unique<Event>();
    event->action = std::move(action);
    const engine::ActorId id = scheduler.add_actor(
        event.get(), [](void* self, Picoseconds now) { static_cast<Event*>(self)->action(now); });
    scheduler.schedule(id, time);
    events_.push_back(std::move(event));
  }
  void run(Picoseconds until = Picoseconds::max()) { scheduler.run_until(until); }
  // Arrival of the TLP number `index` at the far end; nullopt while it has not arrived.
  [[nodiscard]] std::optional<Picoseconds> arrival(std::size_t index) const {
    if (index >= far_end.arrivals.size()) return std::nullopt;
    return far_end.arrivals[index].at;
  }

  engine::Scheduler scheduler;
  engine::TlpPool pool;
  engine::Transmitter out;
  engine::Transmitter back;
  ArrivalLog far_end;
  ArrivalLog near_end;

 private:
  struct Event {
    std::function<void(Picoseconds)> action;
  };
  std::vector<std::unique_ptr<Event>> events_;
};

}  // namespace peerfab::test
