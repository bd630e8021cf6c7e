// SPDX-License-Identifier: Apache-2.0
// Checks of ports: which of the ports below a component each device takes. Ports that the file
// names are taken first; the other devices get the lowest free ones in file order.
#include <fmt/format.h>

#include <map>

#include "sim/topology/checks.h"

namespace peerfab::topology {
namespace {

// Per parent: which device has which port.
using Taken = std::map<std::size_t, std::map<unsigned, const DraftComponent*>>;

// Only for devices that have passed attach-to-endpoint; empty where the parent itself is at fault.
std::optional<unsigned> ports_below(const Draft& draft, const DraftComponent& device) {
  if (!device.parent) return std::nullopt;
  const DraftComponent& parent = draft.components[*device.parent];
  if (!parent.values || !parent.model->downstream_ports) return std::nullopt;
  return parent.model->downstream_ports(*parent.values);
}

void resolve_named_ports(CheckRun& run) {
  Draft& draft = run.draft();
  run.for_devices([&](DraftComponent& device) {
    const std::optional<unsigned> count = ports_below(draft, device);
    const config::Node* node = device.find("port");
    if (node != nullptr) {
      const std::optional<std::int64_t> port = config::parse_integer(*node, run.diagnostics());
      if (!port) {
        run.reject(device);
        return;
      }
      if (*port < 0 || (count && *port >= static_cast<std::int64_t>(*count))) {
        const std::string& parent = draft.components[device.parent.value_or(0)].name;
        run.report(device, node->where(),
                   !count        ? fmt::format("there is no port {}", *port)
                   : *count == 0 ? fmt::format("'{}' has no ports below it", shown(parent))
                                 : fmt::format("'{}' has no port {}", shown(parent), *port),
                   !count || *count == 0 ? "ports are counted from 0"
                   : *count == 1         ? "its only port is 0"
                                         : fmt::format("its ports are 0 to {}", *count - 1));
        return;
      }
      if (count) device.port = static_cast<unsigned>(*port);
    }
    if (!count) run.reject(device);
  });
}

std::optional<unsigned> first_free(const std::map<unsigned, const DraftComponent*>& taken,
                                   unsigned count) {
  unsigned port = 0;
  for (const auto& [number, device] : taken) {
    if (number != port) break;
    ++port;
  }
  if (port >= count) return std::nullopt;
  return port;
}

void check_named_ports(CheckRun& run) {
  Draft& draft = run.draft();
  Taken taken;
  run.for_devices([&](DraftComponent& device) {
    if (!device.port) return;
    auto& below = taken[*device.parent];
    const auto [place, is_free] = below.emplace(*device.port, &device);
    if (is_free) return;
    const std::optional<unsigned> free = first_free(below, *ports_below(draft, device));
    run.report(
        device, device.where_of("port"),
        fmt::format("port {} of '{}' is already taken by '{}' (line {})", *device.port,
                    shown(draft.components[*device.parent].name), shown(place->second->name),
                    place->second->where.line),
        free ? fmt::format("port {} is free; without 'port' the lowest free one is taken", *free)
             : "it has no free port left");
  });
}

void assign_ports(CheckRun& run) {
  Draft& draft = run.draft();
  Taken taken;
  for (const DraftComponent& device : draft.components) {
    if (device.port) taken[*device.parent].emplace(*device.port, &device);
  }
  std::map<std::size_t, unsigned> without_port;
  run.for_devices([&](DraftComponent& device) {
    if (device.port) return;
    auto& below = taken[*device.parent];
    const unsigned count = *ports_below(draft, device);
    device.port = first_free(below, count);
    if (device.port) {
      below.emplace(*device.port, &device);
      return;
    }
    const std::string& parent = draft.components[*device.parent].name;
    run.report(device, device.where_of("at"),
               count == 0
                   ? fmt::format("'{}' has no ports below it", shown(parent))
                   : fmt::format("'{}' has {} port{} for devices, and no free one for '{}'",
                                 shown(parent), count, count == 1 ? "" : "s", shown(device.name)));
  });
}

}  // namespace

std::vector<Check> port_checks() {
  constexpr Severity kError = Severity::kError;
  return {
      {{"port-out-of-range",
        kError,
        {"attach-to-endpoint", "too-deep"},
        "Ports are counted from 0, up to what the model has."},
       resolve_named_ports},
      {{"port-taken", kError, {"port-out-of-range"}, "A port has one device."}, check_named_ports},
      {{"too-many-ports",
        kError,
        {"port-taken"},
        "A component has as many devices below it as it has ports."},
       assign_ports},
  };
}

}  // namespace peerfab::topology
