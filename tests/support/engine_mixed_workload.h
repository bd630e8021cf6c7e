// SPDX-License-Identifier: Apache-2.0
// A random network in which SystemC processes and nodes of a fabric keep each other busy, and two
// ways to run it: inside the engine, and as plain SystemC with one event for each hop of a token.
// Both write a log of everything that happened; the logs must be equal.
//
// Every event has a time of its own, or follows from the one event before it at that time, so there
// is exactly one right order. All decisions come from one generator in the order in which things
// happen: a single event out of order and the two runs part for good.
#pragma once

#include <cstdint>
#include <string>

namespace peerfab::test {

struct MixedWorkload {
  std::uint64_t seed = 0;
  unsigned nodes = 4;
  unsigned processes = 3;
  unsigned events = 1500;        // about how many, before it dies out
  std::uint64_t node_delay = 0;  // typical distance of two events, in picoseconds
  std::uint64_t process_delay = 0;
  std::uint64_t window = 0;   // run in pieces of about this length; 0: in one go
  std::uint64_t quantum = 0;  // of the engine; 0: none
  bool stops = false;         // handlers call Engine::stop() now and then
};

[[nodiscard]] MixedWorkload random_workload(std::uint64_t seed);

// Elaborates and runs; once for each process.
[[nodiscard]] std::string run_in_engine(const MixedWorkload& workload);
[[nodiscard]] std::string run_in_plain_systemc(const MixedWorkload& workload);

}  // namespace peerfab::test
