// SPDX-License-Identifier: Apache-2.0
#include "tests/validation/formula/pcie_bench_model.h"

#include <algorithm>

#include "sim/pcie/dllp_timing.h"
#include "sim/pcie/link_timing.h"
#include "sim/pcie/spec.h"
#include "sim/pcie/tlp_kind.h"

namespace peerfab::validation {
namespace {

using pcie::TlpKind;

unsigned overhead(const BenchSetting& setting, TlpKind kind) {
  const unsigned long long address = setting.address_bits == 64 ? 1ULL << 32 : 0;
  return pcie::tlp_framing_bytes(setting.generation) + pcie::header_bytes(kind, address) +
         (setting.digest ? pcie::spec::kDigestBytes : 0);
}

unsigned pieces(unsigned size, unsigned largest) { return (size + largest - 1) / largest; }

// What one transfer of `size` bytes puts on the wire, in the direction from the device and to it.
struct Traffic {
  unsigned from_device = 0;
  unsigned to_device = 0;
};

Traffic write_traffic(const BenchSetting& setting, unsigned size) {
  return {pieces(size, setting.max_payload) * write_overhead_bytes(setting) + size, 0};
}

Traffic read_traffic(const BenchSetting& setting, unsigned size) {
  return {pieces(size, setting.max_read_request) * read_request_bytes(setting),
          pieces(size, setting.max_payload) * completion_overhead_bytes(setting) + size};
}

// Payload rate when the busier direction is full.
double payload_gbps(const BenchSetting& setting, Traffic traffic, unsigned size) {
  return tlp_gbps(setting) * size / std::max(traffic.from_device, traffic.to_device);
}

}  // namespace

double encoded_gbps(unsigned generation, unsigned width) {
  // Ticks of 1/512 ps a byte on one lane; 8 bits a byte.
  const auto ticks = static_cast<double>(pcie::lane_byte_time(generation).ticks());
  return 8.0 * 512.0 * 1000.0 / ticks * width;
}

double tlp_gbps(const BenchSetting& setting) {
  const double ack =
      pcie::ack_latency_limit_symbols(setting.generation, setting.width, setting.max_payload);
  const double update_fc =
      pcie::update_fc_latency_symbols(setting.generation, setting.width, setting.max_payload);
  const double dllp = pcie::dllp_wire_bytes(setting.generation);
  // The model takes the SKP rate of 8b/10b for every generation.
  const double skp =
      static_cast<double>(pcie::spec::kSkpSymbols8b10b) / pcie::spec::kSkpMaxIntervalSymbols;
  return encoded_gbps(setting.generation, setting.width) *
         (1.0 - dllp / ack - dllp / update_fc - skp);
}

unsigned write_overhead_bytes(const BenchSetting& setting) {
  return overhead(setting, TlpKind::kMemoryWrite);
}
unsigned read_request_bytes(const BenchSetting& setting) {
  return overhead(setting, TlpKind::kMemoryRead);
}
unsigned completion_overhead_bytes(const BenchSetting& setting) {
  return overhead(setting, TlpKind::kCompletionData);
}

double write_gbps(const BenchSetting& setting, unsigned size) {
  return payload_gbps(setting, write_traffic(setting, size), size);
}

double read_gbps(const BenchSetting& setting, unsigned size) {
  return payload_gbps(setting, read_traffic(setting, size), size);
}

double read_write_gbps(const BenchSetting& setting, unsigned size) {
  const Traffic write = write_traffic(setting, size);
  const Traffic read = read_traffic(setting, size);
  return payload_gbps(
      setting, {write.from_device + read.from_device, write.to_device + read.to_device}, size);
}

}  // namespace peerfab::validation
