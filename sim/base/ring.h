// SPDX-License-Identifier: Apache-2.0
// A queue in a ring of memory that doubles when it is full and never shrinks: after warm-up it
// allocates nothing.
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace peerfab::device {

template <typename T>
class Ring {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

  [[nodiscard]] T& front() {
    assert(!empty());
    return slots_[first_];
  }
  void push_back(T value) {
    if (size_ == slots_.size()) grow();
    slots_[(first_ + size_) & (slots_.size() - 1)] = std::move(value);
    ++size_;
  }
  void pop_front() {
    assert(!empty());
    first_ = (first_ + 1) & (slots_.size() - 1);
    --size_;
  }

 private:
  void grow() {
    std::vector<T> bigger(slots_.empty() ? 16 : slots_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) {
      bigger[i] = std::move(slots_[(first_ + i) & (slots_.size() - 1)]);
    }
    slots_ = std::move(bigger);
    first_ = 0;
  }

  std::vector<T> slots_;  // a power of two of them
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace peerfab::device
