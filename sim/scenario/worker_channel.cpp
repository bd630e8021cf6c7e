// SPDX-License-Identifier: Apache-2.0
// Contract in worker_channel.h. Both ends are the same program, so numbers are sent as they lie in
// memory.
#include "sim/scenario/worker_channel.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace peerfab::scenario {
namespace {

constexpr char kProgress = 'P';
constexpr char kResult = 'R';
constexpr std::size_t kHeadSize = 1 + sizeof(std::uint64_t);

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

bool WorkerSender::send(char kind, std::string_view content) {
  const std::uint64_t length = content.size();
  std::string message(kHeadSize, kind);
  std::memcpy(message.data() + 1, &length, sizeof length);
  message += content;
  return write_all(descriptor_, message);
}

bool WorkerSender::send_progress(const Progress& progress) {
  const std::array<std::uint64_t, 3> numbers = {progress.done.count(), progress.total.count(),
                                                progress.time.count()};
  std::array<char, sizeof numbers> bytes{};
  std::memcpy(bytes.data(), numbers.data(), sizeof numbers);
  return send(kProgress, {bytes.data(), bytes.size()});
}

bool WorkerSender::send_result(std::string_view json) { return send(kResult, json); }

void WorkerReceiver::feed(std::string_view bytes) {
  buffer_ += bytes;
  while (take_message()) {
  }
}

bool WorkerReceiver::take_message() {
  if (buffer_.size() < kHeadSize) return false;
  std::uint64_t length = 0;
  std::memcpy(&length, buffer_.data() + 1, sizeof length);
  if (buffer_.size() - kHeadSize < length) return false;
  const std::string_view content = std::string_view(buffer_).substr(kHeadSize, length);
  if (buffer_[0] == kResult) {
    result_ = std::string(content);
  } else if (content.size() == 3 * sizeof(std::uint64_t)) {
    std::array<std::uint64_t, 3> numbers{};
    std::memcpy(numbers.data(), content.data(), sizeof numbers);
    progress_ = {Bytes(numbers[0]), Bytes(numbers[1]), Picoseconds(numbers[2])};
  }
  buffer_.erase(0, kHeadSize + length);
  return true;
}

}  // namespace peerfab::scenario
