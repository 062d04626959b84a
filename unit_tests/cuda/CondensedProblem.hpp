// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <tessera/cuda/CondensedSpmm.hpp>
#include <tessera/cuda/ExpandTiles.hpp>

#include "../../perf_tests/gpu/Device.hpp"
#include "../../perf_tests/gpu/candidates/condensed/HostCondensed.hpp"

namespace Tessera::Test {

using Bench::DeviceArray;
using Bench::HostMatrix;

/// How a product is asked for, besides its operands.
struct ProductCase {
  int strips = 1;
  Cuda::TileValues values = Cuda::TileValues::Dense;
  Precision precision = Precision::Native;
  int piece_tiles = 64;
  int columns = 32;
  int padding = 0;           // of rows of X and Y, in elements
  int misalignment = 0;      // of X and Y, in elements
  bool left_layout = false;  // column-major X and Y
  bool scatter = false;      // rows of Y backwards
  double alpha = 1.5, beta = 0.5;
};

/// Element (i, j) of a block of columns in a case's layout.
inline std::size_t place(const ProductCase& c, int rows, int i, int j) {
  const std::size_t stride = std::size_t(c.left_layout ? rows : c.columns) + c.padding;
  return c.misalignment + (c.left_layout ? i + j * stride : i * stride + j);
}
inline std::size_t extent(const ProductCase& c, int rows) {
  return c.misalignment +
         (std::size_t(c.left_layout ? rows : c.columns) + c.padding) * std::size_t(c.left_layout ? c.columns : rows);
}

template <class Scalar>
Multivector<Scalar> view(const ProductCase& c, int rows, Scalar* data) {
  const std::ptrdiff_t stride = (c.left_layout ? rows : c.columns) + c.padding;
  return {data + c.misalignment, rows, c.columns, c.left_layout ? 1 : stride, c.left_layout ? stride : 1};
}

/// Y = alpha A X + beta Y on the device, in place; x and y as `place` says.
template <class Offset, class MatrixScalar, class Scalar>
void device_product(const HostMatrix& A, const ProductCase& c, const std::vector<Scalar>& x, std::vector<Scalar>& y) {
  const Bench::HostCondensed B = Bench::build_condensed(A, c.strips);
  const std::vector<Offset> window_offsets(B.window_offsets.begin(), B.window_offsets.end());
  const DeviceArray<Offset> windows(window_offsets);
  const DeviceArray<Offset> tiles(std::vector<Offset>(B.tile_offsets.begin(), B.tile_offsets.end()));
  const DeviceArray<int> columns(B.tile_columns);
  const DeviceArray<std::uint64_t> masks(B.tile_masks);
  const DeviceArray<MatrixScalar> compact(std::vector<MatrixScalar>(B.values.begin(), B.values.end()));
  const DeviceArray<MatrixScalar> dense(std::size_t(B.tiles()) * c.strips * 64);
  const Cuda::CondensedPattern<Offset> pattern = {A.rows,       A.columns,      c.strips,    windows.data(),
                                                  tiles.data(), columns.data(), masks.data()};
  Cuda::expand_tiles<Offset, MatrixScalar>(nullptr, pattern, std::size_t(B.tiles()), compact.data(), dense.data());

  const auto host_schedule = Cuda::build_condensed_schedule(window_offsets.data(), pattern.windows(), c.piece_tiles);
  const DeviceArray<Cuda::CondensedItem<Offset>> items(host_schedule.items);
  const DeviceArray<Cuda::CondensedSum> sums(host_schedule.sums);
  Cuda::CondensedSchedule<Offset> schedule;
  schedule.item_count = static_cast<int>(items.size());
  schedule.sum_count = static_cast<int>(sums.size());
  schedule.slot_count = host_schedule.slots;
  schedule.items = items.data();
  schedule.sums = sums.data();

  const DeviceArray<Scalar> device_x(x), device_y(y);
  std::vector<int> backwards(A.rows);
  for (int i = 0; i < A.rows; ++i) backwards[i] = A.rows - 1 - i;
  const DeviceArray<int> y_rows(backwards);
  Product<MatrixScalar, Scalar> product;
  product.values = c.values == Cuda::TileValues::Dense ? dense.data() : compact.data();
  product.alpha = static_cast<Scalar>(c.alpha);
  product.x = view<const Scalar>(c, A.columns, device_x.data());
  product.beta = static_cast<Scalar>(c.beta);
  product.y = view<Scalar>(c, A.rows, device_y.data());
  product.y_rows = c.scatter ? y_rows.data() : nullptr;
  const DeviceArray<std::byte> workspace(Cuda::condensed_workspace_bytes(pattern, schedule, product.x));
  Cuda::condensed_spmm(nullptr, pattern, c.values, c.precision, schedule, product,
                       Scratch{workspace.data(), workspace.size()});
  Bench::check(cudaDeviceSynchronize(), "condensed_spmm");
  if (!y.empty()) {
    Bench::check(cudaMemcpy(y.data(), device_y.data(), device_y.bytes(), cudaMemcpyDeviceToHost), "copy of Y");
  }
}

/// The unit roundoff that a precision promises, and how many times (entries of the row + 2) it may err.
inline double tolerance(Precision precision) {
  return precision == Precision::Native ? 2 * 0x1p-53 : precision == Precision::Tf32x3 ? 4 * 0x1p-24 : 2 * 0x1p-11;
}

}  // namespace Tessera::Test
