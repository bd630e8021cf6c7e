// SPDX-License-Identifier: Apache-2.0
#include "sim/base/diagnostics.h"

#include <algorithm>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>

#include "sim/base/printable.h"
#include "sim/base/source_excerpt.h"

namespace peerfab {
namespace {

// Messages repeat names and values of the input, which may be of any length.
constexpr std::size_t kPrintedLength = 400;

auto place(const Diagnostic& diagnostic) {
  const SourceLocation& where = diagnostic.where;
  return std::tie(where.file, where.line, where.column);
}

auto everything(const Diagnostic& d) {
  return std::tie(d.where.file, d.where.line, d.where.column, d.where.length, d.severity, d.check,
                  d.message, d.hint);
}

void render_one(std::ostream& out, const Diagnostic& diagnostic, const SourceTexts& texts) {
  const SourceLocation& where = diagnostic.where;
  if (!where.file.empty()) {
    out << printable(where.file) << ':';
    if (where.line != 0) out << where.line << ':' << where.column << ':';
    out << ' ';
  }
  out << severity_name(diagnostic.severity) << '[' << printable(diagnostic.check)
      << "]: " << printable(shortened(diagnostic.message, kPrintedLength)) << '\n';
  const std::string hint = printable(shortened(diagnostic.hint, kPrintedLength));
  const std::optional<std::string_view> line =
      where.known() ? texts.line(where.file, where.line) : std::nullopt;
  if (!line) {
    if (!hint.empty()) out << "     | " << hint << '\n';
    return;
  }
  const SourceExcerpt excerpt = make_excerpt(*line, where.column, where.length);
  std::string number = std::to_string(where.line);
  if (number.size() < 4) number.insert(0, 4 - number.size(), ' ');
  out << number << " | " << excerpt.text << '\n';
  out << std::string(number.size(), ' ') << " | " << excerpt.marker;
  if (!hint.empty()) out << ' ' << hint;
  out << '\n';
}

}  // namespace

void SourceTexts::add(const std::string& file, std::string text) {
  Text entry;
  entry.line_starts.push_back(0);
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    entry.line_starts.push_back(static_cast<std::uint32_t>(at + 1));
  }
  entry.content = std::move(text);
  texts_.insert_or_assign(file, std::move(entry));
}

const std::string* SourceTexts::find(std::string_view file) const {
  const auto it = texts_.find(file);
  return it == texts_.end() ? nullptr : &it->second.content;
}

std::optional<std::string_view> SourceTexts::line(std::string_view file, unsigned number) const {
  const auto it = texts_.find(file);
  if (it == texts_.end() || number == 0) return std::nullopt;
  const Text& text = it->second;
  if (number > text.line_starts.size()) return std::nullopt;
  const std::size_t start = text.line_starts[number - 1];
  std::string_view rest = std::string_view(text.content).substr(start);
  rest = rest.substr(0, rest.find('\n'));
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  return rest;
}

void Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::kError) ++error_count_;
  all_.push_back(std::move(diagnostic));
}

void Diagnostics::error(std::string check, const SourceLocation& where, std::string message,
                        std::string hint) {
  add({Severity::kError, std::move(check), std::move(message), where, std::move(hint)});
}

void Diagnostics::warning(std::string check, const SourceLocation& where, std::string message,
                          std::string hint) {
  add({Severity::kWarning, std::move(check), std::move(message), where, std::move(hint)});
}

void Diagnostics::note(std::string check, const SourceLocation& where, std::string message,
                       std::string hint) {
  add({Severity::kNote, std::move(check), std::move(message), where, std::move(hint)});
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  const auto less = [](const Diagnostic* a, const Diagnostic* b) {
    return everything(*a) < everything(*b);
  };
  std::set<const Diagnostic*, decltype(less)> seen(less);
  std::vector<Diagnostic> result;
  for (const Diagnostic& diagnostic : all_) {
    if (seen.insert(&diagnostic).second) result.push_back(diagnostic);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  return result;
}

void Diagnostics::render(std::ostream& out, const SourceTexts& texts) const {
  const std::vector<Diagnostic> findings = sorted();
  for (std::size_t i = 0; i < findings.size() && i < kPrintLimit; ++i) {
    render_one(out, findings[i], texts);
  }
  if (findings.size() > kPrintLimit) {
    out << "... and " << findings.size() - kPrintLimit << " more\n";
  }
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      break;
  }
  return "error";
}

}  // namespace peerfab
