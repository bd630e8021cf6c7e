// SPDX-License-Identifier: Apache-2.0
// What a transmitter does only where somebody watches it or where its link has a data link layer of
// its own: apart from the path that every TLP of every other link takes.
#include <algorithm>
#include <cassert>

#include "sim/engine/transmitter.h"
#include "sim/pcie/dllp_timing.h"

namespace peerfab::engine {

void Transmitter::use_data_link(const DataLinkConfig& config) {
  assert(is_pcie_ && !exact_ && tlps_ == 0);
  data_link_ = std::make_unique<DataLink>(scheduler_, *this, config);
  exact_ = true;
  next_ack_ps_ = ~std::uint64_t{0};  // Acks are packets now, and not accounted for
}

void Transmitter::set_link(const pcie::LinkConfig& link, Picoseconds dllp_interval) {
  assert(exact_);
  config_.link = link;
  config_.dllp_interval = dllp_interval;
  timing_ = pcie::LinkTiming(link);
  ticks_per_byte_ = timing_.ticks_per_byte();
  flits_ = pcie::uses_flits(link.generation);
  dllp_interval_ps_ = dllp_interval.count();
  next_skp_ticks_ = line_free_ticks_ + timing_.skp_interval().ticks();
}

void Transmitter::send_watched(unsigned input, Tlp* tlp, std::uint32_t bytes, const OnWire& wire,
                               Picoseconds acts) {
  if (observed_) {
    const std::uint16_t number = exact_ ? data_link_->next_number() : std::uint16_t{0};
    observer_->tlp_sent(input, *tlp, {wire.starts, wire.ends, bytes, number, false});
  }
  if (exact_) data_link_->sent(tlp, bytes, wire.ends, acts);
}

void Transmitter::deliver(Tlp* tlp, std::uint16_t sequence_number, Picoseconds now) {
  if (observed_) observer_->tlp_received(*tlp, sequence_number, now);
  receiver_->receive(tlp, now);
}

void Transmitter::observe_replay(const OnWire& wire, std::uint32_t bytes,
                                 std::uint16_t sequence_number) {
  if (observed_) {
    observer_->tlp_replayed({wire.starts, wire.ends, bytes, sequence_number, true});
  }
}

void Transmitter::send_nullified(const Tlp& tlp, Picoseconds now) {
  if (!exact_ || backlog_ != 0 || sending_ || line_free() > now) return;
  const std::uint32_t bytes = wire_bytes(tlp);
  static_cast<void>(take_wire(bytes, now));
  data_link_->note_nullified(bytes);
}

// DLLPs go before every TLP that has not begun (PCIe r6.0, sec 3.6.2.1, recommended priorities), so
// the wire is theirs at once, or as soon as the packet on it has ended.
std::optional<Picoseconds> Transmitter::carry(const pcie::Dllp& dllp, bool damaged,
                                              Picoseconds now) {
  const std::uint64_t start = std::max(line_free_ticks_, pcie::LineTime::from(now).ticks());
  line_free_ticks_ = start + timing_.dllp_time().ticks();
  statistics_.dllp_bytes += timing_.dllp_wire_bytes();
  if (observed_) {
    observer_->dllp_sent(dllp, pcie::LineTime(start).to_picoseconds_ceil(), damaged);
  }
  if (damaged) return std::nullopt;
  return line_free() + Picoseconds(propagation_ps_);
}

std::optional<Picoseconds> Transmitter::send_dllp(const pcie::Dllp& dllp, Picoseconds now) {
  const bool damaged = exact_ && data_link_->loses_dllp(timing_.dllp_wire_bytes());
  return carry(dllp, damaged, now);
}

std::optional<Picoseconds> Transmitter::send_acknowledgement(const pcie::Dllp& dllp,
                                                             Picoseconds now) {
  const bool damaged = data_link_->acknowledgement_is_damaged(timing_.dllp_wire_bytes());
  return carry(dllp, damaged, now);
}

// UpdateFCs are accounted for and not packets of their own, but one of them may be lost all the
// same. The next one tells what it told; without traffic that is the one which repeats itself every
// 30 us (PCIe r6.0, sec 2.6.1.2), and that one is taken not to be lost.
Picoseconds Transmitter::delay_lost_update(Credits& credits, unsigned flow_class, Picoseconds freed,
                                           Picoseconds effective) {
  const auto bit = static_cast<std::uint8_t>(1U << flow_class);
  if (reverse_->data_link_->loses_dllp(timing_.dllp_wire_bytes())) {
    lost_updates_ |= bit;
    return std::max(effective,
                    freed + pcie::kIdleUpdateFcInterval + Picoseconds(credit_return_ps_));
  }
  if ((lost_updates_ & bit) == 0) return effective;
  lost_updates_ &= static_cast<std::uint8_t>(~bit);
  const std::uint64_t now_effective = freed.count() + credit_return_ps_;
  for (std::size_t i = 0; i < credits.returns.size(); ++i) {
    std::uint64_t& entry = credits.returns[i];
    if (entry >> kReturnDataBits > now_effective) {
      entry = now_effective << kReturnDataBits | (entry & ((1U << kReturnDataBits) - 1));
    }
  }
  return Picoseconds(now_effective);
}

void Transmitter::advertise(pcie::Dllp& dllp) const {
  const ReceiveBuffer::Class& buffer =
      reverse_->config_.buffer.classes[static_cast<unsigned>(dllp.flow_class)];
  dllp.header_credits = static_cast<std::uint8_t>(buffer.headers);
  dllp.data_credits = static_cast<std::uint16_t>(buffer.data);
}

// `sending_` keeps what the callbacks queue from being looked at before this loop comes to it.
void Transmitter::abandon(const std::function<void(unsigned, Tlp*)>& lose, Picoseconds now) {
  if (sending_) return;
  sending_ = true;
  while (backlog_ != 0) {
    for (unsigned i = 0; i < kMaxInputs; ++i) {
      if ((backlog_mask_[i / kMaskBits] >> i % kMaskBits & 1) == 0) continue;
      Input& input = inputs_[i];
      for (unsigned flow_class = 0; flow_class < pcie::kFlowClassCount; ++flow_class) {
        if ((input.classes >> flow_class & 1) == 0) continue;
        if ((input.stalled >> flow_class & 1) != 0) end_stall(input, flow_class, now);
        input.classes &= static_cast<std::uint8_t>(~(1U << flow_class));
        for (Tlp* tlp = queue_of(input, flow_class).head; tlp != nullptr;) {
          Tlp* const behind = tlp->next;
          --backlog_;
          --input.waiting;
          lose(i, tlp);
          tlp = behind;
        }
      }
      if (input.waiting == 0) backlog_mask_[i / kMaskBits] &= ~(std::uint64_t{1} << i % kMaskBits);
      if (input.has_source) input.source->input_drained(input.source_input, now);
    }
  }
  sending_ = false;
}

}  // namespace peerfab::engine
