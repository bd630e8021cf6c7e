// SPDX-License-Identifier: Apache-2.0
// PCIe r6.0, sec 3.6: Ack latency limits of every rate, width and payload size, and the limits of
// the replay timer.
#include <cstdint>
#include <string>

#include "sim/pcie/dllp_timing.h"
#include "sim/pcie/sequence_number.h"
#include "tests/conformance/reference_table.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

constexpr unsigned kWidths[] = {1, 2, 4, 8, 16};
constexpr unsigned kPayloads[] = {128, 256, 512, 1024, 2048, 4096};

// Symbol times. Rows: payload; columns: width. The last table is that of 8.0 GT/s and higher rates.
constexpr unsigned kLimits[3][6][5] = {
    {{237, 128, 73, 67, 48},
     {416, 217, 118, 107, 72},
     {559, 289, 154, 86, 86},
     {1071, 545, 282, 150, 150},
     {2095, 1057, 538, 278, 278},
     {4143, 2081, 1050, 534, 534}},
    {{288, 179, 124, 118, 99},
     {467, 268, 169, 158, 123},
     {610, 340, 205, 137, 137},
     {1122, 596, 333, 201, 201},
     {2146, 1108, 589, 329, 329},
     {4194, 2132, 1101, 585, 585}},
    {{333, 224, 169, 163, 144},
     {512, 313, 214, 203, 168},
     {655, 385, 250, 182, 182},
     {1167, 641, 378, 246, 246},
     {2191, 1153, 634, 374, 374},
     {4239, 2177, 1146, 630, 630}},
};

TEST_CASE("Ack latency limits of every generation", "[conformance][sec-3.6.3.1]") {
  for (unsigned generation = 1; generation <= 5; ++generation) {
    const unsigned table = generation < 3 ? generation - 1 : 2;
    for (unsigned row = 0; row < 6; ++row) {
      for (unsigned column = 0; column < 5; ++column) {
        INFO("gen " << generation << " x" << kWidths[column] << " MPS " << kPayloads[row]);
        CHECK(ack_latency_limit_symbols(generation, kWidths[column], kPayloads[row]) ==
              kLimits[table][row][column]);
        CHECK(update_fc_latency_symbols(generation, kWidths[column], kPayloads[row]) ==
              kLimits[table][row][column]);
      }
    }
  }
}

TEST_CASE("replay timer limits", "[conformance][sec-3.6.2.1]") {
  for (const unsigned width : kWidths) {
    for (const unsigned payload : kPayloads) {
      for (unsigned generation = 1; generation <= 3; ++generation) {
        CHECK(replay_timer_limit_symbols(generation, width, payload) ==
              3 * ack_latency_limit_symbols(generation, width, payload));
      }
      for (unsigned generation = 4; generation <= 5; ++generation) {
        const unsigned limit = replay_timer_limit_symbols(generation, width, payload);
        CHECK(limit >= 24'000);
        CHECK(limit <= 31'000);
        const unsigned extended = replay_timer_limit_symbols(generation, width, payload, true);
        CHECK(extended >= 80'000);
        CHECK(extended <= 100'000);
      }
    }
  }
}

TEST_CASE("what a receiver makes of a sequence number", "[conformance][sec-3.6.3.1]") {
  for (unsigned expected = 0; expected < 4096; expected += 97) {
    const auto wanted = static_cast<std::uint16_t>(expected);
    const auto at = [&](unsigned distance) {
      return check_sequence(wanted, static_cast<std::uint16_t>((expected + distance) % 4096));
    };
    CHECK(at(0) == SequenceCheck::kExpected);
    // (NEXT_RCV_SEQ - sequence number) mod 4096 up to 2048: a duplicate.
    CHECK(at(4095) == SequenceCheck::kDuplicate);
    CHECK(at(4096 - 2048) == SequenceCheck::kDuplicate);
    CHECK(at(4096 - 2049) == SequenceCheck::kAhead);
    CHECK(at(1) == SequenceCheck::kAhead);
    CHECK(next_sequence_number(previous_sequence_number(wanted)) == wanted);
    CHECK(sequence_distance(wanted, next_sequence_number(wanted)) == 1);
  }
}

TEST_CASE("every row of the reference table of Ack and replay limits", "[conformance][sec-3.6]") {
  const auto rows = reference::read_table("ack_replay_timers.csv");
  if (!rows) {
    WARN("skipped: no reference table ack_replay_timers.csv");
    return;
  }
  CHECK(rows->size() == 126);
  for (const reference::Row& row : *rows) {
    const auto number = [&](const char* column) {
      return static_cast<unsigned>(std::stoul(row.at(column)));
    };
    const unsigned generation = number("gen");
    const unsigned width = number("width");
    const unsigned payload = number("mps_B");
    INFO("gen " << generation << " x" << width << " MPS " << payload);
    CHECK(ack_latency_limit_symbols(generation, width, payload) ==
          number("ack_latency_limit_symbols"));
    CHECK(replay_timer_limit_symbols(generation, width, payload) == number("replay_timer_symbols"));
    const auto nanoseconds = static_cast<std::uint64_t>(std::stod(row.at("ack_ns")));
    CHECK((symbol_time(generation) * ack_latency_limit_symbols(generation, width, payload))
              .to_picoseconds_ceil() == Picoseconds(nanoseconds * 1000));
  }
}

}  // namespace
}  // namespace peerfab::pcie
