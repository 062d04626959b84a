// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tessera/portable/Spmm.hpp>

#include "AnyFormat.hpp"
#include "ProductCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class SpmmTest : public ::testing::Test {};
TYPED_TEST_SUITE(SpmmTest, ProductCases);

/// The matrix of a product in every format on the device, built once for many products.
template <class Exec, class M, class Offset>
struct InEveryFormat {
  struct One {
    Format format;
    AnyFormat<typename Exec::memory_space> pattern;
    Kokkos::View<M*, typename Exec::memory_space> values;
  };
  std::vector<One> all;

  InEveryFormat(const HostPattern<Offset>& host, const std::vector<M>& host_values) {
    const Exec exec;
    const DevicePattern<Exec, Offset> A(host);
    const auto rows = build_csr(exec, A.view(), host.nonzeros()).pattern;
    const auto source = to_device<Exec>(host_values);
    for (const Format format : every_format) {
      const auto built = build_format(exec, format, rows, {}, sizeof(M));
      const std::size_t places = std::visit([](const auto& any) { return any.places(); }, built.pattern);
      const Kokkos::View<M*, typename Exec::memory_space> values("values", places);
      gather_values(exec, {}, built.values, source.data(), values.data(), places);
      all.push_back({format, built.pattern, values});
    }
  }
  /// Uses the matrix of a product.
  template <class V>
  explicit InEveryFormat(const HostProduct<M, V, Offset>& host) : InEveryFormat(host.pattern, host.values) {}
};

/// Returns the product in one format on the device, with `scratch_bytes` of scratch memory.
///
/// \param y_rows, x_rows [in] as in Product; empty: none
template <class Exec, class One, class M, class V, class Offset>
Dense<V> result_of(HostProduct<M, V, Offset>& host, const One& A, std::size_t scratch_bytes,
                   const std::vector<int>& y_rows = {}, const std::vector<int>& x_rows = {}) {
  const auto x = to_device<Exec>(host.x.memory());
  const auto y = to_device<Exec>(host.y.memory());
  const auto y_places = to_device<Exec>(y_rows), x_places = to_device<Exec>(x_rows);
  const Kokkos::View<std::byte*, typename Exec::memory_space> scratch(
      Kokkos::view_alloc("scratch", Kokkos::WithoutInitializing), scratch_bytes);
  Product<M, V> product{A.values.data(), is_conjugated(host.mode),
                        host.alpha,      host.x.view(static_cast<const V*>(x.data())),
                        host.beta,       host.y.view(y.data())};
  if (!y_rows.empty()) product.y_rows = y_places.data();
  if (!x_rows.empty()) product.x_rows = x_places.data();
  std::visit(
      [&](const auto& any) {
        portable_spmm(Exec(), any.view(), host.pattern.nonzeros(), product, {scratch.data(), scratch_bytes});
      },
      A.pattern);
  Dense<V> result = host.y;
  result.memory() = to_host(y);
  return result;
}

/// Checks a product in every format.
template <class Exec, class M, class V, class Offset>
void check(HostProduct<M, V, Offset>& host, const InEveryFormat<Exec, M, Offset>& A, std::size_t scratch_bytes,
           const std::string& what) {
  for (const auto& one : A.all) {
    Dense<V> result = result_of<Exec>(host, one, scratch_bytes);
    host.expect_right(result, std::string(to_string(one.format)) + ", " + what);
  }
}

template <class Offset>
std::set<int> rows_without_column(const HostPattern<Offset>& A, int column) {
  std::set<int> rows;
  for (int row = 0; row < A.rows; ++row) {
    const auto begin = A.column_indices.begin();
    if (!std::binary_search(begin + A.row_offsets[row], begin + A.row_offsets[row + 1], column)) rows.insert(row);
  }
  return rows;
}

template <class V>
bool is_finite(V value) {
  if constexpr (is_complex_v<V>) {
    return std::isfinite(value.re) && std::isfinite(value.im);
  } else {
    return std::isfinite(value);
  }
}

