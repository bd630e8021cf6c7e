// SPDX-License-Identifier: Apache-2.0
// A queue in a ring of memory that doubles when it is full and never shrinks: after warm-up it
// allocates nothing. Its own state is 24 bytes, since hot objects hold several of them.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace peerfab {

template <typename T>
class Ring {
 public:
  [[nodiscard]] bool empty() const { return first_ == last_; }
  [[nodiscard]] std::size_t size() const { return last_ - first_; }

  [[nodiscard]] T& front() {
    assert(!empty());
    return slots_[first_ & mask_];
  }
  [[nodiscard]] const T& front() const {
    assert(!empty());
    return slots_[first_ & mask_];
  }
  // Counted from the front.
  [[nodiscard]] T& operator[](std::size_t index) {
    assert(index < size());
    return slots_[(first_ + static_cast<std::uint32_t>(index)) & mask_];
  }
  // The i-th from the front.
  [[nodiscard]] const T& operator[](std::size_t i) const {
    assert(i < size());
    return slots_[(first_ + i) & mask_];
  }
  void push_back(T value) {
    if (last_ - first_ == capacity_) [[unlikely]]
      grow();
    slots_[last_++ & mask_] = std::move(value);
  }
  void pop_front() {
    assert(!empty());
    ++first_;
  }
  void clear() { first_ = last_; }

 private:
  static constexpr std::uint32_t kFirstCapacity = 8;

  // Apart from the callers, whose registers it would take.
  [[gnu::noinline, gnu::cold]] void grow() {
    const std::uint32_t capacity = capacity_ == 0 ? kFirstCapacity : capacity_ * 2;
    auto bigger = std::make_unique<T[]>(capacity);
    const std::uint32_t count = last_ - first_;
    for (std::uint32_t i = 0; i < count; ++i) {
      bigger[i] = std::move(slots_[(first_ + i) & mask_]);
    }
    slots_ = std::move(bigger);
    capacity_ = capacity;
    mask_ = capacity - 1;
    first_ = 0;
    last_ = count;
  }

  std::unique_ptr<T[]> slots_;
  std::uint32_t capacity_ = 0;  // a power of two
  std::uint32_t mask_ = 0;
  // Positions that run on, modulo 2^32 like the mask's.
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
};

}  // namespace peerfab
