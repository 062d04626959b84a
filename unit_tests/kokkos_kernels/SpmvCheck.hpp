// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosSparse_BsrMatrix.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tessera/spmm/impl/KernelTypes.hpp>
#include <utility>
#include <vector>

#include "PlanCheck.hpp"

/// Matrices of Kokkos Kernels' types. Products with them are compared with the reference entry by entry. Scalars have
/// the library's names (Complex<double>); matrices and Views hold the users' types (Kokkos::complex).
namespace Tessera::Impl::Test {

using Exec = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;

template <class Scalar, class Layout = Kokkos::LayoutLeft>
using Vectors = Kokkos::View<user_scalar_t<Scalar>**, Layout, Device>;
template <class Scalar>
using Vector = Kokkos::View<user_scalar_t<Scalar>*, Device>;

/// A KokkosSparse::CrsMatrix, and its entries for the reference.
template <class Scalar, class Offset = int>
struct CrsCase {
  using Matrix = KokkosSparse::CrsMatrix<user_scalar_t<Scalar>, int, Device, void, Offset>;
  UserMatrix<Exec, Scalar, Offset> elements;
  Matrix matrix;

  explicit CrsCase(const HostPattern<Offset>& pattern, std::uint64_t seed = 1)
      : elements(pattern, seed),
        matrix("A", pattern.rows, pattern.columns, pattern.nonzeros(), elements.values, elements.pattern.row_offsets,
               elements.pattern.column_indices) {}
};

/// Returns the elements of blocks, row by row. A block's values are row-major and contiguous.
template <class Scalar, class Offset>
std::pair<HostPattern<Offset>, std::vector<Scalar>> elements_of(const HostPattern<Offset>& blocks, int block_size,
                                                                const std::vector<Scalar>& values) {
  HostPattern<Offset> pattern;
  pattern.columns = blocks.columns * block_size;
  std::vector<Scalar> result;
  for (int row = 0; row < blocks.rows * block_size; ++row) {
    const int block_row = row / block_size, row_in_block = row % block_size;
    for (Offset block = blocks.row_offsets[block_row]; block < blocks.row_offsets[block_row + 1]; ++block) {
      for (int j = 0; j < block_size; ++j) {
        pattern.column_indices.push_back(blocks.column_indices[block] * block_size + j);
        result.push_back(values[(std::size_t(block) * block_size + row_in_block) * block_size + j]);
      }
    }
    pattern.end_row();
  }
  return {pattern, result};
}

/// A KokkosSparse::BsrMatrix, and its elements for the reference.
template <class Scalar, class Offset = int>
struct BsrCase {
  using Matrix = KokkosSparse::Experimental::BsrMatrix<user_scalar_t<Scalar>, int, Device, void, Offset>;
  UserMatrix<Exec, Scalar, Offset> elements;
  Matrix matrix;

  BsrCase(const HostPattern<Offset>& blocks, int block_size, std::uint64_t seed = 1)
      : BsrCase(blocks, block_size, random_values<Scalar>(blocks.nonzeros() * block_size * block_size, seed)) {}

