// SPDX-License-Identifier: Apache-2.0
// A topology with the real models, and DMA jobs on it one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "models/register_all.h"
#include "sim/base/diagnostics.h"
#include "sim/device/memory.h"
#include "sim/device/model.h"
#include "sim/device/model_registry.h"
#include "sim/topology/system.h"
#include "sim/topology/topology.h"
#include "tests/support/catch.h"

namespace peerfab::models::test {

class ModelLab final : public device::DmaListener {
 public:
  // Models beside those of this tree may be added. Every run moves bytes, and is watched by the
  // conformance monitors unless it breaks rules on purpose.
  explicit ModelLab(std::string_view text, std::vector<device::ModelDescriptor> more = {},
                    bool watched = true) {
    register_all_models(models_);
    for (device::ModelDescriptor& model : more) models_.add(std::move(model));
    topology_ = topology::parse_topology(text, "lab.yaml", models_, {}, texts_, findings_);
    if (topology_.has_value()) {
      topology::ElaborationOptions options;
      options.real_payload = true;
      options.monitors = watched;
      system_ = topology::System::elaborate(*topology_, options, findings_);
    }
    for (const Diagnostic& finding : findings_.all()) {
      if (finding.severity != Severity::kNote) FAIL_CHECK(finding.message);
    }
    REQUIRE(system_ != nullptr);
  }

  // The conformance monitors of all links have watched.
  ~ModelLab() {
    if (system_ == nullptr) return;
    INFO(system_->findings().text());
    CHECK(system_->findings().violations() == 0);
  }
  ModelLab(const ModelLab&) = delete;
  ModelLab& operator=(const ModelLab&) = delete;

  [[nodiscard]] topology::System& system() { return *system_; }
  [[nodiscard]] device::Model& model(std::string_view name) { return system_->model(id(name)); }
  [[nodiscard]] device::SparseMemory& memory(std::string_view name) {
    return model(name).memory_target()->memory().content();
  }
  [[nodiscard]] topology::ComponentId component(std::string_view name) { return id(name); }
  // Both directions of the link above this component.
  [[nodiscard]] const topology::System::Directions& link(std::string_view below) {
    const topology::Topology& topology = system_->topology();
    for (std::size_t i = 0; i < topology.links.size(); ++i) {
      if (topology.components[topology.links[i].lower].name == below) {
        return system_->links()[i];
      }
    }
    FAIL("no such link");
    return system_->links().front();
  }
  // Of the endpoint's first BAR.
  [[nodiscard]] BusAddress bar(std::string_view name) {
    return system_->registers().endpoints.at(id(name)).bars.front().base;
  }
  [[nodiscard]] std::uint64_t statistic(std::string_view name, std::string_view which) {
    for (const device::StatisticValue& value : model(name).statistics()) {
      if (value.name == which) return value.value;
    }
    FAIL("no such statistic");
    return 0;
  }
  [[nodiscard]] std::vector<std::byte> bytes(std::string_view name, std::uint64_t offset,
                                             std::size_t count) {
    std::vector<std::byte> result(count);
    memory(name).read(offset, result.data(), count);
    return result;
  }

  // Runs one job of channel 0 to its end.
  device::DmaReport run(std::string_view initiator, const device::DmaJob& job) {
    model(initiator).initiator()->submit(0, job, *this, 0, system_->engine().now());
    system_->engine().run();
    REQUIRE(reports_.size() == 1);
    device::DmaReport report = std::move(reports_.front());
    reports_.clear();
    CHECK(report.breakdown.total() == report.end - report.ready);
    return report;
  }
  // From the initiator's memory at 0 into the target's at `offset`, or the other way round.
  device::DmaReport write(std::string_view initiator, std::string_view target, std::uint64_t bytes,
                          std::uint64_t offset = 0) {
    return run(initiator, job_to(target, bytes, offset, device::DmaJob::Direction::kWrite));
  }
  device::DmaReport read(std::string_view initiator, std::string_view target, std::uint64_t bytes,
                         std::uint64_t offset = 0) {
    return run(initiator, job_to(target, bytes, offset, device::DmaJob::Direction::kRead));
  }

  void dma_done(const device::DmaReport& report) override { reports_.push_back(report); }

 private:
  device::DmaJob job_to(std::string_view target, std::uint64_t bytes, std::uint64_t offset,
                        device::DmaJob::Direction direction) {
    const std::optional<BusAddress> at = model(target).memory_target()->map(offset, bytes);
    REQUIRE(at.has_value());
    device::DmaJob job;
    job.direction = direction;
    job.remote = *at;
    job.length = bytes;
    return job;
  }
  topology::ComponentId id(std::string_view name) {
    for (topology::ComponentId i = 0; i < topology_->components.size(); ++i) {
      if (topology_->components[i].name == name) return i;
    }
    FAIL("no such component");
    return 0;
  }

  device::ModelRegistry models_;
  SourceTexts texts_;
  Diagnostics findings_;
  std::optional<topology::Topology> topology_;
  std::unique_ptr<topology::System> system_;
  std::vector<device::DmaReport> reports_;
};

}  // namespace peerfab::models::test
