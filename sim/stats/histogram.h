// SPDX-License-Identifier: Apache-2.0
// Latency distribution in constant memory. Integers only, so that percentiles are identical on
// every machine; nothing is allocated after construction.
#pragma once

#include <cstdint>
#include <memory>

#include "sim/base/units.h"

namespace peerfab::stats {

// A logarithmic histogram: 64 buckets to each power of two, and values below 64 ps exact.
class LatencyHistogram {
 public:
  LatencyHistogram();
  ~LatencyHistogram();
  LatencyHistogram(LatencyHistogram&&) noexcept;
  LatencyHistogram& operator=(LatencyHistogram&&) noexcept;
  LatencyHistogram(const LatencyHistogram&);
  LatencyHistogram& operator=(const LatencyHistogram&);

  void add(Picoseconds latency);
  void merge(const LatencyHistogram& other);
  // Forgets everything (end of the warm-up); keeps the memory.
  void clear();

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Exact; 0 when empty.
  [[nodiscard]] Picoseconds min() const;
  [[nodiscard]] Picoseconds max() const { return max_; }
  [[nodiscard]] Picoseconds mean() const;  // rounded down

  // Nearest rank: the smallest recorded value v such that at least `percent` of all values are
  // <= v, that is the value of rank ceil(percent / 100 * count), rank 1 for 0. Reported as the
  // upper end of v's bucket, never above max(): at most 1/64 too large, never too small.
  // Requires percent <= 100. 0 when empty.
  [[nodiscard]] Picoseconds percentile(unsigned percent) const;

 private:
  class Buckets;  // the Boost.Histogram behind it stays out of every includer
  std::unique_ptr<Buckets> buckets_;
  std::uint64_t count_ = 0;
  unsigned __int128 sum_ = 0;
  Picoseconds min_ = Picoseconds::max();
  Picoseconds max_;
};

}  // namespace peerfab::stats
