// SPDX-License-Identifier: Apache-2.0
// PCIe r6.0, sec 2.4.1, the ordering rules summary, cell by cell, at every queue in front of a link
// of the real models. The cells come from an independent transcription of the table; where that is
// not at hand, from sim/pcie/ordering.h, which its own test holds to the specification.
//
// The far end of the link under test has little buffer and returns it after 10 us. TLPs of the
// earlier one's kind use it up, the earlier one is stuck for want of credits, and the later one
// follows with credits for it at hand. Whether it has been sent long before the buffer comes back
// is whether it passed.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/pcie/ordering.h"
#include "tests/conformance/reference_table.h"
#include "tests/support/catch.h"
#include "tests/support/engine_link.h"
#include "tests/unit/models/model_lab.h"

namespace peerfab::models::test {
namespace {

using engine::Tlp;
using pcie::FlowClass;
using pcie::OrderingClass;
using pcie::TlpKind;

// 17 units of data: one TLP of 256 B and one of 16 B fit, another one of 256 B does not.
constexpr const char* kLittleBuffer =
    "max_payload_size: 256B, credit_return_latency: 10us, "
    "posted_header_credits: 12, posted_data_credits: 17, "
    "nonposted_header_credits: 2, nonposted_data_credits: 1, "
    "completion_header_credits: 12, completion_data_credits: 17";
constexpr unsigned kLarge = 256;
constexpr unsigned kSmall = 16;
constexpr unsigned kOperand = 8;  // of an AtomicOp; other non-posted data is smaller
constexpr Picoseconds kApart(20'000);
constexpr Picoseconds kStillStuck(4'000'000);
constexpr Picoseconds kAllDone(100'000'000);

// A queue, and how TLPs get there.
struct Queue {
  std::string name;
  engine::Transmitter* under_test = nullptr;
  engine::Transmitter* origin = nullptr;
  unsigned request_input = 1;     // of the origin: where a DMA channel sends
  unsigned completion_input = 1;  // where completions are put in
  BusAddress target;              // of requests
  std::uint16_t reader = 0;       // whom completions go to
  std::uint16_t us = 0;           // who sends
  std::uint16_t others = 0;
  unsigned split = 0;  // writes leave the queue in pieces of this size; 0: as they came
};

// A kind of one class, as the queue is given it.
struct Cell {
  TlpKind later = TlpKind::kMemoryWrite;
  TlpKind earlier = TlpKind::kMemoryWrite;
  bool same_transaction = false;
  std::uint8_t attributes = 0;  // of the later one
  bool from_others = false;     // likewise
};

std::vector<TlpKind> kinds_of(OrderingClass ordering) {
  switch (ordering) {
    case OrderingClass::kPosted:
      return {TlpKind::kMemoryWrite};
    case OrderingClass::kReadRequest:
      return {TlpKind::kMemoryRead};
    case OrderingClass::kNonPostedWithData:
      return {TlpKind::kFetchAdd, TlpKind::kCompareSwap, TlpKind::kIoWrite, TlpKind::kConfigWrite0,
              TlpKind::kDeferrableMemoryWrite};
    case OrderingClass::kCompletion:
      return {TlpKind::kCompletionData};
  }
  return {};
}

class QueueLab {
 public:
  explicit QueueLab(const std::string& topology)
      // Unwatched: what is put into the queues here has no requests that belong to it, and the same
      // tags again and again.
      : lab_(topology, {}, false),
        clock_(lab_.system().engine().scheduler().add_actor(nullptr, [](void*, Picoseconds) {})) {}

  [[nodiscard]] ModelLab& lab() { return lab_; }
  [[nodiscard]] const topology::System::Directions& link(std::string_view below) {
    return lab_.link(below);
  }
  [[nodiscard]] Bdf id(std::string_view endpoint) {
    return lab_.system().registers().endpoints.at(lab_.component(endpoint)).bdf;
  }

  // What dma0 sends to another component, as it meets this transmitter.
  Queue on_the_way_to(std::string_view target, std::string name, engine::Transmitter& at) {
    Queue queue;
    queue.name = std::move(name);
    queue.under_test = &at;
    queue.origin = link("dma0").up.get();
    queue.target = *lab_.model(target).memory_target()->map(0, 4096);
    queue.reader = target.starts_with("cpu")
                       ? lab_.system().registers().root_complexes.front().host().value()
                       : id(target).value();
    // Functions that nobody has, so that no model takes the TLPs for its own.
    queue.us = Bdf(id("dma0").bus(), 0, 1).value();
    queue.others = Bdf(id("dma0").bus(), 0, 2).value();
    return queue;
  }

  // Whether the later TLP leaves the queue while the earlier one is stuck.
  bool passes(const Queue& queue, const Cell& cell) {
    const std::uint64_t before = queue.under_test->statistics().tlps;
    std::uint64_t used_up = 0;
    const bool carries_no_data = cell.earlier == TlpKind::kMemoryRead;
    for (unsigned i = 0; i < (carries_no_data ? 2U : 1U); ++i) {
      used_up += send(queue, cell.earlier, kLarge, queue.us, kFirstTag);
    }
    std::uint64_t rest = send(queue, cell.earlier, kLarge, queue.us, kEarlierTag);
    const std::uint16_t tag = cell.same_transaction ? kEarlierTag : kLaterTag;
    rest += send(queue, cell.later, kSmall, cell.from_others ? queue.others : queue.us, tag,
                 cell.attributes);
    run(kStillStuck);
    const std::uint64_t sent = queue.under_test->statistics().tlps - before;
    CHECK(sent >= used_up);
    CHECK(sent <= used_up + 1);
    CHECK(queue.under_test->blocked());
    run(kAllDone);
    CHECK(queue.under_test->statistics().tlps - before == used_up + rest);
    CHECK(queue.under_test->backlog() == 0);
    return sent > used_up;
  }

 private:
  static constexpr std::uint16_t kFirstTag = 1;
  static constexpr std::uint16_t kEarlierTag = 2;
  static constexpr std::uint16_t kLaterTag = 3;

  // An idle fabric has no time of its own: buffer that is on its way back is no event.
  void run(Picoseconds time) {
    const Picoseconds until = lab_.system().engine().now() + time;
    lab_.system().engine().scheduler().schedule(clock_, until);
    lab_.system().engine().run(until);
  }

  // Puts one TLP in at the origin; how many leave the queue for it.
  std::uint64_t send(const Queue& queue, TlpKind kind, unsigned bytes, std::uint16_t sender,
                     std::uint16_t tag, std::uint8_t attributes = 0) {
    engine::TlpPool& pool = lab_.system().pool();
    const std::uint64_t address = queue.target.value();
    Tlp* tlp = nullptr;
    if (pcie::is_completion(kind)) {
      tlp = peerfab::test::make_completion(pool, bytes, queue.reader, tag, Bdf(sender));
    } else if (kind == TlpKind::kMemoryRead) {
      tlp = peerfab::test::make_read(pool, bytes, address, sender, tag);
    } else {
      if (!pcie::is_posted(kind)) bytes = kind == TlpKind::kIoWrite ? 4 : kOperand;
      tlp = peerfab::test::make_write(pool, bytes, address, sender, tag);
      tlp->kind = kind;
      tlp->flow_class = pcie::flow_class(kind);
    }
    tlp->attributes = attributes;
    const bool completion = tlp->flow_class == FlowClass::kCompletion;
    const bool is_split = queue.split != 0 && tlp->flow_class == FlowClass::kPosted;
    queue.origin->enqueue(completion ? queue.completion_input : queue.request_input, tlp,
                          lab_.system().engine().now());
    run(kApart);
    return is_split ? (bytes + queue.split - 1) / queue.split : 1;
  }

  ModelLab lab_;
  engine::ActorId clock_;
};

// What the table says, and what the model makes of what it leaves open.
enum class Rule : std::uint8_t { kNo, kEither, kYes };

std::string text_of(const Cell& cell) {
  std::string text = std::string("row ") + pcie::traits(cell.later).name + ", column " +
                     pcie::traits(cell.earlier).name;
  if (cell.same_transaction) text += " of the same transaction";
  if ((cell.attributes & Tlp::kRelaxedOrdering) != 0) text += ", RO";
  if ((cell.attributes & Tlp::kIdOrdering) != 0) text += ", IDO";
  if (cell.from_others) text += ", another requester";
  return text;
}

void check_cell(QueueLab& lab, const Queue& queue, const Cell& cell, Rule rule) {
  INFO("queue: " << queue.name << "; " << text_of(cell));
  const bool passed = lab.passes(queue, cell);
  if (rule == Rule::kNo) CHECK_FALSE(passed);
  if (rule == Rule::kYes) CHECK(passed);
  // Where the table leaves it open, a queue of each class lets the classes pass each other and
  // keeps each in order.
  if (rule == Rule::kEither) {
    CHECK(passed == (pcie::flow_class(cell.later) != pcie::flow_class(cell.earlier)));
  }
}

struct TableRow {
  OrderingClass later = OrderingClass::kPosted;
  OrderingClass earlier = OrderingClass::kPosted;
  bool same_transaction = false;
  Rule rule = Rule::kNo;
  bool relaxed = false;   // RO is an exception
  bool id_based = false;  // IDO with another requester is one
};

std::optional<OrderingClass> class_of(const std::string& name) {
  if (name == "Posted") return OrderingClass::kPosted;
  if (name == "ReadRequest") return OrderingClass::kReadRequest;
  if (name == "NPRwithData") return OrderingClass::kNonPostedWithData;
  if (name.starts_with("Completion")) return OrderingClass::kCompletion;
  return std::nullopt;
}

std::optional<Rule> rule_of(const std::string& text) {
  if (text == "no") return Rule::kNo;
  if (text == "yes_no") return Rule::kEither;
  if (text == "yes_required") return Rule::kYes;
  return std::nullopt;
}

std::vector<TableRow> built_in_table() {
  std::vector<TableRow> table;
  for (unsigned later = 0; later < pcie::kOrderingClassCount; ++later) {
    for (unsigned earlier = 0; earlier < pcie::kOrderingClassCount; ++earlier) {
      TableRow row;
      row.later = static_cast<OrderingClass>(later);
      row.earlier = static_cast<OrderingClass>(earlier);
      const pcie::Passing basic = pcie::basic_passing(row.later, row.earlier);
      row.rule = basic == pcie::Passing::kMustNot ? Rule::kNo
                 : basic == pcie::Passing::kMust  ? Rule::kYes
                                                  : Rule::kEither;
      row.id_based = row.earlier == OrderingClass::kPosted;
      row.relaxed = row.id_based && row.later != OrderingClass::kReadRequest;
      table.push_back(row);
    }
  }
  TableRow& last = table.emplace_back(table.back());  // entry D5b
  last.same_transaction = true;
  last.rule = Rule::kNo;
  return table;
}

std::vector<TableRow> ordering_table() {
  const auto rows = reference::read_table("ordering_table.csv");
  if (!rows) {
    WARN("no reference table ordering_table.csv: cells from sim/pcie/ordering.h");
    return built_in_table();
  }
  CHECK(rows->size() == 17);
  std::vector<TableRow> table;
  for (const reference::Row& row : *rows) {
    const std::string& column = row.at("col_earlier_tlp");
    const std::string& exception = row.at("exception");
    INFO(row.at("row_new_tlp") << " after " << column);
    const auto later = class_of(row.at("row_new_tlp"));
    const auto earlier = class_of(column);
    const auto rule = rule_of(row.at("may_pass_default"));
    REQUIRE((later && earlier && rule));
    table.push_back({*later, *earlier, column == "Completion(same transaction id)", *rule,
                     exception.find("RO=1") != std::string::npos,
                     exception.find("IDO") != std::string::npos});
  }
  return table;
}

void check_every_cell(QueueLab& lab, const Queue& queue) {
  for (const TableRow& row : ordering_table()) {
    for (const TlpKind later : kinds_of(row.later)) {
      for (const TlpKind earlier : kinds_of(row.earlier)) {
        Cell cell{later, earlier, row.same_transaction};
        check_cell(lab, queue, cell, row.rule);
        if (row.earlier != OrderingClass::kPosted) continue;
        // RO where the table names it; else it changes nothing.
        cell.attributes = Tlp::kRelaxedOrdering;
        check_cell(lab, queue, cell, row.relaxed ? Rule::kEither : row.rule);
        // IDO, from the same requester and from another.
        cell.attributes = Tlp::kIdOrdering;
        check_cell(lab, queue, cell, row.rule);
        cell.from_others = true;
        check_cell(lab, queue, cell, row.id_based ? Rule::kEither : row.rule);
      }
    }
  }
}

std::string fabric(const std::string& cpu0, const std::string& sw0, const std::string& dma0,
                   const std::string& dma1, const std::string& dma2) {
  return "peerfab: 1\nname: queues\nsockets:\n  cpu0: {model: root-complex" + cpu0 +
         "}\ndevices:\n  sw0: {model: switch, at: cpu0" + sw0 + "}\n  dma0: {model: dma, at: sw0" +
         dma0 + "}\n  dma1: {model: dma, at: sw0" + dma1 + "}\n  dma2: {model: dma, at: cpu0" +
         dma2 + "}\n";
}
const std::string kLittle = std::string(", ") + kLittleBuffer;

TEST_CASE("ordering table: an endpoint's DMA channel", "[conformance][sec-2.4.1]") {
  QueueLab lab(fabric("", kLittle, "", "", ""));
  check_every_cell(lab,
                   lab.on_the_way_to("dma1", "endpoint, one DMA channel", *lab.link("dma0").up));
}

TEST_CASE("ordering table: an endpoint's answers behind its own requests",
          "[conformance][sec-2.4.1]") {
  QueueLab lab(fabric("", kLittle, "", "", ""));
  Queue queue =
      lab.on_the_way_to("dma1", "endpoint, completer behind a DMA channel", *lab.link("dma0").up);
  queue.completion_input = 0;
  for (const TableRow& row : ordering_table()) {
    if (row.later != OrderingClass::kCompletion) continue;
    for (const TlpKind earlier : kinds_of(row.earlier)) {
      Cell cell{TlpKind::kCompletionData, earlier, row.same_transaction};
      check_cell(lab, queue, cell, row.rule);
      if (!row.id_based) continue;
      cell.attributes = Tlp::kRelaxedOrdering;
      check_cell(lab, queue, cell, Rule::kEither);
      cell.attributes = Tlp::kIdOrdering;
      check_cell(lab, queue, cell, row.rule);
      cell.from_others = true;
      check_cell(lab, queue, cell, Rule::kEither);
    }
  }
}

TEST_CASE("ordering table: a switch towards the root complex", "[conformance][sec-2.4.1]") {
  QueueLab lab(fabric(kLittle, "", "", "", ""));
  check_every_cell(lab, lab.on_the_way_to("cpu0", "switch, downstream port to upstream port",
                                          *lab.link("sw0").up));
}

TEST_CASE("ordering table: a switch between its downstream ports", "[conformance][sec-2.4.1]") {
  QueueLab lab(fabric("", "", "", kLittle, ""));
  check_every_cell(lab, lab.on_the_way_to("dma1", "switch, downstream port to downstream port",
                                          *lab.link("dma1").down));
}

TEST_CASE("ordering table: a switch that stores before it forwards", "[conformance][sec-2.4.1]") {
  QueueLab lab(fabric("", "", ", link: gen3 x4", kLittle, ""));
  check_every_cell(lab,
                   lab.on_the_way_to("dma1", "switch, store and forward", *lab.link("dma1").down));
  CHECK(lab.lab().statistic("sw0", "stored_and_forwarded") > 0);
}

TEST_CASE("ordering table: a root port towards a switch", "[conformance][sec-2.4.1]") {
  QueueLab lab(fabric("", kLittle, "", "", ""));
  Queue queue =
      lab.on_the_way_to("dma0", "root port to a switch's upstream port", *lab.link("sw0").down);
  // From the other root port, through the root complex.
  queue.origin = lab.link("dma2").up.get();
  queue.us = Bdf(lab.id("dma2").bus(), 0, 1).value();
  queue.others = Bdf(lab.id("dma2").bus(), 0, 2).value();
  check_every_cell(lab, queue);
}

TEST_CASE("ordering table: a switch from the root complex down", "[conformance][sec-2.4.1]") {
  QueueLab lab(fabric("", "", "", kLittle, ""));
  Queue queue =
      lab.on_the_way_to("dma1", "switch, upstream port to downstream port", *lab.link("dma1").down);
  queue.origin = lab.link("dma2").up.get();
  queue.us = Bdf(lab.id("dma2").bus(), 0, 1).value();
  queue.others = Bdf(lab.id("dma2").bus(), 0, 2).value();
  check_every_cell(lab, queue);
}

TEST_CASE("ordering table: a root complex between its root ports", "[conformance][sec-2.4.1]") {
  QueueLab lab(fabric("", "", "", "", kLittle));
  check_every_cell(lab,
                   lab.on_the_way_to("dma2", "root port to root port", *lab.link("dma2").down));
}

TEST_CASE("ordering table: a root complex that splits peer-to-peer writes",
          "[conformance][sec-2.4.1]") {
  QueueLab lab(fabric(", p2p_split: 64B", "", "", "", kLittle));
  Queue queue =
      lab.on_the_way_to("dma2", "root port to root port in pieces", *lab.link("dma2").down);
  queue.split = 64;
  check_every_cell(lab, queue);
}

TEST_CASE("ordering table: the wire between two sockets", "[conformance][sec-2.4.1]") {
  QueueLab lab(
      "peerfab: 1\nname: two sockets\nsockets:\n  cpu0: {model: root-complex}\n"
      "  cpu1: {model: root-complex" +
      kLittle +
      "}\ndevices:\n  dma0: {model: dma, at: cpu0}\n  dma1: {model: dma, at: cpu1}\n"
      "wires:\n  - {kind: socket, between: [cpu0, cpu1], bandwidth: 20GB/s, latency: "
      "50ns}\n");
  check_every_cell(lab, lab.on_the_way_to("dma1", "wire between sockets",
                                          *lab.lab().system().wires().front().down));
}

}  // namespace
}  // namespace peerfab::models::test
