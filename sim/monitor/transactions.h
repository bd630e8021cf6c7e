// SPDX-License-Identifier: Apache-2.0
// The non-posted requests that went over a link in one direction and the answers to them, which
// come back in the other. One table serves the monitors of tags and of completions.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "sim/engine/tlp.h"
#include "sim/pcie/tlp_kind.h"

namespace peerfab::monitor {

struct Transaction {
  enum class State : std::uint8_t {
    kOver,         // the last completion has arrived: the tag is free
    kAnswered,     // the last completion is on its way
    kOutstanding,  // completions are to come
  };
  State state = State::kOver;
  pcie::TlpKind kind = pcie::TlpKind::kMemoryRead;
  std::uint32_t remaining = 0;     // bytes that no completion has brought yet
  std::uint64_t next_address = 0;  // of the first of them
};

// Entries stay when their transaction is over: the same transaction ID comes back soon, and nothing
// is allocated then.
class Transactions {
 public:
  [[nodiscard]] Transaction* find(const engine::Tlp& tlp) {
    const auto found = by_id_.find(id_of(tlp));
    return found == by_id_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] Transaction& at(const engine::Tlp& tlp) { return by_id_[id_of(tlp)]; }
  void clear() { by_id_.clear(); }

 private:
  // Transaction ID: requester and tag (PCIe r6.0, sec 2.2.6.2).
  static std::uint32_t id_of(const engine::Tlp& tlp) {
    return std::uint32_t{tlp.requester} << 16 | tlp.tag;
  }
  std::unordered_map<std::uint32_t, Transaction> by_id_;
};

// Whether this completion is the last of its request, as far as it alone says. A completion without
// data always is: it ends a request that failed, or that asked for none.
[[nodiscard]] inline bool ends_request(const engine::Tlp& completion) {
  return completion.payload_bytes() == 0 || completion.length >= completion.byte_count;
}

}  // namespace peerfab::monitor
