// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SpmvHandle with KokkosSparse::BsrMatrix.
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "HandleCheck.hpp"
#include "TestTypes.hpp"
#include "ValueChecks.hpp"

namespace Tessera::Impl::Test {

namespace {

constexpr int block_sizes[] = {1, 2, 3, 5, 8, 9};

template <class Case>
using VectorsHandle =
    HandleFor<Case, Kokkos::View<typename Case::Matrix::non_const_value_type**, Kokkos::LayoutLeft, Device>>;

/// Checks products in every mode, with one and with several vectors, against the same matrix in elements.
template <class Scalar, class Offset, class Elements>
void expect_every_product(const Elements& elements, const BsrCase<Scalar, Offset>& A,
                          VectorsHandle<BsrCase<Scalar, Offset>>& handle, double alpha, double beta) {
  HandleFor<BsrCase<Scalar, Offset>, Vector<Scalar>> alone;
  for (const Mode mode : every_mode) {
    for (const int columns : {1, 2, 7})
      expect_spmv_with<Vectors<Scalar>>(handle, elements, A.matrix, mode, columns, alpha, beta);
    expect_spmv_with<Vector<Scalar>>(alone, elements, A.matrix, mode, 1, alpha, beta);
  }
}

using EveryType = ::testing::Types<MatrixTypes<double, int>, MatrixTypes<double, std::size_t>, MatrixTypes<float, int>,
                                   MatrixTypes<Tessera::Impl::Complex<double>, int>>;

}  // namespace

template <class T>
class BsrTest : public ::testing::Test {};
TYPED_TEST_SUITE(BsrTest, Compiled<EveryType>::type);

/// Shapes and factors from Kokkos Kernels' own test.
TYPED_TEST(BsrTest, EveryBlockSizeAndMode) {
  using Case = BsrCase<typename TypeParam::Scalar, typename TypeParam::Offset>;
  for (const auto& [rows, columns] : {std::pair{10, 10}, {10, 50}, {50, 10}}) {
    for (const int block_size : block_sizes) {
      const Case A(random_pattern<typename TypeParam::Offset>(rows, columns, 0.15, rows * block_size, 7), block_size);
      VectorsHandle<Case> handle;
      for (const double alpha : {1.0, -1.0, 3.7}) {
        for (const double beta : {0.0, 1.0, -1.0, -1.5}) expect_every_product(A.elements, A, handle, alpha, beta);
      }
      EXPECT_EQ(handle.plan().rows(), rows * block_size);
      EXPECT_EQ(handle.plan().columns(), columns * block_size);
      EXPECT_EQ(handle.plan().nonzeros(), A.elements.host.nonzeros());
    }
  }
}

TYPED_TEST(BsrTest, LongRowsOfBlocks) {
  using Case = BsrCase<typename TypeParam::Scalar, typename TypeParam::Offset>;
  const Case A(random_pattern<typename TypeParam::Offset>(11, 499, 0.5, 3), 7);
  VectorsHandle<Case> handle;
  expect_every_product(A.elements, A, handle, 3.7, -1.5);
}

TYPED_TEST(BsrTest, EveryFormat) {
  using Case = BsrCase<typename TypeParam::Scalar, typename TypeParam::Offset>;
  for (const Format format : every_format) {
    for (const int block_size : block_sizes) {
      const Case A(random_pattern<typename TypeParam::Offset>(13, 9, 0.3, 3), block_size);
      VectorsHandle<Case> handle(with_format(format));
      expect_every_product(A.elements, A, handle, 1, 0);
      EXPECT_EQ(handle.plan().format(), format);
    }
  }
}

/// Block rows in any order. Blocks that occur twice are summed.
TYPED_TEST(BsrTest, UnsortedBlocksAndDuplicates) {
  using Case = BsrCase<typename TypeParam::Scalar, typename TypeParam::Offset>;
  for (const int block_size : block_sizes) {
    const Case A(unsorted_pattern<typename TypeParam::Offset>(20, 12, 6, 8), block_size);
    for (const Format format : every_format) {
      VectorsHandle<Case> handle(with_format(format));
      expect_every_product(A.elements, A, handle, 2, -0.5);
      EXPECT_LT(handle.plan().nonzeros(), A.elements.host.nonzeros());
    }
  }
}

TYPED_TEST(BsrTest, ValuesChanged) {
  const ValueChecks none(false);
  using Offset = typename TypeParam::Offset;
  using Case = BsrCase<typename TypeParam::Scalar, Offset>;
  for (const auto& blocks : {random_pattern<Offset>(13, 9, 0.3, 3), unsorted_pattern<Offset>(20, 12, 6, 8)}) {
    for (const int block_size : block_sizes) {
      for (const Format format : every_format) {
        const Case A(blocks, block_size), before(blocks, block_size), after(blocks, block_size, 2);
        VectorsHandle<Case> handle(with_format(format));
        const auto expect_products_of = [&](const Case& now) {
          for (const Mode mode : every_mode)
            expect_spmv_with<Vectors<typename TypeParam::Scalar>>(handle, now.elements, A.matrix, mode, 3, 1, 0);
        };
        expect_products_of(before);
        Kokkos::deep_copy(A.matrix.values, after.matrix.values);
        expect_products_of(after);
      }
    }
  }
}

TYPED_TEST(BsrTest, Prepared) {
  using Case = BsrCase<typename TypeParam::Scalar, typename TypeParam::Offset>;
  for (const int block_size : block_sizes) {
    const Case A(random_pattern<typename TypeParam::Offset>(13, 9, 0.3, 3), block_size);
    for (const Mode mode : every_mode) {
      VectorsHandle<Case> handle;
      handle.prepare(Exec(), A.matrix, 4, letter(mode));
      const auto watch = [](const ToolEvents& events) {
        EXPECT_EQ(events.executions(), 1u) << events.text();
        EXPECT_EQ(events.analyses(), 0u) << events.text();
        EXPECT_EQ(events.allocations(), 0u) << events.text();
      };
      for (const int columns : {4, 1})
        expect_spmv_with<Vectors<typename TypeParam::Scalar>>(handle, A.elements, A.matrix, mode, columns, 1, 0, watch);
    }
  }
}

TYPED_TEST(BsrTest, EmptyShapes) {
  using Offset = typename TypeParam::Offset;
  using Case = BsrCase<typename TypeParam::Scalar, Offset>;
  for (const auto& [rows, columns] : {std::pair{0, 0}, {0, 1}, {1, 0}, {4, 3}}) {
    for (const int block_size : block_sizes) {
      HostPattern<Offset> empty;
      empty.columns = columns;
      while (empty.rows < rows) empty.end_row();
      const Case A(empty, block_size);
      VectorsHandle<Case> handle;
      for (const double beta : {0.0, -1.5}) expect_every_product(A.elements, A, handle, 2, beta);
      handle.prepare(Exec(), A.matrix, 3, "T");
      EXPECT_EQ(handle.plan().rows(), rows * block_size);
      EXPECT_EQ(handle.plan().columns(), columns * block_size);
    }
  }
}

/// The same arrays with another block size are another matrix.
TEST(BsrHandleTest, AnotherBlockSizeIsRejected) {
  const BsrCase<double> A(random_pattern<int>(6, 6, 0.5, 3), 4);
  const BsrCase<double>::Matrix other("B", 6, A.matrix.values, A.matrix.graph, 2);
  VectorsHandle<BsrCase<double>> handle;
  handle.prepare(Exec(), A.matrix, 3);
  EXPECT_MESSAGE(std::invalid_argument, handle.prepare(Exec(), other, 3), "6 x 6 blocks of 2");
  EXPECT_MESSAGE(std::invalid_argument, handle.prepare(Exec(), other, 3), "6 x 6 blocks of 4");
}

/// Products agree with those of Kokkos Kernels' own handle, in the types for which it is built.
TEST(BsrHandleTest, AgreesWithKokkosKernels) {
  using Case = BsrCase<double, std::size_t>;
  const auto expect_the_same = [](const Case& A, Mode mode, double beta, const auto& x, const auto& y) {
    using View = std::remove_cvref_t<decltype(x)>;
    HandleFor<Case, View> ours;
    KokkosSparse::SPMVHandle<Exec, Case::Matrix, View, View> theirs;
    const auto by = [&](auto& handle) {
      expect_spmv(handle, A.elements, A.matrix, mode, 2, beta, x, y);
      return to_dense(y);
    };
    auto our_y = by(ours), their_y = by(theirs);
    for (int j = 0; j < our_y.columns(); ++j) {
      for (int i = 0; i < our_y.rows(); ++i) ASSERT_NEAR(our_y(i, j), their_y(i, j), 1e-13);
    }
  };
  // On devices, mode "C" of Kokkos Kernels multiplies Y by beta = 0, so NaN stays NaN (seen in 4.6).
  const bool device = !std::is_same_v<Exec::memory_space, Kokkos::HostSpace>;
  for (const int block_size : block_sizes) {
    const Case A(random_pattern<std::size_t>(13, 9, 0.3, 3), block_size);
    for (const Mode mode : every_mode) {
      const int rows = x_rows(A.elements, mode), result_rows = y_rows(A.elements, mode);
      for (const double beta : {0.0, 1.0, -1.5}) {
        if (device && mode == Mode::Conjugate && beta == 0) continue;
        expect_the_same(A, mode, beta, Vector<double>("x", rows), Vector<double>("y", result_rows));
        for (const int columns : {1, 7}) {
          expect_the_same(A, mode, beta, Vectors<double>("x", rows, columns),
                          Vectors<double>("y", result_rows, columns));
        }
      }
    }
  }
}

}  // namespace Tessera::Impl::Test
