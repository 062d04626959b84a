// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <complex>
#include <map>
#include <string>
#include <tessera/Spmm.hpp>
#include <tessera/portable/Reference.hpp>
#include <tuple>

#include "TestDense.hpp"
#include "UserMatrix.hpp"

namespace Tessera::Impl::Test {

/// A host View with the layout of `View` on the elements of a multivector.
template <class View, class Scalar>
auto elements_like(Dense<Scalar>& host) {
  using Element = typename View::non_const_value_type;
  using Elements = Kokkos::View<typename View::non_const_data_type, typename View::array_layout, Kokkos::HostSpace,
                                Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  auto* const memory = reinterpret_cast<Element*>(host.memory().data());
  if constexpr (View::rank() == 2) {
    return Elements(memory, host.rows(), host.columns());
  } else {
    return Elements(memory, host.rows());
  }
}
template <class View, class Scalar>
View copied(const std::string& label, Dense<Scalar>& host) {
  const auto elements = elements_like<View>(host);
  const View view(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), elements.layout());
  Kokkos::deep_copy(view, elements);
  return view;
}

/// Multiplies random operands in Views of type View, and compares all columns with the reference, or only the first and
/// last if not `every_column`. Factors have imaginary parts if V is complex. Y holds NaN if beta = 0.
/// \param bounds  factor on the error bound of the vectors' type
template <class View, class Exec, class M, class Offset, class PlanType>
void expect_product(const UserMatrix<Exec, M, Offset>& A, PlanType& plan, int columns, Mode mode, double alpha,
                    double beta, const std::string& what, bool every_column = true, double bounds = 1) {
  using User = typename View::non_const_value_type;
  using V = Impl::kernel_scalar_t<User>;
  constexpr bool is_right = View::rank() == 2 && std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>;
  constexpr Layout layout = is_right ? Layout::Right : Layout::Left;
  const Exec exec;
  Dense<V> x_host(is_transposed(mode) ? A.host.rows : A.host.columns, columns, layout);
  Dense<V> y_host(is_transposed(mode) ? A.host.columns : A.host.rows, columns, layout), result = y_host;
  x_host.randomize(5);
  if (beta != 0) y_host.randomize(6);
  const View x = copied<View>("x", x_host), y = copied<View>("y", y_host);
  auto work = plan.prepare(exec, columns, mode);
  const V a = number<V>(alpha, -alpha / 4), b = number<V>(beta, beta / 2);
  spmm(exec, plan, work, mode, std::bit_cast<User>(a), x, std::bit_cast<User>(b), y);
  exec.fence();
  Kokkos::deep_copy(elements_like<View>(result), y);
  for (int j = 0; j < columns; ++j) {
    if (!every_column && j > 0 && j + 1 < columns) continue;
    const auto reference = reference_column(A.stored.view(), A.stored_values.data(), mode, a, x_host.column(j),
                                            x_host.row_stride(), b, y_host.column(j), y_host.row_stride());
    ASSERT_LE(reference.worst_error(result.column(j), result.row_stride()), bounds)
        << what << ", mode " << to_string(mode) << ", column " << j;
  }
}

inline PlanOptions with_format(Format format) {
  PlanOptions options;
  options.format = format;
  return options;
}
inline constexpr auto every_mode = enumerators<Mode>();

/// Returns the least memory limit with which a plan with these options can be made.
template <class Matrix>
std::size_t least_memory_limit(const Matrix& A, PlanOptions options) {
  std::size_t rejected = 0, enough = std::size_t(1) << 40;
  while (enough - rejected > 1) {
    const std::size_t middle = rejected + (enough - rejected) / 2;
    options.memory_limit = middle;
    try {
      A.plan(options);
      enough = middle;
    } catch (const std::invalid_argument&) {
      rejected = middle;
    }
  }
  return enough;
}

/// Returns the message of the Error that a call throws, or "" if it throws none.
template <class Error, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

#define EXPECT_MESSAGE(Error, call, text)                                                                  \
  do {                                                                                                     \
    const std::string said = message_of<Error>([&] { call; });                                             \
    EXPECT_NE(said.find(text), std::string::npos) << "expected \"" << text << "\", got \"" << said << '"'; \
  } while (false)

}  // namespace Tessera::Impl::Test
