// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <tessera/common/Batch.hpp>
#include <tessera/parallel/Arrays.hpp>
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

/// Calls body(number, first row, last row) for units [first, last), which are the rows of all matrices, matrix by
/// matrix.
template <class Body>
void for_each_item(Ordinal rows, Ordinal first, Ordinal last, const Body& body) {
  for (Ordinal begin = first, end; begin < last; begin = end) {
    const Ordinal row = begin % rows;
    end = begin + std::min(rows - row, last - begin);
    body(begin / rows, row, row + (end - begin));
  }
}

/// Calls launch(part) for parts of a batch with no more rows than a device counts blocks, and than an int holds.
template <class Scalar, class Launch>
void for_each_launch(const BatchRows& A, const BatchProduct<Scalar>& batch, const Launch& launch) {
  constexpr Ordinal most_rows = 1 << 27;
  for_each_part(batch.count, std::max(1, most_rows / A.rows),
                [&](Ordinal first, Ordinal count) { launch(products_of(batch, first, count)); });
}

/// Multiplies on a host. Threads share the rows of all matrices. Columns of X that are not adjacent are packed in
/// slabs, as for a single product.
template <class ExecutionSpace, class Scalar>
class HostBatch {
 public:
  HostBatch(const ExecutionSpace& exec, const BatchRows& A) : exec_(exec), A_(A), entries_(A.row_offsets[A.rows]) {}

  void run(const BatchProduct<Scalar>& batch) const {
    const auto& x = batch.first.x;
    const bool packs =
        x.columns > 1 && x.column_stride != 1 && packing_pays(static_cast<std::size_t>(entries_), x.rows);
    packs ? multiply_packed(batch) : multiply(batch);
  }

 private:
  /// Packs the slabs of as many X as caches hold, and then multiplies them.
  void multiply_packed(const BatchProduct<Scalar>& batch) const {
    constexpr std::size_t cache_of_a_thread = 1 << 19;
    const auto& x = batch.first.x;
    const bool is_shared = batch.x_stride == 0;
    const Ordinal width = std::min(x.columns, slab_columns<Scalar>);
    const std::size_t slab_elements = std::size_t(x.rows) * width;
    const std::size_t fitting = cache_of_a_thread * exec_.concurrency() / (slab_elements * sizeof(Scalar));
    const auto slabs = is_shared ? 1 : static_cast<Ordinal>(std::clamp<std::size_t>(fitting, 1, batch.count));
    using Packed = Array<Scalar*, typename ExecutionSpace::memory_space>;
    const auto packed = allocate<Packed>(exec_, "Tessera::packed", slabs * slab_elements);
    for_each_part(x.columns, width, [&](Ordinal first_column, Ordinal columns) {
      for_each_part(batch.count, is_shared ? batch.count : slabs, [&](Ordinal first, Ordinal count) {
        auto part = products_of(batch, first, count);
        part.first = columns_of(part.first, first_column, columns);
        pack(part, is_shared ? 1 : count, packed.data());
        part.first.x = {packed.data(), x.rows, columns, columns, 1};
        part.x_stride = is_shared ? 0 : std::ptrdiff_t(x.rows) * columns;
        multiply(part);
      });
    });
  }

  /// Copies the X of the first `count` products, one after another, with adjacent columns.
  void pack(const BatchProduct<Scalar>& batch, Ordinal count, Scalar* packed) const {
    const auto pack_rows = host_kernels<Scalar, Scalar>(simd_target()).pack;
    const Ordinal rows = batch.first.x.rows, columns = batch.first.x.columns;
    parallel_for_balanced(
        "Tessera::pack", exec_, rows * count, [=](Ordinal unit) { return std::int64_t(unit) * columns; },
        [=](Ordinal first, Ordinal last) {
          for_each_item(rows, first, last, [&](Ordinal number, Ordinal begin, Ordinal end) {
            pack_rows(batch.product(number).x, packed + std::ptrdiff_t(number) * rows * columns, columns, begin, end);
          });
        });
  }

  void multiply(const BatchProduct<Scalar>& batch) const {
    for_each_launch(A_, batch, [this](const BatchProduct<Scalar>& part) {
      parallel_for_balanced(
          BatchRows::label, exec_, A_.rows * part.count,
          [this](Ordinal unit) { return unit / A_.rows * entries_ + A_.row_offsets[unit % A_.rows]; },
          [this, part](Ordinal first, Ordinal last) {
            for_each_item(A_.rows, first, last, [&](Ordinal number, Ordinal begin, Ordinal end) {
              multiply_rows(part.product(number), begin, end);
            });
          });
    });
  }

  /// Kernels read adjacent columns, or one column at a time.
  void multiply_rows(const Product<Scalar, Scalar>& product, Ordinal first_row, Ordinal last_row) const {
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

  ExecutionSpace exec_;
  BatchRows A_;
  std::int64_t entries_;
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

/// Computes Y_b = alpha A_b X_b + beta Y_b for all b.
///
/// \param A        [in] rows > 0
/// \param schedule [in] how a device shares rows; hosts do not read it
template <class ExecutionSpace, class Scalar>
void batch_spmm(const ExecutionSpace& exec, const BatchRows& A, const RowSchedule& schedule,
                const BatchProduct<Scalar>& batch) {
  if constexpr (is_host_space<ExecutionSpace>) {
    HostBatch<ExecutionSpace, Scalar>(exec, A).run(batch);
  } else {
    for_each_launch(A, batch, [&](const BatchProduct<Scalar>& part) {
      DeviceBatch<ExecutionSpace, Scalar>(A, schedule, part).run(exec);
    });
  }
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
