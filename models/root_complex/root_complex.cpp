// SPDX-License-Identifier: Apache-2.0
#include "models/root_complex/root_complex.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/cfgspace/route.h"
#include "sim/device/completer.h"
#include "sim/device/forwarder.h"
#include "sim/device/lost_tlp.h"
#include "sim/device/model.h"
#include "sim/device/port_parameters.h"
#include "sim/device/route_cache.h"

namespace peerfab::models {
namespace {

using cfgspace::AddressRange;
using config::Quantity;
using device::PortRef;
using engine::Tlp;

// Ends of wires to other sockets come after the root ports.
constexpr unsigned kMaxSocketWires = 8;

class RootComplex final : public device::Model, public device::MemoryTarget {
 public:
  explicit RootComplex(const device::ModelContext& context)
      : Model(context.name),
        pool_(context.pool),
        profile_(device::port_profile(context.values)),
        root_ports_(static_cast<unsigned>(context.values.integer("root_ports"))),
        ports_(root_ports_ + kMaxSocketWires),
        memory_(
            device::MemoryConfig{
                context.values.size("memory_size"),
                context.values.time("memory_latency"),
                context.values.bandwidth("memory_bandwidth"),
            },
            context.pattern_seed),
        forwarder_(context.engine.scheduler(), ports_),
        completer_(context.engine.scheduler(), context.pool, context.requesters),
        ingresses_(ports_),
        p2p_latency_(context.values.time("p2p_latency")),
        p2p_bandwidth_(context.values.bandwidth("p2p_bandwidth")),
        p2p_split_(static_cast<std::uint32_t>(context.values.size("p2p_split").count())),
        limits_{static_cast<std::uint32_t>(context.values.size("read_completion_boundary").count()),
                static_cast<std::uint32_t>(context.values.size("max_completion_payload").count())},
        policy_(policy_of(context.values.text("p2p"))),
        hairpin_(context.values.flag("hairpin")) {
    profile_.receive_latency = context.values.time("ingress_latency");
    profile_.arbitration = device::arbitration(context.values);
    profile_.transmit_inputs = ports_ + 1;  // the last one for completions from memory
    for (unsigned i = 0; i < ports_; ++i) ingresses_[i].attach(*this, i);
  }

  [[nodiscard]] device::PortProfile profile(PortRef /*port*/) const override { return profile_; }

  engine::Receiver& connect(PortRef port, engine::Transmitter& out,
                            engine::Transmitter& in) override {
    const unsigned index =
        port.kind == PortRef::Kind::kSocket ? root_ports_ + port.index : port.index;
    forwarder_.connect(index, out, in);
    ingresses_[index].answers = completer_.add_port(out, ports_, in);
    out.set_weight(ports_, profile_.arbitration_weight);
    return ingresses_[index];
  }

  void lost(PortRef port, std::optional<unsigned> input, Tlp* tlp, Picoseconds now) override {
    const bool came_in = input.has_value() && *input < ports_;
    device::answer_for_link(completer_, came_in ? &ingresses_[*input].answers : nullptr, tlp,
                            device::link_is_down(port, name()), now);
  }

  void configure(cfgspace::RootComplexRegisters& registers) override {
    registers_ = &registers;
    registers.p2p = policy_;
    registers.hairpin = hairpin_;
    completer_.set_identity(registers.host());
    std::uint64_t max_payload = limits_.max_bytes;
    for (const cfgspace::PortRegisters& port : registers.root_ports) {
      max_payload = std::min(max_payload, port.max_payload_size.count());
    }
    completer_.set_limits(
        {limits_.read_completion_boundary,
         std::max(limits_.read_completion_boundary, static_cast<std::uint32_t>(max_payload))});
    // The memory's offsets start in its largest range: buffers lie above 4 GiB where there is
    // memory, as an operating system places them.
    ranges_ = registers.host_memory;
    std::stable_sort(
        ranges_.begin(), ranges_.end(),
        [](const AddressRange& a, const AddressRange& b) { return a.size() > b.size(); });
    registers_changed();
  }
  void registers_changed() override {
    for (Ingress& ingress : ingresses_) ingress.routes.forget();
  }

