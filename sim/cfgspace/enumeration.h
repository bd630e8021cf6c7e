// SPDX-License-Identifier: Apache-2.0
// The built-in firmware: numbers the buses, places BARs, opens bridge windows and turns decoding
// on. The same input gives the same output everywhere. What does not fit is a finding.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/units.h"
#include "sim/cfgspace/address_range.h"
#include "sim/cfgspace/bar.h"
#include "sim/cfgspace/port_registers.h"

namespace peerfab::cfgspace {

// The caller's number for an endpoint or switch, unique in one input.
using NodeId = std::uint32_t;

// What hangs below a port. Ports of a switch and of a root complex are known by their position.
struct TreeNode {
  enum class Kind : std::uint8_t { kEndpoint, kSwitch };
  struct Port;

  Kind kind = Kind::kEndpoint;
  NodeId id = 0;
  std::string name;                   // for findings
  Bytes max_payload_supported{4096};  // Device Capabilities: 128 to 4096
  std::vector<BarRequest> bars;       // endpoint
  std::vector<Port> ports;            // switch: its downstream ports
};
// A downstream port or root port: nothing below it, or one node.
struct TreeNode::Port {
  std::vector<TreeNode> below;
};

struct RootComplexTree {
  std::string name;  // for findings
  Bytes memory;      // host memory of the socket
  // PCI segment group, a Linux "domain": each has 256 bus numbers of its own. IDs mean nothing in
  // another segment; addresses are shared by all.
  unsigned segment = 0;
  Bytes max_payload_supported{4096};
  std::vector<TreeNode::Port> root_ports;
};

// The platform's address map. Defaults are those of common x86 firmware.
struct PlatformLimits {
  // Host memory below 4 GiB ends here, and the 32-bit MMIO window begins.
  BusAddress top_of_low_memory{std::uint64_t{2} << 30};
  // The 32-bit MMIO window ends below this: ECAM, interrupt controllers and firmware follow.
  BusAddress end_of_low_mmio{0xe0000000};
  unsigned physical_address_bits = 46;
  // 64-bit MMIO window of each socket; zero: the space above all memory in equal parts.
  Bytes high_mmio_size;
};

struct SystemTree {
  std::vector<RootComplexTree> root_complexes;  // the sockets in order
  PlatformLimits limits;
};

struct EnumerationFinding {
  enum class Kind : std::uint8_t {
    kBarDoesNotFit,     // the BAR stays unassigned
    kNoBusNumber,       // more than 256 buses: the node stays unreachable
    kMemoryDoesNotFit,  // host memory beyond the physical address width is left out
    kTooManyPorts,      // more ports than port numbers: the port stays unreachable
    kInvalidBar,        // against is_valid(), or two BARs in one register: left out
  };
  Kind kind = Kind::kBarDoesNotFit;
  unsigned root_complex = 0;
  std::optional<NodeId> node;  // the device; nothing where it is about the socket
  unsigned bar = 0;            // kBarDoesNotFit, kInvalidBar: register index
  Bytes wanted;                // size of the BAR or of the memory
  AddressRange window;         // where it had to go: the socket's whole MMIO window
  Bytes largest_fitting;       // the largest size that would fit instead; zero: none
  std::string message;         // all of this in a sentence
};

struct Enumeration {
  std::vector<RootComplexRegisters> root_complexes;  // as in the input; policies at their defaults
  std::map<NodeId, SwitchRegisters> switches;
  std::map<NodeId, PortRegisters> endpoints;
  std::vector<AddressRange> low_mmio;   // per root complex; empty where nothing asked for it
  std::vector<AddressRange> high_mmio;  // per root complex
  std::vector<EnumerationFinding> findings;
};

[[nodiscard]] Enumeration enumerate(const SystemTree& system);

}  // namespace peerfab::cfgspace
