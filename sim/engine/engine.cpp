// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/engine.h"

#include <algorithm>
#include <cassert>

namespace peerfab::engine {

sc_core::sc_time to_sc_time(Picoseconds time) { return sc_core::sc_time::from_value(time.count()); }

Picoseconds from_sc_time(const sc_core::sc_time& time) { return Picoseconds(time.value()); }

Engine::Engine(const sc_core::sc_module_name& name) : sc_module(name) {
  assert(sc_core::sc_get_time_resolution() == sc_core::sc_time(1, sc_core::SC_PS));
  SC_METHOD(drain);
  sensitive << wake_;
  // The initialisation phase belongs to the workload's processes; run() wakes the fabric.
  dont_initialize();
}

Picoseconds Engine::now() const {
  return std::max(scheduler_.now(), from_sc_time(sc_core::sc_time_stamp()));
}

void Engine::schedule_from_systemc(ActorId actor, Picoseconds at) {
  scheduler_.schedule(actor, at);
  arm();
}

void Engine::notify_at(sc_core::sc_event& event, Picoseconds at) {
  const Picoseconds kernel = from_sc_time(sc_core::sc_time_stamp());
  assert(at >= kernel);
  if (at == kernel) {
    event.notify(sc_core::SC_ZERO_TIME);
  } else {
    event.notify(to_sc_time(at - kernel));
  }
  // What is due up to this time may still run: the horizon is looked at again.
  scheduler_.stop();
}

void Engine::stop() {
  stop_requested_ = true;
  scheduler_.stop();
  if (sc_core::sc_is_running()) sc_core::sc_pause();
}

// SystemC's next event, but not later than the end of the run and the quantum.
Picoseconds Engine::horizon() const {
  const Picoseconds kernel = from_sc_time(sc_core::sc_time_stamp());
  Picoseconds limit = run_until_;
  if (quantum_ != Picoseconds::max()) limit = std::min(limit, kernel + quantum_);
  if (sc_core::sc_pending_activity_at_future_time()) {
    const Picoseconds gap = from_sc_time(sc_core::sc_time_to_pending_activity());
    // At that time SystemC goes first: its processes may feed the fabric.
    limit = std::min(limit, kernel + gap - Picoseconds(1));
  }
  return limit;
}

// Asks SystemC to call drain() when the next event of the fabric is due.
void Engine::arm() {
  const Picoseconds next = scheduler_.next_time();
  if (next == Picoseconds::max() || next > run_until_) return;
  const Picoseconds kernel = from_sc_time(sc_core::sc_time_stamp());
  if (next <= kernel) {
    wake_.notify(sc_core::SC_ZERO_TIME);
  } else {
    wake_.notify(to_sc_time(next - kernel));
  }
}

void Engine::drain() {
  while (!stop_requested_) {
    // Processes that are runnable now come first: they may have something for the fabric.
    if (sc_core::sc_pending_activity_at_current_time()) {
      wake_.notify(sc_core::SC_ZERO_TIME);
      return;
    }
    wake_.cancel();
    const Picoseconds limit = horizon();
    scheduler_.run_until(limit);
    // Stopped by notify_at(): SystemC has something earlier now, so the horizon is looked at anew.
    if (!scheduler_.stopped()) break;
  }
  if (!stop_requested_) arm();
}

void Engine::run(Picoseconds until) {
  stop_requested_ = false;
  run_until_ = until;
  arm();
  const Picoseconds kernel = from_sc_time(sc_core::sc_time_stamp());
  const bool endless = until == Picoseconds::max();
  // The first start elaborates, whether there is anything to do or not; any other without activity
  // makes SystemC warn.
  const bool due =
      sc_core::sc_pending_activity() &&
      (endless || from_sc_time(sc_core::sc_time_to_pending_activity()) <= until - kernel);
  if (due || !sc_core::sc_start_of_simulation_invoked()) {
    if (endless) {
      sc_core::sc_start();
      return;
    }
    sc_core::sc_start(to_sc_time(until - kernel), sc_core::SC_EXIT_ON_STARVATION);
  }
  // SystemC leaves what falls due at the very end to its next start. Without this it would depend
  // on where the last drain began whether the fabric's events of that time belong to this run.
  while (!stop_requested_ && sc_core::sc_pending_activity_at_current_time()) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
}

}  // namespace peerfab::engine
