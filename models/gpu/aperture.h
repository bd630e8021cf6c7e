// SPDX-License-Identifier: Apache-2.0
// Which parts of a GPU's memory its BAR1 shows: a page table of 2 MiB pages, filled in turn.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace peerfab::models {

class Aperture {
 public:
  static constexpr std::uint64_t kPageBytes = std::uint64_t{2} << 20;

  // An aperture that holds all of the memory shows it one to one.
  Aperture(std::uint64_t aperture_bytes, std::uint64_t memory_bytes);

  // Maps [offset, offset + length) of the memory; where it starts in the aperture. nullopt: no run
  // of free pages is long enough now.
  std::optional<std::uint64_t> map(std::uint64_t offset, std::uint64_t length);
  void unmap(std::uint64_t position, std::uint64_t length);
  // The offset in memory of a byte of the aperture; nullopt: nothing is mapped there.
  [[nodiscard]] std::optional<std::uint64_t> locate(std::uint64_t position) const;
  // The most that one map() can take, wherever it starts.
  [[nodiscard]] std::uint64_t largest_mapping() const;
  [[nodiscard]] std::uint64_t mappings() const { return mappings_; }

 private:
  static constexpr std::uint64_t kUnmapped = ~std::uint64_t{0};

  std::uint64_t memory_bytes_;
  bool one_to_one_;
  std::vector<std::uint64_t> pages_;  // the memory's page shown by each page of the aperture
  std::size_t next_ = 0;              // where the search for free pages goes on
  std::uint64_t mappings_ = 0;
};

}  // namespace peerfab::models
