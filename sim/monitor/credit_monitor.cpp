// SPDX-License-Identifier: Apache-2.0
#include "sim/monitor/credit_monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "sim/engine/packet.h"
#include "sim/pcie/packet_text.h"

namespace peerfab::monitor {

namespace {

constexpr const char* kClassNames[] = {"P", "NP", "Cpl"};

std::string packet(const engine::Tlp& tlp) { return pcie::to_text(engine::header_of(tlp)); }

std::string units_text(std::uint32_t headers, std::uint32_t data) {
  return fmt::format("{} header and {} data", headers, data);
}

}  // namespace

CreditMonitor::CreditMonitor(Pen pen, const engine::ReceiveBuffer& buffer, bool joined_late)
    : pen_(std::move(pen)) {
  for (unsigned i = 0; i < pcie::kFlowClassCount; ++i) {
    classes_[i].headers.buffer = buffer.classes[i].headers;
    classes_[i].data.buffer = buffer.classes[i].data;
  }
  restart();
  if (!joined_late) return;
  for (Class& flow : classes_) {
    for (Type* type : {&flow.headers, &flow.data}) {
      type->available.low = 0;
      type->held.high = type->buffer;
    }
  }
}

void CreditMonitor::restart() {
  stopped_ = false;
  for (Class& flow : classes_) {
    for (Type* type : {&flow.headers, &flow.data}) {
      type->available = {type->buffer, type->buffer};
      type->held = {0, 0};
    }
    while (!flow.returns.empty()) flow.returns.pop_front();
  }
}

// False: whatever the monitor does not know, they were not there.
bool CreditMonitor::take(Type& type, std::uint32_t units) {
  if (type.buffer == 0) return true;
  type.available.high -= units;
  type.available.low = std::max<std::int64_t>(type.available.low - units, 0);
  if (type.available.high >= 0) return true;
  type.available = {0, 0};
  return false;
}

void CreditMonitor::give_back(Type& type, std::uint32_t units) {
  if (type.buffer == 0) return;
  type.available.low = std::min(type.available.low + units, type.buffer);
  type.available.high = std::min(type.available.high + units, type.buffer);
}

// False: the receiver held less.
bool CreditMonitor::free(Type& type, std::uint32_t units) {
  if (type.buffer == 0) return true;
  type.held.high -= units;
  type.held.low = std::max<std::int64_t>(type.held.low - units, 0);
  if (type.held.high >= 0) return true;
  type.held = {0, 0};
  return false;
}

void CreditMonitor::arrive(Class& flow, Picoseconds now) {
  while (!flow.returns.empty() && flow.returns.front().effective <= now) {
    give_back(flow.headers, flow.returns.front().headers);
    give_back(flow.data, flow.returns.front().data);
    flow.returns.pop_front();
  }
}

void CreditMonitor::sent(const engine::Tlp& tlp, Picoseconds starts) {
  Class& flow = classes_[static_cast<unsigned>(tlp.flow_class)];
  arrive(flow, starts);
  pen_.checked();
  const std::uint32_t data = tlp.data_credits();
  const Type headers_before = flow.headers;
  const Type data_before = flow.data;
  const bool has_headers = take(flow.headers, 1);
  const bool has_data = take(flow.data, data);
  if (has_headers && has_data) return;
  const auto available = [](const Type& type) {
    return type.buffer == 0 ? std::string("infinite") : std::to_string(type.available.high);
  };
  pen_.violated(
      starts, packet(tlp),
      fmt::format("{} credits of class {}", units_text(1, data),
                  kClassNames[static_cast<unsigned>(tlp.flow_class)]),
      fmt::format("{} header and {} data left", available(headers_before), available(data_before)));
}

void CreditMonitor::received(const engine::Tlp& tlp, Picoseconds now) {
  Class& flow = classes_[static_cast<unsigned>(tlp.flow_class)];
  pen_.checked();
  const auto add = [](Type& type, std::uint32_t units) {
    if (type.buffer == 0) return true;
    type.held.low += units;
    type.held.high = std::min(type.held.high + units, type.buffer);
    if (type.held.low <= type.buffer) return true;
    type.held.low = type.buffer;
    return false;
  };
  const bool headers_fit = add(flow.headers, 1);
  const bool data_fits = add(flow.data, tlp.data_credits());
  if (headers_fit && data_fits) return;
  pen_.violated(now, packet(tlp),
                fmt::format("at most {} in the receive buffer",
                            units_text(static_cast<std::uint32_t>(flow.headers.buffer),
                                       static_cast<std::uint32_t>(flow.data.buffer))),
                "more: the receiver overflows");
}

void CreditMonitor::returned(pcie::FlowClass flow_class, std::uint32_t headers, std::uint32_t data,
                             Picoseconds freed, Picoseconds effective) {
  if (stopped_) return;
  Class& flow = classes_[static_cast<unsigned>(flow_class)];
  pen_.checked();
  const std::string update =
      std::string("UpdateFC-") + kClassNames[static_cast<unsigned>(flow_class)];
  const Bounds held_headers = flow.headers.held;
  const Bounds held_data = flow.data.held;
  const bool freed_headers = free(flow.headers, headers);
  const bool freed_data = free(flow.data, data);
  if (!freed_headers || !freed_data) {
    pen_.violated(freed, update,
                  fmt::format("at most {} credits back, which is what the receiver holds",
                              units_text(static_cast<std::uint32_t>(held_headers.high),
                                         static_cast<std::uint32_t>(held_data.high))),
                  units_text(headers, data));
  }
  if (effective < freed) {
    pen_.violated(freed, update, "no effect before the buffer is free",
                  fmt::format("an effect at {} ps", effective.count()));
  }
  // UpdateFCs carry running totals: one that arrives tells what one before it, which was lost or is
  // late, would have told.
  for (std::size_t i = 0; i < flow.returns.size(); ++i) {
    flow.returns[i].effective = std::min(flow.returns[i].effective, effective);
  }
  flow.returns.push_back({effective, headers, data});
}

}  // namespace peerfab::monitor
