// SPDX-License-Identifier: Apache-2.0
#include "models/dma/dma.h"

#include <bit>
#include <memory>
#include <optional>
#include <vector>

#include "sim/device/endpoint.h"
#include "sim/device/port_parameters.h"

namespace peerfab::models {
namespace {

using config::ParameterValues;
using config::Quantity;

constexpr unsigned kMemoryBar = 0;

device::DmaConfig dma_config(const ParameterValues& values) {
  device::DmaConfig config;
  config.channels = static_cast<unsigned>(values.integer("channels"));
  config.launch = values.time("launch");
  config.max_payload = static_cast<std::uint32_t>(values.size("max_payload_size").count());
  config.max_read_request = static_cast<std::uint32_t>(values.size("max_read_request").count());
  config.outstanding_reads = static_cast<unsigned>(values.integer("outstanding_reads"));
  config.outstanding_writes = static_cast<unsigned>(values.integer("outstanding_writes"));
  config.relaxed_ordering = values.flag("relaxed_ordering");
  config.read_path = {values.bandwidth("read_path_bandwidth"), values.time("read_request_cost")};
  config.write_path = {values.bandwidth("write_path_bandwidth"), values.time("write_request_cost")};
  config.bus = {values.bandwidth("bus_bandwidth"), values.time("bus_request_cost")};
  config.write_interval = values.time("write_interval");
  return config;
}

class DmaEngine final : public device::Endpoint, public device::MemoryTarget {
 public:
  explicit DmaEngine(const device::ModelContext& context)
      : Endpoint(
            context,
            {context.values.size("local_memory"), context.values.time("memory_latency"),
             context.values.bandwidth("memory_bandwidth")},
            dma_config(context.values),
            static_cast<std::uint32_t>(context.values.size("max_completion_payload").count())) {
    expose(kMemoryBar, size_);
  }

  device::MemoryTarget* memory_target() override { return this; }
  device::Memory& memory() override { return local_memory(); }
  std::optional<BusAddress> map(std::uint64_t offset, std::uint64_t length) override {
    const std::optional<BusAddress> base = bar_base(kMemoryBar);
    if (!base.has_value() || offset + length > size_) return std::nullopt;
    return *base + Bytes(offset);
  }
  void unmap(BusAddress /*address*/, std::uint64_t /*length*/) override {}
  [[nodiscard]] std::uint64_t largest_mapping() const override {
    return bar_base(kMemoryBar).has_value() ? size_ : 0;
  }

 private:
  std::uint64_t size_ = local_memory().size().count();
};

}  // namespace

device::ModelDescriptor dma_model() {
  device::ModelDescriptor model;
  model.kind = "dma";
  model.summary = "DMA engine: channels that read and write the fabric from and to its own memory";
  model.parameters = config::ParameterTable(device::with_port_parameters(
      {
          {"max_link",
           Quantity::kLink,
           "gen5 x16",
           "fastest and widest link it trains to",
           "",
           "",
           {}},
          {"channels", Quantity::kInteger, "4", "channels that work side by side", "1", "32", {}},
          {"local_memory",
           Quantity::kSize,
           "1GiB",
           "memory of its own; its BAR is the next power of two",
           "4KiB",
           "16TiB",
           {}},
          {"memory_latency", Quantity::kTime, "50ns", "of its own memory", "0ns", "100us", {}},
          {"memory_bandwidth",
           Quantity::kBandwidth,
           "0B/s",
           "of its own memory, reads and writes together; 0 B/s is unlimited",
           "",
           "",
           {}},
          {"launch",
           Quantity::kTime,
           "100ns",
           "from a descriptor being ready to its first request; overlaps with the one before",
           "0ns",
           "1ms",
           {}},
          {"max_read_request",
           Quantity::kSize,
           "512B",
           "Max_Read_Request_Size: a power of two",
           "128B",
           "4KiB",
           {},
           true},
          {"outstanding_reads",
           Quantity::kInteger,
           "256",
           "reads in flight; above 32 they need 8-bit tags, above 256 10-bit ones, above 768 "
           "14-bit "
           "ones, which only gen6 links carry",
           "1",
           "15360",
           {}},
          {"outstanding_writes",
           Quantity::kInteger,
           "256",
           "write TLPs in flight",
           "1",
           "32768",
           {}},
          {"relaxed_ordering", Quantity::kFlag, "true", "sets RO in its requests", "", "", {}},
          {"max_completion_payload",
           Quantity::kSize,
           "256B",
           "most data in one completion; Max_Payload_Size bounds it too",
           "128B",
           "4KiB",
           {},
           true},
          {"read_path_bandwidth",
           Quantity::kBandwidth,
           "0B/s",
           "of the inner path that completions take; 0 B/s is unlimited",
           "",
           "",
           {}},
          {"read_request_cost",
           Quantity::kTime,
           "0ns",
           "of that path for each read request, besides its bytes",
           "0ns",
           "100us",
           {}},
          {"write_path_bandwidth",
           Quantity::kBandwidth,
           "0B/s",
           "of the inner path that writes take; 0 B/s is unlimited",
           "",
           "",
           {}},
          {"write_request_cost",
           Quantity::kTime,
           "0ns",
           "of that path for each write TLP, besides its bytes",
           "0ns",
           "100us",
           {}},
          {"write_interval",
           Quantity::kTime,
           "0ns",
           "least time between two write TLPs",
           "0ns",
           "100us",
           {}},
          {"bus_bandwidth",
           Quantity::kBandwidth,
           "0B/s",
           "of an inner bus that both directions share; 0 B/s is unlimited",
           "",
           "",
           {}},
          {"bus_request_cost",
           Quantity::kTime,
           "0ns",
           "of that bus for each operation, whatever its size, besides its bytes",
           "0ns",
           "100us",
           {}},
      },
      {}));
  model.statistics = device::Endpoint::common_statistics(true);
  model.downstream_ports = [](const ParameterValues&) { return 0U; };
  model.bars = [](const ParameterValues& values) {
    return std::vector<cfgspace::BarRequest>{
        {kMemoryBar, Bytes(std::bit_ceil(values.size("local_memory").count())), true, true,
         "local memory"}};
  };
  model.memory_size = [](const config::ParameterValues& values) {
    return values.size("local_memory");
  };
  model.initiates = true;
  model.create = [](const device::ModelContext& context) -> std::unique_ptr<device::Model> {
    return std::make_unique<DmaEngine>(context);
  };
  return model;
}

}  // namespace peerfab::models
