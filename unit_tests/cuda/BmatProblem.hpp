// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/cuda/bmat/Spmm.hpp>

#include "../../perf_tests/gpu/candidates/bmat/HostBmat.hpp"
#include "ProductCase.hpp"

namespace Tessera::Test {

/// Y = alpha A X + beta Y on the device, in place, with A in BMat; x and y as `place` says. launch(pattern, schedule,
/// product, workspace) is the product.
template <class Offset, class Scalar, class Launch>
void bmat_product(const HostMatrix& A, const ProductCase& c, const std::vector<Scalar>& x, std::vector<Scalar>& y,
                  const Launch& launch, Cuda::BmatPartition partition = Cuda::BmatPartition::EqualCost) {
  const Bench::HostBmat B = Bench::build_bmat(A);
  const std::vector<Offset> window_offsets(B.window_offsets.begin(), B.window_offsets.end());
  const std::vector<Offset> value_offsets(B.value_offsets.begin(), B.value_offsets.end());
  const OnDevice<Offset> windows(window_offsets), first_values(value_offsets);
  const OnDevice<int> columns(B.tile_columns);
  const OnDevice<std::uint32_t> words(B.tile_words);
  const OnDevice<Scalar> values(std::vector<Scalar>(B.values.begin(), B.values.end()));

  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
  const auto host_schedule = Cuda::build_bmat_schedule<Offset>(
      {A.rows, A.columns, window_offsets.data(), value_offsets.data(), B.tile_columns.data(), B.tile_words.data()},
      c.piece_tiles, multiprocessors, partition);
  const OnDevice<Cuda::BmatItem<Offset>> items(host_schedule.items);
  const OnDevice<Cuda::CondensedSum> sums(host_schedule.sums);
  const OnDevice<Cuda::BmatPoint> points(host_schedule.points);
  const Cuda::BmatSchedule<Offset> schedule = {static_cast<int>(host_schedule.items.size()),
                                               static_cast<int>(host_schedule.sums.size()),
                                               host_schedule.slots,
                                               multiprocessors,
                                               items.data(),
                                               sums.data(),
                                               points.data()};
  const BmatPattern<Offset> pattern = {A.rows,         A.columns,   windows.data(), first_values.data(),
                                       columns.data(), words.data()};

  const Operands<Scalar> operands(A, c, x, y);
  const auto product = operands.template product<Scalar>(values.data());
  const OnDevice<std::byte> workspace(
      std::vector<std::byte>(Cuda::bmat_workspace_bytes(pattern, schedule, product.x), std::byte(0xff)));
  launch(pattern, schedule, product, Scratch{workspace.data(), workspace.bytes()});
  y = operands.y.to_host();
}

template <class Offset, class Scalar>
void bmat_product(const HostMatrix& A, const ProductCase& c, const std::vector<Scalar>& x, std::vector<Scalar>& y) {
  bmat_product<Offset>(A, c, x, y,
                       [&](const auto& pattern, const auto& schedule, const auto& product, const Scratch& workspace) {
                         Cuda::bmat_spmm(nullptr, pattern, c.precision, schedule, product, workspace);
                       });
}

}  // namespace Tessera::Test