  device::MemoryTarget* memory_target() override { return this; }
  device::Memory& memory() override { return memory_; }
  std::optional<BusAddress> map(std::uint64_t offset, std::uint64_t length) override {
    for (const AddressRange& range : ranges_) {
      if (offset + length <= range.size().count()) return range.base + Bytes(offset);
      if (offset < range.size().count()) return std::nullopt;
      offset -= range.size().count();
    }
    return std::nullopt;
  }
  void unmap(BusAddress /*address*/, std::uint64_t /*length*/) override {}
  [[nodiscard]] std::uint64_t largest_mapping() const override {
    return ranges_.empty() ? 0 : ranges_.front().size().count();
  }

  void describe_waits(engine::WaitGraph& graph) const override {
    forwarder_.describe_waits(graph, name());
    completer_.describe_waits(graph, name());
  }

  [[nodiscard]] std::vector<device::StatisticValue> statistics() const override {
    const device::CompleterStatistics& served = completer_.statistics();
    return {{"memory_reads", served.read_requests},
            {"memory_writes", served.write_requests},
            {"memory_bytes_read", served.bytes_read},
            {"memory_bytes_written", served.bytes_written},
            {"memory_busy", memory_.busy().count()},
            {"peer_to_peer", statistics_.peer_to_peer},
            {"peer_to_peer_bytes", statistics_.peer_to_peer_bytes},
            {"peer_to_peer_split", statistics_.split},
            {"across_sockets", statistics_.across_sockets},
            {"refused", served.refused + statistics_.dropped}};
  }
  void reset_statistics() override {
    statistics_ = {};
    completer_.reset_statistics();
    memory_.reset_statistics();
  }

 private:
  struct Statistics {
    std::uint64_t peer_to_peer = 0;
    std::uint64_t peer_to_peer_bytes = 0;
    std::uint64_t split = 0;
    std::uint64_t across_sockets = 0;
    std::uint64_t dropped = 0;
  };

  struct alignas(64) Ingress final : engine::Receiver {
    void attach(RootComplex& owner, unsigned number) {
      self = &owner;
      index = number;
    }
    void receive(Tlp* tlp, Picoseconds now) override { self->receive(tlp, index, now); }

    RootComplex* self = nullptr;
    unsigned index = 0;
    device::Completer::Way answers;
    device::RouteCache routes;
  };

  static cfgspace::P2pPolicy policy_of(const std::string& choice) {
    if (choice == "posted-only") return cfgspace::P2pPolicy::kPostedOnly;
    if (choice == "none-ur") return cfgspace::P2pPolicy::kNoneUr;
    if (choice == "none-all-ones") return cfgspace::P2pPolicy::kNoneAllOnes;
    return cfgspace::P2pPolicy::kFull;
  }

  void receive(Tlp* tlp, unsigned ingress, Picoseconds now) {
    Ingress& from = ingresses_[ingress];
    const cfgspace::Ingress seen = ingress < root_ports_
                                       ? cfgspace::Ingress::port(ingress)
                                       : cfgspace::Ingress::socket(wire_socket(ingress));
    const device::HopDecision decision = from.routes.find(*tlp, {registers_, seen});
    switch (decision.action) {
      case cfgspace::Action::kToHostMemory:
        completer_.serve(tlp, from.answers, memory_, offset_of(tlp->address), now);
        return;
      case cfgspace::Action::kToPort:
        pass_on(tlp, ingress, decision.index, now);
        return;
      case cfgspace::Action::kToSocket:
        if (const auto egress = wire_to(decision.index); egress.has_value()) {
          ++statistics_.across_sockets;
          pass_on(tlp, ingress, *egress, now);
          return;
        }
        break;
      default:
        break;
    }
    refuse(tlp, from, cfgspace::route(device::routed(*tlp), {registers_, seen}), now);
  }

  void refuse(Tlp* tlp, const Ingress& from, const cfgspace::Verdict& verdict, Picoseconds now) {
    const std::string why = cfgspace::describe(verdict) + " in " + name();
    if (verdict.action == cfgspace::Action::kAllOnes) {
      completer_.answer_all_ones(tlp, from.answers, why, now);
      return;
    }
    if (tlp->flow_class == pcie::FlowClass::kCompletion) ++statistics_.dropped;
    const auto status = verdict.action == cfgspace::Action::kCompleterAbort
                            ? engine::CompletionStatus::kCompleterAbort
                            : engine::CompletionStatus::kUnsupportedRequest;
    completer_.refuse(tlp, from.answers, status, why, now);
  }

