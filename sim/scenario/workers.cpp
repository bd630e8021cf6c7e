// SPDX-License-Identifier: Apache-2.0
// Contract in workers.h.
#include "sim/scenario/workers.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is POSIX
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <thread>

#include "sim/scenario/result_json.h"
#include "sim/scenario/worker_channel.h"

// Present in coverage builds only: _exit() would lose what the worker counted.
extern "C" void __gcov_dump() __attribute__((weak));  // NOLINT(bugprone-reserved-identifier)

namespace peerfab::scenario {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPollMilliseconds = 100;
constexpr auto kProgressInterval = std::chrono::milliseconds(100);

struct Worker {
  pid_t process = -1;
  int descriptor = -1;  // the pipe's reading end; -1: closed
  std::size_t variant = 0;
  WorkerReceiver receiver;
  Clock::time_point started;
};

VariantResult failed(const Variant& variant, std::string message) {
  VariantResult result;
  result.name = variant.name;
  result.error = std::move(message);
  return result;
}

VariantResult run_guarded(const Variant& variant, const VariantRunner& runner, RunHooks& hooks) {
  try {
    return runner(variant, hooks);
  } catch (const std::exception& error) {
    return failed(variant, error.what());
  }
}

// The worker's whole life. It must not return into the parent's code, nor run the parent's exit
// handlers.
[[noreturn]] void work(int descriptor, const Variant& variant, const VariantRunner& runner,
                       const WorkerOptions& options, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  // Standard output belongs to the parent's result: whatever a model prints goes to the errors.
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  WorkerSender sender(descriptor);
  RunHooks hooks;
  hooks.stop = options.stop;
  Clock::time_point last;
  hooks.progress = [&sender, &last](const Progress& progress) {
    const Clock::time_point now = Clock::now();
    if (now - last < kProgressInterval) return;
    last = now;
    sender.send_progress(progress);
  };
  VariantResult result = run_guarded(variant, runner, hooks);
  result.name = variant.name;
  const bool sent = sender.send_result(variant_to_json(result));
  std::fflush(nullptr);
  if (__gcov_dump != nullptr) __gcov_dump();
  ::_exit(sent ? 0 : 1);
}

std::string system_error(const std::string& what) { return what + ": " + std::strerror(errno); }

class Pool {
 public:
  Pool(const std::vector<Variant>& variants, const VariantRunner& runner,
       const WorkerOptions& options)
      : variants_(variants), runner_(runner), options_(options), results_(variants.size()) {
    progress_.resize(variants.size());
  }

  std::vector<VariantResult> run() {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t jobs = options_.jobs == 0 ? cores : options_.jobs;
    std::size_t next = 0;
    while (next < variants_.size() || !workers_.empty()) {
      while (next < variants_.size() && workers_.size() < jobs && !stopping()) start(next++);
      if (stopping()) {
        // Those that have not begun have nothing to say.
        for (; next < variants_.size(); ++next) {
          results_[next] = VariantResult();
          results_[next].name = variants_[next].name;
          results_[next].partial = true;
        }
        tell_workers();
      }
      if (!workers_.empty()) listen();
    }
    return std::move(results_);
  }

 private:
  [[nodiscard]] bool stopping() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }

  void start(std::size_t index) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      results_[index] = failed(variants_[index], system_error("no pipe to a worker process"));
      return;
    }
    // What is still buffered would be written by both processes.
    std::fflush(nullptr);
    const pid_t parent = ::getpid();
    const pid_t process = ::fork();
    if (process < 0) {
      results_[index] = failed(variants_[index], system_error("no worker process"));
      ::close(ends[0]);
      ::close(ends[1]);
      return;
    }
    if (process == 0) {
      ::close(ends[0]);
      work(ends[1], variants_[index], runner_, options_, parent);
    }
    ::close(ends[1]);
    Worker worker;
    worker.process = process;
    worker.descriptor = ends[0];
    worker.variant = index;
    worker.started = Clock::now();
    workers_.push_back(std::move(worker));
  }

  // Once: ask to stop. After the grace time: kill.
  void tell_workers() {
    const Clock::time_point now = Clock::now();
    if (!told_) {
      told_ = now;
      for (const Worker& worker : workers_) ::kill(worker.process, SIGTERM);
    } else if (!killed_ && now - *told_ >= std::chrono::milliseconds(options_.grace_milliseconds)) {
      killed_ = true;
      for (const Worker& worker : workers_) ::kill(worker.process, SIGKILL);
    }
  }

  void listen() {
    std::vector<pollfd> polls;
    polls.reserve(workers_.size());
    for (const Worker& worker : workers_) polls.push_back({worker.descriptor, POLLIN, 0});
    const int ready = ::poll(polls.data(), polls.size(), kPollMilliseconds);
    if (ready <= 0) return;  // nothing yet, or a signal: the caller looks at the stop flag
    bool moved = false;
    for (std::size_t i = 0; i < polls.size(); ++i) {
      if (polls[i].revents == 0) continue;
      moved = true;
      if (!read_from(workers_[i])) finish(workers_[i]);
    }
    workers_.erase(std::remove_if(workers_.begin(), workers_.end(),
                                  [](const Worker& worker) { return worker.descriptor < 0; }),
                   workers_.end());
    if (moved && options_.progress) report_progress();
  }

  // False at the end of the stream.
  bool read_from(Worker& worker) {
    std::array<char, 65536> bytes{};
    const ssize_t count = ::read(worker.descriptor, bytes.data(), bytes.size());
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    if (count == 0) return false;
    worker.receiver.feed({bytes.data(), static_cast<std::size_t>(count)});
    progress_[worker.variant] = worker.receiver.progress();
    return true;
  }

  void finish(Worker& worker) {
    ::close(worker.descriptor);
    worker.descriptor = -1;
    int status = 0;
    rusage usage{};
    while (::wait4(worker.process, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    const Variant& variant = variants_[worker.variant];
    std::optional<VariantResult> result;
    if (worker.receiver.result()) result = variant_from_json(*worker.receiver.result());
    if (WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      result = failed(variant, killed_ && signal == SIGKILL
                                   ? "it did not stop when asked to, and was killed"
                                   : "its process died of signal " + std::to_string(signal) + " (" +
                                         ::strsignal(signal) + ")");
      result->partial = killed_;
    } else if (!result || WEXITSTATUS(status) != 0) {
      result = failed(variant, "its process ended without a result, exit code " +
                                   std::to_string(WEXITSTATUS(status)));
    }
    result->host.peak_memory = Bytes(static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
    result->host.wall_microseconds = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - worker.started)
            .count());
    progress_[worker.variant].done = progress_[worker.variant].total;
    results_[worker.variant] = std::move(*result);
  }

  void report_progress() const {
    Progress all;
    for (const Progress& one : progress_) {
      all.done += one.done;
      all.total += one.total;
      all.time = std::max(all.time, one.time);
    }
    options_.progress(all);
  }

  const std::vector<Variant>& variants_;
  const VariantRunner& runner_;
  const WorkerOptions& options_;
  std::vector<VariantResult> results_;
  std::vector<Worker> workers_;
  std::vector<Progress> progress_;  // per variant
  std::optional<Clock::time_point> told_;
  bool killed_ = false;
};

}  // namespace

std::vector<VariantResult> run_in_workers(const std::vector<Variant>& variants,
                                          const VariantRunner& runner,
                                          const WorkerOptions& options) {
  return Pool(variants, runner, options).run();
}

}  // namespace peerfab::scenario
