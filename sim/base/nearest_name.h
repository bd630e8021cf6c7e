// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the candidate that a person most likely meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peerfab {

// The candidate with the fewest edits (insert, delete, replace, swap of neighbours; case and
// '-' against '_' cost nothing), if these are few for the length of the name: one up to five
// characters, a third of the length beyond. The first of several that are equally near.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view wanted,
                                                      const std::vector<std::string>& candidates);

// nearest_name() as the text of a hint, "did you mean 'sw0'?"; empty when nothing is near.
[[nodiscard]] std::string did_you_mean(std::string_view wanted,
                                       const std::vector<std::string>& candidates);

}  // namespace peerfab