  // Between root ports, and from a root port towards another socket. What comes from another
  // socket has its latency from the wire.
  void pass_on(Tlp* tlp, unsigned ingress, unsigned egress, Picoseconds now) {
    if (ingress >= root_ports_) {
      forwarder_.forward_at(tlp, ingress, egress, now, now);
      return;
    }
    ++statistics_.peer_to_peer;
    statistics_.peer_to_peer_bytes += tlp->payload_bytes();
    p2p_free_ =
        std::max(p2p_free_, now) + transfer_time(Bytes(tlp->payload_bytes()), p2p_bandwidth_);
    const Picoseconds at = p2p_free_ + p2p_latency_;
    tlp->add(engine::TlpSegment::kSwitch, p2p_latency_.count());
    if (p2p_split_ != 0 && tlp->flow_class == pcie::FlowClass::kPosted &&
        tlp->length > p2p_split_) {
      split(tlp, ingress, egress, at, now);
      return;
    }
    forwarder_.forward_at(tlp, ingress, egress, at, now);
  }

  // Some root complexes send peer-to-peer writes on in cache lines.
  void split(Tlp* tlp, unsigned ingress, unsigned egress, Picoseconds at, Picoseconds now) {
    ++statistics_.split;
    const auto held = static_cast<std::uint16_t>(tlp->data_credits());
    const std::byte* const payload = pool_.payload(tlp);
    std::uint32_t done = 0;
    while (done < tlp->length) {
      const auto to_line =
          static_cast<std::uint32_t>(p2p_split_ - (tlp->address + done) % p2p_split_);
      const std::uint32_t bytes = std::min<std::uint32_t>(tlp->length - done, to_line);
      Tlp* const piece = pool_.allocate();
      *piece = *tlp;
      piece->address = tlp->address + done;
      piece->length = static_cast<std::uint16_t>(bytes);
      if (payload != nullptr) std::copy_n(payload + done, bytes, pool_.payload(piece));
      done += bytes;
      if (done < tlp->length) {
        piece->flags |= Tlp::kEarlyPiece;
        piece->byte_count = Tlp::kFreesNothing;
      } else {
        piece->byte_count = held;
      }
      forwarder_.forward_at(piece, ingress, egress, at, now);
    }
    pool_.release(tlp);
  }

