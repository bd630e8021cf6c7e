// SPDX-License-Identifier: Apache-2.0
// What becomes of a TLP that a link did not carry because it is down.
#pragma once

#include <string>
#include <string_view>

#include "sim/device/completer.h"
#include "sim/device/model.h"
#include "sim/engine/tlp.h"

namespace peerfab::device {

// "the link at downstream port 2 of sw0 is down"
[[nodiscard]] std::string link_is_down(PortRef port, std::string_view component);

// Turns a request into the completion that its own port answers it with: Unsupported Request.
void answer_with_ur(engine::Tlp& request);

// What a port of a switch or root complex does for a TLP that its link did not carry: it refuses
// what came in by `way` and still holds buffer there, with Unsupported Request where an answer is
// due (PCIe r6.0, sec 2.9.1). nullptr: the TLP was sent already, or is the component's own; it is
// dropped. Takes the TLP.
void answer_for_link(Completer& completer, const Completer::Way* way, engine::Tlp* tlp,
                     std::string_view why, Picoseconds now);

}  // namespace peerfab::device
