// SPDX-License-Identifier: Apache-2.0
// The I/O edge of the configuration: files.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "sim/config/text_check.h"
#include "sim/config/tree.h"

namespace peerfab::config {
namespace {

namespace fs = std::filesystem;

// A name in the same directory that may have been meant.
std::string nearby_file(const fs::path& path) {
  constexpr std::size_t kMaxNames = 1000;
  std::vector<std::string> names;
  std::error_code error;
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  fs::directory_iterator it(directory, error);
  for (; !error && it != fs::directory_iterator() && names.size() < kMaxNames;
       it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());  // directories have no order of their own
  return did_you_mean(path.filename().string(), names);
}

}  // namespace

std::optional<Node> load_yaml(const fs::path& path, SourceTexts& texts, Diagnostics& diagnostics) {
  const std::string name = path.string();
  const SourceLocation whole{name.empty() ? "(no name)" : name, 0, 0, 1, ""};
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::directory) {
    diagnostics.error("unreadable-file", whole, "is a directory; a file is wanted");
    return std::nullopt;
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    const std::string reason = errno != 0 ? std::strerror(errno) : "it cannot be opened";
    const bool missing = status.type() == fs::file_type::not_found;
    diagnostics.error("unreadable-file", whole, "cannot be read: " + reason,
                      missing ? nearby_file(path) : "");
    return std::nullopt;
  }
  // One byte more than allowed tells that there is more; devices without end stop there, too.
  std::string text;
  char buffer[65536];
  while (text.size() <= kMaxTextBytes && in) {
    in.read(buffer, sizeof buffer);
    text.append(buffer, static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) {
    diagnostics.error("unreadable-file", whole, "reading it failed");
    return std::nullopt;
  }
  text.erase(0, byte_order_mark(text));
  texts.add(name, text);
  return parse_yaml(text, name, diagnostics);
}

}  // namespace peerfab::config
