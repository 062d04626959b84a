// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/cuda/condensed/DenseTiles.hpp>
#include <tessera/cuda/condensed/Spmm.hpp>

#include "../../perf_tests/gpu/candidates/condensed/HostCondensed.hpp"
#include "ProductCase.hpp"

namespace Tessera::Test {

/// Y = alpha A X + beta Y on the device, in place; x and y as `place` says.
template <class Offset, class MatrixScalar, class Scalar>
void device_product(const HostMatrix& A, const ProductCase& c, const std::vector<Scalar>& x, std::vector<Scalar>& y) {
  const Bench::HostCondensed B = Bench::build_condensed(A, c.strips);
  const std::vector<Offset> window_offsets(B.window_offsets.begin(), B.window_offsets.end());
  const OnDevice<Offset> windows(window_offsets);
  const OnDevice<Offset> tiles(std::vector<Offset>(B.tile_offsets.begin(), B.tile_offsets.end()));
  const OnDevice<int> columns(B.tile_columns);
  const OnDevice<std::uint64_t> masks(B.tile_masks);
  const OnDevice<MatrixScalar> compact(std::vector<MatrixScalar>(B.values.begin(), B.values.end()));
  const OnDevice<MatrixScalar> dense(std::vector<MatrixScalar>(std::size_t(B.tiles()) * c.strips * 64));
  const Cuda::CondensedPattern<Offset> pattern = {A.rows,       A.columns,      c.strips,    windows.data(),
                                                  tiles.data(), columns.data(), masks.data()};
  Cuda::expand_tiles<Offset, MatrixScalar>(nullptr, pattern, std::size_t(B.tiles()), compact.data(), dense.data());

  const auto host_schedule = Cuda::build_condensed_schedule(window_offsets.data(), pattern.windows(), c.piece_tiles);
  const OnDevice<Cuda::CondensedItem<Offset>> items(host_schedule.items);
  const OnDevice<Cuda::CondensedSum> sums(host_schedule.sums);
  Cuda::CondensedSchedule<Offset> schedule;
  schedule.item_count = static_cast<int>(host_schedule.items.size());
  schedule.sum_count = static_cast<int>(host_schedule.sums.size());
  schedule.slot_count = host_schedule.slots;
  schedule.items = items.data();
  schedule.sums = sums.data();

  const Operands<Scalar> operands(A, c, x, y);
  const auto product =
      operands.template product<MatrixScalar>(c.values == Cuda::TileValues::Dense ? dense.data() : compact.data());
  const OnDevice<std::byte> workspace(std::vector<std::byte>(
      Cuda::condensed_workspace_bytes(pattern, c.precision, schedule, product.x), std::byte(0xff)));
  Cuda::condensed_spmm(nullptr, pattern, c.values, c.precision, schedule, product,
                       Scratch{workspace.data(), workspace.bytes()});
  y = operands.y.to_host();
}

}  // namespace Tessera::Test
