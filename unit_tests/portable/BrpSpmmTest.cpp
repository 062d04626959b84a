// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/portable/Spmm.hpp>

#include "ProductCheck.hpp"
#include "TestTypes.hpp"
#include "brp/Brp.hpp"

namespace Tessera::Impl::Test {

template <class T>
class BrpSpmmTest : public ::testing::Test {};
TYPED_TEST_SUITE(BrpSpmmTest, ProductCases);

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

/// Some windows have entries only in groups, others also in residual rows. The last window is incomplete.
TYPED_TEST(BrpSpmmTest, GroupsAndResidualRowsOfAnyShape) {
  using T = TypeParam;
  using Offset = typename T::Offset;
  HostPattern<Offset> A = random_pattern<Offset>(40, 200, 1.0, 1);
  const auto sparse = random_pattern<Offset>(50, 200, 0.02, 2, 5);
  for (int row = 0; row < sparse.rows; ++row) {
    for (auto k = sparse.row_offsets[row]; k < sparse.row_offsets[row + 1]; ++k)
      A.column_indices.push_back(sparse.column_indices[static_cast<std::size_t>(k)]);
    A.end_row();
  }
  for (const auto& [f, g] : {std::pair(1, 4), {4, 1}, {3, 4}, {2, 2}})
    check_brp_product<typename T::ExecutionSpace, typename T::MatrixScalar, typename T::VectorScalar>(A, f, g);
}

}  // namespace Tessera::Impl::Test
