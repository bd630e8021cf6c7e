// SPDX-License-Identifier: Apache-2.0
#include "tools/peerfab/stop_signal.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): signals of POSIX
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/support/catch.h"

namespace peerfab::cli {
namespace {

// The wait status of a child that runs `function` and then exits with 7.
template <typename Function>
int child(Function function) {
  const pid_t process = ::fork();
  if (process == 0) {
    function();
    ::_exit(7);
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("a signal sets the flag and nothing else") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = child([signal] {
      catch_stop_signals();
      if (stop_requested()) ::_exit(1);
      ::raise(signal);
      if (!stop_requested()) ::_exit(2);
      // The same one again at once: from `timeout` or a process group.
      ::raise(signal);
    });
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
  }
}

TEST_CASE("a second Ctrl-C ends the process that a person sees, not its workers") {
  const auto twice = [] {
    ::raise(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    ::raise(SIGINT);
  };
  const int killed = child([&twice] {
    catch_stop_signals();
    twice();
  });
  CHECK(WIFSIGNALED(killed));
  CHECK(WTERMSIG(killed) == SIGINT);
  const int worker = child([&twice] {
    catch_stop_signals();
    const int status = child(twice);
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  });
  CHECK(WIFEXITED(worker));
  CHECK(WEXITSTATUS(worker) == 7);
}

TEST_CASE("a signal that is ignored stays ignored") {
  const int status = child([] {
    ::signal(SIGHUP, SIG_IGN);
    catch_stop_signals();
    ::raise(SIGHUP);
    if (stop_requested()) ::_exit(1);
  });
  CHECK(WEXITSTATUS(status) == 7);
}

}  // namespace peerfab::cli
