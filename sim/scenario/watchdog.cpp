// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/watchdog.h"

#include <algorithm>
#include <utility>

#include "sim/config/quantity.h"

namespace peerfab::scenario {

using topology::WaitFinding;

namespace {

// Events of one TLP and of the DMA, memory and completer work for it: fewer than 16 for each link,
// on a way of at most 64 links.
constexpr std::uint64_t kEventsOfTlp = 16 * 64;
constexpr std::size_t kMostNames = 5;

}  // namespace

Watchdog::Watchdog(topology::System& system, const Variant& variant,
                   const std::vector<std::unique_ptr<FlowDriver>>& drivers, Picoseconds period)
    : system_(system),
      variant_(variant),
      drivers_(drivers),
      period_(period),
      progress_(drivers.size()),
      progressed_(drivers.size()) {
  if (period > Picoseconds()) next_check_ = period;
}

// As many TLPs as ever were in flight at once, each of which moves on with its events.
std::uint64_t Watchdog::event_bound() const { return system_.pool().capacity() * kEventsOfTlp; }

void Watchdog::pass_to(Picoseconds at) {
  if (at <= next_check_ || next_check_ == Picoseconds::max()) return;
  next_check_ = period_ * (at.count() / period_.count() + 1);
}

void Watchdog::remember(Picoseconds now) {
  since_ = now;
  events_ = system_.engine().scheduler().events();
  counters_ = counters();
}

std::string Watchdog::check(Picoseconds now) {
  next_check_ = now + period_;
  bool busy = false;
  bool progress = false;
  bool some_stand_still = false;
  for (std::size_t i = 0; i < drivers_.size(); ++i) {
    const FlowDriver& driver = *drivers_[i];
    const FlowDriver::Progress reached = driver.progress();
    const bool moved = !(reached == progress_[i]);
    if (moved || !driver.busy()) progressed_[i] = now;
    progress_[i] = reached;
    progress |= moved;
    busy |= driver.busy();
    some_stand_still |= driver.busy() && !moved;
  }
  const bool quiet = busy && was_busy_ && !progress;
  was_busy_ = busy;
  if (!quiet) remember(now);
  if (some_stand_still) {
    const WaitFinding finding = look(false);
    if (finding.kind != WaitFinding::Kind::kNone) return explain(finding, "");
  }
  if (quiet && system_.engine().scheduler().events() - events_ > event_bound()) {
    return explain_livelock(now);
  }
  return "";
}

WaitFinding Watchdog::look(bool at_rest) const {
  engine::WaitGraph graph;
  system_.describe_waits(graph);
  std::vector<engine::WaitId> starts;
  for (std::size_t i = 0; i < drivers_.size(); ++i) {
    starts.push_back(drivers_[i]->wait_id());
    if (drivers_[i]->done()) continue;
    engine::Waiter& waiter = drivers_[i]->describe_waits(graph);
    for (const std::string& name : variant_.flows[i].after) {
      const auto before = std::find_if(variant_.flows.begin(), variant_.flows.end(),
                                       [&name](const FlowSpec& flow) { return flow.name == name; });
      const auto index = static_cast<std::size_t>(before - variant_.flows.begin());
      if (drivers_[index]->done()) continue;
      waiter.what = "waits for the end of flow '" + name + "'";
      waiter.moves = false;
      waiter.wait_for(drivers_[index]->wait_id());
    }
  }
  graph.resolve();
  return topology::explain_waits(graph, starts, at_rest);
}

std::string Watchdog::flow_text(std::size_t flow) const {
  return "'" + variant_.flows[flow].name + "' (" +
         config::format_size(drivers_[flow]->delivered()) + " of " +
         config::format_size(variant_.flows[flow].total()) + " moved)";
}

std::string Watchdog::list_flows(const std::vector<std::size_t>& flows) const {
  std::string text = flows.size() == 1 ? "flow " : "flows ";
  for (std::size_t i = 0; i < std::min(flows.size(), kMostNames); ++i) {
    if (i != 0) text += i + 1 == flows.size() ? " and " : ", ";
    text += flow_text(flows[i]);
  }
  if (flows.size() > kMostNames) {
    text += " and " + std::to_string(flows.size() - kMostNames) + " more";
  }
  return text;
}

std::string Watchdog::explain(const WaitFinding& finding, const std::string& headline) const {
  std::string text = headline;
  if (text.empty()) {
    text = (finding.kind == WaitFinding::Kind::kDeadlock ? "deadlock: " : "stuck: ") +
           finding.summary + ", so " + list_flows(finding.stuck) + " can never finish";
  }
  for (const std::string& line : finding.lines) text += "\n" + line;
  if (!finding.usual_cause.empty()) text += "\n  usual cause: " + finding.usual_cause;
  return text;
}

std::string Watchdog::explain_rest() const {
  const WaitFinding finding = look(true);
  if (finding.kind != WaitFinding::Kind::kNone) return explain(finding, "");
  return "stuck: nothing can happen any more, though flows are not finished";
}

std::string Watchdog::explain_end() const {
  const WaitFinding finding = look(false);
  return finding.kind == WaitFinding::Kind::kNone ? "" : explain(finding, "");
}

// What links and components did, as far as they count TLPs: those that got on, and those that a
// link sent again.
std::vector<Watchdog::Counter> Watchdog::counters() const {
  std::vector<Counter> all;
  const topology::Topology& topology = system_.topology();
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    const auto& link = system_.links()[i];
    for (const bool up : {true, false}) {
      const engine::Transmitter& direction = up ? *link.up : *link.down;
      const std::string name = "link " + topology.links[i].name + (up ? " up" : " down");
      all.push_back({"TLPs over " + name, direction.statistics().tlps});
      if (direction.data_link() == nullptr) continue;
      const engine::DataLinkStatistics& counted = direction.data_link()->statistics();
      all.push_back({"replayed TLPs on " + name, counted.tlps_replayed});
      all.push_back({"retrainings for " + name, counted.retrains});
    }
  }
  for (topology::ComponentId id = 0; id < topology.components.size(); ++id) {
    const topology::Component& component = topology.components[id];
    const auto values = system_.model(id).statistics();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (component.model->statistics[i].unit != "TLPs") continue;
      all.push_back({"TLPs '" + values[i].name + "' of " + component.name, values[i].value});
    }
  }
  return all;
}

