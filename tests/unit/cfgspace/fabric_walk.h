// SPDX-License-Identifier: Apache-2.0
// Carries a TLP through an enumerated system hop by hop, each hop asking route().
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "sim/cfgspace/enumeration.h"
#include "sim/cfgspace/route.h"

namespace peerfab::cfgspace::testing {

// A root complex (by index), a switch or an endpoint (by node).
struct Place {
  enum class Kind { kRootComplex, kSwitch, kEndpoint };
  Kind kind = Kind::kRootComplex;
  std::size_t id = 0;
  auto operator<=>(const Place&) const = default;
};

class FabricWalk {
 public:
  struct Step {
    Place place;
    Verdict verdict;
  };

  FabricWalk(const SystemTree& tree, Enumeration& registers) : registers_(registers) {
    for (std::size_t i = 0; i < tree.root_complexes.size(); ++i) {
      connect({Place::Kind::kRootComplex, i}, tree.root_complexes[i].root_ports);
    }
  }

  // From the host of a root complex or from an endpoint, until a verdict ends the way.
  [[nodiscard]] std::vector<Step> run(Place place, const RoutedTlp& tlp) const {
    constexpr std::size_t kTooFar = 1000;
    std::vector<Step> steps;
    Ingress ingress = Ingress::internal();
    while (steps.size() < kTooFar) {
      const Verdict verdict = route(tlp, view(place, ingress));
      steps.push_back({place, verdict});
      switch (verdict.action) {
        case Action::kToUpstream: {
          const auto& [above, port] = above_.at(place);
          place = above;
          ingress = Ingress::port(port);
          break;
        }
        case Action::kToPort: {
          const auto next = below_.find({place, verdict.index});
          if (next == below_.end()) return steps;  // a port with nothing below
          place = next->second;
          ingress = Ingress::upstream();
          break;
        }
        case Action::kToSocket:
          ingress = Ingress::socket(static_cast<unsigned>(place.id));
          place = {Place::Kind::kRootComplex, verdict.index};
          break;
        default:
          return steps;
      }
    }
    return steps;
  }

  [[nodiscard]] const std::vector<Place>& endpoints() const { return endpoints_; }

 private:
  [[nodiscard]] RoutingView view(Place place, Ingress ingress) const {
    const auto node = static_cast<NodeId>(place.id);
    switch (place.kind) {
      case Place::Kind::kRootComplex:
        return {&registers_.root_complexes[place.id], ingress};
      case Place::Kind::kSwitch:
        return {&registers_.switches.at(node), ingress};
      case Place::Kind::kEndpoint:
        break;
    }
    return {&registers_.endpoints.at(node), ingress};
  }

  void connect(Place above, const std::vector<TreeNode::Port>& ports) {
    for (unsigned i = 0; i < ports.size(); ++i) {
      for (const TreeNode& node : ports[i].below) {
        const bool is_switch = node.kind == TreeNode::Kind::kSwitch;
        const Place place{is_switch ? Place::Kind::kSwitch : Place::Kind::kEndpoint, node.id};
        above_[place] = {above, i};
        below_[{above, i}] = place;
        if (is_switch) {
          connect(place, node.ports);
        } else {
          endpoints_.push_back(place);
        }
      }
    }
  }

  Enumeration& registers_;
  std::map<Place, std::pair<Place, unsigned>> above_;
  std::map<std::pair<Place, unsigned>, Place> below_;
  std::vector<Place> endpoints_;
};

}  // namespace peerfab::cfgspace::testing
