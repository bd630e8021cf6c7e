// SPDX-License-Identifier: Apache-2.0
// The DMA engine, the smallest endpoint that moves data: see README.md beside this file.
#pragma once

#include "sim/device/model_registry.h"

namespace peerfab::models {

[[nodiscard]] device::ModelDescriptor dma_model();

}  // namespace peerfab::models
