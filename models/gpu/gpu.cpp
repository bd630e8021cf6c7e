// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/gpu.h"

#include <bit>
#include <memory>
#include <optional>
#include <vector>

#include "models/gpu/aperture.h"
#include "sim/device/endpoint.h"
#include "sim/device/port_parameters.h"

namespace peerfab::models {
namespace {

using config::ParameterValues;
using config::Quantity;

constexpr unsigned kRegisterBar = 0;
constexpr unsigned kFramebufferBar = 1;

device::DmaConfig dma_config(const ParameterValues& values) {
  device::DmaConfig config;
  config.channels = static_cast<unsigned>(values.integer("copy_engines"));
  config.launch = values.time("copy_launch");
  // Copies of a stream run one after the other; copy engines run side by side.
  config.one_at_a_time = true;
  config.max_payload = static_cast<std::uint32_t>(values.size("max_payload_size").count());
  config.max_read_request = static_cast<std::uint32_t>(values.size("max_read_request").count());
  config.outstanding_reads = static_cast<unsigned>(values.integer("outstanding_reads"));
  config.outstanding_writes = static_cast<unsigned>(values.integer("outstanding_writes"));
  config.relaxed_ordering = values.flag("relaxed_ordering");
  return config;
}

class Gpu final : public device::Endpoint, public device::MemoryTarget {
 public:
  explicit Gpu(const device::ModelContext& context)
      : Endpoint(context,
                 {context.values.size("hbm_size"), context.values.time("hbm_latency"),
                  context.values.bandwidth("hbm_bandwidth")},
                 dma_config(context.values),
                 static_cast<std::uint32_t>(context.values.size("max_completion_payload").count())),
        aperture_(context.values.size("bar1").count(), context.values.size("hbm_size").count()) {}

  device::MemoryTarget* memory_target() override { return this; }
  device::Memory& memory() override { return local_memory(); }
  std::optional<BusAddress> map(std::uint64_t offset, std::uint64_t length) override {
    const std::optional<BusAddress> base = bar_base(kFramebufferBar);
    if (!base.has_value()) return std::nullopt;
    const std::optional<std::uint64_t> position = aperture_.map(offset, length);
    if (!position.has_value()) return std::nullopt;
    return *base + Bytes(*position);
  }
  void unmap(BusAddress address, std::uint64_t length) override {
    aperture_.unmap((address - *bar_base(kFramebufferBar)).count(), length);
  }
  [[nodiscard]] std::uint64_t largest_mapping() const override {
    return bar_base(kFramebufferBar).has_value() ? aperture_.largest_mapping() : 0;
  }

  [[nodiscard]] std::vector<device::StatisticValue> statistics() const override {
    std::vector<device::StatisticValue> values = Endpoint::statistics();
    values.push_back({"bar1_mappings", aperture_.mappings()});
    return values;
  }

 private:
  [[nodiscard]] std::optional<std::uint64_t> locate(unsigned bar,
                                                    std::uint64_t offset) const override {
    // The register BAR has its place in memory space; there are no registers behind it yet.
    if (bar != kFramebufferBar) return std::nullopt;
    return aperture_.locate(offset);
  }

  Aperture aperture_;
};

}  // namespace

device::ModelDescriptor gpu_model() {
  device::ModelDescriptor model;
  model.kind = "gpu";
  model.summary = "GPU: copy engines, HBM, and the BAR1 aperture through which peers reach it";
  device::PortDefaults defaults;
  defaults.max_payload_size = "256B";
  model.parameters = config::ParameterTable(device::with_port_parameters(
      {
          {"max_link",
           Quantity::kLink,
           "gen5 x16",
           "fastest and widest link it trains to",
           "",
           "",
           {}},
          {"bar0",
           Quantity::kSize,
           "16MiB",
           "register BAR: a power of two",
           "4KiB",
           "2GiB",
           {},
           true},
          {"bar1",
           Quantity::kSize,
           "256MiB",
           "framebuffer aperture: a power of two; as large as the memory it shows all of it, "
           "smaller it is mapped piece by piece in pages of 2 MiB",
           "2MiB",
           "16TiB",
           {},
           true},
          {"hbm_size", Quantity::kSize, "80GiB", "memory of the GPU", "2MiB", "16TiB", {}},
          {"hbm_latency",
           Quantity::kTime,
           "300ns",
           "from a request to its data, the way through the GPU included",
           "0ns",
           "100us",
           {}},
          {"hbm_bandwidth",
           Quantity::kBandwidth,
           "2000GB/s",
           "reads and writes together",
           "1MB/s",
           "",
           {}},
          {"copy_engines",
           Quantity::kInteger,
           "4",
           "copies that can run side by side",
           "1",
           "32",
           {}},
          {"copy_launch",
           Quantity::kTime,
           "2500ns",
           "from a copy's turn in its stream to its first request: driver, ring and descriptor",
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
           "1024",
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
      },
      defaults));
  model.statistics = device::Endpoint::common_statistics(true);
  model.statistics.push_back({"bar1_mappings", "", "mappings made in the BAR1 aperture"});
  model.downstream_ports = [](const ParameterValues&) { return 0U; };
  model.bars = [](const ParameterValues& values) {
    return std::vector<cfgspace::BarRequest>{
        {kRegisterBar, Bytes(std::bit_ceil(values.size("bar0").count())), false, false,
         "registers"},
        {kFramebufferBar, Bytes(std::bit_ceil(values.size("bar1").count())), true, true,
         "framebuffer aperture"}};
  };
  model.memory_size = [](const config::ParameterValues& values) { return values.size("hbm_size"); };
  model.initiates = true;
  model.create = [](const device::ModelContext& context) -> std::unique_ptr<device::Model> {
    return std::make_unique<Gpu>(context);
  };
  return model;
}

}  // namespace peerfab::models
