// SPDX-License-Identifier: Apache-2.0
#include "sim/device/forwarder.h"

#include <algorithm>

namespace peerfab::device {

Forwarder::Forwarder(engine::Scheduler& scheduler, unsigned ports)
    : outs_(ports), ports_(ports), scheduler_(scheduler) {
  for (unsigned i = 0; i < ports; ++i) {
    ports_[i].self = this;
    ports_[i].index = i;
  }
}

void Forwarder::connect(unsigned port, engine::Transmitter& out, engine::Transmitter& in) {
  ports_[port].actor = scheduler_.add_actor(&ports_[port], &Forwarder::on_due);
  outs_[port] = &out;
  ports_[port].in = &in;
  // What leaves through this port came in somewhere, and what came in here leaves somewhere: the
  // buffer of its link is free when it does.
  for (unsigned other = 0; other < ports_.size(); ++other) {
    if (ports_[other].in != nullptr) lead(ports_[other], out);
    if (outs_[other] != nullptr) lead(ports_[port], *outs_[other]);
  }
}

// What comes in here has an input of its own there.
void Forwarder::lead(const Port& from, engine::Transmitter& to) {
  to.set_upstream(from.index, from.in);
  to.set_weight(from.index, from.in->config().weight_beyond);
}

void Forwarder::delay(engine::Tlp* tlp, unsigned ingress, unsigned egress, Picoseconds at) {
  Port& port = ports_[ingress];
  ++delayed_;
  port.delayed.push_back({at, tlp, egress});
  if (port.delayed.size() == 1) scheduler_.schedule(port.actor, at);
}

void Forwarder::on_due(void* self, Picoseconds now) {
  auto* const port = static_cast<Port*>(self);
  Forwarder& forwarder = *port->self;
  while (!port->delayed.empty() && port->delayed.front().at <= now) {
    const Delayed next = port->delayed.front();
    port->delayed.pop_front();
    --forwarder.delayed_;
    forwarder.forward(next.tlp, port->index, next.egress, now);
  }
  if (!port->delayed.empty()) {
    forwarder.scheduler_.schedule(port->actor, port->delayed.front().at);
  }
}

}  // namespace peerfab::device
