// SPDX-License-Identifier: Apache-2.0
// Which packets of one direction of a link arrive damaged: at random with a bit-error rate, and
// those that a script names.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/rng.h"

namespace peerfab::engine {

struct BitErrorConfig {
  double rate = 0;         // errors for each bit; 0 to 1
  std::uint64_t seed = 1;  // of this direction
  // Damages the n-th TLP, or the n-th Ack or Nak, that this direction carries, counted from 1;
  // replays count too. In ascending order.
  std::vector<std::uint64_t> tlps;
  std::vector<std::uint64_t> acknowledgements;

  [[nodiscard]] bool any() const { return rate > 0 || !tlps.empty() || !acknowledgements.empty(); }
};

class BitErrors {
 public:
  explicit BitErrors(const BitErrorConfig& config);

  // Whether the next packet of this many bytes on the wire arrives damaged. Errors hit bits
  // independently of each other, so the distance to the next one is geometric: one draw for each
  // error and not for each packet.
  [[nodiscard]] bool damages_tlp(std::uint32_t wire_bytes) {
    const bool scripted = named(tlps_, next_tlp_);
    return hit(wire_bytes) || scripted;
  }
  [[nodiscard]] bool damages_acknowledgement(std::uint32_t wire_bytes) {
    const bool scripted = named(acknowledgements_, next_acknowledgement_);
    return hit(wire_bytes) || scripted;
  }
  // A DLLP that no script can name.
  [[nodiscard]] bool damages_dllp(std::uint32_t wire_bytes) { return hit(wire_bytes); }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  [[nodiscard]] bool hit(std::uint32_t wire_bytes) {
    const std::uint64_t bits = std::uint64_t{wire_bytes} * 8;
    if (bits <= good_bits_) [[likely]] {
      good_bits_ -= rate_ > 0 ? bits : 0;
      return false;
    }
    go_beyond(bits);
    return true;
  }
  void go_beyond(std::uint64_t bits);
  [[nodiscard]] std::uint64_t distance();

  // A script of what is left, by ordinal.
  struct Script {
    std::vector<std::uint64_t> ordinals;
    std::size_t next = 0;
  };
  static bool named(Script& script, std::uint64_t& ordinal) {
    ++ordinal;
    if (script.next == script.ordinals.size() || script.ordinals[script.next] != ordinal) {
      return false;
    }
    ++script.next;
    return true;
  }

  double rate_;
  std::uint64_t good_bits_ = kNever;  // before the next error
  Rng rng_;
  Script tlps_;
  Script acknowledgements_;
  std::uint64_t next_tlp_ = 0;
  std::uint64_t next_acknowledgement_ = 0;
};

}  // namespace peerfab::engine
