// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>
#include <tessera/portable/Spmm.hpp>

#include "ProductCheck.hpp"
#include "TestTypes.hpp"
#include "WindowSpmm.hpp"
#include "bcsr/Bcsr.hpp"
#include "brp/Brp.hpp"
#include "condensed/CondensedFormat.hpp"
#include "row_groups/RowGroups.hpp"
#include "row_groups/SerialRowGroups.hpp"
#include "simd/HostKernels.hpp"
#include "staged/StagedWindows.hpp"

namespace Tessera::Impl::Test {

using Host = Kokkos::DefaultHostExecutionSpace;
/// All types of products.
using HostCases =
    Compiled<::testing::Types<Case<Host, float, float, int>, Case<Host, double, double, int>,
                              Case<Host, float, double, int>, Case<Host, Complex<float>, Complex<float>, int>,
                              Case<Host, Complex<double>, Complex<double>, int>>>::type;

template <class T>
class HostKernelsTest : public ::testing::Test {};
TYPED_TEST_SUITE(HostKernelsTest, HostCases);

/// The values that a format stores, with NaN in slots without an entry, which no sum may use.
template <class Built, class M, class V, class Offset>
std::vector<M> values_of(const Built& built, const HostProduct<M, V, Offset>& host) {
  std::vector<M> values(built.pattern.places(), M(std::numeric_limits<real_of_t<M>>::quiet_NaN()));
  for (std::size_t place = 0; place < values.size(); ++place) {
    const Offset source = built.values.slots(place);
    if (source != built.values.no_source) values[place] = host.values[source];
  }
  return values;
}

/// A kernel for a format that has none of its own.
struct WindowKernel {
  Impl::SimdTarget target;

  template <class Pattern, class M, class V>
  void operator()(const Pattern& A, const Product<M, V>& product, Ordinal first, Ordinal last) const {
    Impl::WindowSums<Pattern, M, V> sums(A, product, target);
    for (Ordinal window = first; window < last; ++window) sums.multiply(window);
  }
};

/// Calls a format's kernel for both halves of its windows, and checks the result.
template <class Kernel, class Built, class M, class V, class Offset>
void check_windows(Kernel kernel, const Built& built, HostProduct<M, V, Offset>& host, const std::string& what) {
  const std::vector<M> values = values_of(built, host);
  Dense<V> result = host.y;
  const Product<M, V> product{
      values.data(), false, host.alpha, host.x.view(host.x.column(0)), host.beta, result.view(result.memory().data())};
  const auto pattern = built.pattern.view();
  kernel(pattern, product, 0, pattern.windows() / 2);
  kernel(pattern, product, pattern.windows() / 2, pattern.windows());
  host.expect_right(result, what);
}

/// Builds A as BCSR with blocks of a given shape.
template <class Offset>
auto host_bcsr(const HostPattern<Offset>& A, BlockShape shape) {
  FormatParameters parameters;
  parameters.bcsr_block_rows = shape.height;
  parameters.bcsr_block_columns = shape.width;
  return build_bcsr(Host(), DevicePattern<Host, Offset>(A).view(), A.nonzeros(), parameters, 8);
}

/// Runs the kernels of every instruction set in two calls each, and checks each format. The masks of BCSR's 13 x 5
/// blocks have rows that cross a word.
template <class M, class V, class Offset>
void check(const HostPattern<Offset>& A, int columns, Layout x_layout, Layout y_layout, V alpha, V beta) {
  HostProduct<M, V, Offset> host(A, columns, x_layout, y_layout, 11);
  host.set_factors(alpha, beta, 12);
  const DevicePattern<Host, Offset> rows(A);
  const auto bittcf = build_condensed<1>(Host(), rows.view(), A.nonzeros());
  const auto bmat = build_condensed<2>(Host(), rows.view(), A.nonzeros());
  const auto brp = build_brp(Host(), rows.view(), A.nonzeros(), {}, sizeof(M));
  const auto bcsr = host_bcsr(A, {13, 5});
  const auto staged = build_staged(Host(), rows.view(), A.nonzeros(), {64, 12, 2, 60}, sizeof(M));
  const auto groups = build_row_groups(Host(), rows.view(), A.nonzeros(), 4);
  for (const auto target : Impl::available_simd_targets()) {
    const auto& kernels = Impl::host_kernels<M, V>(target);
    const std::string what =
        std::string(to_string(target)) + ", " + describe(A.rows, A.columns, columns, x_layout, y_layout);

    Dense<V> result = host.y;
    const Product<M, V> product{
        host.values.data(), false, alpha, host.x.view(host.x.column(0)), beta, result.view(result.memory().data())};
    const int middle = A.rows / 3;
    kernels.csr(A.view(), product, 0, middle);
    kernels.csr(A.view(), product, middle, A.rows);
    host.expect_right(result, "csr, " + what);

    check_windows(kernels.bittcf, bittcf, host, "bittcf, " + what);
    const WindowKernel any{target};
    check_windows(any, bmat, host, "bmat, " + what);
    check_windows(any, brp, host, "brp, " + what);
    check_windows(any, bcsr, host, "bcsr, " + what);
    check_windows(any, staged, host, "staged, " + what);
    check_windows(any, groups, host, "row groups, " + what);
  }
}

TYPED_TEST(HostKernelsTest, EveryNumberOfColumns) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  const auto A = random_pattern<typename TypeParam::Offset>(21, 30, 0.3, 3, 4);
  for (int columns = 1; columns <= 37; ++columns) {
    check<M, V>(A, columns, Layout::Right, Layout::Right, V(1), V(0));
    check<M, V>(A, columns, Layout::PaddedRight, Layout::PaddedLeft, number<V>(2, -1), number<V>(-1, 0.5));
  }
  for (const int columns : {63, 64, 65, 127, 128, 129, 200}) {
    check<M, V>(A, columns, Layout::Right, Layout::Left, V(1), V(0));
  }
}

