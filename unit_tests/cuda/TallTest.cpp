// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <tessera/cuda/tall/ColumnSums.hpp>
#include <tessera/cuda/tall/Gram.hpp>
#include <tessera/cuda/tall/Update.hpp>
#include <vector>

#include "DeviceMemory.hpp"

namespace {

using namespace Tessera;
using namespace Tessera::Impl;
using Test::OnDevice;

/// A panel of random numbers, with NaN in the padding.
template <class Scalar>
class Panel {
 public:
  /// \param padding    elements between a row's last column and the next row
  /// \param is_listed  whether columns are listed, in another order and with gaps
  Panel(int rows, int columns, int padding, bool is_listed, unsigned seed) : rows_(rows), columns_(columns) {
    for (int j = 0; j < columns; ++j) places_.push_back(is_listed ? 2 * (columns - 1 - j) + 1 : j);
    stride_ = (is_listed ? 2 * columns : columns) + padding;
    memory_.assign(std::size_t(rows) * std::size_t(stride_) + 1, Scalar(std::nan("")));
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) (*this)(i, j) = Scalar(uniform(engine));
    is_listed_ = is_listed;
  }

  Scalar& operator()(int i, int j) {
    return memory_[std::size_t(i) * std::size_t(stride_) + std::size_t(places_[std::size_t(j)])];
  }
  std::vector<Scalar>& memory() { return memory_; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }

  /// The panel whose elements are in device memory at `data`.
  template <class T>
  Cuda::TallPanel<T> at(T* data) const {
    Cuda::TallPanel<T> panel;
    panel.data = data;
    panel.rows = rows_;
    panel.columns = columns_;
    panel.row_stride = stride_;
    panel.is_listed = is_listed_;
    if (is_listed_) std::copy(places_.begin(), places_.end(), panel.places);
    return panel;
  }

 private:
  int rows_, columns_, stride_;
  bool is_listed_;
  std::vector<int> places_;
  std::vector<Scalar> memory_;
};

/// Returns X^T Y from an array with 3 elements of padding between columns, which must stay untouched.
template <class Scalar>
std::vector<Scalar> gram(Panel<Scalar>& X, Panel<Scalar>& Y, bool are_same) {
  const OnDevice<Scalar> x(X.memory()), y(Y.memory());
  const int stride = X.columns() + 3;
  const OnDevice<Scalar> C(std::vector<Scalar>(std::size_t(stride * Y.columns()), Scalar(-7)));
  const std::size_t bytes = Cuda::gram_scratch_bytes(X.columns(), Y.columns());
  const OnDevice<double> scratch(std::vector<double>(bytes / sizeof(double), std::nan("")));
  const auto x_panel = X.template at<const Scalar>(x.data());
  const auto y_panel = are_same ? x_panel : Y.template at<const Scalar>(y.data());
  Cuda::gram<Scalar>(nullptr, x_panel, y_panel, are_same, C.data(), stride,
                     {reinterpret_cast<std::byte*>(scratch.data()), bytes});
  return C.to_host();
}

template <class Scalar>
void check_gram(Panel<Scalar>& X, Panel<Scalar>& Y, bool are_same) {
  const auto C = gram(X, Y, are_same);
  const int stride = X.columns() + 3;
  for (int j = 0; j < Y.columns(); ++j) {
    for (int i = 0; i < stride; ++i) {
      const double found = C[std::size_t(i + j * stride)];
      if (i >= X.columns()) {
        ASSERT_EQ(found, -7) << "beside C";
        continue;
      }
      long double expected = 0, magnitudes = 0;
      for (int r = 0; r < X.rows(); ++r) {
        const long double term = static_cast<long double>(X(r, i)) * Y(r, j);
        expected += term;
        magnitudes += std::abs(term);
      }
      const double bound = double(magnitudes) * (std::numeric_limits<double>::epsilon() * (8 + X.rows()) +
                                                 std::numeric_limits<Scalar>::epsilon());
      ASSERT_NEAR(found, double(expected), bound) << X.rows() << " rows, C of " << X.columns() << " x " << Y.columns()
                                                  << ", element (" << i << ", " << j << ')';
    }
  }
  EXPECT_EQ(C, gram(X, Y, are_same)) << "the second time";
}

template <class Scalar>
class Tall : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Tall, Scalars);

// Rows: close to one step, and enough for several warps and thread blocks. Columns: close to tiles and squares.
TYPED_TEST(Tall, GramOfAPanelWithItself) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const int rows : {0, 1, 7, 8, 9, 64, 1000, 9000}) {
    for (const int columns : {1, 3, 8, 9, 16, 17, 32, 33, 64, 65, 96, 128}) {
      if (!Tessera::Impl::Test::is_chosen(7)) continue;
      for (const int padding : {columns % 2, columns % 3}) {
        Panel<TypeParam> X(rows, columns, padding, false, 1);
        check_gram(X, X, true);
      }
    }
  }
}

