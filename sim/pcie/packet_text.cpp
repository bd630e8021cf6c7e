// SPDX-License-Identifier: Apache-2.0
#include "sim/pcie/packet_text.h"

#include <fmt/format.h>

#include <string_view>

namespace peerfab::pcie {
namespace {

// Table 2-34 and sec 2.2.9.1.
std::string status_text(std::uint8_t status) {
  switch (status) {
    case 0:
      return "SC";
    case 1:
      return "UR";
    case 2:
      return "RRS";
    case 4:
      return "CA";
    default:
      return fmt::format("reserved status {}", status);
  }
}

std::string_view routing_text(MessageRouting routing) {
  switch (routing) {
    case MessageRouting::kToRootComplex:
      return "to the root complex";
    case MessageRouting::kByAddress:
      return "by address";
    case MessageRouting::kById:
      return "by ID";
    case MessageRouting::kBroadcastFromRootComplex:
      return "broadcast from the root complex";
    case MessageRouting::kLocal:
      return "local";
    case MessageRouting::kGatheredToRootComplex:
      return "gathered to the root complex";
  }
  return "by reserved routing";
}

// PCIe r6.0, sec 2.2.8, Tables 2-22 to 2-36.
std::string message_name(std::uint8_t code) {
  struct Name {
    std::uint8_t code;
    const char* name;
  };
  static constexpr Name kNames[] = {
      {0x01, "Invalidate Request"},
      {0x02, "Invalidate Completion"},
      {0x04, "Page Request"},
      {0x05, "PRG Response"},
      {0x10, "LTR"},
      {0x12, "OBFF"},
      {0x14, "PM_Active_State_Nak"},
      {0x18, "PM_PME"},
      {0x19, "PME_Turn_Off"},
      {0x1b, "PME_TO_Ack"},
      {0x20, "Assert_INTA"},
      {0x21, "Assert_INTB"},
      {0x22, "Assert_INTC"},
      {0x23, "Assert_INTD"},
      {0x24, "Deassert_INTA"},
      {0x25, "Deassert_INTB"},
      {0x26, "Deassert_INTC"},
      {0x27, "Deassert_INTD"},
      {0x30, "ERR_COR"},
      {0x31, "ERR_NONFATAL"},
      {0x33, "ERR_FATAL"},
      {0x50, "Set_Slot_Power_Limit"},
      {0x52, "PTM Request"},
      {0x53, "PTM Response"},
      {0x7e, "Vendor_Defined Type 0"},
      {0x7f, "Vendor_Defined Type 1"},
  };
  for (const Name& known : kNames) {
    if (known.code == code) return known.name;
  }
  return fmt::format("message {:#04x}", code);
}

std::string what(const TlpHeader& header) {
  const std::string_view name = traits(header.kind).name;
  if (is_completion(header.kind)) {
    return fmt::format(
        "{} {} {} from {} for {} tag {:#05x}, byte count {}, lower address {:#04x}", name,
        status_text(header.status),
        header.length_dw == 0 ? "without data" : fmt::format("{} DW", header.length_dw),
        to_text(header.completer), to_text(header.requester), header.tag, header.byte_count,
        header.lower_address);
  }
  const std::string from = fmt::format("{} tag {:#05x}", to_text(header.requester), header.tag);
  if (is_message(header.kind)) {
    return fmt::format("{} {} {}, {}", name, message_name(header.message_code),
                       routing_text(header.routing), from);
  }
  const std::string enables = fmt::format("BE {:x}/{:x}", header.first_be, header.last_be);
  if (is_config(header.kind)) {
    return fmt::format("{} of {} register {:#05x}, {}, {}", name, to_text(header.destination),
                       header.register_address, from, enables);
  }
  return fmt::format("{} {}DW {} DW at {:#x}, {}, {}", name,
                     has_4dw_header(header.kind, header.address) ? 4 : 3, header.length_dw,
                     header.address, from, enables);
}

}  // namespace

std::string to_text(Bdf bdf) {
  return fmt::format("{:02x}:{:02x}.{}", bdf.bus(), bdf.device(), bdf.function());
}

std::string to_text(const TlpHeader& header) {
  std::string text = what(header);
  if (header.traffic_class != 0) text += fmt::format(", TC{}", header.traffic_class);
  if (header.relaxed_ordering) text += ", RO";
  if (header.id_based_ordering) text += ", IDO";
  if (header.no_snoop) text += ", NS";
  if (header.address_type == 1) text += ", AT translation request";
  if (header.address_type == 2) text += ", AT translated";
  if (header.address_type == 3) text += ", AT reserved";
  if (header.has_processing_hints) text += fmt::format(", PH {}", header.processing_hint);
  if (header.lightweight_notification) text += ", LN";
  if (header.poisoned) text += ", poisoned";
  if (header.has_digest) text += ", ECRC";
  if (header.pasid.has_value()) {
    text += fmt::format(", PASID {:#x}{}{}", header.pasid->pasid,
                        header.pasid->execute_requested ? " execute" : "",
                        header.pasid->privileged_mode_requested ? " privileged" : "");
  }
  return text;
}

std::string to_text(const Dllp& dllp) {
  const auto scaled = [](unsigned credits, CreditScale scale) {
    return scale == CreditScale::kNone ? fmt::format("{}", credits)
                                       : fmt::format("{}x{}", credits, scale_factor(scale));
  };
  const auto flow_control = [&](std::string_view name) {
    static constexpr std::string_view kClasses[] = {"P", "NP", "Cpl"};
    return fmt::format("{}-{} VC{} header {} data {}", name,
                       kClasses[static_cast<unsigned>(dllp.flow_class)], dllp.virtual_channel,
                       scaled(dllp.header_credits, dllp.header_scale),
                       scaled(dllp.data_credits, dllp.data_scale));
  };
  switch (dllp.kind) {
    case DllpKind::kAck:
      return fmt::format("Ack {}", dllp.sequence_number);
    case DllpKind::kNak:
      return fmt::format("Nak {}", dllp.sequence_number);
    case DllpKind::kInitFc1:
      return flow_control("InitFC1");
    case DllpKind::kInitFc2:
      return flow_control("InitFC2");
    case DllpKind::kUpdateFc:
      return flow_control("UpdateFC");
    case DllpKind::kDataLinkFeature:
      return fmt::format("Data Link Feature {:#x}{}", dllp.features,
                         dllp.feature_ack ? " acknowledged" : "");
    case DllpKind::kPmEnterL1:
      return "PM_Enter_L1";
    case DllpKind::kPmEnterL23:
      return "PM_Enter_L23";
    case DllpKind::kPmActiveStateRequestL1:
      return "PM_Active_State_Request_L1";
    case DllpKind::kPmRequestAck:
      return "PM_Request_Ack";
    case DllpKind::kVendor:
      return fmt::format("vendor {:#08x}", dllp.content);
    case DllpKind::kNop:
      return fmt::format("NOP {:#08x}", dllp.content);
  }
  return "";
}

}  // namespace peerfab::pcie
