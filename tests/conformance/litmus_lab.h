// SPDX-License-Identifier: Apache-2.0
// Litmus tests on a fabric of the real models: DMA engines that write data and raise flags, and a
// watcher that sees all memories at every moment. Every run moves bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/engine_link.h"
#include "tests/unit/models/model_lab.h"

namespace peerfab::models::test {

class LitmusLab final : public device::DmaListener {
 public:
  explicit LitmusLab(const std::string& topology)
      : lab_(topology),
        clock_(lab_.system().engine().scheduler().add_actor(this, &LitmusLab::on_tick)) {}

  // Bytes of a producer that lie in its own memory and go to a place of the same offset.
  struct Copy {
    std::string from;
    std::string to;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };
  using Then = std::function<void()>;

  // Queues a write at the producer's DMA channel 0; then() runs when its last byte has arrived.
  void write(const Copy& copy, Then then = {}) { submit(copy, true, 0, std::move(then)); }
  // Reads what the producer's place holds at the offset into the reader's memory at the same one.
  void read(std::string_view reader, std::string_view from, std::uint64_t offset,
            std::uint64_t bytes, Then then = {}, unsigned channel = 0) {
    submit({std::string(reader), std::string(from), offset, bytes}, false, channel,
           std::move(then));
  }
  // A read of no bytes, put into the queue of the producer's channel: its answer says that the
  // posted requests before it have arrived (PCIe r6.0, sec 2.2.5.1).
  void flush(std::string_view producer, std::string_view target, Then then) {
    flushes_.push_back(
        {std::string(producer), lab_.statistic(producer, kUnexpected), std::move(then)});
    inject(producer, target, 0, 0, own_id(producer));
  }
  // A read whose answer nobody waits for but the statistics of its sender.
  void inject(std::string_view sender, std::string_view target, unsigned bytes,
              std::uint8_t attributes, Bdf requester) {
    engine::Tlp* const tlp = peerfab::test::make_read(
        lab_.system().pool(), bytes, address(target, 0).value(), requester.value(), kInjectedTag);
    tlp->attributes = attributes;
    link(sender).up->enqueue(1, tlp, now());
  }
  [[nodiscard]] std::uint64_t injected_answers(std::string_view sender) {
    return lab_.statistic(sender, kUnexpected);
  }
  [[nodiscard]] Bdf own_id(std::string_view endpoint) {
    return lab_.system().registers().endpoints.at(lab_.component(endpoint)).bdf;
  }

  // Whether the copy is there, all of it.
  [[nodiscard]] bool visible(const Copy& copy) {
    return lab_.bytes(copy.to, copy.offset, copy.bytes) ==
           lab_.bytes(copy.from, copy.offset, copy.bytes);
  }

  // Looks every 5 ns, and once at the end.
  void run(Picoseconds until, std::function<void()> look = {}) {
    look_ = std::move(look);
    until_ = until;
    lab_.system().engine().scheduler().schedule(clock_, now());
    lab_.system().engine().run(until);
  }
  [[nodiscard]] Picoseconds now() { return lab_.system().engine().now(); }
  void at(Picoseconds time, Then then) { timed_.push_back({time, std::move(then)}); }
  [[nodiscard]] ModelLab& lab() { return lab_; }
  [[nodiscard]] const topology::System::Directions& link(std::string_view below) {
    return lab_.link(below);
  }

  void dma_done(const device::DmaReport& report) override {
    CHECK(report.error.empty());
    if (const Then& then = thens_[report.cookie]; then) then();
  }

 private:
  static constexpr Picoseconds kTick{5'000};
  static constexpr const char* kUnexpected = "unexpected_completions";
  static constexpr std::uint16_t kInjectedTag = 0x3ff;  // not one that a DMA engine has in use

  struct Flush {
    std::string producer;
    std::uint64_t before = 0;
    Then then;
  };
  struct Timed {
    Picoseconds at;
    Then then;
  };

  static void on_tick(void* self, Picoseconds now) {
    auto* const lab = static_cast<LitmusLab*>(self);
    lab->tick();
    if (now + kTick <= lab->until_) {
      lab->lab_.system().engine().scheduler().schedule(lab->clock_, now + kTick);
    }
  }
  void tick() {
    for (Flush& flush : flushes_) {
      if (!flush.then || injected_answers(flush.producer) == flush.before) continue;
      const Then then = std::exchange(flush.then, {});
      then();
    }
    for (Timed& timed : timed_) {
      if (!timed.then || timed.at > now()) continue;
      const Then then = std::exchange(timed.then, {});
      then();
    }
    if (look_) look_();
  }

  [[nodiscard]] BusAddress address(std::string_view component, std::uint64_t offset) {
    return *lab_.model(component).memory_target()->map(offset, 1);
  }
  void submit(const Copy& copy, bool writes, unsigned channel, Then then) {
    device::DmaJob job;
    job.direction = writes ? device::DmaJob::Direction::kWrite : device::DmaJob::Direction::kRead;
    job.remote = address(copy.to, copy.offset);
    job.local = copy.offset;
    job.length = copy.bytes;
    thens_.push_back(std::move(then));
    lab_.model(copy.from).initiator()->submit(channel, job, *this, thens_.size() - 1, now());
  }

  ModelLab lab_;
  engine::ActorId clock_;
  Picoseconds until_;
  std::function<void()> look_;
  std::vector<Then> thens_;  // by cookie
  std::vector<Flush> flushes_;
  std::vector<Timed> timed_;
};

}  // namespace peerfab::models::test
