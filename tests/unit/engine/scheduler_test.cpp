// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/scheduler.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/rng.h"
#include "tests/support/catch.h"

using peerfab::Picoseconds;
using peerfab::Rng;
using peerfab::engine::ActorId;
using peerfab::engine::Scheduler;

namespace {

// (time, actor) of every event that ran, in order.
using Log = std::vector<std::pair<std::uint64_t, ActorId>>;

// Actors that write down when they run and then do what the test says.
class Actors {
 public:
  using Action = std::function<void(ActorId, Picoseconds)>;

  explicit Actors(Scheduler& scheduler) : scheduler_(scheduler) {}

  ActorId add(Action action = {}) {
    auto actor = std::make_unique<Actor>();
    actor->owner = this;
    actor->action = std::move(action);
    actor->id = scheduler_.add_actor(actor.get(), &Actors::on_event);
    actors_.push_back(std::move(actor));
    return actors_.back()->id;
  }
  void add(unsigned count, const Action& action = {}) {
    for (unsigned i = 0; i < count; ++i) add(action);
  }

  Log log;

 private:
  struct Actor {
    Actors* owner = nullptr;
    ActorId id = 0;
    Action action;
  };
  static void on_event(void* self, Picoseconds now) {
    auto* const actor = static_cast<Actor*>(self);
    actor->owner->log.emplace_back(now.count(), actor->id);
    if (actor->action) actor->action(actor->id, now);
  }

  Scheduler& scheduler_;
  std::vector<std::unique_ptr<Actor>> actors_;
};

constexpr std::uint64_t kFar = std::uint64_t{1} << 47;  // the tree's own range ends here

}  // namespace

TEST_CASE("events run by time and then by actor, whatever order they were set in", "[scheduler]") {
  Scheduler scheduler;
  Actors actors(scheduler);
  actors.add(5);
  scheduler.schedule(4, Picoseconds(10));
  scheduler.schedule(0, Picoseconds(20));
  scheduler.schedule(2, Picoseconds(10));
  scheduler.schedule(3, Picoseconds(5));
  scheduler.schedule(1, Picoseconds(20));
  CHECK(scheduler.next_time() == Picoseconds(5));
  scheduler.run_until(Picoseconds::max());
  CHECK(actors.log == Log{{5, 3}, {10, 2}, {10, 4}, {20, 0}, {20, 1}});
  CHECK(scheduler.now() == Picoseconds(20));
  CHECK(scheduler.events() == 5);
  CHECK(scheduler.next_time() == Picoseconds::max());
}

TEST_CASE("an idle scheduler has no next time and runs nothing", "[scheduler]") {
  Scheduler scheduler;
  scheduler.run_until(Picoseconds::max());
  CHECK(scheduler.next_time() == Picoseconds::max());
  CHECK(scheduler.events() == 0);
  Actors actors(scheduler);
  actors.add(3);
  scheduler.run_until(Picoseconds::max());
  CHECK(actors.log.empty());
  CHECK(scheduler.now() == Picoseconds(0));
}

TEST_CASE("a second wake-up replaces the first, earlier or later", "[scheduler]") {
  Scheduler scheduler;
  Actors actors(scheduler);
  actors.add(2);
  scheduler.schedule(0, Picoseconds(10));
  scheduler.schedule(0, Picoseconds(30));
  scheduler.schedule(1, Picoseconds(20));
  CHECK(scheduler.next_time() == Picoseconds(20));
  scheduler.run_until(Picoseconds(25));
  scheduler.schedule(1, Picoseconds(100));
  scheduler.schedule(1, Picoseconds(26));
  CHECK(scheduler.next_time() == Picoseconds(26));
  scheduler.run_until(Picoseconds::max());
  CHECK(actors.log == Log{{20, 1}, {26, 1}, {30, 0}});
}

TEST_CASE("the horizon belongs to the run, the picosecond after it does not", "[scheduler]") {
  Scheduler scheduler;
  Actors actors(scheduler);
  actors.add(2);
  scheduler.schedule(0, Picoseconds(100));
  scheduler.schedule(1, Picoseconds(101));
  scheduler.run_until(Picoseconds(99));
  CHECK(actors.log.empty());
  CHECK(scheduler.now() == Picoseconds(0));
  scheduler.run_until(Picoseconds(100));
  CHECK(actors.log == Log{{100, 0}});
  CHECK(scheduler.now() == Picoseconds(100));
  CHECK(scheduler.next_time() == Picoseconds(101));
  scheduler.run_until(Picoseconds(101));
  CHECK(actors.log == Log{{100, 0}, {101, 1}});
}

