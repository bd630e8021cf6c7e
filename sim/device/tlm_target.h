// SPDX-License-Identifier: Apache-2.0
// The side of an endpoint whose requests an outsider's SystemC target answers.
//
// The target is called through b_transport from SC_THREADs of this module, so it may wait(). Calls
// begin in the order in which requests arrived. Reads overlap as far as there are threads; a write
// is over before the next call begins, and nothing that began after it completes before it, so
// posted order holds whatever the target does. A delay that the target annotates is kept without a
// thread having to wait for it. Where the target grants DMI, requests are served from its memory
// directly, with the latency that it states.
#pragma once

#include <sysc/kernel/sc_dynamic_processes.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/ring.h"
#include "sim/base/units.h"
#include "sim/device/model.h"
#include "sim/engine/engine.h"
#include "sim/engine/tlm_adaptor.h"
#include "sim/engine/tlp.h"
#include "sim/engine/transmitter.h"
#include "sim/pcie/splitting.h"

namespace peerfab::device {

struct TlmTargetStatistics {
  std::uint64_t read_requests = 0;
  std::uint64_t write_requests = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t refused = 0;        // answered with UR or CA, or discarded
  std::uint64_t through_dmi = 0;    // requests that called nobody
  std::uint64_t invalidations = 0;  // of DMI regions
};

class TlmTarget final : public sc_core::sc_module, public engine::TransmitSource {
 public:
  SC_HAS_PROCESS(TlmTarget);
  // To bind to the outsider's target socket. Addresses are offsets in the BAR.
  tlm_utils::simple_initiator_socket<TlmTarget> socket;

  // `threads` bounds the reads that are in the target at once.
  TlmTarget(const sc_core::sc_module_name& name, engine::Engine& engine, engine::TlpPool& pool,
            RequesterTable& requesters, unsigned threads);

  // Completions leave through `input` of `out`; requests came over `in`.
  void connect(engine::Transmitter& out, unsigned input, engine::Transmitter& in);
  void configure(Bdf bdf, const pcie::CompletionLimits& limits);

  // A request from the fabric. Takes the TLP.
  void serve(engine::Tlp* tlp, std::uint64_t offset, Picoseconds now);

  // Through transport_dbg: no time passes, nothing changes. How many bytes the target moved.
  std::size_t debug_read(std::uint64_t offset, std::byte* to, std::size_t bytes);
  std::size_t debug_write(std::uint64_t offset, const std::byte* from, std::size_t bytes);

  [[nodiscard]] const TlmTargetStatistics& statistics() const { return statistics_; }
  void reset_statistics() { statistics_ = {}; }

  void input_drained(unsigned input, Picoseconds now) override;

  void describe_waits(engine::WaitGraph& graph, const std::string& owner) const;

 private:
  // A request from its arrival to its last completion.
  struct Request {
    engine::Tlp* tlp = nullptr;
    std::uint64_t offset = 0;
    Picoseconds arrived;
    engine::CompletionStatus status = engine::CompletionStatus::kSuccessful;
    std::string why;              // it was refused
    std::vector<std::byte> data;  // of a write, or of the answer
    std::size_t sent = 0;         // bytes of the answer
    pcie::CompletionSplitter pieces{pcie::RequestPiece{}, pcie::CompletionLimits{}};
    const void* caller = nullptr;  // the process that is in the target with it
  };
  struct Worker : sc_core::sc_module {
    SC_HAS_PROCESS(Worker);
    Worker(const sc_core::sc_module_name& name, TlmTarget& owner);
    void work() { target.work(); }
    TlmTarget& target;
  };

  static void on_finished(void* self, Picoseconds now);
  static bool is_write(const Request& request) {
    return request.tlp->flow_class == pcie::FlowClass::kPosted;
  }
  Request& take(engine::Tlp* tlp, std::uint64_t offset, Picoseconds now);
  void recycle(Request& request);
  void work();
  [[nodiscard]] bool next_may_go();
  void call(Request& request);
  void ask_for_dmi(const Request& request);
  bool serve_directly(Request& request, Picoseconds now);
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last);
  void book(Request& request, Picoseconds at);
  void finish(Request& request, Picoseconds now);
  void emit(Picoseconds now);

  engine::Engine& engine_;
  engine::TlpPool& pool_;
  RequesterTable& requesters_;
  engine::ActorId actor_;
  engine::Transmitter* out_ = nullptr;
  engine::Transmitter* in_ = nullptr;
  unsigned input_ = 0;
  Bdf bdf_;
  pcie::CompletionLimits limits_;

  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Request>> requests_;
  std::vector<Request*> free_;
  Ring<Request*> waiting_;                         // for a thread
  std::multimap<Picoseconds, Request*> finished_;  // the target is done, its time is not over
  Ring<Request*> answers_;                         // reads whose completions go out
  sc_core::sc_event work_;
  unsigned in_call_ = 0;
  bool write_in_call_ = false;
  Picoseconds last_write_;  // when the last write is over
  std::vector<tlm::tlm_dmi> regions_;
  TlmTargetStatistics statistics_;
};

}  // namespace peerfab::device
