// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <set>

#include "ProductCase.hpp"

/// The requirements on every format's kernel, as one suite that runs for each kernel and the types that it multiplies.
namespace Tessera::Impl::Test {

/// The suite's parameters for a kernel, which derives from this and overrides what differs. Its member template
/// Matrix<Offset, MatrixScalar, Scalar>(A, case) is A in the kernel's format on the device, as multiply() needs it.
template <class Case_>
struct SpmmKernel {
  using Case = Case_;
  /// Numbers of rows and columns at which windows, tiles and blocks end.
  static constexpr std::array<int, 0> heights = {}, widths = {};
  static constexpr bool scatters = true;
  /// Emulation runs one case in `emulated_share`; if it compares columns, one in `emulated_columns_share`.
  static constexpr int emulated_share = 1, emulated_columns_share = 1;

  /// The ways in which a kernel stores a matrix or sums. Each passes all tests.
  static std::vector<Case> variants() { return {Case()}; }
  /// Whether a variant supports the precision.
  static bool accepts(const Case&) { return true; }
  /// The number of settings of set_switch(c, i), which LayoutsAndAlignment, Pieces and NonFinite also vary.
  static constexpr int switches = 1;
  static void set_switch(Case&, int) {}
  /// Cases with different lengths of pieces, for the matrices with long windows or rows below.
  static std::vector<Case> long_cases(Case c) {
    std::vector<Case> cases;
    for (const int tiles : {1, 5, 16, 1000}) {
      c.piece_tiles = tiles;
      cases.push_back(c);
    }
    return cases;
  }
  static std::vector<HostMatrix> long_matrices(const Case&) { return {random_matrix(40, 700, 60, 10)}; }
  /// The cases in which a product is compared with products of its columns alone. vary() changes a case between them.
  static std::vector<Case> column_cases(Case c) {
    c.piece_tiles = 6;
    return {c};
  }
  static void vary(Case&, int) {}
};

/// A policy with which all lanes of a consumer free its buffers (RingBarriers). scripts/check_gpu finds kernels and
/// tests by this name.
template <class Policy>
struct EveryLaneFrees : Policy {
  static constexpr int freeing_lanes = 32;
};

/// A kernel with the types of values and vectors, and a precision.
template <class Kernel_, Precision precision_, class Scalar_, class MatrixScalar_ = Scalar_>
struct SpmmCell {
  using Kernel = Kernel_;
  using Scalar = Scalar_;
  using Matrix = typename Kernel::template Matrix<MatrixScalar_, Scalar_>;
  using MatrixScalar = MatrixScalar_;
  static constexpr Precision precision = precision_;

  static std::string name() {
    std::string name(to_string(precision));
    name[0] = static_cast<char>(std::toupper(name[0]));
    const bool is_double = std::is_same_v<Scalar, double>;
    if (precision == Precision::Native)
      name = is_double ? "Double" : "Float";
    else if (is_double)
      name += "OfDoubles";
    if (is_half_v<Scalar>)
      name += std::is_same_v<Scalar, Half> ? "HalfVectors" : "BFloat16Vectors";
    else if (!std::is_same_v<MatrixScalar, Scalar>)
      name += "FloatMatrix";
    return name;
  }
};
struct SpmmCellNames {
  template <class Cell>
  static std::string GetName(int) {
    return Cell::name();
  }
};

/// Checks the product of a cell with a random Y, which holds NaN if beta is 0.
template <class Cell, class Case, class X>
void check_product(const typename Cell::Matrix& matrix, const HostMatrix& A, const Case& c, const X& x) {
  SCOPED_TRACE(describe(A, c));
  auto y = random_values<typename Cell::Scalar>(extent(c, A.rows), 2);
  if (c.beta == 0) std::fill(y.begin(), y.end(), static_cast<typename Cell::Scalar>(quiet_nan));
  auto result = y;
  multiply(matrix, A, c, x, result);
  expect_right<typename Cell::MatrixScalar>(A, c, x, y, result);
}
template <class Cell, class Case, class X>
void check_product(const HostMatrix& A, const Case& c, const X& x) {
  check_product<Cell>(typename Cell::Matrix(A, c), A, c, x);
}
template <class Cell, class Case>
void check_product(const HostMatrix& A, const Case& c) {
  check_product<Cell>(A, c, random_values<typename Cell::Scalar>(extent(c, A.columns), 1));
}

template <class Cell>
class Spmm : public ::testing::Test {
 protected:
  using Kernel = typename Cell::Kernel;
  using Case = typename Kernel::Case;
  using Scalar = typename Cell::Scalar;
  using Matrix = typename Cell::Matrix;

