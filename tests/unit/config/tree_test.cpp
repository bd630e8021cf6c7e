// SPDX-License-Identifier: Apache-2.0
#include "sim/config/tree.h"

#include "tests/support/catch.h"
#include "tests/unit/config/support.h"

using peerfab::config::Node;
using namespace peerfab::config::test;

TEST_CASE("maps, lists and scalars are read in their order", "[tree]") {
  const Node root = parsed("b: 1\na: [x, {c: 2}]\nd:\n  - e\n");
  REQUIRE(root.is_map());
  CHECK(root.keys() == std::vector<std::string>{"b", "a", "d"});
  REQUIRE(root.find("a")->is_sequence());
  CHECK(root.find("a")->items()[0].text() == "x");
  CHECK(root.find("a")->items()[1].find("c")->text() == "2");
  CHECK(root.find("d")->items().size() == 1);
  CHECK(root.find("nothing") == nullptr);
  CHECK(root.find_entry("nothing") == nullptr);
  CHECK(root.find_entry("b")->value.text() == "1");
  CHECK(root.text().empty());
  CHECK(root.items().empty());
  CHECK(root.find("b")->find("x") == nullptr);
}

TEST_CASE("keys are found in maps of any size", "[tree]") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "k" + std::to_string(i * 7 % 300) + ": " + "v\n";
  const Node root = parsed(text);
  REQUIRE(root.entries().size() == 300);
  for (int i = 0; i < 300; ++i) {
    const Node::Entry* entry = root.find_entry("k" + std::to_string(i));
    REQUIRE(entry != nullptr);
    CHECK(entry->key == "k" + std::to_string(i));
  }
}

TEST_CASE("every key and value knows its place and its length", "[tree]") {
  const Node root = parsed(
      "devices:\n"
      "  gpu0: {model: gpu, at: sw0}   # comment\n"
      "  \"quo ted\": 'it''s'\n"
      "  list:\n"
      "    - first word\n"
      "    - - inner\n");
  const Node& devices = *root.find("devices");
  CHECK(place(root.where()) == "1:1+1");
  CHECK(place(devices.where()) == "1:1+7");  // a block map stands at its key
  CHECK(place(devices.find_entry("gpu0")->key_where) == "2:3+4");
  CHECK(place(devices.find("gpu0")->where()) == "2:9+1");  // a flow map at its bracket
  CHECK(place(devices.find("gpu0")->find("at")->where()) == "2:26+3");
  CHECK(place(devices.find_entry("quo ted")->key_where) == "3:3+9");
  CHECK(place(devices.find("quo ted")->where()) == "3:14+7");
  CHECK(devices.find("quo ted")->text() == "it's");
  const Node& list = *devices.find("list");
  CHECK(place(list.where()) == "4:3+4");
  CHECK(place(list.items()[0].where()) == "5:7+10");
  CHECK(place(list.items()[1].items()[0].where()) == "6:9+5");
}

TEST_CASE("every node knows its path", "[tree]") {
  const Node root = parsed("devices: {gpu1: {at: sw0}}\ndo:\n  - copy: {to: [a, b]}\n");
  CHECK(root.where().path.empty());
  CHECK(root.find("devices")->find("gpu1")->find("at")->where().path == "devices.gpu1.at");
  CHECK(root.find("devices")->find_entry("gpu1")->key_where.path == "devices.gpu1");
  const Node& copy = *root.find("do")->items()[0].find("copy");
  CHECK(copy.where().path == "do[0].copy");
  CHECK(copy.find("to")->items()[1].where().path == "do[0].copy.to[1]");
  CHECK(root.where().file == "t.yaml");
}

TEST_CASE("columns and lengths count characters, not bytes", "[tree]") {
  const Node root = parsed("\xc3\xa9\xe2\x86\x92: \xc3\xbc\xf0\x9f\x98\x80x\n");
  CHECK(place(root.entries()[0].key_where) == "1:1+2");
  CHECK(place(root.entries()[0].value.where()) == "1:5+3");
}

