// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <exception>
#include <tessera/common/CompiledTypes.hpp>
#include <utility>

#include "Check.hpp"

namespace Tessera::Impl::Smoke {

/// Multiplies a matrix in every format, both modes, and with one and eight columns, on an execution space.
template <class Exec, class Scalar>
class Products {
  using Vectors = Kokkos::View<Scalar**, Kokkos::LayoutRight, typename Exec::memory_space>;

 public:
  /// \param type [in] the name of Scalar
  Products(std::string matrix, const HostCsr<double>& A, std::string type)
      : matrix_(std::move(matrix)), A_(A), type_(std::move(type)), values_(some_values(A.values.size(), 1)) {}

  void check_all(std::vector<Check>& checks) const {
    for (const Format format : enumerators<Format, 0>())
      for (const Mode mode : {Mode::NoTranspose, Mode::ConjugateTranspose})
        for (const int columns : {1, 8}) checks.push_back(check(format, mode, columns));
  }

 private:
  static std::vector<Scalar> some_values(std::size_t count, unsigned step) {
    using Real = typename RealOf<Scalar>::type;
    std::vector<Scalar> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Real part = static_cast<Real>(int((i * (7 + 4 * step)) % 19) - 9) / 7;  // needs all bits
      if constexpr (std::is_same_v<Scalar, Real>) {
        values[i] = part;
      } else {
        values[i] = Scalar(part, static_cast<Real>(int(i % 5) - 2) / 3);
      }
    }
    return values;
  }

  Check check(Format format, Mode mode, int columns) const {
    Check result;
    result.space = Exec::name();
    result.type = type_;
    result.matrix = matrix_;
    result.format = to_string(format);
    result.mode = to_string(mode);
    result.columns = columns;
    try {
      multiply(format, mode, columns, result);
    } catch (const std::exception& failure) {
      result.failure = failure.what();
    }
    return result;
  }

  void multiply(Format format, Mode mode, int columns, Check& result) const {
    const bool is_transposed = mode != Mode::NoTranspose;
    const int x_rows = is_transposed ? A_.rows : A_.columns, y_rows = is_transposed ? A_.columns : A_.rows;
    const auto x = some_values(std::size_t(x_rows) * std::size_t(columns), 2);
    const auto row_offsets = upload<Exec>(A_.row_offsets);
    const auto column_indices = upload<Exec>(A_.column_indices);
    const auto values = upload<Exec>(values_);
    const Vectors X("X", x_rows, columns), Y("Y", y_rows, columns);
    Kokkos::deep_copy(X,
                      Kokkos::View<const Scalar**, Kokkos::LayoutRight, Kokkos::HostSpace>(x.data(), x_rows, columns));
    Kokkos::deep_copy(Y, Scalar(std::numeric_limits<typename RealOf<Scalar>::type>::quiet_NaN()));
    const Exec exec;
    const Kokkos::Timer timer;
    PlanOptions options;
    options.format = format;
    options.hints.num_vectors = columns;
    options.hints.expected_products = 1000000;
    auto plan = make_plan(exec, A_.rows, A_.columns, row_offsets, column_indices, values, options);
    spmm(exec, plan, mode, 1, X, 0, Y);
    exec.fence();
    result.seconds = timer.seconds();
    result.built = to_string(plan.format());
    result.kernels = kernels_of(plan.explain(), is_transposed);
    std::vector<Scalar> y(std::size_t(y_rows) * std::size_t(columns));
    Kokkos::deep_copy(Kokkos::View<Scalar**, Kokkos::LayoutRight, Kokkos::HostSpace>(y.data(), y_rows, columns), Y);
    result.error = error_over_bound(reference(A_, values_, mode, columns, x), columns, y);
  }

  template <class Space, class T>
  static auto upload(const std::vector<T>& host) {
    const Kokkos::View<T*, typename Space::memory_space> device("device", host.size());
    Kokkos::deep_copy(device, Kokkos::View<const T*, Kokkos::HostSpace>(host.data(), host.size()));
    return device;
  }

  /// Returns the kernels that Plan::explain() names, of A or of its transpose.
  static std::string kernels_of(const std::string& explanation, bool is_transposed) {
    const std::string label = is_transposed ? "kernels of the transpose: " : "kernels: ";
    const std::size_t found = explanation.find(label);
    if (found == std::string::npos) return "";
    const std::size_t begin = found + label.size();
    return explanation.substr(begin, explanation.find('\n', begin) - begin);
  }

  std::string matrix_;
  const HostCsr<double>& A_;
  std::string type_;
  std::vector<Scalar> values_;
};

}  // namespace Tessera::Impl::Smoke
