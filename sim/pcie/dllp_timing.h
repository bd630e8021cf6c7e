// SPDX-License-Identifier: Apache-2.0
// When Ack and UpdateFC DLLPs are due, and when an unacknowledged TLP is replayed.
//
// Contract: Gen1 to Gen6. The specification's tables are reproduced by the formula behind them;
// limits are in symbol times, and in line time for a given link. Pure and constexpr.
//
// The tables for 8.0 GT/s hold for every higher rate too, in symbol times (PCIe r6.0, sec 2.6.1.2
// and 3.6.3.1), so a Gen4 or Gen5 link takes the Gen3 numbers with its own, shorter symbol time.
//
// In FLIT mode flits are acknowledged, not TLPs: the limits do not depend on the payload size, and
// the replay timer counts flits (PCIe r6.3, sec 4.2.3.4.2.1). Ack and UpdateFC cost nothing there.
#pragma once

#include <cstdint>

#include "sim/base/units.h"
#include "sim/pcie/link_timing.h"
#include "sim/pcie/spec.h"

namespace peerfab::pcie {

// Ack Factor of the latency tables, in tenths: about how many TLPs of the largest size one Ack
// answers, by payload size and width (PCIe r3.1, sec 3.5.3.1).
[[nodiscard]] constexpr unsigned ack_factor_tenths(unsigned width, unsigned max_payload_bytes) {
  if (max_payload_bytes <= 256) return width >= 12 ? 30 : width >= 8 ? 25 : 14;
  return width >= 12 ? 20 : 10;
}

// The longest time from a received TLP to its Ack, in symbol times (PCIe r6.0, sec 3.6.3.1). Widths
// 12 and 32, which later revisions dropped, are answered as well. In FLIT mode it is strongly
// recommended only (PCIe r6.3, sec 4.2.3.4.2.1).
[[nodiscard]] constexpr std::uint32_t ack_latency_limit_symbols(unsigned generation, unsigned width,
                                                                unsigned max_payload_bytes) {
  if (uses_flits(generation)) {
    return static_cast<std::uint32_t>(
               LineTime::from(Picoseconds(spec::kFlitAckLatencyNs * 1000)).ticks() /
               symbol_time(generation).ticks()) +
           spec::kFlitBytes / width;
  }
  constexpr unsigned kTlpOverhead = 28;  // the formula's allowance for header and framing
  const unsigned internal_delay = generation == 1 ? 19 : generation == 2 ? 70 : 115;
  const unsigned tenths =
      (max_payload_bytes + kTlpOverhead) * ack_factor_tenths(width, max_payload_bytes);
  return tenths / (10 * width) + internal_delay;
}

// The recommended longest time from freed buffer space to the UpdateFC that tells of it. Its tables
// equal those of Ack in every cell (PCIe r6.0, sec 2.6.1.2, implementation note).
[[nodiscard]] constexpr std::uint32_t update_fc_latency_symbols(unsigned generation, unsigned width,
                                                                unsigned max_payload_bytes) {
  return ack_latency_limit_symbols(generation, width, max_payload_bytes);
}

// REPLAY_TIMER limit in symbol times, without the L0s adjustment, of a port whose highest
// generation is given. Up to Gen3 it is three times the Ack latency limit (PCIe r3.1, sec 3.5.2.1).
// A port that supports 16.0 GT/s or more must use the simplified limit at every rate: 24,000 to
// 31,000 symbol times, or 80,000 to 100,000 with Extended Synch set, of which this is the least
// (PCIe r6.0, sec 3.6.2.1). In FLIT mode it is the time of 1,500 flits (PCIe r6.3, sec
// 4.2.3.4.2.1.6).
[[nodiscard]] constexpr std::uint32_t replay_timer_limit_symbols(unsigned generation,
                                                                 unsigned width,
                                                                 unsigned max_payload_bytes,
                                                                 bool extended_sync = false) {
  if (uses_flits(generation)) return spec::kFlitReplayTimeoutFlits * spec::kFlitBytes / width;
  if (generation <= 3) return 3 * ack_latency_limit_symbols(generation, width, max_payload_bytes);
  return extended_sync ? spec::kSimplifiedReplayMinSymbolsExtendedSync
                       : spec::kSimplifiedReplayMinSymbols;
}

// What a received stream of TLPs costs the other direction, on one link.
class DllpTiming {
 public:
  // Requires is_valid(config) and a max_payload_bytes of 128 to 4096, a power of two.
  constexpr DllpTiming(const LinkConfig& config, unsigned max_payload_bytes,
                       bool extended_sync = false)
      : ack_latency_limit_(
            symbol_time(config.generation) *
            ack_latency_limit_symbols(config.generation, config.width, max_payload_bytes)),
        replay_timer_limit_(symbol_time(config.generation) *
                            replay_timer_limit_symbols(config.generation, config.width,
                                                       max_payload_bytes, extended_sync)) {}

  [[nodiscard]] constexpr LineTime ack_latency_limit() const { return ack_latency_limit_; }
  [[nodiscard]] constexpr LineTime replay_timer_limit() const { return replay_timer_limit_; }

  // Pacing under continuous traffic: a receiver that collapses its DLLPs as far as the limits let
  // it sends one Ack, and one UpdateFC for each flow class with finite credits in use, this often.
  // It may send them more often; it need not.
  [[nodiscard]] constexpr LineTime ack_interval() const { return ack_latency_limit_; }
  [[nodiscard]] constexpr LineTime update_fc_interval() const { return ack_latency_limit_; }

 private:
  LineTime ack_latency_limit_;
  LineTime replay_timer_limit_;
};

// An idle link still repeats the UpdateFC of each finite credit type this often, so that a lost one
// cannot stop it (PCIe r6.0, sec 2.6.1.2).
inline constexpr Picoseconds kIdleUpdateFcInterval(spec::kUpdateFcTimeoutNs * 1000);

}  // namespace peerfab::pcie
