// SPDX-License-Identifier: Apache-2.0
// How a running variant talks to whoever started it.
#pragma once

#include <atomic>
#include <functional>

#include "sim/base/units.h"

namespace peerfab::scenario {

struct Progress {
  Bytes done;  // payload delivered
  Bytes total;
  Picoseconds time;  // simulated
};

struct RunHooks {
  // Called now and then, often enough for a progress bar and seldom enough to cost nothing: a few
  // times a second of wall-clock time. May be empty.
  std::function<void(const Progress&)> progress;
  // Set by a signal: end soon, with the result so far marked partial. May be null.
  const std::atomic<bool>* stop = nullptr;
};

}  // namespace peerfab::scenario
