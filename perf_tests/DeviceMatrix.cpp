// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DeviceMatrix.hpp"

#include <harness/Matrices.hpp>
#include <limits>
#include <map>
#include <stdexcept>
#include <tessera/Spmm.hpp>
#include <tessera/io/ReadOrGenerate.hpp>

namespace Tessera::Impl::Benchmarks {

namespace {

DeviceMatrix make_matrix(const std::string& name) {
  const auto host = read_or_generate(name);
  if (host.values.size() > std::size_t(std::numeric_limits<int>::max())) {
    throw std::invalid_argument(name + ": " + std::to_string(host.values.size()) +
                                " nonzeros, expected fewer than 2^31");
  }
  return {upload<int, Space>(host), touched_columns(host)};
}

}  // namespace

DevicePlan DeviceMatrix::plan(const Space& exec, const PlanOptions& options) const {
  return make_plan(exec, rows, columns, row_offsets, column_indices, values, options);
}

const DeviceMatrix& matrix_of(const std::string& name) {
  static std::map<std::string, DeviceMatrix> made;
  if (made.empty()) Kokkos::push_finalize_hook([] { made.clear(); });
  const auto place = made.find(name);
  return place != made.end() ? place->second : made.emplace(name, make_matrix(name)).first->second;
}

double seconds_a_product(const Space& exec, DevicePlan& plan, int columns) {
  auto work = plan.prepare(exec, columns, Mode::NoTranspose);
  const Vectors<Kokkos::LayoutRight> X("X", plan.columns(), columns), Y("Y", plan.rows(), columns);
  scatter_values(X);
  const auto multiply = [&] { spmm(exec, plan, work, Mode::NoTranspose, 1.0, X, 0.0, Y); };
  multiply();
  return seconds_each(exec, 10, multiply);
}

DeviceCsr<float, int, Space> in_floats(const DeviceMatrix& A) {
  const DeviceArray<float, Space> values("values", A.nonzeros());
  Kokkos::deep_copy(values, A.values);
  return {A.rows, A.columns, A.row_offsets, A.column_indices, values};
}

template <class View>
double difference(const View& Y, const View& Z) {
  const Kokkos::MDRangePolicy<Space, Kokkos::Rank<2>> elements({0, 0}, {Y.extent(0), Y.extent(1)});
  double most = 0, apart = 0;
  Kokkos::parallel_reduce(
      "difference", elements,
      KOKKOS_LAMBDA(int i, int j, double& greatest, double& far) {
        greatest = Kokkos::max(greatest, Kokkos::abs(double(Y(i, j))));
        // A NaN counts as a difference.
        const double distance = Kokkos::abs(double(Y(i, j)) - double(Z(i, j)));
        far = distance <= far ? far : (distance < Kokkos::Experimental::infinity_v<double> ? distance : 1e300);
      },
      Kokkos::Max<double>(most), Kokkos::Max<double>(apart));
  return apart == 0 ? 0 : apart / most;
}

template double difference(const Vectors<Kokkos::LayoutLeft>&, const Vectors<Kokkos::LayoutLeft>&);
template double difference(const Vectors<Kokkos::LayoutRight>&, const Vectors<Kokkos::LayoutRight>&);
template double difference(const Vectors<Kokkos::LayoutLeft, float>&, const Vectors<Kokkos::LayoutLeft, float>&);
template double difference(const Vectors<Kokkos::LayoutRight, float>&, const Vectors<Kokkos::LayoutRight, float>&);

}  // namespace Tessera::Impl::Benchmarks
