// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Verify.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>
#include <tessera/common/Complex.hpp>
#include <tessera/portable/Reference.hpp>
#include <tessera/system/impl/Parallel.hpp>

namespace Tessera::Impl::Driver {

namespace {

template <class Scalar>
struct KernelScalar {
  using type = Scalar;
};
template <class Real>
struct KernelScalar<std::complex<Real>> {
  using type = Complex<Real>;
};

/// Reinterprets numbers as the kernels' type.
template <class Scalar>
auto kernel_data(const std::vector<Scalar>& values, std::size_t offset = 0) {
  return reinterpret_cast<const typename KernelScalar<Scalar>::type*>(values.data() + offset);
}
template <class Scalar>
auto kernel_value(const Scalar& value) {
  return std::bit_cast<typename KernelScalar<Scalar>::type>(value);
}

template <class Scalar>
void verify_column(const Problem<Scalar>& problem, Mode mode, const std::vector<HostDense<Scalar>>& results,
                   const std::vector<Precision>& precisions, std::size_t j, std::vector<double>& worst) {
  const HostCsr<Scalar>& a = problem.a;
  const CsrPattern<std::size_t> pattern{a.rows, a.columns, a.row_offsets.data(), a.column_indices.data()};
  const auto alpha = kernel_value(problem.alpha);
  const auto x = kernel_data(problem.x.values, j * problem.x.rows);
  const auto native = reference_column(pattern, kernel_data(a.values), mode, alpha, x, 1, kernel_value(problem.beta),
                                       kernel_data(problem.y.values, j * problem.y.rows), 1);
  std::map<Precision, std::decay_t<decltype(native)>> references;
  for (std::size_t r = 0; r < results.size(); ++r) {
    const auto [reference, is_new] = references.try_emplace(precisions[r], native);
    if (is_new) widen_bound(reference->second, precisions[r], pattern, kernel_data(a.values), mode, alpha, x, 1);
    const auto y = kernel_data(results[r].values, j * problem.y.rows);
    worst[r] = std::max(worst[r], reference->second.worst_error(y, 1));
  }
}

}  // namespace

template <class Scalar>
std::vector<double> worst_errors(const Problem<Scalar>& problem, Mode mode,
                                 const std::vector<HostDense<Scalar>>& results,
                                 const std::vector<Precision>& precisions,
                                 const std::function<void(double fraction)>& progress) {
  if (precisions.size() != results.size()) throw std::invalid_argument("worst_errors: not a precision a result");
  for (const HostDense<Scalar>& y : results) {
    if (y.rows != problem.y.rows || y.columns != problem.y.columns) {
      throw std::invalid_argument("worst_errors: a result has another shape than Y");
    }
  }
  const int threads = Impl::thread_count(0);
  std::vector<std::vector<double>> worst_of_worker(static_cast<std::size_t>(threads),
                                                   std::vector<double>(results.size(), 0.0));
  Impl::parallel_for(
      threads, problem.y.columns,
      [&](std::size_t j, int worker) {
        verify_column(problem, mode, results, precisions, j, worst_of_worker[static_cast<std::size_t>(worker)]);
      },
      Impl::Progress(progress));
  std::vector<double> worst(results.size(), 0.0);
  for (const std::vector<double>& theirs : worst_of_worker) {
    for (std::size_t r = 0; r < worst.size(); ++r) worst[r] = std::max(worst[r], theirs[r]);
  }
  return worst;
}

#define TESSERA_INSTANTIATE(Scalar)                                                                              \
  template std::vector<double> worst_errors(const Problem<Scalar>&, Mode, const std::vector<HostDense<Scalar>>&, \
                                            const std::vector<Precision>&, const std::function<void(double)>&);
TESSERA_INSTANTIATE(float)
TESSERA_INSTANTIATE(double)
TESSERA_INSTANTIATE(std::complex<float>)
TESSERA_INSTANTIATE(std::complex<double>)

}  // namespace Tessera::Impl::Driver
