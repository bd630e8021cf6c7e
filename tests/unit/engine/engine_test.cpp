// SPDX-License-Identifier: Apache-2.0
// The engine's rules one by one; equivalence_test.cpp runs them all together. Each case elaborates,
// so each runs in a process of its own.
#include "sim/engine/engine.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.h"

using peerfab::Picoseconds;
using peerfab::engine::ActorId;
using peerfab::engine::Engine;
using sc_core::SC_PS;
using sc_core::sc_time;

namespace {

using Log = std::vector<std::string>;

std::uint64_t kernel_time() { return sc_core::sc_time_stamp().value(); }

// Actors with a function each.
class Actors {
 public:
  explicit Actors(Engine& engine) : engine_(engine) {}
  ActorId add(std::function<void(Picoseconds)> action) {
    actions_.push_back(std::make_unique<std::function<void(Picoseconds)>>(std::move(action)));
    return engine_.scheduler().add_actor(actions_.back().get(), [](void* self, Picoseconds now) {
      (*static_cast<std::function<void(Picoseconds)>*>(self))(now);
    });
  }

 private:
  Engine& engine_;
  std::vector<std::unique_ptr<std::function<void(Picoseconds)>>> actions_;
};

struct Thread : sc_core::sc_module {
  SC_HAS_PROCESS(Thread);
  Thread(const sc_core::sc_module_name& name, std::function<void()> body)
      : sc_module(name), body_(std::move(body)) {
    SC_THREAD(work);
  }
  void work() { body_(); }

 private:
  std::function<void()> body_;
};

}  // namespace

