// SPDX-License-Identifier: Apache-2.0
// The states of a link: training, flow-control initialisation, retraining with or without another
// rate or width, and going down (PCIe r6.0, sec 3.2.1, 3.4.1, 4.2.6).
//
// A state takes as long as the topology says; the ordered sets that are exchanged in it are not
// modelled one by one. The DLLPs that initialise flow control are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sim/base/units.h"
#include "sim/engine/link_observer.h"
#include "sim/engine/scheduler.h"
#include "sim/engine/transmitter.h"
#include "sim/pcie/dllp_timing.h"
#include "sim/pcie/flow_control_init.h"
#include "sim/pcie/link_timing.h"

namespace peerfab::engine {

struct LinkControlConfig {
  Picoseconds training_time;  // Detect to L0
  Picoseconds recovery_time;  // Recovery and back to L0, a change of rate included
  unsigned max_payload_bytes = 128;
  bool extended_sync = false;
};

// REPLAY_TIMER of a direction. The limits are those of a link without flight time; ours may be
// long, and the Ack has to come back over it.
[[nodiscard]] inline Picoseconds replay_timeout(const pcie::DllpTiming& timing,
                                                Picoseconds propagation) {
  return timing.replay_timer_limit().to_picoseconds_ceil() + propagation + propagation;
}

struct LinkControlStatistics {
  std::uint64_t recoveries = 0;
  std::uint64_t recovery_ps = 0;
  std::uint64_t lost_tlps = 0;  // when the link went down, and since
};

class LinkControl {
 public:
  // Both directions have a data link layer.
  LinkControl(Scheduler& scheduler, Transmitter& down, Transmitter& up,
              const LinkControlConfig& config);
  LinkControl(const LinkControl&) = delete;
  LinkControl& operator=(const LinkControl&) = delete;

  [[nodiscard]] LinkState state() const { return state_; }
  // The link starts untrained at time 0 instead of in L0. Before the first event.
  void start_untrained();
  // Recovery, with this rate and width afterwards. While the link trains or is down: nothing.
  void retrain(Picoseconds now, std::optional<pcie::LinkConfig> to = std::nullopt);
  // Surprise down: for good. What waits in front of the link, what it carries and what is sent
  // from now on is handed to the callbacks below.
  void go_down(Picoseconds now);

  // A TLP that will not arrive. `input` is the one of the transmitter in which it waited; nullopt
  // for one that the link carried. The callback takes it.
  using LoseTlp = std::function<void(std::optional<unsigned> input, Tlp* tlp, Picoseconds now)>;
  void on_lost_down(LoseTlp lose) { lose_down_ = std::move(lose); }
  void on_lost_up(LoseTlp lose) { lose_up_ = std::move(lose); }
  void on_speed_change(std::function<void()> changed) { speed_changed_ = std::move(changed); }

  [[nodiscard]] const LinkControlStatistics& statistics() const { return statistics_; }
  void reset_statistics() { statistics_ = {}; }

 private:
  static void on_timer(void* self, Picoseconds now);
  void enter(LinkState state, Picoseconds now);
  void hold(Picoseconds now);
  void resume(Picoseconds now);
  void apply(const pcie::LinkConfig& link);
  void initialise_flow_control(Picoseconds now);
  // Sends one set of InitFCs; when the last of those that arrive is there.
  Picoseconds send_init_set(Transmitter& from, const pcie::FlowControlInit& sender,
                            pcie::FlowControlInit& receiver, Picoseconds now);
  void lose_everything(Transmitter& direction, const LoseTlp& lose, Picoseconds now);

  Scheduler& scheduler_;
  Transmitter& down_;
  Transmitter& up_;
  LinkControlConfig config_;
  LinkState state_ = LinkState::kUp;
  ActorId actor_;
  Picoseconds since_;  // of the state
  std::optional<pcie::LinkConfig> next_link_;
  pcie::FlowControlInit upper_init_;
  pcie::FlowControlInit lower_init_;
  LoseTlp lose_down_;
  LoseTlp lose_up_;
  std::function<void()> speed_changed_;
  LinkControlStatistics statistics_;
};

}  // namespace peerfab::engine
