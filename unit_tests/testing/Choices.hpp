// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "HostPattern.hpp"

namespace Tessera::Impl::Test {

/// The numbers that decide a random case. They come from a seed, or from the bytes that a fuzzer changes.
class Choices {
 public:
  explicit Choices(std::uint64_t seed) : random_(seed) {}
  /// Zeros follow the last byte, so any bytes make a case.
  Choices(const std::uint8_t* bytes, std::size_t size) : random_(0), next_(bytes), end_(bytes + size) {}

  /// Returns 0 to n - 1. Numbers up to n = 256 use one byte, so changing one byte changes one decision.
  int below(int n) {
    const auto count = static_cast<std::uint64_t>(n);
    if (next_ == nullptr) return random_.below(n);
    return static_cast<int>(taken(n <= 256 ? 1 : n <= 65536 ? 2 : 4) % count);
  }
  bool one_in(int n) { return below(n) == n - 1; }
  /// Returns a number in [-1, 1).
  double real() { return next_ == nullptr ? random_.real() : static_cast<double>(taken(1)) / 128 - 1; }
  template <class T, std::size_t size>
  const T& of(const T (&all)[size]) {
    return all[below(static_cast<int>(size))];
  }

 private:
  std::uint64_t taken(int bytes) {
    std::uint64_t number = 0;
    for (int i = 0; i < bytes; ++i) number = number << 8 | (next_ == end_ ? 0u : *next_++);
    return number;
  }

  Random random_;
  const std::uint8_t *next_ = nullptr, *end_ = nullptr;
};

/// A log of what a case did, printed if it fails so that it can be repeated.
class Story {
 public:
  explicit Story(bool is_told) : is_told_(is_told) {}
  template <class... Words>
  void tell(const Words&... words) {
    if (is_told_) static_cast<void>((text_ << ... << words));
  }
  std::string text() const { return text_.str(); }

 private:
  bool is_told_;
  std::ostringstream text_;
};

}  // namespace Tessera::Impl::Test
