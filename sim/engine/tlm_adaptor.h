// SPDX-License-Identifier: Apache-2.0
// What a TLM-2.0 generic payload needs to stand for PCIe transactions: an extension with what it
// cannot say itself, and the mapping of outcomes. The sockets are in sim/device.
#pragma once

// tlm_utils needs sc_spawn, which <systemc> leaves out if it was included before without it.
#include <sysc/kernel/sc_dynamic_processes.h>

#include <cstdint>
#include <tlm>

#include "sim/base/ids.h"
#include "sim/engine/tlp.h"

namespace peerfab::engine {

// Optional for both sides: a payload without it gets no attributes, and its response status alone
// says how it ended.
struct PcieExtension final : tlm::tlm_extension<PcieExtension> {
  // Who asks. Filled in on the way to a target; on return to an initiator, the ID of its endpoint.
  Bdf requester;
  // Tlp::kNoSnoop, kRelaxedOrdering and kIdOrdering. Taken from an initiator's payload, shown to a
  // target.
  std::uint8_t attributes = 0;
  // How it ended. An initiator finds it here; a target may set it when the response status cannot
  // say what it means. Posted writes always succeed as far as their sender knows.
  CompletionStatus status = CompletionStatus::kSuccessful;

  [[nodiscard]] tlm::tlm_extension_base* clone() const override { return new PcieExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const PcieExtension&>(other);
  }
};

// Unsupported Request: nothing answers at the address. Completer Abort: the completer will not or
// cannot do it (PCIe r6.0, sec 2.3.1).
[[nodiscard]] tlm::tlm_response_status response_of(CompletionStatus status);
[[nodiscard]] CompletionStatus status_of(tlm::tlm_response_status response);

}  // namespace peerfab::engine
