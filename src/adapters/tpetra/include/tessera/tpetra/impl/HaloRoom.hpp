// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

/// The room for the halo behind the rows of BlockVectors. A product receives the elements of other ranks there: without
/// room it first copies all rows to a block that has some.
namespace Tessera::Impl {

/// The rows of the largest halo of this rank so far.
inline std::atomic<std::size_t>& largest_halo() {
  static std::atomic<std::size_t> rows{0};
  return rows;
}

/// Returns the number of rows that a new block of `rows` rows has room for: those of the largest halo, but at most four
/// times its own. A halo that is larger, of another matrix or of a few rows, is worth a copy of the block.
inline std::size_t halo_room_of(std::size_t rows, std::size_t halo = largest_halo()) {
  return std::min(halo, 4 * rows);
}

/// Lets BlockVectors that are made from now on have room for a halo of `rows` rows.
inline void make_halo_room(std::size_t rows) {
  std::size_t largest = largest_halo();
  while (largest < rows && !largest_halo().compare_exchange_weak(largest, rows)) {
  }
}

}  // namespace Tessera::Impl
