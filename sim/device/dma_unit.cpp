// SPDX-License-Identifier: Apache-2.0
#include "sim/device/dma_unit.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "sim/pcie/spec.h"

namespace peerfab::device {

using engine::Tlp;
using engine::TlpSegment;
using stats::Segment;

namespace {

// TLPs of a channel in front of the wire: one, and one to follow it without a gap.
constexpr std::uint32_t kReadyRequests = 2;

pcie::TagSize tag_size_for(unsigned outstanding) {
  return pcie::smallest_tag_size(outstanding).value_or(pcie::TagSize::k10Bit);
}

bool costs(const DatapathConfig& path) {
  return path.rate != Bandwidth() || path.cost != Picoseconds();
}

std::string_view status_text(engine::CompletionStatus status) {
  switch (status) {
    case engine::CompletionStatus::kUnsupportedRequest:
      return "a read was answered with Unsupported Request";
    case engine::CompletionStatus::kCompleterAbort:
      return "a read was answered with Completer Abort";
    default:
      return "a read was answered with an unexpected status";
  }
}

}  // namespace

Picoseconds DmaUnit::Server::use(Picoseconds at, std::uint32_t bytes, bool with_cost) {
  free = std::max(at, free) + transfer_time(Bytes(bytes), config.rate);
  if (with_cost) free += config.cost;
  return free;
}

DmaUnit::DmaUnit(engine::Scheduler& scheduler, engine::TlpPool& pool, RequesterTable& requesters,
                 Memory& local, const DmaConfig& config)
    : pool_(pool),
      local_(local),
      channels_(std::make_unique<Channel[]>(config.channels)),
      writes_(std::make_unique<Request[]>(config.outstanding_writes)),
      max_payload_(config.max_payload),
      attributes_(config.relaxed_ordering ? Tlp::kRelaxedOrdering : std::uint8_t{0}),
      has_bus_(costs(config.bus)),
      has_write_costs_(has_bus_ || costs(config.write_path) ||
                       config.write_interval != Picoseconds()),
      scheduler_(scheduler),
      requesters_(requesters),
      config_(config),
      tags_(tag_size_for(config.outstanding_reads), config.outstanding_reads),
      reads_(tags_.range().count),
      read_targets_(tags_.range().count),
      read_path_{config.read_path, {}},
      write_path_{config.write_path, {}},
      bus_{config.bus, {}} {
  assert(config.channels >= 1 && config.channels <= kMaxChannels);
  assert(config.outstanding_writes >= 1 && config.outstanding_writes <= 0xffff);
  for (unsigned i = 0; i < config.channels; ++i) channels_[i].index = static_cast<std::uint8_t>(i);
  channels_actor_ = scheduler.add_actor(this, &DmaUnit::on_channels);
  read_path_actor_ = scheduler.add_actor(this, &DmaUnit::on_read_path);
  for (std::uint32_t i = 0; i < config.outstanding_writes; ++i) {
    writes_[i].job = i + 1 < config.outstanding_writes ? i + 1 : kNoWrite;
  }
}

void DmaUnit::connect(engine::Transmitter& out, unsigned first_input) {
  out_ = &out;
  first_input_ = static_cast<std::uint8_t>(first_input);
  for (unsigned i = 0; i < config_.channels; ++i) out.set_source(first_input + i, this, i);
}

void DmaUnit::set_identity(Bdf bdf, std::uint32_t max_payload) {
  bdf_ = bdf;
  max_payload_ = std::min(config_.max_payload, max_payload);
  requesters_.add(bdf, this);
}

std::uint32_t DmaUnit::new_job() {
  if (free_jobs_.empty()) {
    jobs_.emplace_back();
    return static_cast<std::uint32_t>(jobs_.size() - 1);
  }
  const std::uint32_t id = free_jobs_.back();
  free_jobs_.pop_back();
  return id;
}

void DmaUnit::submit(unsigned channel, const DmaJob& work, DmaListener& listener,
                     std::uint64_t cookie, Picoseconds now) {
  assert(work.length > 0);
  const std::uint32_t id = new_job();
  Job& job = jobs_[id];
  job = Job{};
  job.work = work;
  if (job.work.row == 0) job.work.row = job.work.length;
  job.next_remote = work.remote.value();
  job.next_local = work.local;
  job.left = work.length;
  job.left_in_piece = job.work.row;
  job.writes = work.direction == DmaJob::Direction::kWrite;
  job.listener = &listener;
  job.cookie = cookie;
  job.channel = static_cast<std::uint8_t>(channel);
  job.ready = now;
  channels_[channel].waiting.push_back(id);
  pump(channel, now);
}

void DmaUnit::on_channels(void* self, Picoseconds now) {
  auto* const unit = static_cast<DmaUnit*>(self);
  for (unsigned i = 0; i < unit->config_.channels; ++i) {
    const Channel& channel = unit->channels_[i];
    const std::uint32_t bit = std::uint32_t{1} << channel.index;
    if ((unit->timed_ & bit) == 0 || channel.next_request > now) continue;
    unit->timed_ &= ~bit;
    unit->pump(channel.index, now);
  }
  unit->schedule_channels(now);
}

void DmaUnit::schedule_channels(Picoseconds now) {
  Picoseconds first = Picoseconds::max();
  for (unsigned i = 0; i < config_.channels; ++i) {
    if ((timed_ >> i & 1) != 0) first = std::min(first, channels_[i].next_request);
  }
  if (first != Picoseconds::max()) scheduler_.schedule(channels_actor_, std::max(first, now));
}

void DmaUnit::wake_later(const Channel& channel, Picoseconds now) {
  timed_ |= std::uint32_t{1} << channel.index;
  schedule_channels(now);
}

// Takes up the next job if there is one and its turn has come.
bool DmaUnit::take_up(Channel& channel, Picoseconds now) {
  if (channel.waiting.empty()) return false;
  const bool continues = jobs_[channel.waiting.front()].work.continues;
  if (config_.one_at_a_time && !continues && channel.unfinished != 0) return false;
  channel.current = channel.waiting.front();
  channel.waiting.pop_front();
  channel.active = true;
  ++channel.unfinished;
  Job& job = jobs_[channel.current];
  // What a write sends comes out of the engine's own memory first. A ring's next descriptor, and
  // its data, are fetched while the one before is worked on.
  const bool fetches = job.writes && !continues;
  const Picoseconds fetch = fetches ? local_.read_latency() : Picoseconds();
  const Picoseconds launch = continues ? Picoseconds() : config_.launch;
  const Picoseconds from = config_.one_at_a_time || continues ? now : job.ready;
  const Picoseconds first = std::max(now, from + launch + fetch);
  job.local_memory = std::min(first - now, fetch);
  job.device = first - now - job.local_memory;
  channel.next_request = std::max(channel.next_request, first);
  return true;
}

void DmaUnit::pump(unsigned index, Picoseconds now) {
  Channel& channel = channels_[index];
  while (out_->waiting(first_input_ + index) < kReadyRequests) {
    if (!channel.active && !take_up(channel, now)) return;
    if (channel.next_request > now) {
      wake_later(channel, now);
      return;
    }
    if (!send_request(channel, now)) return;
  }
}

// Makes the next request of the current job. False: it waits for a tag or a place.
bool DmaUnit::send_request(Channel& channel, Picoseconds now) {
  const std::uint32_t id = channel.current;
  Job& job = jobs_[id];
  std::uint16_t tag = 0;
  if (job.writes) {
    if (free_write_ == kNoWrite) {
      wait_for_tag(channel, now, waiting_for_place_);
      return false;
    }
    tag = static_cast<std::uint16_t>(free_write_);
    free_write_ = writes_[tag].job;
  } else {
    const std::optional<Tag> free_tag = tags_.acquire();
    if (!free_tag.has_value()) {
      wait_for_tag(channel, now, waiting_for_tag_);
      return false;
    }
    tag = free_tag->value();
  }

  const std::uint64_t address = job.next_remote;
  const std::uint64_t local = job.next_local;
  const std::uint64_t limit = job.writes ? max_payload_ : config_.max_read_request;
  const std::uint64_t to_boundary =
      pcie::spec::kAddressBoundaryBytes - address % pcie::spec::kAddressBoundaryBytes;
  // A request counts whole DWs, the one of an unaligned first byte included.
  const auto bytes = static_cast<std::uint32_t>(
      std::min(std::min(job.left_in_piece, job.left), std::min(limit - address % 4, to_boundary)));
  job.next_remote += bytes;
  job.next_local += bytes;
  job.left -= bytes;
  job.left_in_piece -= bytes;
  const bool ends_piece = job.left_in_piece == 0 || job.left == 0;

  Tlp* const tlp = pool_.allocate();
  *tlp = Tlp{};
  tlp->address = address;
  tlp->length = static_cast<std::uint16_t>(bytes);
  tlp->requester = bdf_.value();
  tlp->tag = tag;
  tlp->attributes = attributes_;
  tlp->flags = address >> 32 != 0 ? Tlp::kFourDw : std::uint8_t{0};

  Picoseconds next = now;
  if (job.writes) {
    tlp->kind = pcie::TlpKind::kMemoryWrite;
    tlp->flow_class = pcie::FlowClass::kPosted;
    tlp->flags |= Tlp::kHasPayload;
    if (std::byte* payload = pool_.payload(tlp); payload != nullptr) {
      local_.content().read(local, payload, bytes);
    }
    writes_[tag] = {id, bytes, now};
    ++statistics_.write_requests;
    next = local_.reserve(now, bytes);
    if (has_write_costs_) {
      next = std::max({next, now + config_.write_interval, write_path_.use(now, bytes, true)});
      if (has_bus_) next = std::max(next, bus_.use(now, bytes, channel.starts_piece));
    }
  } else {
    tlp->kind = pcie::TlpKind::kMemoryRead;
    tlp->flow_class = pcie::FlowClass::kNonPosted;
    const unsigned index = tags_.index_of(Tag(tag));
    reads_[index] = {id, bytes, now};
    read_targets_[index] = {local, ends_piece};
    ++statistics_.read_requests;
  }
  channel.next_request = std::max(channel.next_request, next);
  channel.starts_piece = ends_piece;

  if (job.left_in_piece == 0) {
    job.left_in_piece = job.work.row;
    job.next_remote += job.work.stride - job.work.row;
    job.next_local += job.work.stride - job.work.row;
  }
  ++job.outstanding;
  if (job.left == 0) channel.active = false;
  out_->enqueue(first_input_ + channel.index, tlp, now);
  return true;
}

void DmaUnit::wait_for_tag(Channel& channel, Picoseconds now, Waiting& waiting) {
  waiting.channels |= std::uint32_t{1} << channel.index;
  channel.waits_since = now;
}

// A tag or a place is free: the next channel that waits for one of its kind gets it, round robin.
void DmaUnit::wake_channel(Picoseconds now, Waiting& waiting) {
  if (waiting.channels == 0) return;
  const std::uint32_t upto_last = ~std::uint32_t{0} >> (kMaxChannels - 1 - waiting.last_woken);
  const std::uint32_t above = waiting.channels & ~upto_last;
  const auto index = static_cast<unsigned>(std::countr_zero(above != 0 ? above : waiting.channels));
  waiting.last_woken = index;
  waiting.channels &= ~(std::uint32_t{1} << index);
  Channel& channel = channels_[index];
  const Picoseconds stalled = now - channel.waits_since;
  jobs_[channel.current].tag_stall += stalled;
  statistics_.tag_stall_ps += stalled.count();
  pump(index, now);
}

void DmaUnit::posted_delivered(const Tlp& tlp, Picoseconds at) {
  const Request request = writes_[tlp.tag];
  writes_[tlp.tag].job = free_write_;
  free_write_ = tlp.tag;
  Job& job = jobs_[request.job];
  if (job.first_byte == Picoseconds::max()) job.first_byte = at;
  statistics_.bytes_written += request.remaining;
  request_done(request.job, request, tlp.segments, at);
  wake_channel(at, waiting_for_place_);
}

void DmaUnit::posted_refused(const Tlp& tlp, std::string_view why, Picoseconds at) {
  const Request request = writes_[tlp.tag];
  writes_[tlp.tag].job = free_write_;
  free_write_ = tlp.tag;
  ++statistics_.failed_requests;
  Job& job = jobs_[request.job];
  if (job.error.empty()) job.error = "a write was discarded: " + std::string(why);
  request_done(request.job, request, tlp.segments, at);
  wake_channel(at, waiting_for_place_);
}

void DmaUnit::completion(Tlp* tlp, Picoseconds now) {
  if (!tags_.is_outstanding(Tag(tlp->tag))) {
    ++unexpected_completions_;
    pool_.release(tlp);
    return;
  }
  const unsigned index = tags_.index_of(Tag(tlp->tag));
  const Request& request = reads_[index];
  ReadTarget& target = read_targets_[index];
  Arrival arrival;
  arrival.tag = tlp->tag;
  bool last = true;
  std::copy(std::begin(tlp->segments), std::end(tlp->segments), arrival.segments);
  if (tlp->status() == engine::CompletionStatus::kSuccessful) {
    arrival.bytes = tlp->length;
    last = tlp->byte_count == tlp->length;
    if (const std::byte* payload = pool_.payload(tlp); payload != nullptr) {
      local_.content().write(target.local, payload, tlp->length);
    }
    target.local += tlp->length;
  } else {
    // One completion ends the request, whatever it asked for (PCIe r6.0, sec 2.2.9.1).
    Job& job = jobs_[request.job];
    ++statistics_.failed_requests;
    if (job.error.empty()) job.error = status_text(tlp->status());
    arrival.bytes = static_cast<std::uint16_t>(request.remaining);
  }
  pool_.release(tlp);
  Picoseconds through = read_path_.use(now, arrival.bytes, last);
  if (has_bus_) {
    through = std::max(through, bus_.use(now, arrival.bytes, last && target.ends_piece));
  }
  through = std::max(through, local_.write(now, arrival.bytes));
  if (through <= now && arrivals_.empty()) {
    take_data(arrival, now);
    return;
  }
  arrival.through = std::max(through, now);
  arrivals_.push_back(arrival);
  if (arrivals_.size() == 1) scheduler_.schedule(read_path_actor_, arrival.through);
}

void DmaUnit::on_read_path(void* self, Picoseconds now) {
  auto* const unit = static_cast<DmaUnit*>(self);
  while (!unit->arrivals_.empty() && unit->arrivals_.front().through <= now) {
    const Arrival arrival = unit->arrivals_.front();
    unit->arrivals_.pop_front();
    unit->take_data(arrival, now);
  }
  if (!unit->arrivals_.empty()) {
    unit->scheduler_.schedule(unit->read_path_actor_,
                              std::max(now, unit->arrivals_.front().through));
  }
}

void DmaUnit::take_data(const Arrival& arrival, Picoseconds now) {
  const unsigned index = tags_.index_of(Tag(arrival.tag));
  Request& request = reads_[index];
  Job& job = jobs_[request.job];
  if (job.first_byte == Picoseconds::max()) job.first_byte = now;
  statistics_.bytes_read += arrival.bytes;
  request.remaining -= arrival.bytes;
  if (request.remaining != 0) {
    job.serialisation += arrival.segments[static_cast<std::size_t>(TlpSegment::kSerialisation)];
    return;
  }
  const Request done = request;
  const bool released = tags_.release(Tag(arrival.tag));
  assert(released);
  static_cast<void>(released);
  request_done(done.job, done, arrival.segments, now);
  wake_channel(now, waiting_for_tag_);
}

void DmaUnit::request_done(std::uint32_t id, const Request& request, const std::uint32_t* segments,
                           Picoseconds now) {
  Job& job = jobs_[id];
  --job.outstanding;
  if (job.outstanding != 0 || job.left != 0) {
    job.serialisation += segments[static_cast<std::size_t>(TlpSegment::kSerialisation)];
    return;
  }
  finish(id, request.created, segments, now);
}

// The latency of a job is that of its last TLP plus what went before it was made. Each segment
// takes what it can claim of the time that is left, so the sum is exact; the rest is queueing.
void DmaUnit::finish(std::uint32_t id, Picoseconds last_created, const std::uint32_t* segments,
                     Picoseconds now) {
  Job& job = jobs_[id];
  DmaReport report;
  report.cookie = job.cookie;
  report.bytes = job.work.length;
  report.ready = job.ready;
  report.first_byte = job.first_byte == Picoseconds::max() ? now : job.first_byte;
  report.end = now;
  report.error = std::move(job.error);

  Picoseconds left = now - last_created;
  const auto claim = [&left, &report](Segment segment, std::uint64_t wanted) {
    const Picoseconds taken = std::min(left, Picoseconds(wanted));
    report.breakdown[segment] += taken;
    left -= taken;
  };
  const auto of_last = [segments](TlpSegment segment) {
    return std::uint64_t{segments[static_cast<std::size_t>(segment)]};
  };
  claim(Segment::kSerialisation, of_last(TlpSegment::kSerialisation));
  claim(Segment::kPropagation, of_last(TlpSegment::kPropagation));
  claim(Segment::kSwitch, of_last(TlpSegment::kSwitch));
  claim(Segment::kCreditStall, of_last(TlpSegment::kCreditStall));
  claim(Segment::kOrderingStall, of_last(TlpSegment::kOrderingStall));
  claim(Segment::kIotlbMiss, of_last(TlpSegment::kIotlbMiss));
  claim(Segment::kMemory, of_last(TlpSegment::kMemory));
  report.breakdown[Segment::kQueueing] += left;

  left = last_created - job.ready;
  claim(Segment::kDevice, job.device.count());
  claim(Segment::kMemory, job.local_memory.count());
  claim(Segment::kTagStall, job.tag_stall.count());
  claim(Segment::kSerialisation, job.serialisation);
  report.breakdown[Segment::kQueueing] += left;

  ++statistics_.jobs;
  DmaListener* const listener = job.listener;
  const unsigned channel = job.channel;
  --channels_[channel].unfinished;
  free_jobs_.push_back(id);
  listener->dma_done(report);
  pump(channel, now);
}

}  // namespace peerfab::device
