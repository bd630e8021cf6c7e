// SPDX-License-Identifier: Apache-2.0
// What a TLP hop costs, next to what a bare SystemC event costs on the same machine in the same
// run: compare the two, never a figure of one run with that of another.
//
// SystemC has one elaboration for each process, so every benchmark that needs one runs in a child
// process, which sends its counters back.
#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "tests/bench/all_to_all.h"
#include "tests/bench/three_hops.h"

namespace peerfab::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Measurement {
  double seconds = 0;
  double operations = 0;
  double events = 0;
  double link_busy = 1;
};

// Runs `measure` in a child, since this process may elaborate only once.
Measurement in_child(const std::function<Measurement()>& measure) {
  int ends[2];
  Measurement result;
  if (pipe(ends) != 0) return result;
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    // The version banner of SystemC is not part of the table.
    static_cast<void>(std::freopen("/dev/null", "w", stderr));
    const Measurement measured = measure();
    const bool sent = write(ends[1], &measured, sizeof measured) == sizeof measured;
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  if (read(ends[0], &result, sizeof result) != sizeof result) result = {};
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return result;
}

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

// The yardstick: an SC_METHOD that notifies itself at a later time, `pending` of them.
class TimedMethod : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(TimedMethod);
  TimedMethod(const sc_core::sc_module_name& name, unsigned number)
      : sc_module(name), number_(number) {
    SC_METHOD(tick);
    sensitive << event_;
    dont_initialize();
    event_.notify(sc_core::sc_time(number + 1, sc_core::SC_PS));
  }
  std::uint64_t ticks = 0;

 private:
  void tick() {
    ++ticks;
    event_.notify(sc_core::sc_time(
        static_cast<double>(1000 + (number_ * 7919U + ticks * 131U) % 977U), sc_core::SC_PS));
  }
  sc_core::sc_event event_;
  unsigned number_;
};

Measurement measure_systemc(unsigned pending) {
  std::vector<std::unique_ptr<TimedMethod>> methods;
  for (unsigned i = 0; i < pending; ++i) {
    methods.push_back(std::make_unique<TimedMethod>(sc_core::sc_gen_unique_name("timed"), i));
  }
  const auto total = [&methods] {
    std::uint64_t sum = 0;
    for (const auto& method : methods) sum += method->ticks;
    return sum;
  };
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_US));
  const std::uint64_t before = total();
  const Clock::time_point began = Clock::now();
  sc_core::sc_start(sc_core::sc_time(12, sc_core::SC_US));
  Measurement result;
  result.seconds = seconds_since(began);
  result.operations = static_cast<double>(total() - before);
  result.events = result.operations;
  return result;
}

Measurement measure_hops(const AllToAllOptions& options) {
  AllToAll load(options);
  const std::uint64_t duration_us = 12'000 / options.endpoints;
  load.run(Picoseconds(20'000'000));  // until buffers and pools are warm
  static_cast<void>(load.least_busy_ppm());
  const std::uint64_t hops = load.hops();
  const std::uint64_t events = load.events();
  const Clock::time_point began = Clock::now();
  load.run(Picoseconds(duration_us * 1'000'000));
  Measurement result;
  result.seconds = seconds_since(began);
  result.operations = static_cast<double>(load.hops() - hops);
  result.events = static_cast<double>(load.events() - events);
  result.link_busy = static_cast<double>(load.least_busy_ppm()) / 1e6;
  return result;
}

void systemc_timed_event(benchmark::State& state) {
  const auto pending = static_cast<unsigned>(state.range(0));
  double seconds = 0;
  double events = 0;
  for (auto _ : state) {
    const Measurement result = in_child([pending] { return measure_systemc(pending); });
    state.SetIterationTime(result.seconds);
    seconds += result.seconds;
    events += result.operations;
  }
  state.counters["ns_per_event"] = seconds * 1e9 / events;
}

void tlp_hop(benchmark::State& state, const AllToAllOptions& options) {
  double seconds = 0;
  double hops = 0;
  double events = 0;
  double busy = 1;
  for (auto _ : state) {
    const Measurement result = in_child([&options] { return measure_hops(options); });
    state.SetIterationTime(result.seconds);
    seconds += result.seconds;
    hops += result.operations;
    events += result.events;
    busy = std::min(busy, result.link_busy);
  }
  state.counters["ns_per_hop"] = seconds * 1e9 / hops;
  state.counters["events_per_hop"] = events / hops;
  state.counters["link_busy"] = busy;
}

// 256 B writes over three links, at what the links carry.
Measurement measure_three_hops(const ThreeHopsOptions& options) {
  ThreeHops line(options);
  line.write(8 * ThreeHops::kJobBytes);  // until buffers and pools are warm
  const std::uint64_t before = line.counts().tlps;
  const Clock::time_point began = Clock::now();
  line.write(128 * ThreeHops::kJobBytes);
  Measurement result;
  result.seconds = seconds_since(began);
  result.operations = static_cast<double>(3 * (line.counts().tlps - before));
  return result;
}

void three_hops(benchmark::State& state, const ThreeHopsOptions& options) {
  double seconds = 0;
  double hops = 0;
  for (auto _ : state) {
    const Measurement result = in_child([&options] { return measure_three_hops(options); });
    state.SetIterationTime(result.seconds);
    seconds += result.seconds;
    hops += result.operations;
  }
  state.counters["ns_per_hop"] = seconds * 1e9 / hops;
}

void register_benchmarks() {
  const auto add_three_hops = [](const char* name, const ThreeHopsOptions& options) {
    benchmark::RegisterBenchmark(name, three_hops, options)
        ->UseManualTime()
        ->Iterations(3)
        ->Unit(benchmark::kMillisecond);
  };
  add_three_hops("three_hops/no_data_link", {});
  add_three_hops("three_hops/exact", {true, 0, false, 1});
  add_three_hops("three_hops/exact_bit_error_rate_1e-6", {true, 1e-6, false, 1});

  for (const int pending : {1, 16, 256}) {
    benchmark::RegisterBenchmark("systemc_timed_event", systemc_timed_event)
        ->Arg(pending)
        ->UseManualTime()
        ->Iterations(3)
        ->Unit(benchmark::kMillisecond);
  }
  for (const unsigned endpoints : {8U, 64U, 512U}) {
    for (const bool real : {false, true}) {
      const std::string name = "tlp_hop/" + std::to_string(endpoints) + (real ? "/real" : "/none");
      benchmark::RegisterBenchmark(name.c_str(), tlp_hop, AllToAllOptions{endpoints, real, 64})
          ->UseManualTime()
          ->Iterations(3)
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace
}  // namespace peerfab::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  peerfab::bench::register_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
