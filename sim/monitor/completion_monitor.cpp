// SPDX-License-Identifier: Apache-2.0
#include "sim/monitor/completion_monitor.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/engine/packet.h"
#include "sim/pcie/packet_text.h"
#include "sim/pcie/spec.h"
#include "sim/pcie/splitting.h"

namespace peerfab::monitor {

using engine::CompletionStatus;
using State = Transaction::State;

namespace {

constexpr std::uint64_t kLowerAddressMask = (1U << pcie::spec::kLowerAddressBits) - 1;

std::string packet(const engine::Tlp& tlp) { return pcie::to_text(engine::header_of(tlp)); }

bool is_memory_read(pcie::TlpKind kind) {
  return kind == pcie::TlpKind::kMemoryRead || kind == pcie::TlpKind::kMemoryReadLocked;
}

// Whether a completion that says "successful" brings data.
bool returns_data(pcie::TlpKind kind) {
  return !pcie::has_data(kind) || kind == pcie::TlpKind::kFetchAdd ||
         kind == pcie::TlpKind::kSwap || kind == pcie::TlpKind::kCompareSwap;
}

}  // namespace

Transaction expect_answer(const engine::Tlp& request) {
  Transaction answer;
  answer.state = State::kOutstanding;
  answer.kind = request.kind;
  if (is_memory_read(request.kind)) {
    const pcie::TlpHeader header = engine::header_of(request);
    answer.remaining = pcie::read_byte_count(header.length_dw, header.first_be, header.last_be);
    answer.next_address = header.address + pcie::first_byte_offset(header.first_be);
  } else if (request.kind == pcie::TlpKind::kCompareSwap) {
    answer.remaining = request.length / 2U;  // it carries two operands
  } else if (returns_data(request.kind) && pcie::has_data(request.kind)) {
    answer.remaining = request.length;
  } else {
    answer.remaining = pcie::spec::kDwBytes;
  }
  return answer;
}

std::uint32_t CompletionMonitor::boundary_of(Bdf completer) const {
  const auto& small = rules_.small_boundary;
  return std::find(small.begin(), small.end(), completer) != small.end()
             ? pcie::spec::kRcbSmallBytes
             : pcie::spec::kRcbLargeBytes;
}

void CompletionMonitor::check_data(const engine::Tlp& tlp, const Transaction& request,
                                   Picoseconds starts) {
  const auto lower_address = static_cast<std::uint8_t>(request.next_address & kLowerAddressMask);
  if (tlp.byte_count != request.remaining) {
    pen_.violated(starts, packet(tlp), fmt::format("byte count {}", request.remaining),
                  fmt::format("{}", tlp.byte_count));
  } else if (tlp.lower_address() != lower_address) {
    pen_.violated(starts, packet(tlp), fmt::format("lower address {:#04x}", lower_address),
                  fmt::format("{:#04x}", tlp.lower_address()));
  } else if (tlp.length > request.remaining) {
    pen_.violated(starts, packet(tlp), fmt::format("at most {} B of data", request.remaining),
                  fmt::format("{} B", tlp.length));
  } else if (tlp.length < request.remaining) {
    const std::uint32_t boundary = boundary_of(tlp.completer());
    const std::uint64_t end = request.next_address + tlp.length;
    if (!is_memory_read(request.kind)) {
      pen_.violated(starts, packet(tlp), "one completion with all of the data",
                    fmt::format("{} B of {} B", tlp.length, request.remaining));
    } else if (end % boundary != 0) {
      pen_.violated(starts, packet(tlp), fmt::format("an end on a multiple of {} B", boundary),
                    fmt::format("an end at {:#x}", end));
    }
  }
}

void CompletionMonitor::sent(const engine::Tlp& tlp, Transaction* request, Picoseconds starts) {
  const bool none_seen = request == nullptr;
  if (none_seen || request->state != State::kOutstanding) {
    if (!rules_.at_endpoint || (none_seen && rules_.joined_late)) return;
    pen_.checked();
    pen_.violated(starts, packet(tlp), "a request that it answers",
                  none_seen ? "none with its transaction ID" : "one that was answered in full");
    return;
  }
  pen_.checked();
  const bool successful = tlp.status() == CompletionStatus::kSuccessful;
  if (!successful) {
    // It ends the request, whatever it asked for (sec 2.2.9.1).
    request->state = State::kAnswered;
    return;
  }
  const bool brings_data = tlp.payload_bytes() != 0;
  if (brings_data != returns_data(request->kind)) {
    pen_.violated(starts, packet(tlp),
                  returns_data(request->kind) ? "data, since it is successful" : "no data",
                  brings_data ? "some" : "none");
    request->state = State::kAnswered;
    return;
  }
  if (brings_data) check_data(tlp, *request, starts);
  request->remaining -= std::min<std::uint32_t>(tlp.length, request->remaining);
  request->next_address += tlp.length;
  if (!brings_data || request->remaining == 0 || ends_request(tlp)) {
    request->state = State::kAnswered;
  }
}

}  // namespace peerfab::monitor