TEST_CASE("stop ends the run after the handler that calls it", "[scheduler]") {
  Scheduler scheduler;
  Actors actors(scheduler);
  actors.add();
  actors.add([&](ActorId, Picoseconds) { scheduler.stop(); });
  actors.add();
  for (ActorId id = 0; id < 3; ++id) scheduler.schedule(id, Picoseconds(7));
  scheduler.run_until(Picoseconds::max());
  CHECK(actors.log == Log{{7, 0}, {7, 1}});
  CHECK(scheduler.stopped());
  CHECK(scheduler.next_time() == Picoseconds(7));
  scheduler.run_until(Picoseconds::max());
  CHECK(actors.log == Log{{7, 0}, {7, 1}, {7, 2}});
  CHECK_FALSE(scheduler.stopped());
}

TEST_CASE("a handler may wake others and itself at the same time", "[scheduler]") {
  Scheduler scheduler;
  Actors actors(scheduler);
  bool again = true;
  actors.add();  // 0
  actors.add([&](ActorId self, Picoseconds now) {
    if (!again) return;
    again = false;
    scheduler.schedule(self, now);                  // itself
    scheduler.schedule(0, now);                     // a lower one, which has not run at this time
    scheduler.schedule(3, now);                     // a higher one
    scheduler.schedule(2, now + Picoseconds(1));    // moved away from this time
    scheduler.schedule(4, now + Picoseconds(500));  // new
  });                                               // 1
  actors.add(3);
  scheduler.schedule(1, Picoseconds(50));
  scheduler.schedule(2, Picoseconds(50));
  scheduler.run_until(Picoseconds::max());
  CHECK(actors.log == Log{{50, 1}, {50, 0}, {50, 1}, {50, 3}, {51, 2}, {550, 4}});
}

TEST_CASE("what an actor wakes runs in order although the actor's own place is not settled yet",
          "[scheduler]") {
  // The actor that runs stays in the inner nodes until its handler returns; others that are set
  // meanwhile pass by those nodes.
  for (unsigned count = 2; count <= 17; ++count) {
    for (ActorId runner = 0; runner < count; ++runner) {
      Scheduler scheduler;
      Actors actors(scheduler);
      Log expected{{1, runner}};
      actors.add(count, [&](ActorId self, Picoseconds now) {
        if (now != Picoseconds(1)) return;
        for (ActorId other = 0; other < count; ++other) {
          if (other != self) scheduler.schedule(other, Picoseconds(2 + count - other));
        }
      });
      for (ActorId other = count; other-- > 0;) {
        if (other != runner) expected.emplace_back(2 + count - other, other);
      }
      scheduler.schedule(runner, Picoseconds(1));
      scheduler.run_until(Picoseconds::max());
      REQUIRE(actors.log == expected);
    }
  }
}

TEST_CASE("actors may be added while others are pending, also by a handler", "[scheduler]") {
  Scheduler scheduler;
  Actors actors(scheduler);
  Log expected;
  for (unsigned i = 0; i < 40; ++i) {
    const ActorId id = actors.add();
    scheduler.schedule(id, Picoseconds(1000 - i));
  }
  for (unsigned i = 40; i-- > 0;) expected.emplace_back(1000 - i, i);
  const ActorId grower = actors.add([&](ActorId, Picoseconds now) {
    for (unsigned i = 0; i < 100; ++i)
      scheduler.schedule(actors.add(), now + Picoseconds(5000 + i));
  });
  scheduler.schedule(grower, Picoseconds(1));
  expected.insert(expected.begin(), {1, grower});
  for (unsigned i = 0; i < 100; ++i) expected.emplace_back(5001 + i, grower + 1 + i);
  scheduler.run_until(Picoseconds::max());
  CHECK(actors.log == expected);
  CHECK(scheduler.actors() == 141);
}

