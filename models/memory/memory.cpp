// SPDX-License-Identifier: Apache-2.0
#include "models/memory/memory.h"

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

class MemoryCard final : public device::Endpoint, public device::MemoryTarget {
 public:
  explicit MemoryCard(const device::ModelContext& context)
      : Endpoint(
            context,
            {context.values.size("size"), context.values.time("latency"),
             context.values.bandwidth("bandwidth")},
            std::nullopt,
            static_cast<std::uint32_t>(context.values.size("max_completion_payload").count())) {
    expose(kMemoryBar, size_);
  }

  device::MemoryTarget* memory_target() override { return this; }
  device::Memory& memory() override { return local_memory(); }
  std::optional<BusAddress> map(std::uint64_t offset, std::uint64_t length) override {
    const std::optional<BusAddress> base = bar_base(kMemoryBar);
    if (!base.has_value() || offset + length > local_memory().size().count()) return std::nullopt;
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

device::ModelDescriptor memory_model() {
  device::ModelDescriptor model;
  model.kind = "memory";
  model.summary = "memory on a PCIe card, all of it behind one BAR; it answers and never initiates";
  model.parameters = config::ParameterTable(device::with_port_parameters(
      {
          {"max_link",
           Quantity::kLink,
           "gen5 x16",
           "fastest and widest link it trains to",
           "",
           "",
           {}},
          {"size",
           Quantity::kSize,
           "16GiB",
           "memory; its BAR is the next power of two",
           "4KiB",
           "16TiB",
           {}},
          {"latency",
           Quantity::kTime,
           "100ns",
           "from a read request to its data",
           "0ns",
           "100us",
           {}},
          {"bandwidth",
           Quantity::kBandwidth,
           "200GB/s",
           "reads and writes together",
           "1MB/s",
           "",
           {}},
          {"max_completion_payload",
           Quantity::kSize,
           "256B",
           "most data in one completion; Max_Payload_Size bounds it too",
           "128B",
           "4KiB",
           {},
           true},
      },
      {}));
  model.statistics = device::Endpoint::common_statistics(false);
  model.downstream_ports = [](const ParameterValues&) { return 0U; };
  model.bars = [](const ParameterValues& values) {
    return std::vector<cfgspace::BarRequest>{
        {kMemoryBar, Bytes(std::bit_ceil(values.size("size").count())), true, true, "memory"}};
  };
  model.memory_size = [](const config::ParameterValues& values) { return values.size("size"); };
  model.create = [](const device::ModelContext& context) -> std::unique_ptr<device::Model> {
    return std::make_unique<MemoryCard>(context);
  };
  return model;
}

}  // namespace peerfab::models
