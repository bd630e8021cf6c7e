// SPDX-License-Identifier: Apache-2.0
#include "sim/monitor/ordering_monitor.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/engine/packet.h"
#include "sim/pcie/packet_text.h"

namespace peerfab::monitor {

namespace {

// As many entries of TLPs that have left are kept before the queue is moved to its start.
constexpr std::size_t kLeftKept = 64;

}  // namespace

void OrderingMonitor::queued(unsigned input_index, const engine::Tlp& tlp) {
  if (inputs_.size() <= input_index) inputs_.resize(input_index + 1);
  inputs_[input_index].queue.push_back({&tlp, engine::ordering_fields_of(tlp)});
}

void OrderingMonitor::remove(Input& input, std::size_t index) {
  // Those that it passed move up by one.
  const auto begin = input.queue.begin();
  std::move_backward(begin + static_cast<std::ptrdiff_t>(input.first),
                     begin + static_cast<std::ptrdiff_t>(index),
                     begin + static_cast<std::ptrdiff_t>(index) + 1);
  ++input.first;
  if (input.first == input.queue.size()) {
    input.queue.clear();
    input.first = 0;
  } else if (input.first > kLeftKept && input.first * 2 > input.queue.size()) {
    input.queue.erase(begin, begin + static_cast<std::ptrdiff_t>(input.first));
    input.first = 0;
  }
}

void OrderingMonitor::sent(unsigned input_index, const engine::Tlp& tlp, Picoseconds starts) {
  if (inputs_.size() <= input_index) return;
  Input& input = inputs_[input_index];
  std::size_t own = input.first;
  while (own < input.queue.size() && input.queue[own].tlp != &tlp) ++own;
  if (own == input.queue.size()) return;
  pen_.checked();
  const pcie::OrderingFields& later = input.queue[own].fields;
  for (std::size_t i = input.first; i < own; ++i) {
    const Waiting& earlier = input.queue[i];
    if (pcie::may_pass(later, earlier.fields) != pcie::Passing::kMustNot) continue;
    pen_.violated(starts, pcie::to_text(engine::header_of(tlp)),
                  "its turn after what came before it at input " + std::to_string(input_index),
                  "it pass " + pcie::to_text(engine::header_of(*earlier.tlp)));
    break;
  }
  remove(input, own);
}

}  // namespace peerfab::monitor
