// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/scheduler.h"

#include <algorithm>

namespace peerfab::engine {

ActorId Scheduler::add_actor(void* self, Handler handler) {
  assert(actors_.size() < kMaxActors);
  const auto known = std::find(handlers_.begin(), handlers_.end(), handler);
  const auto index = static_cast<std::uint32_t>(known - handlers_.begin());
  if (known == handlers_.end()) handlers_.push_back(handler);
  actors_.push_back({self, kNoLeaf, index});
  return static_cast<ActorId>(actors_.size() - 1);
}

std::size_t Scheduler::new_leaf(ActorId actor) {
  if (used_leaves_ == leaves_) grow();
  actors_[actor].leaf = static_cast<std::uint32_t>(used_leaves_);
  return used_leaves_++;
}

void Scheduler::grow() {
  const std::vector<std::uint64_t> old = std::move(tree_);
  const std::size_t old_leaves = leaves_;
  leaves_ *= 4;  // an even number of levels: see set_leaf()
  tree_.assign(leaves_ * 2, kIdle);
  for (std::size_t i = 0; i < old_leaves; ++i) {
    set_leaf(i, old[old_leaves + i]);
  }
}

Picoseconds Scheduler::next_time() const {
  if (tree_[kRoot] != kIdle) return Picoseconds(epoch_ + (tree_[kRoot] >> kActorBits));
  Picoseconds earliest = Picoseconds::max();
  for (const FarEvent& event : far_) earliest = std::min(earliest, event.at);
  return earliest;
}

// Everything in the tree is earlier than everything in far_.
void Scheduler::schedule_far(ActorId actor, Picoseconds at) {
  std::erase_if(far_, [actor](const FarEvent& event) { return event.actor == actor; });
  const std::uint64_t offset = at.count() - epoch_;
  if (offset <= kMaxOffset) {
    set_leaf(leaf_of(actor), (offset << kActorBits) | actor);
  } else {
    set_leaf(leaf_of(actor), kIdle);
    far_.push_back({at, actor});
  }
  near_end_ = far_.empty() ? kMaxOffset + 1 : 0;
}

void Scheduler::move_epoch() {
  epoch_ = next_time().count();
  const std::vector<FarEvent> events = std::move(far_);
  far_.clear();
  for (const FarEvent& event : events) {
    const std::uint64_t offset = event.at.count() - epoch_;
    if (offset > kMaxOffset) {
      far_.push_back(event);
    } else {
      set_leaf(leaf_of(event.actor), (offset << kActorBits) | event.actor);
    }
  }
  near_end_ = far_.empty() ? kMaxOffset + 1 : 0;
}

void Scheduler::run_until(Picoseconds horizon) {
  stopped_ = false;
  while (!stopped_) {
    const std::uint64_t key = tree_[kRoot];
    if (key == kIdle) {
      if (far_.empty() || next_time() > horizon) return;
      move_epoch();
      continue;
    }
    const Picoseconds at(epoch_ + (key >> kActorBits));
    if (at > horizon) return;
    now_ = at;
    ++events_;
    const auto id = static_cast<ActorId>(key & (kMaxActors - 1));
    // The leaf is taken, the nodes above it not yet: most handlers ask for their own next event,
    // and that pass puts them right.
    const Actor& actor = actors_[id];
    const std::size_t leaf = actor.leaf;
    tree_[leaves_ + leaf] = kIdle;
    handlers_[actor.handler](actor.self, at);
    if (tree_[leaves_ + leaf] == kIdle) set_leaf(leaf, kIdle);
  }
}

}  // namespace peerfab::engine
