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
inline constexpr unsigned kSequenceNumberBytes = 2;  // 4 reserved bits and 12 bits, sec 3.6.1
inline constexpr unsigned kLcrcBytes = 4;            // sec 3.6.1
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

}  // namespace peerfab::pcie::spec
