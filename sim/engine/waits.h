// SPDX-License-Identifier: Apache-2.0
// Who waits for whom, asked for when a run makes no progress: every component describes what waits
// in it, and the pieces become one wait-for graph.
//
// Nothing here is kept up to date while the simulation runs. A component names a waiter by an
// object and a number of its own. What it cannot know is named by what it is: the receive buffer of
// a link direction, the place where a TLP or a read's answer is at the moment, the process that is
// blocked in a call. resolve() turns these into edges.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/engine/tlp.h"
#include "sim/pcie/credits.h"

namespace peerfab::engine {

class Transmitter;

// A TLP in the words of the specification.
[[nodiscard]] std::string describe_tlp(const Tlp& tlp);

struct WaitId {
  const void* owner = nullptr;
  std::uint64_t number = 0;
  auto operator<=>(const WaitId&) const = default;
};

enum class WaitReason : std::uint8_t {
  kBehind,            // others of the same queue or source
  kOrdering,          // a posted request that must not be passed
  kPostedCredits,     // of the far end's receive buffer
  kNonPostedCredits,  // likewise
  kCompletionCredits,
  kTag,
  kCompletion,  // of a read
  kDelivery,    // of a write
  kAcceptance,  // of a posted request by a model from outside
  kOutside,     // whatever a model from outside does
};

struct Waiter {
  WaitId id;
  std::string who;   // the place: "link sw0-gpu1 down, posted requests from gpu0"
  std::string what;  // "MWr ... waits for PH credits of gpu1 (4 in all)"
  WaitReason reason = WaitReason::kBehind;
  // It goes on when one of those moves for whom it waits, or when all of them have.
  bool any = false;
  // It goes on by itself: something is scheduled for it.
  bool moves = false;
  // It is up to something that cannot be looked into, as a model from outside: that it never goes
  // on is certain only when nothing can happen any more.
  bool opaque = false;

  // Without such a waiter: nothing to wait for.
  void wait_for(WaitId other) { ids.push_back(other); }
  // For room in the receive buffer at the far end of a link direction.
  void wait_for_buffer(const Transmitter& direction, pcie::FlowClass flow_class) {
    buffers.emplace_back(&direction, flow_class);
  }
  // For a read's answer, which is its request, its completions or a completer that has it.
  void wait_for_answer(Bdf requester, std::uint16_t tag) { answers.emplace_back(requester, tag); }
  // For the posted requests of this requester that carry this tag field, or any.
  void wait_for_writes(Bdf requester, std::optional<std::uint16_t> tag) {
    writes.emplace_back(requester, tag);
  }
  // For whatever blocks this process of SystemC in a call into the fabric.
  void wait_for_process(const void* process) { processes.push_back(process); }

  std::vector<WaitId> ids;
  std::vector<std::pair<const Transmitter*, pcie::FlowClass>> buffers;
  std::vector<std::pair<Bdf, std::uint16_t>> answers;
  std::vector<std::pair<Bdf, std::optional<std::uint16_t>>> writes;
  std::vector<const void*> processes;

  // By resolve():
  std::vector<std::size_t> waits_for;  // other waiters, by index
  std::string lost;                    // something it waits for is nowhere: what
};

class WaitGraph {
 public:
  // The names of a link direction: "link sw0-gpu1 down", and of the component that it leads to.
  void name(const Transmitter& direction, std::string link, std::string far_end);
  [[nodiscard]] const std::string& link_of(const Transmitter& direction) const;
  [[nodiscard]] const std::string& far_end_of(const Transmitter& direction) const;

  // The reference holds until resolve().
  Waiter& add(WaitId id, std::string who);
  // The waiter has this TLP, or the answer to a read. Across PCI segments requester IDs may be the
  // same: then a waiter may seem to be waited for that is not.
  void contains(WaitId holder, const Tlp& tlp);
  void contains_answer(WaitId holder, Bdf requester, std::uint16_t tag);
  // It holds buffer that was sent into over `direction`.
  void holds(WaitId holder, const Transmitter& direction, pcie::FlowClass flow_class);
  // This process is blocked in a call that the waiter stands for.
  void blocks(WaitId waiter, const void* process);

  // Once, after everything was described.
  void resolve();
  [[nodiscard]] const std::deque<Waiter>& waiters() const { return waiters_; }
  [[nodiscard]] std::optional<std::size_t> find(WaitId id) const;

 private:
  struct Names {
    std::string link;
    std::string far_end;
  };
  using Packet = std::tuple<bool, std::uint16_t, std::uint16_t>;  // posted, requester, tag
  void resolve(Waiter& waiter);

  std::map<const Transmitter*, Names> names_;
  std::deque<Waiter> waiters_;
  std::map<WaitId, std::size_t> index_;
  std::multimap<Packet, WaitId> packets_;
  std::multimap<std::pair<const Transmitter*, pcie::FlowClass>, WaitId> buffers_;
  std::map<const void*, WaitId> processes_;
};

}  // namespace peerfab::engine
