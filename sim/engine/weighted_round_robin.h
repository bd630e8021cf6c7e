// SPDX-License-Identifier: Apache-2.0
// Weighted round robin: whose turn it is among a few that want the same thing.
//
// A round gives each one as many turns as its weight, and takes them one by one in circular order,
// so that nobody has all of its turns in a row while others wait (PCIe r6.0, sec 6.3.3.2 and
// 6.3.3.3, where a table of phases says the same). Who has nothing to send keeps nobody waiting and
// saves nothing up: once none of those who have turns left can use one, the next round begins.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

namespace peerfab::engine {

class WeightedRoundRobin {
 public:
  static constexpr unsigned kMaxWeight = 256;  // phases of the largest Port Arbitration Table

  // Weights are 1 at first, which is plain round robin.
  explicit WeightedRoundRobin(unsigned count) : shares_(count), last_(count - 1) {
    assert(count > 0);
  }

  void set_weight(unsigned index, unsigned weight) {
    assert(weight >= 1 && weight <= kMaxWeight);
    const auto turns = static_cast<std::uint16_t>(weight);
    shares_[index] = {turns, turns};
  }

  // Offers the turn until someone takes it: bool try_one(index). False: nobody did, and nothing has
  // changed.
  template <typename TryOne>
  bool serve(TryOne&& try_one) {
    if (offer(true, try_one)) return true;
    // Those who have had all their turns: with the first one that can send, the next round begins.
    return offer(false, try_one);
  }

 private:
  struct Share {
    std::uint16_t weight = 1;
    std::uint16_t left = 1;  // turns in this round
  };

  template <typename TryOne>
  bool offer(bool with_turns_left, TryOne& try_one) {
    const auto count = static_cast<unsigned>(shares_.size());
    for (unsigned i = 1; i <= count; ++i) {
      const unsigned index = (last_ + i) % count;
      if ((shares_[index].left != 0) != with_turns_left || !try_one(index)) continue;
      if (!with_turns_left) {
        for (Share& share : shares_) share.left = share.weight;
      }
      --shares_[index].left;
      last_ = index;
      return true;
    }
    return false;
  }

  std::vector<Share> shares_;
  unsigned last_;  // who had the turn before
};

}  // namespace peerfab::engine
