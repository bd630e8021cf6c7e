// SPDX-License-Identifier: Apache-2.0
#include "sim/config/preset_reader.h"

#include <utility>

#include "sim/config/keys.h"
#include "sim/config/quantity.h"

namespace peerfab::config {
namespace {

const char* const kParameterForm = "write {value: ..., source: \"document number or address\"}";

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

}  // namespace

std::optional<PresetDraft> PresetReader::read(const Node& root) {
  if (!check_map(root, "a preset", diagnostics_)) return std::nullopt;
  bool good = check_version(root, diagnostics_);
  std::vector<std::string> required = {"preset", "meaning"};
  if (root.find("extends") == nullptr) {
    required.insert(required.end(), {"model", "parameters"});
  }
  good = check_keys(root, "a preset", root.where(),
                    {"peerfab", "preset", "model", "extends", "meaning", "parameters"}, required,
                    diagnostics_) &&
         good;
  PresetDraft draft;
  Preset& preset = draft.preset;
  good = read_text(root, "preset", preset.name_) && good;
  good = read_text(root, "model", preset.model_) && good;
  good = read_text(root, "meaning", preset.meaning_) && good;
  good = read_text(root, "extends", draft.extends) && good;
  good = read_parameters(root, preset) && good;
  if (!good) return std::nullopt;
  preset.where_ = root.find("preset")->where();
  if (const Node* model = root.find("model")) draft.model_where = model->where();
  if (const Node* extends = root.find("extends")) draft.extends_where = extends->where();
  return draft;
}

bool PresetReader::read_text(const Node& root, const char* key, std::string& out) {
  const Node* node = root.find(key);
  if (node == nullptr) return true;  // whether it may be absent is decided elsewhere
  std::optional<std::string> text = parse_text(*node, diagnostics_);
  if (!text) return false;
  out = std::move(*text);
  return true;
}

bool PresetReader::read_parameters(const Node& root, Preset& preset) {
  const Node* parameters = root.find("parameters");
  if (parameters == nullptr) return true;
  if (!check_map(*parameters, "'parameters'", diagnostics_)) return false;
  bool good = true;
  for (const Node::Entry& entry : parameters->entries()) {
    good = read_parameter(entry, preset) && good;
  }
  return good;
}

bool PresetReader::read_parameter(const Node::Entry& entry, Preset& preset) {
  if (!entry.value.is_map()) {
    diagnostics_.error("preset-source", entry.value.where(), "'" + entry.key + "' has no source",
                       kParameterForm);
    return false;
  }
  bool good = check_keys(entry.value, "'" + entry.key + "'", entry.key_where,
                         {"value", "source", "note"}, {"value"}, diagnostics_);
  PresetParameter parameter;
  parameter.name = entry.key;
  parameter.name_where = entry.key_where;
  if (const Node* value = entry.value.find("value")) parameter.value = *value;
  const Node* source = entry.value.find("source");
  if (source == nullptr || !source->is_scalar() || is_blank(source->text())) {
    diagnostics_.error("preset-source", source == nullptr ? entry.key_where : source->where(),
                       "'" + entry.key + "' has no source", kParameterForm);
    good = false;
  } else {
    parameter.source = source->text();
  }
  good = read_text(entry.value, "note", parameter.note) && good;
  if (good) preset.parameters_.push_back(std::move(parameter));
  return good;
}

}  // namespace peerfab::config
