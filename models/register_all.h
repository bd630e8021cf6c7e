// SPDX-License-Identifier: Apache-2.0
// The one list of models. A new model adds its folder and a line in register_all.cpp.
#pragma once

#include "sim/device/model_registry.h"

namespace peerfab::models {

void register_all_models(device::ModelRegistry& registry);

}  // namespace peerfab::models
