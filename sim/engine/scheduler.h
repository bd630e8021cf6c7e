// SPDX-License-Identifier: Apache-2.0
// The event queue of the fabric: a tournament tree over a fixed set of actors.
//
// An actor (one direction of a link, a DMA unit, a memory) registers once and has at most one
// pending wake-up. With its first one it gets a leaf, so that actors that never wake cost nothing.
// Its leaf is one 64-bit word, the time in the high 47 bits and the actor in the
// low 17, so comparing two leaves compares (time, actor): a total order that needs no sequence
// number and is the same on every machine. Each inner node is the lesser of its children, so a
// wake-up that is set, moved or cancelled costs one pass from its leaf to the root, without a
// branch that depends on data; a heap's sift costs three times as much here, in mispredictions.
//
// Times in the tree are relative to an epoch that moves whenever the tree runs empty; what lies
// more than 2^47 ps (140 s) ahead waits in a list beside it.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/base/units.h"

namespace peerfab::engine {

using ActorId = std::uint32_t;

class Scheduler {
 public:
  using Handler = void (*)(void* self, Picoseconds now);
  static constexpr unsigned kActorBits = 17;
  static constexpr std::size_t kMaxActors = std::size_t{1} << kActorBits;

  // Registers an actor. Asserts on more than kMaxActors, which elaboration has refused before.
  ActorId add_actor(void* self, Handler handler);
  [[nodiscard]] std::size_t actors() const { return actors_.size(); }

  // Wakes the actor at `at`, not before now(), instead of when it was to be woken before.
  void schedule(ActorId actor, Picoseconds at) {
    assert(at >= now_);
    const std::uint64_t offset = at.count() - epoch_;
    if (offset >= near_end_) [[unlikely]] {
      schedule_far(actor, at);
      return;
    }
    set_leaf(leaf_of(actor), (offset << kActorBits) | actor);
  }

  // Time of the event that runs now or ran last.
  [[nodiscard]] Picoseconds now() const { return now_; }
  // Earliest pending event, Picoseconds::max() when there is none. Not from within a handler.
  [[nodiscard]] Picoseconds next_time() const;

  // Runs all events with time <= horizon in order, until a handler calls stop().
  void run_until(Picoseconds horizon);
  // Ends run_until after the handler that calls it.
  void stop() { stopped_ = true; }
  [[nodiscard]] bool stopped() const { return stopped_; }

  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  static constexpr std::uint64_t kMaxOffset = (std::uint64_t{1} << (64 - kActorBits)) - 2;
  static constexpr std::uint64_t kIdle = ~std::uint64_t{0};
  static constexpr std::size_t kRoot = 1;

  static constexpr std::uint32_t kNoLeaf = ~std::uint32_t{0};

  // Small, since every event reads one: the handlers, few and hot, stand beside.
  struct alignas(16) Actor {
    void* self;
    std::uint32_t leaf = kNoLeaf;
    std::uint32_t handler;  // in handlers_
  };
  struct FarEvent {
    Picoseconds at;
    ActorId actor;
  };

  std::size_t leaf_of(ActorId actor) {
    const std::uint32_t leaf = actors_[actor].leaf;
    return leaf != kNoLeaf ? leaf : new_leaf(actor);
  }
  std::size_t new_leaf(ActorId actor);
  void set_leaf(std::size_t leaf, std::uint64_t key) {
    std::uint64_t* const tree = tree_.data();
    std::size_t node = leaves_ + leaf;
    tree[node] = key;
    // Two levels a turn: the tree has an even number of them.
    while (node != kRoot) {
      const std::uint64_t sibling = tree[node ^ 1];
      const std::size_t parent = node >> 1;
      key = sibling < key ? sibling : key;
      tree[parent] = key;
      const std::uint64_t uncle = tree[parent ^ 1];
      node = parent >> 1;
      key = uncle < key ? uncle : key;
      tree[node] = key;
    }
  }
  void schedule_far(ActorId actor, Picoseconds at);
  void move_epoch();
  void grow();

  // tree_[kRoot] is the winner, the children of node i are 2i and 2i + 1, the leaves start at
  // leaves_.
  std::vector<std::uint64_t> tree_ = {kIdle, kIdle};
  std::size_t leaves_ = 1;
  std::size_t used_leaves_ = 0;
  bool stopped_ = false;
  Picoseconds now_;
  std::uint64_t epoch_ = 0;
  // Offsets before this one go into the tree at once: none while something waits in far_.
  std::uint64_t near_end_ = kMaxOffset + 1;
  std::uint64_t events_ = 0;
  std::vector<Actor> actors_;
  std::vector<Handler> handlers_;
  std::vector<FarEvent> far_;
};

}  // namespace peerfab::engine
