// SPDX-License-Identifier: Apache-2.0
#include "sim/config/keys.h"

#include <algorithm>

namespace peerfab::config {

bool check_map(const Node& node, const std::string& what, Diagnostics& diagnostics) {
  if (node.is_map()) return true;
  diagnostics.error("wrong-type", node.where(),
                    what + " is a map, not " + std::string(kind_name(node.kind())));
  return false;
}

bool check_keys(const Node& map, const std::string& what, const SourceLocation& where,
                const std::vector<std::string>& known, const std::vector<std::string>& required,
                Diagnostics& diagnostics) {
  bool good = true;
  for (const Node::Entry& entry : map.entries()) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    diagnostics.error("unknown-key", entry.key_where, what + " has no key " + in_quotes(entry.key),
                      did_you_mean(entry.key, known));
    good = false;
  }
  const std::string needs = what + " needs the key ";
  for (const std::string& key : required) {
    if (map.find(key) != nullptr) continue;
    diagnostics.error("missing-key", where, needs + in_quotes(key));
    good = false;
  }
  return good;
}

bool check_version(const Node& map, Diagnostics& diagnostics) {
  const Node* version = map.find("peerfab");
  if (version == nullptr) {
    SourceLocation top = map.where();
    top.length = 1;
    diagnostics.error("missing-key", top, "the version of the format is missing",
                      "start the file with 'peerfab: 1'");
    return false;
  }
  if (version->is_scalar() && version->text() == "1") return true;
  diagnostics.error("unsupported-version", version->where(),
                    version->is_scalar()
                        ? in_quotes(version->text()) + " is not a version that this program reads"
                        : std::string("the version of the format is a number"),
                    "peerfab: 1");
  return false;
}

}  // namespace peerfab::config
