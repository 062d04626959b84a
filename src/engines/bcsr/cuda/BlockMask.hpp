// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <tessera/common/Types.hpp>

#include "fragments/Layout.hpp"

namespace Tessera::Impl::Cuda {

/// Finds the parts of a block that have an entry, from its mask (BcsrView.hpp). Only these parts must be copied.
template <int height, int width>
struct BlockMask {
  static constexpr int words = (height * width + 63) / 64;
  static_assert(64 % width == 0 && (height * width) % 32 == 0);

  std::uint64_t at[words];

  /// Returns a word in which bit c is set if column c has an entry.
  TESSERA_FUNCTION std::uint32_t columns() const {
    std::uint64_t bits = 0;
    TESSERA_UNROLL
    for (int w = 0; w < words; ++w) bits |= at[w];
    TESSERA_UNROLL
    for (int rows = 32 / width; rows > 0; rows /= 2) bits |= bits >> (rows * width);
    return static_cast<std::uint32_t>(bits) & ((1u << width) - 1);
  }

  /// Sets bit i % 32 of units[i / 32] if one of the elements i n, ..., i n + n - 1 is an entry.
  template <int n, int count>
  TESSERA_FUNCTION void units(std::uint32_t (&units)[count]) const {
    constexpr int word_units = 64 / n;
    TESSERA_UNROLL
    for (int i = 0; i < count; ++i) units[i] = 0;
    TESSERA_UNROLL
    for (int i = 0; i < height * width / n; ++i) {
      const std::uint64_t elements = at[i / word_units] >> (i % word_units * n) & ((1u << n) - 1);
      units[i / 32] |= (elements != 0 ? 1u : 0u) << (i % 32);
    }
  }
};

}  // namespace Tessera::Impl::Cuda
