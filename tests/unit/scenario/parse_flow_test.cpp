// SPDX-License-Identifier: Apache-2.0
// The entries of `do:`.
#include <string>

#include "tests/support/catch.h"
#include "tests/unit/scenario/parsing.h"

namespace peerfab::scenario::test {

namespace {

Parsed step(const std::string& verb_and_keys) {
  return parse(with_steps("  - " + verb_and_keys + "\n"));
}

FlowSpec good_flow(const std::string& verb_and_keys) {
  const Parsed parsed = step(verb_and_keys);
  INFO(parsed.rendered());
  REQUIRE(parsed.scenario);
  return parsed.scenario->flows.front();
}

}  // namespace

TEST_CASE("a copy with nothing but what it needs gets documented defaults") {
  const FlowSpec flow = good_flow("copy: {from: gpu0, to: gpu1, size: 1GiB}");
  CHECK(flow.name == "copy");
  CHECK(flow.verb == Verb::kCopy);
  CHECK(flow.from == "gpu0");
  CHECK(flow.to == "gpu1");
  CHECK(flow.by.empty());
  CHECK(flow.size == Bytes(1U << 30));
  CHECK(flow.chunk == Bytes(4U << 20));
  CHECK(flow.row == flow.chunk);
  CHECK(flow.stride == flow.chunk);
  CHECK(flow.queue_depth == 2);
  CHECK(flow.count == 1);
  CHECK(flow.start == Picoseconds(0));
  CHECK(flow.after.empty());
  CHECK_FALSE(flow.interval);
  CHECK(flow.via == Via::kAuto);
  CHECK(flow.staging.empty());
  CHECK(flow.staging_chunk == Bytes(1U << 20));
  CHECK(flow.staging_buffers == 2);
  CHECK(flow.where.line == 4);
  CHECK(flow.from_where.line == 4);
}

TEST_CASE("every key of a copy is read") {
  const FlowSpec flow = good_flow(
      "copy: {name: c-1, from: gpu0, to: gpu1, by: gpu1, size: 1MiB, chunk: 64KiB, row: 4KiB, "
      "stride: 8KiB, from_offset: 4B, to_offset: 1KiB, queue_depth: 3, count: 5, start: 2us, "
      "interval: 7ns, via: host, staging: cpu1, staging_chunk: 32KiB, staging_buffers: 1}");
  CHECK(flow.name == "c-1");
  CHECK(flow.by == "gpu1");
  CHECK(flow.chunk == Bytes(64 << 10));
  CHECK(flow.row == Bytes(4096));
  CHECK(flow.stride == Bytes(8192));
  CHECK(flow.from_offset == Bytes(4));
  CHECK(flow.to_offset == Bytes(1024));
  CHECK(flow.queue_depth == 3);
  CHECK(flow.count == 5);
  CHECK(flow.total() == Bytes(5U << 20));
  CHECK(flow.start == Picoseconds(2'000'000));
  CHECK(flow.interval == Picoseconds(7000));
  CHECK(flow.via == Via::kHost);
  CHECK(flow.staging == "cpu1");
  CHECK(flow.staging_chunk == Bytes(32 << 10));
  CHECK(flow.staging_buffers == 1);
}

TEST_CASE("no transaction and no staging buffer is larger than the whole") {
  const FlowSpec flow = good_flow("copy: {from: a, to: b, size: 100B}");
  CHECK(flow.chunk == Bytes(100));
  CHECK(flow.row == Bytes(100));
  CHECK(flow.staging_chunk == Bytes(100));
}

TEST_CASE("a flow has no way to choose and no rows") {
  CHECK(good_flow("flow: {from: a, to: b, size: 1KiB}").verb == Verb::kFlow);
  for (const char* key : {"via: p2p", "row: 64B", "staging_buffers: 1"}) {
    const Parsed parsed = step(std::string("flow: {from: a, to: b, size: 1KiB, ") + key + "}");
    INFO(key);
    CHECK_FALSE(parsed.scenario);
  }
}

TEST_CASE("keys that are missing are named, all of them") {
  const Parsed parsed = step("copy: {size: 1GiB}");
  CHECK_FALSE(parsed.scenario);
  REQUIRE(parsed.diagnostics.error_count() == 2);
  CHECK(parsed.diagnostics.all()[0].message == "copy needs 'from'");
  CHECK(parsed.diagnostics.all()[1].message == "copy needs 'to'");
}

TEST_CASE("zero, negative, unitless and huge quantities are errors with a position") {
  const char* const values[] = {"size: 0B",
                                "size: -1B",
                                "size: 64",
                                "size: 1GiB, chunk: 0B",
                                "size: 1GiB, queue_depth: 0",
                                "size: 1GiB, queue_depth: 65537",
                                "size: 1GiB, count: 0",
                                "size: 1GiB, count: 1B",
                                "size: 1GiB, start: 4",
                                "size: 1GiB, start: -4ns",
                                "size: 99999999999999999999GiB",
                                "size: 2000TiB",
                                "size: 1GiB, staging_buffers: 0",
                                "size: 1GiB, via: bus"};
  for (const char* value : values) {
    const Parsed parsed = step(std::string("copy: {from: a, to: b, ") + value + "}");
    INFO(value);
    CHECK_FALSE(parsed.scenario);
    REQUIRE(parsed.diagnostics.error_count() == 1);
    CHECK(parsed.diagnostics.all()[0].where.line == 4);
    CHECK(parsed.diagnostics.all()[0].where.column > 1);
  }
}

TEST_CASE("rows must fit into a transaction and not overlap") {
  CHECK(step("copy: {from: a, to: b, size: 1KiB, row: 2KiB}").only_finding() ==
        "row-above-chunk at 4:45");
  CHECK(step("copy: {from: a, to: b, size: 1KiB, row: 64B, stride: 63B}").only_finding() ==
        "stride-below-row at 4:58");
  CHECK(good_flow("copy: {from: a, to: b, size: 1KiB, row: 64B}").stride == Bytes(64));
}

TEST_CASE("what would overflow is refused") {
  CHECK(step("copy: {from: a, to: b, size: 1024TiB, count: 1000000}").only_finding() ==
        "flow-too-large at 4:50");
  CHECK(step("copy: {from: a, to: b, size: 1024TiB, chunk: 1B, row: 1B, stride: 1024TiB}")
            .only_finding() == "flow-too-large at 4:71");
  CHECK(step("flow: {from: a, to: b, size: 1TiB, chunk: 1B, interval: 1000s}").only_finding() ==
        "flow-too-long at 4:61");
}

TEST_CASE("flows without a name are numbered by verb around the names that are taken") {
  const Parsed parsed =
      parse(with_steps("  - copy: {from: a, to: b, size: 1B}\n"
                       "  - copy: {from: a, to: b, size: 1B}\n"
                       "  - copy: {from: a, to: b, size: 1B, name: copy2}\n"
                       "  - flow: {from: a, to: b, size: 1B}\n"));
  REQUIRE(parsed.scenario);
  const auto& flows = parsed.scenario->flows;
  CHECK(flows[0].name == "copy");
  CHECK(flows[1].name == "copy3");
  CHECK(flows[2].name == "copy2");
  CHECK(flows[3].name == "flow");
}

TEST_CASE("names are unique and can stand in an expectation") {
  CHECK(parse(with_steps("  - copy: {from: a, to: b, size: 1B, name: x}\n"
                         "  - flow: {from: a, to: b, size: 1B, name: x}\n"))
            .only_finding() == "duplicate-name at 5:44");
  for (const char* name : {"\"a b\"", "a.b", "\"a[0]\"", "\"\""}) {
    INFO(name);
    CHECK_FALSE(step(std::string("copy: {from: a, to: b, size: 1B, name: ") + name + "}").scenario);
  }
}

TEST_CASE("after names other flows, one or several") {
  const Parsed parsed =
      parse(with_steps("  - copy: {from: a, to: b, size: 1B, name: one}\n"
                       "  - copy: {from: a, to: b, size: 1B, name: two, after: one}\n"
                       "  - copy: {from: a, to: b, size: 1B, name: three, after: [one, two]}\n"));
  INFO(parsed.rendered());
  REQUIRE(parsed.scenario);
  CHECK(parsed.scenario->flows[1].after == std::vector<std::string>{"one"});
  CHECK(parsed.scenario->flows[2].after == std::vector<std::string>{"one", "two"});
}

TEST_CASE("after must name a flow that exists and never lead in a circle") {
  CHECK(parse(with_steps("  - copy: {from: a, to: b, size: 1B, name: one}\n"
                         "  - copy: {from: a, to: b, size: 1B, after: noe}\n"))
            .only_finding() == "unknown-reference at 5:45");
  CHECK(step("copy: {from: a, to: b, size: 1B, after: copy}").only_finding() ==
        "circular-order at 4:45");
  CHECK(parse(with_steps("  - copy: {from: a, to: b, size: 1B, name: x, after: z}\n"
                         "  - copy: {from: a, to: b, size: 1B, name: y, after: x}\n"
                         "  - copy: {from: a, to: b, size: 1B, name: z, after: [y]}\n"))
            .only_finding() == "circular-order at 4:54");
}

}  // namespace peerfab::scenario::test
