// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <tessera/common/Product.hpp>

#include "Policy.hpp"
#include "fragments/Layout.hpp"
#include "launch/WindowArguments.hpp"
#include "ptx/AsyncCopy.cuh"
#include "voltrix/cuda/Schedule.hpp"

namespace Tessera::Impl::Cuda {

/// The arguments of the kernels for BMat. Rows of product.x are aligned to 16 bytes. Its column_stride is 1.
template <class Scalar>
struct BmatArguments : WindowArguments<BmatWords, BmatSchedule, Scalar, Scalar> {
  int copied_columns = 0;  // columns of a row of X that are copied: those of the product, rounded up to 16 bytes
};

/// The tasks of a block, one after another. A task is an item with a slab of columns of X.
template <class Policy>
class BmatTasks {
 public:
  __device__ __forceinline__ BmatTasks(const BmatSchedule& schedule, int columns)
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
  // Finds the slab whose start is nearest to a point.
  __device__ __forceinline__ void find(const BmatPoint& point, int& item, int& slab) const {
    constexpr unsigned half = 1u << (BmatPoint::fraction_bits - 1);
    item = point.item;
    slab = static_cast<int>((std::uint64_t(point.fraction) * static_cast<unsigned>(slabs_) + half) >>
                            BmatPoint::fraction_bits);
    if (slab == slabs_) ++item, slab = 0;
  }

  int slabs_;     // number of slabs of an item
  int step_ = 1;  // distance from one item of the block to the next
  int item_, slab_, last_item_, last_slab_;
};

/// The shared memory of a block: a ring of buffers, each for up to Policy::stage_tiles tiles of a window.
///
/// The stride of rows of X is 32, 96, 160, ... bytes. Eight lanes, two per row, read 16 bytes each at the same time.
/// With these strides they read from different banks.
template <class Scalar, class Policy>
struct BmatBuffers : RingBarriers<Policy::buffers> {
  using Pattern = BmatWords;
  static constexpr int rows = Policy::stage_tiles * Pattern::tile_width;
  static constexpr int words = Policy::stage_tiles * Pattern::tile_words_count;
  static constexpr int most_values = Policy::stage_tiles * Pattern::tile_rows * Pattern::tile_width;

  static constexpr int row_bytes = Policy::columns * static_cast<int>(sizeof(Scalar));
  static constexpr int row_stride = row_bytes / 32 % 2 == 1 ? row_bytes : row_bytes + 32;
  static constexpr int x_bytes = rows * row_stride;
  static constexpr int value_bytes = most_values * static_cast<int>(sizeof(Scalar));
  static constexpr int word_bytes = words * static_cast<int>(sizeof(std::uint32_t));
  static constexpr int buffer_bytes = x_bytes + value_bytes + 2 * word_bytes;
  static constexpr int barrier_bytes = 128;
  static constexpr int bytes = barrier_bytes + Policy::buffers * buffer_bytes;
  static_assert(2 * Policy::buffers * 8 <= barrier_bytes && buffer_bytes % 16 == 0);

  /// Number of arrivals: one by each lane of the producer, and one with the number of bytes of bulk copies.
  static constexpr int full_arrivals = 33;

  /// Returns the rows of X, eight for each tile.
  __device__ std::byte* x(int buffer) const { return this->memory + barrier_bytes + buffer * buffer_bytes; }
  /// Returns the values of all tiles, one tile after another.
  __device__ Scalar* values(int buffer) const { return reinterpret_cast<Scalar*>(x(buffer) + x_bytes); }
  /// Returns the four words of each tile.
  __device__ std::uint32_t* tile_words(int buffer) const {
    return reinterpret_cast<std::uint32_t*>(x(buffer) + x_bytes + value_bytes);
  }
  /// Returns the place of the first value of each word.
  __device__ std::uint32_t* word_places(int buffer) const { return tile_words(buffer) + words; }
};

}  // namespace Tessera::Impl::Cuda