TYPED_TEST(SpmmTest, EveryPairOfLayouts) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  using Offset = typename TypeParam::Offset;
  const auto A = random_pattern<Offset>(67, 53, 0.2, 21, 9);
  const InEveryFormat<Exec, M, Offset> formats(A, random_values<M>(A.nonzeros(), 22));
  for (const Layout x : every_layout) {
    for (const Layout y : every_layout) {
      for (const int columns : {1, 2, 7, 8, 33}) {
        if (!is_chosen_on<Exec>(3)) continue;
        HostProduct<M, V, Offset> host(A, columns, x, y, 22);
        host.set_factors(number<V>(2, -1), number<V>(-1, 0.5), 23);
        check(host, formats, spmm_scratch_bytes<Exec, V>(A.columns, columns), describe(67, 53, columns, x, y));
      }
    }
  }
}

TYPED_TEST(SpmmTest, AnyAmountOfScratch) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  using Offset = typename TypeParam::Offset;
  const auto A = random_pattern<Offset>(40, 30, 0.3, 31);
  const InEveryFormat<Exec, M, Offset> formats(A, random_values<M>(A.nonzeros(), 32));
  for (const int packed_columns : {0, 1, 2, 3, 8, 13, 70, 100}) {
    HostProduct<M, V, Offset> host(A, 70, Layout::Left, Layout::Left, 32);
    check(host, formats, 30 * sizeof(V) * packed_columns, std::to_string(packed_columns) + " columns of scratch");
  }
}

TYPED_TEST(SpmmTest, FarFewerNonzerosThanRowsOfX) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  using Offset = typename TypeParam::Offset;
  const auto A = random_pattern<Offset>(20, 3000, 0.002, 41);
  ASSERT_LT(A.nonzeros(), 3000u / 4);
  HostProduct<M, V, Offset> host(A, 9, Layout::Left, Layout::Left, 42);
  check(host, InEveryFormat<Exec, M, Offset>(host), spmm_scratch_bytes<Exec, V>(3000, 9), "hypersparse");
}

TYPED_TEST(SpmmTest, ConjugatesOnRequest) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  using Offset = typename TypeParam::Offset;
  const auto A = random_pattern<Offset>(40, 30, 0.3, 51);
  const InEveryFormat<Exec, M, Offset> formats(A, random_values<M>(A.nonzeros(), 52));
  for (const int columns : {1, 5, 8, 32}) {
    HostProduct<M, V, Offset> host(A, columns, Layout::Right, Layout::Right, 52, Mode::Conjugate);
    check(host, formats, 0, "conjugate");
  }
}

/// Infinity in a row of X reaches exactly the rows of Y with an entry in that column. Padding multiplies nothing.
TYPED_TEST(SpmmTest, ElementsThatAreNotThereMultiplyNothing) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  using Offset = typename TypeParam::Offset;
  const auto A = random_pattern<Offset>(70, 40, 0.3, 81, 7);
  const auto finite_rows = rows_without_column(A, 13);
  const InEveryFormat<Exec, M, Offset> formats(A, random_values<M>(A.nonzeros(), 82));
  for (const int columns : {1, 5, 32}) {
    HostProduct<M, V, Offset> host(A, columns, Layout::Right, Layout::Right, 82);
    for (int j = 0; j < columns; ++j) host.x(13, j) = V(std::numeric_limits<real_of_t<V>>::infinity());
    for (const auto& one : formats.all) {
      Dense<V> result = result_of<Exec>(host, one, 0);
      for (int i = 0; i < A.rows; ++i) {
        for (int j = 0; j < columns; ++j) {
          ASSERT_EQ(is_finite(result(i, j)), finite_rows.count(i) == 1)
              << to_string(one.format) << ", row " << i << ", column " << j;
        }
      }
    }
  }
}

