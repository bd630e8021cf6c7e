// SPDX-License-Identifier: Apache-2.0
// How long things take on a link's wire, exactly.
//
// Contract: Gen1 to Gen6, widths 1, 2, 4, 8 and 16. Line time is counted in ticks of 1/512 ps, in
// which the time of one byte on every such link is a whole number, so nothing is rounded until a
// time leaves the link (to_picoseconds_ceil). Everything here is pure and constexpr.
//
// Gen6 is FLIT mode: of every 256 B on the wire 236 carry TLPs, and DLLPs ride in 6 others for
// nothing. The unit of account there is the TLP byte, which costs the time of 256/236 B. That is no
// whole number of ticks and is rounded up, by less than 4 parts in a million, so that a link is
// never faster than its payload_ceiling().
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
  unsigned generation = 5;  // 1 to 6; 6 is FLIT mode
  unsigned width = 16;      // 1, 2, 4, 8 or 16 lanes
  // Boundary on which the transmitter starts TLPs: a power of two, 4 to 64 B. The specification
  // allows 4 B; data paths of wide ports often start a TLP on 16 B only.
  unsigned start_alignment_bytes = spec::kMinStartAlignmentBytes;

  constexpr bool operator==(const LinkConfig&) const = default;
};

[[nodiscard]] constexpr bool is_valid(const LinkConfig& config) {
  return config.generation >= 1 && config.generation <= 6 && config.width >= 1 &&
         config.width <= 16 && std::has_single_bit(config.width) &&
         config.start_alignment_bytes >= spec::kMinStartAlignmentBytes &&
         config.start_alignment_bytes <= 64 && std::has_single_bit(config.start_alignment_bytes);
}

// Whether the generation frames packets with tokens in 130-bit blocks, else with 10-bit symbols.
[[nodiscard]] constexpr bool uses_128b130b(unsigned generation) {
  return generation >= 3 && generation <= 5;
}

// Whether TLPs and DLLPs travel in flits of 256 B. At 64.0 GT/s they must; the specification lets
// slower links do so too, which no model here asks for (PCIe r6.3, sec 4.2.3).
[[nodiscard]] constexpr bool uses_flits(unsigned generation) { return generation >= 6; }

// Time of one byte on a link of one lane, coding included. Gen1: 10 bits at 2.5 GT/s are 4 ns.
// Gen3: 130 bits at 8 GT/s carry 16 bytes, so a byte takes 1015.625 ps. Each further generation
// halves it (PCIe r6.0, sec 4.2.1, 4.2.2). Gen6 has no coding: 8 bits at 64 GT/s are 125 ps (sec
// 4.2.3.1).
[[nodiscard]] constexpr LineTime lane_byte_time(unsigned generation) {
  constexpr std::uint64_t kGen1 = 4000 * LineTime::kTicksPerPicosecond;
  constexpr std::uint64_t kGen3 =
      std::uint64_t{125} * spec::kBlockBits * LineTime::kTicksPerPicosecond / spec::kBlockSymbols;
  constexpr std::uint64_t kGen6 = 125 * LineTime::kTicksPerPicosecond;
  return LineTime(uses_flits(generation)      ? kGen6
                  : uses_128b130b(generation) ? kGen3 >> (generation - 3)
                                              : kGen1 >> (generation - 1));
}

// The specification's Symbol Time: 10 unit intervals with 8b/10b and 8 with 128b/130b, where the
// sync header does not count (PCIe r6.0, terms). With PAM4 a unit interval carries two bits and a
// symbol takes 4. Timer limits are given in it.
[[nodiscard]] constexpr LineTime symbol_time(unsigned generation) {
  return LineTime((4000 * LineTime::kTicksPerPicosecond) >> (generation - 1));
}

// What the data link and physical layers add to a TLP: STP, sequence number, LCRC, END with
// 8b/10b; the STP token, which carries the sequence number, and LCRC with 128b/130b; nothing in a
// flit, whose places are fixed.
[[nodiscard]] constexpr unsigned tlp_framing_bytes(unsigned generation) {
  if (uses_flits(generation)) return 0;
  return uses_128b130b(generation) ? spec::kStpTokenBytes + spec::kLcrcBytes
                                   : spec::kStpSymbolBytes + spec::kSequenceNumberBytes +
                                         spec::kLcrcBytes + spec::kEndSymbolBytes;
}

// A DLLP with its framing: SDP and END, or the SDP token. Every flit has room for one, and for an
// Ack or Nak besides.
[[nodiscard]] constexpr unsigned dllp_wire_bytes(unsigned generation) {
  if (uses_flits(generation)) return 0;
  return spec::kDllpBytes + (uses_128b130b(generation)
                                 ? spec::kSdpTokenBytes
                                 : spec::kSdpSymbolBytes + spec::kEndSymbolBytes);
}

// Ticks of what is counted on the wire: a byte, or in FLIT mode a TLP byte with its share of the
// flit, rounded up.
[[nodiscard]] constexpr std::uint32_t ticks_per_wire_byte(const LinkConfig& config) {
  const std::uint64_t lane_ticks = lane_byte_time(config.generation).ticks();
  if (!uses_flits(config.generation)) return static_cast<std::uint32_t>(lane_ticks / config.width);
  const std::uint64_t divisor = std::uint64_t{config.width} * spec::kFlitTlpBytes;
  return static_cast<std::uint32_t>((lane_ticks * spec::kFlitBytes + divisor - 1) / divisor);
}

