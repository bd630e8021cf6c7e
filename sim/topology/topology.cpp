// SPDX-License-Identifier: Apache-2.0
// Lookups in a finished topology.
#include "sim/topology/topology.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <cassert>

namespace peerfab::topology {
namespace {

constexpr std::uint32_t kNoLink = UINT32_MAX;

}  // namespace

void Topology::index() {
  const std::size_t count = components.size();
  link_above_.assign(count, kNoLink);
  children_.assign(count, {});
  tree_depth_.assign(count, 0);
  tree_socket_.resize(count);
  socket_group_.assign(count, 0);
  by_name_.clear();

  for (ComponentId id = 0; id < count; ++id) by_name_.emplace(components[id].name, id);
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    link_above_[links[i].lower] = i;
    children_[links[i].upper].push_back(links[i].lower);
  }
  for (std::vector<ComponentId>& below : children_) {
    std::sort(below.begin(), below.end(), [this](ComponentId a, ComponentId b) {
      return links[link_above_[a]].upper_port < links[link_above_[b]].upper_port;
    });
  }
  for (ComponentId id = 0; id < count; ++id) {
    ComponentId top = id;
    for (; link_above_[top] != kNoLink; top = links[link_above_[top]].upper) {
      ++tree_depth_[id];
      assert(tree_depth_[id] <= count);  // else the links are no tree
    }
    tree_socket_[id] = top;
  }

  boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> sockets(count);
  for (const Wire& wire : wires) {
    if (components[wire.a].is_socket && components[wire.b].is_socket) {
      boost::add_edge(wire.a, wire.b, sockets);
    }
  }
  if (count != 0) boost::connected_components(sockets, socket_group_.data());
}

std::optional<ComponentId> Topology::find(std::string_view component_name) const {
  const auto found = by_name_.find(component_name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

const PcieLink* Topology::find_link(std::string_view link_name) const {
  const auto found = std::find_if(links.begin(), links.end(),
                                  [&](const PcieLink& link) { return link.name == link_name; });
  return found == links.end() ? nullptr : &*found;
}

const PcieLink* Topology::link_above(ComponentId id) const {
  const std::uint32_t link = link_above_[id];
  return link == kNoLink ? nullptr : &links[link];
}

std::vector<const PcieLink*> Topology::links_below(ComponentId id) const {
  std::vector<const PcieLink*> below;
  for (const ComponentId child : children_[id]) below.push_back(link_above(child));
  return below;
}

const std::vector<ComponentId>& Topology::children(ComponentId id) const { return children_[id]; }

ComponentId Topology::socket_of(ComponentId id) const { return tree_socket_[id]; }

unsigned Topology::depth(ComponentId id) const { return tree_depth_[id]; }

std::vector<ComponentId> Topology::endpoints() const {
  std::vector<ComponentId> ids;
  for (ComponentId id = 0; id < components.size(); ++id) {
    if (components[id].model->role == device::ModelRole::kEndpoint) ids.push_back(id);
  }
  return ids;
}

std::size_t Topology::socket_count() const {
  const auto is_socket = [](const Component& component) { return component.is_socket; };
  return static_cast<std::size_t>(std::count_if(components.begin(), components.end(), is_socket));
}

bool Topology::connected(ComponentId a, ComponentId b) const {
  return socket_group_[tree_socket_[a]] == socket_group_[tree_socket_[b]];
}

}  // namespace peerfab::topology
