// SPDX-License-Identifier: Apache-2.0
// PCIe r6.0, sec 2.4.1, where TLPs arrive: the queues of a completer, whose answers may be stuck
// and whose memory may be slow.
#include <cstdint>
#include <string>

#include "tests/conformance/litmus_lab.h"
#include "tests/support/catch.h"

namespace peerfab::models::test {
namespace {

using Copy = LitmusLab::Copy;

constexpr std::uint64_t kThere = 0x1000;
constexpr std::uint64_t kElsewhere = 0x100000;
constexpr Picoseconds kMicrosecond(1'000'000);

// Room for one completion of 256 B towards the switch, which comes back after 10 us.
std::string stuck_answers(const std::string& target) {
  return "peerfab: 1\nname: completer\nsockets:\n  cpu0: {model: root-complex}\ndevices:\n"
         "  sw0: {model: switch, at: cpu0, max_payload_size: 256B, completion_header_credits: 1, "
         "completion_data_credits: 16, credit_return_latency: 10us}\n"
         "  dma0: {model: dma, at: cpu0, relaxed_ordering: false}\n"
         "  dma1: {model: dma, at: sw0, relaxed_ordering: false" +
         target + "}\n";
}

}  // namespace

TEST_CASE("a completer takes writes while the answers of reads are stuck",
          "[conformance][sec-2.4.1]") {
  // Entries A3 and A5: else the answers could wait for the very buffers that the write needs.
  LitmusLab lab(stuck_answers(""));
  const Copy write{"dma0", "dma1", kElsewhere, 1024};
  bool read = false;
  lab.read(
      "dma0", "dma1", kThere, 1024, [&read] { read = true; }, 1);
  lab.at(kMicrosecond, [&lab, &write] { lab.write(write); });
  bool passed = false;
  lab.run(Picoseconds(100 * kMicrosecond.count()), [&] { passed |= lab.visible(write) && !read; });
  CHECK(passed);
  CHECK(read);
}

TEST_CASE("a requester takes completions while its own answers are stuck",
          "[conformance][sec-2.4.1]") {
  // Entries D3 and D5: reads that came in, and their answers, do not hold up what its own read
  // brings; the read request itself passes them too (B5).
  LitmusLab lab(stuck_answers(""));
  bool inbound = false;
  bool outbound = false;
  lab.read("dma0", "dma1", kThere, 1024, [&inbound] { inbound = true; });
  lab.at(kMicrosecond, [&] {
    lab.read("dma1", "cpu0", kElsewhere, 64, [&] {
      outbound = true;
      CHECK_FALSE(inbound);
    });
  });
  lab.run(Picoseconds(100 * kMicrosecond.count()));
  CHECK(inbound);
  CHECK(outbound);
}

TEST_CASE("a read waits in the completer for the writes before it", "[conformance][sec-2.4.1]") {
  // Entry B2a. The memory's write buffer is full for long; a read of a place far from the writes
  // must say that all of them are in, and one of the same place must return what they wrote.
  LitmusLab lab(
      "peerfab: 1\nname: completer\nsockets:\n  cpu0: {model: root-complex}\ndevices:\n"
      "  sw0: {model: switch, at: cpu0}\n"
      "  dma0: {model: dma, at: sw0, relaxed_ordering: false}\n"
      "  card0: {model: memory, at: sw0, bandwidth: 1GB/s}\n");
  const Copy data{"dma0", "card0", kThere, std::uint64_t{512} << 10};
  const std::vector<std::byte> sent = lab.lab().bytes("dma0", data.offset, data.bytes);
  unsigned written = 0;
  unsigned read = 0;
  lab.write(data, [&written] { ++written; });
  lab.read("dma0", "card0", std::uint64_t{64} << 20, 4, [&] {
    ++read;
    CHECK(written == 1);
  });
  lab.read("dma0", "card0", data.offset, data.bytes, [&] {
    ++read;
    CHECK(lab.lab().bytes("dma0", data.offset, data.bytes) == sent);
  });
  lab.run(Picoseconds(5'000 * kMicrosecond.count()));
  CHECK(written == 1);
  CHECK(read == 2);
}

TEST_CASE("the completions of one read arrive in the order of their addresses",
          "[conformance][sec-2.4.1]") {
  // Entry D5b, with reads of other transactions between and buffers for one completion at a time.
  LitmusLab lab(stuck_answers(", max_completion_payload: 128B"));
  unsigned read = 0;
  for (unsigned channel = 0; channel < 4; ++channel) {
    const std::uint64_t from = kElsewhere * (channel + 1);
    const std::vector<std::byte> there = lab.lab().bytes("dma1", from, 2048);
    lab.read(
        "dma0", "dma1", from, 2048,
        [&lab, &read, from, there] {
          ++read;
          CHECK(lab.lab().bytes("dma0", from, 2048) == there);
        },
        channel);
  }
  lab.run(Picoseconds(2'000 * kMicrosecond.count()));
  CHECK(read == 4);
}

}  // namespace peerfab::models::test