/// Rows of 0 to 18 entries in ascending order, then in mixed order, so long rows are next to short ones.
template <class Offset>
HostPattern<Offset> rows_of_every_length() {
  HostPattern<Offset> result;
  result.columns = 20;
  for (int row = 0; row < 38; ++row) {
    const int entries = row < 19 ? row : (7 * row) % 19;
    for (int k = 0; k < entries; ++k) result.column_indices.push_back(k + row % (21 - entries));
    result.end_row();
  }
  return result;
}

/// With few columns, the ends of rows may use other loops, depending on strides and beta.
TYPED_TEST(HostKernelsTest, RowsOfEveryLength) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  const auto A = rows_of_every_length<typename TypeParam::Offset>();
  for (int columns = 1; columns <= 9; ++columns) {
    for (const Layout layout : {Layout::Left, Layout::Right, Layout::PaddedRight}) {
      check<M, V>(A, columns, Layout::Right, layout, V(1), V(0));
      check<M, V>(A, columns, Layout::Right, layout, number<V>(2, -1), number<V>(-1, 0.5));
    }
  }
}

TYPED_TEST(HostKernelsTest, RowsAtTheEdgesOfAGroup) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  for (const int rows : {1, 7, 8, 9, 15, 16, 17, 24}) {
    for (const Layout layout : every_layout) {
      const auto A = random_pattern<typename TypeParam::Offset>(rows, 19, 0.4, rows);
      check<M, V>(A, 8, Layout::Right, layout, V(1), V(0));
      check<M, V>(A, 19, Layout::Right, layout, number<V>(-3, 0.5), number<V>(2, 1));
    }
  }
}

