// SPDX-License-Identifier: Apache-2.0
// The registers that decide routing, one struct per port or function. Each member is the decoded
// content of a register field; where the encoding in config space differs from the value, a pair of
// functions converts, so that config bytes can back the struct.
#pragma once

#include <bitset>
#include <cstdint>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/cfgspace/address_range.h"
#include "sim/cfgspace/bar.h"

namespace peerfab::cfgspace {

// Device/Port Type (PCIe r6.0, sec 7.5.3.2).
enum class PortType : std::uint8_t { kRootPort, kSwitchUpstream, kSwitchDownstream, kEndpoint };

// Command register, the bits that routing consults (PCIe r6.0, sec 7.5.1.1.3). Off after reset.
struct Command {
  bool memory_space_enable = false;
  bool bus_master_enable = false;

  [[nodiscard]] std::uint16_t to_register() const;
  [[nodiscard]] static Command from_register(std::uint16_t value);
  bool operator==(const Command&) const = default;
};

// Bus number registers of a Type 1 header (PCIe r6.0, sec 7.5.1.3.2 to 7.5.1.3.4). After reset all
// are zero, and such a bridge forwards nothing by ID.
struct BusNumbers {
  std::uint8_t primary = 0;
  std::uint8_t secondary = 0;
  std::uint8_t subordinate = 0;

  // The IDs behind the bridge: none while the secondary bus number is zero.
  [[nodiscard]] constexpr IdRange behind() const {
    return secondary == 0 ? IdRange() : IdRange::of_buses(secondary, subordinate);
  }
  bool operator==(const BusNumbers&) const = default;
};

inline constexpr Bytes kBridgeWindowGranule{std::uint64_t{1} << 20};

// Memory Base and Memory Limit: bits 15:4 are address bits 31:20 (PCIe r6.0, sec 7.5.1.3.8).
struct MemoryWindowRegisters {
  std::uint16_t base = 0;
  std::uint16_t limit = 0;
};
// Prefetchable Memory Base and Limit with their upper 32 bits; bits 3:0 of the lower registers are
// 1 for 64-bit addressing (PCIe r6.0, sec 7.5.1.3.9 and 7.5.1.3.10).
struct PrefetchableWindowRegisters {
  std::uint16_t base = 0;
  std::uint16_t limit = 0;
  std::uint32_t base_upper = 0;
  std::uint32_t limit_upper = 0;
};
// An empty range encodes as a limit below the base, which closes the window. A range that is not
// empty must start and end on a 1 MiB boundary and, for the first, lie below 4 GiB.
[[nodiscard]] MemoryWindowRegisters encode_memory_window(const AddressRange& window);
[[nodiscard]] AddressRange decode_memory_window(const MemoryWindowRegisters& registers);
[[nodiscard]] PrefetchableWindowRegisters encode_prefetchable_window(const AddressRange& window);
[[nodiscard]] AddressRange decode_prefetchable_window(const PrefetchableWindowRegisters& registers);

// ACS Control register and Egress Control Vector (PCIe r6.0, sec 7.7.11.3 and 7.7.11.4). All off
// after reset.
struct AcsControl {
  bool source_validation = false;
  bool translation_blocking = false;
  bool p2p_request_redirect = false;
  bool p2p_completion_redirect = false;
  bool upstream_forwarding = false;
  bool p2p_egress_control = false;
  bool direct_translated_p2p = false;
  std::bitset<256> egress_control_vector;  // by the port number of the egress port

  [[nodiscard]] std::uint16_t to_register() const;
  // Keeps the vector, which has registers of its own.
  void set_from_register(std::uint16_t value);
  bool operator==(const AcsControl&) const = default;
};

// One function: a port of a root complex or of a switch (Type 1 header), or an endpoint (Type 0).
struct PortRegisters {
  PortType type = PortType::kEndpoint;
  Bdf bdf;
  std::uint8_t port_number = 0;  // Link Capabilities; indexes the Egress Control Vector
  Command command;
  Bytes max_payload_size{128};  // Device Control, Max_Payload_Size: the value in force
  // Type 1 only.
  BusNumbers buses;
  AddressRange memory_window;        // non-prefetchable, below 4 GiB
  AddressRange prefetchable_window;  // 64-bit
  AcsControl acs;                    // of downstream ports
  // Type 0 only.
  std::vector<Bar> bars;
};

// A switch: one upstream port, and downstream ports on the internal bus.
// What a downstream port does with a TLP from below that targets what lies behind itself, while its
// ACS Upstream Forwarding is off: the specification leaves it undefined (PCIe r6.0, sec 6.12.1.1).
enum class OwnEgressPolicy : std::uint8_t { kRefuse, kForwardUpstream, kReflect };
struct SwitchRegisters {
  PortRegisters upstream;
  std::vector<PortRegisters> downstream;
  OwnEgressPolicy own_egress = OwnEgressPolicy::kRefuse;
};

// Whether a root complex routes between its root ports is the platform's choice (PCIe r6.0,
// sec 1.3.1).
enum class P2pPolicy : std::uint8_t {
  kFull,         // requests and completions pass
  kPostedOnly,   // posted requests pass, non-posted ones are answered with UR
  kNoneUr,       // nothing passes; handled as Unsupported Request
  kNoneAllOnes,  // nothing passes; reads complete successfully with all bits set, writes vanish
};

// What lies behind the inter-socket link.
struct OtherSocket {
  unsigned socket = 0;               // index of the root complex in the system
  std::vector<AddressRange> memory;  // its host memory
  std::vector<AddressRange> mmio;    // where its devices' BARs are
  bool same_segment = true;          // else the bus numbers below are of another segment
  std::uint8_t root_bus = 0;         // its host's own functions
  std::uint8_t last_bus = 0;         // its devices are on the buses after root_bus up to this one
  P2pPolicy p2p = P2pPolicy::kFull;  // between devices of the two sockets
};

struct RootComplexRegisters {
  std::vector<PortRegisters> root_ports;
  std::vector<AddressRange> host_memory;
  std::uint8_t root_bus = 0;  // the host itself is device 0, function 0 on this bus
  std::vector<OtherSocket> other_sockets;
  P2pPolicy p2p = P2pPolicy::kFull;  // between devices under this root complex
  bool hairpin = true;               // peer to peer back out of the root port it came in at
  // Redirected Request Validation logic: reflects a request that ACS redirected, or blocks it as an
  // ACS Violation. How it decides is not architected (PCIe r6.0, sec 6.12.1.1).
  bool reflects_redirected = true;

  [[nodiscard]] Bdf host() const { return {root_bus, 0, 0}; }
};

}  // namespace peerfab::cfgspace
