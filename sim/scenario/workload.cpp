// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/workload.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "sim/config/quantity.h"

namespace peerfab::scenario {

using stats::Segment;

namespace {

// A link that is busier than this for as long as the flow lasts is what limits it.
constexpr std::uint64_t kSaturatedPpm = 900'000;

std::uint64_t ppm(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(part) * 1'000'000U / whole);
}

}  // namespace

FlowDriver::FlowDriver(const FlowSpec& spec, const FlowPlan& plan, topology::System& system,
                       Payload payload, unsigned number, unsigned channel)
    : spec_(spec),
      plan_(plan),
      system_(system),
      check_payload_(payload == Payload::kReal),
      channel_(channel),
      actor_(system.engine().scheduler().add_actor(this, &FlowDriver::on_wake)),
      initiator_(system.model(plan.by).initiator()),
      from_memory_(system.model(plan.from).memory_target()),
      to_memory_(system.model(plan.to).memory_target()) {
  const std::uint64_t unit = plan.staged ? spec.staging_chunk.count() : spec.chunk.count();
  chunks_ = (spec.size.count() + unit - 1) / unit;
  total_ = chunks_ * spec.count;
  if (plan.staged) {
    second_initiator_ = system.model(plan.to).initiator();
    device::MemoryTarget* const host = system.model(plan.staging).memory_target();
    // Each flow has staging buffers of its own, one after the other below the end of the host's
    // memory.
    const std::uint64_t step = (unit + 4095) / 4096 * 4096;
    const std::uint64_t all = step * spec.staging_buffers;
    const std::uint64_t top = host->memory().size().count();
    for (unsigned i = 0; i < spec.staging_buffers; ++i) {
      const std::uint64_t below = (number + 1) * all;
      const std::optional<BusAddress> address =
          below <= top ? host->map(top - below + i * step, unit) : std::nullopt;
      if (!address.has_value()) {
        fail("the staging buffers do not fit into the memory of " +
             system.model(plan.staging).name());
        break;
      }
      buffers_.push_back(*address);
    }
    buffer_busy_.assign(buffers_.size(), 0);
  }
}

void FlowDriver::fail(const std::string& why) {
  if (error_.empty()) error_ = "flow '" + spec_.name + "': " + why;
}

void FlowDriver::begin(Picoseconds from) {
  const Picoseconds now = system_.engine().scheduler().now();
  system_.engine().scheduler().schedule(actor_, std::max(now, from + spec_.start));
}

void FlowDriver::on_wake(void* self, Picoseconds now) {
  auto* const driver = static_cast<FlowDriver*>(self);
  if (!driver->started_) {
    driver->started_ = true;
    driver->start_ = now;
    driver->measured_from_ = std::max(now, driver->measured_from_);
    for (const FlowPlan::Direction& direction : driver->plan_.directions) {
      driver->busy_at_start_.push_back(direction.transmitter->busy_ticks());
    }
  }
  driver->issue(now);
}

void FlowDriver::end_warm_up(Picoseconds now) {
  measured_from_ = now;
  // The counters start anew as well.
  std::fill(busy_at_start_.begin(), busy_at_start_.end(), 0);
  measured_bytes_ = Bytes();
  measured_transactions_ = 0;
  latency_.clear();
  breakdown_ = {};
  // What has arrived of transactions that are under way belongs to the warm-up.
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    Transaction& transaction = slots_[slot];
    if (!transaction.under_way) continue;
    if (!plan_.staged) {
      transaction.arrived_before = initiator_->arrived(*this, slot);
    } else if (transaction.second_stage) {
      transaction.arrived_before = second_initiator_->arrived(*this, slot);
    }
  }
}

std::uint64_t FlowDriver::chunk_offset(std::uint64_t number) const {
  const std::uint64_t chunk = number % chunks_;
  if (plan_.staged) return chunk * spec_.staging_chunk.count();
  const std::uint64_t position = chunk * spec_.chunk.count();
  const std::uint64_t row = spec_.row.count();
  return position / row * spec_.stride.count() + position % row;
}

