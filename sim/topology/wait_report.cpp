// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/wait_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <deque>
#include <optional>

namespace peerfab::topology {

namespace {

using engine::Waiter;
using engine::WaitGraph;
using engine::WaitReason;
using Path = std::vector<std::size_t>;

// Chains that are written out; the others of a large run look like them.
constexpr std::size_t kMostChains = 8;
// Queues from which the shortest circle is looked for.
constexpr std::size_t kMostCircleStarts = 256;

class Analysis {
 public:
  Analysis(const WaitGraph& graph, bool at_rest) : waiters_(graph.waiters()) {
    find_stuck(at_rest);
    find_components();
  }

  [[nodiscard]] bool stuck(std::size_t waiter) const { return stuck_[waiter]; }

  // Stuck waiters that this one waits for. One that waits for any of them waits for all.
  [[nodiscard]] Path next(std::size_t waiter) const {
    Path stuck_ones;
    for (const std::size_t other : waiters_[waiter].waits_for) {
      if (stuck_[other]) stuck_ones.push_back(other);
    }
    return stuck_ones;
  }

  // The shortest circle that can be reached from here.
  [[nodiscard]] std::optional<Path> circle_from(std::size_t start) const {
    std::optional<Path> best;
    std::size_t tried = 0;
    for (const std::size_t waiter : reachable(start)) {
      if (!in_circle_[waiter] || ++tried > kMostCircleStarts) continue;
      std::optional<Path> circle = path(waiter, [&](std::size_t at) { return at == waiter; });
      if (circle && (!best || circle->size() < best->size())) best = std::move(circle);
    }
    if (best) best->pop_back();
    return best;
  }
  // The shortest way from here to something that waits for nothing that is there.
  [[nodiscard]] std::optional<Path> dead_end_from(std::size_t start) const {
    const auto ends = [this](std::size_t at) {
      return next(at).empty() || !waiters_[at].lost.empty();
    };
    if (ends(start)) return Path{start};
    return path(start, ends);
  }
  // The way from here to one of these, without it.
  [[nodiscard]] Path way_to(std::size_t start, const Path& goals) const {
    const auto is_goal = [&](std::size_t at) {
      return std::find(goals.begin(), goals.end(), at) != goals.end();
    };
    if (is_goal(start)) return {start};
    return path(start, is_goal).value_or(Path{});
  }

 private:
  void find_stuck(bool at_rest) {
    // The least set of those that can go on; what is left waits for ever.
    stuck_.assign(waiters_.size(), true);
    std::vector<Path> waited_for_by(waiters_.size());
    std::deque<std::size_t> going;
    std::vector<std::size_t> missing(waiters_.size());
    for (std::size_t i = 0; i < waiters_.size(); ++i) {
      const Waiter& waiter = waiters_[i];
      missing[i] = waiter.any ? 1 : waiter.waits_for.size();
      for (const std::size_t other : waiter.waits_for) waited_for_by[other].push_back(i);
      if (at_rest || !(waiter.moves || waiter.opaque)) continue;
      stuck_[i] = false;
      going.push_back(i);
    }
    while (!going.empty()) {
      for (const std::size_t i : waited_for_by[going.front()]) {
        if (!stuck_[i] || --missing[i] != 0) continue;
        stuck_[i] = false;
        going.push_back(i);
      }
      going.pop_front();
    }
  }

  void find_components() {
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> stuck(waiters_.size());
    for (std::size_t i = 0; i < waiters_.size(); ++i) {
      if (!stuck_[i]) continue;
      for (const std::size_t other : next(i)) boost::add_edge(i, other, stuck);
    }
    std::vector<std::size_t> component(waiters_.size());
    const std::size_t components = boost::strong_components(
        stuck, boost::make_iterator_property_map(component.begin(),
                                                 boost::get(boost::vertex_index, stuck)));
    std::vector<std::size_t> size(components);
    for (const std::size_t of : component) ++size[of];
    in_circle_.resize(waiters_.size());
    for (std::size_t i = 0; i < waiters_.size(); ++i) in_circle_[i] = size[component[i]] > 1;
  }

  [[nodiscard]] Path reachable(std::size_t start) const {
    Path found{start};
    std::vector<bool> seen(waiters_.size());
    seen[start] = true;
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (const std::size_t other : next(found[i])) {
        if (seen[other]) continue;
        seen[other] = true;
        found.push_back(other);
      }
    }
    return found;
  }

  // The shortest one of at least one step.
  template <typename IsGoal>
  [[nodiscard]] std::optional<Path> path(std::size_t start, const IsGoal& is_goal) const {
    constexpr std::size_t kUnseen = ~std::size_t{0};
    std::vector<std::size_t> from(waiters_.size(), kUnseen);
    std::deque<std::size_t> open{start};
    while (!open.empty()) {
      const std::size_t at = open.front();
      open.pop_front();
      for (const std::size_t other : next(at)) {
        if (is_goal(other)) {
          Path way{other, at};
          while (way.back() != start) way.push_back(from[way.back()]);
          std::reverse(way.begin(), way.end());
          return way;
        }
        if (from[other] != kUnseen || other == start) continue;
        from[other] = at;
        open.push_back(other);
      }
    }
    return std::nullopt;
  }