std::string Watchdog::explain_livelock(Picoseconds now) const {
  std::vector<std::size_t> flows;
  for (std::size_t i = 0; i < drivers_.size(); ++i) {
    if (drivers_[i]->busy()) flows.push_back(i);
  }
  const std::uint64_t events = system_.engine().scheduler().events() - events_;
  std::string text = "livelock: no flow got on between " + config::format_time(since_) + " and " +
                     config::format_time(now) + ", though " + std::to_string(events) +
                     " events happened; waiting: " + list_flows(flows);
  for (const std::size_t flow : flows) {
    text += "\n  flow '" + variant_.flows[flow].name +
            (progressed_[flow] == Picoseconds()
                 ? "' has not got on at all"
                 : "' got on last before " + config::format_time(progressed_[flow]));
  }
  std::vector<Counter> busiest = counters();
  for (std::size_t i = 0; i < busiest.size(); ++i) {
    busiest[i].value -= std::min(busiest[i].value, counters_[i].value);
  }
  std::stable_sort(busiest.begin(), busiest.end(),
                   [](const Counter& a, const Counter& b) { return a.value > b.value; });
  text += "\n  kept happening:";
  for (std::size_t i = 0; i < std::min(busiest.size(), kMostNames); ++i) {
    if (busiest[i].value == 0) break;
    text += (i == 0 ? " " : ", ") + std::to_string(busiest[i].value) + " " + busiest[i].name;
  }
  const WaitFinding finding = look(true);
  if (finding.kind == WaitFinding::Kind::kNone) return text;
  WaitFinding shown = finding;
  shown.usual_cause =
      "a device that asks again and again for what only a blocked transaction would change, or "
      "that retries without end; a link so bad that nothing gets over it. A model that is legally "
      "this slow needs a longer 'watchdog:'.";
  return explain(shown, text + "\n  at this moment:");
}

}  // namespace peerfab::scenario
