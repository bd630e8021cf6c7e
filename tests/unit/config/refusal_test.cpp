// SPDX-License-Identifier: Apache-2.0
// What parse_yaml() refuses, with the place it points at.
#include "sim/config/tree.h"
#include "tests/support/catch.h"
#include "tests/unit/config/support.h"

using namespace peerfab;
using namespace peerfab::config::test;
using peerfab::config::kMaxDepth;
using peerfab::config::kMaxNodes;
using peerfab::config::kMaxTextBytes;

TEST_CASE("a key given twice is refused, in every map and style", "[yaml]") {
  CHECK(refusal("a: 1\nbb: 2\na: 3\nbb: 4\n") == "duplicate-key@3:1+1 duplicate-key@4:1+2");
  CHECK(refusal("{a: 1, \"a\": 2}") == "duplicate-key@1:8+3");
  CHECK(refusal("x: {a: {b: 1, b: 2}}") == "duplicate-key@1:15+1");
  CHECK(parsed("a: {x: 1}\nb: {x: 1}\n").is_map());
}

TEST_CASE("keys must be words", "[yaml]") {
  CHECK(refusal("? [q]\n: r\n") == "bad-key@1:3+1");
  CHECK(refusal("{a: 1}: 2\n") == "bad-key@1:1+1");
  CHECK(refusal("a: &x b\n*x : 2\n") == "bad-key@2:1+2");
  CHECK(refusal("~: 2\n") == "bad-key@1:1+1");
  CHECK(refusal("null: 2\n") == "bad-key@1:1+1");
  CHECK(refusal("\"\": 2\n") == "bad-key@1:1+2");
  CHECK(refusal("? " + std::string(1025, 'k') + "\n: 1\n") == "bad-key@1:3+1025");
  CHECK(refusal("? " + std::string(1024, 'k') + "\n: 1\n") == "accepted");
}

TEST_CASE("merge keys and tags are refused by name", "[yaml]") {
  CHECK(refusal("a: &x {b: 1}\nc:\n  <<: *x\n") == "merge-key@3:3+2");
  CHECK(refusal("a: !!str 5\n") == "yaml-tag@1:4+1");
  CHECK(refusal("a: ! x\n") == "yaml-tag@1:4+1");
  CHECK(refusal("a: !foo {b: 1}\n") == "yaml-tag@1:4+1");
  CHECK(refusal("a: &x !foo\n") == "yaml-tag@1:7+1");
  CHECK(refusal("!foo : 1\n") == "yaml-tag@1:1+1");
  CHECK(refusal("- !!seq [1]\n") == "yaml-tag@1:3+1");
  CHECK(parsed("a: x!y\n").find("a")->text() == "x!y");
}

TEST_CASE("one file is one document", "[yaml]") {
  CHECK(refusal("a: 1\n---\nb: 2\n") == "several-documents@2:1+3");
  CHECK(refusal("a: 1\n...\n---\n") == "several-documents@3:1+3");
  CHECK(refusal(" a: 1\nb: 2\n") == "yaml-syntax@2:1+1");  // less indented than what it continues
  CHECK(refusal("") == "empty-file@0:0+1");
  CHECK(refusal("# only a comment\n\n") == "empty-file@0:0+1");
}

TEST_CASE("aliases must name a value that is complete", "[yaml]") {
  CHECK(refusal("a: &x [*x]\n") == "self-reference@1:8+2");
  CHECK(refusal("a: &x\n  b:\n    - *x\n") == "self-reference@3:7+2");
  CHECK(refusal("a: *nope\n") == "yaml-syntax@1:4+5");
  CHECK(refusal("a: *x\nb: &x 1\n") == "yaml-syntax@1:4+2");
}

