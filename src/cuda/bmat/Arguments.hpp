// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tessera/common/Product.hpp>
#include <tessera/cuda/bmat/Schedule.hpp>

#include "Policy.hpp"

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

/// What a block does, one after the other: items with a slab of columns of X each.
template <class Policy, class Offset>
class BmatTasks {
 public:
  __device__ __forceinline__ BmatTasks(const BmatSchedule<Offset>& schedule, int columns)
      : slabs_(window_count(columns, Policy::columns)) {
    if (schedule.points != nullptr) {
      constexpr int step = bmat_parts_per_multiprocessor / Policy::blocks;
      const BmatPoint* points = schedule.points + blockIdx.x * step;
      find(points[0], item_, slab_);
      find(points[step], last_item_, last_slab_);
    } else {
      item_ = static_cast<int>(blockIdx.x), slab_ = 0;
      last_item_ = schedule.item_count, last_slab_ = 0;
      step_ = static_cast<int>(gridDim.x);
    }
  }

  __device__ __forceinline__ bool left() const {
    return item_ < last_item_ || (item_ == last_item_ && slab_ < last_slab_);
  }
  __device__ __forceinline__ int item() const { return item_; }
  __device__ __forceinline__ int first_column() const { return slab_ * Policy::columns; }
  __device__ __forceinline__ void advance() {
    if (++slab_ < slabs_) return;
    slab_ = 0;
    item_ += step_;
  }

 private:
  // The slab that begins nearest to a point.
  __device__ __forceinline__ void find(const BmatPoint& point, int& item, int& slab) const {
    constexpr unsigned half = 1u << (BmatPoint::fraction_bits - 1);
    item = point.item;
    slab = static_cast<int>((std::uint64_t(point.fraction) * static_cast<unsigned>(slabs_) + half) >>
                            BmatPoint::fraction_bits);
    if (slab == slabs_) ++item, slab = 0;
  }

  int slabs_;     // of an item
  int step_ = 1;  // from an item to the next
  int item_, slab_, last_item_, last_slab_;
};

}  // namespace Tessera::Cuda
