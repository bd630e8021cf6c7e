// SPDX-License-Identifier: Apache-2.0
#include "sim/config/yaml_syntax.h"

#include <algorithm>

#include "sim/base/utf8.h"

namespace peerfab::config {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

// Offset behind the closing quote, npos when there is none.
std::size_t closing_quote(std::string_view text, std::size_t offset) {
  const char quote = text[offset];
  for (std::size_t i = offset + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (quote == '"' || i + 1 == text.size() || text[i + 1] != quote) return i + 1;
      ++i;  // '' within '...'
    }
  }
  return std::string_view::npos;
}

// Walks through what is neither quoted nor a comment. Quotes count where a value can start, so
// the apostrophe in "don't" is a letter.
class PlainCharacters {
 public:
  PlainCharacters(std::string_view text, std::size_t offset) : text_(text), next_(offset) {}

  // The offset of the next such character or of a quote that is not closed; npos at the end.
  std::size_t next() {
    while (next_ < text_.size()) {
      const std::size_t at = next_++;
      const char c = text_[at];
      const bool starts_word = at == 0 || kBeforeWord.find(text_[at - 1]) != std::string_view::npos;
      if (c == '#' && starts_word) {
        next_ = std::min(text_.find('\n', at), text_.size());
      } else if ((c == '"' || c == '\'') && starts_word) {
        const std::size_t end = closing_quote(text_, at);
        if (end == std::string_view::npos) return at;
        next_ = end;
      } else {
        return at;
      }
    }
    return std::string_view::npos;
  }

 private:
  static constexpr std::string_view kBeforeWord = " \t\r\n[]{},:";
  std::string_view text_;
  std::size_t next_;
};

std::string_view first_line(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

// A tab among the blanks that start the line of the offset, where YAML allows none; else npos.
std::size_t indenting_tab(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t blanks = text.find_first_not_of(" \t", start);
  const std::size_t tab = text.find('\t', start);
  return tab < blanks ? tab : std::string_view::npos;
}

struct Known {
  std::string_view yaml_cpp;
  const char* message;
  const char* hint;
  bool whole_word = false;
};

// Messages of yaml-cpp 0.7 and 0.8; only the start is compared.
constexpr Known kKnown[] = {
    {"illegal map value", "a ':' cannot stand here",
     "check the indentation; a text with ': ' in it needs quotes"},
    {"end of map not found", "this does not continue the map above",
     "check the indentation and the quotes", true},
    {"end of sequence not found", "this does not continue the list above",
     "check the indentation and the quotes", true},
    {"illegal block entry", "a '-' cannot stand here", "check the indentation"},
    {"illegal flow end", "this bracket closes nothing that is open", ""},
    {"unknown token", "no value can start with this character", "a text with it needs quotes"},
    {"the referenced anchor is not defined", "no anchor of this name stands before its use", "",
     true},
};

}  // namespace

std::size_t word_length(std::string_view text, std::size_t offset) {
  const std::size_t end = std::min(text.find_first_of(" \t\r\n,[]{}", offset), text.size());
  return end <= offset ? 1 : end - offset;
}

std::size_t skip_anchor(std::string_view text, std::size_t offset) {
  if (offset >= text.size() || text[offset] != '&') return offset;
  const std::size_t next = text.find_first_not_of(kBlank, offset + word_length(text, offset));
  return next == std::string_view::npos ? text.size() : next;
}

ScalarExtent scalar_extent(std::string_view text, std::size_t offset, std::string_view value) {
  ScalarExtent extent;
  if (offset >= text.size()) return extent;
  const std::string_view rest = text.substr(offset);
  // Nothing beyond the scalar is looked at: a line may hold very many of them.
  std::string_view written = rest.substr(0, 1);
  if (rest[0] == '"' || rest[0] == '\'') {
    const std::size_t end = closing_quote(text, offset);
    extent.closed = end != std::string_view::npos;
    written = first_line(extent.closed ? rest.substr(0, end - offset) : rest);
  } else if (rest[0] != '|' && rest[0] != '>') {
    // Plain: the value as written, or its first line when it goes on below.
    written = rest.starts_with(value) ? rest.substr(0, value.size()) : first_line(rest);
  }
  extent.length = std::max<std::size_t>(1, count_code_points(written));
  return extent;
}

bool is_written_null(std::string_view text, std::size_t offset) {
  constexpr std::string_view kSpellings[] = {"~", "null", "Null", "NULL"};
  constexpr std::string_view kBehind = " \t\r\n,]}:#";
  const std::string_view rest = text.substr(std::min(offset, text.size()));
  return std::ranges::any_of(kSpellings, [&](std::string_view spelling) {
    if (!rest.starts_with(spelling)) return false;
    const std::string_view after = rest.substr(spelling.size());
    return after.empty() || kBehind.find(after[0]) != std::string_view::npos;
  });
}

bool bracket_closes(std::string_view text, std::size_t offset) {
  PlainCharacters characters(text, offset);
  std::size_t open = 0;
  for (std::size_t at = characters.next(); at != std::string_view::npos; at = characters.next()) {
    if (text[at] == '[' || text[at] == '{') ++open;
    if ((text[at] == ']' || text[at] == '}') && --open == 0) return true;
  }
  return false;
}

std::size_t find_open_quote(std::string_view text, std::size_t offset) {
  PlainCharacters characters(text, offset);
  for (std::size_t at = characters.next(); at != std::string_view::npos; at = characters.next()) {
    const bool quote = text[at] == '"' || text[at] == '\'';
    if (quote && closing_quote(text, at) == std::string_view::npos) return at;
  }
  return std::string_view::npos;
}

SyntaxExplanation explain_syntax(const std::string& yaml_cpp_message, std::string_view text,
                                 std::size_t offset) {
  const std::size_t tab = indenting_tab(text, offset);
  if (tab != std::string_view::npos) return {"a tab cannot indent", "use blanks", tab, 1};
  for (const Known& known : kKnown) {
    if (!yaml_cpp_message.starts_with(known.yaml_cpp)) continue;
    const std::size_t length = known.whole_word ? word_length(text, offset) : 1;
    return {known.message, known.hint, offset, length};
  }
  return {yaml_cpp_message, "", offset, 1};
}

}  // namespace peerfab::config
