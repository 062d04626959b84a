// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/cuda/staged/Spmm.hpp>

#include "../../perf_tests/gpu/candidates/staged/HostStaged.hpp"
#include "ProductCase.hpp"

namespace Tessera::Test {

/// Y = alpha A X + beta Y on the device, in place, with A in staged windows; x and y as `place` says.
template <class Scalar>
void staged_product(const HostMatrix& A, const ProductCase& c, const std::vector<Scalar>& x, std::vector<Scalar>& y) {
  const StagedShape shape = {64, 1, 64, c.piece_tiles, 1024};
  const Bench::HostStaged B = Bench::build_staged(A, shape, sizeof(Scalar));
  const OnDevice<int> chunk_columns(B.chunk_columns);
  const OnDevice<StagedChunk> chunks(B.chunks);
  const OnDevice<std::byte> tiles(B.tiles);
  const OnDevice<Scalar> values(std::vector<Scalar>(B.values.begin(), B.values.end()));
  StagedPattern pattern;
  pattern.rows = A.rows, pattern.columns = A.columns;
  pattern.window_rows = shape.window_rows, pattern.strip_blocks = shape.strip_blocks;
  pattern.chunk_slots = shape.chunk_slots, pattern.piece_chunks = shape.piece_chunks;
  pattern.most_tile_bytes = B.most_tile_bytes;
  pattern.most_value_bytes = B.most_values * static_cast<int>(sizeof(Scalar));
  pattern.window_offsets = B.window_offsets.data(), pattern.chunk_columns = chunk_columns.data();
  pattern.chunks = chunks.data(), pattern.tiles = tiles.data();

  const auto host_schedule = Cuda::build_condensed_schedule(B.window_offsets.data(), pattern.windows(),
                                                            shape.piece_chunks, Cuda::PieceCut::Full);
  const OnDevice<Cuda::CondensedItem<int>> items(host_schedule.items);
  const OnDevice<Cuda::CondensedSum> sums(host_schedule.sums);
  const Cuda::CondensedSchedule<int> schedule = {static_cast<int>(host_schedule.items.size()),
                                                 static_cast<int>(host_schedule.sums.size()), host_schedule.slots,
                                                 items.data(), sums.data()};

  const Operands<Scalar> operands(A, c, x, y);
  const auto product = operands.template product<Scalar>(values.data());
  const OnDevice<std::byte> workspace(
      std::vector<std::byte>(Cuda::staged_workspace_bytes(pattern, schedule, product.x), std::byte(0xff)));
  Cuda::staged_spmm(nullptr, pattern, c.precision, schedule, product, Scratch{workspace.data(), workspace.bytes()});
  y = operands.y.to_host();
}

}  // namespace Tessera::Test
