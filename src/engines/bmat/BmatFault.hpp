// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/common/Bits.hpp>

#include "Validate.hpp"
#include "bmat/BmatView.hpp"

namespace Tessera::Impl {

enum BmatFault : int { bmat_count = CondensedColumns::faults, bmat_rows_beyond };

inline std::string describe_bmat(int fault) {
  static constexpr const char* texts[] = {
      "value_offsets does not grow by the number of bits of the window's words",  // bmat_count
      "tile_words has a bit in a row beyond the last of the matrix",              // bmat_rows_beyond
  };
  return fault < bmat_count ? CondensedColumns::describe(fault) : texts[fault - bmat_count];
}

/// The first broken invariant of a window, given that the offsets are in order.
template <class Offset>
KOKKOS_INLINE_FUNCTION int bmat_window_fault(const BmatPattern<Offset>& A, Ordinal window) {
  FirstFault found;
  CondensedColumns columns(A.columns);
  std::size_t entries = 0;  // those of a file may be more than an Offset counts
  for (Offset tile = A.window_offsets[window]; tile < A.window_offsets[window + 1]; ++tile) {
    unsigned used = 0;
    for (int w = 0; w < 4; ++w) {
      const std::uint32_t word = A.tile_words[std::size_t(tile) * 4 + w];
      entries += static_cast<std::size_t>(popcount(word));
      for (int r = 0; r < 8; ++r) {
        const unsigned row = word >> (4 * r) & 0xfu;
        used |= row << (w / 2 * 4);
        found.check(row == 0 || window * 16 < A.rows - (w % 2 * 8 + r), bmat_rows_beyond);
      }
    }
    const bool is_last = tile + 1 == A.window_offsets[window + 1];
    columns.check_tile(A.tile_columns + std::size_t(tile) * 8, 8, used, is_last, found);
  }
  const auto expected = static_cast<std::size_t>(A.value_offsets[window + 1] - A.value_offsets[window]);
  found.check(expected == entries, bmat_count);
  return found.fault;
}

}  // namespace Tessera::Impl
