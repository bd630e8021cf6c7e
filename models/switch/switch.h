// SPDX-License-Identifier: Apache-2.0
// The PCIe switch: see README.md beside this file.
#pragma once

#include "sim/device/model_registry.h"

namespace peerfab::models {

[[nodiscard]] device::ModelDescriptor switch_model();

}  // namespace peerfab::models