  void SetUp() override { TESSERA_SKIP_WITHOUT_GPU(); }

  static void check(const Matrix& matrix, const HostMatrix& A, const Case& c) {
    if (is_chosen(Kernel::emulated_share))
      check_product<Cell>(matrix, A, c, random_values<Scalar>(extent(c, A.columns), 1));
  }
  static void check(const HostMatrix& A, const Case& c) {
    if (is_chosen(Kernel::emulated_share)) check_product<Cell>(A, c);
  }

  template <class Visit>
  static void for_each_variant(const Visit& visit) {
    for (Case c : Kernel::variants()) {
      c.precision = Cell::precision;
      if (Kernel::accepts(c)) visit(c);
    }
  }
  /// Returns `sizes`, and each of `edges` minus one, itself and plus one.
  template <class Edges>
  static std::set<int> sizes_around(const Edges& edges, std::set<int> sizes) {
    for (const int edge : edges) sizes.insert({edge - 1, edge, edge + 1});
    return sizes;
  }

  /// Checks that the bits of a column do not depend on other columns (which may contain NaN and infinities), on its
  /// position and alignment, or on the run.
  static void check_columns_alone(const HostMatrix& A, Case c, int nan_row) {
    c.columns = 100;
    auto x = random_values<Scalar>(extent(c, A.columns), 5);
    x[place(c, A.columns, nan_row, 3)] = static_cast<Scalar>(quiet_nan);
    for (const int j : {20, 69, 98}) x[place(c, A.columns, 5, j)] = static_cast<Scalar>(infinity);
    const std::vector<Scalar> y = random_values<Scalar>(extent(c, A.rows), 6);
    std::vector<Scalar> all = y, again = y;
    const Matrix matrix(A, c);
    multiply(matrix, A, c, x, all);
    multiply(matrix, A, c, x, again);
    EXPECT_EQ(std::memcmp(all.data(), again.data(), all.size() * sizeof(Scalar)), 0) << "run to run";
    int number = 0;
    for (const auto& [first, count] : {std::pair{0, 1}, {1, 32}, {5, 7}, {68, 32}, {96, 4}, {97, 3}}) {
      Case part = c;
      part.columns = count;
      part.misalignment = first % 2;
      Kernel::vary(part, number++);
      std::vector<Scalar> part_y = columns_of(c, part, A.rows, first, y);
      multiply(matrix, A, part, columns_of(c, part, A.columns, first, x), part_y);
      const std::vector<Scalar> expected = columns_of(c, part, A.rows, first, all);
      int different = 0;
      for (std::size_t k = 0; k < expected.size(); ++k) {
        different += std::memcmp(&part_y[k], &expected[k], sizeof(Scalar)) != 0 &&
                     !(part_y[k] != part_y[k] && expected[k] != expected[k]);
      }
      EXPECT_EQ(different, 0) << "of columns " << first << " to " << first + count;
    }
  }
};
TYPED_TEST_SUITE_P(Spmm);

TYPED_TEST_P(Spmm, Shapes) {
  using Kernel = typename TypeParam::Kernel;
  this->for_each_variant([](auto c) {
    int number = 0;
    for (const int rows : Spmm<TypeParam>::sizes_around(Kernel::heights, {0, 1, 100})) {
      for (const int columns : Spmm<TypeParam>::sizes_around(Kernel::widths, {0, 1, 300})) {
        c.columns = std::array{32, 5, 36}[number++ % 3];
        Spmm<TypeParam>::check(random_matrix(rows, columns, 20, 7), c);
      }
    }
  });
}

// The last row is full, so its window is long.
TYPED_TEST_P(Spmm, ColumnsOfX) {
  this->for_each_variant([](auto c) {
    const HostMatrix A = random_matrix(141, 300, 20, 8);
    const typename TypeParam::Matrix matrix(A, c);
    for (const int columns : {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 128, 129, 200}) {
      for (const double beta : {0.0, columns % 3 == 0 ? 0.5 : 1.0}) {
        c.columns = columns;
        c.beta = beta;
        Spmm<TypeParam>::check(matrix, A, c);
      }
    }
  });
}

// Uses policies made for other numbers of columns. Kernels with one policy ignore this.
TYPED_TEST_P(Spmm, PoliciesForOtherColumns) {
  this->for_each_variant([](auto c) {
    const HostMatrix A = random_matrix(141, 300, 20, 8);
    const typename TypeParam::Matrix matrix(A, c);
    for (const int columns : {5, 33, 70}) {
      for (const int width : {6, 60, 200}) {
        c.columns = columns;
        c.width = width;
        Spmm<TypeParam>::check(matrix, A, c);
      }
    }
  });
}

TYPED_TEST_P(Spmm, FullTiles) {
  this->for_each_variant([](auto c) {
    HostMatrix A;
    A.columns = 70;
    while (A.rows < 40) {
      for (int j = 0; j < A.columns; ++j) {
        A.column_indices.push_back(j);
        A.values.push_back(1 + (A.rows * 7 + j * 3) % 11);
      }
      A.end_row();
    }
    c.columns = 34;
    check_product<TypeParam>(A, c);
  });
}

TYPED_TEST_P(Spmm, LayoutsAndAlignment) {
  using Kernel = typename TypeParam::Kernel;
  this->for_each_variant([](auto c) {
    const HostMatrix A = random_matrix(70, 203, 30, 9);
    for (int number = 0; number < Kernel::switches; ++number) {
      Kernel::set_switch(c, number);
      const typename TypeParam::Matrix matrix(A, c);
      for (int variant = 0; variant < 64; ++variant) {
        c.columns = 36;
        set_layout(c, variant);
        if (!c.scatter || Kernel::scatters) Spmm<TypeParam>::check(matrix, A, c);
      }
    }
  });
}

// Rows are aligned, and their last 16 bytes include padding.
TYPED_TEST_P(Spmm, RowEnds) {
  this->for_each_variant([](auto c) {
    const HostMatrix A = random_matrix(9, 20, 5, 8);
    c.columns = 33;
    c.padding = 3;
    check_product<TypeParam>(A, c);
  });
}

// Long windows or rows at the edges of the pieces into which they are cut.
TYPED_TEST_P(Spmm, Pieces) {
  using Kernel = typename TypeParam::Kernel;
  this->for_each_variant([](const auto& variant) {
    int number = 0;
    for (auto c : Kernel::long_cases(variant)) {
      for (const HostMatrix& A : Kernel::long_matrices(c)) {
        Kernel::set_switch(c, number++ % Kernel::switches);
        const typename TypeParam::Matrix matrix(A, c);
        for (const int columns : {3, 32, 70}) {
          c.columns = columns;
          c.scatter = Kernel::scatters && columns == 32;
          Spmm<TypeParam>::check(matrix, A, c);
        }
      }
    }
  });
}

// Infinity and NaN reach only rows with an entry in their column.
TYPED_TEST_P(Spmm, NonFinite) {
  using Kernel = typename TypeParam::Kernel;
  this->for_each_variant([](auto c) {
    const HostMatrix A = random_matrix(100, 203, 6, 10);
    for (const int tiles : {3, 50}) {
      c.piece_tiles = tiles;
      Kernel::set_switch(c, tiles % Kernel::switches);
      const typename TypeParam::Matrix matrix(A, c);
      for (const double bad : {infinity, -infinity, quiet_nan}) {
        for (const int row : {0, 1, 100, 202}) {
          if (!is_chosen(Kernel::emulated_share)) continue;
          c.columns = row == 1 ? 8 : 35;
          auto x = random_values<typename TypeParam::Scalar>(extent(c, A.columns), 3);
          for (const int j : {0, 1, c.columns / 2, c.columns - 1}) {
            x[place(c, A.columns, row, j)] = static_cast<typename TypeParam::Scalar>(bad);
          }
          check_product<TypeParam>(matrix, A, c, x);
        }
      }
    }
  });
}

TYPED_TEST_P(Spmm, ColumnsAlone) {
  using Kernel = typename TypeParam::Kernel;
  this->for_each_variant([](const auto& variant) {
    const HostMatrix A = random_matrix(70, 403, 60, 11);
    for (const auto& c : Kernel::column_cases(variant)) {
      if (is_chosen(Kernel::emulated_columns_share)) Spmm<TypeParam>::check_columns_alone(A, c, 200);
    }
  });
}

TYPED_TEST_P(Spmm, RowsOfXFarApart) {
  this->for_each_variant([](auto c) {
    const HostMatrix A = random_matrix(70, 1, 1, 12);
    c.columns = 36;
    c.x_row_stride = far_apart;
    check_product<TypeParam>(A, c);
  });
}

REGISTER_TYPED_TEST_SUITE_P(Spmm, Shapes, ColumnsOfX, PoliciesForOtherColumns, FullTiles, LayoutsAndAlignment, RowEnds,
                            Pieces, NonFinite, ColumnsAlone, RowsOfXFarApart);

}  // namespace Tessera::Impl::Test
