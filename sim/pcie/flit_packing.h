// SPDX-License-Identifier: Apache-2.0
// TLPs into the TLP bytes of flits, and out of them again.
//
// Contract: PCIe r6.3, sec 4.2.3.4.1. A TLP starts at any DW and goes on in the next flit where it
// must. Where no TLP is ready NOP TLPs stand, and once begun they go on to the next 4 DW boundary
// or to the end of the flit. No half of a flit has parts of more than eight TLPs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/pcie/flit.h"

namespace peerfab::pcie {

using TlpBytes = std::vector<std::byte>;

class FlitPacker {
 public:
  // Queues a TLP in FLIT mode form, local prefixes before it, and a whole number of DW long.
  void push(TlpBytes tlp);
  // No TLP waits, not even the rest of one.
  [[nodiscard]] bool empty() const { return waiting_.empty(); }

  // The TLP bytes of the next flit from what waits now. False: nothing but NOP TLPs, so that the
  // flit is a NOP flit and has no sequence number of its own.
  [[nodiscard]] bool next(FlitTlpBytes& out);

 private:
  std::deque<TlpBytes> waiting_;
  std::size_t sent_ = 0;  // bytes of the first one
};

enum class FlitPackingError : std::uint8_t {
  kTooManyTlps,   // in one half of a flit
  kNopsCutShort,  // a TLP follows NOP TLPs elsewhere than on a boundary
  kPrefixOfNop,   // a local prefix without a TLP after it
  kNoTlp,         // a payload flit of nothing but NOP TLPs
};
[[nodiscard]] std::string_view describe(FlitPackingError error);

class FlitUnpacker {
 public:
  // Takes the TLP bytes of the next payload flit in order; NOP flits are left out. TLPs that end in
  // it are appended to `tlps`. The first error, if any: a Data Link Protocol Error, after which the
  // stream means nothing.
  [[nodiscard]] std::optional<FlitPackingError> take(const FlitTlpBytes& bytes,
                                                     std::vector<TlpBytes>& tlps);
  // Whether the last flit ended within a TLP.
  [[nodiscard]] bool within_tlp() const { return !current_.empty(); }

 private:
  void start(std::span<const std::byte, 4> dw);

  TlpBytes current_;
  std::size_t missing_ = 0;  // bytes of the current TLP that are still to come
  bool after_prefix_ = false;
};

}  // namespace peerfab::pcie
