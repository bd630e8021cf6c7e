// SPDX-License-Identifier: Apache-2.0
#include "sim/monitor/sequence_monitor.h"

#include <fmt/format.h>

#include "sim/engine/packet.h"
#include "sim/pcie/packet_text.h"
#include "sim/pcie/spec.h"

namespace peerfab::monitor {

namespace {

constexpr unsigned kNumbers = pcie::spec::kSequenceNumbers;

constexpr std::uint16_t wrapped(unsigned number) {
  return static_cast<std::uint16_t>(number % kNumbers);
}
// How far `to` is ahead of `from`.
constexpr unsigned distance(std::uint16_t from, std::uint16_t to) {
  return (to + kNumbers - from) % kNumbers;
}
constexpr std::uint16_t before(std::uint16_t number) { return wrapped(number + kNumbers - 1U); }
constexpr std::uint16_t after(std::uint16_t number) { return wrapped(number + 1U); }

std::string number_text(std::uint16_t number) { return fmt::format("sequence number {}", number); }

std::string packet(const engine::Tlp& tlp) { return pcie::to_text(engine::header_of(tlp)); }

}  // namespace

SequenceMonitor::SequenceMonitor(Pen pen, bool joined_late) : pen_(std::move(pen)) {
  if (joined_late) return;
  restart();
  acknowledged_.reset();
}

void SequenceMonitor::restart() {
  next_sent_ = std::uint16_t{0};
  next_received_ = std::uint16_t{0};
  acknowledged_ = before(0);
  last_replayed_.reset();
}

// What is acknowledged need not be replayed, so a replay may end early.
bool SequenceMonitor::replay_is_over() const {
  if (!last_replayed_.has_value() || !next_sent_.has_value()) return true;
  const std::uint16_t last = before(*next_sent_);
  return *last_replayed_ == last || acknowledged_ == last;
}

void SequenceMonitor::sent(const engine::Tlp& tlp, const engine::SentTlp& sent) {
  pen_.checked();
  const std::uint16_t number = sent.sequence_number;
  if (number >= kNumbers) {
    pen_.violated(sent.starts, packet(tlp), "12 bits of sequence number", number_text(number));
    return;
  }
  if (next_sent_.has_value() && number != *next_sent_) {
    pen_.violated(sent.starts, packet(tlp), number_text(*next_sent_), fmt::format("{}", number));
  } else if (!replay_is_over()) {
    pen_.violated(sent.starts, packet(tlp),
                  fmt::format("the replay to go on after {}", number_text(*last_replayed_)),
                  "a new TLP");
  } else if (acknowledged_.has_value() && distance(*acknowledged_, number) > kNumbers / 2) {
    // The transmitter has to wait while half of the numbers are in use (sec 3.6.2.1).
    pen_.violated(sent.starts, packet(tlp),
                  fmt::format("fewer than {} TLPs without an Ack", kNumbers / 2),
                  fmt::format("{} behind {}", number, *acknowledged_));
  }
  last_replayed_.reset();
  next_sent_ = after(number);
}

void SequenceMonitor::replayed(const engine::SentTlp& sent) {
  pen_.checked();
  if (!next_sent_.has_value()) return;
  const std::string replay = fmt::format("a replay of {}", number_text(sent.sequence_number));
  check_not_behind(replay, sent);
  last_replayed_ = sent.sequence_number;
}

void SequenceMonitor::check_not_behind(const std::string& packet_text,
                                       const engine::SentTlp& sent) {
  const std::uint16_t number = sent.sequence_number;
  const unsigned back = distance(number, *next_sent_);
  if (number >= kNumbers || back == 0 || back > kNumbers / 2) {
    pen_.violated(sent.starts, packet_text,
                  fmt::format("one that was sent before {}", number_text(*next_sent_)),
                  fmt::format("{}", number));
    return;
  }
  // A replay goes through the buffer in order, or begins again with the oldest that the
  // transmitter knows no Ack of: that is not later than what the Acks say by now.
  const bool goes_on = last_replayed_.has_value() && number == after(*last_replayed_);
  const bool begins = !acknowledged_.has_value() ||
                      distance(number, *next_sent_) >= distance(after(*acknowledged_), *next_sent_);
  const bool skips_acknowledged =
      last_replayed_.has_value() && acknowledged_.has_value() && number == after(*acknowledged_);
  if (goes_on || begins || skips_acknowledged) return;
  pen_.violated(sent.starts, packet_text,
                last_replayed_.has_value()
                    ? fmt::format("{} next", number_text(after(*last_replayed_)))
                    : fmt::format("it to begin with {}", number_text(after(*acknowledged_))),
                fmt::format("{}", number));
}

void SequenceMonitor::received(const engine::Tlp& tlp, std::uint16_t number, Picoseconds now) {
  pen_.checked();
  if (next_received_.has_value() && number != *next_received_) {
    pen_.violated(now, packet(tlp),
                  fmt::format("{} to be accepted next", number_text(*next_received_)),
                  fmt::format("{}", number));
  }
  next_received_ = after(number);
}

void SequenceMonitor::acknowledged(const pcie::Dllp& dllp, Picoseconds starts) {
  pen_.checked();
  const std::uint16_t number = dllp.sequence_number;
  if (next_received_.has_value()) {
    // The receiver names the last TLP that it accepted, never one that has not come.
    const std::uint16_t last = before(*next_received_);
    if (distance(number, last) > kNumbers / 2) {
      pen_.violated(starts, pcie::to_text(dllp),
                    fmt::format("at most {}, the last one accepted", number_text(last)),
                    fmt::format("{}", number));
      return;
    }
  }
  if (acknowledged_.has_value() && distance(*acknowledged_, number) > kNumbers / 2) {
    pen_.violated(starts, pcie::to_text(dllp),
                  fmt::format("no step back from {}", number_text(*acknowledged_)),
                  fmt::format("{}", number));
    return;
  }
  acknowledged_ = number;
}

}  // namespace peerfab::monitor
