// SPDX-License-Identifier: Apache-2.0
// Each variant in a process of its own: SystemC allows one elaboration per process, and a variant
// that crashes takes nothing else with it.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "sim/scenario/result.h"
#include "sim/scenario/run_hooks.h"
#include "sim/scenario/scenario.h"

namespace peerfab::scenario {

// Simulates one variant; called in the worker process. An exception becomes the result's error.
using VariantRunner = std::function<VariantResult(const Variant&, RunHooks&)>;

struct WorkerOptions {
  unsigned jobs = 0;  // workers at the same time; 0: as many as there are cores to use
  // All variants together; called in the parent, a few times a second. May be empty.
  std::function<void(const Progress&)> progress;
  // Set by a signal handler: the workers are told (SIGTERM) and write what they have. The handler
  // is inherited by the workers, so that the same flag stops them. May be null.
  const std::atomic<bool>* stop = nullptr;
  // A worker that has not ended so long after it was told is killed.
  unsigned grace_milliseconds = 10'000;
};

// The results in the order of the variants, however the workers finish. A variant that could not be
// run to its end has an error; one that was stopped is partial. The caller must be single-threaded.
[[nodiscard]] std::vector<VariantResult> run_in_workers(const std::vector<Variant>& variants,
                                                        const VariantRunner& runner,
                                                        const WorkerOptions& options);

}  // namespace peerfab::scenario
