// SPDX-License-Identifier: Apache-2.0
#include "tools/peerfab/run_report.h"

#include "tests/support/catch.h"

namespace peerfab::cli {
namespace {

using scenario::FlowResult;
using scenario::LinkResult;
using scenario::Outcome;
using scenario::RunResult;
using scenario::VariantResult;

FlowResult flow(const std::string& name, std::uint64_t megabytes_per_second) {
  FlowResult result;
  result.name = name;
  result.bytes = Bytes(1U << 30);
  result.bandwidth = Bandwidth(megabytes_per_second * 1'000'000);
  result.first_byte = Picoseconds(609'000);
  result.transactions = 256;
  result.limited_by = "link gpu0-sw0 up: serialisation";
  return result;
}

LinkResult link(const std::string& name, const std::string& direction, std::uint64_t payload) {
  LinkResult result;
  result.name = name;
  result.direction = direction;
  result.speed = "gen5 x16";
  result.payload = Bytes(payload);
  result.tlp = Bytes(payload / 8 * 9);
  result.dllp = Bytes(payload / 64);
  result.utilisation_ppm = payload == 0 ? 0 : 987'654;
  return result;
}

VariantResult variant(const std::string& name, std::uint64_t rate, std::uint64_t over_root) {
  VariantResult result;
  result.name = name;
  result.flows = {flow("copy", rate)};
  result.links = {link("cpu0-sw0", "up", over_root), link("cpu0-sw0", "down", over_root),
                  link("sw0-gpu0", "up", 1U << 30), link("sw0-gpu0", "down", 0)};
  return result;
}

ReportOptions options() {
  ReportOptions all;
  all.title = "Two GPUs: 1GiB gpu0 -> gpu1";
  all.root_links = {"cpu0-sw0"};
  all.topology_file = "t.yaml";
  return all;
}

}  // namespace

TEST_CASE("two variants of one flow stand below each other") {
  RunResult result;
  result.variants = {variant("p2p", 54'900, 0), variant("bounce", 37'200, 1U << 30)};
  result.expectations = {
      {"p2p.copy.bandwidth within 4% of 53.5GB/s", Outcome::kPassed, 0, 0, 0,
       scenario::Unit::kBandwidth, "is 54.90GB/s; expected 51.36GB/s to 55.64GB/s"},
      {"p2p.copy.time is 0s", Outcome::kFailed, 0, 0, 0, scenario::Unit::kTime, "is 2ns"},
      {"x.copy.time is 0s", Outcome::kNotJudged, 0, 0, 0, scenario::Unit::kTime, "not judged"}};
  CHECK(render_report(result, options()) ==
        "Two GPUs: 1GiB gpu0 -> gpu1\n"
        "           bandwidth   first byte   limited by                        over cpu0-sw0\n"
        "  p2p       54.9GB/s        609ns   link gpu0-sw0 up: serialisation   0B\n"
        "  bounce    37.2GB/s        609ns   link gpu0-sw0 up: serialisation   1GiB up, 1GiB "
        "down\n"
        "  ok       p2p.copy.bandwidth within 4% of 53.5GB/s: is 54.90GB/s; expected 51.36GB/s to "
        "55.64GB/s\n"
        "  FAILED   p2p.copy.time is 0s: is 2ns\n"
        "  ?        x.copy.time is 0s: not judged\n"
        "  p2p is 1.5 times as fast as bounce.  The way: peerfab topo t.yaml --matrix\n");
}

TEST_CASE("one variant is named by its flows") {
  RunResult result;
  result.variants = {variant("run", 54'900, 0)};
  result.variants[0].flows.push_back(flow("other", 1'230));
  result.variants[0].flows[1].finished = false;
  CHECK(render_report(result, options()) ==
        "Two GPUs: 1GiB gpu0 -> gpu1\n"
        "          bandwidth   first byte   limited by                                     over "
        "cpu0-sw0\n"
        "  copy     54.9GB/s        609ns   link gpu0-sw0 up: serialisation                0B\n"
        "  other    1.23GB/s        609ns   link gpu0-sw0 up: serialisation (unfinished)\n"
        "  The way: peerfab topo t.yaml --matrix\n");
}

TEST_CASE("variants of several flows have both names, and no winner") {
  RunResult result;
  result.variants = {variant("a", 100, 0), variant("b", 200, 0)};
  for (VariantResult& one : result.variants) one.flows.push_back(flow("other", 300));
  const std::string text = render_report(result, options());
  CHECK(text.find("  a   copy ") != std::string::npos);
  CHECK(text.find("      other ") != std::string::npos);
  CHECK(text.find("times as fast") == std::string::npos);
}

TEST_CASE("small transactions show their latency") {
  RunResult result;
  result.variants = {variant("run", 100, 0)};
  CHECK(render_report(result, options()).find("p99") == std::string::npos);
  FlowResult& small = result.variants[0].flows[0];
  small.bytes = Bytes(4096 * 3);
  small.transactions = 3;
  small.latency.p50 = Picoseconds(500'000);
  small.latency.p99 = Picoseconds(1'500'000);
  const std::string text = render_report(result, options());
  INFO(text);
  CHECK(text.find("latency p50     p99") != std::string::npos);
  CHECK(text.find("500ns   1.5us") != std::string::npos);
}

TEST_CASE("failed, stopped and unstarted variants say so") {
  RunResult result;
  result.variants = {variant("good", 100, 0), variant("bad", 100, 0), VariantResult()};
  result.variants[1].error = "its process died of signal 11 (Segmentation fault)";
  result.variants[2].name = "late";
  result.variants[2].partial = true;
  const std::string text = render_report(result, options());
  CHECK(text.find("  bad ") != std::string::npos);
  CHECK(text.find("failed: its process died of signal 11") != std::string::npos);
  CHECK(text.find("not started") != std::string::npos);
  CHECK(text.find("  late was stopped: its numbers cover what was done until then.\n") !=
        std::string::npos);
  CHECK(text.find("times as fast") == std::string::npos);
}

TEST_CASE("the table has one line for a failure that is explained in several") {
  RunResult result;
  result.variants = {variant("bad", 100, 0)};
  result.variants[0].error = "deadlock: 2 waits form a circle\n  (1) link a-b down: waits";
  const std::string text = render_report(result, options());
  CHECK(text.find("failed: deadlock: 2 waits form a circle\n") != std::string::npos);
  CHECK(text.find("(1)") == std::string::npos);
}

TEST_CASE("ratios are rounded to tenths below ten and to whole numbers above") {
  const auto closing = [](std::uint64_t fast, std::uint64_t slow) {
    RunResult result;
    result.variants = {variant("a", slow, 0), variant("b", fast, 0)};
    ReportOptions plain = options();
    plain.topology_file.clear();
    const std::string text = render_report(result, plain);
    return text.substr(text.rfind("\n", text.size() - 2) + 1);
  };
  CHECK(closing(149, 100) == "  b is 1.5 times as fast as a.\n");
  CHECK(closing(104, 100) == "  All are equally fast.\n");
  CHECK(closing(105, 100) == "  b is 1.1 times as fast as a.\n");
  CHECK(closing(994, 100) == "  b is 9.9 times as fast as a.\n");
  CHECK(closing(1236, 100) == "  b is 12 times as fast as a.\n");
}

TEST_CASE("several root ports are summed") {
  RunResult result;
  result.variants = {variant("run", 100, 1U << 30)};
  result.variants[0].links.push_back(link("cpu1-sw1", "up", 1U << 30));
  ReportOptions two = options();
  two.root_links = {"cpu0-sw0", "cpu1-sw1"};
  const std::string text = render_report(result, two);
  CHECK(text.find("over the root ports") != std::string::npos);
  CHECK(text.find("2GiB up, 1GiB down") != std::string::npos);
}

TEST_CASE("verbose adds the breakdown and the links") {
  RunResult result;
  result.variants = {variant("run", 100, 0)};
  FlowResult& one = result.variants[0].flows[0];
  one.latency.mean = Picoseconds(77'000'000);
  one.breakdown_mean[stats::Segment::kSerialisation] = Picoseconds(76'000'000);
  one.breakdown_mean[stats::Segment::kMemory] = Picoseconds(1'000'000);
  ReportOptions verbose = options();
  verbose.verbose = true;
  const std::string text = render_report(result, verbose);
  CHECK(text.find("Where the time of a transaction goes:\n") != std::string::npos);
  CHECK(text.find("serialisation") != std::string::npos);
  CHECK(text.find("76us") != std::string::npos);
  CHECK(text.find("98.8%") != std::string::npos);
  CHECK(text.find("1.13GiB") != std::string::npos);
}

TEST_CASE("monitors are summed over the variants, and the first violations are told") {
  RunResult result;
  result.variants = {variant("p2p", 54'900, 0), variant("bounce", 37'200, 1U << 30)};
  CHECK_THAT(render_report(result, options()), !Catch::Contains("Conformance"));
  result.variants[0].monitors = {{"tag-reuse", "2.2.6.2", 1000, 0, {}},
                                 {"ordering", "2.4.1", 500, 0, {}}};
  result.variants[1].monitors = {{"tag-reuse", "2.2.6.2", 10, 0, {}},
                                 {"ordering", "2.4.1", 50, 9, {"one", "two", "three", "four"}}};
  CHECK_THAT(render_report(result, options()),
             Catch::Contains("Conformance of all links:\n"
                             "  monitor     PCIe r6.0     checks   violations\n"
                             "  tag-reuse   sec 2.2.6.2     1010            0\n"
                             "  ordering    sec 2.4.1        550            9\n"));
  CHECK(render_violations(result) ==
        "peerfab: bounce: one\npeerfab: bounce: two\npeerfab: bounce: three\n"
        "peerfab: bounce: ordering: 6 more\n");
}

}  // namespace peerfab::cli