TEST_CASE("what is not closed is pointed at where it was opened", "[yaml]") {
  CHECK(refusal("a: [1, 2\n") == "yaml-syntax@1:4+1");
  CHECK(refusal("a:\n  b: {model: gpu, at: sw0\n  c: {d: e}\n") == "yaml-syntax@2:6+1");
  CHECK(refusal("a: [x, {b: c\n") == "yaml-syntax@1:8+1");
  CHECK(refusal("a: \"open\nb: 1\n") == "yaml-syntax@1:4+5");
  CHECK(refusal("a: 'it''s\n") == "yaml-syntax@1:4+6");
  CHECK(refusal("a: \"x\\\"") == "yaml-syntax@1:4+4");
  CHECK(refusal("\"open: 1") == "yaml-syntax@1:1+8");
}

TEST_CASE("a value in brackets that breaks off anywhere is refused", "[yaml]") {
  const std::string whole = "a: {b: [x, {c: \"d\"}, 'e'], f: [[1], 2]}";
  CHECK(refusal(whole) == "accepted");
  for (std::size_t length = 4; length < whole.size(); ++length) {
    INFO(whole.substr(0, length));
    CHECK(refusal(whole.substr(0, length)).substr(0, 12) == "yaml-syntax@");
    CHECK(refusal(whole.substr(0, length) + "\n").substr(0, 12) == "yaml-syntax@");
  }
}

TEST_CASE("an open quote is found behind comments and closed quotes", "[yaml]") {
  CHECK(refusal("a: 'x' # don't\nb: don't # it's\nc: [\"y\", \"z]\n") == "yaml-syntax@3:10+3");
}

TEST_CASE("broken structure is pointed at where it breaks", "[yaml]") {
  CHECK(refusal("a: b: c\n") == "yaml-syntax@1:5+1");
  CHECK(refusal("a: 1\n b: 2\n") == "yaml-syntax@2:3+1");
  CHECK(refusal("a:\n  b: 1\n word\n") == "yaml-syntax@3:2+4");
  CHECK(refusal("a: 1\n- b\n") == "yaml-syntax@2:1+1");
  CHECK(refusal("a: ]\n") == "yaml-syntax@1:4+1");
  CHECK(refusal("a: {b: 1}}\n") == "yaml-syntax@1:10+1");
  CHECK(refusal("a: @x\n") == "yaml-syntax@1:4+1");
  CHECK(refusal("%YAML 9.9\n---\na: 1\n") == "yaml-syntax@1:1+1");
}

TEST_CASE("tabs that indent are named", "[yaml]") {
  CHECK(refusal("\ta: 1\n") == "yaml-syntax@1:1+1");
  CHECK(refusal("a:\n  b: 1\n  \tc: 1\n") == "yaml-syntax@3:3+1");
  CHECK(parsed("a:\t1\n").find("a")->text() == "1");
}

TEST_CASE("an error and a break of structure are both reported", "[yaml]") {
  CHECK(refusal("a: 1\na: 2\nb: ]\n") == "duplicate-key@2:1+1 yaml-syntax@3:4+1");
}

TEST_CASE("after fifty errors the rest is not read", "[yaml]") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "a: 1\n";
  Diagnostics diagnostics;
  CHECK_FALSE(config::parse_yaml(text, "t.yaml", diagnostics));
  CHECK(diagnostics.error_count() == 50);
}

TEST_CASE("what is not text is refused where it starts", "[yaml]") {
  CHECK(refusal(std::string_view("a: \0", 4)) == "not-text@1:4+1");
  CHECK(refusal("a: 1\nb: \x1b[0m\n") == "not-text@2:4+1");
  CHECK(refusal("a: \x7f\n") == "not-text@1:4+1");
  CHECK(refusal("a: \xc3\xa9\xff\n") == "not-text@1:5+1");
  CHECK(refusal("a: \xe2\x86") == "not-text@1:4+1");  // cut off within a character
  CHECK(refusal(std::string_view("\xff\xfe"
                                 "a\0",
                                 4)) == "not-text@0:0+1");
  CHECK(refusal(std::string_view("\xfe\xff\0a", 4)) == "not-text@0:0+1");
}

TEST_CASE("a text may be as large as the limit and no larger", "[yaml][limits]") {
  std::string text = "a: 1\n";
  text += std::string(kMaxTextBytes - text.size(), ' ');
  CHECK(refusal(text) == "accepted");
  text += " ";
  CHECK(refusal(text) == "too-large@0:0+1");
}

