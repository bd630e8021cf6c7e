// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/config/tree.h"
#include "tests/support/catch.h"
#include "tests/unit/config/support.h"

using namespace peerfab;
using namespace peerfab::config::test;
using peerfab::config::load_yaml;

namespace {

namespace fs = std::filesystem;

// A directory of its own, gone at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (fs::temp_directory_path() / "peerfab-load-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { fs::remove_all(path_); }
  [[nodiscard]] fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string load_error(const fs::path& path) {
  SourceTexts texts;
  Diagnostics diagnostics;
  if (load_yaml(path, texts, diagnostics)) return "accepted";
  return rendered(diagnostics, texts);
}

}  // namespace

TEST_CASE("a file is read and its text kept under its name", "[load]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.write("a.yaml",
                                        "\xef\xbb\xbf"
                                        "a: 1\nb: 2\n");
  SourceTexts texts;
  Diagnostics diagnostics;
  const auto root = load_yaml(file, texts, diagnostics);
  REQUIRE(root);
  CHECK(root->find("b")->text() == "2");
  CHECK(root->find("a")->where().file == file.string());
  CHECK(place(root->find("a")->where()) == "1:4+1");  // the byte order mark is no character
  CHECK(texts.line(file.string(), 2) == "b: 2");
}

TEST_CASE("errors in a file show its lines", "[load]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.write("a.yaml", "a: 1\na: 2\n");
  CHECK(load_error(file) == file.string() +
                                ":2:1: error[duplicate-key]: the key 'a' is already given in line "
                                "1\n   2 | a: 2\n     | ^\n");
}

TEST_CASE("a missing file suggests its neighbour", "[load]") {
  const TemporaryDirectory directory;
  (void)directory.write("topology.yaml", "a: 1\n");
  const fs::path wanted = directory.path() / "topologie.yaml";
  CHECK(load_error(wanted) ==
        wanted.string() +
            ": error[unreadable-file]: cannot be read: No such file or directory\n"
            "     | did you mean 'topology.yaml'?\n");
  CHECK(load_error("/no-such-directory/x.yaml").find("No such file") != std::string::npos);
  CHECK(load_error("").find("unreadable-file") != std::string::npos);
}

TEST_CASE("a directory is no file", "[load]") {
  const TemporaryDirectory directory;
  CHECK(load_error(directory.path()).find("is a directory") != std::string::npos);
}

TEST_CASE("a file that may not be read is refused", "[load]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.write("a.yaml", "a: 1\n");
  fs::permissions(file, fs::perms::none);
  if (geteuid() != 0) {  // root reads everything
    CHECK(load_error(file).find("Permission denied") != std::string::npos);
  }
  fs::permissions(file, fs::perms::owner_all);
  CHECK(load_error(file) == "accepted");
}

TEST_CASE("devices without end and empty ones are refused", "[load]") {
  CHECK(load_error("/dev/zero").find("too-large") != std::string::npos);
  CHECK(load_error("/dev/null").find("empty-file") != std::string::npos);
}

TEST_CASE("a binary file is refused with the place of its first byte that is no text", "[load]") {
  const TemporaryDirectory directory;
  const fs::path file = directory.write("a.yaml", std::string("\x7f"
                                                              "ELF\x02\x01\x01\0\0",
                                                              9));
  CHECK(load_error(file).find("a.yaml:1:1: error[not-text]") != std::string::npos);
}
