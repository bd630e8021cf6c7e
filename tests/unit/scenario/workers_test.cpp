// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/workers.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): raise() of SIGKILL is POSIX
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "tests/support/catch.h"

namespace peerfab::scenario::test {

namespace {

std::vector<Variant> variants(const std::vector<std::string>& names) {
  std::vector<Variant> all;
  for (const std::string& name : names) {
    all.emplace_back();
    all.back().name = name;
  }
  return all;
}

VariantResult named(const Variant& variant) {
  VariantResult result;
  result.name = variant.name;
  result.time = Picoseconds(variant.name.size());
  return result;
}

void sleep_ms(unsigned milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

std::atomic<bool> stop_flag{false};
void on_term(int /*signal*/) { stop_flag = true; }

}  // namespace

TEST_CASE("results come in the order of the variants, whoever ends first") {
  const auto all = variants({"slow", "fast", "middle", "last"});
  WorkerOptions options;
  for (const unsigned jobs : {1U, 2U, 4U, 0U}) {
    options.jobs = jobs;
    const auto results = run_in_workers(
        all,
        [](const Variant& variant, RunHooks&) {
          if (variant.name == "slow") sleep_ms(60);
          if (variant.name == "middle") sleep_ms(30);
          return named(variant);
        },
        options);
    REQUIRE(results.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(results[i].name == all[i].name);
      CHECK(results[i].error.empty());
      CHECK_FALSE(results[i].partial);
      CHECK(results[i].time.count() == all[i].name.size());
      CHECK(results[i].host.peak_memory > Bytes());
    }
  }
}

TEST_CASE("a variant runs in a process of its own") {
  int touched = 0;
  const pid_t parent = ::getpid();
  const auto results =
      run_in_workers(variants({"a", "b"}),
                     [&touched, parent](const Variant& variant, RunHooks&) {
                       ++touched;
                       VariantResult result = named(variant);
                       result.time = Picoseconds(touched == 1 && ::getpid() != parent ? 1 : 0);
                       return result;
                     },
                     {});
  CHECK(touched == 0);
  CHECK(results[0].time == Picoseconds(1));
  CHECK(results[1].time == Picoseconds(1));
}

TEST_CASE("a variant that dies, throws or leaves takes nothing else with it") {
  const auto results = run_in_workers(variants({"kill", "throw", "exit", "fine"}),
                                      [](const Variant& variant, RunHooks&) {
                                        if (variant.name == "kill") ::raise(SIGKILL);
                                        if (variant.name == "throw")
                                          throw std::runtime_error("the model said no");
                                        if (variant.name == "exit") ::_exit(7);
                                        return named(variant);
                                      },
                                      {});
  CHECK(results[0].error == "its process died of signal 9 (Killed)");
  CHECK(results[1].error == "the model said no");
  CHECK(results[2].error == "its process ended without a result, exit code 7");
  CHECK(results[3].error.empty());
  for (const VariantResult& result : results) CHECK_FALSE(result.partial);
}

TEST_CASE("a large result passes through the pipe") {
  const auto results = run_in_workers(variants({"a"}),
                                      [](const Variant& variant, RunHooks&) {
                                        VariantResult result = named(variant);
                                        result.error = std::string(3'000'000, 'x');
                                        return result;
                                      },
                                      {});
  CHECK(results[0].error.size() == 3'000'000);
}

TEST_CASE("progress of all variants is summed") {
  std::vector<Progress> seen;
  WorkerOptions options;
  options.jobs = 2;
  options.progress = [&seen](const Progress& progress) { seen.push_back(progress); };
  static_cast<void>(run_in_workers(
      variants({"a", "b"}),
      [](const Variant& variant, RunHooks& hooks) {
        hooks.progress({Bytes(5), Bytes(10), Picoseconds(variant.name == "a" ? 100 : 200)});
        sleep_ms(30);
        return named(variant);
      },
      options));
  REQUIRE_FALSE(seen.empty());
  CHECK(seen.back().done == Bytes(20));
  CHECK(seen.back().total == Bytes(20));
  CHECK(seen.back().time == Picoseconds(200));
  for (std::size_t i = 1; i < seen.size(); ++i) CHECK(seen[i].done >= seen[i - 1].done);
}

TEST_CASE("a stop reaches the workers, and those that never began are partial") {
  ::signal(SIGTERM, on_term);
  stop_flag = false;
  WorkerOptions options;
  options.jobs = 1;
  options.stop = &stop_flag;
  // Progress tells that the worker has begun; then somebody asks for the end.
  options.progress = [](const Progress&) { stop_flag = true; };
  const auto results = run_in_workers(
      variants({"running", "waiting"}),
      [](const Variant& variant, RunHooks& hooks) {
        hooks.progress({Bytes(1), Bytes(2), Picoseconds(3)});
        VariantResult result = named(variant);
        for (int i = 0; i < 1000 && !*hooks.stop; ++i) sleep_ms(10);
        result.partial = *hooks.stop;
        return result;
      },
      options);
  ::signal(SIGTERM, SIG_DFL);
  CHECK(results[0].partial);
  CHECK(results[0].error.empty());
  CHECK(results[0].time.count() == 7);
  CHECK(results[1].name == "waiting");
  CHECK(results[1].partial);
}

TEST_CASE("a worker that does not stop is killed") {
  ::signal(SIGTERM, on_term);
  stop_flag = false;
  WorkerOptions options;
  options.stop = &stop_flag;
  options.grace_milliseconds = 50;
  options.progress = [](const Progress&) { stop_flag = true; };
  const auto results = run_in_workers(
      variants({"deaf"}),
      [](const Variant& variant, RunHooks& hooks) {
        hooks.progress({});
        for (int i = 0; i < 1000; ++i) sleep_ms(10);
        return named(variant);
      },
      options);
  ::signal(SIGTERM, SIG_DFL);
  CHECK(results[0].partial);
  CHECK(results[0].error == "it did not stop when asked to, and was killed");
}

}  // namespace peerfab::scenario::test
