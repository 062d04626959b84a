// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <map>
#include <tessera/Plan.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "TestMatrix.hpp"

/// A matrix as users pass it to make_plan, and as the plan stores it. Does not use GoogleTest.
namespace Tessera::Impl::Test {

/// The type in a user's Views that corresponds to a kernel's scalar type.
template <class Scalar>
struct UserScalar {
  using type = Scalar;
};
template <class Real>
struct UserScalar<Complex<Real>> {
  using type = Kokkos::complex<Real>;
};
template <class Scalar>
using user_scalar_t = typename UserScalar<Scalar>::type;

template <class Exec, class Scalar>
using UserValues = Kokkos::View<user_scalar_t<Scalar>*, typename Exec::memory_space>;

/// Copies host values to a user's View on the device.
template <class Exec, class Scalar>
UserValues<Exec, Scalar> user_values(const std::vector<Scalar>& host) {
  std::vector<user_scalar_t<Scalar>> converted(host.size());
  for (std::size_t i = 0; i < host.size(); ++i) converted[i] = std::bit_cast<user_scalar_t<Scalar>>(host[i]);
  return to_device<Exec>(converted);
}

template <class Offset>
bool is_canonical(const HostPattern<Offset>& A) {
  for (int i = 0; i < A.rows; ++i) {
    for (Offset k = A.row_offsets[i] + 1; k < A.row_offsets[i + 1]; ++k)
      if (A.column_indices[k - 1] >= A.column_indices[k]) return false;
  }
  return true;
}

/// Sorts rows, and sums duplicates in input order in the matrix's type, as a plan does.
template <class Scalar, class Offset>
std::pair<HostPattern<Offset>, std::vector<Scalar>> canonical(const HostPattern<Offset>& A,
                                                              const std::vector<Scalar>& values) {
  if (is_canonical(A)) return {A, values};
  HostPattern<Offset> pattern;
  pattern.columns = A.columns;
  std::vector<Scalar> sums;
  for (int i = 0; i < A.rows; ++i) {
    std::map<int, Scalar> row;
    for (Offset k = A.row_offsets[i]; k < A.row_offsets[i + 1]; ++k) {
      const auto [place, is_new] = row.try_emplace(A.column_indices[k], values[k]);
      if (!is_new) place->second += values[k];
    }
    for (const auto& [column, sum] : row) {
      pattern.column_indices.push_back(column);
      sums.push_back(sum);
    }
    pattern.end_row();
  }
  return {pattern, sums};
}

/// A test matrix: pattern and values as users pass them.
template <class Exec, class Scalar, class Offset>
struct UserMatrix {
  HostPattern<Offset> host;
  std::vector<Scalar> host_values;
  DevicePattern<Exec, Offset> pattern;
  UserValues<Exec, Scalar> values;

  HostPattern<Offset> stored;  // canonical form of host
  std::vector<Scalar> stored_values;

  explicit UserMatrix(const HostPattern<Offset>& A, std::uint64_t seed = 1)
      : UserMatrix(A, random_values<Scalar>(A.nonzeros(), seed)) {}
  UserMatrix(const HostPattern<Offset>& A, const std::vector<Scalar>& given)
      : host(A), host_values(given), pattern(A), values(user_values<Exec>(given)) {
    std::tie(stored, stored_values) = canonical(A, given);
  }

  auto plan(const PlanOptions& options) const {
    return make_plan(Exec(), host.rows, host.columns, pattern.row_offsets, pattern.column_indices, values, options);
  }
};

}  // namespace Tessera::Impl::Test
