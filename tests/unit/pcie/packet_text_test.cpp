// SPDX-License-Identifier: Apache-2.0
#include "sim/pcie/packet_text.h"

#include "tests/support/catch.h"

namespace peerfab::pcie {

TEST_CASE("requests read as the specification calls them", "[text]") {
  TlpHeader header;
  header.kind = TlpKind::kMemoryWrite;
  header.requester = Bdf(3, 0, 1);
  header.tag = 0x5a;
  header.length_dw = 64;
  header.address = 0x3800'0000'1000;
  header.first_be = 0xf;
  header.last_be = 0xf;
  header.relaxed_ordering = true;
  CHECK(to_text(header) == "MWr 4DW 64 DW at 0x380000001000, 03:00.1 tag 0x05a, BE f/f, RO");
  header.kind = TlpKind::kMemoryRead;
  header.address = 0x1004;
  header.length_dw = 1;
  header.last_be = 0;
  header.relaxed_ordering = false;
  header.traffic_class = 2;
  header.no_snoop = true;
  header.id_based_ordering = true;
  header.address_type = 2;
  header.poisoned = true;
  header.has_digest = true;
  header.pasid = PasidPrefix{0x12345, true, true};
  CHECK(to_text(header) ==
        "MRd 3DW 1 DW at 0x1004, 03:00.1 tag 0x05a, BE f/0, TC2, IDO, NS, AT translated, poisoned, "
        "ECRC, PASID 0x12345 execute privileged");
  TlpHeader config;
  config.kind = TlpKind::kConfigRead1;
  config.length_dw = 1;
  config.destination = Bdf(5, 0, 0);
  config.register_address = 0x10c;
  config.first_be = 0xf;
  CHECK(to_text(config) == "CfgRd1 of 05:00.0 register 0x10c, 00:00.0 tag 0x000, BE f/0");
}

TEST_CASE("completions and messages read as the specification calls them", "[text]") {
  TlpHeader completion;
  completion.kind = TlpKind::kCompletionData;
  completion.requester = Bdf(3, 0, 0);
  completion.completer = Bdf(4, 2, 0);
  completion.tag = 0x123;
  completion.length_dw = 32;
  completion.byte_count = 512;
  completion.lower_address = 0x40;
  CHECK(to_text(completion) ==
        "CplD SC 32 DW from 04:02.0 for 03:00.0 tag 0x123, byte count 512, lower address 0x40");
  completion.kind = TlpKind::kCompletion;
  completion.status = 1;
  completion.length_dw = 0;
  completion.byte_count = 4;
  completion.lower_address = 0;
  CHECK(to_text(completion) ==
        "Cpl UR without data from 04:02.0 for 03:00.0 tag 0x123, byte count 4, lower address 0x00");
  TlpHeader message;
  message.kind = TlpKind::kMessage;
  message.message_code = 0x33;
  message.requester = Bdf(3, 0, 0);
  CHECK(to_text(message) == "Msg ERR_FATAL to the root complex, 03:00.0 tag 0x000");
  message.message_code = 0x99;
  message.routing = MessageRouting::kLocal;
  CHECK(to_text(message) == "Msg message 0x99 local, 03:00.0 tag 0x000");
}

TEST_CASE("DLLPs read as the specification calls them", "[text]") {
  Dllp dllp;
  dllp.kind = DllpKind::kAck;
  dllp.sequence_number = 4095;
  CHECK(to_text(dllp) == "Ack 4095");
  dllp = {};
  dllp.kind = DllpKind::kUpdateFc;
  dllp.flow_class = FlowClass::kCompletion;
  dllp.header_credits = 12;
  dllp.data_credits = 300;
  dllp.data_scale = CreditScale::k4;
  CHECK(to_text(dllp) == "UpdateFC-Cpl VC0 header 12 data 300x4");
  dllp = {};
  dllp.kind = DllpKind::kDataLinkFeature;
  dllp.features = 1;
  dllp.feature_ack = true;
  CHECK(to_text(dllp) == "Data Link Feature 0x1 acknowledged");
  dllp = {};
  CHECK(to_text(dllp) == "NOP 0x000000");
}

}  // namespace peerfab::pcie