TEST_CASE("times convert exactly", "[engine]") {
  CHECK(peerfab::engine::to_sc_time(Picoseconds(1'234'567)) == sc_time(1'234'567, SC_PS));
  CHECK(peerfab::engine::from_sc_time(sc_time(3, sc_core::SC_NS)) == Picoseconds(3'000));
}

TEST_CASE("a pure fabric run never comes back to SystemC", "[engine]") {
  Engine engine("engine");
  Actors actors(engine);
  int left = 1000;
  ActorId self = 0;
  std::vector<std::uint64_t> kernel_times;
  self = actors.add([&](Picoseconds now) {
    kernel_times.push_back(kernel_time());
    CHECK(engine.now() == now);
    if (--left > 0) engine.scheduler().schedule(self, now + Picoseconds(10));
  });
  engine.scheduler().schedule(self, Picoseconds(5));
  engine.run();
  CHECK(left == 0);
  CHECK(kernel_times == std::vector<std::uint64_t>(1000, 5));
  CHECK(engine.now() == Picoseconds(5 + 999 * 10));
}

TEST_CASE("an idle fabric leaves nothing pending", "[engine]") {
  Engine engine("engine");
  Actors actors(engine);
  int events = 0;
  const ActorId a = actors.add([&](Picoseconds) { ++events; });
  engine.scheduler().schedule(a, Picoseconds(100));
  std::vector<sc_time> gaps;
  Thread process("process", [&] {
    sc_core::wait(50, SC_PS);
    gaps.push_back(sc_core::sc_time_to_pending_activity());  // the fabric at 100
    sc_core::wait(100, SC_PS);
    CHECK_FALSE(sc_core::sc_pending_activity());
    engine.schedule_from_systemc(a, Picoseconds(170));
    gaps.push_back(sc_core::sc_time_to_pending_activity());
  });
  engine.run();
  CHECK(events == 2);
  CHECK(gaps == std::vector<sc_time>{sc_time(50, SC_PS), sc_time(20, SC_PS)});
  CHECK_FALSE(sc_core::sc_pending_activity());
  CHECK(engine.scheduler().next_time() == Picoseconds::max());
}

TEST_CASE("at one time SystemC goes first, and what it adds to the fabric goes along", "[engine]") {
  Engine engine("engine");
  Actors actors(engine);
  Log log;
  const ActorId first = actors.add([&](Picoseconds) { log.emplace_back("actor 0"); });
  const ActorId second = actors.add([&](Picoseconds) { log.emplace_back("actor 1"); });
  engine.scheduler().schedule(second, Picoseconds(100));
  Thread process("process", [&] {
    sc_core::wait(100, SC_PS);
    log.emplace_back("process");
    for (int i = 0; i < 3; ++i) {
      sc_core::wait(sc_core::SC_ZERO_TIME);
      log.emplace_back("delta");
    }
    engine.schedule_from_systemc(first, Picoseconds(100));
  });
  engine.run();
  CHECK(log == Log{"process", "delta", "delta", "delta", "actor 0", "actor 1"});
}

TEST_CASE("a signal that is about to change counts as runnable", "[engine]") {
  Engine engine("engine");
  Actors actors(engine);
  Log log;
  sc_core::sc_signal<int> signal("signal");
  const ActorId actor = actors.add([&](Picoseconds) { log.emplace_back("actor"); });
  const ActorId late = actors.add([&](Picoseconds) { log.emplace_back("late"); });
  engine.scheduler().schedule(late, Picoseconds(101));
  Thread writer("writer", [&] {
    sc_core::wait(100, SC_PS);
    engine.schedule_from_systemc(actor, Picoseconds(100));
    signal.write(1);
  });
  Thread reader("reader", [&] {
    sc_core::wait(signal.value_changed_event());
    log.emplace_back("change at " + std::to_string(kernel_time()));
  });
  engine.run();
  CHECK(log == Log{"change at 100", "actor", "late"});
}

TEST_CASE("a handler wakes a process at its own time", "[engine]") {
  Engine engine("engine");
  Actors actors(engine);
  Log log;
  sc_core::sc_event event;
  ActorId other = 0;
  const ActorId actor = actors.add([&](Picoseconds now) {
    log.push_back("actor at " + std::to_string(now.count()));
    CHECK(kernel_time() == 10);  // the fabric is ahead
    engine.notify_at(event, now);
  });
  other = actors.add([&](Picoseconds now) {
    log.push_back("other at " + std::to_string(now.count()));
    if (now == Picoseconds(10)) engine.scheduler().schedule(other, Picoseconds(21));
  });
  engine.scheduler().schedule(other, Picoseconds(10));
  engine.scheduler().schedule(actor, Picoseconds(20));
  Thread process("process", [&] {
    sc_core::wait(event);
    log.push_back("process at " + std::to_string(kernel_time()));
    CHECK(engine.now() == Picoseconds(20));
    engine.schedule_from_systemc(actor, Picoseconds(1'000'000));
  });
  engine.run(Picoseconds(999'999));
  CHECK(log == Log{"other at 10", "actor at 20", "process at 20", "other at 21"});
}

TEST_CASE("a process and the fabric answer each other at one time", "[engine]") {
  Engine engine("engine");
  Actors actors(engine);
  Log log;
  sc_core::sc_event event;
  int rounds = 0;
  const ActorId actor = actors.add([&](Picoseconds now) {
    log.push_back("actor at " + std::to_string(now.count()));
    if (++rounds < 4) engine.notify_at(event, now);
  });
  const ActorId later = actors.add([&](Picoseconds) { log.emplace_back("later"); });
  engine.scheduler().schedule(actor, Picoseconds(30));
  engine.scheduler().schedule(later, Picoseconds(31));
  Thread process("process", [&] {
    for (;;) {
      sc_core::wait(event);
      log.push_back("process at " + std::to_string(kernel_time()));
      engine.schedule_from_systemc(actor, Picoseconds(kernel_time()));
    }
  });
  engine.run();
  CHECK(log == Log{"actor at 30", "process at 30", "actor at 30", "process at 30", "actor at 30",
                   "process at 30", "actor at 30", "later"});
}

TEST_CASE("events of time 0 wait for the initialisation phase", "[engine]") {
  Engine engine("engine");
  Actors actors(engine);
  Log log;
  const ActorId early = actors.add([&](Picoseconds) { log.emplace_back("scheduled before"); });
  const ActorId added = actors.add([&](Picoseconds) { log.emplace_back("added by a process"); });
  engine.scheduler().schedule(early, Picoseconds(0));
  Thread a("a", [&] {
    log.emplace_back("process a");
    engine.schedule_from_systemc(added, Picoseconds(0));
    sc_core::wait(sc_core::SC_ZERO_TIME);
    log.emplace_back("delta of a");
  });
  Thread b("b", [&] { log.emplace_back("process b"); });
  engine.run();
  CHECK(log ==
        Log{"process a", "process b", "delta of a", "scheduled before", "added by a process"});
}

TEST_CASE("a window ends the run: what is due on its last picosecond belongs to it", "[engine]") {
  Engine engine("engine");
  Actors actors(engine);
  Log log;
  ActorId actor = 0;
  actor = actors.add([&](Picoseconds now) {
    log.push_back(std::to_string(now.count()));
    engine.scheduler().schedule(actor, now + Picoseconds(10'000));
  });
  engine.scheduler().schedule(actor, Picoseconds(10'000));
  engine.run(Picoseconds(9'999));
  CHECK(log.empty());
  engine.run(Picoseconds(10'000));
  CHECK(log == Log{"10000"});
  engine.run(Picoseconds(10'000));
  CHECK(log == Log{"10000"});
  engine.run(Picoseconds(29'999));
  CHECK(log == Log{"10000", "20000"});
  engine.run(Picoseconds(30'000));
  CHECK(log == Log{"10000", "20000", "30000"});
}

TEST_CASE("processes that are due at the end of a window belong to it too", "[engine]") {
  Engine engine("engine");
  Actors actors(engine);
  Log log;
  const ActorId actor = actors.add([&](Picoseconds) { log.emplace_back("actor"); });
  engine.scheduler().schedule(actor, Picoseconds(10'000));
  Thread process("process", [&] {
    for (;;) {
      sc_core::wait(5'000, SC_PS);
      log.push_back("process at " + std::to_string(kernel_time()));
      sc_core::wait(sc_core::SC_ZERO_TIME);
      log.emplace_back("delta");
    }
  });
  engine.run(Picoseconds(9'999));
  CHECK(log == Log{"process at 5000", "delta"});
  log.clear();
  engine.run(Picoseconds(10'000));
  CHECK(log == Log{"process at 10000", "delta", "actor"});
  log.clear();
  engine.run(Picoseconds(14'999));
  CHECK(log.empty());
}

TEST_CASE("a window of no length runs what is due now", "[engine]") {
  Engine engine("engine");
  Actors actors(engine);
  Log log;
  const ActorId actor = actors.add([&](Picoseconds) { log.emplace_back("actor"); });
  engine.scheduler().schedule(actor, Picoseconds(0));
  Thread process("process", [&] {
    log.emplace_back("process");
    sc_core::wait(1, SC_PS);
    log.emplace_back("too far");
  });
  engine.run(Picoseconds(0));
  CHECK(log == Log{"process", "actor"});
  engine.run(Picoseconds(0));
  CHECK(log == Log{"process", "actor"});
  engine.schedule_from_systemc(actor, Picoseconds(0));
  engine.run(Picoseconds(0));
  CHECK(log == Log{"process", "actor", "actor"});
}

TEST_CASE("main may feed the fabric between two windows", "[engine]") {
  Engine engine("engine");
  Actors actors(engine);
  Log log;
  const ActorId actor =
      actors.add([&](Picoseconds now) { log.push_back(std::to_string(now.count())); });
  engine.run(Picoseconds(1'000));
  engine.schedule_from_systemc(actor, Picoseconds(1'500));
  engine.run(Picoseconds(2'000));
  CHECK(log == Log{"1500"});
  engine.schedule_from_systemc(actor, Picoseconds(9'000));
  engine.run(Picoseconds(8'999));
  CHECK(log == Log{"1500"});
  engine.run();
  CHECK(log == Log{"1500", "9000"});
}

TEST_CASE("a run with nothing to do passes without a word", "[engine]") {
  Engine engine("engine");
  engine.run(Picoseconds(1'000));
  engine.run(Picoseconds(2'000));
  engine.run();
  engine.run();
  CHECK(sc_core::sc_report_handler::get_count(sc_core::SC_WARNING) == 0);
}

TEST_CASE("stop ends the run after its handler, and the next run goes on", "[engine]") {
  Engine engine("engine");
  Actors actors(engine);
  Log log;
  std::vector<ActorId> ids;
  for (int i = 0; i < 4; ++i) {
    ids.push_back(actors.add([&, i](Picoseconds) {
      log.push_back("actor " + std::to_string(i));
      if (i == 1) engine.stop();
    }));
    engine.scheduler().schedule(ids.back(), Picoseconds(100));
  }
  Thread process("process", [&] {
    sc_core::wait(200, SC_PS);
    log.emplace_back("process");
  });
  engine.run();
  CHECK(engine.stopped());
  CHECK(log == Log{"actor 0", "actor 1"});
  engine.run();
  CHECK_FALSE(engine.stopped());
  CHECK(log == Log{"actor 0", "actor 1", "actor 2", "actor 3", "process"});
}

TEST_CASE("with a quantum the fabric is never further ahead of SystemC", "[engine]") {
  Engine engine("engine");
  Actors actors(engine);
  std::uint64_t most = 0;
  int left = 500;
  ActorId actor = 0;
  actor = actors.add([&](Picoseconds now) {
    most = std::max(most, now.count() - kernel_time());
    if (--left > 0) engine.scheduler().schedule(actor, now + Picoseconds(7));
  });
  engine.set_quantum(Picoseconds(100));
  engine.scheduler().schedule(actor, Picoseconds(7));
  engine.run();
  CHECK(left == 0);
  CHECK(most <= 100);
  CHECK(most >= 90);  // and makes use of it
}
