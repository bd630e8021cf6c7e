// SPDX-License-Identifier: Apache-2.0
#include "sim/device/endpoint.h"

#include <algorithm>
#include <cassert>

#include "sim/cfgspace/route.h"
#include "sim/device/lost_tlp.h"
#include "sim/device/port_parameters.h"
#include "sim/pcie/spec.h"

namespace peerfab::device {

Endpoint::Endpoint(const ModelContext& context, const MemoryConfig& memory,
                   const std::optional<DmaConfig>& dma, std::uint32_t max_completion_payload)
    : Model(context.name),
      memory_(memory, context.pattern_seed),
      completer_(context.engine.scheduler(), context.pool, context.requesters),
      pool_(context.pool),
      profile_(port_profile(context.values)),
      max_completion_payload_(max_completion_payload) {
  if (dma.has_value()) {
    dma_ = std::make_unique<DmaUnit>(context.engine.scheduler(), context.pool, context.requesters,
                                     memory_, *dma);
  }
  // Inputs of its transmitter: the completer's, then one for each DMA channel.
  profile_.transmit_inputs = 1 + (dma_ ? dma_->channels() : 0);
  profile_.completions_push_all_inputs = true;
}

PortProfile Endpoint::profile(PortRef /*port*/) const { return profile_; }

engine::Receiver& Endpoint::connect(PortRef /*port*/, engine::Transmitter& out,
                                    engine::Transmitter& in) {
  way_ = completer_.add_port(out, 0, in);
  if (dma_) dma_->connect(out, 1);
  return *this;
}

void Endpoint::configure(cfgspace::PortRegisters& registers) {
  registers_ = &registers;
  registers_changed();
  const auto max_payload = static_cast<std::uint32_t>(registers.max_payload_size.count());
  completer_.set_identity(registers.bdf);
  completer_.set_limits(
      {pcie::spec::kRcbLargeBytes, std::min(max_payload, max_completion_payload_)});
  if (dma_) dma_->set_identity(registers.bdf, max_payload);
}

void Endpoint::registers_changed() {
  routes_.forget();
  open_ = {};
  for (const cfgspace::Bar& bar : registers_->bars) {
    bars_[bar.request.index].base = bar.base.value();
  }
}

std::optional<BusAddress> Endpoint::bar_base(unsigned bar) const {
  assert(registers_ != nullptr);
  for (const cfgspace::Bar& candidate : registers_->bars) {
    if (candidate.request.index == bar && candidate.assigned) return candidate.base;
  }
  return std::nullopt;
}

void Endpoint::receive(engine::Tlp* tlp, Picoseconds now) {
  if (tlp->flow_class == pcie::FlowClass::kCompletion) {
    way_.in->return_credit(*tlp, now);
    if (dma_) {
      dma_->completion(tlp, now);
    } else {
      pool_.release(tlp);
    }
    return;
  }
  if (open_.holds(*tlp)) {
    completer_.serve(tlp, way_, memory_, tlp->address - open_.bar_base, now);
    return;
  }
  std::optional<cfgspace::Verdict> asked;
  const HopDecision decision =
      routes_.find(*tlp, {registers_, cfgspace::Ingress::upstream()}, &asked);
  if (asked.has_value()) keep_open(*tlp, *asked);
  if (decision.action == cfgspace::Action::kToBar) {
    const BarWindow& bar = bars_[decision.index];
    const std::uint64_t in_bar = tlp->address - bar.base;
    if (in_bar < bar.exposed) {
      completer_.serve(tlp, way_, memory_, in_bar, now);
      return;
    }
    const std::optional<std::uint64_t> offset = locate(decision.index, in_bar);
    if (offset.has_value()) {
      completer_.serve(tlp, way_, memory_, *offset, now);
      return;
    }
    completer_.refuse(tlp, way_, engine::CompletionStatus::kUnsupportedRequest,
                      "nothing is mapped at this address of the aperture of " + name(), now);
    return;
  }
  const cfgspace::Verdict verdict =
      cfgspace::route(routed(*tlp), {registers_, cfgspace::Ingress::upstream()});
  completer_.refuse(tlp, way_, engine::CompletionStatus::kUnsupportedRequest,
                    cfgspace::describe(verdict) + " in " + name(), now);
}

// Its own requests: nobody else answers them. A read ends as one that the port refused (PCIe r6.0,
// sec 2.9.1, for an upstream port).
void Endpoint::lost(PortRef port, std::optional<unsigned> /*input*/, engine::Tlp* tlp,
                    Picoseconds now) {
  if (tlp->flow_class != pcie::FlowClass::kNonPosted || dma_ == nullptr) {
    completer_.lose(tlp, link_is_down(port, name()), now);
    return;
  }
  answer_with_ur(*tlp);
  dma_->completion(tlp, now);
}

void Endpoint::describe_waits(engine::WaitGraph& graph) const {
  completer_.describe_waits(graph, name());
  if (dma_) dma_->describe_waits(graph, name());
}

// The verdict that was made last: a device with one busy BAR asks once.
void Endpoint::keep_open(const engine::Tlp& like, const cfgspace::Verdict& verdict) {
  if (verdict.action != cfgspace::Action::kToBar) return;
  const BarWindow& bar = bars_[verdict.index];
  const auto exposed = cfgspace::AddressRange::of(BusAddress(bar.base), Bytes(bar.exposed));
  if (exposed.empty()) return;
  open_ = {{std::max(exposed.base, verdict.addresses.base),
            std::min(exposed.limit, verdict.addresses.limit)},
           bar.base,
           verdict.requesters,
           like.flow_class,
           like.relaxed_ordering()};
}

std::vector<StatisticDescriptor> Endpoint::common_statistics(bool with_dma) {
  std::vector<StatisticDescriptor> table = {
      {"requests_served", "TLPs", "read and write requests that its BARs answered"},
      {"bytes_read_from", "B", "data returned to readers of its BARs"},
      {"bytes_written_to", "B", "data that writers of its BARs delivered"},
      {"requests_refused", "TLPs", "requests answered with UR or discarded"},
  };
  if (with_dma) {
    const std::vector<StatisticDescriptor> dma = {
        {"jobs", "", "DMA jobs that completed"},
        {"dma_read_requests", "TLPs", "memory reads that its DMA sent"},
        {"dma_write_requests", "TLPs", "memory writes that its DMA sent"},
        {"dma_bytes_read", "B", "data that its reads brought"},
        {"dma_bytes_written", "B", "data that its writes delivered"},
        {"tag_stall", "ps",
         "time its channels waited for a tag, or for a place among the writes "
         "in flight"},
        {"failed_requests", "TLPs", "requests that were refused somewhere"},
        {"unexpected_completions", "TLPs", "completions for which no read was outstanding"},
    };
    table.insert(table.end(), dma.begin(), dma.end());
  }
  return table;
}

std::vector<StatisticValue> Endpoint::statistics() const {
  const CompleterStatistics& served = completer_.statistics();
  std::vector<StatisticValue> values = {
      {"requests_served", served.read_requests + served.write_requests},
      {"bytes_read_from", served.bytes_read},
      {"bytes_written_to", served.bytes_written},
      {"requests_refused", served.refused},
  };
  if (dma_) {
    const DmaStatistics& dma = dma_->statistics();
    const std::vector<StatisticValue> more = {
        {"jobs", dma.jobs},
        {"dma_read_requests", dma.read_requests},
        {"dma_write_requests", dma.write_requests},
        {"dma_bytes_read", dma.bytes_read},
        {"dma_bytes_written", dma.bytes_written},
        {"tag_stall", dma.tag_stall_ps},
        {"failed_requests", dma.failed_requests},
        {"unexpected_completions", dma_->unexpected_completions()},
    };
    values.insert(values.end(), more.begin(), more.end());
  }
  return values;
}

void Endpoint::reset_statistics() {
  completer_.reset_statistics();
  memory_.reset_statistics();
  if (dma_) dma_->reset_statistics();
}

}  // namespace peerfab::device