TEST_CASE("values may nest to the limit and no deeper", "[yaml][limits]") {
  const auto flow = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(refusal(flow(kMaxDepth)) == "accepted");
  CHECK(refusal(flow(kMaxDepth + 1)) == "too-deep@1:" + std::to_string(kMaxDepth + 1) + "+1");
  const auto block = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += std::string(i, ' ') + "a:\n";
    return text;
  };
  CHECK(refusal(block(kMaxDepth)) == "accepted");
  CHECK(refusal(block(kMaxDepth + 1)).substr(0, 9) == "too-deep@");
}

TEST_CASE("aliases do not get around the limit on depth", "[yaml][limits]") {
  const std::string outer(kMaxDepth - 2, '[');
  const std::string closing(kMaxDepth - 2, ']');
  // The list itself, the brackets, and the depth of what the alias names.
  CHECK(refusal("- &x [1]\n- " + outer + "*x" + closing + "\n") == "accepted");
  CHECK(refusal("- &x [[1]]\n- " + outer + "*x" + closing + "\n") ==
        "too-deep@2:" + std::to_string(3 + outer.size()) + "+2");
}

TEST_CASE("a megabyte of open brackets is refused at once", "[yaml][limits]") {
  CHECK(refusal(std::string(1 << 20, '[')) == "too-deep@1:1001+1");
  CHECK(refusal(std::string(1 << 20, '{')) == "too-deep@1:1001+1");
  std::string mixed;
  for (int i = 0; i < (1 << 18); ++i) mixed += "{a: [";
  CHECK(refusal(mixed).substr(0, 9) == "too-deep@");
}

TEST_CASE("deep nesting without brackets is refused as well", "[yaml][limits]") {
  std::string dashes;
  for (int i = 0; i < (1 << 19); ++i) dashes += "- ";
  CHECK(refusal(dashes).substr(0, 9) == "too-deep@");
  std::string questions;
  for (int i = 0; i < (1 << 19); ++i) questions += "? ";
  CHECK(refusal(questions) == "bad-key@1:3+1");
}

TEST_CASE("a file may hold as many values as the limit and no more", "[yaml][limits]") {
  const auto list = [](std::size_t items) {
    std::string text;
    for (std::size_t i = 0; i < items; ++i) text += "- 1\n";
    return text;
  };
  CHECK(refusal(list(kMaxNodes - 1)) == "accepted");  // and the list itself
  CHECK(refusal(list(kMaxNodes)) == "too-many-nodes@" + std::to_string(kMaxNodes) + ":3+1");
}

TEST_CASE("aliases that multiply are refused before they fill the memory", "[yaml][limits]") {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) text += (j == 0 ? "" : ", ") + below;
    text += "]\n";
  }
  CHECK(refusal(text).substr(0, 15) == "too-many-nodes@");
  std::string long_text = "- &x " + std::string(1 << 20, 't') + "\n";
  for (int i = 0; i < 100; ++i) long_text += "- *x\n";
  CHECK(refusal(long_text).substr(0, 15) == "too-many-nodes@");
}

TEST_CASE("brackets and commas without end are refused before they are scanned", "[yaml][limits]") {
  CHECK(refusal("[" + std::string(1 << 20, ',')).substr(0, 15) == "too-many-nodes@");
  CHECK(refusal(std::string(1 << 20, ']')).substr(0, 15) == "too-many-nodes@");
}

TEST_CASE("many values in one line are read in linear time", "[yaml][limits]") {
  std::string text = "[";
  for (std::size_t i = 0; i < kMaxNodes - 1; ++i) text += "\"v\",";
  text += "]";
  CHECK(refusal(text) == "accepted");
}

TEST_CASE("keys that nest do not make paths without end", "[yaml][limits]") {
  std::string text;
  for (int i = 0; i < 30; ++i) text += std::string(i, ' ') + std::string(200, 'k') + ":\n";
  const config::Node root = parsed(text);
  const config::Node* node = &root;
  while (node->is_map()) node = &node->entries()[0].value;
  CHECK(node->where().path.size() <= 512);
}
