// SPDX-License-Identifier: Apache-2.0
// Contract in output_file.h.
#include "tools/peerfab/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tools/peerfab/standard_output.h"

namespace peerfab::cli {
namespace {

constexpr mode_t kNewFileMode = 0666;  // less the umask

std::string last_error() { return std::strerror(errno); }

}  // namespace

std::unique_ptr<OutputFile> OutputFile::open(const std::string& path, std::string& error) {
  if (path.empty()) {
    error = "the name is empty";
    return nullptr;
  }
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) {
    error = last_error();
    return nullptr;
  }
  if (exists && S_ISDIR(status.st_mode)) {
    error = "it is a directory";
    return nullptr;
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) {
    error = last_error();
    return nullptr;
  }
  if (exists && !S_ISREG(status.st_mode)) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor >= 0) return std::unique_ptr<OutputFile>(new OutputFile(descriptor, "", path));
    error = last_error();
    return nullptr;
  }

  // Through a symbolic link the file it points to is replaced, not the link.
  std::error_code failed;
  std::string target = std::filesystem::weakly_canonical(path, failed).string();
  if (failed) target = path;
  std::string temporary = target + ".partial-" + std::to_string(::getpid());
  const int descriptor =
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFileMode);
  if (descriptor >= 0) {
    if (exists) static_cast<void>(::fchmod(descriptor, status.st_mode & 07777));
    return std::unique_ptr<OutputFile>(
        new OutputFile(descriptor, std::move(temporary), std::move(target)));
  }
  error = last_error();
  if (!exists) return nullptr;
  // A writable file in a folder that takes no new ones. Not emptied before there is a result.
  const int in_place = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
  if (in_place < 0) return nullptr;
  return std::unique_ptr<OutputFile>(new OutputFile(in_place, "", std::move(target)));
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool OutputFile::commit(std::string_view text, std::string& error) {
  if (temporary_.empty()) {
    struct stat status = {};
    const bool regular = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
    if (regular && ::ftruncate(descriptor_, 0) != 0) {
      error = last_error();
      return false;
    }
  }
  switch (write_descriptor(descriptor_, text, error)) {
    case WriteOutcome::kFailed:
      return false;
    case WriteOutcome::kReaderGone:
      return true;
    case WriteOutcome::kWritten:
      break;
  }
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    error = last_error();
    return false;
  }
  if (temporary_.empty()) return true;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) {
    error = last_error();
    return false;
  }
  temporary_.clear();
  return true;
}

}  // namespace peerfab::cli
