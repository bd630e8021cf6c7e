// SPDX-License-Identifier: Apache-2.0
#include "sim/config/preset.h"

#include <sstream>

#include "sim/config/embedded_presets.h"
#include "sim/config/parameters.h"
#include "tests/support/catch.h"
#include "tests/support/golden.h"
#include "tests/unit/config/support.h"

using namespace peerfab;
using namespace peerfab::config;
using namespace peerfab::config::test;

namespace {

const char* const kSwitch =
    "peerfab: 1\n"
    "preset: fast\n"
    "model: switch\n"
    "meaning: A fast switch\n"
    "parameters:\n"
    "  latency: {value: 115ns, source: \"https://example.com/a\", note: measured}\n"
    "  ports: {value: 8, source: \"DB-0815 data sheet\"}\n";

struct Library {
  PresetLibrary presets;
  SourceTexts texts;
  Diagnostics diagnostics;
  bool good = true;

  explicit Library(const std::vector<std::string>& files) {
    std::vector<PresetLibrary::File> named;
    for (std::size_t i = 0; i < files.size(); ++i) {
      named.push_back({"p" + std::to_string(i) + ".yaml", files[i]});
    }
    good = presets.add_texts(named, texts, diagnostics);
  }
  [[nodiscard]] std::string found() const {
    if (good == diagnostics.has_errors()) return "result and findings contradict each other";
    return findings(diagnostics);
  }
};

std::string with_parameters(const std::string& parameters) {
  return "peerfab: 1\npreset: p\nmodel: m\nmeaning: w\nparameters:\n" + parameters;
}

std::string extending(const std::string& name, const std::string& base, const std::string& more) {
  return "peerfab: 1\npreset: " + name + "\nextends: " + base + "\nmeaning: w\n" + more;
}

ParameterTable switch_table() {
  return ParameterTable({{"latency", Quantity::kTime, "1ns", "m", "", "", {}},
                         {"ports", Quantity::kInteger, "2", "m", "1", "16", {}}});
}

}  // namespace

TEST_CASE("a preset is read with its sources", "[preset]") {
  const Library library({kSwitch});
  REQUIRE(library.found().empty());
  const Preset* preset = library.presets.find("fast");
  REQUIRE(preset != nullptr);
  CHECK(preset->model() == "switch");
  CHECK(preset->meaning() == "A fast switch");
  CHECK(place(preset->where()) == "2:9+4");
  REQUIRE(preset->find("latency") != nullptr);
  CHECK(preset->find("latency")->value.text() == "115ns");
  CHECK(preset->find("latency")->source == "https://example.com/a");
  CHECK(preset->find("latency")->note == "measured");
  CHECK(preset->find("nothing") == nullptr);
  CHECK(library.presets.find("slow") == nullptr);
}

