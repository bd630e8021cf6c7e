// SPDX-License-Identifier: Apache-2.0
// The exceptions of the ordering table: attributes, requester IDs, PASIDs, transaction IDs. The
// table itself is checked cell by cell in tests/conformance.
#include "sim/pcie/ordering.h"

#include "tests/support/catch.h"

namespace peerfab::pcie {
namespace {

using enum OrderingClass;
constexpr OrderingClass kClasses[] = {kPosted, kReadRequest, kNonPostedWithData,
                                      OrderingClass::kCompletion};

OrderingFields tlp(OrderingClass ordering, Bdf source = Bdf(1, 0, 0)) {
  OrderingFields fields;
  fields.ordering = ordering;
  fields.source = source;
  return fields;
}

TEST_CASE("relaxed ordering lets all but reads pass a posted request", "[ordering]") {
  for (const OrderingClass later : kClasses) {
    OrderingFields relaxed = tlp(later);
    CHECK(may_pass(relaxed, tlp(kPosted)) == Passing::kMustNot);
    relaxed.relaxed = true;
    const Passing expected = later == kReadRequest ? Passing::kMustNot : Passing::kMay;
    CHECK(may_pass(relaxed, tlp(kPosted)) == expected);
  }
}

TEST_CASE("relaxed ordering of the earlier one changes nothing", "[ordering]") {
  OrderingFields earlier = tlp(kPosted);
  earlier.relaxed = true;
  earlier.id_based = true;
  for (const OrderingClass later : kClasses) {
    CHECK(may_pass(tlp(later), earlier) == Passing::kMustNot);
    CHECK(may_pass(tlp(later, Bdf(9, 0, 0)), earlier) == Passing::kMustNot);
  }
}

TEST_CASE("ID-based ordering needs another source", "[ordering]") {
  for (const OrderingClass later : kClasses) {
    OrderingFields id_based = tlp(later);
    id_based.id_based = true;
    CHECK(may_pass(id_based, tlp(kPosted, Bdf(1, 0, 0))) == Passing::kMustNot);
    CHECK(may_pass(id_based, tlp(kPosted, Bdf(1, 0, 1))) == Passing::kMay);
    id_based.id_based = false;
    CHECK(may_pass(id_based, tlp(kPosted, Bdf(1, 0, 1))) == Passing::kMustNot);
  }
}

TEST_CASE("two PASIDs of one requester are two streams for requests", "[ordering]") {
  for (const OrderingClass later : kClasses) {
    OrderingFields first = tlp(kPosted);
    OrderingFields second = tlp(later);
    second.id_based = true;
    second.pasid = 5;
    CHECK(may_pass(second, first) == Passing::kMustNot);  // only one carries a PASID
    first.pasid = 5;
    CHECK(may_pass(second, first) == Passing::kMustNot);
    first.pasid = 0;
    const bool is_completion = later == OrderingClass::kCompletion;
    CHECK(may_pass(second, first) == (is_completion ? Passing::kMustNot : Passing::kMay));
  }
}

TEST_CASE("a completion's own ID is its completer's", "[ordering]") {
  OrderingFields completion = tlp(OrderingClass::kCompletion, Bdf(2, 0, 0));
  completion.id_based = true;
  completion.requester = Bdf(1, 0, 0);
  CHECK(may_pass(completion, tlp(kPosted, Bdf(1, 0, 0))) == Passing::kMay);
  CHECK(may_pass(completion, tlp(kPosted, Bdf(2, 0, 0))) == Passing::kMustNot);
}

TEST_CASE("completions of I/O and configuration writes pass posted requests", "[ordering]") {
  OrderingFields completion = tlp(OrderingClass::kCompletion);
  completion.io_or_config_write_completion = true;
  CHECK(may_pass(completion, tlp(kPosted)) == Passing::kMay);
}

TEST_CASE("completions of one transaction stay in order whatever their attributes", "[ordering]") {
  OrderingFields first = tlp(OrderingClass::kCompletion);
  first.requester = Bdf(3, 0, 0);
  first.tag = Tag(7);
  OrderingFields second = first;
  second.relaxed = true;
  second.id_based = true;
  CHECK(may_pass(second, first) == Passing::kMustNot);
  second.tag = Tag(8);
  CHECK(may_pass(second, first) == Passing::kMay);
  second.tag = Tag(7);
  second.requester = Bdf(3, 0, 1);
  CHECK(may_pass(second, first) == Passing::kMay);
}

TEST_CASE("posted requests must pass completions only towards conventional PCI", "[ordering]") {
  const OrderingFields posted = tlp(kPosted);
  const OrderingFields completion = tlp(OrderingClass::kCompletion);
  CHECK(may_pass(posted, completion) == Passing::kMay);
  CHECK(may_pass(posted, completion, true) == Passing::kMust);
  CHECK(may_pass(tlp(kReadRequest), completion, true) == Passing::kMay);
  CHECK(may_pass(completion, posted, true) == Passing::kMustNot);
}

TEST_CASE("the table alone agrees with the full rules of plain TLPs", "[ordering]") {
  for (const OrderingClass later : kClasses) {
    for (const OrderingClass earlier : kClasses) {
      OrderingFields second = tlp(later);
      second.tag = Tag(1);
      CHECK(may_pass(second, tlp(earlier)) == basic_passing(later, earlier));
    }
  }
}

TEST_CASE("no cycle of blocking: posted and completions get past every non-posted", "[ordering]") {
  for (const OrderingClass later : {kPosted, OrderingClass::kCompletion}) {
    for (const OrderingClass earlier : {kReadRequest, kNonPostedWithData}) {
      CHECK(basic_passing(later, earlier) == Passing::kMust);
    }
  }
}

}  // namespace
}  // namespace peerfab::pcie
