// SPDX-License-Identifier: Apache-2.0
// One preset file, checked by itself: form, keys and sources, not yet against its model and not
// yet merged with the preset that it extends.
#pragma once

#include <optional>
#include <string>

#include "sim/config/preset.h"

namespace peerfab::config {

struct PresetDraft {
  Preset preset;
  SourceLocation model_where;
  std::string extends;  // empty: nothing
  SourceLocation extends_where;
};

class PresetReader {
 public:
  explicit PresetReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}
  // nullopt with all errors added when anything is wrong.
  [[nodiscard]] std::optional<PresetDraft> read(const Node& root);

 private:
  bool read_text(const Node& root, const char* key, std::string& out);
  bool read_parameters(const Node& root, Preset& preset);
  bool read_parameter(const Node::Entry& entry, Preset& preset);

  Diagnostics& diagnostics_;
};

}  // namespace peerfab::config
