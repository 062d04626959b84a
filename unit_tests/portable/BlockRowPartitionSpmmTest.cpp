// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a host, windows are multiplied in pieces of 1024 entries: what becomes of the entries at their ends.
#include <tessera/format/BlockRowPartition.hpp>
#include <tessera/portable/Spmm.hpp>

#include "ProductCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Test {

template <class T>
class BlockRowPartitionSpmmTest : public ::testing::Test {};
TYPED_TEST_SUITE(BlockRowPartitionSpmmTest, ProductCases);

template <class Exec, class M, class V, class Offset>
void check_brp_product(const HostPattern<Offset>& A, int f, int g) {
  HostProduct<M, V, Offset> host(A, 9, Layout::Right, Layout::Right, 81);
  host.set_factors(number<V>(2, -1), number<V>(-1, 0.5), 82);
  const Exec exec;
  FormatParameters parameters;
  parameters.brp_nonzeros_per_column = f;
  parameters.brp_tiles_per_group = g;
  const auto built = build_brp(exec, DevicePattern<Exec, Offset>(A).view(), A.nonzeros(), parameters, sizeof(M));
  const auto source = to_device<Exec>(host.values);
  Kokkos::View<M*, typename Exec::memory_space> values("values", built.pattern.places());
  gather_values(exec, {}, built.values, source.data(), values.data(), built.pattern.places());
  const auto x = to_device<Exec>(host.x.memory());
  const auto y = to_device<Exec>(host.y.memory());
  const Product<M, V> product{
      values.data(), false, host.alpha, host.x.view(static_cast<const V*>(x.data())), host.beta, host.y.view(y.data())};
  portable_spmm(exec, built.pattern.view(), A.nonzeros(), product, {nullptr, 0});
  Dense<V> result = host.y;
  result.memory() = to_host(y);
  host.expect_right(result, std::to_string(A.rows) + " x " + std::to_string(A.columns) + ", f = " + std::to_string(f) +
                                ", g = " + std::to_string(g));
}

TYPED_TEST(BlockRowPartitionSpmmTest, PiecesOfGroups) {
  using T = TypeParam;
  using Offset = typename T::Offset;
  for (const int columns : {63, 64, 65, 128, 200}) {  // 1008, 1024, 1040, ... entries a window
    const auto A = random_pattern<Offset>(40, columns, 1.0, 1);
    for (const auto& [f, g] : {std::pair(1, 4), {4, 1}, {3, 4}}) {  // 1024 is no multiple of 3
      check_brp_product<typename T::ExecutionSpace, typename T::MatrixScalar, typename T::VectorScalar>(A, f, g);
    }
  }
}

TYPED_TEST(BlockRowPartitionSpmmTest, PiecesOfResidualRows) {
  using T = TypeParam;
  using Offset = typename T::Offset;
  for (const int columns : {1023, 1024, 1025, 2048, 3000}) {
    HostPattern<Offset> A = random_pattern<Offset>(18, columns, 0.01, 2);
    for (int repeat = 0; repeat < 3; ++repeat) {  // full rows: fewer than f = 4
      for (int j = 0; j < columns; ++j) A.column_indices.push_back(j);
      A.end_row();
    }
    A.end_row();
    check_brp_product<typename T::ExecutionSpace, typename T::MatrixScalar, typename T::VectorScalar>(A, 4, 1);
    check_brp_product<typename T::ExecutionSpace, typename T::MatrixScalar, typename T::VectorScalar>(A, 2, 4);
  }
}

/// Windows of few entries are multiplied together, up to 128 rows: also where they end within the last.
TYPED_TEST(BlockRowPartitionSpmmTest, ManySmallWindows) {
  using T = TypeParam;
  using Offset = typename T::Offset;
  for (const int rows : {112, 113, 127, 128, 129, 300}) {
    for (const double density : {0.02, 0.3}) {
      const auto A = random_pattern<Offset>(rows, 70, density, 3, 5);
      check_brp_product<typename T::ExecutionSpace, typename T::MatrixScalar, typename T::VectorScalar>(A, 1, 4);
      check_brp_product<typename T::ExecutionSpace, typename T::MatrixScalar, typename T::VectorScalar>(A, 2, 2);
    }
  }
}

}  // namespace Tessera::Test
