// SPDX-License-Identifier: Apache-2.0
// JSON Schema (draft-07, which editors' YAML language servers understand) from parameter tables.
// The schema helps while typing; the checks of the program decide.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/config/parameters.h"

namespace peerfab::config {

// {"type": "string", "pattern": ...}: one value of a quantity; a bare number does not match where
// a unit is needed. kChoice has no schema of its own without its choices.
[[nodiscard]] nlohmann::json quantity_schema(Quantity quantity);

// One property a parameter: {"latency": {"description": ..., "default": ..., ...}, ...}.
[[nodiscard]] nlohmann::json json_schema(const ParameterTable& table);

// Maps whose further keys depend on one key (a device's `model`) or, where that is left out, on
// the preset that is named.
struct SchemaVariant {
  std::string kind;                  // value of the deciding key
  std::string summary;               // becomes the description
  const ParameterTable* parameters;  // never null
  std::vector<std::string> presets;  // values of `preset` that imply this kind
};
// An object with `common` properties and the parameters of the variant that `kind_key` (or
// `preset`) selects; no other keys.
[[nodiscard]] nlohmann::json variants_schema(const std::string& kind_key,
                                             const std::vector<SchemaVariant>& variants,
                                             const nlohmann::json& common,
                                             const std::vector<std::string>& required);

// The whole document: an object with these properties and no others.
[[nodiscard]] nlohmann::json document_schema(const std::string& title,
                                             const std::string& description,
                                             const nlohmann::json& properties,
                                             const std::vector<std::string>& required);

}  // namespace peerfab::config
