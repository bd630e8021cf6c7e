// SPDX-License-Identifier: Apache-2.0
// The result of a run as a person reads it.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/result.h"

namespace peerfab::cli {

struct ReportOptions {
  std::string title;                    // what ran on what
  std::vector<std::string> root_links;  // links of the root ports; the last column sums their bytes
  std::string topology_file;            // for the next command; empty: none is named
  bool colour = false;
  bool verbose = false;  // with the breakdown and the links
};

[[nodiscard]] std::string render_report(const scenario::RunResult& result,
                                        const ReportOptions& options);

// Only what was expected and did not come; empty when all is well.
[[nodiscard]] std::string render_missed(const scenario::RunResult& result);

// Only what the conformance monitors found; empty when all is well or none watched.
[[nodiscard]] std::string render_violations(const scenario::RunResult& result);

}  // namespace peerfab::cli
