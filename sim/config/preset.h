// SPDX-License-Identifier: Apache-2.0
// Presets: the numbers of one real part, each with the source it was taken from.
//
//   peerfab: 1
//   preset: pex89104
//   model: switch
//   extends: other-preset        # optional: the other's parameters where this one is silent
//   meaning: one line
//   parameters:
//     latency: {value: 115ns, source: "document number or address", note: optional reason}
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/diagnostics.h"
#include "sim/config/tree.h"

namespace peerfab::config {

struct PresetParameter {
  std::string name;
  SourceLocation name_where;
  Node value;
  std::string source;  // never empty
  std::string note;
};

class Preset {
 public:
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& model() const { return model_; }
  [[nodiscard]] const std::string& meaning() const { return meaning_; }
  [[nodiscard]] const SourceLocation& where() const { return where_; }
  // Those of the preset it extends included, each name once.
  [[nodiscard]] const std::vector<PresetParameter>& parameters() const { return parameters_; }
  [[nodiscard]] const PresetParameter* find(std::string_view name) const;

 private:
  friend class PresetReader;
  friend class PresetMerger;

  std::string name_;
  std::string model_;
  std::string meaning_;
  SourceLocation where_;
  std::vector<PresetParameter> parameters_;
};

class PresetLibrary {
 public:
  // The presets that were in topologies/presets when the program was built.
  static PresetLibrary builtin(SourceTexts& texts, Diagnostics& diagnostics);
  // Files by name, for builtin() and for tests. A file may extend any other of the set.
  struct File {
    std::string name;
    std::string text;
  };
  bool add_texts(const std::vector<File>& files, SourceTexts& texts, Diagnostics& diagnostics);
  // One more preset; it may extend those already here. A name that is taken is an error.
  bool add_file(const std::filesystem::path& path, SourceTexts& texts, Diagnostics& diagnostics);

  [[nodiscard]] const Preset* find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;                                 // sorted
  [[nodiscard]] std::vector<std::string> names_of_model(std::string_view model) const;  // sorted

 private:
  std::map<std::string, Preset, std::less<>> presets_;
};

}  // namespace peerfab::config