TYPED_TEST(Tall, GramOfTwoPanels) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const int rows : {0, 1, 31, 33, 5000}) {
    for (const int x_columns : {1, 15, 16, 17, 33, 64, 100, 128}) {
      for (const int y_columns : {1, 8, 9, 16, 17, 64, 65, 128}) {
        if (!Tessera::Impl::Test::is_chosen(31)) continue;
        // Kernels read pairs of columns at once if the row strides of both panels are even.
        for (const int padding : {1, y_columns % 2}) {
          Panel<TypeParam> X(rows, x_columns, 0, false, 1), Y(rows, y_columns, padding, false, 2);
          check_gram(X, Y, false);
        }
      }
    }
  }
}

/// Returns one sum for each column, from an array whose padding must stay untouched.
template <class Scalar>
std::vector<Scalar> column_sums(ColumnSum kind, Panel<Scalar>& X, Panel<Scalar>& Y) {
  const OnDevice<Scalar> x(X.memory()), y(Y.memory());
  const OnDevice<Scalar> results(std::vector<Scalar>(std::size_t(X.columns()) + 1, Scalar(-7)));
  const std::size_t bytes = Cuda::column_sums_scratch_bytes(X.columns());
  const OnDevice<double> scratch(std::vector<double>(bytes / sizeof(double), std::nan("")));
  Cuda::column_sums<Scalar>(nullptr, kind, X.template at<const Scalar>(x.data()), Y.template at<const Scalar>(y.data()),
                            results.data(), {reinterpret_cast<std::byte*>(scratch.data()), bytes});
  return results.to_host();
}

template <class Scalar>
void check_column_sums(Panel<Scalar>& X, Panel<Scalar>& Y) {
  for (const ColumnSum kind : {ColumnSum::Products, ColumnSum::Magnitudes, ColumnSum::GreatestMagnitude}) {
    const auto found = column_sums(kind, X, Y);
    for (int j = 0; j < X.columns(); ++j) {
      long double sum = 0, magnitudes = 0;
      for (int i = 0; i < X.rows(); ++i) {
        const long double x = std::abs(X(i, j)),
                          term = kind == ColumnSum::Products ? X(i, j) * (long double)Y(i, j) : x;
        sum = kind == ColumnSum::GreatestMagnitude ? std::max(sum, x) : sum + term;
        magnitudes += std::abs(term);
      }
      const double bound = double(magnitudes) * (std::numeric_limits<double>::epsilon() * (8 + X.rows()) +
                                                 std::numeric_limits<Scalar>::epsilon());
      ASSERT_NEAR(double(found[std::size_t(j)]), double(sum), kind == ColumnSum::GreatestMagnitude ? 0 : bound)
          << X.rows() << " rows, " << X.columns() << " columns, column " << j;
    }
    EXPECT_EQ(found.back(), -7) << "behind the results";
    EXPECT_EQ(found, column_sums(kind, X, Y)) << "the second time";
  }
}

TYPED_TEST(Tall, ColumnSums) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const int rows : {0, 1, 7, 255, 256, 257, 2049, 30000}) {
    for (const int columns : {1, 2, 3, 8, 10, 31, 64, 127, 128}) {
      if (!Tessera::Impl::Test::is_chosen(7)) continue;
      for (const bool is_listed : {false, true}) {
        Panel<TypeParam> X(rows, columns, 1, is_listed, 1), Y(rows, columns, 2, !is_listed, 2);
        check_column_sums(X, Y);
      }
    }
  }
}

/// A NaN is the greatest element of its column, wherever it is, and does not affect other columns.
TYPED_TEST(Tall, ColumnSumsKeepNaN) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const int row : {0, 777, 4999}) {
    Panel<TypeParam> X(5000, 3, 0, false, 1);
    X(row, 1) = TypeParam(std::nan(""));
    X(row, 2) = std::numeric_limits<TypeParam>::infinity();
    for (const ColumnSum kind : {ColumnSum::Products, ColumnSum::Magnitudes, ColumnSum::GreatestMagnitude}) {
      const auto found = column_sums(kind, X, X);
      EXPECT_TRUE(std::isfinite(found[0]));
      EXPECT_TRUE(std::isnan(found[1]));
      EXPECT_EQ(found[2], std::numeric_limits<TypeParam>::infinity());
    }
  }
}

TYPED_TEST(Tall, GramOfListedColumns) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const int columns : {1, 5, 40, 128}) {
    Panel<TypeParam> X(70, columns, 1, true, 1), Y(70, 66, 0, false, 2);
    check_gram(X, X, true);
    check_gram(X, Y, false);
    check_gram(Y, X, false);
  }
}

