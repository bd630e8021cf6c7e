// SPDX-License-Identifier: Apache-2.0
// What a worker process says to its parent over a pipe: progress, and at the end its result.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sim/scenario/run_hooks.h"

namespace peerfab::scenario {

// The worker's end. Each message is one byte of kind, eight of length, and the content.
class WorkerSender {
 public:
  explicit WorkerSender(int descriptor) : descriptor_(descriptor) {}
  // False when the parent is gone.
  bool send_progress(const Progress& progress);
  bool send_result(std::string_view json);

 private:
  bool send(char kind, std::string_view content);
  int descriptor_;
};

// The parent's end: fed with bytes as they arrive, in pieces of any size.
class WorkerReceiver {
 public:
  void feed(std::string_view bytes);
  [[nodiscard]] const Progress& progress() const { return progress_; }
  // The result's text once all of it has arrived.
  [[nodiscard]] const std::optional<std::string>& result() const { return result_; }

 private:
  bool take_message();
  std::string buffer_;
  Progress progress_;
  std::optional<std::string> result_;
};

}  // namespace peerfab::scenario