  const std::deque<Waiter>& waiters_;
  std::vector<bool> stuck_;
  std::vector<bool> in_circle_;
};

// The sentence that fits what the circle, or the dead end, consists of.
std::string usual_cause(const std::deque<Waiter>& waiters, const Path& path, bool circle) {
  const auto has = [&](WaitReason reason) {
    return std::any_of(path.begin(), path.end(),
                       [&](std::size_t i) { return waiters[i].reason == reason; });
  };
  if (circle && has(WaitReason::kAcceptance)) {
    return "a device whose acceptance of a posted request depends on sending a TLP of its own or "
           "on the answer to one, which PCIe r6.0, sec 2.4.1 forbids: it needs room to put the "
           "posted request aside.";
  }
  if (has(WaitReason::kOutside) || has(WaitReason::kAcceptance)) {
    return "a model from outside that waits for something of its own that never happens: look at "
           "what its b_transport waits for.";
  }
  if (has(WaitReason::kCompletionCredits)) {
    return "completion buffers that are smaller than the reads in flight: an endpoint, and a root "
           "complex without peer-to-peer, must advertise infinite completion credits (PCIe r6.0, "
           "sec 2.6.1).";
  }
  if (has(WaitReason::kPostedCredits) || has(WaitReason::kNonPostedCredits)) {
    return "a receive buffer that is too small for one TLP, or a component that keeps what it "
           "received until something else of its own has left (PCIe r6.0, sec 2.4.1).";
  }
  return "a request or completion that was dropped on its way, as in a component that refuses it: "
         "hardware would end the wait by a completion timeout (PCIe r6.0, sec 2.8).";
}

std::string text_of(const Waiter& waiter) {
  return waiter.what.empty() ? waiter.who : waiter.who + ": " + waiter.what;
}

// How a start leads into what is numbered, or into a dead end of its own.
std::string chain(const Analysis& analysis, const std::deque<Waiter>& waiters, std::size_t start,
                  const Path& core) {
  Path way = analysis.way_to(start, core);
  std::string end = "leads into another circle";
  if (!way.empty()) {
    const auto number = std::find(core.begin(), core.end(), way.back()) - core.begin() + 1;
    way.pop_back();
    end = fmt::format("leads to ({})", number);
  } else if (auto dead_end = analysis.dead_end_from(start); dead_end.has_value()) {
    way = std::move(*dead_end);
    end = waiters[way.back()].lost.empty() ? "ends there" : waiters[way.back()].lost;
  } else {
    way = {start};
  }
  std::string text;
  for (const std::size_t step : way) {
    text += (step == way.front() ? "  " : "    ") + text_of(waiters[step]) + "\n";
  }
  return text + "    " + end;
}

}  // namespace

WaitFinding explain_waits(const engine::WaitGraph& graph, const std::vector<engine::WaitId>& starts,
                          bool at_rest) {
  const std::deque<Waiter>& waiters = graph.waiters();
  const Analysis analysis(graph, at_rest);
  WaitFinding finding;
  Path begin;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::optional<std::size_t> start = graph.find(starts[i]);
    if (!start.has_value() || !analysis.stuck(*start)) continue;
    finding.stuck.push_back(i);
    begin.push_back(*start);
  }
  if (begin.empty()) return finding;
  std::optional<Path> core;
  for (const std::size_t start : begin) {
    std::optional<Path> circle = analysis.circle_from(start);
    if (circle && (!core || circle->size() < core->size())) core = std::move(circle);
  }
  if (core.has_value()) {
    finding.kind = WaitFinding::Kind::kDeadlock;
    finding.summary = fmt::format("{} waits form a circle", core->size());
  } else {
    finding.kind = WaitFinding::Kind::kDeadEnd;
    core = analysis.dead_end_from(begin.front());
    if (!core.has_value()) return {};
    finding.summary = "something that is waited for never comes";
    core = Path{core->back()};
  }
  const bool circle = finding.kind == WaitFinding::Kind::kDeadlock;
  for (std::size_t i = 0; i < core->size(); ++i) {
    const Waiter& waiter = waiters[(*core)[i]];
    std::string line = fmt::format("  ({}) {}", i + 1, text_of(waiter));
    if (circle) line += fmt::format("; held up by ({})", (i + 1) % core->size() + 1);
    if (!waiter.lost.empty()) line += "; " + waiter.lost;
    finding.lines.push_back(std::move(line));
  }
  for (std::size_t i = 0; i < std::min(begin.size(), kMostChains); ++i) {
    finding.lines.push_back(chain(analysis, waiters, begin[i], *core));
  }
  if (begin.size() > kMostChains) {
    finding.lines.push_back(fmt::format("  and {} more", begin.size() - kMostChains));
  }
  finding.usual_cause = usual_cause(waiters, *core, circle);
  return finding;
}

}  // namespace peerfab::topology
