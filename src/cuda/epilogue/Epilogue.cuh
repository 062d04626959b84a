// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <tessera/common/Product.hpp>
#include <type_traits>

#include "../ptx/Memory.cuh"
#include "Arithmetic.cuh"

namespace Tessera::Impl::Cuda {

/// Whether any lane of the warp has a sum that is not finite. `zeros` is the total of the lane's sums times 0.
///
/// All lanes get the same answer and take the same branch. If they diverged, the function that some of them call would
/// overwrite uniform registers of the warp that nvcc 13.0 still uses for the other lanes.
template <class Real>
__device__ __forceinline__ bool some_are_nonfinite(Real zeros) {
  return __any_sync(0xffffffffu, !(zeros == Real(0)));
}

/// Returns the row of Y that belongs to row `row` of A.
template <class Product>
__device__ __forceinline__ Ordinal row_of_y(const Product& product, Ordinal row) {
  return product.y_rows == nullptr ? row : product.y_rows[row];
}

/// Stores one element: Y = alpha sum + beta Y.
template <class Product, class Scalar>
__device__ __forceinline__ void store_element(const Product& product, Ordinal row, Ordinal column, Scalar sum) {
  auto& y = product.y(row_of_y(product, row), column);
  y = std::remove_reference_t<decltype(y)>(
      scaled_and_added(product.alpha, sum, product.beta, [&] { return Scalar(y); }));
}

/// Stores a vector of a row of Y that begins at y: Y = alpha sums + beta Y.
template <class Product, class Scalar, bool aligned, class InMemory>
__device__ __forceinline__ void store_sums(const Product& product, InMemory* y,
                                           const Vector<Scalar, aligned, InMemory>& sums) {
  Vector<InMemory, aligned> old, result;
  if (product.beta != Scalar(0)) old = load_vector_once<aligned>(y);
#pragma unroll
  for (int e = 0; e < result.size; ++e) {
    result.at[e] =
        InMemory(scaled_and_added(product.alpha, sums.at[e], product.beta, [&] { return Scalar(old.at[e]); }));
  }
  store_vector_once(y, result);
}

/// Writes the sums of an item. The sums of a whole window are written as Y = alpha sums + beta Y, those of a piece to
/// its slot of the workspace. Sums that are not finite are computed again from the entries only: a zero of a tile may
/// have been multiplied by an infinity or a NaN in a row of X that the row of A does not use, or 16 bits were too few.
///
/// arguments are WindowArguments. Fragment describes the sums of a lane:
///
///   rows, columns                     the lane has rows x columns sums, with indices p and q
///   vector                            columns in groups of this number are adjacent in Y
///   is_whole                          X has all columns of a vector or none, and Y is aligned to vectors
///   reads_ahead                       a lane has registers to read all of its Y before it writes any
///   has_rest                          sums for columns beyond X may have any value
///   window_rows                       rows of a window, and of a slot
///   row(lane, p), column(lane, q)     the place of a sum in the warp's part of the window, and in its slab
///   at(sums, p, q)                    the sum
///   sum_entries(arguments, item, row of the window, column of X)    the sum of the entries only
template <class Fragment, class Arguments, YCaching caching = YCaching::Streaming>
class Epilogue {
  using Scalar = decltype(decltype(Arguments::product)::alpha);
  using InMemory = typename decltype(decltype(Arguments::product)::y)::Element;
  static constexpr int vector = Fragment::vector;
  using Vector = vector_of_t<Scalar, vector>;

 public:
  /// first_column is the first column of the slab, first_row the first row of the warp's part of the window.
  __device__ __forceinline__ Epilogue(const Arguments& arguments, int lane, int first_column, int first_row = 0)
      : arguments_(arguments), lane_(lane), first_column_(first_column), first_row_(first_row) {}

  template <class Item, class Sums>
  __device__ __forceinline__ void finish(const Item& item, const Sums& sums) const {
    typename Fragment::Sum zeros = 0;  // NaN if a sum is not finite
    for_each_result([&](int p, int q) {
      if (!Fragment::has_rest || column(q) < columns()) zeros += decltype(zeros)(0) * Fragment::at(sums, p, q);
    });
    if (some_are_nonfinite(zeros)) {
      SumsInMemory memory;
      for_each_result([&](int p, int q) { memory.at[p][q] = Fragment::at(sums, p, q); });
      finish_nonfinite(arguments_, item, lane_, first_column_, first_row_, memory);
    } else if (item.slot == Item::direct) {
      store(item.window, sums);
    } else {
      store_partial(item.slot, sums);
    }
  }

 private:
  __device__ __forceinline__ int column(int q) const { return first_column_ + Fragment::column(lane_, q); }
  __device__ __forceinline__ int columns() const { return arguments_.product.y.columns; }

