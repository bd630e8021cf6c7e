// SPDX-License-Identifier: Apache-2.0
// How long things take on a link's wire, exactly.
//
// Contract: Gen1 to Gen5, widths 1, 2, 4, 8 and 16. Line time is counted in ticks of 1/512 ps, in
// which the time of one byte on every such link is a whole number, so nothing is rounded until a
// time leaves the link (to_picoseconds_ceil). Everything here is pure and constexpr.
#pragma once

#include <bit>
#include <cassert>
#include <compare>
#include <cstdint>

#include "sim/base/units.h"
#include "sim/pcie/spec.h"

namespace peerfab::pcie {

// A duration or a point in time on one link, in ticks of 1/512 ps. 2^64 ticks are 10 hours.
class LineTime {
 public:
  static constexpr unsigned kTickShift = 9;
  static constexpr std::uint64_t kTicksPerPicosecond = std::uint64_t{1} << kTickShift;

  constexpr LineTime() = default;
  constexpr explicit LineTime(std::uint64_t ticks) : ticks_(ticks) {}
  // Exact. Requires time below 2^55 ps (10 hours).
  [[nodiscard]] static constexpr LineTime from(Picoseconds time) {
    return LineTime(time.count() << kTickShift);
  }

  [[nodiscard]] constexpr std::uint64_t ticks() const { return ticks_; }
  // The first whole picosecond that is not before this time.
  [[nodiscard]] constexpr Picoseconds to_picoseconds_ceil() const {
    return Picoseconds((ticks_ + kTicksPerPicosecond - 1) >> kTickShift);
  }
  // The last whole picosecond that is not after this time.
  [[nodiscard]] constexpr Picoseconds to_picoseconds_floor() const {
    return Picoseconds(ticks_ >> kTickShift);
  }

  constexpr auto operator<=>(const LineTime&) const = default;
  constexpr LineTime& operator+=(LineTime other) {
    ticks_ += other.ticks_;
    return *this;
  }
  constexpr LineTime& operator-=(LineTime other) {
    ticks_ -= other.ticks_;
    return *this;
  }
  friend constexpr LineTime operator+(LineTime a, LineTime b) { return a += b; }
  friend constexpr LineTime operator-(LineTime a, LineTime b) { return a -= b; }
  friend constexpr LineTime operator*(LineTime a, std::uint64_t factor) {
    return LineTime(a.ticks_ * factor);
  }

 private:
  std::uint64_t ticks_ = 0;
};

struct LinkConfig {
  unsigned generation = 5;  // 1 to 5
  unsigned width = 16;      // 1, 2, 4, 8 or 16 lanes
  // Boundary on which the transmitter starts TLPs: a power of two, 4 to 64 B. The specification
  // allows 4 B; data paths of wide ports often start a TLP on 16 B only.
  unsigned start_alignment_bytes = spec::kMinStartAlignmentBytes;

  constexpr bool operator==(const LinkConfig&) const = default;
};

[[nodiscard]] constexpr bool is_valid(const LinkConfig& config) {
  return config.generation >= 1 && config.generation <= 5 && config.width >= 1 &&
         config.width <= 16 && std::has_single_bit(config.width) &&
         config.start_alignment_bytes >= spec::kMinStartAlignmentBytes &&
         config.start_alignment_bytes <= 64 && std::has_single_bit(config.start_alignment_bytes);
}

// Whether the generation frames packets with tokens in 130-bit blocks, else with 10-bit symbols.
[[nodiscard]] constexpr bool uses_128b130b(unsigned generation) { return generation >= 3; }

// Time of one byte on a link of one lane, coding included. Gen1: 10 bits at 2.5 GT/s are 4 ns.
// Gen3: 130 bits at 8 GT/s carry 16 bytes, so a byte takes 1015.625 ps. Each further generation
// halves it (PCIe r6.0, sec 4.2.1, 4.2.2).
[[nodiscard]] constexpr LineTime lane_byte_time(unsigned generation) {
  constexpr std::uint64_t kGen1 = 4000 * LineTime::kTicksPerPicosecond;
  constexpr std::uint64_t kGen3 =
      std::uint64_t{125} * spec::kBlockBits * LineTime::kTicksPerPicosecond / spec::kBlockSymbols;
  return LineTime(uses_128b130b(generation) ? kGen3 >> (generation - 3)
                                            : kGen1 >> (generation - 1));
}

// The specification's Symbol Time: 10 unit intervals with 8b/10b and 8 with 128b/130b, where the
// sync header does not count (PCIe r6.0, terms). Timer limits are given in it.
[[nodiscard]] constexpr LineTime symbol_time(unsigned generation) {
  return LineTime((4000 * LineTime::kTicksPerPicosecond) >> (generation - 1));
}

// What the data link and physical layers add to a TLP: STP, sequence number, LCRC, END with
// 8b/10b; the STP token, which carries the sequence number, and LCRC with 128b/130b.
[[nodiscard]] constexpr unsigned tlp_framing_bytes(unsigned generation) {
  return uses_128b130b(generation) ? spec::kStpTokenBytes + spec::kLcrcBytes
                                   : spec::kStpSymbolBytes + spec::kSequenceNumberBytes +
                                         spec::kLcrcBytes + spec::kEndSymbolBytes;
}

// A DLLP with its framing: SDP and END, or the SDP token.
[[nodiscard]] constexpr unsigned dllp_wire_bytes(unsigned generation) {
  return spec::kDllpBytes + (uses_128b130b(generation)
                                 ? spec::kSdpTokenBytes
                                 : spec::kSdpSymbolBytes + spec::kEndSymbolBytes);
}

// Wire arithmetic of one direction of a link, computed once and kept by its transmitter.
class LinkTiming {
 public:
  // Requires is_valid(config).
  constexpr explicit LinkTiming(const LinkConfig& config)
      : config_(config),
        ticks_per_byte_(
            static_cast<std::uint32_t>(lane_byte_time(config.generation).ticks() / config.width)),
        alignment_mask_(static_cast<std::uint16_t>(config.start_alignment_bytes - 1)),
        framing_bytes_(static_cast<std::uint8_t>(pcie::tlp_framing_bytes(config.generation))),
        dllp_bytes_(static_cast<std::uint8_t>(pcie::dllp_wire_bytes(config.generation))) {
    assert(is_valid(config));
  }

