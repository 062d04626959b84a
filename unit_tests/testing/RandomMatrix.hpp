// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <tessera/Half.hpp>
#include <utility>
#include <vector>

#include "Choices.hpp"

/// Matrices and numbers of every kind for random cases.
namespace Tessera::Impl::Test {

/// Upper bounds on the sizes of a case.
struct CaseSizes {
  int rows = 40;  ///< rows and columns of A
  std::size_t entries = 400;
  int vectors = 20;  ///< columns of X
};

/// A number of rows or columns, often at the edge of a window, a tile or a block.
inline int random_extent(Choices& choices, int most) {
  constexpr int edges[] = {0, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
  const int kind = choices.below(4);
  if (kind == 0) return choices.below(most + 1);
  if (kind == 1) return choices.below(std::min(most, 20) + 1);
  return std::clamp(choices.of(edges) * (1 + choices.below(2)) + choices.below(3) - 1, 0, most);
}

/// A random pattern. Its rows have many kinds, or all have one kind.
template <class Offset>
class RandomPattern {
 public:
  RandomPattern(Choices& choices, const CaseSizes& sizes)
      : choices_(choices), most_entries_(sizes.entries), kind_(choices.below(2 * kinds)), step_(2 + choices.below(30)) {
    const int rows = random_extent(choices, sizes.rows);
    pattern_.columns = random_extent(choices, sizes.rows);
    is_messy_ = choices.one_in(3);
    while (pattern_.rows < rows) {
      if (pattern_.columns > 0 && pattern_.nonzeros() < most_entries_) add_row();
      pattern_.end_row();
    }
  }
  HostPattern<Offset> take() { return std::move(pattern_); }

 private:
  static constexpr int kinds = 9;

  void add_row() {
    row_.clear();
    const int columns = pattern_.columns, first = choices_.below(columns);
    switch (kind_ < kinds && !choices_.one_in(8) ? kind_ : choices_.below(kinds)) {
      case 0:
        break;
      case 1:  // full
        for (int j = 0; j < columns; ++j) row_.push_back(j);
        break;
      case 2:
        row_.push_back(first);
        break;
      case 3:  // consecutive columns
        for (int j = first, end = std::min(columns, first + 1 + choices_.below(40)); j < end; ++j) row_.push_back(j);
        break;
      case 4:  // random columns
        for (int k = choices_.below(20); k > 0; --k) row_.push_back(choices_.below(columns));
        break;
      case 5:  // a band
        for (int j = std::max(0, pattern_.rows - 2); j < std::min(columns, pattern_.rows + 3); ++j) row_.push_back(j);
        break;
      case 6:  // part of dense blocks of 8 x 8
        for (int j = 0; j < columns; ++j)
          if ((j / 8 + pattern_.rows / 8) % step_ == 0) row_.push_back(j);
        break;
      case 7:  // columns shared by many rows
        for (int j = step_ / 2; j < columns; j += step_) row_.push_back(j);
        break;
      default:  // the columns of the row before, and sometimes another column
        row_ = before_;
        if (choices_.one_in(2)) row_.push_back(first);
    }
    add_entries();
  }

  void add_entries() {
    if (is_messy_) {
      if (!row_.empty() && choices_.one_in(3))
        row_.push_back(row_[static_cast<std::size_t>(choices_.below(int(row_.size())))]);
      if (choices_.one_in(2)) std::reverse(row_.begin(), row_.end());
    } else {
      std::sort(row_.begin(), row_.end());
      row_.erase(std::unique(row_.begin(), row_.end()), row_.end());
    }
    pattern_.column_indices.insert(pattern_.column_indices.end(), row_.begin(), row_.end());
    before_ = row_;
  }

  Choices& choices_;
  HostPattern<Offset> pattern_;
  std::size_t most_entries_;
  int kind_, step_;
  bool is_messy_ = false;
  std::vector<int> row_, before_;
};

/// The kinds of numbers in a case.
enum class Numbers {
  Plain,    ///< in [-1, 1)
  Whole,    ///< small whole numbers and zeros of both signs, whose sums are exact
  Special,  ///< some infinities and NaNs
  Wide      ///< any magnitude: products and sums may overflow and underflow
};
inline const char* name_of(Numbers numbers) {
  constexpr const char* names[] = {"plain", "whole", "special", "wide"};
  return names[static_cast<int>(numbers)];
}

template <class Real>
Real random_real(Choices& choices, Numbers numbers) {
  switch (numbers) {
    case Numbers::Plain:
      break;
    case Numbers::Whole:
      if (choices.one_in(16)) return -Real(0);
      return static_cast<Real>(choices.below(7) - 3);
    case Numbers::Special: {
      constexpr Real infinite = std::numeric_limits<Real>::infinity();
      constexpr Real kinds[] = {infinite, -infinite, std::numeric_limits<Real>::quiet_NaN(), 0};
      if (choices.one_in(12)) return choices.of(kinds);
      break;
    }
    case Numbers::Wide: {
      constexpr int range = std::numeric_limits<Real>::max_exponent / 2;
      return std::ldexp(static_cast<Real>(choices.real()), choices.below(2 * range) - range);
    }
  }
  return static_cast<Real>(choices.real());
}

template <class Scalar>
Scalar random_number(Choices& choices, Numbers numbers) {
  using Real = real_of_t<sum_of_t<Scalar>>;
  if constexpr (is_complex_v<Scalar>) {
    const Real re = random_real<Real>(choices, numbers);
    return {re, random_real<Real>(choices, numbers)};
  } else {
    return static_cast<Scalar>(random_real<Real>(choices, numbers));
  }
}

/// A random factor, often 0, 1 or -1.
template <class Scalar>
Scalar random_factor(Choices& choices) {
  switch (choices.below(5)) {
    case 0:
      return Scalar(1);
    case 1:
      return Scalar(0);
    case 2:
      return Scalar(-1);
    default:
      return random_number<Scalar>(choices, Numbers::Plain);
  }
}

}  // namespace Tessera::Impl::Test
