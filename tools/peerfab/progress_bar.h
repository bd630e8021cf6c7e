// SPDX-License-Identifier: Apache-2.0
// One line on standard error that shows how far the simulation is.
#pragma once

#include <chrono>
#include <string>

#include "sim/scenario/run_hooks.h"

namespace peerfab::cli {

// "[########------------]  42%  430MiB of 1.00GiB, 8.12ms simulated, 3s left". ASCII, at most
// `width` characters. `elapsed` is wall-clock time since the start.
[[nodiscard]] std::string progress_line(const scenario::Progress& progress,
                                        std::chrono::milliseconds elapsed, std::size_t width);

class ProgressBar {
 public:
  // Does nothing when not enabled.
  explicit ProgressBar(bool enabled);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() { clear(); }

  void show(const scenario::Progress& progress);
  // Takes the line away.
  void clear();

 private:
  bool enabled_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_;
  std::string last_;
};

}  // namespace peerfab::cli
