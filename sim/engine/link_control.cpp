// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/link_control.h"

#include <algorithm>
#include <cassert>

namespace peerfab::engine {

LinkControl::LinkControl(Scheduler& scheduler, Transmitter& down, Transmitter& up,
                         const LinkControlConfig& config)
    : scheduler_(scheduler),
      down_(down),
      up_(up),
      config_(config),
      actor_(scheduler.add_actor(this, &LinkControl::on_timer)) {
  assert(down.data_link() != nullptr && up.data_link() != nullptr);
  const auto ask = [this](Picoseconds now) { retrain(now); };
  down.data_link()->on_replay_rollover(ask);
  up.data_link()->on_replay_rollover(ask);
}

void LinkControl::enter(LinkState state, Picoseconds now) {
  state_ = state;
  since_ = now;
  for (Transmitter* direction : {&down_, &up_}) direction->report_state(state, now);
}

void LinkControl::hold(Picoseconds now) {
  down_.data_link()->hold(now);
  up_.data_link()->hold(now);
}

void LinkControl::resume(Picoseconds now) {
  enter(LinkState::kUp, now);
  down_.data_link()->resume(now);
  up_.data_link()->resume(now);
}

void LinkControl::start_untrained() {
  const Picoseconds now = scheduler_.now();
  hold(now);
  enter(LinkState::kTraining, now);
  scheduler_.schedule(actor_, now + config_.training_time);
}

void LinkControl::retrain(Picoseconds now, std::optional<pcie::LinkConfig> to) {
  if (state_ == LinkState::kRecovery) {
    if (to.has_value()) next_link_ = to;  // the Recovery that runs ends with it
    return;
  }
  if (state_ != LinkState::kUp) return;
  next_link_ = to;
  hold(now);
  enter(LinkState::kRecovery, now);
  ++statistics_.recoveries;
  // A packet that is on a wire ends before the electrical idle or TS1s begin.
  const Picoseconds begins = std::max({now, down_.wire_free(), up_.wire_free()});
  scheduler_.schedule(actor_, begins + config_.recovery_time);
}

void LinkControl::on_timer(void* self, Picoseconds now) {
  auto* const control = static_cast<LinkControl*>(self);
  switch (control->state_) {
    case LinkState::kTraining:
      control->enter(LinkState::kInit, now);
      control->initialise_flow_control(now);
      return;
    case LinkState::kInit:
      control->initialise_flow_control(now);
      return;
    case LinkState::kRecovery:
      control->statistics_.recovery_ps += (now - control->since_).count();
      if (control->next_link_.has_value()) control->apply(*control->next_link_);
      control->next_link_.reset();
      control->resume(now);
      return;
    case LinkState::kUp:
    case LinkState::kDown:
      return;
  }
}

void LinkControl::apply(const pcie::LinkConfig& link) {
  const pcie::DllpTiming timing(link, config_.max_payload_bytes, config_.extended_sync);
  for (Transmitter* direction : {&down_, &up_}) {
    pcie::LinkConfig own = link;
    own.start_alignment_bytes = direction->config().link.start_alignment_bytes;
    direction->set_link(own, timing.ack_interval().to_picoseconds_ceil());
    direction->data_link()->set_limits(timing.ack_interval().to_picoseconds_ceil(),
                                       replay_timeout(timing, direction->config().propagation));
  }
  if (speed_changed_) speed_changed_();
}

Picoseconds LinkControl::send_init_set(Transmitter& from, const pcie::FlowControlInit& sender,
                                       pcie::FlowControlInit& receiver, Picoseconds now) {
  const pcie::DllpKind kind = sender.sends();
  Picoseconds last = now;
  for (unsigned i = 0; i < pcie::kFlowClassCount; ++i) {
    pcie::Dllp dllp;
    dllp.kind = kind;
    dllp.flow_class = static_cast<pcie::FlowClass>(i);
    from.advertise(dllp);
    const std::optional<Picoseconds> arrives = from.send_dllp(dllp, now);
    if (!arrives.has_value()) continue;
    receiver.receive(dllp);
    last = *arrives;
  }
  return std::max(last, from.wire_free());
}

// One set of each port, then again until both have seen what they need.
void LinkControl::initialise_flow_control(Picoseconds now) {
  using State = pcie::FlowControlInit::State;
  if (upper_init_.state() == State::kDone && lower_init_.state() == State::kDone) {
    resume(now);
    return;
  }
  // What each sends was decided before it sees what the other sends at the same time.
  const pcie::FlowControlInit upper = upper_init_;
  const pcie::FlowControlInit lower = lower_init_;
  const Picoseconds at_lower = send_init_set(down_, upper, lower_init_, now);
  const Picoseconds at_upper = send_init_set(up_, lower, upper_init_, now);
  scheduler_.schedule(actor_, std::max(at_lower, at_upper));
}

void LinkControl::lose_everything(Transmitter& direction, const LoseTlp& lose, Picoseconds now) {
  direction.data_link()->go_down(
      [this, &lose, now](Tlp* tlp) {
        ++statistics_.lost_tlps;
        lose(std::nullopt, tlp, now);
      },
      [this, &lose](unsigned input, Tlp* tlp) {
        ++statistics_.lost_tlps;
        lose(input, tlp, scheduler_.now());
      },
      now);
}

void LinkControl::go_down(Picoseconds now) {
  if (state_ == LinkState::kDown) return;
  enter(LinkState::kDown, now);
  lose_everything(down_, lose_down_, now);
  lose_everything(up_, lose_up_, now);
}

}  // namespace peerfab::engine
