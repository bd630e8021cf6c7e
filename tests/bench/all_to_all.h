// SPDX-License-Identifier: Apache-2.0
// The load of the hop benchmark: DMA engines that write to each other through one switch, each to
// its seven neighbours at once, for ever.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/device/model.h"
#include "sim/topology/system.h"

namespace peerfab::bench {

struct AllToAllOptions {
  unsigned endpoints = 8;  // a multiple of eight: so many switches of eight
  bool real_payload = false;
  unsigned in_flight = 64;  // writes of each endpoint
};

class AllToAll final : public device::DmaListener {
 public:
  explicit AllToAll(const AllToAllOptions& options);

  // Runs for this long beyond what has run already.
  void run(Picoseconds duration);

  // TLPs over one link so far.
  [[nodiscard]] std::uint64_t hops() const;
  [[nodiscard]] std::uint64_t events() { return system_->engine().scheduler().events(); }
  // Wire time in use over time, in parts per million, of the least busy endpoint link direction
  // since the last call.
  [[nodiscard]] std::uint64_t least_busy_ppm();
  [[nodiscard]] std::size_t tlps_allocated() { return system_->pool().capacity(); }

  void dma_done(const device::DmaReport& report) override;

 private:
  void submit(std::size_t stream, Picoseconds now);

  struct Stream {
    device::Initiator* initiator;
    unsigned channel;
    device::DmaJob job;
  };
  topology::Topology topology_;
  std::unique_ptr<topology::System> system_;
  std::vector<Stream> streams_;
  std::vector<std::size_t> endpoint_links_;
  std::vector<std::uint64_t> busy_before_;
  Picoseconds now_;
  Picoseconds measured_from_;
};

}  // namespace peerfab::bench
