// SPDX-License-Identifier: Apache-2.0
#include "sim/device/tlm_initiator.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "sim/cfgspace/route.h"
#include "sim/pcie/spec.h"

namespace peerfab::device {

using engine::CompletionStatus;
using engine::PcieExtension;
using engine::Tlp;

namespace {

// TLPs in front of the wire: one, and one to follow it without a gap.
constexpr std::uint32_t kReadyRequests = 2;

Picoseconds kernel_time() { return engine::from_sc_time(sc_core::sc_time_stamp()); }

bool all_enabled(const tlm::tlm_generic_payload& payload) {
  const unsigned char* const enables = payload.get_byte_enable_ptr();
  return enables == nullptr ||
         std::all_of(enables, enables + payload.get_byte_enable_length(),
                     [](unsigned char enable) { return enable == TLM_BYTE_ENABLED; });
}

}  // namespace

TlmInitiator::TlmInitiator(const sc_core::sc_module_name& name, engine::Engine& engine,
                           engine::TlpPool& pool, RequesterTable& requesters,
                           std::uint32_t max_read_request, unsigned outstanding_reads)
    : sc_module(name),
      socket("socket"),
      engine_(engine),
      pool_(pool),
      requesters_(requesters),
      actor_(engine.scheduler().add_actor(this, &TlmInitiator::on_pump)),
      max_payload_(pcie::spec::kMinMaxPayloadSize),
      max_read_request_(max_read_request),
      tags_(pcie::smallest_tag_size(outstanding_reads).value_or(pcie::TagSize::k10Bit),
            outstanding_reads),
      reads_(tags_.range().count) {
  // What is not registered here, the socket answers for us: no DMI, and no bytes in debug.
  socket.register_b_transport(this, &TlmInitiator::b_transport);
}

void TlmInitiator::connect(engine::Transmitter& out, unsigned input) {
  out_ = &out;
  input_ = input;
  out.set_source(input, this, 0);
}

void TlmInitiator::configure(const cfgspace::PortRegisters& registers) {
  registers_ = &registers;
  max_payload_ = static_cast<std::uint32_t>(registers.max_payload_size.count());
  requesters_.add(registers.bdf, this);
}

// --- In the outsider's world ---------------------------------------------------------------------

// What no TLP can be made of.
std::optional<tlm::tlm_response_status> TlmInitiator::objection(
    const tlm::tlm_generic_payload& payload) const {
  const unsigned bytes = payload.get_data_length();
  if (bytes == 0 || payload.get_streaming_width() < bytes) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (!all_enabled(payload)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  if (payload.get_address() > last - bytes) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  cfgspace::RoutedTlp request;
  request.category =
      payload.is_write() ? cfgspace::TlpCategory::kPosted : cfgspace::TlpCategory::kNonPosted;
  request.address = BusAddress(payload.get_address());
  request.length = Bytes(bytes);
  request.requester = registers_->bdf;
  const cfgspace::Verdict verdict =
      cfgspace::route(request, {registers_, cfgspace::Ingress::internal()});
  if (!verdict.passes()) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  return std::nullopt;
}

void TlmInitiator::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return;
  }
  if (const auto error = objection(payload); error.has_value()) {
    payload.set_response_status(*error);
    return;
  }
  // The fabric knows no time but its own: a caller that is ahead waits until it is true.
  if (delay != sc_core::SC_ZERO_TIME) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  auto* const extension = payload.get_extension<PcieExtension>();
  const pcie::RequestLimits limits{payload.is_write() ? max_payload_ : max_read_request_};
  Call call(BusAddress(payload.get_address()), Bytes(payload.get_data_length()), limits);
  call.writes = payload.is_write();
  call.attributes = extension != nullptr ? extension->attributes : std::uint8_t{0};
  call.data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
  call.caller = sc_core::sc_get_current_process_handle().get_process_object();
  calls_.push_back(&call);
  engine_.schedule_from_systemc(actor_, kernel_time());
  sc_core::wait(call.done);
  payload.set_response_status(engine::response_of(call.status));
  if (extension != nullptr) {
    extension->requester = registers_->bdf;
    extension->status = call.status;
  }
}

// --- In the fabric -------------------------------------------------------------------------------

