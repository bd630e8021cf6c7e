// SPDX-License-Identifier: Apache-2.0
// Checks of who hangs below whom. The attachments are a graph with an edge from each device to
// what it is attached to; in a good topology every way along it ends at a socket.
#include <fmt/format.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

#include "sim/topology/checks.h"

namespace peerfab::topology {
namespace {

using config::Node;
using device::ModelRole;

// A hierarchy has 256 bus numbers (PCIe r6.0, sec 2.2.4.2): one at the root complex, two for every
// switch (the one above it and the one inside) and one for the endpoint.
constexpr std::size_t kMaxSwitchesAbove = (256 - 2) / 2;

using AttachmentGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

std::vector<std::string> names_to_attach_to(const Draft& draft) {
  std::vector<std::string> names;
  for (const DraftComponent& component : draft.components) {
    if (component.model != nullptr && component.model->role == ModelRole::kEndpoint) continue;
    names.push_back(component.name);
  }
  return names;
}

void resolve_attachments(CheckRun& run) {
  const Draft& draft = run.draft();
  const std::vector<std::string> candidates = names_to_attach_to(draft);
  run.for_devices([&](DraftComponent& device) {
    const Node* at = scalar(run, device, device.body, "at");
    if (at == nullptr) return;
    device.parent = draft.find(at->text());
    if (device.parent) return;
    run.report(device, at->where(),
               fmt::format("no device or socket is called '{}'", shown(at->text())),
               run.suggest(at->text(), candidates));
  });
}

void resolve_wire_ends(CheckRun& run) {
  constexpr std::string_view kExample = "for example between: [cpu0, cpu1]";
  const Draft& draft = run.draft();
  run.for_wires([&](DraftWire& wire) {
    const Node* between = wire.body->find("between");
    if (between == nullptr) {
      run.reject_as("missing-key", wire, wire.body->where(),
                    "nothing says what the wire joins: 'between' is missing",
                    std::string(kExample));
      return;
    }
    if (!between->is_sequence() || between->items().size() != 2) {
      run.reject_as("wrong-type", wire, between->where(),
                    "'between' is a list of the two names that the wire joins",
                    std::string(kExample));
      return;
    }
    for (const Node& end : between->items()) {
      if (!end.is_scalar()) {
        run.reject_as("wrong-type", wire, end.where(),
                      fmt::format("an end of the wire is {}, not a name", kind_name(end.kind())));
        continue;
      }
      const std::optional<std::size_t> found = draft.find(end.text());
      if (found) {
        wire.ends.push_back(*found);
        continue;
      }
      std::vector<std::string> names;
      for (const DraftComponent& component : draft.components) names.push_back(component.name);
      run.report(wire, end.where(),
                 fmt::format("no device or socket is called '{}'", shown(end.text())),
                 run.suggest(end.text(), names));
    }
  });
}

void resolve_references(CheckRun& run) {
  resolve_attachments(run);
  resolve_wire_ends(run);
}

// One finding for each circle; whatever hangs below it is left to unreachable-device.
void check_cycles(CheckRun& run) {
  Draft& draft = run.draft();
  AttachmentGraph graph(draft.components.size());
  for (std::size_t i = 0; i < draft.components.size(); ++i) {
    if (draft.components[i].parent) boost::add_edge(i, *draft.components[i].parent, graph);
  }
  std::vector<std::size_t> circle_of(draft.components.size());
  const std::size_t count = boost::strong_components(
      graph,
      boost::make_iterator_property_map(circle_of.begin(), boost::get(boost::vertex_index, graph)));
  std::vector<std::vector<std::size_t>> circles(count);
  for (std::size_t i = 0; i < circle_of.size(); ++i) circles[circle_of[i]].push_back(i);

  run.for_devices([&](DraftComponent& device) {
    const std::size_t self = static_cast<std::size_t>(&device - draft.components.data());
    const std::vector<std::size_t>& circle = circles[circle_of[self]];
    if (circle.size() == 1 && device.parent != self) return;
    if (circle.front() != self) {
      run.reject(device);
      return;
    }
    std::vector<std::string> names;
    for (const std::size_t member : circle) names.push_back(draft.components[member].name);
    run.report(device, device.where_of("at"),
               circle.size() == 1
                   ? fmt::format("'{}' is attached to itself", shown(device.name))
                   : fmt::format("{} are attached to each other in a circle", quoted_list(names)),
               "the way up from a device must end at a socket");
  });
}

void check_attached_to_endpoint(CheckRun& run) {
  Draft& draft = run.draft();
  run.for_devices([&](DraftComponent& device) {
    if (!device.parent) return;
    const DraftComponent& parent = draft.components[*device.parent];
    if (parent.model == nullptr || parent.model->role != ModelRole::kEndpoint) return;
    run.report(device, device.where_of("at"),
               fmt::format("'{}' is a {}: nothing can be attached to an endpoint",
                           shown(parent.name), parent.model->kind),
               "attach it to a socket or a switch");
  });
}

void check_reachable(CheckRun& run) {
  Draft& draft = run.draft();
  run.for_devices([&](DraftComponent& device) {
    if (!device.parent) {
      const DraftComponent& first = draft.components.front();
      run.report(device, device.where,
                 fmt::format("nothing says what '{}' is attached to", shown(device.name)),
                 fmt::format("add 'at: {}'", first.is_socket ? shown(first.name) : "cpu0"));
      return;
    }
    const DraftComponent& parent = draft.components[*device.parent];
    if (parent.is_socket || run.passed(parent, "cycle") ||
        !run.passed(parent, "unknown-reference")) {
      return;
    }
    run.report(device, device.where_of("at"),
               fmt::format("'{}' cannot be reached from any socket: '{}' is part of a circle",
                           shown(device.name), shown(parent.name)));
  });
}

// Only the first device below the limit is reported.
void check_depth(CheckRun& run) {
  const Draft& draft = run.draft();
  run.for_devices([&](DraftComponent& device) {
    std::size_t above = 0;
    for (const DraftComponent* up = &device; up->parent && above <= kMaxSwitchesAbove + 1;
         up = &draft.components[*up->parent]) {
      if (!draft.components[*up->parent].is_socket) ++above;
    }
    if (above <= kMaxSwitchesAbove) return;
    if (above > kMaxSwitchesAbove + 1) {
      run.reject(device);
      return;
    }
    run.report(device, device.where_of("at"),
               fmt::format("'{}' is below {} switches, and a hierarchy has bus numbers for {}",
                           shown(device.name), above, kMaxSwitchesAbove));
  });
}

}  // namespace

std::vector<Check> attachment_checks() {
  constexpr Severity kError = Severity::kError;
  return {
      {{"unknown-reference", kError, {}, "'at' names a socket or a device of the same file."},
       resolve_references},
      {{"cycle", kError, {"unknown-reference"}, "Devices are not attached to each other."},
       check_cycles},
      {{"attach-to-endpoint",
        kError,
        {"unknown-reference", "cycle"},
        "Devices are attached to sockets and switches."},
       check_attached_to_endpoint},
      {{"unreachable-device",
        kError,
        {"unknown-reference", "cycle"},
        "The way up from every device ends at a socket."},
       check_reachable},
      {{"too-deep", kError, {"unreachable-device"}, "A way up has bus numbers for its switches."},
       check_depth},
  };
}

}  // namespace peerfab::topology