  template <class Sums>
  __device__ __forceinline__ void store(Ordinal window, const Sums& sums) const {
    const auto& product = arguments_.product;
    constexpr bool ahead = Fragment::reads_ahead;
    alignas(16) Scalar all[ahead ? Fragment::rows : 1][ahead ? Fragment::columns : 1];
    if constexpr (ahead) {
      if (product.beta != Scalar(0)) read_all(window, all);
    }
#pragma unroll
    for (int p = 0; p < Fragment::rows; ++p) {
      const Ordinal row = window * Fragment::window_rows + first_row_ + Fragment::row(lane_, p);
      if (row >= arguments_.A.rows) continue;
      InMemory* const y = product.y.data + row_of_y(product, row) * product.y.row_stride;
      for_each_vector([&](int q, std::ptrdiff_t place, bool whole, int count) {
        alignas(16) Scalar values[vector] = {};
        InMemory* const to = y + place;
        const std::ptrdiff_t stride = product.y.column_stride;
        if (product.beta != Scalar(0)) {
          if (ahead) {
#pragma unroll
            for (int i = 0; i < vector; ++i) values[i] = all[p][q + i];
          } else if (whole) {
            load_once<vector>(to, values);
          } else {
#pragma unroll
            for (int i = 0; i < vector; ++i) {
              if (i < count) values[i] = Scalar(to[i * stride]);
            }
          }
        }
#pragma unroll
        for (int i = 0; i < vector; ++i) {
          const Scalar sum = Fragment::at(sums, p, q + i);
          values[i] = scaled_and_added(product.alpha, sum, product.beta, [&] { return values[i]; });
        }
        if (whole) return store_y<caching, vector>(to, values);
#pragma unroll
        for (int i = 0; i < vector; ++i) {
          if (i < count) to[i * stride] = InMemory(values[i]);
        }
      });
    }
  }

  __device__ __forceinline__ void read_all(Ordinal window, Scalar (&all)[Fragment::rows][Fragment::columns]) const {
    const auto& product = arguments_.product;
#pragma unroll
    for (int p = 0; p < Fragment::rows; ++p) {
      const Ordinal row = window * Fragment::window_rows + first_row_ + Fragment::row(lane_, p);
      if (row >= arguments_.A.rows) continue;
      const InMemory* const y = product.y.data + row_of_y(product, row) * product.y.row_stride;
      for_each_vector([&](int q, std::ptrdiff_t place, bool whole, int count) {
        if (whole) return load_once<vector>(y + place, all[p] + q);
#pragma unroll
        for (int i = 0; i < vector; ++i) {
          if (i < count) all[p][q + i] = Scalar(y[place + i * product.y.column_stride]);
        }
      });
    }
  }

  // Rows of a slot are padded to whole vectors.
  template <class Sums>
  __device__ __forceinline__ void store_partial(int slot, const Sums& sums) const {
#pragma unroll
    for (int p = 0; p < Fragment::rows; ++p) {
      const std::size_t row = std::size_t(slot) * Fragment::window_rows + first_row_ + Fragment::row(lane_, p);
      Scalar* partial = arguments_.partials + row * arguments_.partials_stride;
#pragma unroll
      for (int q = 0; q < Fragment::columns; q += vector) {
        if (column(q) >= columns()) continue;
        alignas(16) Scalar values[vector];
#pragma unroll
        for (int i = 0; i < vector; ++i) values[i] = Fragment::at(sums, p, q + i);
        *reinterpret_cast<Vector*>(partial + column(q)) = *reinterpret_cast<const Vector*>(values);
      }
    }
  }

  // A copy of the sums in memory, because registers cannot be indexed by run-time numbers.
  struct SumsInMemory {
    typename Fragment::Sum at[Fragment::rows][Fragment::columns];
  };

  // Not inlined and without a result, because few products call it, and the others need the registers.
  template <class Item>
  static __device__ __noinline__ void finish_nonfinite(const Arguments& arguments, const Item& item, int lane,
                                                       int first_column, int first_row, SumsInMemory& memory) {
#pragma unroll 1
    for (int index = 0; index < Fragment::rows * Fragment::columns; ++index) {
      const int p = index / Fragment::columns, q = index % Fragment::columns;
      const int column = first_column + Fragment::column(lane, q), r = first_row + Fragment::row(lane, p);
      const Ordinal row = item.window * Fragment::window_rows + r;
      if (column >= arguments.product.y.columns || row >= arguments.A.rows) continue;
      Scalar sum = memory.at[p][q];
      if (!isfinite(sum)) sum = Fragment::sum_entries(arguments, item, r, column);
      if (item.slot == Item::direct) {
        store_element(arguments.product, row, column, sum);
      } else {
        const std::size_t partial_row = std::size_t(item.slot) * Fragment::window_rows + r;
        arguments.partials[partial_row * arguments.partials_stride + column] = sum;
      }
    }
  }

  // Calls visit(q, place in the row of Y, whether the vector can be read or written at once, its number of columns in
  // Y).
  template <class Visit>
  __device__ __forceinline__ void for_each_vector(const Visit& visit) const {
#pragma unroll
    for (int q = 0; q < Fragment::columns; q += vector) {
      const int count = columns() - column(q);
      if (count <= 0) continue;
      if constexpr (Fragment::is_whole) {
        visit(q, column(q) * (vector == 1 ? arguments_.product.y.column_stride : 1), true, vector);
      } else {
        visit(q, column(q) * arguments_.product.y.column_stride, arguments_.y_vectors && count >= vector, count);
      }
    }
  }

  template <class Visit>
  static __device__ __forceinline__ void for_each_result(const Visit& visit) {
#pragma unroll
    for (int p = 0; p < Fragment::rows; ++p) {
#pragma unroll
      for (int q = 0; q < Fragment::columns; ++q) visit(p, q);
    }
  }

  const Arguments& arguments_;
  int lane_, first_column_, first_row_;
};

}  // namespace Tessera::Impl::Cuda
