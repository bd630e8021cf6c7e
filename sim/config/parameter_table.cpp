// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>

#include "sim/config/parameters.h"
#include "sim/config/unit_family.h"

namespace peerfab::config {
namespace {

bool has_range(Quantity quantity) {
  return quantity == Quantity::kInteger || quantity == Quantity::kRatio ||
         quantity == Quantity::kTime || quantity == Quantity::kSize ||
         quantity == Quantity::kBandwidth;
}

template <typename T>
std::optional<ParameterValue> as_value(std::optional<T> parsed) {
  if (!parsed) return std::nullopt;
  return ParameterValue(std::move(*parsed));
}

std::optional<ParameterValue> parse_value(const Parameter& parameter, const Node& node,
                                          Diagnostics& diagnostics) {
  switch (parameter.quantity) {
    case Quantity::kFlag:
      return as_value(parse_flag(node, diagnostics));
    case Quantity::kInteger:
      return as_value(parse_integer(node, diagnostics));
    case Quantity::kRatio:
      return as_value(parse_ratio(node, diagnostics));
    case Quantity::kTime:
      return as_value(parse_time(node, diagnostics));
    case Quantity::kSize:
      return as_value(parse_size(node, diagnostics));
    case Quantity::kBandwidth:
      return as_value(parse_bandwidth(node, diagnostics));
    case Quantity::kLink:
      return as_value(parse_link(node, diagnostics));
    case Quantity::kText:
    case Quantity::kChoice:
      return as_value(parse_text(node, diagnostics));
  }
  return std::nullopt;
}

// The limits come from a table whose problems() are empty.
ParameterValue limit_value(const Parameter& parameter, const std::string& limit) {
  Diagnostics ignored;
  return *parse_value(parameter, Node::scalar(limit, {}), ignored);
}

bool check_value(const Parameter& parameter, const ParameterValue& value, const Node& node,
                 Diagnostics& diagnostics) {
  if (parameter.quantity == Quantity::kChoice) {
    const auto& text = std::get<std::string>(value);
    if (std::find(parameter.choices.begin(), parameter.choices.end(), text) !=
        parameter.choices.end()) {
      return true;
    }
    const std::string hint = did_you_mean(text, parameter.choices);
    diagnostics.error("unknown-choice", node.where(),
                      in_quotes(text) + " is no choice of '" + parameter.name + "'",
                      hint.empty() ? "one of " + list_of(parameter.choices) : hint);
    return false;
  }
  if (!has_range(parameter.quantity)) return true;
  if (!parameter.minimum.empty() && value < limit_value(parameter, parameter.minimum)) {
    diagnostics.error("out-of-range", node.where(),
                      in_quotes(node.text()) + " is too small for '" + parameter.name + "'",
                      "at least " + parameter.minimum);
    return false;
  }
  if (!parameter.maximum.empty() && value > limit_value(parameter, parameter.maximum)) {
    diagnostics.error("out-of-range", node.where(),
                      in_quotes(node.text()) + " is too large for '" + parameter.name + "'",
                      "at most " + parameter.maximum);
    return false;
  }
  if (parameter.power_of_two) {
    const std::uint64_t bytes = std::get<Bytes>(value).count();
    if (bytes != 0 && !std::has_single_bit(bytes)) {
      diagnostics.error(
          "not-a-power-of-two", node.where(),
          in_quotes(node.text()) + " is no power of two, as '" + parameter.name + "' must be",
          "for example " + format_size(Bytes(std::bit_floor(bytes))));
      return false;
    }
  }
  return true;
}

class ProblemFinder {
 public:
  std::vector<std::string> run(const std::vector<Parameter>& parameters) {
    std::set<std::string> names;
    for (const Parameter& parameter : parameters) {
      name_ = parameter.name;
      if (name_.empty()) add("has no name");
      if (!names.insert(name_).second) add("is declared twice");
      if (parameter.meaning.empty()) add("has no meaning");
      if (parameter.choices.empty() == (parameter.quantity == Quantity::kChoice)) {
        add("must have choices exactly if it is a choice");
      }
      if (check_limits(parameter)) check_default(parameter);
    }
    return problems_;
  }

 private:
  void add(const std::string& what) { problems_.push_back("parameter '" + name_ + "' " + what); }

  bool check_limits(const Parameter& parameter) {
    const std::size_t before = problems_.size();
    for (const std::string* limit : {&parameter.minimum, &parameter.maximum}) {
      if (limit->empty()) continue;
      Diagnostics found;
      if (!has_range(parameter.quantity)) {
        add("cannot have a range");
      } else if (!parse_value(parameter, Node::scalar(*limit, {}), found)) {
        add("has a bad limit: " + found.all().front().message);
      }
    }
    if (problems_.size() != before) return false;
    if (!parameter.minimum.empty() && !parameter.maximum.empty() &&
        limit_value(parameter, parameter.minimum) > limit_value(parameter, parameter.maximum)) {
      add("has a minimum above its maximum");
      return false;
    }
    return true;
  }

  void check_default(const Parameter& parameter) {
    if (parameter.quantity == Quantity::kText) return;  // any text, even none
    Diagnostics found;
    if (!parse_parameter(parameter, Node::scalar(parameter.default_value, {}), found)) {
      add("has a bad default: " + found.all().front().message);
    }
  }

  std::string name_;
  std::vector<std::string> problems_;
};

}  // namespace

std::string_view quantity_name(Quantity quantity) {
  switch (quantity) {
    case Quantity::kFlag:
      return "flag";
    case Quantity::kInteger:
      return "integer";
    case Quantity::kRatio:
      return "ratio";
    case Quantity::kTime:
      return "time";
    case Quantity::kSize:
      return "size";
    case Quantity::kBandwidth:
      return "bandwidth";
    case Quantity::kText:
      return "text";
    case Quantity::kChoice:
      return "choice";
    case Quantity::kLink:
      break;
  }
  return "link";
}

ParameterTable::ParameterTable(std::vector<Parameter> parameters)
    : parameters_(std::move(parameters)) {
  const std::vector<std::string> found = problems(parameters_);
  if (found.empty()) return;
  for (const std::string& problem : found) std::fprintf(stderr, "bug: %s\n", problem.c_str());
  std::abort();
}

const Parameter* ParameterTable::find(std::string_view name) const {
  const auto it = std::find_if(parameters_.begin(), parameters_.end(),
                               [&](const Parameter& parameter) { return parameter.name == name; });
  return it == parameters_.end() ? nullptr : &*it;
}

std::vector<std::string> ParameterTable::names() const {
  std::vector<std::string> result;
  for (const Parameter& parameter : parameters_) result.push_back(parameter.name);
  return result;
}

std::vector<std::string> ParameterTable::problems(const std::vector<Parameter>& parameters) {
  return ProblemFinder().run(parameters);
}

std::optional<ParameterValue> parse_parameter(const Parameter& parameter, const Node& node,
                                              Diagnostics& diagnostics) {
  std::optional<ParameterValue> value = parse_value(parameter, node, diagnostics);
  if (!value || !check_value(parameter, *value, node, diagnostics)) return std::nullopt;
  return value;
}

}  // namespace peerfab::config