 private:
  BsrCase(const HostPattern<Offset>& blocks, int block_size, const std::vector<Scalar>& values)
      : BsrCase(blocks, block_size, values, elements_of(blocks, block_size, values)) {}
  BsrCase(const HostPattern<Offset>& blocks, int block_size, const std::vector<Scalar>& values,
          const std::pair<HostPattern<Offset>, std::vector<Scalar>>& expanded)
      : elements(expanded.first, expanded.second),
        matrix("A", blocks.rows, blocks.columns, values.size(), user_values<Exec>(values),
               to_device<Exec>(blocks.row_offsets), to_device<Exec>(blocks.column_indices), block_size) {}
};

template <class View>
using DenseOf = Dense<Impl::kernel_scalar_t<typename View::non_const_value_type>>;

/// Host memory for the elements of a View of rank 1 or 2.
template <class View>
DenseOf<View> dense_like(const View& view) {
  return {view.extent_int(0), View::rank() == 2 ? view.extent_int(1) : 1, Layout::Left};
}

/// Returns a contiguous View with the rank and extents of `view`, to copy strided Views to and from the host.
template <class View>
auto contiguous_like(const View& view) {
  using User = typename View::non_const_value_type;
  if constexpr (View::rank() == 2) {
    return Kokkos::View<User**, Kokkos::LayoutLeft, Device>("contiguous", view.extent(0), view.extent(1));
  } else {
    return Kokkos::View<User*, Kokkos::LayoutLeft, Device>("contiguous", view.extent(0));
  }
}

template <class View>
void assign(const View& view, DenseOf<View>& source) {
  using User = typename View::non_const_value_type;
  const auto contiguous = contiguous_like(view);
  const auto host = Kokkos::create_mirror_view(contiguous);
  for (int j = 0; j < source.columns(); ++j) {
    for (int i = 0; i < source.rows(); ++i) host.data()[i + j * host.extent(0)] = std::bit_cast<User>(source(i, j));
  }
  Kokkos::deep_copy(contiguous, host);
  Kokkos::deep_copy(view, contiguous);
}

template <class View>
DenseOf<View> to_dense(const View& view) {
  using Scalar = Impl::kernel_scalar_t<typename View::non_const_value_type>;
  const auto contiguous = contiguous_like(view);
  Kokkos::deep_copy(contiguous, view);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), contiguous);
  DenseOf<View> result = dense_like(view);
  for (int j = 0; j < result.columns(); ++j) {
    for (int i = 0; i < result.rows(); ++i) result(i, j) = std::bit_cast<Scalar>(host.data()[i + j * host.extent(0)]);
  }
  return result;
}

/// Sets the elements of the View to random numbers, and returns them.
template <class View>
DenseOf<View> randomize(const View& view, std::uint64_t seed) {
  DenseOf<View> result = dense_like(view);
  result.randomize(seed);
  assign(view, result);
  return result;
}

/// Sets the elements of the View to NaN, and returns them.
template <class View>
DenseOf<View> fill_with_nan(const View& view) {
  DenseOf<View> result = dense_like(view);
  assign(view, result);
  return result;
}

/// Compares each entry of y with alpha op(A) x + beta y_before, within its rounding error bound.
template <class Elements, class Scalar, class View>
void expect_entries(const Elements& A, Mode mode, Scalar alpha, const Dense<Scalar>& x, Scalar beta,
                    const Dense<Scalar>& y_before, const View& y) {
  const auto result = to_dense(y);
  for (int j = 0; j < result.columns(); ++j) {
    const auto reference = reference_column(A.stored.view(), A.stored_values.data(), mode, alpha, x.column(j), 1, beta,
                                            y_before.column(j), 1);
    ASSERT_LE(reference.worst_error(result.column(j), 1), 1.0)
        << "mode " << to_string(mode) << ", column " << j << " of " << result.columns();
  }
}

/// Checks Y = alpha op(A) X + beta Y, computed by multiply(alpha, beta). Factors have the Views' type, with imaginary
/// parts if it is complex. X is random. Y is random, too, or NaN if beta = 0.
template <class Elements, class X, class Y, class Multiply>
void expect_right(const Elements& A, Mode mode, double alpha, double beta, const X& x, const Y& y,
                  const Multiply& multiply) {
  using User = typename Y::non_const_value_type;
  using Scalar = Impl::kernel_scalar_t<User>;
  const auto a = number<Scalar>(alpha, -alpha / 4), b = number<Scalar>(beta, beta / 2);
  const auto x_host = randomize(x, 5);
  const auto y_before = beta == 0 ? fill_with_nan(y) : randomize(y, 6);
  multiply(std::bit_cast<User>(a), std::bit_cast<User>(b));
  Kokkos::fence();
  expect_entries(A, mode, a, x_host, b, y_before, y);
}

/// Returns the letter of a mode for KokkosSparse::spmv.
inline const char* letter(Mode mode) { return to_string(mode).data(); }

/// The numbers of rows of X and Y in a product.
template <class Elements>
int x_rows(const Elements& A, Mode mode) {
  return is_transposed(mode) ? A.host.rows : A.host.columns;
}
template <class Elements>
int y_rows(const Elements& A, Mode mode) {
  return is_transposed(mode) ? A.host.columns : A.host.rows;
}

}  // namespace Tessera::Impl::Test
