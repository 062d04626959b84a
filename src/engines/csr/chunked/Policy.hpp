// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/ChunkedRows.hpp>

namespace Tessera::Impl::Cuda {

/// How lanes multiply a row of A against a chunk of X. One policy serves both types and all numbers of columns: on an
/// H100 no other policy was more than 8 % faster.
struct ChunkedPolicy {
  static constexpr int lanes = 2;      // lanes of a team, which together have a slab of a row of X
  static constexpr int teams = 4;      // teams that share a row of A
  static constexpr int threads = 512;  // threads of a block; a multiprocessor has one block
  static constexpr int row_vectors = slab_row_bytes / 16;
  static constexpr int vectors = row_vectors / lanes;  // 16-byte vectors of a lane
  static constexpr int row_lanes = lanes * teams;
  static constexpr int warp_rows = 32 / row_lanes;  // rows of A that a warp multiplies at a time
  static_assert(vectors == teams, "after the sum over teams a lane has one vector");
  static_assert(row_lanes == 8, "eight lanes read all banks at a time");
};

}  // namespace Tessera::Impl::Cuda
