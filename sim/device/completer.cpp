// SPDX-License-Identifier: Apache-2.0
#include "sim/device/completer.h"

#include <algorithm>
#include <cstring>

namespace peerfab::device {

using engine::CompletionStatus;
using engine::Tlp;
using engine::TlpSegment;

namespace {
// Completions that wait in front of the wire: one, and one to follow it without a gap.
constexpr std::uint32_t kReadyCompletions = 2;
}  // namespace

Completer::Completer(engine::Scheduler& scheduler, engine::TlpPool& pool,
                     RequesterTable& requesters)
    : pool_(pool),
      requesters_(requesters),
      scheduler_(scheduler),
      write_actor_(scheduler.add_actor(this, &Completer::on_accepted)) {}

Completer::Way Completer::add_port(engine::Transmitter& out, unsigned input,
                                   engine::Transmitter& in) {
  auto port = std::make_unique<Port>();
  port->self = this;
  port->out = &out;
  port->input = input;
  port->actor = scheduler_.add_actor(port.get(), &Completer::on_ready);
  out.set_source(input, this, static_cast<unsigned>(ports_.size()));
  ways_.push_back({&in, port.get()});
  ports_.push_back(std::move(port));
  return ways_.back();
}

void Completer::on_ready(void* self, Picoseconds now) {
  auto* const port = static_cast<Port*>(self);
  port->self->emit(*port, now);
}

void Completer::on_accepted(void* self, Picoseconds now) {
  auto* const completer = static_cast<Completer*>(self);
  while (!completer->writes_.empty() && completer->writes_.front().accepted <= now) {
    const PendingWrite write = completer->writes_.front();
    completer->writes_.pop_front();
    completer->deliver(write.tlp, *write.in, now);
  }
  if (!completer->writes_.empty()) {
    completer->scheduler_.schedule(completer->write_actor_, completer->writes_.front().accepted);
  }
}

void Completer::deliver(Tlp* tlp, engine::Transmitter& in, Picoseconds now) {
  in.return_credit(*tlp, now);
  if (PostedListener* listener = requesters_.find(tlp->requester); listener != nullptr) {
    listener->posted_delivered(*tlp, now);
  }
  pool_.release(tlp);
}

Completer::PendingRead Completer::make_read(const Tlp& tlp) const {
  PendingRead read;
  const pcie::RequestPiece piece = tlp.length == 0
                                       ? pcie::zero_length_read(BusAddress(tlp.address))
                                       : pcie::make_request(BusAddress(tlp.address), tlp.length);
  read.pieces = pcie::CompletionSplitter(piece, limits_);
  read.first_address = tlp.address;
  std::copy(std::begin(tlp.segments), std::end(tlp.segments), read.segments);
  read.requester = tlp.requester;
  read.tag = tlp.tag;
  read.attributes = tlp.attributes;
  return read;
}

void Completer::push_read(const PendingRead& read, Port& port, Picoseconds now) {
  port.reads.push_back(read);
  if (port.reads.size() == 1) emit(port, now);
}

void Completer::serve(Tlp* tlp, Way way, Memory& memory, std::uint64_t offset, Picoseconds now) {
  if (tlp->flow_class == pcie::FlowClass::kPosted) {
    ++statistics_.write_requests;
    statistics_.bytes_written += tlp->length;
    if (const std::byte* payload = pool_.payload(tlp); payload != nullptr) {
      memory.content().write(offset, payload, tlp->length);
    }
    const Picoseconds accepted = memory.write(now, tlp->length);
    if (accepted <= now && writes_.empty()) {
      deliver(tlp, *way.in, now);
      return;
    }
    tlp->add(TlpSegment::kMemory, (std::max(accepted, now) - now).count());
    writes_.push_back({std::max(accepted, now), tlp, way.in});
    if (writes_.size() == 1) scheduler_.schedule(write_actor_, writes_.front().accepted);
    return;
  }
  ++statistics_.read_requests;
  statistics_.bytes_read += tlp->length;
  PendingRead read = make_read(*tlp);
  read.memory = &memory;
  read.offset = offset;
  read.ready = memory.read(now, tlp->length);
  read.segments[static_cast<std::size_t>(TlpSegment::kMemory)] +=
      static_cast<std::uint32_t>(std::min<std::uint64_t>((read.ready - now).count(), 0xffffffffU));
  way.in->return_credit(*tlp, now);
  pool_.release(tlp);
  push_read(read, *way.port, now);
}

void Completer::refuse(Tlp* tlp, Way way, CompletionStatus status, std::string_view why,
                       Picoseconds now) {
  ++statistics_.refused;
  if (const std::optional<std::uint32_t> held = tlp->held_data_credits(); held.has_value()) {
    way.in->return_credit(tlp->flow_class, *held, now, tlp->traffic_class());
  }
  if (tlp->flow_class == pcie::FlowClass::kNonPosted) {
    PendingRead read = make_read(*tlp);
    read.ready = now;
    read.status = status;
    read.has_data = false;
    pool_.release(tlp);
    push_read(read, *way.port, now);
    return;
  }
  lose(tlp, why, now);
}

void Completer::lose(Tlp* tlp, std::string_view why, Picoseconds now) {
  if (tlp->flow_class == pcie::FlowClass::kPosted) {
    if (PostedListener* listener = requesters_.find(tlp->requester); listener != nullptr) {
      listener->posted_refused(*tlp, why, now);
    }
  }
  pool_.release(tlp);
}

void Completer::answer_all_ones(Tlp* tlp, Way way, std::string_view why, Picoseconds now) {
  if (tlp->flow_class != pcie::FlowClass::kNonPosted) {
    refuse(tlp, way, CompletionStatus::kSuccessful, why, now);
    return;
  }
  ++statistics_.refused;
  way.in->return_credit(*tlp, now);
  PendingRead read = make_read(*tlp);
  read.ready = now;
  pool_.release(tlp);
  push_read(read, *way.port, now);
}

void Completer::emit(Port& port, Picoseconds now) {
  while (!port.reads.empty() && port.out->waiting(port.input) < kReadyCompletions) {
    PendingRead& read = port.reads.front();
    if (read.ready > now) {
      scheduler_.schedule(port.actor, read.ready);
      return;
    }
    Tlp* const tlp = pool_.allocate();
    *tlp = Tlp{};
    const pcie::CompletionPiece piece = read.pieces.next();
    tlp->flow_class = pcie::FlowClass::kCompletion;
    tlp->requester = read.requester;
    tlp->tag = read.tag;
    tlp->attributes = read.attributes;
    tlp->byte_count = piece.byte_count;
    tlp->set_completion_address(piece.address.value(), bdf_);
    tlp->set_status(read.status);
    std::copy(std::begin(read.segments), std::end(read.segments), tlp->segments);
    if (read.has_data) {
      tlp->kind = pcie::TlpKind::kCompletionData;
      tlp->flags |= Tlp::kHasPayload;
      tlp->length = static_cast<std::uint16_t>(piece.bytes);
      if (std::byte* payload = pool_.payload(tlp); payload != nullptr) {
        if (read.memory != nullptr) {
          read.memory->content().read(read.offset + (piece.address.value() - read.first_address),
                                      payload, piece.bytes);
        } else {
          std::memset(payload, 0xff, piece.bytes);
        }
      }
    } else {
      tlp->kind = pcie::TlpKind::kCompletion;
    }
    if (!read.has_data || read.pieces.done()) port.reads.pop_front();
    port.out->enqueue(port.input, tlp, now);
  }
}

}  // namespace peerfab::device
