// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <tessera/select/Choose.hpp>
#include <utility>
#include <vector>

#include "PlanCheck.hpp"

/// Matrices, plans and products that test plans with kernels for NVIDIA GPUs. Needs Kokkos::Cuda.
namespace Tessera::Impl::Test {

using Exec = Kokkos::Cuda;
template <class Scalar>
using Left = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Exec::memory_space>;
template <class Scalar>
using Right = Kokkos::View<Scalar**, Kokkos::LayoutRight, Exec::memory_space>;
template <class Scalar>
using Strided = Kokkos::View<Scalar**, Kokkos::LayoutStride, Exec::memory_space>;

template <class Scalar>
using CudaMatrix = UserMatrix<Exec, Scalar, int>;

class CudaKernels : public ::testing::Test {
  void SetUp() override {
    if (Exec().cuda_device_prop().major < 8) GTEST_SKIP() << "the GPU has no tensor cores for FP64 and TF32";
    trusts_any_rates() = true;
  }
  void TearDown() override { trusts_any_rates() = false; }
};

/// Options for a format, which is built at once, and X with 32 columns.
inline PlanOptions cuda_options(Format format, Precision precision = Precision::Native) {
  PlanOptions options = with_format(format);
  options.hints.expected_products = 1000000000;
  options.hints.num_vectors = 32;
  options.precision = precision;
  return options;
}

/// Windows of 64 rows that draw from the same columns with probability 1/6, so staging reads far fewer rows of X.
inline HostPattern<int> shared_windows(int windows, int width = 128) {
  Random random(3);
  HostPattern<int> A;
  A.columns = 64 * windows;
  for (int row = 0; row < 64 * windows; ++row) {
    const int first = std::min(row / 64 * 64, A.columns - width);
    for (int j = first; j < first + width; ++j)
      if (random.below(6) == 0) A.column_indices.push_back(j);
    A.end_row();
  }
  return A;
}

/// Returns a pattern whose row i is row order[i] of A.
template <class Offset = int>
HostPattern<Offset> with_rows(const HostPattern<int>& A, const std::vector<int>& order) {
  HostPattern<Offset> B;
  B.columns = A.columns;
  for (const int row : order) {
    B.column_indices.insert(B.column_indices.end(), A.column_indices.begin() + A.row_offsets[row],
                            A.column_indices.begin() + A.row_offsets[row + 1]);
    B.end_row();
  }
  return B;
}

/// The rows of shared_windows(12), permuted: rows that share columns are far apart.
inline HostPattern<int> scattered_windows() {
  const auto A = shared_windows(12);
  return with_rows(A, shuffled(A.rows, 3));
}

/// Empty rows, rows of one entry and very long rows among others. The last window is incomplete.
inline HostPattern<int> uneven_rows() {
  Random random(9);
  HostPattern<int> A;
  A.columns = 3001;
  for (int row = 0; row < 2005; ++row) {
    const int among = row % 97 == 5 ? 1 : row % 10 == 3 ? A.columns + 1 : 40 + 60 * (row % 7);
    for (int j = 0; j < A.columns; ++j)
      if (random.below(among) == 0) A.column_indices.push_back(j);
    A.end_row();
  }
  return A;
}

/// Empty, short and very long rows, and a hundred rows that share their columns.
inline HostPattern<int> uneven_windows() {
  Random random(10);
  HostPattern<int> A;
  A.columns = 700;
  for (int row = 0; row < 509; ++row) {
    const bool is_shared = row >= 300 && row < 400;
    const int among = row % 97 == 5 ? 1 : row % 10 == 3 ? A.columns + 1 : 40 + 60 * (row % 7);
    for (int j = 0; j < A.columns; ++j)
      if (random.below(is_shared && j >= 100 && j < 250 ? 3 : among) == 0 && row % 11 != 7)
        A.column_indices.push_back(j);
    A.end_row();
  }
  return A;
}

/// Returns the kernels that Plan::explain() names.
template <class Plan>
std::string kernels_of(const Plan& plan) {
  const std::string text = plan.explain(), label = "kernels: ";
  const std::size_t begin = text.find(label) + label.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

template <class View>
void fill(const Exec& exec, const View& x) {
  using Scalar = typename View::non_const_value_type;
  const Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>> elements(exec, {0, 0}, {x.extent_int(0), x.extent_int(1)});
  Kokkos::parallel_for(
      elements, KOKKOS_LAMBDA(int i, int j) { x(i, j) = static_cast<Scalar>((i * 37 + j * 101) % 251 - 125) / 7; });
}

template <class View>
int different_elements(const Exec& exec, const View& a, const View& b) {
  const Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>> elements(exec, {0, 0}, {a.extent_int(0), a.extent_int(1)});
  int different = 0;
  Kokkos::parallel_reduce(
      elements, KOKKOS_LAMBDA(int i, int j, int& sum) { sum += a(i, j) != b(i, j); }, different);
  return different;
}

/// Expects the same bits of one product in ten runs.
template <class View, class Plan>
void expect_same_bits(Plan& plan, int columns, const std::string& what) {
  using Scalar = typename View::non_const_value_type;
  const Exec exec;
  const View x("x", plan.columns(), columns), first("first", plan.rows(), columns),
      again("again", plan.rows(), columns);
  fill(exec, x);
  auto work = plan.prepare(exec, columns, Mode::NoTranspose);
  spmm(exec, plan, work, Mode::NoTranspose, Scalar(1), x, Scalar(0), first);
  for (int run = 1; run < 10; ++run) {
    spmm(exec, plan, work, Mode::NoTranspose, Scalar(1), x, Scalar(0), again);
    EXPECT_EQ(different_elements(exec, first, again), 0) << what << ", " << columns << " columns, run " << run;
  }
}

/// Expects the same bits in ten runs, for both layouts and all numbers of columns that kernels treat differently.
template <class Scalar, class Plan>
void expect_repeatable(Plan& plan, const std::string& what) {
  for (const int columns : {1, 8, 31, 32, 33, 64, 128, 200, 512}) {
    expect_same_bits<Right<Scalar>>(plan, columns, what + ", right");
    expect_same_bits<Left<Scalar>>(plan, columns, what + ", left");
  }
}

/// The parameters of a product to check.
struct SpmmCase {
  int columns = 32;
  Mode mode = Mode::NoTranspose;
  double alpha = 1.5, beta = 0.5;
  Precision precision = Precision::Native;                // precision of the computation
  std::vector<std::pair<int, double>> special_rows = {};  // rows of X filled with a value
};

/// Checks each element of a product. Factors have imaginary parts if the vectors are complex.
template <class View, class M, class Plan>
void expect_case(const CudaMatrix<M>& A, Plan& plan, const SpmmCase& c, const std::string& what) {
  using User = typename View::non_const_value_type;
  using V = Impl::kernel_scalar_t<User>;
  constexpr bool is_right = std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>;
  constexpr Layout layout = is_right ? Layout::Right : Layout::Left;
  Dense<V> x_host(is_transposed(c.mode) ? A.host.rows : A.host.columns, c.columns, layout);
  Dense<V> y_host(is_transposed(c.mode) ? A.host.columns : A.host.rows, c.columns, layout), result = y_host;
  x_host.randomize(5);
  if (c.beta != 0) y_host.randomize(6);
  for (const auto& [row, value] : c.special_rows) {
    for (int j = 0; j < c.columns; ++j) x_host(row, j) = static_cast<V>(value);
  }
  const View x = copied<View>("x", x_host), y = copied<View>("y", y_host);
  const Exec exec;
  auto work = plan.prepare(exec, c.columns, c.mode);
  const V a = number<V>(c.alpha, -c.alpha / 4), b = number<V>(c.beta, c.beta / 2);
  spmm(exec, plan, work, c.mode, std::bit_cast<User>(a), x, std::bit_cast<User>(b), y);
  exec.fence();
  Kokkos::deep_copy(elements_like<View>(result), y);
  for (int j = 0; j < c.columns; ++j) {
    auto reference = reference_column(A.stored.view(), A.stored_values.data(), c.mode, a, x_host.column(j),
                                      x_host.row_stride(), b, y_host.column(j), y_host.row_stride());
    widen_bound(reference, c.precision, A.stored.view(), A.stored_values.data(), c.mode, a, x_host.column(j),
                x_host.row_stride());
    ASSERT_LE(reference.worst_error(result.column(j), result.row_stride()), 1)
        << what << ", mode " << to_string(c.mode) << ", column " << j << " of " << c.columns;
  }
}

/// Checks products in both layouts for all numbers of columns that kernels treat differently.
template <class V, class M, class Plan>
void expect_columns(const CudaMatrix<M>& A, Plan& plan, Precision precision, const std::string& what) {
  for (const int columns : {1, 8, 31, 32, 33, 64, 128, 200}) {
    expect_case<Right<V>>(A, plan, {columns, Mode::NoTranspose, 1.5, 0, precision}, what + ", right");
    expect_case<Left<V>>(A, plan, {columns, Mode::NoTranspose, -0.75, 0.5, precision}, what + ", left");
  }
}

/// Checks these products and one with many columns, and that ten runs give the same bits.
template <class V, class M, class Plan>
void expect_plain_products(const CudaMatrix<M>& A, Plan& plan, Precision precision, const std::string& what) {
  expect_columns<V>(A, plan, precision, what);
  expect_case<Right<V>>(A, plan, {512, Mode::NoTranspose, 1.5, 0, precision}, what + ", right");
  expect_case<Left<V>>(A, plan, {512, Mode::NoTranspose, 1.5, 0.5, precision}, what + ", left");
  expect_repeatable<V>(plan, what);
}

/// Checks all of the above, and a product with the transpose.
template <class V, class M, class Plan>
void expect_products(const CudaMatrix<M>& A, Plan& plan, Precision precision, const std::string& what) {
  expect_plain_products<V>(A, plan, precision, what);
  expect_case<Right<V>>(A, plan, {32, Mode::Transpose, -1, 0.5, precision}, what);
  EXPECT_NE(plan.explain().find("kernels of the transpose: "), std::string::npos) << plan.explain();
}

/// Checks every number of columns, a product with the transpose, and a product whose X is not finite.
template <class V, class M, class Plan>
void expect_cases(const CudaMatrix<M>& A, Plan& plan, Precision precision, const std::string& what) {
  expect_columns<V>(A, plan, precision, what);
  expect_case<Right<V>>(A, plan, {40, Mode::Transpose, -1, 1, precision}, what);
  const SpmmCase special{33,  Mode::NoTranspose, 2,
                         0.5, precision,         {{0, INFINITY}, {101, -INFINITY}, {A.host.columns - 1, NAN}}};
  expect_case<Right<V>>(A, plan, special, what + ", not finite");
}

/// Checks that a workspace serves fewer columns, and that the bits of a column do not depend on its neighbours.
///
/// \param same_bits_alone  whether this includes a column without neighbours
template <class View, class Plan>
void expect_columns_alone(Plan& plan, const std::string& what, bool same_bits_alone) {
  using Scalar = typename View::non_const_value_type;
  constexpr int most = 200;
  const Exec exec;
  const View x("x", plan.columns(), most), all("all", plan.rows(), most), some("some", plan.rows(), most);
  fill(exec, x);
  auto work = plan.prepare(exec, most, Mode::NoTranspose);
  spmm(exec, plan, work, Mode::NoTranspose, Scalar(1), x, Scalar(0), all);
  for (const int columns : {1, 2, 4, 31, 32, 33, 63, 64, 65, 97, 127, 128, 129, 199}) {
    if (columns == 1 && !same_bits_alone) continue;
    const std::pair<int, int> part(most - columns, most);
    const auto y = Kokkos::subview(some, Kokkos::ALL, part);
    spmm(exec, plan, work, Mode::NoTranspose, Scalar(1), Kokkos::subview(x, Kokkos::ALL, part), Scalar(0), y);
    EXPECT_EQ(different_elements(exec, y, Kokkos::subview(all, Kokkos::ALL, part)), 0)
        << what << ", the last " << columns << " columns";
  }
}

/// Checks products of all kinds, and products with the values of another matrix.
template <class Scalar, class Plan>
void check_plan(const CudaMatrix<Scalar>& A, const CudaMatrix<Scalar>& other, Plan& plan, Precision used,
                const std::string& what) {
  expect_cases<Scalar>(A, plan, used, what);
  expect_same_bits<Right<Scalar>>(plan, 33, what);
  expect_same_bits<Left<Scalar>>(plan, 200, what);
  expect_columns_alone<Right<Scalar>>(plan, what, plan.format() != Format::Csr && plan.format() != Format::CompactRows);
  expect_columns_alone<Left<Scalar>>(plan, what, plan.format() != Format::Csr && plan.format() != Format::CompactRows);
  plan.update_values(Exec(), other.values);
  expect_case<Right<Scalar>>(other, plan, {32, Mode::NoTranspose, 1, 0, used}, what + " new values");
  expect_case<Right<Scalar>>(other, plan, {32, Mode::Transpose, 1, 0, used}, what + " new values");
}

/// The precision in which a format multiplies if `asked` is requested (BCSR: with the plan's default blocks).
template <class Scalar>
Precision precision_of(Format format, Precision asked) {
  const bool is_half = asked == Precision::Fp16 || asked == Precision::Bf16;
  switch (format) {
    case Format::Csr:
    case Format::SortedColumns:
    case Format::RowGroups:
    case Format::CompactRows:
      return Precision::Native;
    case Format::Bcsr:
      return std::is_same_v<Scalar, double> ? Precision::Native : asked;
    case Format::Brp:
      return std::is_same_v<Scalar, double> ? Precision::Native : is_half ? Precision::Tf32 : asked;
    case Format::Staged:
      return Precision::Native;
    default:
      return asked;
  }
}

}  // namespace Tessera::Impl::Test
