// SPDX-License-Identifier: Apache-2.0
// A DMA engine that writes to another one over three links, with or without bit errors, and
// somebody at the last link who sees whether every TLP arrives once and in order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/device/model.h"
#include "sim/engine/link_observer.h"
#include "sim/topology/system.h"

namespace peerfab::bench {

struct ThreeHopsOptions {
  bool exact_links = false;  // data link layers without errors
  double bit_error_rate = 0;
  bool real_payload = false;
  std::uint64_t seed = 1;
};

struct ThreeHopsCounts {
  std::uint64_t tlps = 0;    // of the writer
  std::uint64_t errors = 0;  // TLPs that arrived damaged, on all links
  std::uint64_t lost_dllps = 0;
  std::uint64_t naks = 0;
  std::uint64_t replays = 0;
  std::uint64_t replayed = 0;  // TLPs
  std::uint64_t timeouts = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t retrains = 0;
  std::uint64_t nullified = 0;
};

class ThreeHops final : public device::DmaListener, private engine::LinkObserver {
 public:
  static constexpr std::uint64_t kJobBytes = std::uint64_t{4} << 20;
  static constexpr std::uint64_t kTlpBytes = 256;

  explicit ThreeHops(const ThreeHopsOptions& options);
  // Looks at every arrival; without, nothing is checked and nothing is paid for it.
  void watch();
  // Writes so many bytes, a multiple of kJobBytes, over and over to the same place.
  void write(std::uint64_t bytes);

  [[nodiscard]] ThreeHopsCounts counts() const;
  // TLPs that did not arrive where they had to: not there, there again, or out of turn.
  [[nodiscard]] std::uint64_t out_of_turn() const { return out_of_turn_; }
  [[nodiscard]] std::uint64_t arrived() const { return arrived_; }
  // Bytes of the target that differ from what was sent.
  [[nodiscard]] std::uint64_t wrong_bytes();
  [[nodiscard]] std::uint64_t failed_jobs() const { return failed_jobs_; }

  void dma_done(const device::DmaReport& report) override;

 private:
  void submit(Picoseconds now);
  void tlp_queued(unsigned, const engine::Tlp&, Picoseconds) override {}
  void tlp_sent(unsigned, const engine::Tlp&, const engine::SentTlp&) override {}
  void tlp_replayed(const engine::SentTlp&) override {}
  void tlp_received(const engine::Tlp& tlp, std::uint16_t number, Picoseconds now) override;
  void credits_returned(pcie::FlowClass, std::uint32_t, std::uint32_t, Picoseconds,
                        Picoseconds) override {}
  void dllp_sent(const pcie::Dllp&, Picoseconds, bool) override {}
  void state_changed(engine::LinkState, Picoseconds) override {}

  topology::Topology topology_;
  std::unique_ptr<topology::System> system_;
  device::Initiator* writer_ = nullptr;
  std::uint64_t target_ = 0;  // bus address
  std::uint64_t jobs_left_ = 0;
  std::uint64_t failed_jobs_ = 0;
  std::uint64_t next_offset_ = 0;  // of the TLP that is to arrive next
  std::uint64_t arrived_ = 0;
  std::uint64_t out_of_turn_ = 0;
};

}  // namespace peerfab::bench