std::uint64_t FlowDriver::chunk_bytes(std::uint64_t number) const {
  const std::uint64_t chunk = number % chunks_;
  const std::uint64_t unit = plan_.staged ? spec_.staging_chunk.count() : spec_.chunk.count();
  return std::min(unit, spec_.size.count() - chunk * unit);
}

// From the first byte to the last, rows and the gaps between them.
std::uint64_t FlowDriver::chunk_span(std::uint64_t number) const {
  const std::uint64_t bytes = chunk_bytes(number);
  const std::uint64_t row = spec_.row.count();
  if (plan_.staged || bytes <= row) return bytes;
  const std::uint64_t rows = (bytes + row - 1) / row;
  return (rows - 1) * spec_.stride.count() + (bytes - (rows - 1) * row);
}

void FlowDriver::issue(Picoseconds now) {
  if (issuing_ || done_) return;
  issuing_ = true;
  // What waits in the host goes first: it frees a buffer.
  while (!second_stage_.empty()) {
    const std::uint32_t slot = second_stage_.front();
    if (!submit_stage(slot, now)) break;
    second_stage_.erase(second_stage_.begin());
  }
  const std::uint32_t depth =
      plan_.staged ? static_cast<std::uint32_t>(buffers_.size()) : spec_.queue_depth;
  while (issued_ < total_ && outstanding_ < depth) {
    Picoseconds ready = now;
    if (spec_.interval.has_value()) {
      ready = start_ + *spec_.interval * issued_;
      if (ready > now) {
        system_.engine().scheduler().schedule(actor_, ready);
        break;
      }
    }
    std::uint32_t slot = 0;
    if (free_slots_.empty()) {
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      slot = free_slots_.back();
      free_slots_.pop_back();
    }
    slots_[slot] = Transaction{};
    slots_[slot].number = issued_;
    slots_[slot].under_way = true;
    slots_[slot].ready = ready;
    slots_[slot].waiting_since = ready;
    // Counted before it is submitted: a job may be over before submit() returns.
    ++issued_;
    ++outstanding_;
    if (!(plan_.staged ? submit_stage(slot, now) : submit_direct(slot, now))) {
      --issued_;
      --outstanding_;
      slots_[slot].under_way = false;
      free_slots_.push_back(slot);
      break;
    }
  }
  issuing_ = false;
}

// False: the aperture of the other side has no room now.
bool FlowDriver::submit_direct(std::uint32_t slot, Picoseconds now) {
  Transaction& transaction = slots_[slot];
  const bool writes = plan_.by == plan_.from;
  device::MemoryTarget* const remote = writes ? to_memory_ : from_memory_;
  const std::uint64_t offset = chunk_offset(transaction.number);
  const std::uint64_t from = spec_.from_offset.count() + offset;
  const std::uint64_t to = spec_.to_offset.count() + offset;
  const std::uint64_t span = chunk_span(transaction.number);
  const std::optional<BusAddress> address = remote->map(writes ? to : from, span);
  if (!address.has_value()) {
    if (outstanding_ == 1) {
      fail("the memory at the other end cannot be reached over the fabric: " +
           config::format_size(Bytes(span)) + " at offset " +
           config::format_size(Bytes(writes ? to : from)) + " of " +
           system_.model(writes ? plan_.to : plan_.from).name() + " found no place in its BAR");
      done_ = true;
      if (on_done_) on_done_(now);
    }
    return false;
  }
  transaction.remote = *address;
  transaction.mapped = true;
  device::DmaJob job;
  job.direction = writes ? device::DmaJob::Direction::kWrite : device::DmaJob::Direction::kRead;
  job.remote = *address;
  job.local = writes ? from : to;
  job.length = chunk_bytes(transaction.number);
  job.row = std::min(job.length, spec_.row.count());
  job.stride = spec_.stride.count();
  // A copy is launched once; its chunks are what the engine works through.
  job.continues = spec_.verb == Verb::kCopy && transaction.number % chunks_ != 0;
  initiator_->submit(channel_, job, *this, slot, now);
  return true;
}

