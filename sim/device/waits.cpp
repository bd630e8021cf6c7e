// SPDX-License-Identifier: Apache-2.0
// What waits in the parts of a device, and for whom; asked for when a run makes no progress. All of
// it reads what the parts keep anyway.
#include "sim/engine/waits.h"

#include <algorithm>
#include <cstdio>

#include "sim/device/completer.h"
#include "sim/device/dma_unit.h"
#include "sim/device/forwarder.h"
#include "sim/device/tlm_initiator.h"
#include "sim/device/tlm_target.h"
#include "sim/pcie/packet_text.h"

namespace peerfab::device {

using engine::Tlp;
using engine::Waiter;
using engine::WaitGraph;
using engine::WaitId;
using engine::WaitReason;
using pcie::FlowClass;

namespace {

// An input takes more when it drains: its source waits for what stands in it.
void wait_for_input(Waiter& waiter, const engine::Transmitter& out, unsigned input) {
  waiter.any = true;
  for (const FlowClass flow_class :
       {FlowClass::kPosted, FlowClass::kNonPosted, FlowClass::kCompletion}) {
    waiter.wait_for(out.queue_id(input, flow_class));
  }
}

std::string describe_request(std::uint16_t requester, std::uint16_t tag) {
  char text[16];
  std::snprintf(text, sizeof text, " tag 0x%03x", unsigned{tag});
  return pcie::to_text(Bdf(requester)) + text;
}

std::string count(std::size_t number, const char* one, const char* many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

}  // namespace

// --- Forwarder -----------------------------------------------------------------------------------

void Forwarder::describe_waits(WaitGraph& graph, const std::string& owner) const {
  for (const Port& port : ports_) {
    if (port.delayed.empty()) continue;
    const WaitId id{&port, 0};
    graph.add(id, owner + ", between two ports").moves = true;
    for (std::size_t i = 0; i < port.delayed.size(); ++i) {
      graph.contains(id, *port.delayed[i].tlp);
      graph.holds(id, *port.in, port.delayed[i].tlp->flow_class);
    }
  }
}

// --- Completer -----------------------------------------------------------------------------------

void Completer::describe_waits(WaitGraph& graph, const std::string& owner) const {
  if (!writes_.empty()) {
    const WaitId id{&writes_, 0};
    graph.add(id, owner + ", writes to its memory").moves = true;
    for (std::size_t i = 0; i < writes_.size(); ++i) {
      graph.contains(id, *writes_[i].tlp);
      graph.holds(id, *writes_[i].in, writes_[i].tlp->flow_class);
    }
  }
  for (const auto& port : ports_) {
    if (port->reads.empty()) continue;
    const PendingRead& first = port->reads.front();
    const WaitId id{port.get(), 0};
    Waiter& waiter = graph.add(id, owner + ", completer in front of " + graph.link_of(*port->out));
    waiter.what = "has " + count(port->reads.size(), "read", "reads") +
                  " to answer, first that of " + describe_request(first.requester, first.tag) +
                  "; its completions wait for those before them";
    for (std::size_t i = 0; i < port->reads.size(); ++i) {
      graph.contains_answer(id, Bdf(port->reads[i].requester), port->reads[i].tag);
    }
    // With room in front of the wire, what is missing is data that the memory has still to bring.
    waiter.moves = port->out->waiting(port->input) == 0 || first.ready > scheduler_.now();
    wait_for_input(waiter, *port->out, port->input);
  }
}

// --- DMA unit ------------------------------------------------------------------------------------

std::vector<std::uint32_t> DmaUnit::jobs_at_work() const {
  std::vector<bool> idle(jobs_.size(), false);
  for (const std::uint32_t id : free_jobs_) idle[id] = true;
  std::vector<std::uint32_t> busy;
  for (std::uint32_t id = 0; id < jobs_.size(); ++id) {
    if (!idle[id]) busy.push_back(id);
  }
  return busy;
}

std::uint64_t DmaUnit::requests_over(const DmaListener& listener) const {
  std::uint64_t over = 0;
  for (const std::uint32_t id : jobs_at_work()) {
    if (jobs_[id].submitted.listener == &listener) over += jobs_[id].done;
  }
  return over;
}

std::uint64_t DmaUnit::arrived(const DmaListener& listener, std::uint64_t cookie) const {
  for (const std::uint32_t id : jobs_at_work()) {
    const Submitted& submitted = jobs_[id].submitted;
    if (submitted.listener == &listener && submitted.cookie == cookie) return jobs_[id].arrived;
  }
  return 0;
}

WaitId DmaUnit::wait_id(std::uint32_t job) const {
  const Submitted& submitted = jobs_[job].submitted;
  return {submitted.listener, submitted.cookie};
}

void DmaUnit::describe_waits(WaitGraph& graph, const std::string& owner) const {
  for (unsigned i = 0; i < config_.channels; ++i) describe_channel(graph, owner, i);
  const pcie::TagRange range = tags_.range();
  std::map<std::uint32_t, std::vector<unsigned>> reads_of_job;
  for (unsigned i = 0; i < range.count; ++i) {
    if (!tags_.is_outstanding(Tag(static_cast<std::uint16_t>(range.first + i)))) continue;
    reads_of_job[reads_[i].job].push_back(i);
    describe_read(graph, owner, i);
  }
  if (!arrivals_.empty()) {
    const WaitId id{&arrivals_, 0};
    graph.add(id, owner + ", read path").moves = true;
    for (std::size_t i = 0; i < arrivals_.size(); ++i) {
      graph.contains_answer(id, bdf_, arrivals_[i].tag);
    }
  }
  for (const std::uint32_t id : jobs_at_work()) {
    const Job& job = jobs_[id];
    const Channel& channel = channels_[job.channel];
    const DmaJob& work = job.submitted.work;
    const bool writes = work.direction == DmaJob::Direction::kWrite;
    Waiter& waiter = graph.add(wait_id(id), owner + ", DMA channel " + std::to_string(job.channel));
    const bool issuing = channel.active && channel.current == id;
    const std::uint32_t made = issuing ? channel.requests : job.requests;
    waiter.reason = writes ? WaitReason::kDelivery : WaitReason::kCompletion;
    waiter.what = std::string("a job of ") + std::to_string(work.length) + " B, " +
                  std::to_string(job.done) + " of " + count(made, "request", "requests") +
                  " over, waits for " + (writes ? "the delivery of its writes" : "its reads") +
                  (issuing ? " and for its channel" : "");
    if (issuing) waiter.wait_for({&channel, 0});
    if (writes) waiter.wait_for_writes(bdf_, static_cast<std::uint16_t>(id));
    for (const unsigned read : reads_of_job[id]) waiter.wait_for({&reads_, read});
  }
}

void DmaUnit::describe_channel(WaitGraph& graph, const std::string& owner, unsigned index) const {
  const Channel& channel = channels_[index];
  const ChannelQueue& queue = queues_[index];
  if (!channel.active && queue.waiting.empty()) return;
  const WaitId id{&channel, 0};
  Waiter& waiter = graph.add(id, owner + ", DMA channel " + std::to_string(index));
  const std::uint32_t bit = std::uint32_t{1} << index;
  const pcie::TagRange range = tags_.range();
  if ((waiting_for_tag_.channels & bit) != 0) {
    waiter.reason = WaitReason::kTag;
    waiter.what = "waits for a tag: all " + std::to_string(tags_.limit()) + " are in use";
    waiter.any = true;
    for (unsigned i = 0; i < range.count; ++i) waiter.wait_for({&reads_, i});
  } else if ((waiting_for_place_.channels & bit) != 0) {
    waiter.reason = WaitReason::kDelivery;
    waiter.what = "waits for a place among its writes in flight: all " +
                  std::to_string(config_.outstanding_writes) + " are taken";
    waiter.any = true;
    waiter.wait_for_writes(bdf_, std::nullopt);
  } else if ((timed_ & bit) != 0) {
    waiter.moves = true;
  } else if (out_->waiting(first_input_ + index) != 0) {
    waiter.what = "waits until its request goes out over " + graph.link_of(*out_);
    wait_for_input(waiter, *out_, first_input_ + index);
  } else {
    waiter.what = "waits for the end of the job before";
    for (const std::uint32_t job : jobs_at_work()) {
      if (jobs_[job].channel == index) waiter.wait_for(wait_id(job));
    }
  }
  // Jobs that were not taken up yet.
  for (std::size_t i = 0; i < queue.waiting.size(); ++i) {
    const Submitted& next = queue.waiting[i];
    Waiter& behind = graph.add({next.listener, next.cookie}, waiter.who);
    behind.what = "a job of " + std::to_string(next.work.length) + " B waits for those before it";
    behind.wait_for(id);
  }
}

void DmaUnit::describe_read(WaitGraph& graph, const std::string& owner, unsigned index) const {
  const auto tag = static_cast<std::uint16_t>(tags_.range().first + index);
  Waiter& waiter = graph.add({&reads_, index}, owner);
  waiter.reason = WaitReason::kCompletion;
  waiter.what = "MRd " + describe_request(bdf_.value(), tag) + " waits for its completion, " +
                std::to_string(reads_[index].remaining) + " B still to come";
  waiter.wait_for_answer(bdf_, tag);
}

// --- The target side of a model from outside -----------------------------------------------------

void TlmTarget::describe_waits(WaitGraph& graph, const std::string& owner) const {
  const WaitId queue{&waiting_, 0};
  std::vector<WaitId> in_calls;
  for (const auto& owned : requests_) {
    const Request& request = *owned;
    if (request.tlp == nullptr || request.caller == nullptr) continue;
    const WaitId id{&request, 0};
    in_calls.push_back(id);
    Waiter& waiter = graph.add(id, owner + ", inside its model");
    const bool writes = is_write(request);
    waiter.reason = writes ? WaitReason::kAcceptance : WaitReason::kOutside;
    waiter.what = describe_tlp(*request.tlp) + ", arrived at " +
                  std::to_string(request.arrived.count() / 1000) + " ns: " +
                  (writes ? "the model has not accepted this posted request"
                          : "the model has not answered this read");
    waiter.opaque = true;
    waiter.wait_for_process(request.caller);
    graph.contains(id, *request.tlp);
    graph.holds(id, *in_, request.tlp->flow_class);
  }
  if (!waiting_.empty()) {
    const Tlp& first = *waiting_.front()->tlp;
    Waiter& waiter = graph.add(queue, owner + ", in front of its model");
    waiter.what =
        (waiting_.size() == 1 ? "" : "the first of " + std::to_string(waiting_.size()) + ", ") +
        describe_tlp(first) + ", waits for the requests in it";
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      graph.contains(queue, *waiting_[i]->tlp);
      graph.holds(queue, *in_, waiting_[i]->tlp->flow_class);
    }
    for (const WaitId id : in_calls) waiter.wait_for(id);
    // A read only waits for a thread, unless a write is in the target.
    waiter.any = first.flow_class != FlowClass::kPosted && !write_in_call_;
    waiter.moves = in_calls.empty();
  }
  const WaitId timed{&finished_, 0};
  if (!finished_.empty()) graph.add(timed, owner + ", within the delay of its model").moves = true;
  for (const auto& [at, request] : finished_) {
    graph.contains(timed, *request->tlp);
    graph.holds(timed, *in_, request->tlp->flow_class);
  }
  if (answers_.empty()) return;
  const WaitId answers{&answers_, 0};
  Waiter& waiter = graph.add(answers, owner + ", answers of its model");
  waiter.what = "waits until its completion goes out over " + graph.link_of(*out_);
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    graph.contains_answer(answers, Bdf(answers_[i]->tlp->requester), answers_[i]->tlp->tag);
  }
  wait_for_input(waiter, *out_, input_);
}

