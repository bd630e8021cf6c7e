// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/link_event.h"

#include <string>

#include "tests/support/catch.h"
#include "tests/unit/scenario/parsing.h"

namespace peerfab::scenario {
namespace {

test::Parsed parse(const std::string& events) {
  return test::parse(
      "peerfab: 1\ntopology: t.yaml\ndo: [{copy: {from: a, to: b, size: 1MiB}}]\n"
      "link_events:\n" +
      events);
}

TEST_CASE("link events are read", "[link-event]") {
  const test::Parsed parsed = parse(
      "  - {link: cpu0-sw0, event: retrain, at: 10us}\n"
      "  - {link: cpu0-sw0, event: speed, at: 20us, to: gen3 x8}\n"
      "  - {link: sw0-gpu0, event: surprise-down, at: 30us}\n"
      "  - {link: sw0-gpu0, event: damage-tlp, direction: up, number: 7}\n"
      "  - {link: sw0-gpu0, event: damage-tlp, direction: up, number: 3}\n"
      "  - {link: sw0-gpu0, event: damage-ack, direction: down, number: 1}\n");
  INFO(parsed.rendered());
  REQUIRE(parsed.scenario.has_value());
  const std::vector<LinkEvent>& events = parsed.scenario->link_events;
  REQUIRE(events.size() == 6);
  CHECK(events[0].kind == LinkEvent::Kind::kRetrain);
  CHECK(events[0].at == Picoseconds(10'000'000));
  CHECK(events[1].to == config::LinkSpeed{3, 8});
  CHECK(events[2].kind == LinkEvent::Kind::kSurpriseDown);
  CHECK(events[3].up);
  CHECK(events[3].number == 7);

  const topology::LinkFaultsByName faults = link_faults(events);
  REQUIRE(faults.size() == 2);
  CHECK(faults.at("sw0-gpu0").up.tlps == std::vector<std::uint64_t>{3, 7});
  CHECK(faults.at("sw0-gpu0").down.acknowledgements == std::vector<std::uint64_t>{1});
  CHECK(faults.at("cpu0-sw0").up.tlps.empty());
}

TEST_CASE("what makes no sense in a link event is refused with its place", "[link-event]") {
  CHECK(parse("  - {event: retrain, at: 1us}\n").only_finding() == "missing-key at 5:5");
  CHECK(parse("  - {link: a-b, event: retrain}\n").only_finding() == "missing-key at 5:5");
  CHECK(parse("  - {link: a-b, event: speed, at: 1us}\n").only_finding() == "missing-key at 5:5");
  CHECK(parse("  - {link: a-b, event: retrain, at: 1us, number: 2}\n").only_finding() ==
        "senseless-key at 5:50");
  CHECK(parse("  - {link: a-b, event: damage-tlp, direction: up, number: 0}\n").only_finding() ==
        "out-of-range at 5:59");
  CHECK(parse("  - {link: a-b, event: retrian, at: 1us}\n").only_finding() ==
        "unknown-choice at 5:24");
  CHECK(parse("  - {link: a-b, event: retrain, at: 1}\n").only_finding() == "missing-unit at 5:37");
  CHECK(parse("  - retrain\n").only_finding() == "bad-link-event at 5:5");
  CHECK(parse("  a: 1\n").only_finding().find("bad-link-event") == 0);
}

}  // namespace
}  // namespace peerfab::scenario
