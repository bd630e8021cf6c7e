// SPDX-License-Identifier: Apache-2.0
// The GPU: see README.md beside this file.
#pragma once

#include "sim/device/model_registry.h"

namespace peerfab::models {

[[nodiscard]] device::ModelDescriptor gpu_model();

}  // namespace peerfab::models
