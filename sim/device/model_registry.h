// SPDX-License-Identifier: Apache-2.0
// What a kind of model is, in one declaration: parameters, ports, BARs, statistics and how to make
// one. The check of topologies, the editor's schema and the reference pages derive from it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cfgspace/bar.h"
#include "sim/config/parameters.h"

namespace peerfab::device {

class Model;
struct ModelContext;

enum class ModelRole { kRootComplex, kSwitch, kEndpoint };

struct StatisticDescriptor {
  std::string name;  // "read_requests"
  std::string unit;  // "TLPs", "B", "ps"
  std::string meaning;
};

struct ModelDescriptor {
  std::string kind;     // "gpu", as a topology's `model:` names it
  std::string summary;  // one line
  ModelRole role = ModelRole::kEndpoint;
  config::ParameterTable parameters;
  std::vector<StatisticDescriptor> statistics;
  // How many links can go down from it; 0 for endpoints.
  std::function<unsigned(const config::ParameterValues&)> downstream_ports;
  // What an endpoint asks for in memory space; empty function where it asks for nothing.
  std::function<std::vector<cfgspace::BarRequest>(const config::ParameterValues&)> bars;
  // The memory that flows read and write there; empty function where it has none.
  std::function<Bytes(const config::ParameterValues&)> memory_size;
  // It can issue transactions itself.
  bool initiates = false;
  // Makes one during elaboration.
  std::function<std::unique_ptr<Model>(const ModelContext&)> create;
};

class ModelRegistry {
 public:
  // Asserts that the kind is new.
  void add(ModelDescriptor descriptor);
  // nullptr when there is none. Valid until the next add().
  [[nodiscard]] const ModelDescriptor* find(std::string_view kind) const;
  // In order of registration.
  [[nodiscard]] const std::vector<ModelDescriptor>& all() const { return models_; }

 private:
  std::vector<ModelDescriptor> models_;
};

}  // namespace peerfab::device
