// SPDX-License-Identifier: Apache-2.0
// The conformance monitors by name: each watches one set of rules of the specification on every
// link. The list is what reports, the documentation and the tests go by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace peerfab::monitor {

enum class MonitorId : std::uint8_t {
  kCredits,
  kOrdering,
  kTagReuse,
  kCompletion,
  kRequestSize,
  kSequenceNumber,
  kFlowControlInit,
  kMalformedTlp,
};
inline constexpr std::size_t kMonitorCount = 8;

struct MonitorInfo {
  std::string_view name;     // "tag-reuse"
  std::string_view section;  // of PCIe r6.0: "2.2.6.2"
  std::string_view watches;  // what it watches, in a sentence without its end
};

[[nodiscard]] const MonitorInfo& info(MonitorId id);
// In the order of the identifiers.
[[nodiscard]] const std::array<MonitorInfo, kMonitorCount>& all_monitors();

}  // namespace peerfab::monitor
