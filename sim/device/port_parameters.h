// SPDX-License-Identifier: Apache-2.0
// The parameters that every port has, whatever model it belongs to.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/config/parameters.h"
#include "sim/device/model.h"

namespace peerfab::device {

// Defaults that differ between kinds of component.
struct PortDefaults {
  const char* max_payload_size = "512B";
  // PCIe r6.0, sec 2.6.1: endpoints advertise infinite completion credits, switches and root
  // complexes that route peer to peer finite ones.
  const char* completion_header_credits = "0";
  const char* completion_data_credits = "0";
};

// The common table with a model's own parameters before it.
[[nodiscard]] std::vector<config::Parameter> with_port_parameters(
    std::vector<config::Parameter> own, const PortDefaults& defaults);

// For models that forward: how the ports of the component arbitrate.
[[nodiscard]] config::Parameter arbitration_parameter();
[[nodiscard]] engine::Arbitration arbitration(const config::ParameterValues& values);

// Profile of a port with these values; the model fills in what is its own (receive latency,
// cut-through, inputs).
[[nodiscard]] PortProfile port_profile(const config::ParameterValues& values);

}  // namespace peerfab::device
