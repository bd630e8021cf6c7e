// SPDX-License-Identifier: Apache-2.0
// A file that is either whole or untouched, and whose being unwritable is noticed before the work
// that fills it begins.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace peerfab::cli {

class OutputFile {
 public:
  // nullptr and `error` when the file could not be written later. A regular file is written beside
  // its place and moved there; anything else (a pipe, /dev/null) is opened itself.
  static std::unique_ptr<OutputFile> open(const std::string& path, std::string& error);

  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  // Leaves no trace of what was not committed.
  ~OutputFile();

  // Writes everything and puts the file in its place. False and `error` when that fails; the old
  // file is then still there.
  bool commit(std::string_view text, std::string& error);

 private:
  OutputFile(int descriptor, std::string temporary, std::string target)
      : descriptor_(descriptor), temporary_(std::move(temporary)), target_(std::move(target)) {}

  int descriptor_;
  std::string temporary_;  // empty: written in place
  std::string target_;
};

}  // namespace peerfab::cli
