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
      {"bit_error_rate",
       Quantity::kRatio,
       "0",
       "errors for each bit that this end receives; what is damaged is sent again",
       "",
       "",
       {}},
      {"replay_buffer",
       Quantity::kSize,
       "0B",
       "TLPs, with framing, that this end may have sent without an Ack; 0 B is 2047 TLPs. Counts "
       "where the link's data link layer is simulated exactly",
       "0B",
       "16MiB",
       {}},
      {"extended_sync",
       Quantity::kFlag,
       "false",
       "Extended Synch in Link Control: longer replay timers from 16 GT/s on",
       "",
       "",
       {}},
      {"training_time",
       Quantity::kTime,
       "20ms",
       "from Detect to L0, where a scenario starts the link untrained; of both ends the longer",
       "0ns",
       "1s",
       {}},
      {"recovery_time",
       Quantity::kTime,
       "10us",
       "Recovery and back to L0 when the link is retrained; of both ends the longer",
       "0ns",
       "100ms",
       {}},
      {"arbitration_weight",
       Quantity::kInteger,
       "1",
       "TLPs of this component in a round, wherever the component at the other end of its link "
       "arbitrates by weighted round robin",
       "1",
       "256",
       {}},
  };
  own.insert(own.end(), common.begin(), common.end());
  return own;
}

Parameter arbitration_parameter() {
  return {"arbitration",
          Quantity::kChoice,
          "round-robin",
          "how its ports choose among what came in at the others: one TLP each, or as many in a "
          "round as the arbitration_weight of the component that is attached there (PCIe r6.0, sec "
          "6.3.3.3)",
          "",
          "",
          {"round-robin", "weighted-round-robin"}};
}

engine::Arbitration arbitration(const config::ParameterValues& values) {
  return values.text("arbitration") == "weighted-round-robin"
             ? engine::Arbitration::kWeightedRoundRobin
             : engine::Arbitration::kRoundRobin;
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
  profile.bit_error_rate = values.ratio("bit_error_rate");
  profile.replay_buffer_bytes = static_cast<std::uint32_t>(values.size("replay_buffer").count());
  profile.extended_sync = values.flag("extended_sync");
  profile.training_time = values.time("training_time");
  profile.recovery_time = values.time("recovery_time");
  profile.arbitration_weight = static_cast<unsigned>(values.integer("arbitration_weight"));
  return profile;
}

}  // namespace peerfab::device
