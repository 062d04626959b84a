// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>

/// The room for the halo behind the rows of BlockVectors. A product receives the elements of other ranks there: without
/// room it first copies all rows to a block that has some.
namespace Tessera::Impl {

/// The number of rows that a new BlockVector has room for: those of the largest halo of this rank so far.
inline std::atomic<std::size_t>& halo_room() {
  static std::atomic<std::size_t> rows{0};
  return rows;
}

/// Lets BlockVectors that are made from now on have room for a halo of `rows` rows.
inline void make_halo_room(std::size_t rows) {
  std::size_t room = halo_room();
  while (room < rows && !halo_room().compare_exchange_weak(room, rows)) {
  }
}

}  // namespace Tessera::Impl
