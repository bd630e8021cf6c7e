// SPDX-License-Identifier: Apache-2.0
// Golden files: text that a test produced against the text that a person approved.
// PEERFAB_UPDATE_GOLDEN=1 in the environment rewrites the files instead; look at the diff.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace peerfab::test {

// The whole file, nullopt when it cannot be read.
inline std::optional<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

// Empty when `actual` is what `file` holds, else what differs:
//   const std::string difference = golden_difference(PEERFAB_SOURCE_DIR "/tests/golden/x", text);
//   INFO(difference);
//   CHECK(difference.empty());
inline std::string golden_difference(const std::filesystem::path& file, const std::string& actual) {
  const char* update = std::getenv("PEERFAB_UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << actual;
    out.flush();
    return out ? "" : "cannot write " + file.string();
  }
  const std::optional<std::string> expected = read_file(file);
  if (!expected) return file.string() + " is missing; the text was:\n" + actual;
  if (*expected == actual) return "";
  return file.string() + " holds:\n" + *expected + "\nbut the text is:\n" + actual;
}

}  // namespace peerfab::test
