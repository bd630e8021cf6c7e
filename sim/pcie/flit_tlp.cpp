// SPDX-License-Identifier: Apache-2.0
#include "sim/pcie/flit_tlp.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace peerfab::pcie {
namespace {

// Header base and payload by Type[7:0], from Table 2-5: each row up to and including `last`. Every
// receiver decodes all of them, the reserved ones too, to find the next TLP.
struct TypeRow {
  std::uint8_t last;
  std::uint8_t header_dw;
  bool has_payload;
};
constexpr bool kPayload = true;
constexpr bool kNone = false;
constexpr TypeRow kTypes[] = {
    {0, 1, kNone},      {5, 3, kNone},      {7, 4, kPayload},   {15, 3, kNone},
    {21, 5, kPayload},  {23, 7, kPayload},  {25, 7, kNone},     {27, 7, kPayload},
    {29, 3, kNone},     {31, 6, kNone},     {45, 4, kNone},     {47, 5, kNone},
    {61, 4, kNone},     {63, 5, kNone},     {64, 3, kPayload},  {65, 6, kPayload},
    {66, 3, kPayload},  {67, 6, kPayload},  {78, 3, kPayload},  {79, 4, kNone},
    {85, 6, kPayload},  {87, 7, kPayload},  {89, 3, kPayload},  {90, 4, kPayload},
    {91, 3, kPayload},  {93, 4, kPayload},  {95, 5, kPayload},  {127, 4, kPayload},
    {143, 1, kNone},    {147, 4, kNone},    {151, 5, kNone},    {155, 6, kNone},
    {159, 7, kNone},    {167, 5, kNone},    {169, 6, kNone},    {171, 7, kNone},
    {173, 5, kNone},    {175, 6, kNone},    {191, 5, kPayload}, {199, 6, kNone},
    {201, 7, kNone},    {203, 5, kPayload}, {205, 6, kPayload}, {207, 7, kPayload},
    {223, 6, kPayload}, {225, 4, kNone},    {227, 6, kNone},    {229, 4, kPayload},
    {231, 6, kPayload}, {239, 7, kNone},    {241, 4, kPayload}, {243, 5, kPayload},
    {245, 6, kPayload}, {255, 7, kPayload},
};
constexpr std::uint8_t kFirstPrefixType = 0x80;
constexpr std::uint8_t kLastPrefixType = 0x8f;

const TypeRow& row_of(std::uint8_t type) {
  return *std::ranges::lower_bound(kTypes, type, {}, &TypeRow::last);
}

// OHC-A, B and C are a DW each; E is 1, 2 or 4.
unsigned header_content_dw(unsigned ohc) {
  constexpr unsigned kSingles = 7;
  constexpr unsigned kEDw[] = {0, 1, 2, 4};
  return static_cast<unsigned>(std::popcount(ohc & kSingles)) + kEDw[ohc >> 3U & 3U];
}
unsigned trailer_dw(unsigned trailer) {
  constexpr unsigned kDw[] = {0, 1, 1, 2, 2, 3, 4, 5};
  return kDw[trailer & 7U];
}

}  // namespace

std::array<std::byte, 4> pack(const FlitTlpWord& word) {
  assert(word.traffic_class <= 7 && word.header_content <= 31 && word.trailer <= 7 &&
         word.attributes <= 7 && word.length_dw <= spec::kMaxPayloadDw);
  const unsigned length = word.length_dw % spec::kMaxPayloadDw;
  return {static_cast<std::byte>(word.type),
          static_cast<std::byte>(word.traffic_class << 5 | word.header_content),
          static_cast<std::byte>(word.trailer << 5 | word.attributes << 2 | length >> 8),
          static_cast<std::byte>(length & 0xffU)};
}

FlitTlpWord unpack_flit_tlp_word(std::span<const std::byte, 4> bytes) {
  const auto at = [bytes](std::size_t i) { return std::to_integer<unsigned>(bytes[i]); };
  FlitTlpWord word;
  word.type = static_cast<std::uint8_t>(at(0));
  word.traffic_class = static_cast<std::uint8_t>(at(1) >> 5);
  word.header_content = static_cast<std::uint8_t>(at(1) & 31U);
  word.trailer = static_cast<std::uint8_t>(at(2) >> 5);
  word.attributes = static_cast<std::uint8_t>(at(2) >> 2 & 7U);
  const unsigned length = (at(2) & 3U) << 8 | at(3);
  word.length_dw = static_cast<std::uint16_t>(length == 0 ? spec::kMaxPayloadDw : length);
  return word;
}

bool is_local_prefix(const FlitTlpWord& word) {
  return word.type >= kFirstPrefixType && word.type <= kLastPrefixType;
}

unsigned header_base_dw(std::uint8_t type) { return row_of(type).header_dw; }

unsigned tlp_dw(const FlitTlpWord& word) {
  const TypeRow& row = row_of(word.type);
  if (row.header_dw == 1) return 1;  // a NOP or a prefix: its other fields mean nothing
  return row.header_dw + header_content_dw(word.header_content) +
         (row.has_payload ? word.length_dw : 0U) + trailer_dw(word.trailer);
}

}  // namespace peerfab::pcie
