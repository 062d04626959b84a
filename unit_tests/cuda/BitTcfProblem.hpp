// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/cuda/bittcf/Spmm.hpp>

#include "../../perf_tests/gpu/candidates/condensed/HostCondensed.hpp"
#include "ProductCase.hpp"

namespace Tessera::Test {

/// piece_tiles is the most tiles of a block of threads.
struct BitTcfCase : ProductCase {
  Cuda::BitTcfBalance balance = Cuda::BitTcfBalance::Adaptive;
};

/// Y = alpha A X + beta Y on the device, in place; x and y as `place` says.
template <class Offset, class Scalar>
void bittcf_product(const HostMatrix& A, const BitTcfCase& c, const std::vector<Scalar>& x, std::vector<Scalar>& y) {
  const Bench::HostCondensed B = Bench::build_condensed(A, 1);
  const std::vector<Offset> window_offsets(B.window_offsets.begin(), B.window_offsets.end());
  const OnDevice<Offset> windows(window_offsets);
  const OnDevice<Offset> tiles(std::vector<Offset>(B.tile_offsets.begin(), B.tile_offsets.end()));
  const OnDevice<int> columns(B.tile_columns);
  const OnDevice<std::uint64_t> masks(B.tile_masks);
  const OnDevice<Scalar> values(std::vector<Scalar>(B.values.begin(), B.values.end()));
  const BitTcfPattern<Offset> pattern = {A.rows, A.columns, windows.data(), tiles.data(), columns.data(), masks.data()};

  const auto host = Cuda::build_bittcf_schedule(window_offsets.data(), pattern.windows(), c.piece_tiles,
                                                int(sizeof(Scalar)), c.balance);
  const OnDevice<Cuda::CondensedItem<Offset>> items(host.pieces.items);
  const OnDevice<Cuda::CondensedSum> sums(host.pieces.sums);
  const OnDevice<int> block_items(host.block_items);
  Cuda::BitTcfSchedule<Offset> schedule;
  schedule.pieces.item_count = static_cast<int>(host.pieces.items.size());
  schedule.pieces.sum_count = static_cast<int>(host.pieces.sums.size());
  schedule.pieces.slot_count = host.pieces.slots;
  schedule.pieces.items = items.data();
  schedule.pieces.sums = sums.data();
  schedule.block_count = host.block_count();
  schedule.block_items = block_items.data();

  const Operands<Scalar> operands(A, c, x, y);
  const auto product = operands.template product<Scalar>(values.data());
  const OnDevice<std::byte> workspace(
      std::vector<std::byte>(Cuda::bittcf_workspace_bytes(pattern, schedule, product.x), std::byte(0xff)));
  Cuda::bittcf_spmm(nullptr, pattern, c.precision, schedule, product, Scratch{workspace.data(), workspace.bytes()});
  y = operands.y.to_host();
}

}  // namespace Tessera::Test
