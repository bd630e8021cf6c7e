// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/runner.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/config/quantity.h"
#include "sim/scenario/flow_plan.h"
#include "sim/scenario/watchdog.h"
#include "sim/scenario/workload.h"
#include "sim/topology/system.h"

namespace peerfab::scenario {
namespace {

using Clock = std::chrono::steady_clock;
using topology::System;

// The run is cut into slices of about this much wall-clock time, to look at the stop flag and to
// show progress. Where the cuts are changes nothing in the result.
constexpr std::chrono::milliseconds kSlice{100};

class Run {
 public:
  Run(const Scenario& scenario, const Variant& variant, const topology::Topology& topology,
      RunHooks& hooks)
      : scenario_(scenario), variant_(variant), topology_(topology), hooks_(hooks) {}

  VariantResult run() {
    const Clock::time_point began = Clock::now();
    result_.name = variant_.name;
    if (prepare()) {
      simulate();
      gather();
    }
    result_.host.wall_microseconds = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began).count());
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
      result_.host.peak_memory = Bytes(static_cast<std::uint64_t>(usage.ru_maxrss) * 1024);
    }
    return std::move(result_);
  }

 private:
  // False: the result has an error.
  bool prepare() {
    Diagnostics findings;
    topology::ElaborationOptions options;
    options.seed = scenario_.seed;
    options.real_payload = scenario_.payload == Payload::kReal;
    options.faults = link_faults(scenario_.link_events);
    options.exact_links = scenario_.exact_links;
    options.untrained_links = scenario_.train_links;
    options.monitors = scenario_.monitors;
    system_ = System::elaborate(topology_, options, findings);
    if (system_ == nullptr) {
      for (const Diagnostic& finding : findings.all()) {
        if (finding.severity == Severity::kError) result_.error = finding.message;
      }
      return false;
    }
    std::map<topology::ComponentId, unsigned> used_channels;
    for (std::size_t i = 0; i < variant_.flows.size(); ++i) {
      const FlowSpec& spec = variant_.flows[i];
      std::string why_not;
      const FlowPlan plan = plan_flow(spec, *system_, why_not);
      if (!why_not.empty()) {
        result_.error = "flow '" + spec.name + "': " + why_not;
        return false;
      }
      const unsigned channels = system_->model(plan.by).initiator()->channels();
      const unsigned channel = used_channels[plan.by]++ % channels;
      drivers_.push_back(std::make_unique<FlowDriver>(spec, plan, *system_, scenario_.payload,
                                                      static_cast<unsigned>(i), channel));
      if (!drivers_.back()->error().empty()) {
        result_.error = drivers_.back()->error();
        return false;
      }
      total_ += spec.total();
    }
    unfinished_ = drivers_.size();
    watchdog_.emplace(*system_, variant_, drivers_, scenario_.watchdog);
    for (std::size_t i = 0; i < drivers_.size(); ++i) {
      waits_for_.push_back(variant_.flows[i].after.size());
      drivers_[i]->on_done([this, i](Picoseconds at) { flow_done(i, at); });
    }
    if (scenario_.warm_up > Picoseconds()) {
      warm_up_actor_ = system_->engine().scheduler().add_actor(this, &Run::on_warm_up);
      system_->engine().scheduler().schedule(warm_up_actor_, scenario_.warm_up);
    }
    schedule_link_events();
    for (std::size_t i = 0; i < drivers_.size(); ++i) {
      if (waits_for_[i] == 0) drivers_[i]->begin(Picoseconds());
    }
    return true;
  }

  // One actor for all, in order of time; events of one time in the order of the file.
  void schedule_link_events() {
    for (const LinkEvent& event : scenario_.link_events) {
      if (event.kind == LinkEvent::Kind::kDamageTlp || event.kind == LinkEvent::Kind::kDamageAck) {
        continue;  // elaboration knows of them
      }
      link_events_.push_back(&event);
    }
    if (link_events_.empty()) return;
    std::stable_sort(link_events_.begin(), link_events_.end(),
                     [](const LinkEvent* a, const LinkEvent* b) { return a->at < b->at; });
    link_event_actor_ = system_->engine().scheduler().add_actor(this, &Run::on_link_event);
    system_->engine().scheduler().schedule(link_event_actor_, link_events_.front()->at);
  }

  static void on_link_event(void* self, Picoseconds now) {
    auto* const run = static_cast<Run*>(self);
    for (; run->next_link_event_ < run->link_events_.size(); ++run->next_link_event_) {
      const LinkEvent& event = *run->link_events_[run->next_link_event_];
      if (event.at > now) {
        run->system_->engine().scheduler().schedule(run->link_event_actor_, event.at);
        return;
      }
      const auto index = static_cast<std::size_t>(run->topology_.find_link(event.link) -
                                                  run->topology_.links.data());
      engine::LinkControl& link = *run->system_->links()[index].control;
      switch (event.kind) {
        case LinkEvent::Kind::kSpeed:
          link.retrain(now, pcie::LinkConfig{event.to.generation, event.to.width});
          break;
        case LinkEvent::Kind::kSurpriseDown:
          link.go_down(now);
          break;
        default:
          link.retrain(now);
      }
    }
  }

  static void on_warm_up(void* self, Picoseconds now) {
    auto* const run = static_cast<Run*>(self);
    run->warmed_up_ = now;
    run->system_->reset_statistics();
    for (const auto& driver : run->drivers_) {
      if (!driver->done()) driver->end_warm_up(now);
    }
  }

  void flow_done(std::size_t index, Picoseconds at) {
    const std::string& name = variant_.flows[index].name;
    last_end_ = std::max(last_end_, at);
    if (!drivers_[index]->error().empty() && result_.error.empty()) {
      result_.error = drivers_[index]->error();
    }
    if (--unfinished_ == 0 || !result_.error.empty()) {
      system_->engine().stop();
      return;
    }
    for (std::size_t i = 0; i < drivers_.size(); ++i) {
      const auto& after = variant_.flows[i].after;
      if (std::find(after.begin(), after.end(), name) == after.end()) continue;
      if (--waits_for_[i] == 0) drivers_[i]->begin(at);
    }
  }

  void simulate() {
    engine::Engine& engine = system_->engine();
    Picoseconds until;
    Picoseconds slice(1'000'000);  // 1 us, then as much as fits into kSlice
    while (unfinished_ != 0 && result_.error.empty()) {
      if (hooks_.stop != nullptr && hooks_.stop->load(std::memory_order_relaxed)) {
        result_.partial = true;
        break;
      }
      const Clock::time_point began = Clock::now();
      until = std::min({scenario_.time_limit, until + slice, watchdog_->next_check()});
      engine.run(until);
      if (unfinished_ == 0 || !result_.error.empty()) break;
      if (until >= scenario_.time_limit) {
        ended_at_limit_ = true;
        result_.error = watchdog_->explain_end();
        break;
      }
      const Picoseconds next = engine.scheduler().next_time();
      if (next == Picoseconds::max() && !sc_core::sc_pending_activity()) {
        result_.error = watchdog_->explain_rest();
        break;
      }
      if (until >= watchdog_->next_check()) result_.error = watchdog_->check(until);
      // Nothing happens before the next event: go there at once.
      if (next != Picoseconds::max() && next > until) {
        until = next;
        watchdog_->pass_to(until);
      }
      const auto took = Clock::now() - began;
      if (took < kSlice / 2 && slice < Picoseconds(1'000'000'000'000)) slice = slice * 2;
      if (took > kSlice * 2) slice = Picoseconds(std::max<std::uint64_t>(slice.count() / 2, 1));
      if (hooks_.progress) hooks_.progress({done(), total_, engine.scheduler().now()});
    }
  }

  [[nodiscard]] Bytes done() const {
    Bytes sum;
    for (const auto& driver : drivers_) sum += driver->delivered();
    return sum;
  }

  void gather() {
    const Picoseconds now =
        ended_at_limit_ ? scenario_.time_limit : system_->engine().scheduler().now();
    result_.time = unfinished_ == 0 ? last_end_ : now;
    for (const auto& driver : drivers_) result_.flows.push_back(driver->result(now));
    const Picoseconds measured =
        result_.time > warmed_up_ ? result_.time - warmed_up_ : Picoseconds();
    for (std::size_t i = 0; i < topology_.links.size(); ++i) {
      const topology::PcieLink& link = topology_.links[i];
      const System::Directions& directions = system_->links()[i];
      add_link(link.name, "up", config::format_link(link.negotiated), *directions.up, measured);
      add_link(link.name, "down", config::format_link(link.negotiated), *directions.down, measured);
    }
    for (topology::ComponentId id = 0; id < topology_.components.size(); ++id) {
      add_component(id);
    }
    if (scenario_.monitors) add_monitors();
    result_.host.events = system_->engine().scheduler().events();
  }

  void add_monitors() {
    for (std::size_t i = 0; i < monitor::kMonitorCount; ++i) {
      const auto id = static_cast<monitor::MonitorId>(i);
      const monitor::MonitorInfo& info = monitor::info(id);
      const monitor::Tally& tally = system_->findings().tally(id);
      result_.monitors.push_back({std::string(info.name), std::string(info.section), tally.checks,
                                  tally.violations, tally.first});
    }
  }

  void add_link(const std::string& name, const char* direction, const std::string& speed,
                const engine::Transmitter& transmitter, Picoseconds measured) {
    const engine::TransmitterStatistics& counted = transmitter.statistics();
    LinkResult link;
    link.name = name;
    link.direction = direction;
    link.speed = speed;
    link.payload = Bytes(counted.payload_bytes);
    link.tlp = Bytes(counted.tlp_bytes);
    link.dllp = Bytes(counted.dllp_bytes);
    link.tlps = counted.tlps;
    if (measured.count() != 0) {
      const auto busy = static_cast<unsigned __int128>(transmitter.busy_ticks()) * 1'000'000U;
      const auto whole = static_cast<unsigned __int128>(measured.count())
                         << pcie::LineTime::kTickShift;
      link.utilisation_ppm =
          static_cast<std::uint64_t>(std::min<unsigned __int128>(busy / whole, 1'000'000U));
    }
    link.credit_stall = Picoseconds(counted.credit_stall_ps);
    link.queue_peak = counted.queue_peak;
    if (const engine::DataLink* data_link = transmitter.data_link(); data_link != nullptr) {
      link.data_link = data_link->statistics();
    }
    result_.links.push_back(std::move(link));
    result_.host.hops += counted.tlps;
  }

  void add_component(topology::ComponentId id) {
    const topology::Component& component = topology_.components[id];
    ComponentResult entry;
    entry.name = component.name;
    entry.model = component.model->kind;
    const std::vector<device::StatisticValue> values = system_->model(id).statistics();
    for (std::size_t i = 0; i < values.size(); ++i) {
      entry.statistics.push_back(
          {values[i].name, component.model->statistics[i].unit, values[i].value});
    }
    result_.components.push_back(std::move(entry));
  }

  const Scenario& scenario_;
  const Variant& variant_;
  const topology::Topology& topology_;
  RunHooks& hooks_;
  VariantResult result_;
  std::unique_ptr<System> system_;
  std::vector<std::unique_ptr<FlowDriver>> drivers_;
  std::optional<Watchdog> watchdog_;
  std::vector<std::size_t> waits_for_;
  std::size_t unfinished_ = 0;
  bool ended_at_limit_ = false;  // the time limit came first
  Bytes total_;
  Picoseconds last_end_;
  Picoseconds warmed_up_;
  engine::ActorId warm_up_actor_ = 0;
  std::vector<const LinkEvent*> link_events_;  // by time
  std::size_t next_link_event_ = 0;
  engine::ActorId link_event_actor_ = 0;
};

}  // namespace

VariantResult run_variant(const Scenario& scenario, const Variant& variant,
                          const topology::Topology& topology, RunHooks& hooks) {
  return Run(scenario, variant, topology, hooks).run();
}

}  // namespace peerfab::scenario
