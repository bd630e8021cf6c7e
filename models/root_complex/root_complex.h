// SPDX-License-Identifier: Apache-2.0
// The root complex of a socket and the memory behind it: see README.md beside this file.
#pragma once

#include "sim/device/model_registry.h"

namespace peerfab::models {

[[nodiscard]] device::ModelDescriptor root_complex_model();

}  // namespace peerfab::models
