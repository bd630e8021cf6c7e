// SPDX-License-Identifier: Apache-2.0
#include "sim/base/diagnostics.h"

#include <sstream>

#include "tests/support/catch.h"

using peerfab::Diagnostics;
using peerfab::SourceLocation;
using peerfab::SourceTexts;

namespace {

std::string render(const Diagnostics& diagnostics, const SourceTexts& texts) {
  std::ostringstream out;
  diagnostics.render(out, texts);
  return out.str();
}

SourceLocation at(unsigned line, unsigned column, unsigned length = 1) {
  return {"lab.yaml", line, column, length, ""};
}

}  // namespace

TEST_CASE("a finding is printed with its line, a caret and its hint", "[diagnostics]") {
  SourceTexts texts;
  texts.add("lab.yaml", "devices:\n  gpu1: {model: gpu, at: sw1, link: gen5 x16}\n");
  Diagnostics diagnostics;
  diagnostics.error("unknown-reference", at(2, 26, 3), "no device or socket is called 'sw1'",
                    "did you mean 'sw0'?");
  CHECK(render(diagnostics, texts) ==
        "lab.yaml:2:26: error[unknown-reference]: no device or socket is called 'sw1'\n"
        "   2 |   gpu1: {model: gpu, at: sw1, link: gen5 x16}\n"
        "     |                          ^~~ did you mean 'sw0'?\n");
}

TEST_CASE("without a hint nothing follows the caret", "[diagnostics]") {
  SourceTexts texts;
  texts.add("lab.yaml", "a: 1\r\n");
  Diagnostics diagnostics;
  diagnostics.warning("w", at(1, 4), "m");
  CHECK(render(diagnostics, texts) == "lab.yaml:1:4: warning[w]: m\n   1 | a: 1\n     |    ^\n");
}

TEST_CASE("the gutter grows with the line number", "[diagnostics]") {
  SourceTexts texts;
  texts.add("lab.yaml", std::string(12344, '\n') + "x: y\n");
  Diagnostics diagnostics;
  diagnostics.note("n", at(12345, 1), "m");
  CHECK(render(diagnostics, texts) == "lab.yaml:12345:1: note[n]: m\n12345 | x: y\n      | ^\n");
}

TEST_CASE("findings without a line, a file or a known text have no excerpt", "[diagnostics]") {
  Diagnostics diagnostics;
  diagnostics.error("unreadable", {"lab.yaml", 0, 0, 1, ""}, "cannot be read: no such file");
  diagnostics.error("bad-option", {}, "m", "try --help");
  diagnostics.error("elsewhere", at(3, 1), "m");
  CHECK(render(diagnostics, SourceTexts()) ==
        "error[bad-option]: m\n"
        "     | try --help\n"
        "lab.yaml: error[unreadable]: cannot be read: no such file\n"
        "lab.yaml:3:1: error[elsewhere]: m\n");
}

TEST_CASE("findings are printed by file, line and column, those of one place as found",
          "[diagnostics]") {
  Diagnostics diagnostics;
  diagnostics.error("e", {"b.yaml", 1, 1, 1, ""}, "m");
  diagnostics.error("d", {"a.yaml", 10, 1, 1, ""}, "m");
  diagnostics.note("z", {"a.yaml", 2, 5, 1, ""}, "first");
  diagnostics.error("a", {"a.yaml", 2, 5, 1, ""}, "second");
  diagnostics.error("b", {"a.yaml", 2, 4, 1, ""}, "m");
  std::string order;
  for (const auto& diagnostic : diagnostics.sorted()) order += diagnostic.check;
  CHECK(order == "bzade");
  CHECK(diagnostics.all().front().check == "e");
}

TEST_CASE("the same finding twice is printed once", "[diagnostics]") {
  Diagnostics diagnostics;
  diagnostics.error("e", at(1, 1), "m");
  diagnostics.error("f", at(1, 1), "m");
  diagnostics.error("e", at(1, 1), "m");
  CHECK(diagnostics.sorted().size() == 2);
  CHECK(diagnostics.all().size() == 3);
}

TEST_CASE("only errors count as errors", "[diagnostics]") {
  Diagnostics diagnostics;
  diagnostics.note("n", at(1, 1), "m");
  diagnostics.warning("w", at(1, 1), "m");
  CHECK_FALSE(diagnostics.has_errors());
  diagnostics.error("e", at(1, 1), "m");
  CHECK(diagnostics.has_errors());
  CHECK(diagnostics.error_count() == 1);
}

TEST_CASE("up to the limit all findings are printed, the others are counted", "[diagnostics]") {
  Diagnostics diagnostics;
  for (unsigned i = 0; i < Diagnostics::kPrintLimit; ++i) diagnostics.error("e", at(i + 1, 1), "m");
  CHECK(render(diagnostics, SourceTexts()).find("more") == std::string::npos);
  diagnostics.error("e", at(5000, 1), "m");
  const std::string text = render(diagnostics, SourceTexts());
  CHECK(text.find("... and 1 more\n") != std::string::npos);
  CHECK(text.find("5000") == std::string::npos);
}

TEST_CASE("messages of any length are printed shortened", "[diagnostics]") {
  Diagnostics diagnostics;
  diagnostics.error("e", at(1, 1), std::string(1000, 'm'), std::string(1000, 'h'));
  const std::string text = render(diagnostics, SourceTexts());
  CHECK(text.size() < 1000);
  CHECK(text.find("m...\n") != std::string::npos);
}

TEST_CASE("control characters of the input are escaped everywhere", "[diagnostics]") {
  SourceTexts texts;
  texts.add("l\x1b.yaml", "k\x1b: v\n");
  Diagnostics diagnostics;
  diagnostics.error("e", {"l\x1b.yaml", 1, 1, 2, ""}, "no 'k\x1b'\n", "did you mean '\x07'?");
  const std::string text = render(diagnostics, texts);
  CHECK(text ==
        "l\\x1b.yaml:1:1: error[e]: no 'k\\x1b'\\n\n"
        "   1 | k\\x1b: v\n"
        "     | ^~~~~ did you mean '\\x07'?\n");
}

TEST_CASE("lines of a text are found by number", "[diagnostics]") {
  SourceTexts texts;
  texts.add("a", "one\ntwo\r\n\nlast");
  CHECK_FALSE(texts.line("a", 0));
  CHECK(texts.line("a", 1) == "one");
  CHECK(texts.line("a", 2) == "two");
  CHECK(texts.line("a", 3) == "");
  CHECK(texts.line("a", 4) == "last");
  CHECK_FALSE(texts.line("a", 5));
  CHECK_FALSE(texts.line("b", 1));
  texts.add("a", "new");
  CHECK(texts.line("a", 1) == "new");
  CHECK(*texts.find("a") == "new");
  CHECK(texts.find("b") == nullptr);
}
