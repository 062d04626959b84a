// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <tessera/select/Choose.hpp>

#include "TestMatrix.hpp"

/// What tests of plans that grow need on every device.
namespace Tessera::Impl::Test {

/// Makes hosts predict that BitTCF is faster than rows while this object lives, and that little repays it. Devices
/// trust their predictions.
class FastTiles {
 public:
  FastTiles() {
    host_core().streamed_rate = 1e9;
    host_core().gathered_lines = host_core().tile_rows = 1e15;
    host_core().core_cache_bytes = 1e15;
    host_core().decoded_entries = 2.5e8;
    trusts_any_rates() = true;
  }
  ~FastTiles() {
    host_core() = before_;
    trusts_any_rates() = false;
  }
  FastTiles(const FastTiles&) = delete;
  FastTiles& operator=(const FastTiles&) = delete;

 private:
  MachineModel before_ = host_core();
};

/// Returns a matrix of dense blocks of 8 x 8, six in a row of blocks.
inline HostPattern<int> dense_blocks(int block_rows) {
  HostPattern<int> A;
  A.columns = 8 * block_rows;
  for (int i = 0; i < 8 * block_rows; ++i) {
    for (int block = 0; block < 6; ++block) {
      const int first = 8 * ((i / 8 + block) % block_rows);
      for (int j = 0; j < 8; ++j) A.column_indices.push_back(first + j);
    }
    std::sort(A.column_indices.end() - 48, A.column_indices.end());
    A.end_row();
  }
  return A;
}

}  // namespace Tessera::Impl::Test
