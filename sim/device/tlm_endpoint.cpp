// SPDX-License-Identifier: Apache-2.0
#include "sim/device/tlm_endpoint.h"

#include <algorithm>

#include "sim/cfgspace/route.h"
#include "sim/device/lost_tlp.h"
#include "sim/device/port_parameters.h"
#include "sim/pcie/spec.h"

namespace peerfab::device {

namespace {
// Inputs of its transmitter.
constexpr unsigned kRefusals = 0;
constexpr unsigned kAnswers = 1;
constexpr unsigned kRequests = 2;
constexpr unsigned kInputs = 3;
}  // namespace

TlmEndpoint::TlmEndpoint(const ModelContext& context, const TlmEndpointConfig& config)
    : Model(context.name),
      pool_(context.pool),
      profile_(port_profile(context.values)),
      max_completion_payload_(config.max_completion_payload),
      refusals_(context.engine.scheduler(), context.pool, context.requesters) {
  profile_.transmit_inputs = kInputs;
  profile_.completions_push_all_inputs = true;
  if (config.target) {
    target_ = std::make_unique<TlmTarget>((context.name + "_target").c_str(), context.engine,
                                          context.pool, context.requesters, config.target_threads);
  }
  if (config.initiator) {
    initiator_ = std::make_unique<TlmInitiator>((context.name + "_initiator").c_str(),
                                                context.engine, context.pool, context.requesters,
                                                config.max_read_request, config.outstanding_reads);
  }
}

PortProfile TlmEndpoint::profile(PortRef /*port*/) const { return profile_; }

engine::Receiver& TlmEndpoint::connect(PortRef /*port*/, engine::Transmitter& out,
                                       engine::Transmitter& in) {
  in_ = &in;
  refusals_.add_port(out, kRefusals, in);
  if (target_) target_->connect(out, kAnswers, in);
  if (initiator_) initiator_->connect(out, kRequests);
  return *this;
}

void TlmEndpoint::configure(cfgspace::PortRegisters& registers) {
  registers_ = &registers;
  registers_changed();
  const auto max_payload = static_cast<std::uint32_t>(registers.max_payload_size.count());
  refusals_.set_identity(registers.bdf);
  if (target_) {
    target_->configure(registers.bdf, {pcie::spec::kRcbLargeBytes,
                                       std::min(max_payload, max_completion_payload_)});
  }
  if (initiator_) initiator_->configure(registers);
}

void TlmEndpoint::registers_changed() {
  routes_.forget();
  for (const cfgspace::Bar& bar : registers_->bars) {
    bar_bases_[bar.request.index] = bar.base.value();
  }
}

void TlmEndpoint::receive(engine::Tlp* tlp, Picoseconds now) {
  if (tlp->flow_class == pcie::FlowClass::kCompletion) {
    in_->return_credit(*tlp, now);
    if (initiator_) {
      initiator_->completion(tlp, now);
    } else {
      pool_.release(tlp);
    }
    return;
  }
  const cfgspace::RoutingView view{registers_, cfgspace::Ingress::upstream()};
  const HopDecision decision = routes_.find(*tlp, view);
  if (target_ && decision.action == cfgspace::Action::kToBar) {
    target_->serve(tlp, tlp->address - bar_bases_[decision.index], now);
    return;
  }
  refusals_.refuse(tlp, refusals_.way(0), engine::CompletionStatus::kUnsupportedRequest,
                   cfgspace::describe(cfgspace::route(routed(*tlp), view)) + " in " + name(), now);
}

void TlmEndpoint::lost(PortRef port, std::optional<unsigned> /*input*/, engine::Tlp* tlp,
                       Picoseconds now) {
  if (tlp->flow_class != pcie::FlowClass::kNonPosted || initiator_ == nullptr) {
    refusals_.lose(tlp, link_is_down(port, name()), now);
    return;
  }
  answer_with_ur(*tlp);
  initiator_->completion(tlp, now);
}

void TlmEndpoint::describe_waits(engine::WaitGraph& graph) const {
  refusals_.describe_waits(graph, name());
  if (target_) target_->describe_waits(graph, name());
  if (initiator_) initiator_->describe_waits(graph, name());
}

std::vector<StatisticDescriptor> TlmEndpoint::statistic_descriptors() {
  return {
      {"requests_served", "TLPs", "read and write requests that the target answered"},
      {"bytes_read_from", "B", "data that its BARs were asked for"},
      {"bytes_written_to", "B", "data that arrived for its BARs"},
      {"requests_refused", "TLPs", "requests answered with UR or CA, or discarded"},
      {"served_through_dmi", "TLPs", "requests served from the target's memory directly"},
      {"read_requests", "TLPs", "memory reads that the initiator sent"},
      {"write_requests", "TLPs", "memory writes that the initiator sent"},
      {"bytes_read", "B", "data that its reads brought"},
      {"bytes_written", "B", "data that its writes delivered"},
      {"tag_stall", "ps", "time that its reads waited for a tag"},
      {"failed_requests", "TLPs", "requests of the initiator that were refused somewhere"},
  };
}

std::vector<StatisticValue> TlmEndpoint::statistics() const {
  const TlmTargetStatistics served = target_ ? target_->statistics() : TlmTargetStatistics{};
  const TlmInitiatorStatistics sent =
      initiator_ ? initiator_->statistics() : TlmInitiatorStatistics{};
  return {
      {"requests_served", served.read_requests + served.write_requests - served.refused},
      {"bytes_read_from", served.bytes_read},
      {"bytes_written_to", served.bytes_written},
      {"requests_refused", served.refused + refusals_.statistics().refused},
      {"served_through_dmi", served.through_dmi},
      {"read_requests", sent.read_requests},
      {"write_requests", sent.write_requests},
      {"bytes_read", sent.bytes_read},
      {"bytes_written", sent.bytes_written},
      {"tag_stall", sent.tag_stall_ps},
      {"failed_requests", sent.failed_requests},
  };
}

void TlmEndpoint::reset_statistics() {
  refusals_.reset_statistics();
  if (target_) target_->reset_statistics();
  if (initiator_) initiator_->reset_statistics();
}

}  // namespace peerfab::device
