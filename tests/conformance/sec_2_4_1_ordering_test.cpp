// SPDX-License-Identifier: Apache-2.0
// PCIe r6.0, sec 2.4.1, the ordering rules summary, cell by cell; and the same cells from an
// independent transcription (MindShare, PCI Express Technology 3.0, table 8-1) where it is at hand.
#include <optional>
#include <string>

#include "sim/pcie/ordering.h"
#include "tests/conformance/reference_table.h"
#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

using enum OrderingClass;
constexpr auto kCpl = OrderingClass::kCompletion;

OrderingFields plain(OrderingClass ordering) {
  OrderingFields fields;
  fields.ordering = ordering;
  fields.source = Bdf(1, 0, 0);
  fields.requester = Bdf(1, 0, 0);
  return fields;
}

struct Cell {
  OrderingClass later;
  OrderingClass earlier;
  Passing without;  // entry a, or the only one
  Passing with;     // entry b
};

constexpr Cell kCells[] = {
    {kPosted, kPosted, Passing::kMustNot, Passing::kMay},                    // A2
    {kPosted, kReadRequest, Passing::kMust, Passing::kMust},                 // A3
    {kPosted, kNonPostedWithData, Passing::kMust, Passing::kMust},           // A4
    {kPosted, kCpl, Passing::kMay, Passing::kMust},                          // A5
    {kReadRequest, kPosted, Passing::kMustNot, Passing::kMay},               // B2
    {kReadRequest, kReadRequest, Passing::kMay, Passing::kMay},              // B3
    {kReadRequest, kNonPostedWithData, Passing::kMay, Passing::kMay},        // B4
    {kReadRequest, kCpl, Passing::kMay, Passing::kMay},                      // B5
    {kNonPostedWithData, kPosted, Passing::kMustNot, Passing::kMay},         // C2
    {kNonPostedWithData, kReadRequest, Passing::kMay, Passing::kMay},        // C3
    {kNonPostedWithData, kNonPostedWithData, Passing::kMay, Passing::kMay},  // C4
    {kNonPostedWithData, kCpl, Passing::kMay, Passing::kMay},                // C5
    {kCpl, kPosted, Passing::kMustNot, Passing::kMay},                       // D2
    {kCpl, kReadRequest, Passing::kMust, Passing::kMust},                    // D3
    {kCpl, kNonPostedWithData, Passing::kMust, Passing::kMust},              // D4
    {kCpl, kCpl, Passing::kMay, Passing::kMustNot},  // D5: b is the same transaction
};

TEST_CASE("every cell of the ordering table", "[conformance][sec-2.4.1]") {
  for (const Cell& cell : kCells) {
    INFO("row " << static_cast<int>(cell.later) << " column " << static_cast<int>(cell.earlier));
    OrderingFields later = plain(cell.later);
    OrderingFields earlier = plain(cell.earlier);
    later.tag = Tag(1);
    earlier.tag = Tag(2);
    CHECK(may_pass(later, earlier) == cell.without);
    // Entry b of column 2 by IDO with different IDs.
    OrderingFields exception = later;
    exception.id_based = true;
    exception.source = Bdf(2, 0, 0);
    bool bridge = false;
    if (cell.earlier == kCpl && cell.later == kCpl) exception.tag = earlier.tag;
    if (cell.earlier == kCpl && cell.later == kPosted) bridge = true;
    CHECK(may_pass(exception, earlier, bridge) == cell.with);
    // And by RO, which reads do not have.
    if (cell.earlier == kPosted) {
      OrderingFields relaxed = later;
      relaxed.relaxed = true;
      CHECK(may_pass(relaxed, earlier) ==
            (cell.later == kReadRequest ? Passing::kMustNot : Passing::kMay));
    }
  }
}

std::optional<OrderingClass> class_of(const std::string& name) {
  if (name == "Posted") return kPosted;
  if (name == "ReadRequest") return kReadRequest;
  if (name == "NPRwithData") return kNonPostedWithData;
  if (name.rfind("Completion", 0) == 0) return kCpl;
  return std::nullopt;
}

std::optional<Passing> passing_of(const std::string& text) {
  if (text == "no") return Passing::kMustNot;
  if (text == "yes_no") return Passing::kMay;
  if (text == "yes_required") return Passing::kMust;
  return std::nullopt;
}

TEST_CASE("every row of the reference ordering table", "[conformance][sec-2.4.1]") {
  const auto rows = reference::read_table("ordering_table.csv");
  if (!rows) {
    WARN("skipped: no reference table ordering_table.csv");
    return;
  }
  CHECK(rows->size() == 17);
  for (const reference::Row& row : *rows) {
    const std::string column = row.at("col_earlier_tlp");
    const std::string exception = row.at("exception");
    INFO(row.at("row_new_tlp") << " after " << column << ", exception: " << exception);
    const auto later_class = class_of(row.at("row_new_tlp"));
    const auto earlier_class = class_of(column);
    const auto without = passing_of(row.at("may_pass_default"));
    const auto with = passing_of(row.at("may_pass_with_exception"));
    REQUIRE((later_class && earlier_class && without && with));
    OrderingFields later = plain(*later_class);
    const OrderingFields earlier = plain(*earlier_class);
    if (column != "Completion(same transaction id)") later.tag = Tag(1);
    CHECK(may_pass(later, earlier) == *without);
    const auto mentions = [&](const char* word) {
      return exception.find(word) != std::string::npos;
    };
    if (mentions("RO=1")) {
      OrderingFields relaxed = later;
      relaxed.relaxed = true;
      CHECK(may_pass(relaxed, earlier) == *with);
    }
    if (mentions("IDO")) {
      OrderingFields id_based = later;
      id_based.id_based = true;
      CHECK(may_pass(id_based, earlier) == *without);  // the same requester
      id_based.source = Bdf(2, 0, 0);
      CHECK(may_pass(id_based, earlier) == *with);
    }
    CHECK(may_pass(later, earlier, mentions("bridge")) == (mentions("bridge") ? *with : *without));
  }
}

}  // namespace
}  // namespace peerfab::pcie
