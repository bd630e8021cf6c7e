// SPDX-License-Identifier: Apache-2.0
#include "sim/device/model_registry.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace peerfab::device {

void ModelRegistry::add(ModelDescriptor descriptor) {
  assert(find(descriptor.kind) == nullptr);
  models_.push_back(std::move(descriptor));
}

const ModelDescriptor* ModelRegistry::find(std::string_view kind) const {
  const auto found = std::find_if(models_.begin(), models_.end(),
                                  [kind](const ModelDescriptor& m) { return m.kind == kind; });
  return found == models_.end() ? nullptr : &*found;
}

}  // namespace peerfab::device