// Staged: the source writes a chunk into a buffer, then the target reads it from there. Each stage
// is a copy of its own with its own launch. False: no buffer is free.
bool FlowDriver::submit_stage(std::uint32_t slot, Picoseconds now) {
  Transaction& transaction = slots_[slot];
  const std::uint64_t offset = chunk_offset(transaction.number);
  device::DmaJob job;
  job.length = chunk_bytes(transaction.number);
  if (!transaction.second_stage) {
    const auto free = std::find(buffer_busy_.begin(), buffer_busy_.end(), 0);
    if (free == buffer_busy_.end()) return false;
    *free = 1;
    transaction.buffer = static_cast<unsigned>(free - buffer_busy_.begin());
    job.direction = device::DmaJob::Direction::kWrite;
    job.local = spec_.from_offset.count() + offset;
  } else {
    job.direction = device::DmaJob::Direction::kRead;
    job.local = spec_.to_offset.count() + offset;
  }
  job.remote = buffers_[transaction.buffer];
  device::Initiator* const initiator = transaction.second_stage ? second_initiator_ : initiator_;
  initiator->submit(channel_ % initiator->channels(), job, *this, slot, now);
  return true;
}

void FlowDriver::dma_done(const device::DmaReport& report) {
  const auto slot = static_cast<std::uint32_t>(report.cookie);
  Transaction& transaction = slots_[slot];
  ++jobs_over_;
  if (!report.error.empty()) fail(report.error);
  transaction.breakdown += report.breakdown;
  // Between being ready and being handed to the engine it waited its turn.
  transaction.breakdown[Segment::kQueueing] += report.ready - transaction.waiting_since;
  if (plan_.staged && !transaction.second_stage && report.error.empty()) {
    transaction.second_stage = true;
    transaction.waiting_since = report.end;
    second_stage_.push_back(slot);
    issue(report.end);
    return;
  }
  complete(slot, report);
}

void FlowDriver::complete(std::uint32_t slot, const device::DmaReport& report) {
  Transaction& transaction = slots_[slot];
  if (transaction.mapped) {
    device::MemoryTarget* const remote = plan_.by == plan_.from ? to_memory_ : from_memory_;
    if (check_payload_ && error_.empty()) check_payload(transaction);
    remote->unmap(transaction.remote, chunk_span(transaction.number));
  } else if (check_payload_ && error_.empty()) {
    check_payload(transaction);
  }
  if (plan_.staged) buffer_busy_[transaction.buffer] = 0;
  first_byte_ = std::min(first_byte_, report.first_byte);
  const Bytes bytes(chunk_bytes(transaction.number));
  delivered_ += bytes;
  measured_bytes_ += Bytes(bytes.count() - transaction.arrived_before);
  ++measured_transactions_;
  latency_.add(report.end - transaction.ready);
  breakdown_ += transaction.breakdown;
  ++completed_;
  --outstanding_;
  slots_[slot].under_way = false;
  free_slots_.push_back(slot);
  end_ = report.end;
  if (completed_ == total_ || (!error_.empty() && outstanding_ == 0)) {
    done_ = true;
    for (const FlowPlan::Direction& direction : plan_.directions) {
      busy_at_end_.push_back(direction.transmitter->busy_ticks());
    }
    if (on_done_) on_done_(report.end);
    return;
  }
  if (error_.empty()) issue(report.end);
}

FlowDriver::Progress FlowDriver::progress() const {
  Progress progress{jobs_over_, initiator_->requests_over(*this)};
  if (second_initiator_ != nullptr) progress.requests += second_initiator_->requests_over(*this);
  return progress;
}

engine::WaitId FlowDriver::wait_id() const {
  constexpr std::uint64_t kWholeFlow = ~std::uint64_t{0};  // beyond every slot
  return {static_cast<const device::DmaListener*>(this), kWholeFlow};
}

engine::Waiter& FlowDriver::describe_waits(engine::WaitGraph& graph) const {
  engine::Waiter& waiter = graph.add(wait_id(), "flow '" + spec_.name + "'");
  waiter.what = "has moved " + config::format_size(delivered_) + " of " +
                config::format_size(spec_.total()) + ", waits for its transactions";
  waiter.moves = !busy();
  for (std::uint64_t slot = 0; slot < slots_.size(); ++slot) {
    waiter.wait_for({static_cast<const device::DmaListener*>(this), slot});
  }
  return waiter;
}

