// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "sim/config/embedded_presets.h"
#include "sim/config/preset.h"
#include "sim/config/preset_reader.h"

namespace peerfab::config {

// Adds drafts to a library, each after what it extends.
class PresetMerger {
 public:
  PresetMerger(std::map<std::string, Preset, std::less<>>& presets, Diagnostics& diagnostics)
      : presets_(presets), diagnostics_(diagnostics) {}

  bool add(std::vector<PresetDraft> drafts) {
    bool good = true;
    for (PresetDraft& draft : drafts) {
      const SourceLocation where = draft.preset.where();
      const std::string name = draft.preset.name();
      const auto known = presets_.find(name);
      const auto waiting = waiting_.find(name);
      if (known == presets_.end() && waiting == waiting_.end()) {
        waiting_.emplace(name, std::move(draft));
        continue;
      }
      const Preset& first = known != presets_.end() ? known->second : waiting->second.preset;
      diagnostics_.error("duplicate-preset", where, "there is already a preset '" + name + "'",
                         "in " + first.where().file);
      good = false;
    }
    while (!waiting_.empty()) {
      std::vector<std::string> chain;
      good = merge(waiting_.begin()->first, chain) && good;
    }
    return good;
  }

 private:
  // Merges the draft `wanted` and, before it, the drafts it stands on. It no longer waits then.
  bool merge(const std::string& wanted, std::vector<std::string>& chain) {
    auto taken = waiting_.extract(wanted);
    const std::string& name = taken.key();
    PresetDraft& draft = taken.mapped();
    chain.push_back(name);
    bool good = true;
    if (!draft.extends.empty()) {
      if (std::find(chain.begin(), chain.end(), draft.extends) != chain.end()) {
        diagnostics_.error("preset-cycle", draft.extends_where,
                           "the preset '" + name + "' extends itself" +
                               (draft.extends == name ? "" : " through '" + draft.extends + "'"));
        return false;
      }
      if (waiting_.contains(draft.extends)) good = merge(draft.extends, chain);
      good = inherit(draft) && good;
    }
    if (good) presets_.emplace(name, std::move(draft.preset));
    return good;
  }

  bool inherit(PresetDraft& draft) {
    Preset& preset = draft.preset;
    const auto base = presets_.find(draft.extends);
    if (base == presets_.end()) {
      std::vector<std::string> names;
      for (const auto& [name, unused] : presets_) names.push_back(name);
      diagnostics_.error("unknown-preset", draft.extends_where,
                         "there is no valid preset '" + draft.extends + "'",
                         did_you_mean(draft.extends, names));
      return false;
    }
    if (preset.model_.empty()) preset.model_ = base->second.model();
    if (preset.model_ != base->second.model()) {
      diagnostics_.error("preset-model", draft.model_where,
                         "the preset '" + draft.extends + "' that it extends is for the model '" +
                             base->second.model() + "'");
      return false;
    }
    std::vector<PresetParameter> merged = base->second.parameters();
    for (PresetParameter& own : preset.parameters_) {
      const auto inherited =
          std::find_if(merged.begin(), merged.end(),
                       [&](const PresetParameter& other) { return other.name == own.name; });
      if (inherited == merged.end()) {
        merged.push_back(std::move(own));
      } else {
        *inherited = std::move(own);
      }
    }
    preset.parameters_ = std::move(merged);
    return true;
  }

  std::map<std::string, Preset, std::less<>>& presets_;
  Diagnostics& diagnostics_;
  std::map<std::string, PresetDraft, std::less<>> waiting_;
};

const PresetParameter* Preset::find(std::string_view name) const {
  const auto it =
      std::find_if(parameters_.begin(), parameters_.end(),
                   [&](const PresetParameter& parameter) { return parameter.name == name; });
  return it == parameters_.end() ? nullptr : &*it;
}

PresetLibrary PresetLibrary::builtin(SourceTexts& texts, Diagnostics& diagnostics) {
  PresetLibrary library;
  library.add_texts(embedded_presets(), texts, diagnostics);
  return library;
}

bool PresetLibrary::add_texts(const std::vector<File>& files, SourceTexts& texts,
                              Diagnostics& diagnostics) {
  bool good = true;
  std::vector<PresetDraft> drafts;
  for (const File& file : files) {
    texts.add(file.name, file.text);
    const std::optional<Node> root = parse_yaml(file.text, file.name, diagnostics);
    std::optional<PresetDraft> draft = root ? PresetReader(diagnostics).read(*root) : std::nullopt;
    if (draft) drafts.push_back(std::move(*draft));
    good = good && draft;
  }
  return PresetMerger(presets_, diagnostics).add(std::move(drafts)) && good;
}

bool PresetLibrary::add_file(const std::filesystem::path& path, SourceTexts& texts,
                             Diagnostics& diagnostics) {
  const std::optional<Node> root = load_yaml(path, texts, diagnostics);
  if (!root) return false;
  std::optional<PresetDraft> draft = PresetReader(diagnostics).read(*root);
  if (!draft) return false;
  std::vector<PresetDraft> drafts;
  drafts.push_back(std::move(*draft));
  return PresetMerger(presets_, diagnostics).add(std::move(drafts));
}

const Preset* PresetLibrary::find(std::string_view name) const {
  const auto it = presets_.find(name);
  return it == presets_.end() ? nullptr : &it->second;
}

std::vector<std::string> PresetLibrary::names() const {
  std::vector<std::string> result;
  for (const auto& [name, unused] : presets_) result.push_back(name);
  return result;
}

std::vector<std::string> PresetLibrary::names_of_model(std::string_view model) const {
  std::vector<std::string> result;
  for (const auto& [name, preset] : presets_) {
    if (preset.model() == model) result.push_back(name);
  }
  return result;
}

}  // namespace peerfab::config
