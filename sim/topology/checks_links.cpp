// SPDX-License-Identifier: Apache-2.0
// Checks of links: what both ends can do, what the file asks for, and what comes of it. A link
// trains to the highest generation and width that both ends have (PCIe r6.0, sec 4.2.5).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/pcie/link_timing.h"
#include "sim/pcie/tags.h"
#include "sim/topology/checks.h"

namespace peerfab::topology {
namespace {

using config::LinkSpeed;

constexpr std::string_view kUpstreamLimit = "max_link";
constexpr std::string_view kRootPortLimit = "root_port_link";
constexpr std::string_view kLanes = "lanes";
constexpr std::string_view kReads = "outstanding_reads";

LinkSpeed limit(const DraftComponent& component) {
  const std::string_view name = component.is_socket ? kRootPortLimit : kUpstreamLimit;
  if (component.model->parameters.find(name) == nullptr) {
    return LinkSpeed{config::kMaxLinkGeneration, *std::rbegin(config::kLinkWidths)};
  }
  return component.values->link(name);
}

LinkSpeed smaller(LinkSpeed a, LinkSpeed b) {
  return LinkSpeed{std::min(a.generation, b.generation), std::min(a.width, b.width)};
}

// Whether `limit` is what keeps a link from being `wanted`.
bool limits(LinkSpeed end, LinkSpeed wanted) {
  return end.generation < wanted.generation || end.width < wanted.width;
}

void resolve_links(CheckRun& run) {
  const Draft& draft = run.draft();
  run.for_devices([&](DraftComponent& device) {
    if (const config::Node* node = device.find("link")) {
      device.requested = config::parse_link(*node, run.diagnostics());
      if (!device.requested) {
        run.reject(device);
        return;
      }
    }
    device.upper_max = limit(draft.components[*device.parent]);
    device.lower_max = limit(device);
    device.negotiated = smaller(*device.upper_max, *device.lower_max);
    if (device.requested) device.negotiated = smaller(*device.negotiated, *device.requested);
  });
}

// Names the ends that keep the link from being `wanted`.
std::string limiting_ends(const Draft& draft, const DraftComponent& device, LinkSpeed wanted) {
  const bool upper = limits(*device.upper_max, wanted);
  const bool lower = limits(*device.lower_max, wanted);
  const std::string upper_name = shown(draft.components[*device.parent].name);
  const std::string upper_text =
      fmt::format("a port of '{}' does {} at most", upper_name, format_link(*device.upper_max));
  const std::string lower_text =
      fmt::format("'{}' does {} at most", shown(device.name), format_link(*device.lower_max));
  if (upper && lower) return upper_text + ", " + lower_text;
  return upper ? upper_text : lower_text;
}

void note_negotiated_down(CheckRun& run) {
  const Draft& draft = run.draft();
  run.for_devices([&](DraftComponent& device) {
    const LinkSpeed got = *device.negotiated;
    if (device.requested) {
      if (got == *device.requested) return;
      run.report(device, device.where_of("link"),
                 fmt::format("'{}' asks for {} and gets {}: {}", shown(device.name),
                             format_link(*device.requested), format_link(got),
                             limiting_ends(draft, device, *device.requested)));
      return;
    }
    if (got.generation == device.lower_max->generation) return;
    run.report(device, device.where_of("at"),
               fmt::format("'{}' could do {} and gets {}: {}", shown(device.name),
                           format_link(*device.lower_max), format_link(got),
                           limiting_ends(draft, device, *device.lower_max)));
  });
}

void note_width_reduced(CheckRun& run) {
  const Draft& draft = run.draft();
  run.for_devices([&](DraftComponent& device) {
    const LinkSpeed got = *device.negotiated;
    if (device.requested || got.generation != device.lower_max->generation ||
        got.width == device.lower_max->width) {
      return;  // asked for, or said by link-negotiated-down
    }
    run.report(device, device.where_of("at"),
               fmt::format("'{}' could use {} lanes and gets {}: {}", shown(device.name),
                           device.lower_max->width, got.width,
                           limiting_ends(draft, device, *device.lower_max)));
  });
}

// What the links below each component add up to; only links that are fully known.
struct LinksBelow {
  unsigned count = 0;
  std::int64_t lanes = 0;
  std::uint64_t bytes_per_second = 0;
};

std::uint64_t line_rate(LinkSpeed link) {
  return pcie::encoded_line_rate(link.generation, link.width).bytes_per_second();
}

std::vector<LinksBelow> links_below(CheckRun& run) {
  const Draft& draft = run.draft();
  std::vector<LinksBelow> below(draft.components.size());
  for (const DraftComponent& device : draft.components) {
    if (!device.negotiated || !run.passed(device, "too-many-ports")) continue;
    LinksBelow& sum = below[*device.parent];
    ++sum.count;
    sum.lanes += device.negotiated->width;
    sum.bytes_per_second += line_rate(*device.negotiated);
  }
  return below;
}

void check_lanes(CheckRun& run) {
  const Draft& draft = run.draft();
  const std::vector<LinksBelow> below = links_below(run);
  run.for_components([&](DraftComponent& component) {
    const config::Parameter* parameter = component.model->parameters.find(kLanes);
    if (parameter == nullptr || parameter->quantity != config::Quantity::kInteger) return;
    const LinksBelow& sum = below[static_cast<std::size_t>(&component - draft.components.data())];
    const std::int64_t above = component.negotiated ? component.negotiated->width : 0;
    const std::int64_t lanes = component.values->integer(kLanes);
    if (sum.lanes + above <= lanes) return;
    run.report(component, component.where,
               fmt::format("'{}' has {} lanes, but its links use {}: {} below{}",
                           shown(component.name), lanes, sum.lanes + above, sum.lanes,
                           above == 0 ? "" : fmt::format(" and {} above", above)),
               "give some of them a narrower link, for example 'link: gen5 x8'");
  });
}

void note_oversubscription(CheckRun& run) {
  const Draft& draft = run.draft();
  const std::vector<LinksBelow> below = links_below(run);
  run.for_devices([&](DraftComponent& device) {
    const LinksBelow& sum = below[static_cast<std::size_t>(&device - draft.components.data())];
    const std::uint64_t above = line_rate(*device.negotiated);
    if (sum.bytes_per_second <= above) return;
    const std::uint64_t tenths = (sum.bytes_per_second * 10 + above / 2) / above;
    const std::string rate = config::format_bandwidth_rounded(Bandwidth(sum.bytes_per_second));
    const std::string below_text =
        sum.count == 1 ? fmt::format("the link below '{}' carries {}", shown(device.name), rate)
                       : fmt::format("the {} links below '{}' carry {} together", sum.count,
                                     shown(device.name), rate);
    run.report(
        device, device.where,
        fmt::format("{}, its link above {}: {}.{} to 1", below_text,
                    config::format_bandwidth_rounded(Bandwidth(above)), tenths / 10, tenths % 10));
  });
}

// Expectations and results name links by their ends, so two links may not share a name.
void check_link_names(CheckRun& run) {
  const Draft& draft = run.draft();
  std::map<std::string, const DraftComponent*> named;
  run.for_devices([&](DraftComponent& device) {
    const std::string name = draft.components[*device.parent].name + "-" + device.name;
    const auto [place, is_new] = named.emplace(name, &device);
    if (is_new) return;
    run.report(device, device.where,
               fmt::format("the link above '{}' has the same name as the one above '{}' (line {}): "
                           "'{}'",
                           device.name, place->second->name, place->second->where.line, name),
               "rename one of the two");
  });
}

// A request whose tag has bits above the tenth goes nowhere but through links in FLIT mode: a port
// of another kind blocks it (PCIe r6.3, sec 2.2.6.2). Where the requests of a device go is the
// scenario's business, so that any other link in the topology is too many.
void check_tags(CheckRun& run) {
  const Draft& draft = run.draft();
  const DraftComponent* other = nullptr;
  for (const DraftComponent& device : draft.components) {
    if (other == nullptr && device.negotiated && !pcie::uses_flits(device.negotiated->generation)) {
      other = &device;
    }
  }
  if (other == nullptr) return;
  run.for_devices([&](DraftComponent& device) {
    const config::Parameter* parameter = device.model->parameters.find(kReads);
    if (parameter == nullptr || parameter->quantity != config::Quantity::kInteger) return;
    const auto reads = static_cast<unsigned>(device.values->integer(kReads));
    if (pcie::smallest_tag_size(reads).has_value()) return;
    const SourceLocation& where = device.values->where(kReads);
    run.report(
        device, where.line != 0 ? where : device.where,
        fmt::format("{} outstanding reads of '{}' need 14-bit tags, which the link above "
                    "'{}', {}, does not carry",
                    reads, shown(device.name), shown(other->name), format_link(*other->negotiated)),
        fmt::format("at most {}, or gen6 everywhere",
                    pcie::tag_range(pcie::TagSize::k10Bit).count));
  });
}

}  // namespace

std::vector<Check> link_checks() {
  constexpr Severity kError = Severity::kError;
  constexpr Severity kNote = Severity::kNote;
  return {
      {{"link",
        kError,
        {"parameters", "port-out-of-range"},
        "A link is a generation and a width, 'gen5 x16'."},
       resolve_links},
      {{"link-negotiated-down",
        kNote,
        {"link"},
        "A link is as fast and as wide as both of its ends allow."},
       note_negotiated_down},
      {{"link-width-reduced", kNote, {"link"}, "A device has fewer lanes than it could use."},
       note_width_reduced},
      {{"lanes-exceeded",
        kError,
        {"parameters"},
        "The links of a component use no more lanes than it has."},
       check_lanes},
      {{"oversubscribed-uplink",
        kNote,
        {"link"},
        "A switch's link above carries less than the links below it together."},
       note_oversubscription},
      {{"tags-need-flit-mode",
        kError,
        {"parameters", "link"},
        "Only links in FLIT mode carry 14-bit tags."},
       check_tags},
      {{"ambiguous-link-name",
        kError,
        {"invalid-name", "duplicate-name", "link"},
        "No two links are called the same."},
       check_link_names},
  };
}

}  // namespace peerfab::topology
