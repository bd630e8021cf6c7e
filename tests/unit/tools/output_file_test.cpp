// SPDX-License-Identifier: Apache-2.0
#include "tools/peerfab/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/catch.h"

namespace peerfab::cli {
namespace {

namespace fs = std::filesystem;

// A folder of its own that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "output-file-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    fs::permissions(path_, fs::perms::owner_all);
    fs::remove_all(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string at(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string why_not(const std::string& path) {
  std::string error;
  CHECK(OutputFile::open(path, error) == nullptr);
  return error;
}

}  // namespace

TEST_CASE("a new file appears whole at commit and not before") {
  const Folder folder;
  std::string error;
  auto file = OutputFile::open(folder.at("r.json"), error);
  REQUIRE(file);
  CHECK_FALSE(fs::exists(folder.at("r.json")));
  REQUIRE(file->commit("{}\n", error));
  file.reset();
  CHECK(content(folder.at("r.json")) == "{}\n");
  CHECK(folder.files() == 1);
}

TEST_CASE("an old file stays as it was until commit, and keeps its mode") {
  const Folder folder;
  write(folder.at("r.json"), "old");
  fs::permissions(folder.at("r.json"), fs::perms(0640));
  std::string error;
  {
    auto file = OutputFile::open(folder.at("r.json"), error);
    REQUIRE(file);
    CHECK(content(folder.at("r.json")) == "old");
  }
  CHECK(content(folder.at("r.json")) == "old");
  CHECK(folder.files() == 1);
  auto file = OutputFile::open(folder.at("r.json"), error);
  REQUIRE(file);
  REQUIRE(file->commit("new", error));
  CHECK(content(folder.at("r.json")) == "new");
  CHECK(fs::status(folder.at("r.json")).permissions() == fs::perms(0640));
}

TEST_CASE("through a symbolic link the file behind it is replaced") {
  const Folder folder;
  write(folder.at("real"), "old");
  fs::create_symlink(folder.at("real"), folder.at("link"));
  std::string error;
  auto file = OutputFile::open(folder.at("link"), error);
  REQUIRE(file);
  REQUIRE(file->commit("new", error));
  CHECK(fs::is_symlink(folder.at("link")));
  CHECK(content(folder.at("real")) == "new");
}

TEST_CASE("what cannot be written is noticed at once") {
  const Folder folder;
  CHECK(why_not("") == "the name is empty");
  CHECK(why_not(folder.at("")) == "it is a directory");
  CHECK(why_not(folder.at("no/such/folder.json")) == "No such file or directory");
  write(folder.at("file"), "x");
  CHECK(why_not(folder.at("file/below.json")) == "Not a directory");
  CHECK(why_not(folder.at(std::string(300, 'x'))) == "File name too long");
  CHECK(folder.files() == 1);
}

TEST_CASE("a device is written in place, and a full one is a failure") {
  std::string error;
  auto null = OutputFile::open("/dev/null", error);
  REQUIRE(null);
  CHECK(null->commit("text", error));
  auto full = OutputFile::open("/dev/full", error);
  REQUIRE(full);
  CHECK_FALSE(full->commit("text", error));
  CHECK(error == "No space left on device");
}

TEST_CASE("permissions are respected") {
  if (::geteuid() == 0) return;  // root may write anywhere
  const Folder folder;
  write(folder.at("locked"), "x");
  fs::permissions(folder.at("locked"), fs::perms(0444));
  CHECK(why_not(folder.at("locked")) == "Permission denied");
  write(folder.at("open"), "a longer old text");
  fs::permissions(folder.at(""), fs::perms(0555));
  CHECK(why_not(folder.at("new")) == "Permission denied");
  std::string error;
  auto file = OutputFile::open(folder.at("open"), error);
  REQUIRE(file);
  REQUIRE(file->commit("new", error));
  CHECK(content(folder.at("open")) == "new");
}

}  // namespace peerfab::cli
