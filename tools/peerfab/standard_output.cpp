// SPDX-License-Identifier: Apache-2.0
// Contract in standard_output.h.
#include "tools/peerfab/standard_output.h"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGPIPE handling is POSIX
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace peerfab::cli {
namespace {

bool stdout_was_open = true;

}  // namespace

void prepare_standard_streams() {
  stdout_was_open = ::fcntl(STDOUT_FILENO, F_GETFD) >= 0;
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest free number is taken, which is this one.
    if (::open("/dev/null", O_RDWR) < 0) ::_exit(3);
  }
  ::signal(SIGPIPE, SIG_IGN);
}

bool standard_output_is_open() { return stdout_was_open; }

WriteOutcome write_descriptor(int descriptor, std::string_view text, std::string& error) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      return WriteOutcome::kReaderGone;
    } else if (errno != EINTR) {
      error = std::strerror(errno);
      return WriteOutcome::kFailed;
    }
  }
  return WriteOutcome::kWritten;
}

bool print(std::string_view text) {
  std::string error = "it is closed";
  if (stdout_was_open && write_descriptor(STDOUT_FILENO, text, error) != WriteOutcome::kFailed) {
    return true;
  }
  print_error("peerfab: cannot write to standard output: " + error + "\n");
  return false;
}

bool print_error(std::string_view text) {
  std::string error;
  return write_descriptor(STDERR_FILENO, text, error) != WriteOutcome::kFailed;
}

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

}  // namespace peerfab::cli
