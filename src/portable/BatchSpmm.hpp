// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <tessera/common/Batch.hpp>
#include <tessera/parallel/ExecutionSpaces.hpp>
#include <tessera/parallel/SimdTarget.hpp>

#include "BatchItems.hpp"
#include "DeviceColumn.hpp"
#include "DeviceRows.hpp"
#include "HostSpmm.hpp"
#include "Slabs.hpp"
#include "WindowSpmm.hpp"

/// The products of matrices with one pattern, all in one launch.
namespace Tessera::Impl {

/// Multiplies on a host. Threads share the rows of all matrices.
template <class ExecutionSpace, class Scalar>
class HostBatch {
 public:
  HostBatch(const BatchRows& A, const BatchProduct<Scalar>& batch) : A_(A), batch_(batch) {}

  void run(const ExecutionSpace& exec) const {
    const std::int64_t entries = A_.row_offsets[A_.rows];
    parallel_for_balanced(
        BatchRows::label, exec, A_.rows * batch_.count,
        [this, entries](Ordinal unit) { return unit / A_.rows * entries + A_.row_offsets[unit % A_.rows]; },
        [this](Ordinal first, Ordinal last) { multiply(first, last); });
  }

 private:
  /// Multiplies units, which are the rows of all matrices, matrix by matrix.
  void multiply(Ordinal first, Ordinal last) const {
    for (Ordinal begin = first, end; begin < last; begin = end) {
      const Ordinal number = begin / A_.rows, row = begin % A_.rows;
      end = begin + std::min(A_.rows - row, last - begin);
      multiply(batch_.product(number), row, row + (end - begin));
    }
  }

  /// Kernels read adjacent columns, or one column at a time.
  void multiply(const Product<Scalar, Scalar>& product, Ordinal first_row, Ordinal last_row) const {
    const Ordinal width = product.x.column_stride == 1 ? most_columns : 1;
    for_each_part(product.x.columns, width, [&](Ordinal first, Ordinal count) {
      const auto slab = columns_of(product, first, count);
      if (A_.slots == nullptr) {
        host_kernels<Scalar, Scalar>(simd_target()).csr(A_, slab, first_row, last_row);
      } else {
        WindowSums<BatchRows, Scalar, Scalar> sums(A_, slab, simd_target());
        for (Ordinal row = first_row; row < last_row; ++row) sums.multiply(row);
      }
    });
  }

  BatchRows A_;
  BatchProduct<Scalar> batch_;
};

/// Multiplies on a device. Each lane reads 16 bytes of a row of X if all rows of all X and Y begin at multiples of 16
/// bytes.
template <class ExecutionSpace, class Scalar>
class DeviceBatch {
 public:
  DeviceBatch(const BatchRows& A, const RowSchedule& schedule, const BatchProduct<Scalar>& batch)
      : items_{A, schedule, batch} {}

  void run(const ExecutionSpace& exec) const {
    constexpr int teams_at_a_time = 6;
    // Kokkos::Cuda waits before it launches a kernel with more bytes.
    static_assert(sizeof(Items) + sizeof(DeviceRowsShape) + 64 <= 512, "Tessera: a kernel for batches is too large");
    const auto& x = items_.any_product().x;
    if (x.columns == 1) {
      DeviceColumn<ExecutionSpace, Items, teams_at_a_time>(items_).run(exec);
    } else if (has_whole_lanes(x) && items_.batch.x_stride % lane == 0 && items_.batch.y_stride % lane == 0) {
      multiply_by<lane, true>(exec, slab_columns<Scalar> / lane);
    } else if (x.column_stride == 1) {
      multiply_by<1, false>(exec, slab_columns<Scalar>);
    } else {
      multiply_by<lane, false>(exec, 1);
    }
  }

 private:
  using Items = BatchItems<Scalar>;
  static constexpr int lane = lane_elements<Scalar>;

  template <int width, bool is_packed>
  void multiply_by(const ExecutionSpace& exec, int most_lanes) const {
    const DeviceRowsShape shape(items_.any_product().y.columns, width, most_lanes, items_.schedule.parts);
    DeviceRows<ExecutionSpace, Items, width, is_packed>(items_, shape).run(exec);
  }

  Items items_;
};

/// Chooses how a device shares the rows of matrices. It depends on the pattern alone, so that a product has the same
/// bits in any batch.
///
/// \param longest [in] entries of the longest row
inline RowSchedule schedule_of_batch(Ordinal rows, Offset entries, Offset longest) {
  constexpr double many_rows = 1e9;  // a device is full, however few rows a matrix has
  constexpr std::size_t wide_row = 256;
  const double mean = double(entries) / std::max(rows, 1);
  RowSchedule schedule;
  schedule.parts = choose_parts(many_rows, mean * many_rows, wide_row);
  share_column(many_rows, mean * many_rows, longest, schedule);
  schedule.column_rows = 1;
  return schedule;
}

/// Computes Y_b = alpha A_b X_b + beta Y_b for all b. Launches again if there are more rows than a device counts
/// blocks.
///
/// \param A        [in] rows > 0
/// \param schedule [in] how a device shares rows; hosts do not read it
template <class ExecutionSpace, class Scalar>
void batch_spmm(const ExecutionSpace& exec, const BatchRows& A, const RowSchedule& schedule,
                const BatchProduct<Scalar>& batch) {
  constexpr Ordinal most_rows = 1 << 27;
  for_each_part(batch.count, std::max(1, most_rows / A.rows), [&](Ordinal first, Ordinal count) {
    const auto part = products_of(batch, first, count);
    if constexpr (is_host_space<ExecutionSpace>) {
      HostBatch<ExecutionSpace, Scalar>(A, part).run(exec);
    } else {
      DeviceBatch<ExecutionSpace, Scalar>(A, schedule, part).run(exec);
    }
  });
}

/// Computes Y_b = beta Y_b for all b.
template <class ExecutionSpace, class Scalar>
void scale_batch(const ExecutionSpace& exec, const BatchProduct<Scalar>& batch) {
  const auto& y = batch.first.y;
  const std::int64_t elements = std::int64_t(y.rows) * y.columns;
  Kokkos::parallel_for(
      "Tessera::scale_batch",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, elements * batch.count),
      KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t element = i % elements;
        const auto product = batch.product(static_cast<Ordinal>(i / elements));
        Scalar& target =
            product.y(static_cast<Ordinal>(element / y.columns), static_cast<Ordinal>(element % y.columns));
        target = product.beta == Scalar(0) ? Scalar(0) : product.beta * target;
      });
}

}  // namespace Tessera::Impl
