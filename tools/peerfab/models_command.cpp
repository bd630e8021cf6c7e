// SPDX-License-Identifier: Apache-2.0
// `peerfab models`: contract in commands.h.
#include <string>
#include <vector>

#include "sim/base/nearest_name.h"
#include "tools/peerfab/commands.h"
#include "tools/peerfab/model_pages.h"
#include "tools/peerfab/session.h"
#include "tools/peerfab/standard_output.h"

namespace peerfab::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

int models_command(const ModelsArguments& arguments, const device::ModelRegistry& registry) {
  Session session(registry);
  std::vector<const device::ModelDescriptor*> chosen;
  std::vector<std::string> kinds;
  for (const device::ModelDescriptor& model : registry.all()) {
    kinds.push_back(model.kind);
    if (arguments.kind.empty() || model.kind == arguments.kind) chosen.push_back(&model);
  }
  if (chosen.empty()) {
    std::string hint = did_you_mean(arguments.kind, kinds);
    if (hint.empty()) hint = "`peerfab models` lists them";
    print_error("peerfab: no model is called '" + printable(arguments.kind) + "': " + hint + "\n");
    return kExitBadInput;
  }
  std::string text;
  if (arguments.format == "json") {
    Json all = Json::array();
    for (const auto* model : chosen) all.push_back(model_json(*model, session.presets()));
    text = dump(arguments.kind.empty() ? all : all.front());
  } else if (arguments.format == "markdown") {
    for (const auto* model : chosen) {
      if (!text.empty()) text += "\n";
      text += model_markdown(*model, session.presets());
    }
  } else {
    text = arguments.kind.empty() ? model_list(registry)
                                  : model_text(*chosen.front(), session.presets());
  }
  return print(text) ? kExitFine : kExitBadInput;
}

}  // namespace peerfab::cli