  [[nodiscard]] constexpr const LinkConfig& config() const { return config_; }
  [[nodiscard]] constexpr std::uint32_t ticks_per_byte() const { return ticks_per_byte_; }

  [[nodiscard]] constexpr LineTime time_of(std::uint64_t wire_bytes) const {
    return LineTime(wire_bytes * ticks_per_byte_);
  }

  // Bytes of line time that a TLP takes, up to where the next one may start. header_bytes is 12 or
  // 16 plus 4 for each prefix; the payload is padded to a whole DW.
  [[nodiscard]] constexpr std::uint32_t tlp_wire_bytes(unsigned header_bytes,
                                                       unsigned payload_bytes, bool digest) const {
    const unsigned bytes = framing_bytes_ + header_bytes + ((payload_bytes + 3U) & ~3U) +
                           (digest ? spec::kDigestBytes : 0U);
    const std::uint32_t mask = alignment_mask_;
    return (bytes + mask) & ~mask;
  }
  [[nodiscard]] constexpr LineTime tlp_time(unsigned header_bytes, unsigned payload_bytes,
                                            bool digest) const {
    return time_of(tlp_wire_bytes(header_bytes, payload_bytes, digest));
  }

  [[nodiscard]] constexpr std::uint32_t dllp_wire_bytes() const { return dllp_bytes_; }
  [[nodiscard]] constexpr LineTime dllp_time() const { return time_of(dllp_bytes_); }

  // Longest interval between two SKP ordered sets, start to start (PCIe r6.0, sec 4.2.8.4). The
  // longest, because a transmitter loses the least bandwidth with it.
  [[nodiscard]] constexpr LineTime skp_interval() const {
    return time_of(std::uint64_t{uses_128b130b(config_.generation)
                                     ? spec::kSkpMaxIntervalBlocks * spec::kBlockSymbols
                                     : spec::kSkpMaxIntervalSymbols} *
                   config_.width);
  }
  // What one SKP ordered set takes from the data stream: its symbols on every lane and, with
  // 128b/130b, the EDS token before it.
  [[nodiscard]] constexpr std::uint32_t skp_wire_bytes() const {
    return uses_128b130b(config_.generation)
               ? spec::kSkpBlockSymbols * config_.width + spec::kEdsTokenBytes
               : spec::kSkpSymbols8b10b * config_.width;
  }
  [[nodiscard]] constexpr LineTime skp_time() const { return time_of(skp_wire_bytes()); }

 private:
  LinkConfig config_;
  // Small, since every transmitter keeps one in a line that it reads for each TLP.
  std::uint32_t ticks_per_byte_;
  std::uint16_t alignment_mask_;
  std::uint8_t framing_bytes_;
  std::uint8_t dllp_bytes_;
};

// Bytes per second that a link carries after coding, framing still included; rounded down.
[[nodiscard]] constexpr Bandwidth encoded_line_rate(unsigned generation, unsigned width) {
  constexpr std::uint64_t kTicksPerSecond = 1'000'000'000'000U * LineTime::kTicksPerPicosecond;
  return Bandwidth(kTicksPerSecond * width / lane_byte_time(generation).ticks());
}

// Hard ceiling of payload bandwidth in one direction: the encoded line rate times
// payload / (payload + overhead), with the specification's finest start alignment and no DLLP or
// ordered set at all. Nothing a link does may exceed it. Rounded up, so that the bound holds.
[[nodiscard]] constexpr Bandwidth payload_ceiling(unsigned generation, unsigned width,
                                                  unsigned header_bytes, unsigned payload_bytes,
                                                  bool digest = false) {
  const LinkTiming timing(LinkConfig{generation, width, spec::kMinStartAlignmentBytes});
  const unsigned __int128 ticks = timing.tlp_time(header_bytes, payload_bytes, digest).ticks();
  const auto scaled = static_cast<unsigned __int128>(payload_bytes) * 1'000'000'000'000U *
                      LineTime::kTicksPerPicosecond;
  return Bandwidth(static_cast<std::uint64_t>((scaled + ticks - 1) / ticks));
}

}  // namespace peerfab::pcie
