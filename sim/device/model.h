// SPDX-License-Identifier: Apache-2.0
// What every running model offers to elaboration, to the workload and to the result.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/base/ids.h"
#include "sim/base/units.h"
#include "sim/cfgspace/port_registers.h"
#include "sim/config/parameters.h"
#include "sim/device/memory.h"
#include "sim/engine/engine.h"
#include "sim/engine/tlp.h"
#include "sim/engine/transmitter.h"
#include "sim/engine/waits.h"
#include "sim/stats/breakdown.h"

namespace peerfab::device {

// Told what became of a posted request, and of each piece of one that was split on its way. Real
// hardware does not tell its sender; the result of a run needs to know when the bytes arrived.
class PostedListener {
 public:
  virtual void posted_delivered(const engine::Tlp& tlp, Picoseconds at) = 0;
  // Discarded: `why` in a sentence, with the place.
  virtual void posted_refused(const engine::Tlp& tlp, std::string_view why, Picoseconds at) = 0;

 protected:
  ~PostedListener() = default;
};

// Who sends under which requester ID.
class RequesterTable {
 public:
  void add(Bdf requester, PostedListener* listener) {
    Bus& bus = buses_[requester.bus()];
    if (bus.listener == nullptr || bus.requester == requester) {
      bus = {listener, requester};
    } else {
      others_[requester.value()] = listener;
    }
  }
  // nullptr: nobody that listens.
  [[nodiscard]] PostedListener* find(std::uint16_t requester) const {
    const Bus& bus = buses_[Bdf(requester).bus()];
    if (bus.listener != nullptr && bus.requester == Bdf(requester)) [[likely]] {
      return bus.listener;
    }
    const auto other = others_.find(requester);
    return other == others_.end() ? nullptr : other->second;
  }

 private:
  // Almost every bus is a link with one requester at its end: four buses to a cache line.
  struct Bus {
    PostedListener* listener = nullptr;
    Bdf requester;
  };
  std::array<Bus, 256> buses_{};
  std::unordered_map<std::uint16_t, PostedListener*> others_;
};

// What a model is made from.
struct ModelContext {
  std::string name;
  const config::ParameterValues& values;
  engine::Engine& engine;
  engine::TlpPool& pool;
  RequesterTable& requesters;
  std::uint64_t pattern_seed = 0;  // of its memory's content before it is written
};

// A port of a model: the one towards the root complex, or one of those below, or the end of a wire
// between sockets.
struct PortRef {
  enum class Kind : std::uint8_t { kUpstream, kDownstream, kSocket };
  Kind kind = Kind::kUpstream;
  unsigned index = 0;
};

// How a port sends and receives, before the link is made.
struct PortProfile {
  engine::ReceiveBuffer buffer;  // what it advertises
  Picoseconds receive_latency;   // from arrival at its end of the link until the model acts
  bool cut_through = false;      // it acts on the first bytes
  Picoseconds credit_return_latency;
  unsigned transmit_inputs = 1;
  engine::Arbitration arbitration = engine::Arbitration::kRoundRobin;  // of its inputs
  unsigned arbitration_weight = 1;  // of what it sends, where the other end arbitrates by weight
  bool completions_push_all_inputs = false;  // see engine::TransmitterConfig
  unsigned start_alignment_bytes = 4;
  Picoseconds propagation;    // of a link that ends here; both ends' values are added
  double bit_error_rate = 0;  // of what it receives
  std::uint32_t replay_buffer_bytes = 0;
  bool extended_sync = false;
  Picoseconds training_time;
  Picoseconds recovery_time;
};

// A piece of work for a DMA engine: bytes between its own memory and the fabric.
struct DmaJob {
  enum class Direction : std::uint8_t { kWrite, kRead };  // as the fabric sees it
  Direction direction = Direction::kWrite;
  BusAddress remote;
  std::uint64_t local = 0;   // offset in the engine's own memory
  std::uint64_t length = 0;  // bytes in all; > 0
  std::uint64_t row = 0;     // bytes of each contiguous piece; 0: one piece
  std::uint64_t stride = 0;  // between the starts of two pieces, on both sides
  // Belongs to the same copy as the job before it on its channel: no launch of its own, and no
  // waiting for that job's end.
  bool continues = false;
};

struct DmaReport {
  std::uint64_t cookie = 0;
  std::uint64_t bytes = 0;
  Picoseconds ready;       // when it was submitted
  Picoseconds first_byte;  // when the first payload had arrived
  Picoseconds end;         // the last completion, or the last delivery
  stats::Breakdown breakdown;
  std::string error;  // not empty: what went wrong first
};

class DmaListener {
 public:
  virtual void dma_done(const DmaReport& report) = 0;

