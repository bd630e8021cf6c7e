// SPDX-License-Identifier: Apache-2.0
// TLP headers and DLLPs in the words of the specification, on one line: for traces, logs and
// monitors. "MWr 4DW 64 DW at 0x380000001000, 3:00.0 tag 0x05a, BE f/f, RO".
#pragma once

#include <string>

#include "sim/base/ids.h"
#include "sim/pcie/dllp.h"
#include "sim/pcie/tlp_header.h"

namespace peerfab::pcie {

// As lspci writes it: "03:00.0".
[[nodiscard]] std::string to_text(Bdf bdf);
[[nodiscard]] std::string to_text(const TlpHeader& header);
[[nodiscard]] std::string to_text(const Dllp& dllp);

}  // namespace peerfab::pcie
