// SPDX-License-Identifier: Apache-2.0
// Contract in progress_bar.h.
#include "tools/peerfab/progress_bar.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "sim/config/quantity.h"
#include "tools/peerfab/standard_output.h"

namespace peerfab::cli {
namespace {

constexpr std::size_t kBarCells = 20;
constexpr std::size_t kDefaultWidth = 80;

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kDefaultWidth;
  return size.ws_col;
}

}  // namespace

std::string progress_line(const scenario::Progress& progress, std::chrono::milliseconds elapsed,
                          std::size_t width) {
  const std::uint64_t total = progress.total.count();
  const std::uint64_t done = std::min(progress.done.count(), total);
  const auto part = [done, total](std::uint64_t whole) {
    return total == 0
               ? std::uint64_t{0}
               : static_cast<std::uint64_t>(static_cast<unsigned __int128>(done) * whole / total);
  };
  std::string line =
      fmt::format("[{:-<{}}] {:3}%", std::string(part(kBarCells), '#'), kBarCells, part(100));
  line += fmt::format("  {} of {}, {} simulated", config::format_size_rounded(Bytes(done)),
                      config::format_size_rounded(progress.total),
                      config::format_time_rounded(progress.time));
  if (done > 0 && done < total && elapsed >= std::chrono::seconds(1)) {
    const auto spent = static_cast<unsigned __int128>(elapsed.count());
    const auto left = static_cast<std::uint64_t>(spent * (total - done) / done / 1000);
    line += left < 120 ? fmt::format(", {}s left", left) : fmt::format(", {}min left", left / 60);
  }
  return line.substr(0, width);
}

ProgressBar::ProgressBar(bool enabled)
    : enabled_(enabled), start_(std::chrono::steady_clock::now()) {}

void ProgressBar::show(const scenario::Progress& progress) {
  if (!enabled_) return;
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start_);
  // One column stays free: some terminals break the line when the last one is written.
  std::string line = progress_line(progress, elapsed, terminal_width() - 1);
  if (line == last_) return;
  print_error("\r" + line + "\x1b[K");
  last_ = std::move(line);
  shown_ = true;
}

void ProgressBar::clear() {
  if (!shown_) return;
  print_error("\r\x1b[K");
  shown_ = false;
  last_.clear();
}

}  // namespace peerfab::cli
