// SPDX-License-Identifier: Apache-2.0
// SystemC has one kernel for each process and elaborates once: a test that needs many simulations
// runs each in a child of its own.
#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>

namespace peerfab::test {

struct ChildResult {
  bool succeeded = false;  // it returned, and was not killed by a signal or an exception
  std::string output;      // what the function returned
};

// Calls `body` in a child process. The calling process must not have started a simulation.
inline ChildResult run_in_child(const std::function<std::string()>& body) {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) return {};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) {
    close(ends[0]);
    int status = EXIT_FAILURE;
    try {
      const std::string text = body();
      std::size_t written = 0;
      while (written < text.size()) {
        const ssize_t n = write(ends[1], text.data() + written, text.size() - written);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        written += static_cast<std::size_t>(n);
      }
      if (written == text.size()) status = EXIT_SUCCESS;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    // Without destructors: the parent's objects are not this child's to clean up.
    std::fflush(nullptr);
    _exit(status);
  }
  close(ends[1]);
  ChildResult result;
  char buffer[4096];
  for (;;) {
    const ssize_t n = read(ends[0], buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    result.output.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
  return result;
}

}  // namespace peerfab::test
