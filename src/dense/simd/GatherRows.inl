// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers rows of a block into a buffer on the stack, with adjacent columns.
#pragma once

#include <cstddef>
#include <tessera/parallel/SimdRegisters.inl>
#include <type_traits>

#include "DenseKernels.hpp"

namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE::Tall {

/// The number of elements in a register.
template <class Real>
constexpr int lanes_of = TESSERA_SIMD_BYTES / int(sizeof(Real));

/// A buffer for a few rows. It has half the size of the smallest first-level cache.
template <class Real>
struct alignas(64) RowBuffer {
  static constexpr int size = 16384 / int(sizeof(Real));
  Real elements[size];
};

/// Returns the number of rows, of at most 128 elements each, that fit into a buffer: a multiple of 16.
template <class Real>
TESSERA_INLINE int rows_of_buffer(std::ptrdiff_t stride) {
  const std::ptrdiff_t rows = RowBuffer<Real>::size / stride / 16 * 16;
  return rows > 512 ? 512 : int(rows);
}

/// Rounds a number of columns up to whole registers.
template <class Real>
TESSERA_INLINE std::ptrdiff_t padded(std::ptrdiff_t columns) {
  return (columns + lanes_of<Real> - 1) / lanes_of<Real> * lanes_of<Real>;
}

/// Rows with adjacent columns.
template <class Real>
struct Lines {
  const Real* data;
  std::ptrdiff_t stride;

  TESSERA_INLINE const Real* row(std::ptrdiff_t i) const { return data + i * stride; }
};

/// Prefetches memory, a few cache lines at a time, while registers compute. The columns of a tile are more streams than
/// the hardware prefetcher can follow.
struct Fetch {
  const char* next = nullptr;
  const char* end = nullptr;
  std::ptrdiff_t bytes_at_once = 0;

  TESSERA_INLINE void some() {
    const char* until = end - next < bytes_at_once ? end : next + bytes_at_once;
    for (; next < until; next += 64) __builtin_prefetch(next);
  }
};

/// Returns the memory of rows [first, first + rows) of X, up to row `last`, to be prefetched in `pieces` pieces.
template <class Real>
TESSERA_INLINE Fetch fetch_rows(const Real* data, std::ptrdiff_t row_stride, std::ptrdiff_t first, int rows,
                                std::ptrdiff_t last, int pieces) {
  const std::ptrdiff_t count = last - first < rows ? last - first : rows;
  if (count <= 0) return {};
  const auto* begin = reinterpret_cast<const char*>(data + first * row_stride);
  const std::ptrdiff_t bytes = count * row_stride * std::ptrdiff_t(sizeof(Real));
  return {begin, begin + bytes, (bytes / pieces / 64 + 1) * 64};
}

/// Calls body(registers, first) for tiles of up to three registers of columns. Four registers are two tiles of two,
/// which is faster than three and one. The last register may extend past the last column.
template <class Real, class Body>
TESSERA_INLINE void for_each_tile(int columns, const Body& body) {
  constexpr int lanes = lanes_of<Real>;
  int j = 0, left = (columns + lanes - 1) / lanes;
  for (; left == 3 || left > 4; left -= 3, j += 3 * lanes) body(std::integral_constant<int, 3>{}, j);
  for (; left >= 2; left -= 2, j += 2 * lanes) body(std::integral_constant<int, 2>{}, j);
  if (left == 1) body(std::integral_constant<int, 1>{}, j);
}
/// Returns the number of tiles of for_each_tile().
template <class Real>
TESSERA_INLINE int count_tiles(int columns) {
  return (columns + 3 * lanes_of<Real> - 1) / (3 * lanes_of<Real>);
}

template <class Real>
TESSERA_INLINE register_t<Real, lanes_of<Real>> load(const Real* from) {
  return load_register<register_t<Real, lanes_of<Real>>>(from);
}
// If the register type were a template parameter, it would lose its alignment attribute.
template <class Real>
TESSERA_INLINE void store(Real* to, register_t<Real, lanes_of<Real>> value) {
  store_register(to, value);
}

/// Whether part of a register can be loaded and stored at full speed. If not, rows whose columns do not fill registers
/// are copied to a buffer.
constexpr bool has_masks = TESSERA_SIMD_BYTES == 64;

/// Loads `count` lanes, or all lanes if the register is not partial. Other lanes are 0, and stores do not write them.
template <bool IsPartial, class Real>
TESSERA_INLINE register_t<Real, lanes_of<Real>> load_some(const Real* from, [[maybe_unused]] int count) {
#if TESSERA_SIMD_BYTES == 64
  using V = register_t<Real, lanes_of<Real>>;
  if constexpr (IsPartial && sizeof(Real) == 8) return V(_mm512_maskz_loadu_pd(__mmask8((1u << count) - 1), from));
  if constexpr (IsPartial && sizeof(Real) == 4) return V(_mm512_maskz_loadu_ps(__mmask16((1u << count) - 1), from));
#endif
  return load(from);
}
template <bool IsPartial, class Real>
TESSERA_INLINE void store_some(Real* to, register_t<Real, lanes_of<Real>> value, [[maybe_unused]] int count) {
#if TESSERA_SIMD_BYTES == 64
  if constexpr (IsPartial && sizeof(Real) == 8) {
    return _mm512_mask_storeu_pd(to, __mmask8((1u << count) - 1), __m512d(value));
  } else if constexpr (IsPartial) {
    return _mm512_mask_storeu_ps(to, __mmask16((1u << count) - 1), __m512(value));
  }
#endif
  store(to, value);
}

/// Calls body(is_partial, count), where `count` is the number of columns in the last register of the tile that begins
/// at column `first`.
template <int Vectors, class Real, class Body>
TESSERA_INLINE void with_last_register(int columns, int first, const Body& body) {
  const int count = columns - first - (Vectors - 1) * lanes_of<Real>;
  if (has_masks && count < lanes_of<Real>) return body(std::bool_constant<has_masks>{}, count);
  body(std::false_type{}, lanes_of<Real>);
}

/// Computes out[j] = in[j].
template <class Real>
TESSERA_INLINE void copy_line(const Real* in, Real* out, int count) {
  int j = 0;
  for (; j + lanes_of<Real> <= count; j += lanes_of<Real>) store(out + j, load(in + j));
  for (; j < count; ++j) out[j] = in[j];
}

/// Copies rows [first, first + rows) to a buffer, and writes 0 to the padding of each row.
template <class Real>
TESSERA_INLINE void gather_rows(const PanelRows<const Real>& X, std::ptrdiff_t first, int rows, Real* buffer,
                                std::ptrdiff_t stride) {
  const int columns = X.columns;
  const Ordinal* places = X.places;
  constexpr int ahead = 16;  // in rows; the line of every fourth column is prefetched
  for (int i = 0; i < rows; ++i) {
    const Real* in = X.data + (first + i) * X.row_stride;
    Real* out = buffer + i * stride;
    for (int j = 0; j < columns; j += 4)
      __builtin_prefetch(in + ahead * X.row_stride + (places == nullptr ? j : places[j]));
    if (places == nullptr) {
      copy_line(in, out, columns);
    } else {
      for (int j = 0; j < columns; ++j) out[j] = in[places[j]];
    }
    for (std::ptrdiff_t j = columns; j < stride; ++j) out[j] = 0;
  }
}

/// Copies rows of a buffer back to X.
template <class Real>
TESSERA_INLINE void scatter_rows(const Real* buffer, std::ptrdiff_t stride, const PanelRows<Real>& X,
                                 std::ptrdiff_t first, int rows) {
  const int columns = X.columns;
  const Ordinal* places = X.places;
  for (int i = 0; i < rows; ++i) {
    const Real* in = buffer + i * stride;
    Real* out = X.data + (first + i) * X.row_stride;
    if (places == nullptr) {
      copy_line(in, out, columns);
    } else {
      for (int j = 0; j < columns; ++j) out[places[j]] = in[j];
    }
  }
}

}  // namespace Tessera::Impl::TESSERA_SIMD_NAMESPACE::Tall
