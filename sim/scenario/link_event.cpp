// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/link_event.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sim/base/nearest_name.h"
#include "sim/base/printable.h"

namespace peerfab::scenario {
namespace {

using config::Quantity;
using Kind = LinkEvent::Kind;

constexpr std::size_t kMaxLinkEvents = 10'000;

Kind kind_of(std::string_view name) {
  if (name == "retrain") return Kind::kRetrain;
  if (name == "speed") return Kind::kSpeed;
  if (name == "surprise-down") return Kind::kSurpriseDown;
  return name == "damage-tlp" ? Kind::kDamageTlp : Kind::kDamageAck;
}

bool damages(Kind kind) { return kind == Kind::kDamageTlp || kind == Kind::kDamageAck; }

// Keys that a kind of event needs, and others that it may not have.
struct KeyRule {
  std::vector<std::string> needed;
  std::vector<std::string> senseless;
};
KeyRule rule_of(Kind kind) {
  if (damages(kind)) return {{"direction", "number"}, {"at", "to"}};
  if (kind == Kind::kSpeed) return {{"at", "to"}, {"direction", "number"}};
  return {{"at"}, {"direction", "number", "to"}};
}

bool read_event(const config::Node& node, LinkEvent& event, Diagnostics& diagnostics) {
  if (!node.is_map()) {
    diagnostics.error(
        "bad-link-event", node.where(),
        "a link event is a map of keys, found " + std::string(config::kind_name(node.kind())),
        "for example {link: cpu0-sw0, event: retrain, at: 10us}");
    return false;
  }
  bool good = true;
  for (const std::string& key : required_link_event_keys()) {
    if (node.find(key) != nullptr) continue;
    diagnostics.error("missing-key", node.where(), "a link event needs '" + key + "'");
    good = false;
  }
  const auto values = config::bind(link_event_table(), nullptr, &node, {}, diagnostics);
  if (!values || !good) return false;
  const std::string& name = values->text("event");
  event.kind = kind_of(name);
  const KeyRule rule = rule_of(event.kind);
  for (const std::string& key : rule.needed) {
    if (node.find(key) != nullptr) continue;
    diagnostics.error("missing-key", node.where(),
                      "the link event '" + name + "' needs '" + key + "'");
    good = false;
  }
  for (const std::string& key : rule.senseless) {
    if (node.find(key) == nullptr) continue;
    diagnostics.error("senseless-key", node.find(key)->where(),
                      "'" + key + "' means nothing for the link event '" + name + "'");
    good = false;
  }
  event.link = values->text("link");
  event.link_where = values->where("link");
  event.at = values->time("at");
  event.to = values->link("to");
  event.to_where = values->where("to");
  event.up = values->text("direction") == "up";
  event.number = static_cast<std::uint64_t>(values->integer("number"));
  return good;
}

}  // namespace

const config::ParameterTable& link_event_table() {
  static const config::ParameterTable table({
      {"link", Quantity::kText, "", "the link, <upper>-<lower>", "", "", {}},
      {"event",
       Quantity::kChoice,
       "retrain",
       "retrain: through Recovery; speed: the same, to another rate or width; surprise-down: for "
       "good; damage-tlp, damage-ack: one packet arrives damaged",
       "",
       "",
       {"retrain", "speed", "surprise-down", "damage-tlp", "damage-ack"}},
      {"at", Quantity::kTime, "0s", "when; not of damaged packets", "0s", "100000s", {}},
      {"to", Quantity::kLink, "gen1 x1", "generation and width after 'speed'", "", "", {}},
      {"direction",
       Quantity::kChoice,
       "down",
       "of a damaged packet: up is towards the root complex",
       "",
       "",
       {"down", "up"}},
      {"number",
       Quantity::kInteger,
       "1",
       "of a damaged packet: the n-th of its kind that the direction carries, replays included",
       "1",
       "",
       {}},
  });
  return table;
}

const std::vector<std::string>& required_link_event_keys() {
  static const std::vector<std::string> keys = {"link", "event"};
  return keys;
}

bool read_link_events(const config::Node& node, std::vector<LinkEvent>& events,
                      Diagnostics& diagnostics) {
  if (!node.is_sequence()) {
    diagnostics.error(
        "bad-link-event", node.where(),
        "'link_events' is a list, found " + std::string(config::kind_name(node.kind())),
        "begin each event with '- '");
    return false;
  }
  if (node.items().size() > kMaxLinkEvents) {
    diagnostics.error("too-many", node.where(),
                      std::to_string(node.items().size()) + " link events are too many",
                      "the limit is " + std::to_string(kMaxLinkEvents));
    return false;
  }
  bool good = true;
  for (const config::Node& item : node.items()) {
    if (diagnostics.error_count() > Diagnostics::kPrintLimit) return false;
    LinkEvent event;
    good = read_event(item, event, diagnostics) && good;
    events.push_back(std::move(event));
  }
  return good;
}

bool check_link_events(const std::vector<LinkEvent>& events, const topology::Topology& topology,
                       Diagnostics& diagnostics) {
  bool good = true;
  for (const LinkEvent& event : events) {
    if (diagnostics.error_count() > Diagnostics::kPrintLimit) return false;
    const topology::PcieLink* const link = topology.find_link(event.link);
    if (link == nullptr) {
      std::vector<std::string> names;
      for (const topology::PcieLink& candidate : topology.links) names.push_back(candidate.name);
      diagnostics.error("unknown-reference", event.link_where,
                        "no link is called '" + printable(event.link) + "'",
                        did_you_mean(event.link, names));
      good = false;
      continue;
    }
    if (event.kind != LinkEvent::Kind::kSpeed) continue;
    const unsigned generation = std::min(link->upper_max.generation, link->lower_max.generation);
    const unsigned width = std::min(link->upper_max.width, link->lower_max.width);
    if (event.to.generation > generation || event.to.width > width) {
      diagnostics.error("link-too-fast", event.to_where,
                        "the link '" + link->name + "' does " +
                            config::format_link({generation, width}) + " at most");
      good = false;
    }
  }
  return good;
}

topology::LinkFaultsByName link_faults(const std::vector<LinkEvent>& events) {
  topology::LinkFaultsByName faults;
  for (const LinkEvent& event : events) {
    topology::LinkFaults& link = faults[event.link];
    topology::LinkFaults::Direction& direction = event.up ? link.up : link.down;
    if (event.kind == LinkEvent::Kind::kDamageTlp) direction.tlps.push_back(event.number);
    if (event.kind == LinkEvent::Kind::kDamageAck) {
      direction.acknowledgements.push_back(event.number);
    }
  }
  for (auto& [name, link] : faults) {
    for (auto* direction : {&link.down, &link.up}) {
      for (auto* numbers : {&direction->tlps, &direction->acknowledgements}) {
        std::sort(numbers->begin(), numbers->end());
        numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
      }
    }
  }
  return faults;
}

}  // namespace peerfab::scenario
