// SPDX-License-Identifier: Apache-2.0
// The SystemC module that hosts the fabric's event loop.
//
// SystemC owns elaboration, processes and time. The fabric's events live in a Scheduler, and this
// module's one SC_METHOD runs everything that is due before SystemC has something of its own to
// do, so that a pure fabric run never leaves one loop and a mixed run stays exact:
//  - it runs only when no process is runnable at the current time, else it waits one delta more;
//  - it runs up to the least of the next SystemC event, the end of the current sc_start and, where
//    an outside world is attached, the quantum;
//  - a handler reaches SystemC through notify_at() alone, which ends the loop at that time.
#pragma once

#include <systemc>

#include "sim/engine/scheduler.h"

namespace peerfab::engine {

// SystemC's resolution must be 1 ps, which is its default.
[[nodiscard]] sc_core::sc_time to_sc_time(Picoseconds time);
[[nodiscard]] Picoseconds from_sc_time(const sc_core::sc_time& time);

class Engine : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Engine);
  explicit Engine(const sc_core::sc_module_name& name);

  [[nodiscard]] Scheduler& scheduler() { return scheduler_; }

  // Simulated time, for handlers and SystemC processes alike: within a drain the fabric is ahead
  // of sc_time_stamp().
  [[nodiscard]] Picoseconds now() const;

  // From a SystemC process: wakes an actor of the fabric. `at` must not be in the past.
  void schedule_from_systemc(ActorId actor, Picoseconds at);
  // From a handler of the fabric: notifies a SystemC event at its own time. The drain ends there
  // and goes on once SystemC has caught up.
  void notify_at(sc_core::sc_event& event, Picoseconds at);

  // Runs the simulation until nothing is pending anywhere, a handler called stop(), or `until`;
  // what is due at `until` belongs to the run, the processes of SystemC included. Use it in place
  // of sc_start. `until` must not lie before sc_time_stamp().
  void run(Picoseconds until = Picoseconds::max());
  // From a handler: ends run() after this handler.
  void stop();
  [[nodiscard]] bool stopped() const { return stop_requested_; }

  // The drain returns to SystemC at least this often; max() (the default) when no outside world
  // is attached.
  void set_quantum(Picoseconds quantum) { quantum_ = quantum; }

 private:
  void drain();
  [[nodiscard]] Picoseconds horizon() const;
  void arm();

  Scheduler scheduler_;
  sc_core::sc_event wake_;
  Picoseconds run_until_ = Picoseconds::max();
  Picoseconds quantum_ = Picoseconds::max();
  bool stop_requested_ = false;
};

}  // namespace peerfab::engine