  // The wires in the order in which elaboration connected them are those of other_sockets.
  [[nodiscard]] unsigned wire_socket(unsigned ingress) const {
    return registers_->other_sockets[ingress - root_ports_].socket;
  }
  [[nodiscard]] std::optional<unsigned> wire_to(unsigned socket) const {
    for (unsigned i = 0; i < registers_->other_sockets.size(); ++i) {
      if (registers_->other_sockets[i].socket == socket && forwarder_.connected(root_ports_ + i)) {
        return root_ports_ + i;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const {
    std::uint64_t before = 0;
    for (const AddressRange& range : ranges_) {
      if (range.contains(BusAddress(address))) return before + (address - range.base.value());
      before += range.size().count();
    }
    return 0;
  }

  engine::TlpPool& pool_;
  device::PortProfile profile_;
  unsigned root_ports_;
  unsigned ports_;
  device::Memory memory_;
  device::Forwarder forwarder_;
  device::Completer completer_;
  std::vector<Ingress> ingresses_;
  Picoseconds p2p_latency_;
  Bandwidth p2p_bandwidth_;
  Picoseconds p2p_free_;
  std::uint32_t p2p_split_;
  pcie::CompletionLimits limits_;
  cfgspace::P2pPolicy policy_;
  bool hairpin_;
  cfgspace::RootComplexRegisters* registers_ = nullptr;
  std::vector<AddressRange> ranges_;
  Statistics statistics_;
};

}  // namespace

device::ModelDescriptor root_complex_model() {
  device::ModelDescriptor model;
  model.kind = "root-complex";
  model.summary = "root complex of a socket: root ports, the memory behind it, peer-to-peer policy";
  model.role = device::ModelRole::kRootComplex;
  device::PortDefaults defaults;
  defaults.completion_header_credits = "127";
  defaults.completion_data_credits = "2047";
  model.parameters = config::ParameterTable(device::with_port_parameters(
      {
          {"root_ports", Quantity::kInteger, "8", "root ports", "1", "48", {}},
          {"root_port_link",
           Quantity::kLink,
           "gen5 x16",
           "fastest and widest link that a root port trains to",
           "",
           "",
           {}},
          {"segment",
           Quantity::kInteger,
           "0",
           "PCI segment (a Linux \"domain\"), each with 256 bus numbers; requests between segments "
           "are not routed back",
           "0",
           "65535",
           {}},
          {"ingress_latency",
           Quantity::kTime,
           "0ns",
           "from the last byte of a TLP at a root port until the root complex acts on it",
           "0ns",
           "100us",
           {}},
          {"memory_size", Quantity::kSize, "256GiB", "memory of the socket", "1MiB", "16TiB", {}},
          {"memory_latency",
           Quantity::kTime,
           "300ns",
           "from a read request to its data, the way through the root complex included",
           "0ns",
           "100us",
           {}},
          {"memory_bandwidth",
           Quantity::kBandwidth,
           "200GB/s",
           "of the memory, reads and writes together",
           "1MB/s",
           "",
           {}},
          {"read_completion_boundary",
           Quantity::kSize,
           "64B",
           "boundary on which completions may be cut: 64 B or 128 B (PCIe r6.0, sec 2.3.1.1)",
           "64B",
           "128B",
           {},
           true},
          {"max_completion_payload",
           Quantity::kSize,
           "256B",
           "most data in one completion; Max_Payload_Size bounds it too",
           "64B",
           "4KiB",
           {},
           true},
          {"p2p",
           Quantity::kChoice,
           "full",
           "requests from one root port to another: full, posted ones only, or none, answered with "
           "Unsupported Request or with all bits set",
           "",
           "",
           {"full", "posted-only", "none-ur", "none-all-ones"}},
          {"p2p_split",
           Quantity::kSize,
           "0B",
           "peer-to-peer writes leave in pieces of at most this size: a power of two; 0 B: as they "
           "came",
           "0B",
           "4KiB",
           {},
           true},
          {"p2p_latency",
           Quantity::kTime,
           "150ns",
           "from a TLP at one root port until it is queued at another",
           "0ns",
           "100us",
           {}},
          {"p2p_bandwidth",
           Quantity::kBandwidth,
           "0B/s",
           "most payload between root ports in all; 0 B/s is unlimited",
           "",
           "",
           {}},
          {"hairpin",
           Quantity::kFlag,
           "true",
           "requests may leave through the root port at which they arrived",
           "",
           "",
           {}},
          device::arbitration_parameter(),
      },
      defaults));
  model.statistics = {
      {"memory_reads", "TLPs", "read requests that the memory answered"},
      {"memory_writes", "TLPs", "writes that the memory took"},
      {"memory_bytes_read", "B", "data that the memory returned"},
      {"memory_bytes_written", "B", "data that the memory took"},
      {"memory_busy", "ps", "time for which the memory's bandwidth was in use"},
      {"peer_to_peer", "TLPs", "passed on from a root port to another or to another socket"},
      {"peer_to_peer_bytes", "B", "payload of these"},
      {"peer_to_peer_split", "TLPs", "writes that were split on their way"},
      {"across_sockets", "TLPs", "sent over a wire to another socket"},
      {"refused", "TLPs", "answered with UR, CA or all bits set, or discarded"},
  };
  model.downstream_ports = [](const config::ParameterValues& values) {
    return static_cast<unsigned>(values.integer("root_ports"));
  };
  model.memory_size = [](const config::ParameterValues& values) {
    return values.size("memory_size");
  };
  model.create = [](const device::ModelContext& context) -> std::unique_ptr<device::Model> {
    return std::make_unique<RootComplex>(context);
  };
  return model;
}

}  // namespace peerfab::models
