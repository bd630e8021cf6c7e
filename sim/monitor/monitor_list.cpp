// SPDX-License-Identifier: Apache-2.0
#include "sim/monitor/monitor_list.h"

namespace peerfab::monitor {

const std::array<MonitorInfo, kMonitorCount>& all_monitors() {
  static constexpr std::array<MonitorInfo, kMonitorCount> kMonitors{{
      {"credits", "2.6.1",
       "no TLP is sent without header and data credits, and no buffer is returned that held "
       "nothing"},
      {"ordering", "2.4.1", "no TLP passes one that came before it and that it must not pass"},
      {"tag-reuse", "2.2.6.2", "no request has the transaction ID of one that is outstanding"},
      {"completion", "2.3.1.1",
       "status, byte count, lower address and boundaries of completions fit their request"},
      {"request-size", "2.2.7",
       "no request crosses 4 KiB, and none exceeds Max_Payload_Size or Max_Read_Request_Size"},
      {"sequence-number", "3.6.2",
       "TLPs are numbered, acknowledged, replayed and accepted in sequence"},
      {"flow-control-init", "3.4.1",
       "credits are advertised as the rules say, and before the first TLP"},
      {"malformed-tlp", "2.3", "header fields of each TLP are legal and fit each other"},
  }};
  return kMonitors;
}

const MonitorInfo& info(MonitorId id) { return all_monitors()[static_cast<std::size_t>(id)]; }

}  // namespace peerfab::monitor