// Wire arithmetic of one direction of a link, computed once and kept by its transmitter.
class LinkTiming {
 public:
  // Requires is_valid(config).
  constexpr explicit LinkTiming(const LinkConfig& config)
      : config_(config),
        ticks_per_byte_(ticks_per_wire_byte(config)),
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
  // 16 plus 4 for each prefix; the payload is padded to a whole DW. In FLIT mode these are TLP
  // bytes: a TLP may start at any DW of them, in the flit in which the one before it ends.
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
  // longest, because a transmitter loses the least bandwidth with it. Fixed in FLIT mode (sec
  // 4.2.3.4.2.5).
  [[nodiscard]] constexpr LineTime skp_interval() const {
    if (uses_flits(config_.generation)) {
      return flit_time() * skp_interval_flits() +
             lane_byte_time(config_.generation) * spec::kSkpSymbols1b1b;
    }
    return time_of(std::uint64_t{uses_128b130b(config_.generation)
                                     ? spec::kSkpMaxIntervalBlocks * spec::kBlockSymbols
                                     : spec::kSkpMaxIntervalSymbols} *
                   config_.width);
  }
  // What one SKP ordered set takes from the data stream: its symbols on every lane and, with
  // 128b/130b, the EDS token before it; in FLIT mode the TLP bytes that would have had its time,
  // rounded up.
  [[nodiscard]] constexpr std::uint32_t skp_wire_bytes() const {
    if (uses_flits(config_.generation)) {
      return (spec::kSkpSymbols1b1b * config_.width * spec::kFlitTlpBytes + spec::kFlitBytes - 1) /
             spec::kFlitBytes;
    }
    return uses_128b130b(config_.generation)
               ? spec::kSkpBlockSymbols * config_.width + spec::kEdsTokenBytes
               : spec::kSkpSymbols8b10b * config_.width;
  }
  [[nodiscard]] constexpr LineTime skp_time() const { return time_of(skp_wire_bytes()); }

  [[nodiscard]] constexpr bool flit_mode() const { return uses_flits(config_.generation); }
  // One flit on the wire: a whole number of picoseconds, 2 ns on x16 and 32 ns on x1. Requires FLIT
  // mode, as do the two below.
  [[nodiscard]] constexpr LineTime flit_time() const {
    return LineTime(lane_byte_time(config_.generation).ticks() * spec::kFlitBytes / config_.width);
  }
  // Flits between two SKP ordered sets.
  [[nodiscard]] constexpr unsigned skp_interval_flits() const {
    return spec::kSkpIntervalFlitsX16 * config_.width / 16;
  }
  // When a receiver has what ended on the wire at `end`. In FLIT mode that is the end of the flit:
  // its CRC covers all of it, and a transmitter without more to send fills it with NOP TLPs. Flits
  // follow each other without a gap from the start of the link on. That a SKP ordered set shifts
  // them, by 40 symbols, is left out: it moves a single arrival by less than a flit, and none on
  // average. For a cut-through receiver `end` is the end of the first bytes that it needs.
  [[nodiscard]] constexpr Picoseconds received(Picoseconds end) const {
    if (!flit_mode()) return end;
    const std::uint64_t flit = flit_time().to_picoseconds_floor().count();
    return Picoseconds((end.count() + flit - 1) / flit * flit);
  }

 private:
  LinkConfig config_;
  // Small, since every transmitter keeps one in a line that it reads for each TLP.
  std::uint32_t ticks_per_byte_;
  std::uint16_t alignment_mask_;
  std::uint8_t framing_bytes_;
  std::uint8_t dllp_bytes_;
};

// Bytes per second that a link carries after coding, framing or the rest of the flits still
// included; rounded down.
[[nodiscard]] constexpr Bandwidth encoded_line_rate(unsigned generation, unsigned width) {
  constexpr std::uint64_t kTicksPerSecond = 1'000'000'000'000U * LineTime::kTicksPerPicosecond;
  return Bandwidth(kTicksPerSecond * width / lane_byte_time(generation).ticks());
}

// Hard ceiling of payload bandwidth in one direction: the encoded line rate times
// payload / (payload + overhead), in FLIT mode times 236/256 besides, with the specification's
// finest start alignment and no DLLP or ordered set at all. Nothing a link does may exceed it.
// Rounded up, so that the bound holds.
[[nodiscard]] constexpr Bandwidth payload_ceiling(unsigned generation, unsigned width,
                                                  unsigned header_bytes, unsigned payload_bytes,
                                                  bool digest = false) {
  const LinkTiming timing(LinkConfig{generation, width, spec::kMinStartAlignmentBytes});
  // Over the ticks of one lane's byte, so that the share of TLP bytes in a flit stays exact.
  const std::uint64_t lane_bytes =
      std::uint64_t{timing.tlp_wire_bytes(header_bytes, payload_bytes, digest)} *
      (uses_flits(generation) ? spec::kFlitBytes : 1);
  const unsigned __int128 ticks =
      static_cast<unsigned __int128>(lane_byte_time(generation).ticks()) * lane_bytes;
  const auto scaled = static_cast<unsigned __int128>(payload_bytes) * 1'000'000'000'000U *
                      LineTime::kTicksPerPicosecond * width *
                      (uses_flits(generation) ? spec::kFlitTlpBytes : 1);
  return Bandwidth(static_cast<std::uint64_t>((scaled + ticks - 1) / ticks));
}

}  // namespace peerfab::pcie
