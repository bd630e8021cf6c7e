// SPDX-License-Identifier: Apache-2.0
// The machinery of the checks; the rules themselves are in checks_*.cpp.
#include "sim/topology/checks.h"

#include <fmt/format.h>

#include <cassert>

namespace peerfab::topology {
namespace {

std::size_t position_of(std::string_view name) {
  const std::vector<Check>& all = checks();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].info.name == name) return i;
  }
  assert(false && "a check names a prerequisite that does not exist");
  return 0;
}

}  // namespace

const std::vector<Check>& checks() {
  static const std::vector<Check> kChecks = [] {
    std::vector<Check> all;
    for (auto group :
         {naming_checks, attachment_checks, port_checks, link_checks, buffer_checks, wire_checks}) {
      const std::vector<Check> part = group();
      all.insert(all.end(), part.begin(), part.end());
    }
    assert(all.size() <= DraftItem().not_passed.size());
    return all;
  }();
  return kChecks;
}

void run_checks(Draft& draft, const device::ModelRegistry& registry,
                const config::PresetLibrary& presets, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < checks().size(); ++i) {
    CheckRun run(i, draft, registry, presets, diagnostics);
    checks()[i].run(run);
  }
}

CheckRun::CheckRun(std::size_t position, Draft& draft, const device::ModelRegistry& registry,
                   const config::PresetLibrary& presets, Diagnostics& diagnostics)
    : position_(position),
      draft_(draft),
      registry_(registry),
      presets_(presets),
      diagnostics_(diagnostics) {
  for (const std::string_view name : checks()[position].info.prerequisites) {
    const std::size_t prerequisite = position_of(name);
    assert(prerequisite < position);
    prerequisites_.set(prerequisite);
  }
}

bool CheckRun::ready(DraftItem& item) {
  if (item.readable && (item.not_passed & prerequisites_).none()) return true;
  item.not_passed.set(position_);
  return false;
}

bool CheckRun::passed(const DraftItem& item, std::string_view check) const {
  const std::size_t position = position_of(check);
  assert(position < position_);
  return item.readable && !item.not_passed.test(position);
}

void CheckRun::report(DraftItem& item, const SourceLocation& where, std::string message,
                      std::string hint) {
  const CheckInfo& info = checks()[position_].info;
  if (info.severity == Severity::kError) item.not_passed.set(position_);
  diagnostics_.add(
      {info.severity, std::string(info.name), std::move(message), where, std::move(hint)});
}

void CheckRun::reject_as(std::string_view name, DraftItem& item, const SourceLocation& where,
                         std::string message, std::string hint) {
  item.not_passed.set(position_);
  diagnostics_.error(std::string(name), where, std::move(message), std::move(hint));
}

std::string CheckRun::suggest(std::string_view wanted, const std::vector<std::string>& candidates) {
  // Measuring the distance to thousands of names is worth it only where somebody reads the result.
  constexpr std::size_t kMostSuggestions = 20;
  if (++suggestions_ > kMostSuggestions) return {};
  return did_you_mean(wanted, candidates);
}

const config::Node* scalar(CheckRun& run, DraftItem& item, const config::Node* body,
                           std::string_view key) {
  const config::Node* node = body == nullptr ? nullptr : body->find(key);
  if (node == nullptr) return nullptr;
  if (node->is_scalar() && !node->text().empty()) return node;
  run.reject_as("wrong-type", item, node->where(),
                fmt::format("'{}' is {}, not a name", key,
                            node->is_scalar() ? "empty" : kind_name(node->kind())));
  return nullptr;
}

std::string quoted_list(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 4;
  std::string list;
  const std::size_t count = names.size() <= kMost ? names.size() : kMost - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const bool last = i + 1 == names.size();
    list += fmt::format("{}'{}'", i == 0 ? "" : last ? " and " : ", ", shown(names[i]));
  }
  if (count < names.size()) list += fmt::format(" and {} more", names.size() - count);
  return list;
}

}  // namespace peerfab::topology