TEST_CASE("a preset's values stand above defaults and below the topology's", "[preset]") {
  const Library library({kSwitch});
  const Node overrides = parsed("{ports: 4}");
  Diagnostics diagnostics;
  const auto values =
      config::bind(switch_table(), library.presets.find("fast"), &overrides, {}, diagnostics);
  REQUIRE(values);
  CHECK(values->time("latency") == Picoseconds(115'000));
  CHECK(values->source("latency") == "https://example.com/a");
  CHECK(values->where("latency").file == "p0.yaml");
  CHECK(values->integer("ports") == 4);
  CHECK(values->source("ports") == "t.yaml");
}

TEST_CASE("a preset's values are checked where the preset says them", "[preset]") {
  const Library library(
      {with_parameters("  latency: {value: 115, source: s}\n"
                       "  portz: {value: 8, source: s}\n"
                       "  ports: {value: 17, source: s}\n")});
  REQUIRE(library.found().empty());
  Diagnostics diagnostics;
  CHECK_FALSE(config::bind(switch_table(), library.presets.find("p"), nullptr, {}, diagnostics));
  CHECK(findings(diagnostics) == "missing-unit@6:20+3 unknown-key@7:3+5 out-of-range@8:18+2");
  CHECK(diagnostics.all()[1].hint == "did you mean 'ports'?");
}

TEST_CASE("a parameter without a source is refused", "[preset]") {
  CHECK(Library({with_parameters("  a: {value: 1}\n")}).found() == "preset-source@6:3+1");
  CHECK(Library({with_parameters("  a: {value: 1, source: }\n")}).found() ==
        "preset-source@6:17+6");
  CHECK(Library({with_parameters("  a: {value: 1, source: \" \"}\n")}).found() ==
        "preset-source@6:25+3");
  CHECK(Library({with_parameters("  a: {value: 1, source: [x]}\n")}).found() ==
        "preset-source@6:25+1");
  CHECK(Library({with_parameters("  a: 115ns\n")}).found() == "preset-source@6:6+5");
}

TEST_CASE("the form of a preset is checked", "[preset]") {
  CHECK(Library({"[a]"}).found() == "wrong-type@1:1+1");
  CHECK(Library({"peerfab: 1\n"}).found() ==
        "missing-key@1:1+1 missing-key@1:1+1 missing-key@1:1+1 missing-key@1:1+1");
  CHECK(Library({"preset: p\nmodel: m\nmeaning: w\nparameters: {}\n"}).found() ==
        "missing-key@1:1+1");
  CHECK(Library({"peerfab: 2\npreset: p\nmodel: m\nmeaning: w\nparameters: {}\n"}).found() ==
        "unsupported-version@1:10+1");
  CHECK(Library({with_parameters("  a: {source: s}\n")}).found() == "missing-key@6:3+1");
  CHECK(Library({with_parameters("  a: {value: 1, source: s, nota: x}\n")}).found() ==
        "unknown-key@6:28+4");
  CHECK(Library({with_parameters("  a: {value: 1, source: s, note: []}\n")}).found() ==
        "wrong-type@6:34+1");
  CHECK(Library({with_parameters("  []\n")}).found() == "wrong-type@6:3+1");
  CHECK(Library({"a: ["}).found() == "yaml-syntax@1:4+1");
}

TEST_CASE("a name is given once", "[preset]") {
  const Library library({kSwitch, kSwitch});
  CHECK(library.found() == "duplicate-preset@2:9+4");
  CHECK(library.diagnostics.all()[0].hint == "in p0.yaml");
  CHECK(library.presets.find("fast") != nullptr);
}

TEST_CASE("a preset may stand on another, in any order of the files", "[preset]") {
  const Library library({extending("derived", "fast",
                                   "parameters:\n"
                                   "  ports: {value: 4, source: own}\n"
                                   "  lanes: {value: 64, source: own}\n"),
                         kSwitch, extending("third", "derived", "")});
  REQUIRE(library.found().empty());
  const Preset* derived = library.presets.find("derived");
  REQUIRE(derived != nullptr);
  CHECK(derived->model() == "switch");
  CHECK(derived->parameters().size() == 3);
  CHECK(derived->find("ports")->source == "own");
  CHECK(derived->find("latency")->source == "https://example.com/a");
  CHECK(library.presets.find("third")->find("lanes")->value.text() == "64");
  CHECK(library.presets.find("fast")->find("ports")->value.text() == "8");
  CHECK(library.presets.names() == std::vector<std::string>{"derived", "fast", "third"});
  CHECK(library.presets.names_of_model("switch").size() == 3);
  CHECK(library.presets.names_of_model("gpu").empty());
}

TEST_CASE("what a preset stands on must exist, fit and end", "[preset]") {
  CHECK(Library({extending("a", "fats", ""), kSwitch}).found() == "unknown-preset@3:10+4");
  CHECK(Library({extending("a", "a", "")}).found() == "preset-cycle@3:10+1");
  CHECK(Library({extending("a", "b", ""), extending("b", "a", "")}).found().substr(0, 13) ==
        "preset-cycle@");
  CHECK(Library({extending("a", "fast", "model: gpu\n"), kSwitch}).found() == "preset-model@5:8+3");
}

TEST_CASE("a chain of presets in reverse order is merged", "[preset]") {
  std::vector<std::string> files;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "a-rather-long-preset-name-" + std::to_string(100 + i);
    const std::string base = "a-rather-long-preset-name-" + std::to_string(101 + i);
    files.push_back(i == 39
                        ? "peerfab: 1\npreset: " + name + "\nmodel: m\nmeaning: w\nparameters: {}\n"
                        : extending(name, base, ""));
  }
  const Library library(files);
  CHECK(library.found().empty());
  CHECK(library.presets.names().size() == 40);
  CHECK(library.presets.find("a-rather-long-preset-name-100")->model() == "m");
}

TEST_CASE("a missing preset file is a finding", "[preset]") {
  PresetLibrary library;
  SourceTexts texts;
  Diagnostics diagnostics;
  CHECK_FALSE(library.add_file("/no-such-file.yaml", texts, diagnostics));
  CHECK(findings(diagnostics) == "unreadable-file@0:0+1");
}

TEST_CASE("the presets in the program are without fault", "[preset]") {
  SourceTexts texts;
  Diagnostics diagnostics;
  const PresetLibrary library = PresetLibrary::builtin(texts, diagnostics);
  INFO(rendered(diagnostics, texts));
  CHECK(diagnostics.all().empty());
  CHECK(library.names().size() == embedded_presets().size());
  for (const PresetLibrary::File& file : embedded_presets()) {
    INFO(file.name);
    CHECK(texts.find(file.name) != nullptr);
    const auto on_disk =
        peerfab::test::read_file(std::filesystem::path(PEERFAB_SOURCE_DIR) / file.name);
    CHECK((on_disk && *on_disk == file.text));
  }
}
