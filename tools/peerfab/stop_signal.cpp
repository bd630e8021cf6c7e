// SPDX-License-Identifier: Apache-2.0
// Contract in stop_signal.h.
#include "tools/peerfab/stop_signal.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction() is POSIX
#include <time.h>    // NOLINT(modernize-deprecated-headers): clock_gettime() is POSIX
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <initializer_list>

namespace peerfab::cli {
namespace {

constexpr std::int64_t kSecondCtrlCMilliseconds = 500;

std::atomic<bool> stop{false};
std::atomic<std::int64_t> first_stop_milliseconds{0};
std::atomic<pid_t> main_process{0};
static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

std::int64_t now_milliseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// Only what is safe in a signal handler.
void on_signal(int signal) {
  const int saved_errno = errno;
  const std::int64_t now = now_milliseconds();
  if (!stop.exchange(true)) {
    first_stop_milliseconds = now;
  } else if (signal == SIGINT && ::getpid() == main_process &&
             now - first_stop_milliseconds >= kSecondCtrlCMilliseconds) {
    // One Ctrl-C may come as several signals (`timeout`, a shell's process group); a person's
    // second one comes later.
    ::signal(SIGINT, SIG_DFL);
    ::raise(SIGINT);
  }
  errno = saved_errno;
}

}  // namespace

void catch_stop_signals() {
  main_process = ::getpid();
  struct sigaction action = {};
  action.sa_handler = on_signal;
  ::sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // Whoever started us in the background (nohup, `&` in a script) may have had it ignored.
    struct sigaction before = {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

const std::atomic<bool>& stop_requested() { return stop; }

}  // namespace peerfab::cli
