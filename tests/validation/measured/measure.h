// SPDX-License-Identifier: Apache-2.0
// Simulates the setting of a measured row. Every run is a process of its own, since SystemC has one
// elaboration, so a test case can hold many rows.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/result.h"
#include "sim/scenario/scenario.h"

namespace peerfab::validation {

// A flow with the defaults of the scenario language: chunks of 4 MiB, two in flight.
[[nodiscard]] scenario::FlowSpec copy(const std::string& name, const std::string& from,
                                      const std::string& to, Bytes size);
// Transactions of `chunk` bytes, so many of them in flight.
[[nodiscard]] scenario::FlowSpec flow(const std::string& name, const std::string& from,
                                      const std::string& to, Bytes size, Bytes chunk,
                                      unsigned queue_depth);

// The result of the flows on a topology given as YAML text, with the built-in presets. Fails the
// test on any diagnostic that is an error and on a simulation that fails. With a duration the run
// ends there, whatever is still to be moved.
[[nodiscard]] scenario::VariantResult simulate(const std::string& topology_yaml,
                                               const std::vector<scenario::FlowSpec>& flows,
                                               Picoseconds duration = Picoseconds::max(),
                                               Picoseconds warm_up = Picoseconds());

// Payload of all flows over the time in which all of them ran, in bytes per second.
[[nodiscard]] std::uint64_t total_rate(const scenario::VariantResult& result);

// Prints "<row>: <simulated> GB/s, measured <measured> (<error> %)" and checks the window.
void check_row(const std::string& row, std::uint64_t simulated, double measured, double low,
               double high, double bytes_per_second_per_unit, const std::string& unit);

}  // namespace peerfab::validation
