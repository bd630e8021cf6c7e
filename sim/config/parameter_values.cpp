// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "sim/config/parameters.h"

namespace peerfab::config {
namespace {

const char* const kDefaultSource = "default of the model";

[[noreturn]] void bug(std::string_view name, std::string_view what) {
  std::fprintf(stderr, "bug: parameter '%.*s' %.*s\n", static_cast<int>(name.size()), name.data(),
               static_cast<int>(what.size()), what.data());
  std::abort();
}

struct Formatter {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return format_ratio(value); }
  std::string operator()(Picoseconds value) const { return format_time(value); }
  std::string operator()(Bytes value) const { return format_size(value); }
  std::string operator()(Bandwidth value) const { return format_bandwidth(value); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(LinkSpeed value) const { return format_link(value); }
};

// The topology's part of bind().
class Overrides {
 public:
  Overrides(const ParameterTable& table, const std::vector<std::string>& handled_elsewhere,
            Diagnostics& diagnostics)
      : table_(table), handled_elsewhere_(handled_elsewhere), diagnostics_(diagnostics) {}

  bool apply(const Node& map, ParameterValues& values) const {
    if (!map.is_map()) {
      if (map.is_null()) return true;
      diagnostics_.error("wrong-type", map.where(),
                         "expected a map of parameters, not " + std::string(kind_name(map.kind())));
      return false;
    }
    bool good = true;
    for (const Node::Entry& entry : map.entries()) {
      if (const Parameter* parameter = table_.find(entry.key)) {
        const auto value = parse_parameter(*parameter, entry.value, diagnostics_);
        if (value) values.set(entry.key, *value, entry.value.where(), entry.value.where().file);
        good = good && value;
      } else if (std::find(handled_elsewhere_.begin(), handled_elsewhere_.end(), entry.key) ==
                 handled_elsewhere_.end()) {
        report_unknown(entry);
        good = false;
      }
    }
    return good;
  }

 private:
  void report_unknown(const Node::Entry& entry) const {
    std::vector<std::string> known = table_.names();
    known.insert(known.end(), handled_elsewhere_.begin(), handled_elsewhere_.end());
    diagnostics_.error("unknown-key", entry.key_where,
                       "there is no parameter " + in_quotes(entry.key) + " here",
                       did_you_mean(entry.key, known));
  }

  const ParameterTable& table_;
  const std::vector<std::string>& handled_elsewhere_;
  Diagnostics& diagnostics_;
};

bool apply_preset(const ParameterTable& table, const Preset& preset, ParameterValues& values,
                  Diagnostics& diagnostics) {
  bool good = true;
  for (const PresetParameter& given : preset.parameters()) {
    const Parameter* parameter = table.find(given.name);
    if (parameter == nullptr) {
      diagnostics.error("unknown-key", given.name_where,
                        "the model '" + preset.model() + "' has no parameter '" + given.name + "'",
                        did_you_mean(given.name, table.names()));
      good = false;
      continue;
    }
    const auto value = parse_parameter(*parameter, given.value, diagnostics);
    if (value) values.set(given.name, *value, given.value.where(), given.source);
    good = good && value;
  }
  return good;
}

}  // namespace

std::string format_value(const ParameterValue& value) { return std::visit(Formatter(), value); }

ParameterValues::ParameterValues(const ParameterTable& table) : names_(table.names()) {
  for (const Parameter& parameter : table.all()) {
    Diagnostics found;
    std::optional<ParameterValue> value;
    if (parameter.quantity == Quantity::kText) {
      value = parameter.default_value;
    } else {
      value = parse_parameter(parameter, Node::scalar(parameter.default_value, {}), found);
    }
    slots_.emplace(parameter.name, Slot{*value, {}, kDefaultSource});
  }
}

const ParameterValues::Slot& ParameterValues::slot(std::string_view name) const {
  const auto it = slots_.find(name);
  if (it == slots_.end()) bug(name, "is not in the model's table");
  return it->second;
}

template <typename T>
const T& ParameterValues::get(std::string_view name, std::string_view wanted) const {
  const T* value = std::get_if<T>(&slot(name).value);
  if (value == nullptr) bug(name, "is not of the quantity " + std::string(wanted));
  return *value;
}

bool ParameterValues::flag(std::string_view name) const { return get<bool>(name, "flag"); }
std::int64_t ParameterValues::integer(std::string_view name) const {
  return get<std::int64_t>(name, "integer");
}
double ParameterValues::ratio(std::string_view name) const { return get<double>(name, "ratio"); }
Picoseconds ParameterValues::time(std::string_view name) const {
  return get<Picoseconds>(name, "time");
}
Bytes ParameterValues::size(std::string_view name) const { return get<Bytes>(name, "size"); }
Bandwidth ParameterValues::bandwidth(std::string_view name) const {
  return get<Bandwidth>(name, "bandwidth");
}
const std::string& ParameterValues::text(std::string_view name) const {
  return get<std::string>(name, "text");
}
LinkSpeed ParameterValues::link(std::string_view name) const {
  return get<LinkSpeed>(name, "link");
}

std::string ParameterValues::formatted(std::string_view name) const {
  return format_value(slot(name).value);
}
const SourceLocation& ParameterValues::where(std::string_view name) const {
  return slot(name).where;
}
const std::string& ParameterValues::source(std::string_view name) const {
  return slot(name).source;
}

void ParameterValues::set(std::string_view name, ParameterValue value, SourceLocation where,
                          std::string source) {
  const auto it = slots_.find(name);
  if (it == slots_.end()) bug(name, "is not in the model's table");
  if (it->second.value.index() != value.index()) bug(name, "is of another quantity");
  it->second = {std::move(value), std::move(where), std::move(source)};
}

std::optional<ParameterValues> bind(const ParameterTable& table, const Preset* preset,
                                    const Node* overrides,
                                    const std::vector<std::string>& keys_handled_elsewhere,
                                    Diagnostics& diagnostics) {
  ParameterValues values(table);
  bool good = true;
  if (preset != nullptr) good = apply_preset(table, *preset, values, diagnostics);
  if (overrides != nullptr) {
    const Overrides topology(table, keys_handled_elsewhere, diagnostics);
    good = topology.apply(*overrides, values) && good;
  }
  if (!good) return std::nullopt;
  return values;
}

}  // namespace peerfab::config
