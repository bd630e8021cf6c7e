// SPDX-License-Identifier: Apache-2.0
// Findings about what a person wrote, each with its place in the text. Bad input ends here and
// never in an exception: whoever reads input takes a Diagnostics& and adds to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/nearest_name.h"
#include "sim/base/printable.h"

namespace peerfab {

// A place in a text. Lines and columns are 1-based; columns and lengths count code points.
// line 0: the file as a whole; an empty file name: no place at all.
struct SourceLocation {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  unsigned length = 1;
  std::string path;  // "devices.gpu1.at"

  [[nodiscard]] bool known() const { return !file.empty() && line != 0; }
  bool operator==(const SourceLocation&) const = default;
};

enum class Severity { kNote, kWarning, kError };

struct Diagnostic {
  Severity severity = Severity::kError;
  std::string check;  // stable name, "unknown-reference"; people and tests refer to it
  std::string message;
  SourceLocation where;
  std::string hint;

  bool operator==(const Diagnostic&) const = default;
};

// The texts that locations point into, by file name, so that their lines can be printed.
class SourceTexts {
 public:
  // A later text of the same name replaces the earlier one.
  void add(const std::string& file, std::string text);
  [[nodiscard]] const std::string* find(std::string_view file) const;
  // One line without its line break; number is 1-based.
  [[nodiscard]] std::optional<std::string_view> line(std::string_view file, unsigned number) const;

 private:
  struct Text {
    std::string content;
    std::vector<std::uint32_t> line_starts;
  };
  std::map<std::string, Text, std::less<>> texts_;
};

class Diagnostics {
 public:
  // More findings than this are counted, not printed.
  static constexpr std::size_t kPrintLimit = 100;

  void add(Diagnostic diagnostic);
  void error(std::string check, const SourceLocation& where, std::string message,
             std::string hint = "");
  void warning(std::string check, const SourceLocation& where, std::string message,
               std::string hint = "");
  void note(std::string check, const SourceLocation& where, std::string message,
            std::string hint = "");

  [[nodiscard]] bool has_errors() const { return error_count_ != 0; }
  [[nodiscard]] std::size_t error_count() const { return error_count_; }
  // In the order they were found.
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }
  // By file, line and column, those of one place in the order found; identical ones once.
  [[nodiscard]] std::vector<Diagnostic> sorted() const;
  // sorted(), each as
  //   file:line:column: error[check]: message
  //      7 |   the source line
  //        |       ^~~ hint
  void render(std::ostream& out, const SourceTexts& texts) const;

 private:
  std::vector<Diagnostic> all_;
  std::size_t error_count_ = 0;
};

// "note", "warning", "error".
[[nodiscard]] std::string_view severity_name(Severity severity);

}  // namespace peerfab
