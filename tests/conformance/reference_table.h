// SPDX-License-Identifier: Apache-2.0
// Reads tables of reference facts that live beside the checkout (../shared/validation). They are
// not part of the project, so a test that needs one says so and passes when it is absent.
#pragma once

#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace peerfab::reference {

using Row = std::map<std::string, std::string>;

inline std::string path_of(const std::string& file) {
  return std::string(PEERFAB_REFERENCE_DIR) + "/" + file;
}

// Fields of one CSV record; quotes around a field, doubled quotes inside. No line breaks in fields.
inline std::vector<std::string> split_record(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

// The rows by column name, or nothing when the file is absent.
inline std::optional<std::vector<Row>> read_table(const std::string& file) {
  std::ifstream in(path_of(file));
  std::string line;
  if (!in || !std::getline(in, line)) return std::nullopt;
  const std::vector<std::string> columns = split_record(line);
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> fields = split_record(line);
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < columns.size() && i < fields.size(); ++i) {
      row[columns[i]] = fields[i];
    }
  }
  return rows;
}

}  // namespace peerfab::reference
