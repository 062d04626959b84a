// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <tessera/common/Types.hpp>
#include <tessera/dense/TallBlock.hpp>
#include <tessera/parallel/Teams.hpp>

namespace Tessera::Impl {

/// One pass over tall blocks: Y = z Z + p P + residual D^-1 (R - W) + y Y, with a diagonal D. It is a step of a
/// polynomial in D^-1 A, where Z is the iterate, P the iterate before it, and W = A Z. Blocks may be the same or apart.
///
/// \tparam iterates how many of Z and P there are. Without P, p is 0; without Z, so is W.
template <class Scalar, int iterates>
struct PolynomialStep {
  struct Input {
    const Scalar* data = nullptr;
    std::ptrdiff_t row_stride = 0;

    Input() = default;
    explicit Input(const TallBlock<const Scalar>& block) : data(block.data), row_stride(block.row_stride) {}
    KOKKOS_FUNCTION const Scalar* row(Ordinal i) const { return data + i * row_stride; }
  };
  struct Factors {
    Scalar z = 0, p = 0, residual = 0, y = 0;
  };

  const Scalar* inverse = nullptr;  ///< an element of D^-1 for each row
  Input R, W, Z, P;
  TallBlock<Scalar> Y;
  Factors factors;

  /// Returns an element of the polynomial's part of Y.
  KOKKOS_FUNCTION Scalar element(Scalar of_row, Ordinal i, Ordinal j) const {
    if constexpr (iterates == 0) {
      return of_row * R.row(i)[j];
    } else {
      const Scalar residual = of_row * (R.row(i)[j] - W.row(i)[j]);
      if constexpr (iterates == 1) return factors.z * Z.row(i)[j] + residual;
      return factors.z * Z.row(i)[j] + factors.p * P.row(i)[j] + residual;
    }
  }

  /// Computes an element, on devices.
  KOKKOS_FUNCTION void operator()(Ordinal j, Ordinal i) const {
    const Scalar value = element(factors.residual * inverse[i], i, j);
    Scalar& y = Y.data[i * Y.row_stride + j];
    y = factors.y == Scalar(0) ? value : value + factors.y * y;
  }

  /// Computes a row, on hosts.
  KOKKOS_FUNCTION void operator()(Ordinal i) const {
    const Scalar of_row = factors.residual * inverse[i];
    Ordinal j = 0;
    while (Y.columns - j >= 8) compute<8>(of_row, i, j);
    if (Y.columns - j >= 4) compute<4>(of_row, i, j);
    while (j < Y.columns) compute<1>(of_row, i, j);
  }

  /// Computes some columns of a row, and adds their number to j. Reads all inputs before it writes: the compiler can
  /// use vector registers although blocks may be the same.
  template <Ordinal count>
  KOKKOS_FUNCTION void compute(Scalar of_row, Ordinal i, Ordinal& j) const {
    Scalar values[count];
    Scalar* const y = Y.data + i * Y.row_stride + j;
    for (Ordinal k = 0; k < count; ++k) values[k] = element(of_row, i, j + k);
    if (factors.y != Scalar(0))
      for (Ordinal k = 0; k < count; ++k) values[k] += factors.y * y[k];
    for (Ordinal k = 0; k < count; ++k) y[k] = values[k];
    j += count;
  }

  template <class Exec>
  void launch(const char* label, const Exec& exec) const {
    if (Y.rows == 0 || Y.columns == 0) return;
    if constexpr (is_host_space<Exec>) {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<Ordinal>>(exec, 0, Y.rows), *this);
    } else {
      // The first index belongs to adjacent threads, which read adjacent elements.
      using Rank = Kokkos::Rank<2, Kokkos::Iterate::Left, Kokkos::Iterate::Left>;
      using Policy = Kokkos::MDRangePolicy<Exec, Rank, Kokkos::IndexType<Ordinal>>;
      Ordinal width = 1;
      while (width < 32 && width < Y.columns) width *= 2;
      Kokkos::parallel_for(label, Policy(exec, {0, 0}, {Y.columns, Y.rows}, {width, 256 / width}), *this);
    }
  }
};

}  // namespace Tessera::Impl
