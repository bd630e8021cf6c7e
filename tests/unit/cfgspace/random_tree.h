// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/base/rng.h"
#include "sim/cfgspace/enumeration.h"
#include "tests/unit/cfgspace/fixtures.h"

namespace peerfab::cfgspace::testing {

struct RandomTreeLimits {
  unsigned sockets = 3;
  unsigned root_ports = 4;
  unsigned switch_ports = 5;
  unsigned depth = 4;         // switches above one another
  unsigned largest_bar = 36;  // log2
};

class RandomTree {
 public:
  RandomTree(std::uint64_t seed, RandomTreeLimits limits) : rng_(seed), limits_(limits) {}

  SystemTree make() {
    SystemTree tree;
    const std::uint64_t sockets = rng_.between(1, limits_.sockets);
    for (std::uint64_t i = 0; i < sockets; ++i) {
      RootComplexTree root;
      root.name = "cpu" + std::to_string(i);
      root.memory = Bytes(rng_.below(4) == 0 ? rng_.below(3) * 4096 : rng_.below(300) * kGiB);
      root.root_ports.resize(rng_.between(1, limits_.root_ports));
      for (TreeNode::Port& port : root.root_ports) fill(port, limits_.depth);
      tree.root_complexes.push_back(std::move(root));
    }
    return tree;
  }

 private:
  void fill(TreeNode::Port& port, unsigned depth) {
    if (rng_.below(6) == 0) return;
    TreeNode node;
    node.id = next_id_++;
    node.name = "device" + std::to_string(node.id);
    node.max_payload_supported = Bytes(std::uint64_t{128} << rng_.below(3));
    if (depth > 0 && rng_.below(2) == 0) {
      node.kind = TreeNode::Kind::kSwitch;
      node.ports.resize(rng_.between(1, limits_.switch_ports));
      for (TreeNode::Port& inner : node.ports) fill(inner, depth - 1);
    } else {
      add_bars(node);
    }
    port.below.push_back(std::move(node));
  }

  void add_bars(TreeNode& node) {
    for (unsigned index = 0; index < 6; ++index) {
      if (rng_.below(3) == 0) continue;
      BarRequest bar;
      bar.index = index;
      bar.is_64bit = index < 5 && rng_.below(2) == 0;
      bar.prefetchable = rng_.below(2) == 0;
      const bool is_high = bar.is_64bit && bar.prefetchable;
      bar.size = Bytes(std::uint64_t{1} << rng_.between(4, is_high ? limits_.largest_bar : 24));
      node.bars.push_back(bar);
      if (bar.is_64bit) ++index;
    }
  }

  Rng rng_;
  RandomTreeLimits limits_;
  NodeId next_id_ = 1;
};

}  // namespace peerfab::cfgspace::testing
