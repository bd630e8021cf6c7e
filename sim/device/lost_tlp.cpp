// SPDX-License-Identifier: Apache-2.0
#include "sim/device/lost_tlp.h"

namespace peerfab::device {

std::string link_is_down(PortRef port, std::string_view component) {
  std::string text = "the link at ";
  switch (port.kind) {
    case PortRef::Kind::kUpstream:
      text += "the upstream port";
      break;
    case PortRef::Kind::kDownstream:
      text += "downstream port " + std::to_string(port.index);
      break;
    case PortRef::Kind::kSocket:
      text += "socket port " + std::to_string(port.index);
      break;
  }
  return text + " of " + std::string(component) + " is down";
}

void answer_with_ur(engine::Tlp& request) {
  const Bdf requester(request.requester);
  request.kind = pcie::TlpKind::kCompletion;
  request.flow_class = pcie::FlowClass::kCompletion;
  request.set_completion_address(request.address, requester);
  request.length = 0;
  request.byte_count = 0;
  request.flags = 0;
  request.set_status(engine::CompletionStatus::kUnsupportedRequest);
}

void answer_for_link(Completer& completer, const Completer::Way* way, engine::Tlp* tlp,
                     std::string_view why, Picoseconds now) {
  if (way == nullptr) {
    completer.lose(tlp, why, now);
  } else {
    completer.refuse(tlp, *way, engine::CompletionStatus::kUnsupportedRequest, why, now);
  }
}

}  // namespace peerfab::device