TEST_CASE("an actor number needs all of its bits: the last actors run by time too", "[scheduler]") {
  Scheduler scheduler;
  Actors actors(scheduler);
  constexpr unsigned kMany = 70'000;  // more than 16 bits
  actors.add(kMany);
  scheduler.schedule(kMany - 1, Picoseconds(3));
  scheduler.schedule(65'536, Picoseconds(3));
  scheduler.schedule(65'535, Picoseconds(4));
  scheduler.schedule(0, Picoseconds(4));
  scheduler.run_until(Picoseconds::max());
  CHECK(actors.log == Log{{3, 65'536}, {3, kMany - 1}, {4, 0}, {4, 65'535}});
}

TEST_CASE("events beyond the tree's range run in their turn", "[scheduler]") {
  Scheduler scheduler;
  Actors actors(scheduler);
  actors.add(6);
  // Around the last offset that fits, and far beyond it.
  scheduler.schedule(0, Picoseconds(kFar + 1));
  scheduler.schedule(1, Picoseconds(kFar));
  scheduler.schedule(2, Picoseconds(kFar - 1));
  scheduler.schedule(3, Picoseconds(kFar - 2));
  scheduler.schedule(4, Picoseconds(5 * kFar));
  scheduler.schedule(5, Picoseconds(9));
  CHECK(scheduler.next_time() == Picoseconds(9));
  scheduler.run_until(Picoseconds(9));
  CHECK(scheduler.next_time() == Picoseconds(kFar - 2));
  scheduler.run_until(Picoseconds(kFar - 1));
  CHECK(actors.log == Log{{9, 5}, {kFar - 2, 3}, {kFar - 1, 2}});
  CHECK(scheduler.next_time() == Picoseconds(kFar));
  scheduler.run_until(Picoseconds(kFar + 1));
  CHECK(scheduler.next_time() == Picoseconds(5 * kFar));
  scheduler.run_until(Picoseconds::max());
  CHECK(actors.log ==
        Log{{9, 5}, {kFar - 2, 3}, {kFar - 1, 2}, {kFar, 1}, {kFar + 1, 0}, {5 * kFar, 4}});
}

TEST_CASE("a far event that is moved runs once, at its last time", "[scheduler]") {
  Scheduler scheduler;
  Actors actors(scheduler);
  actors.add(3);
  scheduler.schedule(0, Picoseconds(2 * kFar));
  scheduler.schedule(0, Picoseconds(4));  // from far to near
  scheduler.schedule(1, Picoseconds(5));
  scheduler.schedule(1, Picoseconds(3 * kFar));  // from near to far
  scheduler.schedule(2, Picoseconds(2 * kFar));
  scheduler.schedule(2, Picoseconds(2 * kFar + 1));  // from far to far
  scheduler.run_until(Picoseconds::max());
  CHECK(actors.log == Log{{4, 0}, {2 * kFar + 1, 2}, {3 * kFar, 1}});
}

TEST_CASE("a horizon before a far event leaves it where it is", "[scheduler]") {
  Scheduler scheduler;
  Actors actors(scheduler);
  actors.add(2);
  scheduler.schedule(0, Picoseconds(2 * kFar));
  scheduler.run_until(Picoseconds(2 * kFar - 1));
  CHECK(actors.log.empty());
  scheduler.schedule(1, Picoseconds(50));  // long before it, and still in the future
  scheduler.run_until(Picoseconds::max());
  CHECK(actors.log == Log{{50, 1}, {2 * kFar, 0}});
}

namespace {

// What the scheduler replaces: every event in a sorted set.
class ReferenceScheduler {
 public:
  explicit ReferenceScheduler(unsigned actors) : pending_(actors) {}
  void schedule(ActorId actor, std::uint64_t at) {
    if (pending_[actor].has_value()) events_.erase(*pending_[actor]);
    pending_[actor] = events_.emplace(std::pair(at, actor), true).first;
  }
  [[nodiscard]] bool empty() const { return events_.empty(); }
  [[nodiscard]] std::uint64_t next_time() const { return events_.begin()->first.first; }
  std::pair<std::uint64_t, ActorId> pop() {
    const auto first = events_.begin()->first;
    events_.erase(events_.begin());
    pending_[first.second].reset();
    return first;
  }

 private:
  using Events = std::map<std::pair<std::uint64_t, ActorId>, bool>;
  Events events_;
  std::vector<std::optional<Events::iterator>> pending_;
};

// A distance: mostly short with many ties, sometimes at the edge of the tree's range or beyond it.
std::uint64_t random_distance(Rng& rng) {
  switch (rng.below(16)) {
    case 0:
      return 0;
    case 1:
      return kFar - 4 + rng.below(8);
    case 2:
      return rng.below(3 * kFar);
    case 3:
      return rng.below(1'000'000);
    default:
      return rng.below(12);
  }
}

}  // namespace

TEST_CASE("random work runs in the order of a sorted map", "[scheduler]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed);
    const auto count = static_cast<unsigned>(rng.between(1, 70));
    Scheduler scheduler;
    Actors actors(scheduler);
    ReferenceScheduler reference(count);
    Log expected;
    unsigned left = 4000;
    // Each handler draws from the one generator, so that the reference, which learns what the
    // handlers did, goes out of step at the first event that is out of order.
    const auto act = [&](ActorId, Picoseconds now) {
      if (left == 0) return;
      --left;
      for (std::uint64_t n = rng.below(4); n > 0; --n) {
        const auto target = static_cast<ActorId>(rng.below(count));
        const std::uint64_t at = now.count() + random_distance(rng);
        scheduler.schedule(target, Picoseconds(at));
        reference.schedule(target, at);
      }
    };
    actors.add(count, [&](ActorId self, Picoseconds now) {
      expected.push_back(reference.pop());
      REQUIRE(expected.back() == std::pair(now.count(), self));
      act(self, now);
    });
    while (left > 0) {
      // Runs in pieces; between them the outside world schedules too.
      act(0, scheduler.now());
      REQUIRE(scheduler.next_time() ==
              (reference.empty() ? Picoseconds::max() : Picoseconds(reference.next_time())));
      const Picoseconds horizon = scheduler.now() + Picoseconds(random_distance(rng));
      scheduler.run_until(horizon);
      REQUIRE((reference.empty() || reference.next_time() > horizon.count()));
    }
    scheduler.run_until(Picoseconds::max());
    REQUIRE(reference.empty());
    REQUIRE(actors.log == expected);
    REQUIRE(scheduler.events() == expected.size());
  }
}
