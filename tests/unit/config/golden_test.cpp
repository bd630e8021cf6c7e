// SPDX-License-Identifier: Apache-2.0
// Every tests/golden/config/*_bad.yaml against the text of its *_bad.err.
#include "tests/support/golden.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "sim/config/parameters.h"
#include "sim/config/preset.h"
#include "tests/support/catch.h"
#include "tests/unit/config/support.h"

using namespace peerfab;
using namespace peerfab::config;

namespace {

namespace fs = std::filesystem;

const fs::path kGolden = fs::path(PEERFAB_SOURCE_DIR) / "tests/golden/config";

ParameterTable sample_table() {
  return ParameterTable(
      {{"hairpin", Quantity::kFlag, "false", "Turns back on its port", "", "", {}},
       {"ports", Quantity::kInteger, "4", "Number of ports", "1", "32", {}},
       {"latency", Quantity::kTime, "105ns", "Through the part", "1ns", "1us", {}},
       {"bar1", Quantity::kSize, "256MiB", "Aperture", "1MiB", "", {}},
       {"hbm_bandwidth", Quantity::kBandwidth, "4.8TB/s", "Memory", "", "", {}},
       {"p2p", Quantity::kChoice, "full", "Policy", "", "", {"full", "posted-only", "none-ur"}},
       {"link", Quantity::kLink, "gen5 x16", "Link", "", "", {}}});
}

// Files that start with a name decide what reads them.
std::string diagnose(const fs::path& file) {
  const std::string name = file.filename().string();
  SourceTexts texts;
  Diagnostics diagnostics;
  // The text names the file by its name alone: the tree may lie anywhere.
  const std::string text = peerfab::test::read_file(file).value_or("");
  texts.add(name, text);
  if (name.starts_with("preset_")) {
    PresetLibrary library;
    library.add_texts({{name, text}}, texts, diagnostics);
  } else if (const auto root = parse_yaml(text, name, diagnostics)) {
    (void)config::bind(sample_table(), nullptr, &*root, {"model"}, diagnostics);
  }
  return config::test::rendered(diagnostics, texts);
}

}  // namespace

TEST_CASE("every bad example gives the message that was approved", "[golden]") {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(kGolden)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() >= 10);
  for (const fs::path& file : files) {
    const std::string text = diagnose(file);
    fs::path golden = file;
    golden.replace_extension(".err");
    INFO(file.string());
    CHECK(text.find("error[") != std::string::npos);
    const std::string difference = peerfab::test::golden_difference(golden, text);
    INFO(difference);
    CHECK(difference.empty());
  }
}
