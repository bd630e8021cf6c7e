// SPDX-License-Identifier: Apache-2.0
#include "sim/device/port_parameters.h"

#include <string>
#include <utility>

namespace peerfab::device {

using config::Parameter;
using config::Quantity;

std::vector<Parameter> with_port_parameters(std::vector<Parameter> own,
                                            const PortDefaults& defaults) {
  const std::vector<Parameter> common = {
      {"max_payload_size",
       Quantity::kSize,
       defaults.max_payload_size,
       "Max_Payload_Size Supported (Device Capabilities); the firmware sets the least of all "
       "functions: a power of two",
       "128B",
       "4KiB",
       {},
       true},
      {"start_alignment",
       Quantity::kSize,
       "4B",
       "boundary on which a transmitter of this component starts a TLP: a power of two; 4 B by the "
       "specification, 16 B on many wide ports",
       "4B",
       "64B",
       {},
       true},
      {"posted_header_credits",
       Quantity::kInteger,
       "127",
       "receive buffer for posted requests: headers; 0 is infinite",
       "0",
       "127",
       {}},
      {"posted_data_credits",
       Quantity::kInteger,
       "2047",
       "receive buffer for posted requests: units of 16 B; 0 is infinite",
       "0",
       "2047",
       {}},
      {"nonposted_header_credits",
       Quantity::kInteger,
       "127",
       "receive buffer for non-posted requests: headers; 0 is infinite",
       "0",
       "127",
       {}},
      {"nonposted_data_credits",
       Quantity::kInteger,
       "127",
       "receive buffer for non-posted requests with data: units of 16 B; 0 is infinite",
       "0",
       "2047",
       {}},
      {"completion_header_credits",
       Quantity::kInteger,
       defaults.completion_header_credits,
       "receive buffer for completions: headers; 0 is infinite",
       "0",
       "127",
       {}},
      {"completion_data_credits",
       Quantity::kInteger,
       defaults.completion_data_credits,
       "receive buffer for completions: units of 16 B; 0 is infinite",
       "0",
       "2047",
       {}},
      {"credit_return_latency",
       Quantity::kTime,
       "20ns",
       "from a buffer falling free until the sender may count on it, besides the flight time of "
       "the UpdateFC",
       "0ns",
       "10us",
       {}},
      {"propagation_delay",
       Quantity::kTime,
       "2ns",
       "this end's half of a link's flight time, PHY included",
       "0ns",
       "10us",
       {}},
  };
  own.insert(own.end(), common.begin(), common.end());
  return own;
}

PortProfile port_profile(const config::ParameterValues& values) {
  const auto credits = [&values](const std::string& name) {
    return engine::ReceiveBuffer::Class{
        static_cast<std::uint32_t>(values.integer(name + "_header_credits")),
        static_cast<std::uint32_t>(values.integer(name + "_data_credits"))};
  };
  PortProfile profile;
  profile.buffer.classes[0] = credits("posted");
  profile.buffer.classes[1] = credits("nonposted");
  profile.buffer.classes[2] = credits("completion");
  profile.credit_return_latency = values.time("credit_return_latency");
  profile.start_alignment_bytes = static_cast<unsigned>(values.size("start_alignment").count());
  profile.propagation = values.time("propagation_delay");
  return profile;
}

}  // namespace peerfab::device
