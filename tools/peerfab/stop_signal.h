// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and its relatives as a flag: whoever works looks at it and ends with what it has.
#pragma once

#include <atomic>

namespace peerfab::cli {

// From now on SIGINT, SIGTERM and SIGHUP set the flag. A second Ctrl-C, half a second or more after
// the first, ends the program at once, in the process that called this; its workers go with it.
void catch_stop_signals();
[[nodiscard]] const std::atomic<bool>& stop_requested();

}  // namespace peerfab::cli
