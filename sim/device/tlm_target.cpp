// SPDX-License-Identifier: Apache-2.0
#include "sim/device/tlm_target.h"

#include <algorithm>
#include <cstring>

namespace peerfab::device {

using engine::CompletionStatus;
using engine::PcieExtension;
using engine::Tlp;
using engine::TlpSegment;

namespace {

// Completions that wait in front of the wire: one, and one to follow it without a gap.
constexpr std::uint32_t kReadyCompletions = 2;

Picoseconds kernel_time() { return engine::from_sc_time(sc_core::sc_time_stamp()); }

unsigned char* bytes_of(std::byte* data) { return reinterpret_cast<unsigned char*>(data); }

void fill(tlm::tlm_generic_payload& payload, bool writes, std::uint64_t offset, std::byte* data,
          std::size_t bytes) {
  payload.set_command(writes ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(offset);
  payload.set_data_ptr(bytes_of(data));
  payload.set_data_length(static_cast<unsigned>(bytes));
  payload.set_streaming_width(static_cast<unsigned>(bytes));
  payload.set_byte_enable_ptr(nullptr);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace

TlmTarget::Worker::Worker(const sc_core::sc_module_name& name, TlmTarget& owner)
    : sc_module(name), target(owner) {
  SC_THREAD(work);
}

TlmTarget::TlmTarget(const sc_core::sc_module_name& name, engine::Engine& engine,
                     engine::TlpPool& pool, RequesterTable& requesters, unsigned threads)
    : sc_module(name),
      socket("socket"),
      engine_(engine),
      pool_(pool),
      requesters_(requesters),
      actor_(engine.scheduler().add_actor(this, &TlmTarget::on_finished)) {
  socket.register_invalidate_direct_mem_ptr(this, &TlmTarget::invalidate);
  for (unsigned i = 0; i < threads; ++i) {
    workers_.push_back(std::make_unique<Worker>(sc_core::sc_gen_unique_name("worker"), *this));
  }
}

void TlmTarget::connect(engine::Transmitter& out, unsigned input, engine::Transmitter& in) {
  out_ = &out;
  in_ = &in;
  input_ = input;
  out.set_source(input, this, 0);
}

void TlmTarget::configure(Bdf bdf, const pcie::CompletionLimits& limits) {
  bdf_ = bdf;
  limits_ = limits;
}

TlmTarget::Request& TlmTarget::take(Tlp* tlp, std::uint64_t offset, Picoseconds now) {
  if (free_.empty()) {
    requests_.push_back(std::make_unique<Request>());
    free_.push_back(requests_.back().get());
  }
  Request& request = *free_.back();
  free_.pop_back();
  request.tlp = tlp;
  request.offset = offset;
  request.arrived = now;
  request.status = CompletionStatus::kSuccessful;
  request.why.clear();
  // Where the run moves no payload, the target sees zeros.
  request.data.assign(tlp->length, std::byte{0});
  request.sent = 0;
  return request;
}

void TlmTarget::recycle(Request& request) {
  pool_.release(request.tlp);
  request.tlp = nullptr;
  free_.push_back(&request);
}

void TlmTarget::serve(Tlp* tlp, std::uint64_t offset, Picoseconds now) {
  Request& request = take(tlp, offset, now);
  if (is_write(request)) {
    ++statistics_.write_requests;
    statistics_.bytes_written += tlp->length;
    if (const std::byte* payload = pool_.payload(tlp); payload != nullptr) {
      std::memcpy(request.data.data(), payload, tlp->length);
    }
  } else {
    ++statistics_.read_requests;
    statistics_.bytes_read += tlp->length;
  }
  if (serve_directly(request, now)) return;
  waiting_.push_back(&request);
  engine_.notify_at(work_, now);
}

// --- In the outsider's world ---------------------------------------------------------------------

void TlmTarget::work() {
  for (;;) {
    while (!next_may_go()) sc_core::wait(work_);
    Request& request = *waiting_.front();
    waiting_.pop_front();
    call(request);
  }
}

// A write waits for the reads before it, and whatever comes behind waits for the write: the target
// need not know about ordering.
bool TlmTarget::next_may_go() {
  if (waiting_.empty() || write_in_call_) return false;
  return in_call_ == 0 || !is_write(*waiting_.front());
}

void TlmTarget::call(Request& request) {
  const bool writes = is_write(request);
  ++in_call_;
  request.caller = sc_core::sc_get_current_process_handle().get_process_object();
  if (writes) write_in_call_ = true;
  sc_core::sc_time delay;
  // A read of no bytes only waits for the writes before it (PCIe r6.0, sec 2.2.5.1).
  if (!request.data.empty()) {
    PcieExtension extension;
    extension.requester = Bdf(request.tlp->requester);
    extension.attributes = request.tlp->attributes;
    tlm::tlm_generic_payload payload;
    fill(payload, writes, request.offset, request.data.data(), request.data.size());
    payload.set_extension(&extension);
    socket->b_transport(payload, delay);
    payload.clear_extension(&extension);
    request.status = extension.status != CompletionStatus::kSuccessful
                         ? extension.status
                         : engine::status_of(payload.get_response_status());
    if (request.status != CompletionStatus::kSuccessful) {
      request.why =
          payload.get_response_string() + " from the target behind " + std::string(socket.name());
    }
    if (payload.is_dmi_allowed()) ask_for_dmi(request);
  }
  request.caller = nullptr;
  book(request, kernel_time() + engine::from_sc_time(delay));
  engine_.schedule_from_systemc(actor_, finished_.begin()->first);
  --in_call_;
  if (writes) write_in_call_ = false;
  if (!waiting_.empty()) work_.notify(sc_core::SC_ZERO_TIME);
}

void TlmTarget::ask_for_dmi(const Request& request) {
  tlm::tlm_generic_payload payload;
  fill(payload, is_write(request), request.offset, nullptr, 0);
  tlm::tlm_dmi region;
  if (!socket->get_direct_mem_ptr(payload, region)) return;
  const auto same = [&region](const tlm::tlm_dmi& known) {
    return known.get_start_address() == region.get_start_address() &&
           known.get_end_address() == region.get_end_address() &&
           known.get_granted_access() == region.get_granted_access();
  };
  regions_.erase(std::remove_if(regions_.begin(), regions_.end(), same), regions_.end());
  regions_.push_back(region);
}

void TlmTarget::invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
  ++statistics_.invalidations;
  const auto touched = [first, last](const tlm::tlm_dmi& region) {
    return region.get_start_address() <= last && first <= region.get_end_address();
  };
  regions_.erase(std::remove_if(regions_.begin(), regions_.end(), touched), regions_.end());
}

std::size_t TlmTarget::debug_read(std::uint64_t offset, std::byte* to, std::size_t bytes) {
  tlm::tlm_generic_payload payload;
  fill(payload, false, offset, to, bytes);
  return socket->transport_dbg(payload);
}

std::size_t TlmTarget::debug_write(std::uint64_t offset, const std::byte* from, std::size_t bytes) {
  std::vector<std::byte> copy(from, from + bytes);  // the interface takes no const
  tlm::tlm_generic_payload payload;
  fill(payload, true, offset, copy.data(), bytes);
  return socket->transport_dbg(payload);
}

// --- In the fabric -------------------------------------------------------------------------------

// Only when nobody is before it: what waits for a thread goes first.
bool TlmTarget::serve_directly(Request& request, Picoseconds now) {
  const std::uint64_t bytes = request.data.size();
  if (regions_.empty() || in_call_ != 0 || !waiting_.empty() || bytes == 0) return false;
  const bool writes = is_write(request);
  for (const tlm::tlm_dmi& region : regions_) {
    const bool covers = region.get_start_address() <= request.offset &&
                        request.offset + (bytes - 1) <= region.get_end_address();
    if (!covers || !(writes ? region.is_write_allowed() : region.is_read_allowed())) continue;
    unsigned char* const memory =
        region.get_dmi_ptr() + (request.offset - region.get_start_address());
    if (writes) {
      std::memcpy(memory, request.data.data(), bytes);
    } else {
      std::memcpy(request.data.data(), memory, bytes);
    }
    ++statistics_.through_dmi;
    book(request, now + engine::from_sc_time(writes ? region.get_write_latency()
                                                    : region.get_read_latency()));
    engine_.scheduler().schedule(actor_, finished_.begin()->first);
    return true;
  }
  return false;
}

// The request is over at `at`, but not before the writes that came before it.
void TlmTarget::book(Request& request, Picoseconds at) {
  at = std::max(at, last_write_);
  if (is_write(request)) last_write_ = at;
  finished_.emplace(at, &request);
}

void TlmTarget::on_finished(void* self, Picoseconds now) {
  auto* const target = static_cast<TlmTarget*>(self);
  while (!target->finished_.empty() && target->finished_.begin()->first <= now) {
    Request& request = *target->finished_.begin()->second;
    target->finished_.erase(target->finished_.begin());
    request.tlp->add(TlpSegment::kMemory, (now - request.arrived).count());
    target->finish(request, now);
  }
  if (!target->finished_.empty()) {
    target->engine_.scheduler().schedule(target->actor_, target->finished_.begin()->first);
  }
}

void TlmTarget::finish(Request& request, Picoseconds now) {
  Tlp& tlp = *request.tlp;
  const bool failed = request.status != CompletionStatus::kSuccessful;
  if (failed) ++statistics_.refused;
  in_->return_credit(tlp, now);
  if (tlp.flow_class == pcie::FlowClass::kNonPosted) {
    const pcie::RequestPiece piece = tlp.length == 0
                                         ? pcie::zero_length_read(BusAddress(tlp.address))
                                         : pcie::make_request(BusAddress(tlp.address), tlp.length);
    request.pieces = pcie::CompletionSplitter(piece, limits_);
    if (tlp.length == 0) request.data.assign(1, std::byte{0});
    answers_.push_back(&request);
    emit(now);
    return;
  }
  PostedListener* const listener = requesters_.find(tlp.requester);
  if (listener != nullptr) {
    if (failed) {
      listener->posted_refused(tlp, request.why, now);
    } else {
      listener->posted_delivered(tlp, now);
    }
  }
  recycle(request);
}

void TlmTarget::input_drained(unsigned /*input*/, Picoseconds now) { emit(now); }

// Makes completions one by one as the link takes them.
void TlmTarget::emit(Picoseconds now) {
  while (!answers_.empty() && out_->waiting(input_) < kReadyCompletions) {
    Request& request = *answers_.front();
    const pcie::CompletionPiece piece = request.pieces.next();
    Tlp* const tlp = pool_.allocate();
    *tlp = Tlp{};
    tlp->kind = pcie::TlpKind::kCompletion;
    tlp->flow_class = pcie::FlowClass::kCompletion;
    tlp->requester = request.tlp->requester;
    tlp->tag = request.tlp->tag;
    tlp->attributes = request.tlp->attributes;
    tlp->byte_count = piece.byte_count;
    tlp->set_completion_address(piece.address.value(), bdf_);
    tlp->set_status(request.status);
    std::copy(std::begin(request.tlp->segments), std::end(request.tlp->segments), tlp->segments);
    bool last = true;  // one completion without data ends a request that failed
    if (request.status == CompletionStatus::kSuccessful) {
      tlp->kind = pcie::TlpKind::kCompletionData;
      tlp->flags |= Tlp::kHasPayload;
      tlp->length = static_cast<std::uint16_t>(piece.bytes);
      if (std::byte* payload = pool_.payload(tlp); payload != nullptr) {
        std::memcpy(payload, request.data.data() + request.sent, piece.bytes);
      }
      request.sent += piece.bytes;
      last = request.pieces.done();
    }
    if (last) {
      answers_.pop_front();
      recycle(request);
    }
    out_->enqueue(input_, tlp, now);
  }
}

}  // namespace peerfab::device