TYPED_TEST(HostKernelsTest, BlocksOfAnyShapeFullAndNot) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  using Offset = typename TypeParam::Offset;
  for (const double density : {0.4, 1.0}) {
    const auto A = random_pattern<Offset>(70, 67, density, 13);
    std::vector<HostProduct<M, V, Offset>> hosts;
    for (const int columns : {1, 9, 40}) {
      hosts.emplace_back(A, columns, Layout::Right, Layout::Left, 14);
      hosts.back().set_factors(number<V>(2, -1), number<V>(-1, 0.5), 15);
    }
    for (const BlockShape shape : {BlockShape{1, 1}, {1, 64}, {64, 1}, {8, 4}, {16, 8}, {16, 16}, {3, 43}, {64, 64}}) {
      const auto built = host_bcsr(A, shape);
      for (HostProduct<M, V, Offset>& host : hosts) {
        for (const auto target : Impl::available_simd_targets()) {
          check_windows(WindowKernel{target}, built, host,
                        std::string(to_string(target)) + ", blocks of " + std::to_string(shape.height) + " x " +
                            std::to_string(shape.width));
        }
      }
    }
  }
}

/// Groups of one to four rows, complete and incomplete.
TYPED_TEST(HostKernelsTest, RowGroupsOfEveryHeight) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  using Offset = typename TypeParam::Offset;
  const auto A = rows_in_runs(300, 7);
  for (const int group_rows : {1, 2, 3, 4}) {
    const auto built = build_row_groups(Host(), DevicePattern<Host, Offset>(A).view(), A.nonzeros(), group_rows);
    HostProduct<M, V, Offset> host(A, 17, Layout::Right, Layout::Left, 41);
    host.set_factors(number<V>(2, -1), number<V>(-1, 0.5), 42);
    for (const auto target : Impl::available_simd_targets())
      check_windows(WindowKernel{target}, built, host, "groups of " + std::to_string(group_rows) + " rows");
  }
}

/// Taller windows sum fewer columns at once.
TYPED_TEST(HostKernelsTest, WindowsOfUpTo1024Rows) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  using Offset = typename TypeParam::Offset;
  const auto A = random_pattern<Offset>(1100, 90, 0.1, 43, 7);
  for (const int window_rows : {64, 128, 1024}) {
    const auto built = build_staged(Host(), DevicePattern<Host, Offset>(A).view(), A.nonzeros(),
                                    {window_rows, 64, 16, 1024}, sizeof(M));
    HostProduct<M, V, Offset> host(A, 37, Layout::Right, Layout::Right, 44);
    host.set_factors(number<V>(2, -1), number<V>(-1, 0.5), 45);
    for (const auto target : Impl::available_simd_targets())
      check_windows(WindowKernel{target}, built, host, "windows of " + std::to_string(window_rows) + " rows");
  }
}

TYPED_TEST(HostKernelsTest, OneColumnWithAnyStride) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  const auto A = random_pattern<typename TypeParam::Offset>(30, 40, 0.2, 8, 6);
  for (const Layout layout : every_layout) check<M, V>(A, 1, layout, layout, number<V>(1, 2), number<V>(3, -1));
}

TYPED_TEST(HostKernelsTest, PackCopiesRows) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  for (const auto target : Impl::available_simd_targets()) {
    for (const Layout layout : {Layout::Left, Layout::PaddedLeft, Layout::Scattered}) {
      for (const int rows : {1, 7, 8, 9, 33, 1043}) {
        for (const int columns : {2, 3, 7, 8, 9, 16, 17, 32}) {
          Dense<V> x(rows, columns, layout);
          x.randomize(5);
          const int stride = columns + 1;
          std::vector<V> packed(rows * stride, poison<V>());
          const auto pack = Impl::host_kernels<M, V>(target).pack;
          pack(x.view(x.column(0)), packed.data(), stride, 0, rows / 2);
          pack(x.view(x.column(0)), packed.data(), stride, rows / 2, rows);
          for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < columns; ++j) ASSERT_TRUE(packed[i * stride + j] == x(i, j)) << i << " " << j;
            ASSERT_FALSE(packed[i * stride + columns] == packed[i * stride + columns]);
          }
        }
      }
    }
  }
}

