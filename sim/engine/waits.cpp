// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/waits.h"

#include <algorithm>
#include <limits>

#include "sim/pcie/packet_text.h"
#include "sim/pcie/splitting.h"

namespace peerfab::engine {

std::string describe_tlp(const Tlp& tlp) {
  pcie::TlpHeader header;
  header.kind = tlp.kind;
  header.relaxed_ordering = tlp.relaxed_ordering();
  header.id_based_ordering = (tlp.attributes & Tlp::kIdOrdering) != 0;
  header.no_snoop = (tlp.attributes & Tlp::kNoSnoop) != 0;
  header.has_digest = tlp.has_digest();
  header.poisoned = (tlp.flags & Tlp::kPoisoned) != 0;
  header.requester = Bdf(tlp.requester);
  if (tlp.flow_class == pcie::FlowClass::kCompletion) {
    header.tag = tlp.tag;
    header.length_dw = static_cast<std::uint16_t>(tlp.payload_dw_bytes() / pcie::spec::kDwBytes);
    header.completer = tlp.completer();
    header.status = static_cast<std::uint8_t>(tlp.status());
    header.byte_count = tlp.byte_count;
    header.lower_address = tlp.lower_address();
    return pcie::to_text(header);
  }
  // The tag of a posted request is its issuer's own.
  if (tlp.flow_class == pcie::FlowClass::kNonPosted) header.tag = tlp.tag;
  const pcie::RequestPiece piece = tlp.length == 0
                                       ? pcie::zero_length_read(BusAddress(tlp.address))
                                       : pcie::make_request(BusAddress(tlp.address), tlp.length);
  header.address = piece.dw_address().value();
  header.length_dw = piece.length_dw;
  header.first_be = piece.first_be;
  header.last_be = piece.last_be;
  return pcie::to_text(header);
}

void WaitGraph::name(const Transmitter& direction, std::string link, std::string far_end) {
  names_[&direction] = {std::move(link), std::move(far_end)};
}

const std::string& WaitGraph::link_of(const Transmitter& direction) const {
  static const std::string kUnknown = "a link";
  const auto found = names_.find(&direction);
  return found == names_.end() ? kUnknown : found->second.link;
}

const std::string& WaitGraph::far_end_of(const Transmitter& direction) const {
  static const std::string kUnknown = "its far end";
  const auto found = names_.find(&direction);
  return found == names_.end() ? kUnknown : found->second.far_end;
}

Waiter& WaitGraph::add(WaitId id, std::string who) {
  index_.emplace(id, waiters_.size());
  Waiter& waiter = waiters_.emplace_back();
  waiter.id = id;
  waiter.who = std::move(who);
  return waiter;
}

void WaitGraph::contains(WaitId holder, const Tlp& tlp) {
  const bool posted = tlp.flow_class == pcie::FlowClass::kPosted;
  packets_.emplace(Packet{posted, tlp.requester, tlp.tag}, holder);
}

void WaitGraph::contains_answer(WaitId holder, Bdf requester, std::uint16_t tag) {
  packets_.emplace(Packet{false, requester.value(), tag}, holder);
}

void WaitGraph::holds(WaitId holder, const Transmitter& direction, pcie::FlowClass flow_class) {
  buffers_.emplace(std::make_pair(&direction, flow_class), holder);
}

void WaitGraph::blocks(WaitId waiter, const void* process) {
  if (process != nullptr) processes_.emplace(process, waiter);
}

std::optional<std::size_t> WaitGraph::find(WaitId id) const {
  const auto found = index_.find(id);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

void WaitGraph::resolve() {
  for (Waiter& waiter : waiters_) resolve(waiter);
}

void WaitGraph::resolve(Waiter& waiter) {
  const auto towards = [&](WaitId id) {
    const std::optional<std::size_t> other = find(id);
    if (!other.has_value()) return;
    auto& known = waiter.waits_for;
    if (std::find(known.begin(), known.end(), *other) == known.end()) known.push_back(*other);
  };
  for (const WaitId id : waiter.ids) towards(id);
  for (const auto& buffer : waiter.buffers) {
    const auto [first, last] = buffers_.equal_range(buffer);
    for (auto holder = first; holder != last; ++holder) towards(holder->second);
  }
  for (const auto& [requester, tag] : waiter.answers) {
    const auto [first, last] = packets_.equal_range({false, requester.value(), tag});
    for (auto holder = first; holder != last; ++holder) towards(holder->second);
    if (first == last) {
      waiter.lost = "neither the request nor a completion of it is anywhere: dropped";
    }
  }
  for (const auto& [requester, tag] : waiter.writes) {
    const std::uint16_t most = std::numeric_limits<std::uint16_t>::max();
    auto holder = packets_.lower_bound({true, requester.value(), tag.value_or(0)});
    const auto last = packets_.upper_bound({true, requester.value(), tag.value_or(most)});
    for (; holder != last; ++holder) towards(holder->second);
  }
  // Held, or kept, by a part that does not say so.
  if (waiter.waits_for.empty() || !waiter.lost.empty()) waiter.opaque = true;
  for (const void* const process : waiter.processes) {
    if (const auto found = processes_.find(process); found != processes_.end()) {
      towards(found->second);
      waiter.opaque = false;  // what it does is known: it waits in that call
    }
  }
}

}  // namespace peerfab::engine
