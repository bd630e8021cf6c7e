// SPDX-License-Identifier: Apache-2.0
#include "sim/pcie/flit.h"

#include <algorithm>
#include <cassert>

#include "sim/pcie/flit_code.h"

namespace peerfab::pcie {
namespace {

// DLP 0 (Table 4-17): usage in bits 7:6, then two flags, the command, and two bits of the number.
constexpr unsigned kUsageShift = 6;
constexpr unsigned kUsagePayload = 1;
constexpr unsigned kPriorWasPayload = 1U << 5;
constexpr unsigned kOptimizedOrMarker = 1U << 4;
constexpr unsigned kCommandShift = 2;
// The other kind of content (Tables 4-18 and 4-19).
constexpr std::uint32_t kMarkerIndicator = 1U << 31;
constexpr unsigned kVirtualChannelShift = 28;
constexpr unsigned kNonPostedHeadersShift = 20;
constexpr unsigned kPostedHeadersShift = 12;
constexpr unsigned kStatusShift = 29;
constexpr unsigned kReservedStatus = 3;
constexpr std::uint32_t kPtmMessage = 1U << 28;

constexpr std::size_t kContentOffset = spec::kFlitDlpOffset + 2;

void put_word(FlitBytes& bytes, std::uint32_t word) {
  for (unsigned i = 0; i < 4; ++i) {
    bytes[kContentOffset + i] = static_cast<std::byte>(word >> (24 - 8 * i));
  }
}
std::uint32_t word_of(const FlitBytes& bytes) {
  std::uint32_t word = 0;
  for (unsigned i = 0; i < 4; ++i) {
    word = word << 8 | std::to_integer<std::uint32_t>(bytes[kContentOffset + i]);
  }
  return word;
}

void put_content(FlitBytes& bytes, const DlpContent& content) {
  if (const auto* dllp = std::get_if<DlpDllp>(&content)) {
    std::ranges::copy(dllp->bytes, bytes.begin() + kContentOffset);
  } else if (const auto* update = std::get_if<OptimizedUpdateFc>(&content)) {
    assert(update->virtual_channel < spec::kVirtualChannels && update->posted_data <= 0xfff);
    put_word(bytes, std::uint32_t{update->virtual_channel} << kVirtualChannelShift |
                        std::uint32_t{update->non_posted_headers} << kNonPostedHeadersShift |
                        std::uint32_t{update->posted_headers} << kPostedHeadersShift |
                        update->posted_data);
  } else {
    const auto& marker = std::get<FlitMarker>(content);
    put_word(bytes, kMarkerIndicator | static_cast<std::uint32_t>(marker.status) << kStatusShift |
                        (marker.ends_ptm_message ? kPtmMessage : 0));
  }
}

// False: a reserved encoding.
bool read_content(const FlitBytes& bytes, bool optimized_or_marker, DlpContent& content) {
  if (!optimized_or_marker) {
    DlpDllp dllp;
    std::copy_n(bytes.begin() + kContentOffset, dllp.bytes.size(), dllp.bytes.begin());
    content = dllp;
    return true;
  }
  const std::uint32_t word = word_of(bytes);
  if ((word & kMarkerIndicator) == 0) {
    content = OptimizedUpdateFc{static_cast<std::uint8_t>(word >> kVirtualChannelShift & 7U),
                                static_cast<std::uint8_t>(word >> kNonPostedHeadersShift),
                                static_cast<std::uint8_t>(word >> kPostedHeadersShift),
                                static_cast<std::uint16_t>(word & 0xfffU)};
    return true;
  }
  const unsigned status = word >> kStatusShift & 3U;
  content = FlitMarker{static_cast<FlitStatus>(status), (word & kPtmMessage) != 0};
  return status != kReservedStatus;
}

}  // namespace

FlitBytes pack(const Flit& flit) {
  assert(flit.sequence_number <= spec::kFlitSequenceNumbers);
  FlitBytes bytes{};
  std::ranges::copy(flit.tlp_bytes, bytes.begin());
  const bool is_dllp = std::holds_alternative<DlpDllp>(flit.content);
  bytes[spec::kFlitDlpOffset] = static_cast<std::byte>(
      (flit.is_payload ? kUsagePayload : 0U) << kUsageShift |
      (flit.prior_was_payload ? kPriorWasPayload : 0U) | (is_dllp ? 0U : kOptimizedOrMarker) |
      static_cast<unsigned>(flit.command) << kCommandShift | flit.sequence_number >> 8U);
  bytes[spec::kFlitDlpOffset + 1] = static_cast<std::byte>(flit.sequence_number & 0xffU);
  put_content(bytes, flit.content);
  add_flit_crc(bytes);
  add_flit_ecc(bytes);
  return bytes;
}

std::string_view describe(FlitError error) {
  switch (error) {
    case FlitError::kUncorrectable:
      return "more bytes are wrong than the ECC can correct";
    case FlitError::kBadCrc:
      return "the CRC is wrong";
    case FlitError::kReservedUsage:
      return "Flit Usage is reserved";
    case FlitError::kReservedStatus:
      return "Flit_Status is reserved";
  }
  return "";
}

ReceivedFlit unpack_flit(const FlitBytes& received) {
  ReceivedFlit result;
  FlitBytes bytes = received;
  const std::optional<unsigned> corrected = correct_flit(bytes);
  if (!corrected.has_value()) {
    result.error = FlitError::kUncorrectable;
    return result;
  }
  result.corrected_bytes = *corrected;
  if (!flit_crc_matches(bytes)) {
    result.error = FlitError::kBadCrc;
    return result;
  }
  const auto first = std::to_integer<unsigned>(bytes[spec::kFlitDlpOffset]);
  Flit& flit = result.flit;
  std::copy_n(bytes.begin(), flit.tlp_bytes.size(), flit.tlp_bytes.begin());
  flit.is_payload = first >> kUsageShift == kUsagePayload;
  flit.prior_was_payload = (first & kPriorWasPayload) != 0;
  flit.command = static_cast<ReplayCommand>(first >> kCommandShift & 3U);
  flit.sequence_number = static_cast<std::uint16_t>(
      (first & 3U) << 8U | std::to_integer<unsigned>(bytes[spec::kFlitDlpOffset + 1]));
  if (first >> kUsageShift > kUsagePayload) {
    result.error = FlitError::kReservedUsage;
  } else if (!read_content(bytes, (first & kOptimizedOrMarker) != 0, flit.content)) {
    result.error = FlitError::kReservedStatus;
  }
  return result;
}

}  // namespace peerfab::pcie
