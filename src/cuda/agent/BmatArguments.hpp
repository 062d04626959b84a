// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Product.hpp>
#include <tessera/cuda/BmatSchedule.hpp>

#include "../policy/BmatPolicy.hpp"

namespace Tessera::Cuda {

/// What the kernels for BMat are given. Rows of product.x are aligned to 16 bytes, its column_stride is 1.
template <class Offset, class MatrixScalar, class Scalar>
struct BmatArguments {
  BmatPattern<Offset> A;
  BmatSchedule<Offset> schedule;
  Product<MatrixScalar, Scalar> product;
  unsigned x_row_bytes = 0;            // from a row of X to the next
  int copied_columns = 0;              // of rows of X: those of the product, and others up to 16 bytes
  bool y_vectors = false;              // rows of Y are aligned to 16 bytes as well
  Scalar* partials = nullptr;          // slots * 16 rows: sums of items that are pieces of windows
  std::ptrdiff_t partials_stride = 0;  // of rows, in elements
};

/// What a block does, one after the other: items with some adjacent columns of X each. Columns are counted in units,
/// those of a consumer.
template <class Policy, class Offset>
class BmatTasks {
 public:
  __device__ __forceinline__ BmatTasks(const BmatSchedule<Offset>& schedule, int columns)
      : units_of_item_(window_count(columns, Policy::warp_columns)) {
    if constexpr (Policy::balanced) {
      constexpr int step = bmat_parts_per_multiprocessor / Policy::blocks;
      const BmatPoint* points = schedule.points + blockIdx.x * step;
      find(points[0], item_, unit_);
      find(points[step], last_item_, last_unit_);
    } else {
      item_ = static_cast<int>(blockIdx.x), unit_ = 0;
      last_item_ = schedule.item_count, last_unit_ = 0;
    }
  }

  __device__ __forceinline__ bool left() const {
    return item_ < last_item_ || (item_ == last_item_ && unit_ < last_unit_);
  }
  __device__ __forceinline__ int item() const { return item_; }
  __device__ __forceinline__ int first_unit() const { return unit_; }
  __device__ __forceinline__ int units() const {
    return min(Policy::consumers, (item_ == last_item_ ? last_unit_ : units_of_item_) - unit_);
  }
  __device__ __forceinline__ void advance() {
    unit_ += units();
    if (unit_ < units_of_item_) return;
    unit_ = 0;
    item_ += Policy::balanced ? 1 : static_cast<int>(gridDim.x);
  }

 private:
  // The unit that begins nearest to a point.
  __device__ __forceinline__ void find(const BmatPoint& point, int& item, int& unit) const {
    constexpr unsigned half = 1u << (BmatPoint::fraction_bits - 1);
    item = point.item;
    unit = static_cast<int>((std::uint64_t(point.fraction) * static_cast<unsigned>(units_of_item_) + half) >>
                            BmatPoint::fraction_bits);
    if (unit == units_of_item_) ++item, unit = 0;
  }

  int units_of_item_;
  int item_, unit_, last_item_, last_unit_;
};

}  // namespace Tessera::Cuda
