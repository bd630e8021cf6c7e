// SPDX-License-Identifier: Apache-2.0
// A model's parameters as one table, and the values that a preset and a topology give them. The
// check of the input, the editor's schema and the reference pages are all derived from the table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/base/diagnostics.h"
#include "sim/base/units.h"
#include "sim/config/preset.h"
#include "sim/config/quantity.h"
#include "sim/config/tree.h"

namespace peerfab::config {

enum class Quantity {
  kFlag,
  kInteger,
  kRatio,
  kTime,
  kSize,
  kBandwidth,
  kText,
  kChoice,
  kLink,
};

// "flag", "integer", "time", ...
[[nodiscard]] std::string_view quantity_name(Quantity quantity);

struct Parameter {
  std::string name;
  Quantity quantity = Quantity::kInteger;
  std::string default_value;  // as a person would write it
  std::string meaning;
  // Both ends belong to the range; empty: no limit. For all that can be compared.
  std::string minimum;
  std::string maximum;
  std::vector<std::string> choices;  // for kChoice only
  bool power_of_two = false;         // for kSize only; zero, where the range has it, is allowed
};

using ParameterValue =
    std::variant<bool, std::int64_t, double, Picoseconds, Bytes, Bandwidth, std::string, LinkSpeed>;

class ParameterTable {
 public:
  ParameterTable() = default;
  // A table with problems() is a bug of the model that declares it: prints them and aborts.
  explicit ParameterTable(std::vector<Parameter> parameters);

  [[nodiscard]] const std::vector<Parameter>& all() const { return parameters_; }
  [[nodiscard]] const Parameter* find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> names() const;

  // What is wrong with a table: two parameters of one name, a default that does not parse or lies
  // outside its range, a choice without choices, a parameter without meaning...
  [[nodiscard]] static std::vector<std::string> problems(const std::vector<Parameter>& parameters);

 private:
  std::vector<Parameter> parameters_;
};

// One value of `parameter` with type, range and choices checked.
std::optional<ParameterValue> parse_parameter(const Parameter& parameter, const Node& node,
                                              Diagnostics& diagnostics);
// As a person would write it; parses back to the same value.
[[nodiscard]] std::string format_value(const ParameterValue& value);

// A value for every parameter of a table. To ask for a parameter that the table does not have, or
// as another quantity, is a bug of the model: prints and aborts.
class ParameterValues {
 public:
  // The table's defaults.
  explicit ParameterValues(const ParameterTable& table);

  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] double ratio(std::string_view name) const;
  [[nodiscard]] Picoseconds time(std::string_view name) const;
  [[nodiscard]] Bytes size(std::string_view name) const;
  [[nodiscard]] Bandwidth bandwidth(std::string_view name) const;
  [[nodiscard]] const std::string& text(std::string_view name) const;  // text and choice
  [[nodiscard]] LinkSpeed link(std::string_view name) const;

  // In the order of the table.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::string formatted(std::string_view name) const;
  // Where the value was written; unknown for a default.
  [[nodiscard]] const SourceLocation& where(std::string_view name) const;
  // "default of the model", the source that a preset names, or the file of the topology.
  [[nodiscard]] const std::string& source(std::string_view name) const;

  void set(std::string_view name, ParameterValue value, SourceLocation where, std::string source);

 private:
  struct Slot {
    ParameterValue value;
    SourceLocation where;
    std::string source;
  };
  [[nodiscard]] const Slot& slot(std::string_view name) const;
  template <typename T>
  [[nodiscard]] const T& get(std::string_view name, std::string_view wanted) const;

  std::vector<std::string> names_;
  std::map<std::string, Slot, std::less<>> slots_;
};

// Defaults, then the preset's values, then the map's. Keys of the map that are neither parameters
// nor in keys_handled_elsewhere are errors, as are a preset's parameters that the table lacks.
// nullopt with all errors added when anything is wrong. Call it as config::bind(): std::bind is a
// candidate for an unqualified call.
std::optional<ParameterValues> bind(const ParameterTable& table, const Preset* preset,
                                    const Node* overrides,
                                    const std::vector<std::string>& keys_handled_elsewhere,
                                    Diagnostics& diagnostics);

}  // namespace peerfab::config
