// SPDX-License-Identifier: Apache-2.0
// The forwarding side of a component with several ports: one transmitter out of each port, with an
// input for every ingress, and an optional wait between the decision and the egress queue. Switches
// and root complexes forward through one of these.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/ring.h"
#include "sim/engine/scheduler.h"
#include "sim/engine/tlp.h"
#include "sim/engine/transmitter.h"
#include "sim/engine/waits.h"

namespace peerfab::device {

class Forwarder {
 public:
  // `ports` ports; every transmitter has inputs 0 to ports - 1 for what came in there.
  Forwarder(engine::Scheduler& scheduler, unsigned ports);

  void connect(unsigned port, engine::Transmitter& out, engine::Transmitter& in);
  [[nodiscard]] bool connected(unsigned port) const { return outs_[port] != nullptr; }
  [[nodiscard]] engine::Transmitter& out(unsigned port) { return *outs_[port]; }
  [[nodiscard]] engine::Transmitter& in(unsigned port) { return *ports_[port].in; }

  // Queues the TLP at the egress at once.
  void forward(engine::Tlp* tlp, unsigned ingress, unsigned egress, Picoseconds now) {
    outs_[egress]->enqueue(ingress, tlp, now);
  }
  // Queues it at `at`, which is not before any earlier `at` of the same ingress.
  void forward_at(engine::Tlp* tlp, unsigned ingress, unsigned egress, Picoseconds at,
                  Picoseconds now) {
    if (at <= now && (delayed_ == 0 || ports_[ingress].delayed.empty())) {
      forward(tlp, ingress, egress, now);
    } else {
      delay(tlp, ingress, egress, at);
    }
  }

  void describe_waits(engine::WaitGraph& graph, const std::string& owner) const;

 private:
  struct Delayed {
    Picoseconds at;
    engine::Tlp* tlp;
    unsigned egress;
  };
  struct Port {
    Forwarder* self = nullptr;
    unsigned index = 0;
    engine::ActorId actor = 0;
    engine::Transmitter* in = nullptr;
    Ring<Delayed> delayed;  // in order of time
  };
  static void lead(const Port& from, engine::Transmitter& to);
  void delay(engine::Tlp* tlp, unsigned ingress, unsigned egress, Picoseconds at);
  static void on_due(void* self, Picoseconds now);

  std::vector<engine::Transmitter*> outs_;  // by port, side by side: each TLP wants one
  std::size_t delayed_ = 0;                 // TLPs that wait, of all ingresses
  std::vector<Port> ports_;
  engine::Scheduler& scheduler_;
};

}  // namespace peerfab::device
