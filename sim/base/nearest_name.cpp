// SPDX-License-Identifier: Apache-2.0
#include "sim/base/nearest_name.h"

#include <algorithm>
#include <cstddef>

namespace peerfab {
namespace {

// Longer names are no typing errors, and the distance costs the product of the lengths.
constexpr std::size_t kMaxLength = 64;

char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '_' ? '-' : c;
}

// Optimal string alignment: edits of single characters and swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_previous(b.size() + 1);
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = folded(a[i - 1]) == folded(b[j - 1]);
      current[j] = std::min(
          {previous[j] + 1, current[j - 1] + 1, previous[j - 1] + static_cast<std::size_t>(!same)});
      const bool swapped = i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                           folded(a[i - 2]) == folded(b[j - 1]);
      if (swapped) current[j] = std::min(current[j], before_previous[j - 2] + 1);
    }
    std::swap(before_previous, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view wanted,
                                        const std::vector<std::string>& candidates) {
  if (wanted.empty() || wanted.size() > kMaxLength) return std::nullopt;
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > kMaxLength) continue;
    const std::size_t longer = std::max(wanted.size(), candidate.size());
    const std::size_t allowed = std::max<std::size_t>(1, longer / 3);
    const std::size_t distance = edit_distance(wanted, candidate);
    // Names without a character in common resemble each other by their length only.
    if (distance > allowed || distance >= longer) continue;
    if (best == nullptr || distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& candidates) {
  const std::optional<std::string> nearest = nearest_name(wanted, candidates);
  return nearest ? "did you mean '" + *nearest + "'?" : "";
}

}  // namespace peerfab