/// With y_rows or x_rows, the same numbers are written to other rows of Y, or read from other rows of X.
TYPED_TEST(SpmmTest, RowsAreScatteredAndGathered) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  using Offset = typename TypeParam::Offset;
  HostPattern<Offset> A = random_pattern<Offset>(67, 53, 0.2, 91, 9);
  for (int j = 0; j < A.columns; ++j) A.column_indices.push_back(j);
  A.end_row();
  const auto y_rows = shuffled(A.rows, 92), x_rows = shuffled(A.columns, 93);
  const InEveryFormat<Exec, M, Offset> formats(A, random_values<M>(A.nonzeros(), 94));
  for (const Layout layout : every_layout) {
    for (const int columns : {1, 2, 8, 33}) {
      HostProduct<M, V, Offset> host(A, columns, layout, layout, 94);
      host.set_factors(number<V>(2, -1), number<V>(-1, 0.5), 95);
      HostProduct<M, V, Offset> moved = host;
      const std::size_t scratch = spmm_scratch_bytes<Exec, V>(A.columns, columns);
      for (const auto& one : formats.all) {
        const Format format = one.format;
        if (format == Format::SortedColumns) continue;
        const bool gathers = format == Format::Bcsr;
        for (int j = 0; j < columns; ++j) {
          for (int i = 0; i < A.rows; ++i) moved.y(y_rows[static_cast<std::size_t>(i)], j) = host.y(i, j);
          for (int i = 0; i < A.columns; ++i)
            moved.x(gathers ? x_rows[static_cast<std::size_t>(i)] : i, j) = host.x(i, j);
        }
        auto expected = result_of<Exec>(host, one, scratch);
        auto result = result_of<Exec>(moved, one, scratch, y_rows, gathers ? x_rows : std::vector<int>());
        for (int j = 0; j < columns; ++j) {
          for (int i = 0; i < A.rows; ++i) {
            ASSERT_EQ(result(y_rows[static_cast<std::size_t>(i)], j), expected(i, j))
                << to_string(format) << ", row " << i << ", column " << j << " of " << columns;
          }
        }
      }
    }
  }
}

TYPED_TEST(SpmmTest, ManyRowsAreSharedAmongThreads) {
  using Exec = typename TypeParam::ExecutionSpace;
  using M = typename TypeParam::MatrixScalar;
  using V = typename TypeParam::VectorScalar;
  using Offset = typename TypeParam::Offset;
  HostPattern<Offset> A = random_pattern<Offset>(2500, 2600, 0.004, 61, 3);
  for (int j = 0; j < A.columns; ++j) A.column_indices.push_back(j);  // one long row, then empty ones
  A.end_row();
  for (int i = 0; i < 3000; ++i) A.end_row();
  HostProduct<M, V, Offset> host(A, 3, Layout::Left, Layout::Right, 62);
  host.set_factors(V(1), V(2), 63);
  check(host, InEveryFormat<Exec, M, Offset>(host), spmm_scratch_bytes<Exec, V>(A.columns, 3), "many rows");
}

TYPED_TEST(SpmmTest, ScaleOverwritesOrMultiplies) {
  using Exec = typename TypeParam::ExecutionSpace;
  using V = typename TypeParam::VectorScalar;
  for (const Layout layout : every_layout) {
    for (const V beta : {V(0), V(1), number<V>(-2, 3)}) {
      Dense<V> y(17, 5, layout);
      if (beta != V(0)) y.randomize(71);
      const auto device = to_device<Exec>(y.memory());
      scale(Exec(), beta, y.view(device.data()));
      Dense<V> result = y;
      result.memory() = to_host(device);
      EXPECT_TRUE(result.gaps_are_untouched());
      for (int i = 0; i < 17; ++i) {
        for (int j = 0; j < 5; ++j) {
          // The compiler may use FMA for a complex product on one side only.
          const V error = result(i, j) - (beta == V(0) ? V(0) : beta * y(i, j));
          const auto largest = 16 * std::numeric_limits<real_of_t<V>>::epsilon();  // |beta y| < 8
          if constexpr (is_complex_v<V>) {
            ASSERT_LE(std::abs(error.re), largest);
            ASSERT_LE(std::abs(error.im), largest);
          } else {
            ASSERT_EQ(error, V(0));
          }
        }
      }
    }
  }
}

}  // namespace Tessera::Impl::Test
