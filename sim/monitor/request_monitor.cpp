// SPDX-License-Identifier: Apache-2.0
#include "sim/monitor/request_monitor.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/engine/packet.h"
#include "sim/pcie/packet_text.h"
#include "sim/pcie/spec.h"

namespace peerfab::monitor {

namespace {

std::string packet(const engine::Tlp& tlp) { return pcie::to_text(engine::header_of(tlp)); }

std::uint64_t payload_limit(const LinkEnd& end) { return end.registers->max_payload_size.count(); }

bool is_memory_request(pcie::TlpKind kind) {
  return pcie::traits(kind).header == pcie::HeaderForm::kByAddress;
}

// From the DW of the first byte on, as the Length field counts.
std::uint32_t length_in_bytes(const engine::Tlp& tlp) {
  return std::uint32_t{engine::header_of(tlp).length_dw} * pcie::spec::kDwBytes;
}

}  // namespace

std::uint32_t max_payload(const LinkEnd& from, const LinkEnd& to) {
  if (from.registers == nullptr && to.registers == nullptr) return 0;
  if (from.registers == nullptr) return static_cast<std::uint32_t>(payload_limit(to));
  if (to.registers == nullptr) return static_cast<std::uint32_t>(payload_limit(from));
  return static_cast<std::uint32_t>(std::min(payload_limit(from), payload_limit(to)));
}

void RequestMonitor::sent(const engine::Tlp& tlp, Picoseconds starts) {
  pen_.checked();
  if (is_memory_request(tlp.kind)) {
    const std::uint64_t in_page = tlp.address % pcie::spec::kAddressBoundaryBytes;
    if (in_page + tlp.length > pcie::spec::kAddressBoundaryBytes) {
      pen_.violated(starts, packet(tlp),
                    fmt::format("an end below the 4 KiB boundary at {:#x}",
                                tlp.address - in_page + pcie::spec::kAddressBoundaryBytes),
                    fmt::format("{} B from {:#x} on", tlp.length, tlp.address));
      return;
    }
  }
  const std::uint32_t payload = tlp.payload_dw_bytes();
  if (const std::uint32_t limit = max_payload(from_, to_); limit != 0 && payload > limit) {
    pen_.violated(starts, packet(tlp), fmt::format("a payload of at most {} B", limit),
                  fmt::format("{} B", payload));
    return;
  }
  const bool reads = tlp.kind == pcie::TlpKind::kMemoryRead;
  if (!reads || from_.max_read_request == 0 || !is_own(tlp)) return;
  if (const std::uint32_t asked = length_in_bytes(tlp); asked > from_.max_read_request) {
    pen_.violated(starts, packet(tlp),
                  fmt::format("a read of at most {} B", from_.max_read_request),
                  fmt::format("{} B", asked));
  }
}

}  // namespace peerfab::monitor
