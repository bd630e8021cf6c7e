// SPDX-License-Identifier: Apache-2.0
// Contract in histogram.h.
#include "sim/stats/histogram.h"

#include <algorithm>
#include <bit>
#include <boost/histogram/histogram.hpp>
#include <boost/histogram/storage_adaptor.hpp>
#include <cassert>
#include <tuple>
#include <utility>
#include <vector>

namespace peerfab::stats {
namespace {

constexpr unsigned kSubBits = 6;
constexpr std::uint64_t kSubBuckets = std::uint64_t{1} << kSubBits;

// Axis for Boost.Histogram: values below kSubBuckets have a bucket each; above, every power of two
// is cut into kSubBuckets equal parts. Covers all of std::uint64_t, so nothing over- or underflows.
class LogAxis {
 public:
  using value_type = std::uint64_t;
  [[nodiscard]] static constexpr int size() {
    return static_cast<int>((64 - kSubBits + 1) * kSubBuckets);
  }
  [[nodiscard]] static constexpr int index(std::uint64_t value) {
    if (value < kSubBuckets) return static_cast<int>(value);
    const auto exponent = static_cast<unsigned>(std::bit_width(value)) - 1;
    const std::uint64_t sub = (value >> (exponent - kSubBits)) & (kSubBuckets - 1);
    return static_cast<int>((exponent - kSubBits + 1) * kSubBuckets + sub);
  }
  // The smallest and the largest value in the bucket.
  [[nodiscard]] static constexpr std::uint64_t value(int bucket) {
    const auto position = static_cast<std::uint64_t>(bucket);
    if (position < kSubBuckets) return position;
    return (kSubBuckets + position % kSubBuckets) << (position / kSubBuckets - 1);
  }
  [[nodiscard]] static constexpr std::uint64_t upper(int bucket) {
    return bucket + 1 == size() ? ~std::uint64_t{0} : value(bucket + 1) - 1;
  }
  bool operator==(const LogAxis&) const { return true; }
};
static_assert(LogAxis::index(~std::uint64_t{0}) == LogAxis::size() - 1);
static_assert(LogAxis::index(LogAxis::value(LogAxis::size() - 1)) == LogAxis::size() - 1);

using Storage = boost::histogram::dense_storage<std::uint64_t>;
using Histogram = boost::histogram::histogram<std::tuple<LogAxis>, Storage>;

}  // namespace

class LatencyHistogram::Buckets {
 public:
  Histogram histogram{std::make_tuple(LogAxis()), Storage()};
};

LatencyHistogram::LatencyHistogram() : buckets_(std::make_unique<Buckets>()) {}
LatencyHistogram::~LatencyHistogram() = default;
LatencyHistogram::LatencyHistogram(LatencyHistogram&&) noexcept = default;
LatencyHistogram& LatencyHistogram::operator=(LatencyHistogram&&) noexcept = default;

LatencyHistogram::LatencyHistogram(const LatencyHistogram& other)
    : buckets_(std::make_unique<Buckets>(*other.buckets_)),
      count_(other.count_),
      sum_(other.sum_),
      min_(other.min_),
      max_(other.max_) {}

LatencyHistogram& LatencyHistogram::operator=(const LatencyHistogram& other) {
  if (this != &other) *this = LatencyHistogram(other);
  return *this;
}

void LatencyHistogram::add(Picoseconds latency) {
  buckets_->histogram(latency.count());
  ++count_;
  sum_ += latency.count();
  min_ = std::min(min_, latency);
  max_ = std::max(max_, latency);
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  buckets_->histogram += other.buckets_->histogram;
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

void LatencyHistogram::clear() {
  buckets_->histogram.reset();
  count_ = 0;
  sum_ = 0;
  min_ = Picoseconds::max();
  max_ = Picoseconds();
}

Picoseconds LatencyHistogram::min() const { return count_ == 0 ? Picoseconds() : min_; }

Picoseconds LatencyHistogram::mean() const {
  return count_ == 0 ? Picoseconds() : Picoseconds(static_cast<std::uint64_t>(sum_ / count_));
}

Picoseconds LatencyHistogram::percentile(unsigned percent) const {
  assert(percent <= 100);
  if (count_ == 0) return {};
  // In 128 bits: percent * count may exceed 64.
  const auto scaled = static_cast<unsigned __int128>(count_) * percent;
  const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>((scaled + 99) / 100));
  std::uint64_t seen = 0;
  for (int bucket = 0; bucket < LogAxis::size(); ++bucket) {
    seen += buckets_->histogram.at(bucket);
    if (seen >= rank) return std::clamp(Picoseconds(LogAxis::upper(bucket)), min_, max_);
  }
  return max_;
}

}  // namespace peerfab::stats
