// SPDX-License-Identifier: Apache-2.0
#include "models/register_all.h"

#include "models/dma/dma.h"
#include "models/gpu/gpu.h"
#include "models/memory/memory.h"
#include "models/root_complex/root_complex.h"
#include "models/switch/switch.h"

namespace peerfab::models {

void register_all_models(device::ModelRegistry& registry) {
  registry.add(root_complex_model());
  registry.add(switch_model());
  registry.add(gpu_model());
  registry.add(memory_model());
  registry.add(dma_model());
}

}  // namespace peerfab::models