// --- Its initiator side --------------------------------------------------------------------------

void TlmInitiator::describe_waits(WaitGraph& graph, const std::string& owner) const {
  const WaitId sender{this, 0};
  std::vector<const Call*> calls;
  if (!calls_.empty()) {
    Waiter& waiter = graph.add(sender, owner + ", requests of its model");
    if (waits_for_tag_since_.has_value()) {
      waiter.reason = WaitReason::kTag;
      waiter.what = "waits for a tag: all " + std::to_string(tags_.limit()) + " are in use";
      waiter.any = true;
      for (unsigned i = 0; i < tags_.range().count; ++i) waiter.wait_for({&reads_, i});
    } else {
      waiter.what = "waits until its request goes out over " + graph.link_of(*out_);
      waiter.moves = out_->waiting(input_) == 0;
      wait_for_input(waiter, *out_, input_);
    }
    for (std::size_t i = 0; i < calls_.size(); ++i) calls.push_back(calls_[i]);
  }
  for (unsigned i = 0; i < tags_.range().count; ++i) {
    const auto tag = static_cast<std::uint16_t>(tags_.range().first + i);
    if (!tags_.is_outstanding(Tag(tag))) continue;
    if (std::find(calls.begin(), calls.end(), reads_[i].call) == calls.end()) {
      calls.push_back(reads_[i].call);
    }
    Waiter& waiter = graph.add({&reads_, i}, owner + ", requests of its model");
    waiter.reason = WaitReason::kCompletion;
    waiter.what = "MRd " + describe_request(registers_->bdf.value(), tag) +
                  " waits for its completion, " + std::to_string(reads_[i].remaining) +
                  " B still to come";
    waiter.wait_for_answer(registers_->bdf, tag);
  }
  for (const Call* const call : calls) describe_call(graph, owner, *call);
}

void TlmInitiator::describe_call(WaitGraph& graph, const std::string& owner,
                                 const Call& call) const {
  const WaitId id{&call, 0};
  Waiter& waiter = graph.add(id, owner + ", a call of its model into the fabric");
  waiter.what = call.writes ? "a write waits until its TLPs stand in front of the wire"
                            : "a read waits for its data";
  waiter.reason = call.writes ? WaitReason::kBehind : WaitReason::kCompletion;
  graph.blocks(id, call.caller);
  for (unsigned i = 0; i < tags_.range().count; ++i) {
    const Tag tag(static_cast<std::uint16_t>(tags_.range().first + i));
    if (tags_.is_outstanding(tag) && reads_[i].call == &call) waiter.wait_for({&reads_, i});
  }
  if (!call.pieces.done()) waiter.wait_for({this, 0});
}

}  // namespace peerfab::device