TEST_CASE("empty values stand at their key, written nulls at themselves", "[tree]") {
  const Node root = parsed("a:\n\nb: ~\nc: null # x\nd: [~, x]\ne: {f, g: }\nh:\n  -\n  - null\n");
  REQUIRE(root.find("a")->is_null());
  CHECK(place(root.find("a")->where()) == "1:1+1");
  CHECK(place(root.find("b")->where()) == "3:4+1");
  CHECK(place(root.find("c")->where()) == "4:4+4");
  CHECK(place(root.find("d")->items()[0].where()) == "5:5+1");
  CHECK(place(root.find("e")->find("f")->where()) == "6:5+1");
  CHECK(place(root.find("e")->find("g")->where()) == "6:8+1");
  CHECK(place(root.find("h")->items()[0].where()) == "7:1+1");
  CHECK(place(root.find("h")->items()[1].where()) == "9:5+4");
  CHECK(parsed("nullable: nullify\n").find("nullable")->is_scalar());
}

TEST_CASE("quoting is remembered and hides nulls", "[tree]") {
  const Node root = parsed("a: \"null\"\nb: 5\nc: '5'\nd: |\n  x\n  y\n");
  CHECK(root.find("a")->is_scalar());
  CHECK(root.find("a")->quoted());
  CHECK_FALSE(root.find("b")->quoted());
  CHECK(root.find("c")->quoted());
  CHECK(root.find("c")->text() == "5");
  CHECK(root.find("d")->text() == "x\ny\n");
  CHECK(place(root.find("d")->where()) == "4:4+1");
}

TEST_CASE("scalars over several lines are marked on their first", "[tree]") {
  const Node root = parsed("a: one\n  two\nb: \"three\n  four\"\nc: x\n");
  CHECK(root.find("a")->text() == "one two");
  CHECK(place(root.find("a")->where()) == "1:4+3");
  CHECK(root.find("b")->text() == "three four");
  CHECK(place(root.find("b")->where()) == "3:4+6");
  CHECK(place(root.find("c")->where()) == "5:4+1");
}

TEST_CASE("windows line ends and a byte order mark change nothing", "[tree]") {
  const Node windows = parsed("a: 1\r\nb:\r\n  c: two words\r\n");
  CHECK(place(windows.find("b")->find("c")->where()) == "3:6+9");
  CHECK(windows.find("b")->find("c")->text() == "two words");
  CHECK(parsed("\xef\xbb\xbf"
               "a: 1\n")
            .find("a")
            ->text() == "1");
  // The mark is a character of the text that was given.
  CHECK(refusal("\xef\xbb\xbf"
                "a: 1\na: 2\n") == "duplicate-key@2:1+1");
}

TEST_CASE("an alias is replaced by what it names, at the place where that stands", "[tree]") {
  const Node root = parsed("a: &x {b: &y 1}\nc: *x\nd: [*y, *y]\ne: &z\n  f: g\nh: *z\n");
  CHECK(root.find("c")->find("b")->text() == "1");
  CHECK(place(root.find("c")->where()) == "1:7+1");
  CHECK(root.find("c")->find("b")->where().path == "c.b");
  CHECK(root.find("d")->items()[1].text() == "1");
  CHECK(place(root.find("d")->items()[0].where()) == "1:14+1");
  CHECK(root.find("h")->find("f")->text() == "g");
}

TEST_CASE("an anchor given again names the later value", "[tree]") {
  const Node root = parsed("a: &x 1\nb: *x\nc: &x 2\nd: *x\n");
  CHECK(root.find("b")->text() == "1");
  CHECK(root.find("d")->text() == "2");
}

TEST_CASE("a document may start with directives and dashes", "[tree]") {
  CHECK(parsed("%YAML 1.2\n---\na: 1\n...\n").find("a")->text() == "1");
}

TEST_CASE("copies of a tree stand for themselves", "[tree]") {
  Node copy;
  {
    const Node root = parsed("a: {b: [c]}\n");
    copy = root;
  }
  CHECK(copy.find("a")->find("b")->items()[0].text() == "c");
}
