// SPDX-License-Identifier: Apache-2.0
// PCIe r6.0, sec 2.4.1 and 2.4.2, as software meets it: what a consumer may see and must not see
// of a producer's writes. Each case says the rule, the outcome that is forbidden, and the one that
// is allowed; the allowed ones are shown to occur.
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/conformance/litmus_lab.h"
#include "tests/support/catch.h"

namespace peerfab::models::test {
namespace {

using Copy = LitmusLab::Copy;
using engine::Tlp;

constexpr std::uint64_t kData = 0x1000;
constexpr std::uint64_t kFlag = 0x100000;
constexpr std::uint64_t kFlagBytes = 4;
constexpr Picoseconds kMicrosecond(1'000'000);
constexpr Picoseconds kLong = Picoseconds(100 * kMicrosecond.count());

// Room for one write of 256 B, which comes back after 10 us: the second one is stuck.
const std::string kFullForWrites =
    ", max_payload_size: 256B, posted_header_credits: 1, posted_data_credits: 16, "
    "credit_return_latency: 10us";

// Three DMA engines that obey strict ordering: two below a switch, one on a root port of its own.
std::string fabric(const std::string& cpu0, const std::string& sw0 = "",
                   const std::string& dma1 = "", const std::string& dma2 = "") {
  const std::string strict = ", launch: 0ns, memory_latency: 0ns";
  const auto engine = [&strict](const std::string& extra) {
    return extra.find("relaxed_ordering") == std::string::npos
               ? strict + ", relaxed_ordering: false" + extra
               : strict + extra;
  };
  return "peerfab: 1\nname: litmus\nsockets:\n  cpu0: {model: root-complex" + cpu0 +
         "}\ndevices:\n  sw0: {model: switch, at: cpu0" + sw0 + "}\n  dma0: {model: dma, at: sw0" +
         engine("") + "}\n  dma1: {model: dma, at: sw0" + engine(dma1) +
         "}\n  dma2: {model: dma, at: cpu0" + engine(dma2) + "}\n";
}

// Data, then a flag behind it, by one engine. What was seen at any moment.
struct Seen {
  bool flag_without_data = false;
  bool both = false;
};
Seen watch(LitmusLab& lab, const Copy& data, const Copy& flag) {
  Seen seen;
  lab.run(kLong, [&] {
    if (!lab.visible(flag)) return;
    (lab.visible(data) ? seen.both : seen.flag_without_data) = true;
  });
  return seen;
}

// A consumer with an engine of its own: reads the flag until it is set, then the data.
class Consumer {
 public:
  Consumer(LitmusLab& lab, std::string name, Copy data, Copy flag)
      : lab_(lab), name_(std::move(name)), data_(std::move(data)), flag_(std::move(flag)) {}
  void start() {
    ++polls_;
    lab_.read(name_, flag_.to, flag_.offset, flag_.bytes, [this] {
      if (!has(flag_)) return start();
      lab_.read(name_, data_.to, data_.offset, data_.bytes, [this] {
        done_ = true;
        saw_data_ = has(data_);
      });
    });
  }
  [[nodiscard]] unsigned polls() const { return polls_; }
  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] bool saw_data() const { return saw_data_; }

 private:
  bool has(const Copy& copy) {
    return lab_.lab().bytes(name_, copy.offset, copy.bytes) ==
           lab_.lab().bytes(copy.from, copy.offset, copy.bytes);
  }
  LitmusLab& lab_;
  std::string name_;
  Copy data_;
  Copy flag_;
  unsigned polls_ = 0;
  bool done_ = false;
  bool saw_data_ = false;
};

}  // namespace

// --- Data and flag on one path -------------------------------------------------------------------

TEST_CASE("litmus: who sees a flag that went the same way sees the data",
          "[conformance][sec-2.4.1]") {
  // Entry A2a. Forbidden: flag set, data old. The way is full, so that everything waits somewhere.
  LitmusLab lab(fabric("", kFullForWrites, kFullForWrites));
  const Copy data{"dma0", "dma1", kData, 1024};
  const Copy flag{"dma0", "dma1", kFlag, kFlagBytes};
  lab.write(data);
  lab.write(flag);
  Consumer consumer(lab, "dma2", data, flag);
  consumer.start();
  const Seen seen = watch(lab, data, flag);
  CHECK_FALSE(seen.flag_without_data);
  CHECK(seen.both);
  CHECK(consumer.polls() > 1);
  REQUIRE(consumer.done());
  CHECK(consumer.saw_data());
}

TEST_CASE("litmus: the same through the root complex, in pieces", "[conformance][sec-2.4.1]") {
  LitmusLab lab(fabric(", p2p_split: 64B", "", "", kFullForWrites));
  const Copy data{"dma0", "dma2", kData, 512};
  const Copy flag{"dma0", "dma2", kFlag, kFlagBytes};
  lab.write(data);
  lab.write(flag);
  Consumer consumer(lab, "dma1", data, flag);
  consumer.start();
  const Seen seen = watch(lab, data, flag);
  CHECK_FALSE(seen.flag_without_data);
  CHECK(seen.both);
  REQUIRE(consumer.done());
  CHECK(consumer.saw_data());
}

