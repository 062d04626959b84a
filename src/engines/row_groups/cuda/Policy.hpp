// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/Half.hpp>
#include <tessera/common/Complex.hpp>
#include <tessera/common/Types.hpp>
#include <type_traits>

namespace Tessera::Impl::Cuda {

/// How lanes multiply row groups. The numbers are in a type, because nvcc 13 rejects a struct of numbers as a
/// template argument of a kernel.
///
/// lanes      number of lanes that share an item, each with some columns of X: a power of two
/// vectors    number of vectors of 16 bytes of a row of X in a lane. If there are several, slabs must be full
/// registers  registers of a thread: for the sums of up to four rows, four rows of X and four values of each row
template <int lanes_, int vectors_, int registers_>
struct RowGroupsPolicy {
  static constexpr int lanes = lanes_;
  static constexpr int vectors = vectors_;
  static constexpr int registers = registers_;
  static constexpr int threads = 256;  // threads of a block
  static constexpr int slab_vectors = lanes * vectors;
};

/// Calls visit.operator()<Policy>() with the policy for rows of X of this many vectors, the fastest of those measured
/// on an H100. Wide elements are faster with two vectors per lane, because values are read once for both.
template <class InMemory, class Visit>
void for_row_groups_policy(Ordinal row_vectors, const Visit& visit) {
  if constexpr (std::is_same_v<InMemory, double>) {
    if (row_vectors % 64 == 0) return visit.template operator()<RowGroupsPolicy<32, 2, 128>>();
    if (row_vectors % 32 == 0) return visit.template operator()<RowGroupsPolicy<16, 2, 128>>();
    if (row_vectors % 16 == 0) return visit.template operator()<RowGroupsPolicy<8, 2, 128>>();
  }
  constexpr int narrow = is_complex_v<InMemory> || is_half_v<InMemory> ? 96 : 72;
  constexpr int wide = std::is_same_v<InMemory, float> ? 64 : narrow;
  if (row_vectors <= 2) return visit.template operator()<RowGroupsPolicy<2, 1, narrow>>();
  if (row_vectors <= 4) return visit.template operator()<RowGroupsPolicy<4, 1, narrow>>();
  if (row_vectors <= 8) return visit.template operator()<RowGroupsPolicy<8, 1, narrow>>();
  if (row_vectors <= 16) return visit.template operator()<RowGroupsPolicy<16, 1, wide>>();
  visit.template operator()<RowGroupsPolicy<32, 1, wide>>();
}

}  // namespace Tessera::Impl::Cuda
