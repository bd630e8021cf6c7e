// SPDX-License-Identifier: Apache-2.0
// The engine gives the same run as SystemC alone would: random mixed workloads, event by event.
#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/engine_mixed_workload.h"
#include "tests/support/engine_subprocess.h"

using namespace peerfab::test;  // NOLINT(google-build-using-namespace)

namespace {

// The first line in which two logs differ, with the line before it.
std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream left(a);
  std::istringstream right(b);
  std::string before = "(start)";
  for (unsigned line = 1;; ++line) {
    std::string in_a = "(end)";
    std::string in_b = "(end)";
    const bool more_a = static_cast<bool>(std::getline(left, in_a));
    const bool more_b = static_cast<bool>(std::getline(right, in_b));
    if (!more_a && !more_b) return "none";
    if (more_a != more_b || in_a != in_b) {
      std::ostringstream text;
      text << "line " << line << ", after " << before << ": engine " << in_a << ", SystemC "
           << in_b;
      return text.str();
    }
    before = in_a;
  }
}

void check_equivalent(std::uint64_t seed) {
  const MixedWorkload workload = random_workload(seed);
  INFO("seed " << seed << ": " << workload.nodes << " nodes, " << workload.processes
               << " processes, delays " << workload.node_delay << " and " << workload.process_delay
               << ", windows " << workload.window << ", quantum " << workload.quantum);
  const ChildResult ours = run_in_child([&] { return run_in_engine(workload); });
  const ChildResult reference = run_in_child([&] { return run_in_plain_systemc(workload); });
  REQUIRE(reference.succeeded);
  CHECK(ours.succeeded);
  if (ours.output != reference.output) {
    FAIL_CHECK(first_difference(ours.output, reference.output));
  }
}

}  // namespace

TEST_CASE("a mixed run is event by event the run of plain SystemC", "[engine]") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) check_equivalent(seed);
}

TEST_CASE("the mixed workloads are worth comparing", "[engine]") {
  // Most run for hundreds of events, of both kinds.
  unsigned long_runs = 0;
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    const ChildResult reference =
        run_in_child([&] { return run_in_plain_systemc(random_workload(seed)); });
    REQUIRE(reference.succeeded);
    const auto lines_with = [&reference](char first) {
      unsigned count = 0;
      std::istringstream lines(reference.output);
      for (std::string line; std::getline(lines, line);) count += line.front() == first ? 1 : 0;
      return count;
    };
    if (lines_with('n') > 300 && lines_with('p') > 50) ++long_runs;
  }
  CHECK(long_runs >= 10);
}