TEST_CASE("litmus: a read behind a write of the same place returns what was written",
          "[conformance][sec-2.4.1]") {
  // Entry B2a, and at the completer: a memory that is slower than the link holds the writes up.
  LitmusLab lab(fabric(", memory_bandwidth: 1GB/s"));
  const Copy data{"dma0", "cpu0", kData, std::uint64_t{256} << 10};
  bool written = false;
  bool read = false;
  const std::vector<std::byte> sent = lab.lab().bytes("dma0", data.offset, data.bytes);
  lab.write(data, [&written] { written = true; });
  lab.read("dma0", "cpu0", data.offset, data.bytes, [&] {
    read = true;
    CHECK(written);
    CHECK(lab.lab().bytes("dma0", data.offset, data.bytes) == sent);
    CHECK(lab.lab().bytes("cpu0", data.offset, data.bytes) == sent);
  });
  lab.run(Picoseconds(1'000 * kMicrosecond.count()));
  CHECK(read);
}

// --- Data and flag on two paths ------------------------------------------------------------------

namespace {
const Copy kToPeer{"dma0", "dma1", kData, 1024};
const Copy kHostFlag{"dma0", "cpu0", kFlag, kFlagBytes};
}  // namespace

TEST_CASE("litmus: a flag in host memory may be seen before the data at a peer",
          "[conformance][sec-2.4.1]") {
  // No entry orders TLPs that have gone different ways. Allowed, and it happens: flag set, data
  // old. The peer is busy; the way up is not.
  LitmusLab lab(fabric("", "", kFullForWrites));
  lab.write(kToPeer);
  lab.write(kHostFlag);
  CHECK(watch(lab, kToPeer, kHostFlag).flag_without_data);
}

TEST_CASE("litmus: a read of the peer before the flag prevents it", "[conformance][sec-2.4.1]") {
  // The read must not pass the data (B2a), so its completion says that the data is there.
  LitmusLab lab(fabric("", "", kFullForWrites));
  lab.write(kToPeer);
  lab.read("dma0", "dma1", kFlag, kFlagBytes, [&lab] { lab.write(kHostFlag); });
  const Seen seen = watch(lab, kToPeer, kHostFlag);
  CHECK_FALSE(seen.flag_without_data);
  CHECK(seen.both);
}

TEST_CASE("litmus: a read of no bytes does as well", "[conformance][sec-2.2.5.1]") {
  LitmusLab lab(fabric("", "", kFullForWrites));
  lab.write(kToPeer);
  // The data is in the switch by then, and most of it stays there for long.
  lab.at(kMicrosecond, [&lab] {
    CHECK_FALSE(lab.visible(kToPeer));
    lab.flush("dma0", "dma1", [&lab] { lab.write(kHostFlag); });
  });
  const Seen seen = watch(lab, kToPeer, kHostFlag);
  CHECK_FALSE(seen.flag_without_data);
  CHECK(seen.both);
}

TEST_CASE("litmus: a peer-to-peer write through the root complex, then a host flag",
          "[conformance][sec-2.4.1]") {
  // The way between root ports is longer than the one to memory; nothing is full. Allowed, and it
  // happens: flag set, data old.
  LitmusLab lab(fabric(", p2p_latency: 1us"));
  const Copy data{"dma0", "dma2", kData, 1024};
  lab.write(data);
  lab.write(kHostFlag);
  CHECK(watch(lab, data, kHostFlag).flag_without_data);
}

TEST_CASE("litmus: a peer-to-peer write through the root complex, a read, then a host flag",
          "[conformance][sec-2.4.1]") {
  LitmusLab lab(fabric(", p2p_latency: 1us"));
  const Copy data{"dma0", "dma2", kData, 1024};
  lab.write(data);
  lab.read("dma0", "dma2", kFlag, kFlagBytes, [&lab] { lab.write(kHostFlag); });
  const Seen seen = watch(lab, data, kHostFlag);
  CHECK_FALSE(seen.flag_without_data);
  CHECK(seen.both);
}

TEST_CASE("litmus: a read of another place does not help", "[conformance][sec-2.4.1]") {
  // A read of host memory pushes what goes to host memory. Allowed: flag set, data old.
  LitmusLab lab(fabric("", "", kFullForWrites));
  lab.write(kToPeer);
  lab.read("dma0", "cpu0", 0, kFlagBytes, [&lab] { lab.write(kHostFlag); });
  CHECK(watch(lab, kToPeer, kHostFlag).flag_without_data);
}

// --- Reads push writes ---------------------------------------------------------------------------

namespace {

// dma0 writes to host memory and gets stuck; then dma2 reads a status of dma0. Whether the read
// came back while the data was still on its way.
struct StatusRead {
  bool answered = false;
  bool before_the_data = false;
};
StatusRead read_status(LitmusLab& lab) {
  const Copy data{"dma0", "cpu0", kData, 512};
  StatusRead result;
  lab.write(data);
  lab.at(kMicrosecond, [&] {
    CHECK_FALSE(lab.visible(data));
    lab.read("dma2", "dma0", kFlag, kFlagBytes, [&] {
      result.answered = true;
      result.before_the_data = !lab.visible(data);
    });
  });
  lab.run(kLong);
  return result;
}

}  // namespace

TEST_CASE("litmus: the answer of a device pushes what the device wrote",
          "[conformance][sec-2.4.1]") {
  // Entry D2a: a driver that reads a register of the device finds in memory what the device had
  // written before. Stuck in front of the device's own link.
  LitmusLab lab(fabric("", kFullForWrites));
  const StatusRead seen = read_status(lab);
  CHECK(seen.answered);
  CHECK_FALSE(seen.before_the_data);
}

TEST_CASE("litmus: and does so behind a switch", "[conformance][sec-2.4.1]") {
  LitmusLab lab(fabric(kFullForWrites));
  const StatusRead seen = read_status(lab);
  CHECK(seen.answered);
  CHECK_FALSE(seen.before_the_data);
}

TEST_CASE("litmus: a reader that sets RO gives that up at the device", "[conformance][sec-2.4.1]") {
  // Entry D2b: the completion has the attributes of its request. Allowed, and it happens.
  LitmusLab lab(fabric("", kFullForWrites, "", ", relaxed_ordering: true"));
  const StatusRead seen = read_status(lab);
  CHECK(seen.answered);
  CHECK(seen.before_the_data);
}

TEST_CASE("litmus: a reader that sets RO gives that up in the switch", "[conformance][sec-2.4.1]") {
  LitmusLab lab(fabric(kFullForWrites, "", "", ", relaxed_ordering: true"));
  const StatusRead seen = read_status(lab);
  CHECK(seen.answered);
  CHECK(seen.before_the_data);
}

// --- Attributes ----------------------------------------------------------------------------------

TEST_CASE("litmus: a flag with RO may pass the data, and a data write with RO the one before",
          "[conformance][sec-2.4.1]") {
  // Entry A2b is a permission. This fabric makes no use of it between posted requests, so the
  // strong outcome is the only one that is seen; software must not count on it.
  LitmusLab lab(
      "peerfab: 1\nname: litmus\nsockets:\n  cpu0: {model: root-complex}\ndevices:\n"
      "  sw0: {model: switch, at: cpu0}\n"
      "  dma0: {model: dma, at: sw0, relaxed_ordering: true}\n"
      "  dma1: {model: dma, at: sw0" +
      kFullForWrites + "}\n");
  const Copy flag{"dma0", "dma1", kFlag, kFlagBytes};
  lab.write(kToPeer);
  lab.write(flag);
  const Seen seen = watch(lab, kToPeer, flag);
  CHECK_FALSE(seen.flag_without_data);
  CHECK(seen.both);
}

namespace {

// Two engines behind one more switch, so that they share an ingress of the upper one; the way up
// from there is full of dma0's writes. When the answer of a read by `reader` came back.
bool read_passes(const std::string& reader, std::uint8_t attributes) {
  LitmusLab lab("peerfab: 1\nname: litmus\nsockets:\n  cpu0: {model: root-complex" +
                kFullForWrites +
                "}\ndevices:\n  sw0: {model: switch, at: cpu0}\n  sw1: {model: switch, at: sw0}\n"
                "  dma0: {model: dma, at: sw1, relaxed_ordering: false}\n"
                "  dma1: {model: dma, at: sw1}\n");
  const Copy data{"dma0", "cpu0", kData, 512};
  lab.write(data);
  bool passed = false;
  lab.at(kMicrosecond, [&] { lab.inject(reader, "cpu0", 64, attributes, lab.own_id(reader)); });
  lab.run(kLong, [&] {
    if (lab.injected_answers(reader) != 0 && !lab.visible(data)) passed = true;
  });
  CHECK(lab.injected_answers(reader) != 0);
  CHECK(lab.visible(data));
  return passed;
}

}  // namespace

TEST_CASE("litmus: a device's read waits for the writes of another on the same way",
          "[conformance][sec-2.4.1]") {
  // Entry B2a knows no requesters.
  CHECK_FALSE(read_passes("dma1", 0));
}
TEST_CASE("litmus: RO does not help a read request", "[conformance][sec-2.4.1]") {
  CHECK_FALSE(read_passes("dma1", Tlp::kRelaxedOrdering));
}
TEST_CASE("litmus: with IDO it need not wait for another's", "[conformance][sec-2.4.1]") {
  // Entry B2b. Allowed, and it happens.
  CHECK(read_passes("dma1", Tlp::kIdOrdering));
}
TEST_CASE("litmus: with IDO it still waits for its own", "[conformance][sec-2.4.1]") {
  CHECK_FALSE(read_passes("dma0", Tlp::kIdOrdering));
}

}  // namespace peerfab::models::test
