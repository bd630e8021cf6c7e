// SPDX-License-Identifier: Apache-2.0
// What becomes of a TLP that a link did not carry because it is down.
#pragma once

#include <string>
#include <string_view>

#include "sim/device/model.h"
#include "sim/engine/tlp.h"

namespace peerfab::device {

// "the link at downstream port 2 of sw0 is down"
[[nodiscard]] std::string link_is_down(PortRef port, std::string_view component);

// Turns a request into the completion that its own port answers it with: Unsupported Request.
void answer_with_ur(engine::Tlp& request);

}  // namespace peerfab::device
