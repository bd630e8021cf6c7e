// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for everything that reads text from a file: YAML, presets, parameters, and the
// printing of what was found. Not part of the build; with clang:
//
//   clang++ -std=gnu++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. tests/fuzz/yaml_fuzz.cpp
//       sim/base/*.cpp sim/config/*.cpp build/dev/sim/config/embedded_presets.cpp -lyaml-cpp
//       -o yaml_fuzz
//   ./yaml_fuzz -dict=tests/fuzz/yaml.dict -timeout=10 -rss_limit_mb=4096 CORPUS topologies/presets
//
// It holds when nothing crashes or hangs, a refusal comes with an error, and every place lies
// inside the text.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include "sim/base/utf8.h"
#include "sim/config/parameters.h"
#include "sim/config/preset.h"
#include "sim/config/tree.h"

namespace {

using namespace peerfab;
using namespace peerfab::config;

void require(bool condition) {
  if (!condition) std::abort();
}

const ParameterTable& table() {
  static const ParameterTable instance(
      {{"flag", Quantity::kFlag, "false", "m", "", "", {}},
       {"integer", Quantity::kInteger, "4", "m", "1", "32", {}},
       {"time", Quantity::kTime, "105ns", "m", "1ns", "1us", {}},
       {"size", Quantity::kSize, "256MiB", "m", "1MiB", "", {}},
       {"bandwidth", Quantity::kBandwidth, "4.8TB/s", "m", "", "10TB/s", {}},
       {"text", Quantity::kText, "", "m", "", "", {}},
       {"choice", Quantity::kChoice, "full", "m", "", "", {"full", "posted-only"}},
       {"link", Quantity::kLink, "gen5 x16", "m", "", "", {}}});
  return instance;
}

void check_place(const SourceLocation& where, const SourceTexts& texts) {
  if (!where.known()) return;
  const auto line = texts.line(where.file, where.line);
  require(line.has_value());
  // Behind the last character is a place, too.
  require(where.column >= 1 && where.column <= count_code_points(*line) + 1);
}

void check_places(const Node& node, const SourceTexts& texts) {
  check_place(node.where(), texts);
  for (const Node& item : node.items()) check_places(item, texts);
  for (const Node::Entry& entry : node.entries()) {
    check_place(entry.key_where, texts);
    check_places(entry.value, texts);
    require(node.find(entry.key) == &entry.value);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  SourceTexts texts;
  texts.add("f", text);
  Diagnostics diagnostics;
  const auto root = parse_yaml(text, "f", diagnostics);
  require(root.has_value() != diagnostics.has_errors());
  if (root) {
    check_places(*root, texts);
    (void)config::bind(table(), nullptr, &*root, {"model"}, diagnostics);
    PresetLibrary library;
    library.add_texts({{"f", text}}, texts, diagnostics);
  }
  for (const Diagnostic& diagnostic : diagnostics.all()) check_place(diagnostic.where, texts);
  std::ostringstream out;
  diagnostics.render(out, texts);
  for (const char c : out.str()) require(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  return 0;
}