// Did the bytes arrive that the source holds?
void FlowDriver::check_payload(const Transaction& transaction) {
  constexpr std::size_t kPiece = 4096;
  std::byte expected[kPiece];
  std::byte found[kPiece];
  const std::uint64_t offset = chunk_offset(transaction.number);
  const std::uint64_t bytes = chunk_bytes(transaction.number);
  const std::uint64_t row = plan_.staged ? bytes : std::min(bytes, spec_.row.count());
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t in_row = done % row;
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>({kPiece, row - in_row, bytes - done}));
    const std::uint64_t at =
        offset + done / row * (plan_.staged ? 0 : spec_.stride.count()) + in_row;
    from_memory_->memory().content().read(spec_.from_offset.count() + at, expected, count);
    to_memory_->memory().content().read(spec_.to_offset.count() + at, found, count);
    if (std::memcmp(expected, found, count) != 0) {
      fail("the payload that arrived differs from the source at offset " + std::to_string(at));
      return;
    }
    done += count;
  }
}

std::string FlowDriver::limiting(Picoseconds active) const {
  const std::uint64_t whole = active.count() << pcie::LineTime::kTickShift;
  std::uint64_t busiest = 0;
  std::size_t which = 0;
  for (std::size_t i = 0; i < busy_at_start_.size(); ++i) {
    const std::uint64_t end =
        i < busy_at_end_.size() ? busy_at_end_[i] : plan_.directions[i].transmitter->busy_ticks();
    const std::uint64_t share = ppm(end - busy_at_start_[i], whole);
    if (share > busiest) {
      busiest = share;
      which = i;
    }
  }
  if (busiest >= kSaturatedPpm) return plan_.directions[which].name + ": serialisation";
  if (plan_.staged) {
    return buffers_.size() > 1 ? "staging: two copies, pipelined"
                               : "staging: two copies, one after the other";
  }
  // No link is full: the largest part of a transaction's time says what it waits for.
  const std::string initiator = system_.model(plan_.by).name();
  std::size_t largest = 0;
  for (std::size_t i = 1; i < stats::kSegmentCount; ++i) {
    if (breakdown_.segments[i] > breakdown_.segments[largest]) largest = i;
  }
  switch (stats::segment_at(largest)) {
    case Segment::kSerialisation:
    case Segment::kPropagation:
    case Segment::kSwitch:
      return "latency of the way: " + std::string(stats::segment_name(stats::segment_at(largest)));
    case Segment::kTagStall:
      return initiator + ": requests in flight";
    case Segment::kDevice:
      return initiator + ": launch and inner paths";
    case Segment::kMemory:
      return "memory latency";
    default:
      return std::string(stats::segment_name(stats::segment_at(largest)));
  }
}

FlowResult FlowDriver::result(Picoseconds now) const {
  FlowResult result;
  result.name = spec_.name;
  result.from = spec_.from;
  result.to = spec_.to;
  result.by = system_.model(plan_.by).name();
  const auto& components = system_.topology().components;
  const bool host = components[plan_.from].is_socket || components[plan_.to].is_socket;
  result.via = plan_.staged ? "host" : host ? "direct" : "p2p";
  result.bytes = measured_bytes_;
  result.transactions = measured_transactions_;
  result.finished = done_ && error_.empty();
  const Picoseconds end = done_ ? end_ : now;
  const Picoseconds from = std::max(start_, measured_from_);
  if (started_ && end > from) result.time = end - from;
  result.bandwidth = average_bandwidth(result.bytes, result.time);
  if (first_byte_ != Picoseconds::max()) result.first_byte = first_byte_ - start_;
  result.latency = {latency_.min(), latency_.mean(), latency_.percentile(50),
                    latency_.percentile(99), latency_.max()};
  result.breakdown = breakdown_;
  result.breakdown_mean = stats::mean_breakdown(breakdown_, measured_transactions_);
  result.limited_by = limiting(result.time);
  return result;
}

}  // namespace peerfab::scenario