void TlmInitiator::on_pump(void* self, Picoseconds now) {
  static_cast<TlmInitiator*>(self)->pump(now);
}

void TlmInitiator::input_drained(unsigned /*input*/, Picoseconds now) { pump(now); }

void TlmInitiator::pump(Picoseconds now) {
  while (!calls_.empty() && out_->waiting(input_) < kReadyRequests) {
    if (!send(*calls_.front(), now)) return;
  }
}

// Makes the next TLP of a call. False: it waits for a tag.
bool TlmInitiator::send(Call& call, Picoseconds now) {
  std::uint16_t tag = 0;
  if (!call.writes) {
    const std::optional<Tag> free_tag = tags_.acquire();
    if (!free_tag.has_value()) {
      if (!waits_for_tag_since_.has_value()) waits_for_tag_since_ = now;
      return false;
    }
    if (waits_for_tag_since_.has_value()) {
      statistics_.tag_stall_ps += (now - *waits_for_tag_since_).count();
      waits_for_tag_since_.reset();
    }
    tag = free_tag->value();
  }
  const pcie::RequestPiece piece = call.pieces.next();
  Tlp* const tlp = pool_.allocate();
  *tlp = Tlp{};
  tlp->address = piece.address.value();
  tlp->length = static_cast<std::uint16_t>(piece.bytes);
  tlp->requester = registers_->bdf.value();
  tlp->tag = tag;
  tlp->attributes = call.attributes;
  if (tlp->address >> 32 != 0) tlp->flags |= Tlp::kFourDw;
  if (call.writes) {
    tlp->kind = pcie::TlpKind::kMemoryWrite;
    tlp->flow_class = pcie::FlowClass::kPosted;
    tlp->flags |= Tlp::kHasPayload;
    if (std::byte* payload = pool_.payload(tlp); payload != nullptr) {
      std::memcpy(payload, call.data, piece.bytes);
    }
    ++statistics_.write_requests;
  } else {
    tlp->kind = pcie::TlpKind::kMemoryRead;
    tlp->flow_class = pcie::FlowClass::kNonPosted;
    reads_[tags_.index_of(Tag(tag))] = {&call, call.data, piece.bytes};
    ++call.outstanding;
    ++statistics_.read_requests;
  }
  call.data += piece.bytes;
  if (call.pieces.done()) {
    calls_.pop_front();
    // The caller goes on at this time, and `call` with it; nothing below touches it.
    if (call.writes) engine_.notify_at(call.done, now);
  }
  out_->enqueue(input_, tlp, now);
  return true;
}

void TlmInitiator::completion(Tlp* tlp, Picoseconds now) {
  if (!tags_.is_outstanding(Tag(tlp->tag))) {
    ++statistics_.unexpected_completions;
    pool_.release(tlp);
    return;
  }
  Read& read = reads_[tags_.index_of(Tag(tlp->tag))];
  Call& call = *read.call;
  if (tlp->status() == CompletionStatus::kSuccessful) {
    if (const std::byte* payload = pool_.payload(tlp); payload != nullptr) {
      std::memcpy(read.to, payload, tlp->length);
    }
    read.to += tlp->length;
    read.remaining -= tlp->length;
    statistics_.bytes_read += tlp->length;
  } else {
    // One completion ends the request, whatever it asked for (PCIe r6.0, sec 2.2.9.1).
    ++statistics_.failed_requests;
    if (call.status == CompletionStatus::kSuccessful) call.status = tlp->status();
    read.remaining = 0;
  }
  const Tag tag(tlp->tag);
  pool_.release(tlp);
  if (read.remaining != 0) return;
  static_cast<void>(tags_.release(tag));
  --call.outstanding;
  if (call.outstanding == 0 && call.pieces.done()) engine_.notify_at(call.done, now);
  pump(now);
}

void TlmInitiator::posted_delivered(const Tlp& tlp, Picoseconds /*at*/) {
  statistics_.bytes_written += tlp.length;
}

void TlmInitiator::posted_refused(const Tlp& /*tlp*/, std::string_view why, Picoseconds /*at*/) {
  ++statistics_.failed_requests;
  if (first_failure_.empty()) first_failure_ = why;
}

}  // namespace peerfab::device
