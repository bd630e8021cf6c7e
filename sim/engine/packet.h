// SPDX-License-Identifier: Apache-2.0
// A TLP of the engine as the specification writes it: the fields of its header, and what the
// ordering rules look at. For whoever shows or judges TLPs; the engine itself needs neither.
#pragma once

#include "sim/engine/tlp.h"
#include "sim/pcie/ordering.h"
#include "sim/pcie/tlp_header.h"

namespace peerfab::engine {

// Posted requests have no tag on the wire that matters: it is 0 in the header.
[[nodiscard]] pcie::TlpHeader header_of(const Tlp& tlp);

[[nodiscard]] pcie::OrderingFields ordering_fields_of(const Tlp& tlp);

}  // namespace peerfab::engine
