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

// That only links in FLIT mode lead to a unit which needs 14 bits is a check of the topology.
pcie::TagSize tag_size_for(unsigned outstanding) {
  return pcie::smallest_tag_size(outstanding, /*flit_mode=*/true).value_or(pcie::TagSize::k14Bit);
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
      free_writes_(config.outstanding_writes),
      max_payload_(config.max_payload),
      attributes_(config.relaxed_ordering ? Tlp::kRelaxedOrdering : std::uint8_t{0}),
      has_bus_(costs(config.bus)),
      has_write_costs_(has_bus_ || costs(config.write_path) ||
                       config.write_interval != Picoseconds()),
      scheduler_(scheduler),
      requesters_(requesters),
      config_(config),
      queues_(config.channels),
      tags_(tag_size_for(config.outstanding_reads), config.outstanding_reads),
      reads_(tags_.range().count),
      read_path_{config.read_path, {}},
      write_path_{config.write_path, {}},
      bus_{config.bus, {}} {
  assert(config.channels >= 1 && config.channels <= kMaxChannels);
  assert(config.outstanding_writes >= 1 && config.outstanding_writes <= kMaxOutstandingWrites);
  for (unsigned i = 0; i < config.channels; ++i) channels_[i].index = static_cast<std::uint8_t>(i);
  channels_actor_ = scheduler.add_actor(this, &DmaUnit::on_channels);
  read_path_actor_ = scheduler.add_actor(this, &DmaUnit::on_read_path);
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
  Submitted submitted{work, &listener, cookie, now};
  if (work.row == 0) submitted.work.row = work.length;
  queues_[channel].waiting.push_back(submitted);
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
  ChannelQueue& queue = queues_[channel.index];
  if (queue.waiting.empty()) return false;
  const bool continues = queue.waiting.front().work.continues;
  if (config_.one_at_a_time && !continues && queue.unfinished != 0) return false;
  channel.current = new_job();
  Job& job = jobs_[channel.current];
  job = Job{};
  job.submitted = queue.waiting.front();
  job.channel = channel.index;
  queue.waiting.pop_front();
  ++queue.unfinished;
  const DmaJob& work = job.submitted.work;
  channel.active = true;
  channel.writes = work.direction == DmaJob::Direction::kWrite;
  channel.requests = 0;
  channel.remote = work.remote.value();
  channel.left = work.length;
  channel.left_in_piece = work.row;
  channel.tag_stall = Picoseconds();
  // What a write sends comes out of the engine's own memory first. A ring's next descriptor, and
  // its data, are fetched while the one before is worked on.
  const bool fetches = channel.writes && !continues;
  const Picoseconds fetch = fetches ? local_.read_latency() : Picoseconds();
  const Picoseconds launch = continues ? Picoseconds() : config_.launch;
  const Picoseconds from = config_.one_at_a_time || continues ? now : job.submitted.ready;
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
  std::uint16_t tag = 0;
  if (channel.writes) {
    if (free_writes_ == 0) {
      wait_for_tag(channel, now, waiting_for_place_);
      return false;
    }
    --free_writes_;
    tag = static_cast<std::uint16_t>(id);
  } else {
    const std::optional<Tag> free_tag = tags_.acquire();
    if (!free_tag.has_value()) {
      wait_for_tag(channel, now, waiting_for_tag_);
      return false;
    }
    tag = free_tag->value();
  }

  const std::uint64_t address = channel.remote;
  const std::uint64_t limit = channel.writes ? max_payload_ : config_.max_read_request;
  const std::uint64_t to_boundary =
      pcie::spec::kAddressBoundaryBytes - address % pcie::spec::kAddressBoundaryBytes;
  // A request counts whole DWs, the one of an unaligned first byte included.
  const auto bytes = static_cast<std::uint32_t>(std::min(
      std::min(channel.left_in_piece, channel.left), std::min(limit - address % 4, to_boundary)));
  const bool ends_piece = bytes == channel.left_in_piece || bytes == channel.left;

  Tlp* const tlp = pool_.allocate();
  *tlp = Tlp{};
  tlp->address = address;
  tlp->length = static_cast<std::uint16_t>(bytes);
  tlp->requester = bdf_.value();
  tlp->tag = tag;
  tlp->attributes = attributes_;
  tlp->flags = address >> 32 != 0 ? Tlp::kFourDw : std::uint8_t{0};

  Picoseconds next = now;
  if (channel.writes) {
    tlp->kind = pcie::TlpKind::kMemoryWrite;
    tlp->flow_class = pcie::FlowClass::kPosted;
    tlp->flags |= Tlp::kHasPayload;
    if (std::byte* payload = pool_.payload(tlp); payload != nullptr) {
      local_.content().read(next_local(channel), payload, bytes);
    }
    ++statistics_.write_requests;
    next = local_.reserve(now, bytes);
    if (has_write_costs_) {
      next = std::max({next, now + config_.write_interval, write_path_.use(now, bytes, true)});
      if (has_bus_) next = std::max(next, bus_.use(now, bytes, channel.starts_piece));
    }
  } else {
    tlp->kind = pcie::TlpKind::kMemoryRead;
    tlp->flow_class = pcie::FlowClass::kNonPosted;
    reads_[tags_.index_of(Tag(tag))] = {id, bytes, now, next_local(channel), ends_piece};
    ++statistics_.read_requests;
  }
  channel.next_request = std::max(channel.next_request, next);
  channel.starts_piece = ends_piece;

  ++channel.requests;
  channel.remote += bytes;
  channel.left -= bytes;
  channel.left_in_piece -= bytes;
  if (channel.left == 0) {
    Job& job = jobs_[id];
    job.requests = channel.requests;
    job.last_created = now;
    job.tag_stall = channel.tag_stall;
    channel.active = false;
  } else if (channel.left_in_piece == 0) {
    const DmaJob& work = jobs_[id].submitted.work;
    channel.left_in_piece = work.row;
    channel.remote += work.stride - work.row;
  }
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
  channel.tag_stall += stalled;
  statistics_.tag_stall_ps += stalled.count();
  pump(index, now);
}

void DmaUnit::posted_delivered(const Tlp& tlp, Picoseconds at) {
  Job& job = jobs_[tlp.tag];
  if (job.first_byte == Picoseconds::max()) job.first_byte = at;
  statistics_.bytes_written += tlp.length;
  job.arrived += tlp.length;
  write_done(tlp, at);
}

void DmaUnit::posted_refused(const Tlp& tlp, std::string_view why, Picoseconds at) {
  ++statistics_.failed_requests;
  Job& job = jobs_[tlp.tag];
  if (job.error.empty()) job.error = "a write was discarded: " + std::string(why);
  write_done(tlp, at);
}

void DmaUnit::write_done(const Tlp& tlp, Picoseconds at) {
  if (tlp.is_early_piece()) return;
  ++free_writes_;
  // Writes of a job arrive in order, so the last to arrive is the last that was made.
  request_done(tlp.tag, jobs_[tlp.tag].last_created, tlp.segments, at);
  wake_channel(at, waiting_for_place_);
}

void DmaUnit::completion(Tlp* tlp, Picoseconds now) {
  if (!tags_.is_outstanding(Tag(tlp->tag))) {
    ++unexpected_completions_;
    pool_.release(tlp);
    return;
  }
  const unsigned index = tags_.index_of(Tag(tlp->tag));
  Read& read = reads_[index];
  Arrival arrival;
  arrival.tag = tlp->tag;
  bool last = true;
  std::copy(std::begin(tlp->segments), std::end(tlp->segments), arrival.segments);
  if (tlp->status() == engine::CompletionStatus::kSuccessful) {
    arrival.bytes = tlp->length;
    last = tlp->byte_count == tlp->length;
    if (const std::byte* payload = pool_.payload(tlp); payload != nullptr) {
      local_.content().write(read.local, payload, tlp->length);
    }
    read.local += tlp->length;
  } else {
    // One completion ends the request, whatever it asked for (PCIe r6.0, sec 2.2.9.1).
    Job& job = jobs_[read.job];
    ++statistics_.failed_requests;
    if (job.error.empty()) job.error = status_text(tlp->status());
    arrival.bytes = static_cast<std::uint16_t>(read.remaining);
  }
  pool_.release(tlp);
  Picoseconds through = read_path_.use(now, arrival.bytes, last);
  if (has_bus_) {
    through = std::max(through, bus_.use(now, arrival.bytes, last && read.ends_piece));
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
  Read& read = reads_[index];
  Job& job = jobs_[read.job];
  if (job.first_byte == Picoseconds::max()) job.first_byte = now;
  statistics_.bytes_read += arrival.bytes;
  job.arrived += arrival.bytes;
  read.remaining -= arrival.bytes;
  if (read.remaining != 0) {
    job.serialisation += arrival.segments[static_cast<std::size_t>(TlpSegment::kSerialisation)];
    return;
  }
  const Read done = read;
  const bool released = tags_.release(Tag(arrival.tag));
  assert(released);
  static_cast<void>(released);
  request_done(done.job, done.created, arrival.segments, now);
  wake_channel(now, waiting_for_tag_);
}

void DmaUnit::request_done(std::uint32_t id, Picoseconds created, const std::uint32_t* segments,
                           Picoseconds now) {
  Job& job = jobs_[id];
  if (++job.done != job.requests) {
    job.serialisation += segments[static_cast<std::size_t>(TlpSegment::kSerialisation)];
    return;
  }
  finish(id, created, segments, now);
}

// The latency of a job is that of its last TLP plus what went before it was made. Each segment
// takes what it can claim of the time that is left, so the sum is exact; the rest is queueing.
void DmaUnit::finish(std::uint32_t id, Picoseconds last_created, const std::uint32_t* segments,
                     Picoseconds now) {
  Job& job = jobs_[id];
  DmaReport report;
  report.cookie = job.submitted.cookie;
  report.bytes = job.submitted.work.length;
  report.ready = job.submitted.ready;
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

  left = last_created - job.submitted.ready;
  claim(Segment::kDevice, job.device.count());
  claim(Segment::kMemory, job.local_memory.count());
  claim(Segment::kTagStall, job.tag_stall.count());
  claim(Segment::kSerialisation, job.serialisation);
  report.breakdown[Segment::kQueueing] += left;

  ++statistics_.jobs;
  DmaListener* const listener = job.submitted.listener;
  const unsigned channel = job.channel;
  --queues_[channel].unfinished;
  free_jobs_.push_back(id);
  listener->dma_done(report);
  pump(channel, now);
}

}  // namespace peerfab::device
