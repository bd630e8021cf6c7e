// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/packet.h"

#include "sim/pcie/spec.h"
#include "sim/pcie/splitting.h"

namespace peerfab::engine {

namespace {

constexpr std::uint64_t kDwMask = ~std::uint64_t{pcie::spec::kDwBytes - 1};

void set_completion(pcie::TlpHeader& header, const Tlp& tlp) {
  header.completer = tlp.completer();
  header.status = static_cast<std::uint8_t>(tlp.status());
  header.byte_count = tlp.byte_count;
  header.lower_address = tlp.lower_address();
  header.length_dw = static_cast<std::uint16_t>(tlp.payload_dw_bytes() / pcie::spec::kDwBytes);
}

void set_request(pcie::TlpHeader& header, const Tlp& tlp) {
  const pcie::RequestPiece piece = tlp.length == 0
                                       ? pcie::zero_length_read(BusAddress(tlp.address))
                                       : pcie::make_request(BusAddress(tlp.address), tlp.length);
  header.address = tlp.address & kDwMask;
  header.length_dw = piece.length_dw;
  header.first_be = piece.first_be;
  header.last_be = piece.last_be;
}

}  // namespace

pcie::TlpHeader header_of(const Tlp& tlp) {
  pcie::TlpHeader header;
  header.kind = tlp.kind;
  header.no_snoop = (tlp.attributes & Tlp::kNoSnoop) != 0;
  header.relaxed_ordering = tlp.relaxed_ordering();
  header.id_based_ordering = (tlp.attributes & Tlp::kIdOrdering) != 0;
  header.has_digest = tlp.has_digest();
  header.poisoned = (tlp.flags & Tlp::kPoisoned) != 0;
  header.requester = Bdf(tlp.requester);
  header.tag = pcie::is_posted(tlp.kind) ? std::uint16_t{0} : tlp.tag;
  if (pcie::is_completion(tlp.kind)) {
    set_completion(header, tlp);
  } else {
    set_request(header, tlp);
  }
  return header;
}

pcie::OrderingFields ordering_fields_of(const Tlp& tlp) {
  pcie::OrderingFields fields;
  fields.ordering = pcie::ordering_class(tlp.kind);
  fields.relaxed = tlp.relaxed_ordering();
  fields.id_based = (tlp.attributes & Tlp::kIdOrdering) != 0;
  fields.source = pcie::is_completion(tlp.kind) ? tlp.completer() : Bdf(tlp.requester);
  fields.requester = Bdf(tlp.requester);
  fields.tag = Tag(tlp.tag);
  return fields;
}

}  // namespace peerfab::engine