TYPED_TEST(Tall, GramPassesOnWhatIsNotFinite) {
  TESSERA_SKIP_WITHOUT_GPU();
  Panel<TypeParam> X(100, 10, 0, false, 1);
  X(50, 3) = std::numeric_limits<TypeParam>::infinity();
  X(99, 7) = std::numeric_limits<TypeParam>::quiet_NaN();
  const auto C = gram(X, X, true);
  for (int j = 0; j < 10; ++j) {
    for (int i = 0; i < 10; ++i) {
      const double found = C[std::size_t(i + 13 * j)];
      const bool has_nan = i == 7 || j == 7, has_infinity = i == 3 || j == 3;
      EXPECT_EQ(std::isnan(found), has_nan) << i << ", " << j;
      if (!has_nan) EXPECT_EQ(std::isinf(found), has_infinity) << i << ", " << j;
    }
  }
}

template <class Scalar>
void check_update(Panel<Scalar> X, Panel<Scalar> Y, double beta, bool in_place) {
  const Scalar alpha = Scalar(1.5);
  std::vector<Scalar> B(std::size_t(X.columns() * Y.columns()));
  for (int j = 0; j < Y.columns(); ++j)
    for (int i = 0; i < X.columns(); ++i) B[std::size_t(i * Y.columns() + j)] = Scalar(std::sin(1 + i + 17 * j));
  if (in_place) Y = X;
  Panel<Scalar> before = Y;
  if (beta == 0 && !in_place) std::fill(Y.memory().begin(), Y.memory().end(), Scalar(std::nan("")));
  const OnDevice<Scalar> x(X.memory()), y(Y.memory());
  const OnDevice<Scalar> b(B);
  const Scalar* const data = in_place ? y.data() : x.data();
  const bool is_on_host = B.size() % 2 == 0 && B.size() <= Cuda::most_host_elements;
  Cuda::update<Scalar>(nullptr, alpha, X.template at<const Scalar>(data), is_on_host ? B.data() : b.data(), is_on_host,
                       Scalar(beta), Y.at(y.data()));
  Panel<Scalar> found = Y;
  found.memory() = y.to_host();
  for (int i = 0; i < X.rows(); ++i) {
    for (int j = 0; j < Y.columns(); ++j) {
      long double expected = beta == 0 ? 0 : static_cast<long double>(beta) * before(i, j);
      long double magnitudes = std::abs(expected);
      for (int k = 0; k < X.columns(); ++k) {
        const long double term = static_cast<long double>(alpha) * X(i, k) * B[std::size_t(k * Y.columns() + j)];
        expected += term;
        magnitudes += std::abs(term);
      }
      const double bound = double(magnitudes) * (std::numeric_limits<double>::epsilon() * (4 + X.columns()) +
                                                 std::numeric_limits<Scalar>::epsilon());
      ASSERT_NEAR(found(i, j), double(expected), bound) << X.rows() << " rows, B of " << X.columns() << " x "
                                                        << Y.columns() << ", element (" << i << ", " << j << ')';
      found(i, j) = Y(i, j) = Scalar(0);
    }
  }
  for (std::size_t i = 0; i < found.memory().size(); ++i)
    ASSERT_TRUE(found.memory()[i] == Y.memory()[i] || (std::isnan(found.memory()[i]) && std::isnan(Y.memory()[i])))
        << "beside Y";
}

TYPED_TEST(Tall, Update) {
  TESSERA_SKIP_WITHOUT_GPU();
  EXPECT_TRUE(Cuda::can_update());
  for (const int rows : {0, 1, 15, 16, 17, 33, 1000}) {
    for (const int x_columns : {1, 4, 8, 9, 33, 128}) {
      for (const int y_columns : {1, 2, 8, 9, 16, 32, 33, 64, 65, 128}) {
        if (!Tessera::Impl::Test::is_chosen(23)) continue;
        for (const int padding : {0, 1}) {
          const Panel<TypeParam> X(rows, x_columns, padding, false, 1), Y(rows, y_columns, padding, false, 2);
          check_update(X, Y, 0.0, false);
          check_update(X, Y, -0.5, false);
        }
      }
    }
  }
}

TYPED_TEST(Tall, UpdateInPlace) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const int columns : {1, 7, 8, 16, 31, 64, 100, 128}) {
    if (!Tessera::Impl::Test::is_chosen(3)) continue;
    const Panel<TypeParam> X(75, columns, 0, false, 1), padded(75, columns, 3, false, 1);
    check_update(X, X, 0.0, true);
    check_update(padded, padded, 0.0, true);
  }
}

TYPED_TEST(Tall, UpdateOfListedColumns) {
  TESSERA_SKIP_WITHOUT_GPU();
  for (const int columns : {1, 6, 40, 128}) {
    const Panel<TypeParam> X(40, columns, 1, true, 1), Y(40, 10, 0, false, 2), listed(40, 10, 0, true, 2);
    check_update(X, Y, 2.0, false);
    check_update(Y, X, 2.0, false);
    check_update(listed, X, 0.0, false);
    check_update(X, X, 0.0, true);
  }
}

}  // namespace
