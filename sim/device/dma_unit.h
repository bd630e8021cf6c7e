// SPDX-License-Identifier: Apache-2.0
// The DMA side of an endpoint: channels that turn jobs into requests, tags, and the reassembly of
// completions. Copy engines, NVMe controllers and NICs all move data through one of these.
//
// A channel takes its jobs in order. It makes one TLP at a time, when the link has taken the one
// before, so a job of any size needs no memory. Reads wait for a tag of the function, which all
// channels share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/ring.h"
#include "sim/device/memory.h"
#include "sim/device/model.h"
#include "sim/engine/tlp.h"
#include "sim/engine/transmitter.h"
#include "sim/pcie/tags.h"

namespace peerfab::device {

// A serial resource inside the device: each use takes `cost` plus the bytes at `rate`.
struct DatapathConfig {
  Bandwidth rate;  // 0: unlimited
  Picoseconds cost;
};

struct DmaConfig {
  unsigned channels = 1;
  // From a job being taken up until its first request.
  Picoseconds launch;
  // A job is taken up when the one before has completed (a stream of copies), else as soon as the
  // one before has sent its last request (a ring of descriptors).
  bool one_at_a_time = false;
  std::uint32_t max_payload = 128;
  std::uint32_t max_read_request = 128;
  unsigned outstanding_reads = 32;   // tags in use at once
  unsigned outstanding_writes = 64;  // posted TLPs not yet delivered
  bool relaxed_ordering = false;
  DatapathConfig read_path;    // what completions pass; cost once for each read request
  DatapathConfig write_path;   // what writes pass; cost once for each TLP
  DatapathConfig bus;          // shared by both; cost once for each contiguous piece of a job
  Picoseconds write_interval;  // least time between two write TLPs
};

struct DmaStatistics {
  std::uint64_t write_requests = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t read_requests = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t jobs = 0;
  std::uint64_t tag_stall_ps = 0;
  std::uint64_t failed_requests = 0;
};

class alignas(64) DmaUnit final : public Initiator,
                                  public engine::TransmitSource,
                                  public PostedListener {
 public:
  static constexpr unsigned kMaxChannels = 32;
  // Each keeps a job at work, and so do reads and channels: the numbers of all fit in a tag field.
  static constexpr unsigned kMaxOutstandingWrites = 32768;

  // `local` is the memory that the jobs' local offsets mean.
  DmaUnit(engine::Scheduler& scheduler, engine::TlpPool& pool, RequesterTable& requesters,
          Memory& local, const DmaConfig& config);

  // Channel i sends through input first_input + i.
  void connect(engine::Transmitter& out, unsigned first_input);
  // After enumeration; the payload size in force may be less than the device's own.
  void set_identity(Bdf bdf, std::uint32_t max_payload);

  [[nodiscard]] unsigned channels() const override { return config_.channels; }
  void submit(unsigned channel, const DmaJob& work, DmaListener& listener, std::uint64_t cookie,
              Picoseconds now) override;
  [[nodiscard]] std::uint64_t requests_over(const DmaListener& listener) const override;
  [[nodiscard]] std::uint64_t arrived(const DmaListener& listener,
                                      std::uint64_t cookie) const override;

  // A completion that came back. Takes the TLP.
  void completion(engine::Tlp* tlp, Picoseconds now);

  void input_drained(unsigned channel, Picoseconds now) override { pump(channel, now); }
  void posted_delivered(const engine::Tlp& tlp, Picoseconds at) override;
  void posted_refused(const engine::Tlp& tlp, std::string_view why, Picoseconds at) override;

  [[nodiscard]] const DmaStatistics& statistics() const { return statistics_; }
  void reset_statistics() { statistics_ = {}; }
  [[nodiscard]] unsigned outstanding_reads() const { return tags_.outstanding(); }
  [[nodiscard]] std::uint64_t unexpected_completions() const { return unexpected_completions_; }

  // A job is the waiter {listener, cookie}.
  void describe_waits(engine::WaitGraph& graph, const std::string& owner) const;

 private:
  struct Submitted {
    DmaJob work;
    DmaListener* listener = nullptr;
    std::uint64_t cookie = 0;
    Picoseconds ready;
  };
  struct alignas(64) Job {
    // What the end of every request touches, in one cache line.
    std::uint64_t serialisation = 0;  // of all TLPs but the last
    Picoseconds first_byte = Picoseconds::max();
    std::uint64_t arrived = 0;   // bytes
    std::uint32_t requests = 0;  // in all, once the last one is made; 0 before
    std::uint32_t done = 0;
    std::uint8_t channel = 0;
    Picoseconds last_created;  // its last request
    Submitted submitted;
    Picoseconds device;  // launch, and time in the device's own datapath
    Picoseconds local_memory;
    Picoseconds tag_stall;
    std::string error;
  };
  // A read on its way, by its tag. A write needs nothing of the kind: its tag field, which means
  // nothing on the wire, carries the number of its job.
  struct Read {
    std::uint32_t job = 0;
    std::uint32_t remaining = 0;  // bytes that have not arrived yet
    Picoseconds created;
    std::uint64_t local = 0;
    bool ends_piece = false;  // the last of a contiguous piece of its job
  };
  // What every request touches, in one cache line: where the next one of the current job starts.
  struct alignas(64) Channel {
    std::uint8_t index = 0;
    bool active = false;       // a job is being turned into requests
    bool writes = false;       // it writes
    bool starts_piece = true;  // its next request is the first of a contiguous piece
    std::uint32_t current = 0;
    std::uint32_t requests = 0;       // of it, so far
    std::uint64_t remote = 0;         // where the next request starts
    std::uint64_t left = 0;           // bytes not requested yet,
    std::uint64_t left_in_piece = 0;  // and of them in the contiguous piece that it is in
    Picoseconds next_request;         // not before this time
    Picoseconds waits_since;          // for a tag or a place, while its bit is set there
    Picoseconds tag_stall;            // of the current job
  };
  struct ChannelQueue {
    Ring<Submitted> waiting;       // jobs not yet taken up
    std::uint32_t unfinished = 0;  // jobs taken up and not completed
  };
  // Channels that wait for a tag, or for a place among the writes in flight.
  struct Waiting {
    std::uint32_t channels = 0;  // a bit each
    unsigned last_woken = 0;
  };
  struct Server {
    DatapathConfig config;
    Picoseconds free;
    // Books a use from `at` on; when it ends.
    Picoseconds use(Picoseconds at, std::uint32_t bytes, bool with_cost);
  };
  struct Arrival {
    Picoseconds through;  // the read path
    std::uint16_t tag = 0;
    std::uint16_t bytes = 0;
    std::uint32_t segments[engine::kTlpSegments] = {};
  };

  static_assert(sizeof(Channel) == 64);

  static void on_channels(void* self, Picoseconds now);
  static void on_read_path(void* self, Picoseconds now);

  void pump(unsigned index, Picoseconds now);
  // Pumps the channel again when its next request may be made.
  void wake_later(const Channel& channel, Picoseconds now);
  void schedule_channels(Picoseconds now);
  bool take_up(Channel& channel, Picoseconds now);
  // Where the next request's data lies in the device's own memory.
  [[nodiscard]] std::uint64_t next_local(const Channel& channel) const {
    const DmaJob& work = jobs_[channel.current].submitted.work;
    return work.local + (channel.remote - work.remote.value());
  }
  bool send_request(Channel& channel, Picoseconds now);
  void take_data(const Arrival& arrival, Picoseconds now);
  void request_done(std::uint32_t id, Picoseconds created, const std::uint32_t* segments,
                    Picoseconds now);
  void write_done(const engine::Tlp& tlp, Picoseconds at);
  void finish(std::uint32_t id, Picoseconds last_created, const std::uint32_t* segments,
              Picoseconds now);
  void wait_for_tag(Channel& channel, Picoseconds now, Waiting& waiting);
  void wake_channel(Picoseconds now, Waiting& waiting);
  std::uint32_t new_job();
  [[nodiscard]] std::vector<std::uint32_t> jobs_at_work() const;
  [[nodiscard]] engine::WaitId wait_id(std::uint32_t job) const;
  void describe_channel(engine::WaitGraph& graph, const std::string& owner, unsigned index) const;
  void describe_read(engine::WaitGraph& graph, const std::string& owner, unsigned index) const;

  // What each TLP touches comes first: see the cost of cache lines in docs/performance.md.
  engine::Transmitter* out_ = nullptr;
  engine::TlpPool& pool_;
  Memory& local_;
  std::unique_ptr<Channel[]> channels_;
  std::vector<Job> jobs_;
  std::uint32_t free_writes_;  // more writes that may be in flight
  std::uint32_t max_payload_;
  std::uint8_t first_input_ = 0;
  std::uint8_t attributes_;
  bool has_bus_;          // bus_ costs time
  bool has_write_costs_;  // something in the device slows writes down, besides local_
  Bdf bdf_;
  Waiting waiting_for_place_;
  DmaStatistics statistics_;

  engine::Scheduler& scheduler_;
  RequesterTable& requesters_;
  DmaConfig config_;
  engine::ActorId channels_actor_;  // one for all: few of them wait for a time of their own
  std::uint32_t timed_ = 0;         // channels that wait for their next_request, a bit each
  Waiting waiting_for_tag_;
  std::vector<ChannelQueue> queues_;  // by channel
  std::vector<std::uint32_t> free_jobs_;
  pcie::TagAllocator tags_;
  std::vector<Read> reads_;  // by tag
  Server read_path_;
  Server write_path_;
  Server bus_;
  engine::ActorId read_path_actor_;
  Ring<Arrival> arrivals_;  // data in the read path
  std::uint64_t unexpected_completions_ = 0;
};

}  // namespace peerfab::device
