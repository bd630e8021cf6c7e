// SPDX-License-Identifier: Apache-2.0
// Memory on a PCIe card: see README.md beside this file.
#pragma once

#include "sim/device/model_registry.h"

namespace peerfab::models {

[[nodiscard]] device::ModelDescriptor memory_model();

}  // namespace peerfab::models
