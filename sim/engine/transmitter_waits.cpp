// SPDX-License-Identifier: Apache-2.0
// What waits in front of one direction of a link, and why; asked for when a run makes no progress.
#include <string>

#include "sim/engine/transmitter.h"
#include "sim/engine/waits.h"

namespace peerfab::engine {

namespace {

constexpr std::uint64_t kClassNumbers = 4;  // numbers of an input; > kFlowClassCount
constexpr const char* kClassNames[] = {"posted requests", "non-posted requests", "completions"};
constexpr const char* kHeaderCredits[] = {"PH", "NPH", "CplH"};
constexpr const char* kDataCredits[] = {"PD", "NPD", "CplD"};
constexpr WaitReason kReasons[] = {WaitReason::kPostedCredits, WaitReason::kNonPostedCredits,
                                   WaitReason::kCompletionCredits};

std::string in_all(std::uint32_t advertised) {
  return advertised == 0 ? "infinite" : std::to_string(advertised) + " in all";
}

}  // namespace

WaitId Transmitter::queue_id(unsigned input, pcie::FlowClass flow_class) const {
  return {this, input * kClassNumbers + static_cast<unsigned>(flow_class)};
}

void Transmitter::describe_waits(WaitGraph& graph) const {
  const WaitId wire{this, kMaxInputs * kClassNumbers};
  if (in_flight_head_ != nullptr) {
    Waiter& waiter = graph.add(wire, graph.link_of(*this));
    waiter.what = describe_tlp(*in_flight_head_) + ", in flight";
    waiter.moves = true;
    for (const Tlp* tlp = in_flight_head_;; tlp = tlp->next) {
      graph.contains(wire, *tlp);
      graph.holds(wire, *this, tlp->flow_class);
      if (tlp == in_flight_tail_) break;
    }
  }
  const auto inputs = static_cast<unsigned>(stalled_heads_.size() / pcie::kFlowClassCount);
  for (unsigned input = 0; input < inputs; ++input) {
    for (unsigned flow_class = 0; flow_class < pcie::kFlowClassCount; ++flow_class) {
      if ((inputs_[input].classes >> flow_class & 1) != 0) describe_queue(graph, input, flow_class);
    }
  }
}

void Transmitter::describe_queue(WaitGraph& graph, unsigned index, unsigned flow_class) const {
  const Input& input = inputs_[index];
  const Queue& queue = flow_class == static_cast<unsigned>(pcie::FlowClass::kPosted) ? input.posted
                       : flow_class == static_cast<unsigned>(pcie::FlowClass::kNonPosted)
                           ? other_queues_[index].non_posted
                           : other_queues_[index].completion;
  const Tlp& head = *queue.head;
  const WaitId id = queue_id(index, head.flow_class);
  const Transmitter* const upstream = input.has_source ? nullptr : input.upstream;
  std::string who = graph.link_of(*this) + ", " + kClassNames[flow_class];
  if (upstream != nullptr) who += " that came over " + graph.link_of(*upstream);
  Waiter& waiter = graph.add(id, std::move(who));
  unsigned waiting = 0;
  for (const Tlp* tlp = queue.head; tlp != nullptr; tlp = tlp->next) {
    graph.contains(id, *tlp);
    if (upstream != nullptr) graph.holds(id, *upstream, tlp->flow_class);
    ++waiting;
  }
  waiter.what = (waiting == 1 ? "" : "the first of " + std::to_string(waiting) + ", ") +
                describe_tlp(head) + ", ";
  if ((input.stalled >> flow_class & 1) == 0) {
    waiter.what += "waits for the wire";
    // Whoever holds the wire wakes it; with credits at hand nothing else is in the way.
    waiter.moves = wake_at_ != Picoseconds::max() || sending_;
    return;
  }
  if (stalled_heads_[std::size_t{index} * pcie::kFlowClassCount + flow_class].why ==
      Stall::kOrdering) {
    if ((input.classes >> static_cast<unsigned>(pcie::FlowClass::kPosted) & 1) == 0) {
      waiter.what += "waits for the wire";
      waiter.moves = true;  // what it must not pass has just left
      return;
    }
    waiter.reason = WaitReason::kOrdering;
    waiter.what += "must not pass the posted request " + describe_tlp(*input.posted.head) +
                   " (PCIe r6.0, sec 2.4.1)";
    waiter.wait_for(queue_id(index, pcie::FlowClass::kPosted));
    return;
  }
  describe_credits(waiter, head, graph.far_end_of(*this));
}

void Transmitter::describe_credits(Waiter& waiter, const Tlp& head,
                                   const std::string& far_end) const {
  const auto flow_class = static_cast<unsigned>(head.flow_class);
  const Credits& credits = credits_[flow_class];
  const ReceiveBuffer::Class& buffer = config_.buffer.classes[flow_class];
  waiter.reason = kReasons[flow_class];
  waiter.any = true;
  waiter.what += "waits for";
  const bool wants_header = !credits.headers.can_send(1);
  const bool wants_data = !credits.data.can_send(head.data_credits());
  if (wants_header) {
    waiter.what += std::string(" 1 ") + kHeaderCredits[flow_class] + " credit (" +
                   in_all(buffer.headers) + ")";
  }
  if (wants_data) {
    waiter.what += std::string(wants_header ? " and " : " ") + std::to_string(head.data_credits()) +
                   " " + kDataCredits[flow_class] + " credits (" + in_all(buffer.data) + ")";
  }
  waiter.what += " of " + far_end;
  // Credits that are on their way back wake it.
  waiter.moves = !credits.returns.empty() || (!wants_header && !wants_data);
  waiter.wait_for_buffer(*this, head.flow_class);
}

}  // namespace peerfab::engine