/// Multiplies with 1 to 70 columns. The bits of the first and last column must not depend on the number of columns.
template <class V, class Kernel, class Pattern, class M>
void check_columns(Kernel kernel, const Pattern& A, const std::vector<M>& values, const std::string& what) {
  Dense<V> x(A.columns, 70, Layout::Right), y(A.rows, 70, Layout::Left);
  x.randomize(19);
  y.randomize(20);
  std::vector<V> alone;
  for (int columns = 1; columns <= 70; ++columns) {
    Dense<V> result = y;
    Product<M, V> product{values.data(),      false,
                          number<V>(3, 1),    x.view(x.column(0)),
                          number<V>(-2, 0.5), result.view(result.memory().data())};
    product.x.columns = product.y.columns = columns;
    kernel(A, product, 0, A.windows());
    const int last = columns - 1;
    for (int i = 0; i < A.rows; ++i) {
      if (columns == 1) alone.push_back(result(i, 0));
      ASSERT_TRUE(result(i, 0) == alone[static_cast<std::size_t>(i)]) << what << " " << columns;
    }
    Dense<V> expected = y;
    Product<M, V> single = product;
    single.y = expected.view(expected.memory().data());
    kernel(A, columns_of(single, last, 1), 0, A.windows());
    for (int i = 0; i < A.rows; ++i) ASSERT_TRUE(result(i, last) == expected(i, last)) << what << " " << columns;
  }
}

/// Includes rows with fewer entries than a block, or with a block and a remainder.
TYPED_TEST(HostKernelsTest, AColumnDoesNotDependOnTheOthers) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  using Offset = typename TypeParam::Offset;
  for (const auto& A : {random_pattern<Offset>(24, 50, 0.5, 17), rows_of_every_length<Offset>()}) {
    const auto values = random_values<M>(A.nonzeros(), 18);
    const DevicePattern<Host, Offset> rows(A);
    const auto bmat = build_condensed<2>(Host(), rows.view(), A.nonzeros());
    const auto brp = build_brp(Host(), rows.view(), A.nonzeros(), {}, sizeof(M));
    const auto bcsr = host_bcsr(A, {4, 4});
    const auto staged = build_staged(Host(), rows.view(), A.nonzeros(), {64, 12, 2, 60}, sizeof(M));
    const auto groups = build_row_groups(Host(), rows.view(), A.nonzeros(), 4);
    for (const auto target : Impl::available_simd_targets()) {
      const std::string name(to_string(target));
      check_columns<V>(Impl::host_kernels<M, V>(target).csr, A.view(), values, "csr, " + name);
      const auto check_format = [&](const auto& pattern, const char* format) {
        const auto any = random_values<M>(pattern.places(), 21);
        check_columns<V>(WindowKernel{target}, pattern.view(), any, format + (", " + name));
      };
      check_format(bmat.pattern, "bmat");
      check_format(brp.pattern, "brp");
      check_format(bcsr.pattern, "bcsr");
      check_format(staged.pattern, "staged");
      check_format(groups.pattern, "row groups");
    }
  }
}

/// A single column with adjacent elements, with and without beta, has the same bits as one with strides.
TYPED_TEST(HostKernelsTest, OneColumnDoesNotDependOnStrides) {
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  using Offset = typename TypeParam::Offset;
  const auto A = rows_of_every_length<Offset>();
  const auto values = random_values<M>(A.nonzeros(), 18);
  for (const auto target : Impl::available_simd_targets()) {
    for (const V beta : {V(0), number<V>(-2, 0.5)}) {
      const auto multiply = [&](Layout layout) {
        Dense<V> x(A.columns, 1, layout), y(A.rows, 1, layout);
        x.randomize(19);
        y.randomize(20);
        const Product<M, V> product{values.data(),       false, number<V>(3, 1),
                                    x.view(x.column(0)), beta,  y.view(y.memory().data())};
        Impl::host_kernels<M, V>(target).csr(A.view(), product, 0, A.rows);
        return y;
      };
      Dense<V> adjacent = multiply(Layout::Left);
      for (const Layout layout : every_layout) {
        Dense<V> any = multiply(layout);
        for (int i = 0; i < A.rows; ++i)
          ASSERT_TRUE(any(i, 0) == adjacent(i, 0)) << to_string(target) << " " << int(layout) << " " << i;
      }
    }
  }
}

}  // namespace Tessera::Impl::Test
