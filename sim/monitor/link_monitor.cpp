// SPDX-License-Identifier: Apache-2.0
#include "sim/monitor/link_monitor.h"

#include "sim/monitor/completion_monitor.h"
#include "sim/monitor/credit_monitor.h"
#include "sim/monitor/flow_control_init_monitor.h"
#include "sim/monitor/malformed_monitor.h"
#include "sim/monitor/ordering_monitor.h"
#include "sim/monitor/request_monitor.h"
#include "sim/monitor/sequence_monitor.h"
#include "sim/monitor/tag_monitor.h"
#include "sim/monitor/transactions.h"
#include "sim/pcie/tlp_kind.h"

namespace peerfab::monitor {

using engine::LinkState;
using engine::SentTlp;
using engine::Tlp;

namespace {

// FLIT mode, from Gen6 on, has tags of 14 bits; else they have 10 (PCIe r6.0, sec 2.2.6.2).
std::uint32_t tag_values(const engine::TransmitterConfig& config) {
  constexpr std::uint32_t kTagValues10Bit = 1U << 10;
  constexpr std::uint32_t kTagValues14Bit = 1U << 14;
  return config.link.generation >= 6 ? kTagValues14Bit : kTagValues10Bit;
}

}  // namespace

// One direction.
class LinkMonitor::Way final : public engine::LinkObserver {
 public:
  Way(Findings& findings, const LinkDescription& link, const char* name, const LinkEnd& from,
      const LinkEnd& to, const engine::TransmitterConfig& config,
      const engine::TransmitterConfig& reverse)
      : is_pcie_(!config.wire_rate.has_value()),
        numbered_(link.numbered),
        credits_(pen(MonitorId::kCredits, findings, link, name), config.buffer, link.joined_late),
        ordering_(pen(MonitorId::kOrdering, findings, link, name)),
        tags_(pen(MonitorId::kTagReuse, findings, link, name), link.at_endpoint),
        completions_(pen(MonitorId::kCompletion, findings, link, name),
                     {link.at_endpoint, link.joined_late, link.small_boundary}),
        requests_(pen(MonitorId::kRequestSize, findings, link, name), from, to),
        numbers_(pen(MonitorId::kSequenceNumber, findings, link, name), link.joined_late),
        flow_control_(pen(MonitorId::kFlowControlInit, findings, link, name), reverse.buffer),
        headers_(pen(MonitorId::kMalformedTlp, findings, link, name), tag_values(config)) {
    if (is_pcie_) flow_control_.check_advertisement(max_payload(from, to));
  }
  void set_other(Way& other) { other_ = &other; }

  void tlp_queued(unsigned input, const Tlp& tlp, Picoseconds /*now*/) override {
    ordering_.queued(input, tlp);
  }

  void tlp_sent(unsigned input, const Tlp& tlp, const SentTlp& sent) override {
    headers_.sent(tlp, sent.starts);
    ordering_.sent(input, tlp, sent.starts);
    if (is_pcie_) {
      requests_.sent(tlp, sent.starts);
      credits_.sent(tlp, sent.starts);
      if (numbered_) numbers_.sent(tlp, sent);
      flow_control_.tlp_sent(tlp, sent.starts);
    }
    if (tlp.flow_class == pcie::FlowClass::kNonPosted) {
      Transaction& transaction = transactions_.at(tlp);
      tags_.request_sent(tlp, transaction, sent.starts);
      transaction = expect_answer(tlp);
    } else if (tlp.flow_class == pcie::FlowClass::kCompletion) {
      completions_.sent(tlp, other_->transactions_.find(tlp), sent.starts);
    }
  }

  void tlp_replayed(const SentTlp& sent) override {
    if (numbered_) numbers_.replayed(sent);
  }

  void tlp_received(const Tlp& tlp, std::uint16_t sequence_number, Picoseconds now) override {
    if (is_pcie_) {
      if (numbered_) numbers_.received(tlp, sequence_number, now);
      credits_.received(tlp, now);
    }
    if (tlp.flow_class != pcie::FlowClass::kCompletion || !ends_request(tlp)) return;
    if (Transaction* const answered = other_->transactions_.find(tlp); answered != nullptr) {
      answered->state = Transaction::State::kOver;
    }
  }

  void credits_returned(pcie::FlowClass flow_class, std::uint32_t headers, std::uint32_t data,
                        Picoseconds freed, Picoseconds effective) override {
    if (is_pcie_) credits_.returned(flow_class, headers, data, freed, effective);
  }

  void dllp_sent(const pcie::Dllp& dllp, Picoseconds starts, bool damaged) override {
    if (!is_pcie_) return;
    if (dllp.kind == pcie::DllpKind::kAck || dllp.kind == pcie::DllpKind::kNak) {
      if (damaged) return;  // it says nothing to anybody
      if (numbered_) other_->numbers_.acknowledged(dllp, starts);
      return;
    }
    flow_control_.dllp_sent(dllp, damaged, other_->flow_control_, starts);
  }

  void state_changed(LinkState state, Picoseconds now) override {
    flow_control_.state_changed(state, now);
    if (state == LinkState::kInit) {
      credits_.restart();
      numbers_.restart();
    }
    if (state != LinkState::kDown) return;
    credits_.stop();
    // What waited for the link is refused, and what was asked over it is not answered over it.
    ordering_.restart();
    transactions_.clear();
  }

 private:
  static Pen pen(MonitorId id, Findings& findings, const LinkDescription& link, const char* name) {
    return {id, findings, "link " + link.name + " " + name};
  }

  bool is_pcie_;
  bool numbered_;
  Way* other_ = nullptr;
  Transactions transactions_;  // requests in this direction
  CreditMonitor credits_;
  OrderingMonitor ordering_;
  TagMonitor tags_;
  CompletionMonitor completions_;
  RequestMonitor requests_;
  SequenceMonitor numbers_;
  FlowControlInitMonitor flow_control_;
  MalformedMonitor headers_;
};

LinkMonitor::LinkMonitor(Findings& findings, const LinkDescription& description,
                         engine::Transmitter& down, engine::Transmitter& up)
    : down_way_(std::make_unique<Way>(findings, description, "down", description.upper,
                                      description.lower, down.config(), up.config())),
      up_way_(std::make_unique<Way>(findings, description, "up", description.lower,
                                    description.upper, up.config(), down.config())),
      down_(down),
      up_(up) {
  down_way_->set_other(*up_way_);
  up_way_->set_other(*down_way_);
  down_.observe(down_way_.get());
  up_.observe(up_way_.get());
}

LinkMonitor::~LinkMonitor() {
  down_.observe(nullptr);
  up_.observe(nullptr);
}

engine::LinkObserver& LinkMonitor::down() { return *down_way_; }
engine::LinkObserver& LinkMonitor::up() { return *up_way_; }

}  // namespace peerfab::monitor
