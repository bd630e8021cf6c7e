// SPDX-License-Identifier: Apache-2.0
// Constants of the PCI Express Base Specification. Only what the specification fixes: numbers of
// products live in presets. Each constant cites where it stands; section numbers are those of
// PCIe r6.0 unless a line says otherwise.
#pragma once

#include <cstdint>

namespace peerfab::pcie::spec {

// --- Units -------------------------------------------------------------------------------------
inline constexpr unsigned kDwBytes = 4;  // sec 1.2 (DW)

// --- Transaction layer: sizes on the wire (sec 2.2.1, 2.2.3) -----------------------------------
inline constexpr unsigned kHeader3DwBytes = 12;
inline constexpr unsigned kHeader4DwBytes = 16;
inline constexpr unsigned kDigestBytes = 4;         // ECRC, sec 2.7.1
inline constexpr unsigned kPrefixBytes = 4;         // one TLP prefix, sec 2.2.10
inline constexpr unsigned kMaxPayloadDw = 1024;     // Length 0 means 1024 DW, sec 2.2.2
inline constexpr unsigned kMaxPayloadBytes = 4096;  // sec 2.2.2
// Neither a memory request nor its data crosses a naturally aligned 4 KiB boundary, sec 2.2.7.
inline constexpr unsigned kAddressBoundaryBytes = 4096;

// Max_Payload_Size and Max_Read_Request_Size are powers of two, sec 7.5.3.4.
inline constexpr unsigned kMinMaxPayloadSize = 128;
inline constexpr unsigned kMaxMaxPayloadSize = 4096;
inline constexpr unsigned kMinMaxReadRequestSize = 128;
inline constexpr unsigned kMaxMaxReadRequestSize = 4096;

// Read Completion Boundary: 64 or 128 B at a root complex, 128 B elsewhere; sec 2.3.1.1, 7.5.3.7.
inline constexpr unsigned kRcbSmallBytes = 64;
inline constexpr unsigned kRcbLargeBytes = 128;

// --- Data link layer: sizes on the wire --------------------------------------------------------
inline constexpr unsigned kSequenceNumberBytes = 2;  // 4 reserved bits and 12 bits, sec 3.6.2.1
inline constexpr unsigned kLcrcBytes = 4;            // sec 3.6.2.1
inline constexpr unsigned kDllpBytes = 6;            // 4 bytes and a 16-bit CRC, sec 3.5.1

// --- Physical layer, 8b/10b (2.5 and 5.0 GT/s), sec 4.2.1 --------------------------------------
inline constexpr unsigned kStpSymbolBytes = 1;
inline constexpr unsigned kSdpSymbolBytes = 1;
inline constexpr unsigned kEndSymbolBytes = 1;
inline constexpr unsigned kSkpSymbols8b10b = 4;  // COM and three SKP on every lane, sec 4.2.8.1
// An SKP ordered set is scheduled every 1180 to 1538 symbol times, sec 4.2.8.4.
inline constexpr unsigned kSkpMinIntervalSymbols = 1180;
inline constexpr unsigned kSkpMaxIntervalSymbols = 1538;

// --- Physical layer, 128b/130b (8.0, 16.0 and 32.0 GT/s), sec 4.2.2 ----------------------------
inline constexpr unsigned kStpTokenBytes = 4;  // carries the sequence number, sec 4.2.2.3.1
inline constexpr unsigned kSdpTokenBytes = 2;
inline constexpr unsigned kEdbTokenBytes = 4;     // follows a nullified TLP
inline constexpr unsigned kEdsTokenBytes = 4;     // ends the data stream before an ordered set
inline constexpr unsigned kBlockSymbols = 16;     // payload of one block on one lane
inline constexpr unsigned kBlockBits = 130;       // with the two bits of sync header
inline constexpr unsigned kSkpBlockSymbols = 16;  // as sent: one block on every lane
// An SKP ordered set is scheduled every 370 to 375 blocks, sec 4.2.8.4.
inline constexpr unsigned kSkpMinIntervalBlocks = 370;
inline constexpr unsigned kSkpMaxIntervalBlocks = 375;

// A TLP or DLLP starts on a lane whose number is a multiple of four (sec 4.2.1.2, 4.2.2.3.2), and
// every one is a whole number of DW long, so 4 B is the finest start alignment of any link.
inline constexpr unsigned kMinStartAlignmentBytes = 4;

// --- Flow control (sec 2.6.1) ------------------------------------------------------------------
inline constexpr unsigned kCreditUnitBytes = 16;  // one data credit is 4 DW
// What one header credit stands for: the largest header of the class and a digest.
inline constexpr unsigned kRequestHeaderCreditBytes = kHeader4DwBytes + kDigestBytes;
inline constexpr unsigned kCompletionHeaderCreditBytes = kHeader3DwBytes + kDigestBytes;
// Most unused credits a receiver may have outstanding without Scaled Flow Control.
inline constexpr unsigned kMaxHeaderCredits = 127;
inline constexpr unsigned kMaxDataCredits = 2047;
inline constexpr unsigned kHeaderCreditFieldBits = 8;
inline constexpr unsigned kDataCreditFieldBits = 12;
// An advertisement of zero at initialisation means that the credit type is infinite, sec 3.4.1.
inline constexpr unsigned kInfiniteCredits = 0;
// UpdateFC of each finite type is due at least this often in L0 (-0 %, +50 %).
inline constexpr std::uint64_t kUpdateFcTimeoutNs = 30'000;

// --- Tags (sec 2.2.6.2) ------------------------------------------------------------------------
inline constexpr unsigned kTags5Bit = 32;
inline constexpr unsigned kTags8Bit = 256;
// A 10-bit tag with its two top bits zero is invalid, so that a completer which drops them is
// found out: 256 to 1023 remain.
inline constexpr unsigned kFirst10BitTag = 256;
inline constexpr unsigned kTags10Bit = 768;
// FLIT mode only. Likewise, a 14-bit tag has a bit above the tenth. Earlier revisions permit any
// with a bit above the eighth, and later ones recommend this range strongly (PCIe r6.3, Table
// 2-11).
inline constexpr unsigned kFirst14BitTag = 1024;
inline constexpr unsigned kTags14Bit = 15360;

// --- Completions -------------------------------------------------------------------------------
inline constexpr unsigned kLowerAddressBits = 7;  // sec 2.2.9.1

// --- Completion timeout, ranges of Device Control 2 (sec 7.5.3.16; mechanism in sec 2.8) --------
inline constexpr std::uint64_t kCompletionTimeoutRangeALowNs = 50'000;
inline constexpr std::uint64_t kCompletionTimeoutRangeAHighNs = 10'000'000;
inline constexpr std::uint64_t kCompletionTimeoutRangeBHighNs = 250'000'000;
inline constexpr std::uint64_t kCompletionTimeoutRangeCHighNs = 4'000'000'000;
inline constexpr std::uint64_t kCompletionTimeoutRangeDHighNs = 64'000'000'000;
inline constexpr std::uint64_t kCompletionTimeoutDefaultLowNs = 50'000;
inline constexpr std::uint64_t kCompletionTimeoutDefaultHighNs = 50'000'000;

// --- Acknowledgement (sec 3.6.2.1) -------------------------------------------------------------
inline constexpr unsigned kSequenceNumbers = 4096;  // 12 bits
// Simplified REPLAY_TIMER limits with Extended Synch clear, in symbol times; at 16.0 GT/s and above
// they are the only ones allowed.
inline constexpr unsigned kSimplifiedReplayMinSymbols = 24'000;
inline constexpr unsigned kSimplifiedReplayMaxSymbols = 31'000;
inline constexpr unsigned kSimplifiedReplayMinSymbolsExtendedSync = 80'000;
inline constexpr unsigned kSimplifiedReplayMaxSymbolsExtendedSync = 100'000;

// --- FLIT mode (sec 4.2.3) -----------------------------------------------------------------------
// Where the numbers come from is said in docs/flit-mode.md. Sections are those of PCIe r6.3.
inline constexpr unsigned kFlitBytes = 256;
inline constexpr unsigned kFlitTlpBytes = 236;
inline constexpr unsigned kFlitDlpBytes = 6;
inline constexpr unsigned kFlitCrcBytes = 8;
inline constexpr unsigned kFlitEccBytes = 6;
static_assert(kFlitTlpBytes + kFlitDlpBytes + kFlitCrcBytes + kFlitEccBytes == kFlitBytes);
inline constexpr unsigned kFlitDlpOffset = kFlitTlpBytes;
inline constexpr unsigned kFlitCrcOffset = kFlitDlpOffset + kFlitDlpBytes;
inline constexpr unsigned kFlitEccOffset = kFlitCrcOffset + kFlitCrcBytes;

// TLPs in bytes 0 to 127 of a flit, and in the rest, parts of TLPs included (sec 4.2.3.4.1).
inline constexpr unsigned kFlitHalfBytes = 128;
inline constexpr unsigned kMaxTlpsPerFlitHalf = 8;
// NOP TLPs, once begun, go on to the next 4 DW boundary or to the end of the flit.
inline constexpr unsigned kNopAlignmentBytes = 16;

// Three codes, byte by byte in turn, each of which corrects one byte (sec 4.2.3.4.2.4).
inline constexpr unsigned kEccGroups = 3;
inline constexpr unsigned kEccInformationBytes = 84;  // of the longest group; others end in a zero
// x^8 + x^4 + x^3 + x^2 + 1, without the x^8.
inline constexpr unsigned kEccFieldPolynomial = 0x1d;
// The field of the CRC: x^8 + x^5 + x^3 + x + 1 (sec 4.2.3.4.2.3).
inline constexpr unsigned kFlitCrcFieldPolynomial = 0x2b;

// 10 bits, of which 0 belongs to IDLE flits: 1 to 1023 count payload flits (sec 4.2.3.4.2.1).
inline constexpr unsigned kFlitSequenceNumbers = 1023;
inline constexpr unsigned kMaxUnacknowledgedFlits = 511;
inline constexpr unsigned kFlitReplayTimeoutFlits = 1500;
inline constexpr unsigned kMinConsecutiveNaks = 3;
inline constexpr unsigned kConsecutiveExplicitFlits = 3;
// Of FLIT_REPLAY_NUM at 64.0 GT/s; with one more replay the link retrains (sec 4.2.3.4.2.1.7).
inline constexpr unsigned kMaxFlitReplays = 7;
// From the first bit of a flit to the first bit of its Ack or Nak: 50, 52, 56, 64 and 80 ns for x16
// down to x1, which is this and the time of one flit (sec 4.2.3.4.2.1).
inline constexpr unsigned kFlitAckLatencyNs = 48;

// 1b/1b (64.0 GT/s): an SKP ordered set is 40 symbols on every lane and follows this many flits
// with a common clock (sec 4.2.3.1.5, Table 4-30).
inline constexpr unsigned kSkpSymbols1b1b = 40;
inline constexpr unsigned kSkpIntervalFlitsX16 = 748;  // halved with the width, rounded down

// Shared credits come in blocks, which hold one type and virtual channel each (sec 2.6.1).
inline constexpr unsigned kCreditBlock = 4;
inline constexpr unsigned kVirtualChannels = 8;
// Shared Flow Control Usage Limit is in eighths (sec 2.6.1.1).
inline constexpr unsigned kUsageLimitParts = 8;

}  // namespace peerfab::pcie::spec
