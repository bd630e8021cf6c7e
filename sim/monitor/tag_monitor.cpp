// SPDX-License-Identifier: Apache-2.0
#include "sim/monitor/tag_monitor.h"

#include <fmt/format.h>

#include "sim/engine/packet.h"
#include "sim/pcie/packet_text.h"

namespace peerfab::monitor {

void TagMonitor::request_sent(const engine::Tlp& tlp, const Transaction& same_id,
                              Picoseconds starts) {
  if (!at_endpoint_) return;
  pen_.checked();
  if (same_id.state == Transaction::State::kOver) return;
  const bool answered = same_id.state == Transaction::State::kAnswered;
  pen_.violated(starts, pcie::to_text(engine::header_of(tlp)), "a tag that is not in use",
                answered ? std::string("one whose last completion has not arrived yet")
                         : fmt::format("that of a {} which waits for {} B",
                                       pcie::traits(same_id.kind).name, same_id.remaining));
}

}  // namespace peerfab::monitor
