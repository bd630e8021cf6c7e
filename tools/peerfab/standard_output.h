// SPDX-License-Identifier: Apache-2.0
// Standard output and error by descriptor, so that a full disk or a closed pipe is noticed.
#pragma once

#include <string>
#include <string_view>

namespace peerfab::cli {

// Makes sure that descriptors 0 to 2 exist, so that no file of ours gets one of their numbers, and
// that a closed pipe is an error of write() instead of a signal. Call first of all.
void prepare_standard_streams();
// False when standard output was closed when the program started.
[[nodiscard]] bool standard_output_is_open();

enum class WriteOutcome { kWritten, kReaderGone, kFailed };

// Writes everything. kReaderGone: the other end of the pipe has seen enough (`peerfab models |
// head`), which is no failure. kFailed: `error` says why.
WriteOutcome write_descriptor(int descriptor, std::string_view text, std::string& error);

// Both print a failure on standard error and return whether the text is out or nobody wants it.
bool print(std::string_view text);        // standard output
bool print_error(std::string_view text);  // standard error

[[nodiscard]] bool is_terminal(int descriptor);

}  // namespace peerfab::cli