 protected:
  ~DmaListener() = default;
};

// A model that can move data by itself.
class Initiator {
 public:
  virtual ~Initiator() = default;
  [[nodiscard]] virtual unsigned channels() const = 0;
  // Jobs of a channel are taken in order. From within a handler or before the run.
  virtual void submit(unsigned channel, const DmaJob& job, DmaListener& listener,
                      std::uint64_t cookie, Picoseconds now) = 0;
  // Requests that are over of this listener's jobs which are not: what moves within a job.
  [[nodiscard]] virtual std::uint64_t requests_over(const DmaListener& listener) const = 0;
  // Payload of a job that has arrived so far; 0 while its turn has not come.
  [[nodiscard]] virtual std::uint64_t arrived(const DmaListener& listener,
                                              std::uint64_t cookie) const = 0;
};

// Memory of a model that others reach over the fabric.
class MemoryTarget {
 public:
  virtual ~MemoryTarget() = default;
  [[nodiscard]] virtual Memory& memory() = 0;
  // Makes [offset, offset + length) of the memory reachable and says where. nullopt: no room left
  // in the aperture now; unmap() something first. Requires length <= largest_mapping().
  virtual std::optional<BusAddress> map(std::uint64_t offset, std::uint64_t length) = 0;
  virtual void unmap(BusAddress address, std::uint64_t length) = 0;
  // The most that one map() can reach; 0 when the memory has no place on the fabric at all.
  [[nodiscard]] virtual std::uint64_t largest_mapping() const = 0;
};

struct StatisticValue {
  std::string name;  // as in the model's table
  std::uint64_t value = 0;
};

class Model {
 public:
  explicit Model(std::string name) : name_(std::move(name)) {}
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }

  // Wiring, once for each link: `out` sends away from this model, `in` is what arrives here.
  [[nodiscard]] virtual PortProfile profile(PortRef port) const = 0;
  virtual engine::Receiver& connect(PortRef port, engine::Transmitter& out,
                                    engine::Transmitter& in) = 0;

  // A TLP that this model sent through `port` and that will not arrive, since the link there is
  // down. `input` is the one of the transmitter in which it waited, still with its buffer; nullopt:
  // it was on the link. Takes the TLP.
  virtual void lost(PortRef port, std::optional<unsigned> input, engine::Tlp* tlp,
                    Picoseconds now) = 0;
  // The link at one of its ports has another rate or width now.
  virtual void link_changed() {}

  // After enumeration: the registers that decide what this model does; they outlive it. Each model
  // overrides the one of its role.
  virtual void configure(cfgspace::RootComplexRegisters& /*registers*/) {}
  virtual void configure(cfgspace::SwitchRegisters& /*registers*/) {}
  virtual void configure(cfgspace::PortRegisters& /*registers*/) {}
  // Registers were written: verdicts that were kept no longer hold.
  virtual void registers_changed() {}

  // nullptr where the model has none.
  [[nodiscard]] virtual Initiator* initiator() { return nullptr; }
  [[nodiscard]] virtual MemoryTarget* memory_target() { return nullptr; }

  // What waits in it, besides in front of its links (sim/engine/waits.h). A model whose parts all
  // move by themselves has nothing to say.
  virtual void describe_waits(engine::WaitGraph& /*graph*/) const {}

  // In the order of the model's table.
  [[nodiscard]] virtual std::vector<StatisticValue> statistics() const = 0;
  virtual void reset_statistics() = 0;

 private:
  std::string name_;
};

}  // namespace peerfab::device
