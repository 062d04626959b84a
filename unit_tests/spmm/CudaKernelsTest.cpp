// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the kernels for NVIDIA GPUs a plan takes, and that each multiplies as plans promise. Nothing, where Kokkos
// has no CUDA.
#include <Kokkos_Core.hpp>
#include <array>
#include <cmath>
#include <tessera/common/BcsrView.hpp>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "PlanCheck.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "ToolEvents.hpp"
#include "cuda/CudaSchedule.hpp"

namespace Tessera::Test {

using Exec = Kokkos::Cuda;
template <class Scalar>
using Left = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Exec::memory_space>;
template <class Scalar>
using Right = Kokkos::View<Scalar**, Kokkos::LayoutRight, Exec::memory_space>;
template <class Scalar>
using Strided = Kokkos::View<Scalar**, Kokkos::LayoutStride, Exec::memory_space>;

/// Windows of 64 rows, each with entries in the same columns, one in six: staged windows fetch many times less.
HostPattern<int> shared_windows(int windows, int width = 128) {
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

PlanOptions for_columns(int columns, Precision precision = Precision::Native) {
  PlanOptions options;
  options.columns = columns;
  options.precision = precision;
  return options;
}

template <class View>
static void fill(const Exec& exec, const View& x) {
  using Scalar = typename View::non_const_value_type;
  const Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>> elements(exec, {0, 0}, {x.extent_int(0), x.extent_int(1)});
  Kokkos::parallel_for(
      elements, KOKKOS_LAMBDA(int i, int j) { x(i, j) = static_cast<Scalar>((i * 37 + j * 101) % 251 - 125) / 7; });
}

template <class View>
static int different_elements(const Exec& exec, const View& a, const View& b) {
  const Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>> elements(exec, {0, 0}, {a.extent_int(0), a.extent_int(1)});
  int different = 0;
  Kokkos::parallel_reduce(
      elements, KOKKOS_LAMBDA(int i, int j, int& sum) { sum += a(i, j) != b(i, j); }, different);
  return different;
}

/// The same product ten times.
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

/// Both layouts, rows that are not aligned, wide and narrow.
template <class Scalar, class Matrix, class Plan>
void expect_plain_products(const Matrix& A, Plan& plan, const std::string& what, double bounds) {
  for (const int columns : {1, 8, 31, 32, 33, 64, 128, 200, 512}) {
    expect_product<Right<Scalar>>(A, plan, columns, Mode::NoTranspose, 1.5, 0, what + ", right", false, bounds);
    expect_product<Left<Scalar>>(A, plan, columns, Mode::NoTranspose, 1.5, 0.5, what + ", left", false, bounds);
    expect_same_bits<Right<Scalar>>(plan, columns, what + ", right");
    expect_same_bits<Left<Scalar>>(plan, columns, what + ", left");
  }
}

/// Of the matrix as it is and turned.
template <class Scalar, class Matrix, class Plan>
void expect_products(const Matrix& A, Plan& plan, const std::string& what, double bounds) {
  expect_plain_products<Scalar>(A, plan, what, bounds);
  expect_product<Right<Scalar>>(A, plan, 32, Mode::Transpose, -1, 0.5, what, false, bounds);
  EXPECT_NE(plan.explain().find("kernels of the transpose: "), std::string::npos) << plan.explain();
}

class CudaKernels : public ::testing::Test {
  void SetUp() override {
    if (Exec().cuda_device_prop().major < 8) GTEST_SKIP() << "the GPU has no tensor cores for FP64 and TF32";
  }
};

TEST_F(CudaKernels, StagedWindowsWhereWindowsShareColumns) {
  const UserMatrix<Exec, double, int> A(shared_windows(300));
  auto plan = A.plan(for_columns(32));
  EXPECT_NE(plan.explain().find("staged in shared memory"), std::string::npos) << plan.explain();
  expect_products<double>(A, plan, "staged", 1);
  const UserMatrix<Exec, double, int> other(A.host, 77);
  plan.update_values(Exec(), other.values);
  expect_products<double>(other, plan, "staged, new values", 1);
}

/// Plans whose kernels want more and less shared memory, each on an instance and a thread of its own.
TEST_F(CudaKernels, TwoThreadsMultiplyByTwoPlans) {
  constexpr int columns = 32, rounds = 500;
  const UserMatrix<Exec, double, int> wide(shared_windows(300)), narrow(shared_windows(300, 40));
  PlanOptions options = for_columns(columns);
  options.format = Format::Staged;
  std::array plans{wide.plan(options), narrow.plan(options)};
  const std::vector<Exec> instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  std::vector<Workspace<Exec>> work;
  std::vector<Right<double>> x, first, again;
  for (std::size_t t = 0; t < 2; ++t) {
    ASSERT_NE(plans[t].explain().find("staged in shared memory"), std::string::npos) << plans[t].explain();
    x.emplace_back("x", wide.host.columns, columns);
    first.emplace_back("first", wide.host.rows, columns);
    again.emplace_back("again", wide.host.rows, columns);
    fill(instances[t], x[t]);
    work.push_back(plans[t].prepare(instances[t], columns, Mode::NoTranspose));
    spmm(instances[t], plans[t], work[t], Mode::NoTranspose, 1.0, x[t], 0.0, first[t]);
    instances[t].fence();
  }
  std::string errors[2];
  const auto multiply = [&](std::size_t t) {
    try {
      for (int round = 0; round < rounds; ++round)
        spmm(instances[t], plans[t], work[t], Mode::NoTranspose, 1.0, x[t], 0.0, again[t]);
      instances[t].fence();
    } catch (const std::exception& error) {
      errors[t] = error.what();
    }
  };
  std::thread other(multiply, 1);
  multiply(0);
  other.join();
  for (std::size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(errors[t], "");
    EXPECT_EQ(different_elements(instances[t], first[t], again[t]), 0) << "of plan " << t;
  }
}

/// Rows of X that lie further apart than 32 bits count, of which there is one.
TEST_F(CudaKernels, RowsOfXFarApart) {
  HostPattern<int> column;
  column.columns = 1;
  for (int row = 0; row < 100; ++row) {
    column.column_indices.push_back(0);
    column.end_row();
  }
  const UserMatrix<Exec, double, int> A(column);
  for (const Format format : every_format) {
    auto plan = A.plan(with_format(format));
    auto work = plan.prepare(Exec(), 8, Mode::NoTranspose);
    const Right<double> x("x", 1, 8), expected("expected", 100, 8), y("y", 100, 8);
    fill(Exec(), x);
    spmm(Exec(), plan, work, Mode::NoTranspose, 1.0, x, 0.0, expected);
    const Strided<double> far(x.data(), Kokkos::LayoutStride(1, std::size_t(1) << 30, 8, 1));
    spmm(Exec(), plan, work, Mode::NoTranspose, 1.0, far, 0.0, y);
    EXPECT_EQ(different_elements(Exec(), y, expected), 0) << to_string(format);
  }
}

TEST_F(CudaKernels, NoStagedWindowsWhereMemoryIsShort) {
  const UserMatrix<Exec, double, int> A(shared_windows(300));
  auto options = for_columns(32);
  options.memory_limit = least_memory_limit(A, options);
  auto plan = A.plan(options);
  EXPECT_NE(plan.format(), Format::Staged) << plan.explain();
  expect_plain_products<double>(A, plan, "not staged", 1);
}

TEST_F(CudaKernels, LongWindowsInPieces) {
  HostPattern<int> pattern = random_pattern<int>(300, 2000, 0.4, 11, 7);
  for (int row = 0; row < 400; ++row) {  // and many short ones
    pattern.column_indices.push_back(5 * row);
    pattern.end_row();
  }
  const UserMatrix<Exec, double, int> A(pattern);
  for (const Format format : {Format::BitTcf, Format::Bmat, Format::BlockRowPartition, Format::Bcsr, Format::Staged}) {
    auto options = for_columns(32);
    options.format = format;
    auto plan = A.plan(options);
    EXPECT_NE(plan.explain().find("on tensor cores"), std::string::npos) << plan.explain();
    expect_products<double>(A, plan, std::string(to_string(format)), 1);
  }
}

TEST_F(CudaKernels, SchedulesAreThoseOfTheHost) {
  Random random(4);
  for (const int windows : {0, 1, 31, 32, 33, 1000}) {
    std::vector<int> offsets{0};
    for (int w = 0; w < windows; ++w) offsets.push_back(offsets.back() + random.below(w % 9 == 3 ? 500 : 9));
    for (const int piece_tiles : {1, 7, 64}) {
      for (const bool longest_first : {false, true}) {
        auto made = Impl::cuda_schedule(Exec(), to_device<Exec>(offsets), piece_tiles);
        auto expected = Cuda::build_condensed_schedule(offsets.data(), windows, piece_tiles);
        if (longest_first) {
          Impl::put_longest_first(Exec(), made);
          Cuda::put_longest_first(expected.items);
        }
        const auto items = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), made.items);
        const auto sums = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), made.sums);
        ASSERT_EQ(items.extent(0), expected.items.size());
        ASSERT_EQ(sums.extent(0), expected.sums.size());
        EXPECT_EQ(made.slots, expected.slots);
        for (std::size_t i = 0; i < items.extent(0); ++i) {
          const auto &a = items(i), &b = expected.items[i];
          EXPECT_EQ(std::tie(a.first_tile, a.tiles, a.window, a.slot),
                    std::tie(b.first_tile, b.tiles, b.window, b.slot));
        }
        for (std::size_t i = 0; i < sums.extent(0); ++i) {
          const auto &a = sums(i), &b = expected.sums[i];
          EXPECT_EQ(std::tie(a.window, a.first_slot, a.slots), std::tie(b.window, b.first_slot, b.slots));
        }
      }
    }
  }
}

TEST_F(CudaKernels, WindowsInAnotherOrder) {
  const auto pattern = shared_windows(300);
  HostPattern<int> scattered;
  scattered.columns = pattern.columns;
  for (int i = 0; i < pattern.rows; ++i) {
    const int row = static_cast<int>(i * 7919LL % pattern.rows);
    for (int k = pattern.row_offsets[row]; k < pattern.row_offsets[row + 1]; ++k)
      scattered.column_indices.push_back(pattern.column_indices[k]);
    scattered.end_row();
  }
  const UserMatrix<Exec, double, int> A(scattered);
  auto options = for_columns(32);
  options.reordering = Reordering::WindowGrowing;
  auto plan = A.plan(options);
  EXPECT_EQ(plan.choice().reordering, Reordering::WindowGrowing) << plan.explain();
  expect_products<double>(A, plan, "reordered", 1);
}

TEST_F(CudaKernels, Tf32RoundsOncePerOperandAndThreeProductsAreFp32) {
  const UserMatrix<Exec, float, int> A(shared_windows(40));
  for (const Format format : {Format::BitTcf, Format::Bmat}) {
    for (const auto& [precision, bounds] : {std::pair(Precision::Tf32x3, 2.0), std::pair(Precision::Tf32, 0x1p13)}) {
      auto options = for_columns(32, precision);
      options.format = format;
      auto plan = A.plan(options);
      const std::string what = std::string(to_string(format)) + ", " + std::string(to_string(precision));
      EXPECT_NE(plan.explain().find("on tensor cores"), std::string::npos) << plan.explain();
      expect_products<float>(A, plan, what, bounds);
    }
  }
}

/// Rows of no, one and very many entries between others, and fewer rows than a window has at the end.
HostPattern<int> uneven_rows() {
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

TEST_F(CudaKernels, UnevenRows) {
  const UserMatrix<Exec, double, int> A(uneven_rows());
  const UserMatrix<Exec, float, int> floats(uneven_rows());
  const UserMatrix<Exec, Complex<double>, int> complexes(uneven_rows());
  for (const Format format : every_format) {
    auto options = for_columns(64);
    options.format = format;
    auto plan = A.plan(options);
    expect_products<double>(A, plan, std::string(to_string(format)), 1);
    auto float_plan = floats.plan(options);
    expect_products<float>(floats, float_plan, std::string(to_string(format)) + ", float", 1);
  }
  auto plan = complexes.plan(for_columns(64));
  expect_products<Kokkos::complex<double>>(complexes, plan, "complex", 1);
}

TEST_F(CudaKernels, TallWindowsInDouble) {
  const UserMatrix<Exec, double, int> A(shared_windows(20));
  auto options = for_columns(32);
  options.format = Format::Bmat;
  auto plan = A.plan(options);
  EXPECT_NE(plan.explain().find("windows of 16 rows on tensor cores"), std::string::npos) << plan.explain();
  expect_products<double>(A, plan, "bmat", 1);
  const UserMatrix<Exec, double, int> other(A.host, 78);
  plan.update_values(Exec(), other.values);
  expect_products<double>(other, plan, "bmat, new values", 1);
}

TEST_F(CudaKernels, CompactTilesWhereMemoryIsShort) {
  const UserMatrix<Exec, double, int> A(shared_windows(20));
  auto options = for_columns(32);
  options.format = Format::BitTcf;
  options.memory_limit = least_memory_limit(A, options);
  auto plan = A.plan(options);
  EXPECT_NE(plan.explain().find("for want of memory"), std::string::npos) << plan.explain();
  expect_plain_products<double>(A, plan, "compact", 1);
}

TEST_F(CudaKernels, ViewsOfAnyStrides) {
  const UserMatrix<Exec, double, int> A(shared_windows(300));
  for (const Format format : {Format::Automatic, Format::BitTcf, Format::Bmat, Format::Csr, Format::Staged}) {
    auto options = for_columns(32);
    options.format = format;
    auto plan = A.plan(options);
    auto work = plan.prepare(Exec(), 35, Mode::NoTranspose);
    const Right<double> expected("expected", A.host.rows, 35);
    const Right<double> x_right("x", A.host.columns, 35);
    const auto x_host = Kokkos::create_mirror_view(x_right);
    for (int i = 0; i < A.host.columns; ++i) {
      for (int j = 0; j < 35; ++j) x_host(i, j) = std::sin(i + 0.1 * j);
    }
    Kokkos::deep_copy(x_right, x_host);
    spmm(Exec(), plan, work, Mode::NoTranspose, 1.0, x_right, 0.0, expected);
    // Every second row and third column of larger arrays.
    const Kokkos::LayoutStride x_strides(A.host.columns, 2, 35, 6 * A.host.columns);
    const Kokkos::LayoutStride y_strides(A.host.rows, 2, 35, 6 * A.host.rows);
    const Strided<double> x("x", x_strides), y("y", y_strides);
    Kokkos::deep_copy(x, x_right);
    spmm(Exec(), plan, work, Mode::NoTranspose, 1.0, x, 0.0, y);
    const Right<double> result("result", A.host.rows, 35);
    Kokkos::deep_copy(result, y);
    const auto wanted = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result);
    int different = 0;
    for (std::size_t k = 0; k < wanted.size(); ++k) different += wanted.data()[k] != got.data()[k];
    EXPECT_EQ(different, 0) << to_string(format);
  }
}

/// Rows of no, few and very many entries, and a hundred that share their columns.
HostPattern<int> uneven_windows() {
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

/// What Plan::explain() says of kernels.
template <class Plan>
std::string kernels_of(const Plan& plan) {
  const std::string text = plan.explain(), label = "kernels: ";
  const std::size_t begin = text.find(label) + label.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// The precision that a format is multiplied in, when another is asked for; of blocks that have the plan's own shape.
template <class Scalar>
Precision precision_of(Format format, Precision asked) {
  const bool is_half = asked == Precision::Fp16 || asked == Precision::Bf16;
  switch (format) {
    case Format::Csr:
    case Format::SortedColumns:
      return Precision::Native;
    case Format::Bcsr:
      return std::is_same_v<Scalar, double> ? Precision::Native : asked;
    case Format::BlockRowPartition:
      return std::is_same_v<Scalar, double> ? Precision::Native : is_half ? Precision::Tf32 : asked;
    case Format::Staged:
      return Precision::Native;
    default:
      return asked;
  }
}

/// What multiplies a format on tensor cores, or on CUDA cores.
template <class Scalar>
std::string kernel_of(Format format) {
  switch (format) {
    case Format::Csr:
      return "compressed rows on CUDA cores";
    case Format::SortedColumns:
      return "sorted columns on CUDA cores";
    case Format::BlockRowPartition:
      return "groups and residual rows of windows of 16 rows on tensor cores";
    case Format::Bmat:
      return "windows of 16 rows on tensor cores";
    case Format::Bcsr:
      return "blocks of ";
    case Format::Staged:
      return std::is_same_v<Scalar, double> ? "staged in shared memory, on tensor cores" : "for any device";
    default:
      return "on tensor cores";
  }
}

/// A product to be checked.
struct ProductCase {
  int columns = 32;
  Mode mode = Mode::NoTranspose;
  double alpha = 1.5, beta = 0.5;
  Precision precision = Precision::Native;                // that it is computed in
  std::vector<std::pair<int, double>> special_rows = {};  // of X, which hold this value
};

/// One product, every element of it.
template <class View, class M, class Plan>
void expect_case(const UserMatrix<Exec, M, int>& A, Plan& plan, const ProductCase& c, const std::string& what) {
  using V = typename View::non_const_value_type;
  const int x_rows = is_transposed(c.mode) ? A.host.rows : A.host.columns;
  const int y_rows = is_transposed(c.mode) ? A.host.columns : A.host.rows;
  const View x("x", x_rows, c.columns), y("y", y_rows, c.columns);
  const auto x_host = Kokkos::create_mirror_view(x), y_host = Kokkos::create_mirror_view(y);
  Dense<V> x_copy(x_rows, c.columns, Layout::Left), y_copy(y_rows, c.columns, Layout::Left), result = y_copy;
  x_copy.randomize(5);
  if (c.beta != 0) y_copy.randomize(6);
  for (int j = 0; j < c.columns; ++j) {
    for (const auto& [row, value] : c.special_rows) x_copy(row, j) = static_cast<V>(value);
    for (int i = 0; i < x_rows; ++i) x_host(i, j) = x_copy(i, j);
    for (int i = 0; i < y_rows; ++i) y_host(i, j) = y_copy(i, j);
  }
  Kokkos::deep_copy(x, x_host);
  Kokkos::deep_copy(y, y_host);
  const Exec exec;
  auto work = plan.prepare(exec, c.columns, c.mode);
  spmm(exec, plan, work, c.mode, V(c.alpha), x, V(c.beta), y);
  exec.fence();
  Kokkos::deep_copy(y_host, y);
  for (int j = 0; j < c.columns; ++j) {
    for (int i = 0; i < y_rows; ++i) result(i, j) = y_host(i, j);
    auto reference = reference_column(A.stored.view(), A.stored_values.data(), c.mode, V(c.alpha), x_copy.column(j), 1,
                                      V(c.beta), y_copy.column(j), 1);
    widen_bound(reference, c.precision, A.stored.view(), A.stored_values.data(), c.mode, V(c.alpha), x_copy.column(j),
                1);
    ASSERT_LE(reference.worst_error(result.column(j), 1), 1)
        << what << ", mode " << to_string(c.mode) << ", column " << j << " of " << c.columns;
  }
}

/// All numbers of columns that matter to a kernel, both layouts, turned, and with what is not finite.
template <class V, class M, class Plan>
void expect_cases(const UserMatrix<Exec, M, int>& A, Plan& plan, Precision precision, const std::string& what) {
  for (const int columns : {1, 8, 31, 32, 33, 64, 128, 200}) {
    expect_case<Right<V>>(A, plan, {columns, Mode::NoTranspose, 1.5, 0, precision}, what + ", right");
    expect_case<Left<V>>(A, plan, {columns, Mode::NoTranspose, -0.75, 0.5, precision}, what + ", left");
  }
  expect_case<Right<V>>(A, plan, {40, Mode::Transpose, -1, 1, precision}, what);
  const ProductCase special{33,  Mode::NoTranspose, 2,
                            0.5, precision,         {{0, INFINITY}, {101, -INFINITY}, {A.host.columns - 1, NAN}}};
  expect_case<Right<V>>(A, plan, special, what + ", not finite");
}

/// One workspace serves all products with fewer columns, and no column's bits depend on those beside it.
template <class View, class Plan>
void expect_columns_alone(Plan& plan, const std::string& what) {
  using Scalar = typename View::non_const_value_type;
  constexpr int most = 200;
  const Exec exec;
  const View x("x", plan.columns(), most), all("all", plan.rows(), most), some("some", plan.rows(), most);
  fill(exec, x);
  auto work = plan.prepare(exec, most, Mode::NoTranspose);
  spmm(exec, plan, work, Mode::NoTranspose, Scalar(1), x, Scalar(0), all);
  for (const int columns : {1, 4, 31, 32, 33, 63, 64, 65, 97, 127, 128, 129, 199}) {
    const std::pair<int, int> part(most - columns, most);
    const auto y = Kokkos::subview(some, Kokkos::ALL, part);
    spmm(exec, plan, work, Mode::NoTranspose, Scalar(1), Kokkos::subview(x, Kokkos::ALL, part), Scalar(0), y);
    EXPECT_EQ(different_elements(exec, y, Kokkos::subview(all, Kokkos::ALL, part)), 0)
        << what << ", the last " << columns << " columns";
  }
}

/// Products of all kinds, and with the values of another matrix.
template <class Scalar, class Plan>
void check_plan(const UserMatrix<Exec, Scalar, int>& A, const UserMatrix<Exec, Scalar, int>& other, Plan& plan,
                Precision used, const std::string& what) {
  expect_cases<Scalar>(A, plan, used, what);
  expect_same_bits<Right<Scalar>>(plan, 33, what);
  expect_same_bits<Left<Scalar>>(plan, 200, what);
  expect_columns_alone<Right<Scalar>>(plan, what);
  expect_columns_alone<Left<Scalar>>(plan, what);
  plan.update_values(Exec(), other.values);
  expect_case<Right<Scalar>>(other, plan, {32, Mode::NoTranspose, 1, 0, used}, what + " new values");
  expect_case<Right<Scalar>>(other, plan, {32, Mode::Transpose, 1, 0, used}, what + " new values");
}

template <class Scalar>
void check_every_format(const std::vector<Precision>& precisions) {
  const UserMatrix<Exec, Scalar, int> A(uneven_windows()), other(A.host, 79);
  for (const Precision asked : precisions) {
    for (const Format format : every_format) {
      auto options = for_columns(32, asked);
      options.format = format;
      auto plan = A.plan(options);
      const Precision used = precision_of<Scalar>(format, asked);
      const std::string what =
          std::string(to_string(format)) + ", " + std::string(to_string(asked)) + ": " + kernels_of(plan) + ",";
      EXPECT_NE(what.find(kernel_of<Scalar>(format)), std::string::npos) << what;
      const std::string note =
          used == Precision::Native ? "in native precision," : "in " + std::string(to_string(used));
      EXPECT_EQ(what.find(note) != std::string::npos, asked != Precision::Native) << what << " expected " << note;
      const bool is_portable = what.find("for any device") != std::string::npos;
      if (format != Format::Csr) EXPECT_EQ(plan.kernel_bytes() > 0, !is_portable) << what;
      check_plan(A, other, plan, used, what);
    }
  }
}

TEST_F(CudaKernels, EveryFormatOfDouble) {
  check_every_format<double>({Precision::Native, Precision::Bf16, Precision::Fp16});
}

TEST_F(CudaKernels, EveryFormatOfFloat) {
  check_every_format<float>({Precision::Tf32x3, Precision::Tf32, Precision::Bf16, Precision::Fp16});
}

// Nothing but compressed rows and sorted columns has a kernel for FP32 that lowers nothing.
TEST_F(CudaKernels, FloatIsNativeUnlessAskedFor) {
  const UserMatrix<Exec, float, int> A(uneven_windows());
  for (const Format format : every_format) {
    auto options = for_columns(32);
    options.format = format;
    auto plan = A.plan(options);
    const bool has_kernel = format == Format::Csr || format == Format::SortedColumns;
    EXPECT_EQ(kernels_of(plan), has_kernel ? kernel_of<float>(format) : "for any device");
    expect_cases<float>(A, plan, Precision::Native, std::string(to_string(format)));
  }
}

// Vectors of double: in 16 bits where windows are condensed, and native otherwise.
TEST_F(CudaKernels, FloatMatrixAndVectorsOfDouble) {
  const UserMatrix<Exec, float, int> A(uneven_windows());
  for (const Precision asked : {Precision::Native, Precision::Tf32, Precision::Bf16, Precision::Fp16}) {
    const bool is_half = asked == Precision::Bf16 || asked == Precision::Fp16;
    for (const Format format : every_format) {
      auto options = for_columns(32, asked);
      options.format = format;
      auto plan = A.plan(options);
      const bool is_condensed = format == Format::BitTcf || format == Format::Bmat;
      expect_cases<double>(A, plan, is_condensed && is_half ? asked : Precision::Native,
                           std::string(to_string(format)) + ", " + std::string(to_string(asked)));
    }
  }
}

template <class Scalar>
void check_block_shapes(Precision asked, const std::vector<std::pair<BlockShape, std::string>>& shapes) {
  const UserMatrix<Exec, Scalar, int> A(uneven_windows());
  for (const auto& [shape, kernels] : shapes) {
    auto options = for_columns(32, asked);
    options.format = Format::Bcsr;
    options.parameters.bcsr_block_rows = shape.height;
    options.parameters.bcsr_block_columns = shape.width;
    auto plan = A.plan(options);
    EXPECT_EQ(kernels_of(plan), kernels);
    const Precision used = kernels.ends_with("in tf32")   ? Precision::Tf32
                           : kernels.ends_with("in fp16") ? Precision::Fp16
                                                          : Precision::Native;
    for (const Mode mode : {Mode::NoTranspose, Mode::Transpose})
      expect_case<Right<Scalar>>(A, plan, {40, mode, 1, 0.5, used}, kernels);
  }
}

TEST_F(CudaKernels, BlocksOfAnyShape) {
  check_block_shapes<double>(Precision::Native, {{{16, 8}, "blocks of 16 x 8 on tensor cores"},
                                                 {{8, 8}, "blocks of 8 x 8 on tensor cores"},
                                                 {{8, 4}, "blocks of 8 x 4 on tensor cores"},
                                                 {{16, 16}, "for any device"},
                                                 {{5, 7}, "for any device"}});
  check_block_shapes<float>(Precision::Tf32, {{{16, 8}, "blocks of 16 x 8 on tensor cores, in tf32"},
                                              {{8, 8}, "blocks of 8 x 8 on tensor cores, in tf32"},
                                              {{8, 4}, "for any device, in native precision"},
                                              {{16, 16}, "for any device, in native precision"}});
  check_block_shapes<float>(Precision::Fp16, {{{16, 16}, "blocks of 16 x 16 on tensor cores, in fp16"},
                                              {{16, 8}, "blocks of 16 x 8 on tensor cores, in tf32"},
                                              {{3, 16}, "for any device, in native precision"}});
  check_block_shapes<double>(Precision::Fp16, {{{8, 8}, "blocks of 8 x 8 on tensor cores, in native precision"},
                                               {{16, 16}, "for any device, in native precision"}});
}

TEST_F(CudaKernels, GroupsOfAnySize) {
  const UserMatrix<Exec, double, int> A(uneven_windows());
  for (const auto& [f, g] : {std::pair(1, 4), std::pair(2, 1), std::pair(4, 1), std::pair(8, 1), std::pair(3, 2)}) {
    auto options = for_columns(32);
    options.format = Format::BlockRowPartition;
    options.parameters.brp_nonzeros_per_column = f;
    options.parameters.brp_tiles_per_group = g;
    auto plan = A.plan(options);
    EXPECT_EQ(kernels_of(plan), f == 8 || f == 3 ? "for any device" : kernel_of<double>(Format::BlockRowPartition))
        << f;
    expect_cases<double>(A, plan, Precision::Native, "f = " + std::to_string(f));
  }
}

TEST_F(CudaKernels, StagedWindowsInPiecesOfAnyLength) {
  const UserMatrix<Exec, double, int> A(uneven_windows());
  for (const auto& [values, chunks] : {std::pair(0, 1), std::pair(100, 3), std::pair(4096, 1000)}) {
    auto options = for_columns(32);
    options.format = Format::Staged;
    options.parameters.staged_chunk_values = values;
    options.parameters.staged_piece_chunks = chunks;
    auto plan = A.plan(options);
    EXPECT_NE(kernels_of(plan).find(kernel_of<double>(Format::Staged)), std::string::npos) << kernels_of(plan);
    expect_cases<double>(A, plan, Precision::Native, "pieces of " + std::to_string(chunks));
  }
}

TEST_F(CudaKernels, SortedColumnsOfAnyWidth) {
  const UserMatrix<Exec, double, int> A(uneven_rows());
  for (const int width : {1, 32, 256, 300, 1024}) {  // 256: groups are the sets of the format
    auto options = for_columns(32);
    options.format = Format::SortedColumns;
    options.parameters.sorted_columns_width = width;
    auto plan = A.plan(options);
    EXPECT_EQ(kernels_of(plan), kernel_of<double>(Format::SortedColumns));
    expect_product<Right<double>>(A, plan, 40, Mode::NoTranspose, 1.5, 0.5, "width " + std::to_string(width), false);
    expect_columns_alone<Left<double>>(plan, "width " + std::to_string(width));
  }
}

/// The rows of a square matrix of windows that share columns, far from each other.
HostPattern<int> scattered_windows() {
  const auto pattern = shared_windows(12);
  HostPattern<int> A;
  A.columns = pattern.columns;
  for (const int row : shuffled(pattern.rows, 3)) {
    for (int k = pattern.row_offsets[row]; k < pattern.row_offsets[row + 1]; ++k)
      A.column_indices.push_back(pattern.column_indices[k]);
    A.end_row();
  }
  return A;
}

template <class Scalar>
void check_orders(Precision asked) {
  const UserMatrix<Exec, Scalar, int> A(scattered_windows());
  for (const Format format : {Format::Csr, Format::BitTcf, Format::Bmat, Format::BlockRowPartition, Format::Bcsr}) {
    for (const Reordering reordering :
         {Reordering::DataAffinity, Reordering::WindowGrowing, Reordering::JaccardRows, Reordering::ColumnSort}) {
      if (reordering == Reordering::ColumnSort && format != Format::Bcsr) continue;
      auto options = for_columns(32, asked);
      options.format = format;
      options.reordering = reordering;
      options.always_reorder = true;
      auto plan = A.plan(options);
      EXPECT_EQ(plan.choice().reordering, reordering) << plan.explain();
      const std::string what = kernels_of(plan) + ", " + std::string(to_string(reordering));
      EXPECT_EQ(what.find("any device"), std::string::npos) << what;
      for (const int columns : {1, 33, 100}) {
        for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) {
          const ProductCase c{columns, mode, 1.5, 0.5, precision_of<Scalar>(format, asked)};
          expect_case<Right<Scalar>>(A, plan, c, what);
          expect_case<Left<Scalar>>(A, plan, c, what);
        }
      }
    }
  }
}

TEST_F(CudaKernels, EveryOrderOfDouble) { check_orders<double>(Precision::Native); }
TEST_F(CudaKernels, EveryOrderOfFloat) { check_orders<float>(Precision::Tf32x3); }
TEST_F(CudaKernels, EveryOrderInHalf) { check_orders<float>(Precision::Fp16); }

// FP16 has an infinity for what is 65520 and more: such sums are those of FP32.
TEST_F(CudaKernels, WhatOverflowsFp16) {
  std::vector<float> values = random_values<float>(uneven_windows().nonzeros(), 1);
  for (std::size_t k = 0; k < values.size(); k += 501) values[k] = 1e5f;
  const UserMatrix<Exec, float, int> A(uneven_windows(), values);
  for (const Format format : {Format::BitTcf, Format::Bmat, Format::Bcsr}) {
    auto options = for_columns(32, Precision::Fp16);
    options.format = format;
    auto plan = A.plan(options);
    const ProductCase c{33, Mode::NoTranspose, 1, 0, Precision::Fp16, {{7, 1e6}}};
    expect_case<Right<float>>(A, plan, c, std::string(to_string(format)));
  }
}

constexpr Format published_formats[] = {Format::BitTcf, Format::Bmat, Format::BlockRowPartition, Format::Bcsr,
                                        Format::SortedColumns};

PlanOptions published(Format format, Precision precision = Precision::Native) {
  auto options = for_columns(32, precision);
  options.format = format;
  options.kernel = Kernel::Published;
  return options;
}

/// In which the kernel of a format's paper multiplies: none has operands of 16 bits but that for square blocks.
template <class Scalar>
Precision published_precision(Format format, Precision asked) {
  const bool is_condensed = format == Format::BitTcf || format == Format::Bmat;
  return precision_of<Scalar>(is_condensed ? Format::BlockRowPartition : format, asked);
}

template <class Scalar>
void check_every_published_kernel(const std::vector<Precision>& precisions) {
  const UserMatrix<Exec, Scalar, int> A(uneven_windows()), other(A.host, 79);
  for (const Precision asked : precisions) {
    for (const Format format : published_formats) {
      auto plan = A.plan(published(format, asked));
      const std::string what = kernels_of(plan);
      EXPECT_EQ(plan.format(), format);
      EXPECT_TRUE(what.starts_with("as published (" + std::string(paper_of(format)) + ")")) << what;
      EXPECT_GT(plan.kernel_bytes(), 0u) << what;
      check_plan(A, other, plan, published_precision<Scalar>(format, asked), what);
    }
  }
}

TEST_F(CudaKernels, EveryPublishedKernelOfDouble) {
  check_every_published_kernel<double>({Precision::Native, Precision::Bf16});
}

TEST_F(CudaKernels, EveryPublishedKernelOfFloat) {
  check_every_published_kernel<float>({Precision::Tf32x3, Precision::Tf32, Precision::Bf16, Precision::Fp16});
}

TEST_F(CudaKernels, PublishedKernelsAreOthers) {
  const UserMatrix<Exec, double, int> A(uneven_windows());
  EXPECT_NE(kernels_of(A.plan(published(Format::BitTcf))).find("a pipeline of tiles of 8 rows"), std::string::npos);
  EXPECT_NE(kernels_of(A.plan(published(Format::Bmat))).find("producer and consumer warps"), std::string::npos);
}

TEST_F(CudaKernels, PublishedKernelsOfLongWindows) {
  const UserMatrix<Exec, double, int> A(uneven_rows());
  for (const Format format : published_formats) {
    auto plan = A.plan(published(format));
    expect_products<double>(A, plan, kernels_of(plan), 1);
  }
}

TEST_F(CudaKernels, PublishedKernelsWithOffsetsOf64Bits) {
  HostPattern<std::size_t> wide;
  const auto narrow = uneven_windows();
  wide.columns = narrow.columns;
  for (int row = 0; row < narrow.rows; ++row) {
    for (int k = narrow.row_offsets[row]; k < narrow.row_offsets[row + 1]; ++k)
      wide.column_indices.push_back(narrow.column_indices[k]);
    wide.end_row();
  }
  const UserMatrix<Exec, double, std::size_t> doubles(wide);
  const UserMatrix<Exec, float, std::size_t> floats(wide);
  for (const Format format : published_formats) {
    auto plan = doubles.plan(published(format));
    expect_product<Right<double>>(doubles, plan, 33, Mode::NoTranspose, 1.5, 0.5, kernels_of(plan));
    expect_product<Left<double>>(doubles, plan, 70, Mode::Transpose, 1.5, 0.5, kernels_of(plan));
    auto other = floats.plan(published(format, Precision::Tf32x3));
    expect_product<Right<float>>(floats, other, 33, Mode::NoTranspose, 1.5, 0.5, kernels_of(other), true, 2);
  }
}

TEST_F(CudaKernels, PublishedKernelsInAnotherOrder) {
  const UserMatrix<Exec, double, int> A(scattered_windows());
  for (const Format format : {Format::BitTcf, Format::Bmat, Format::BlockRowPartition, Format::Bcsr}) {
    auto options = published(format);
    options.reordering = Reordering::WindowGrowing;
    options.always_reorder = true;
    auto plan = A.plan(options);
    EXPECT_EQ(plan.choice().reordering, Reordering::WindowGrowing) << plan.explain();
    for (const int columns : {1, 33, 100}) {
      for (const Mode mode : {Mode::NoTranspose, Mode::Transpose})
        expect_case<Right<double>>(A, plan, {columns, mode, 1.5, 0.5}, kernels_of(plan));
    }
  }
}

/// By portable code, in double.
TEST_F(CudaKernels, PublishedKernelsAndVectorsOfDouble) {
  const UserMatrix<Exec, float, int> A(uneven_windows());
  for (const Format format : published_formats) {
    auto plan = A.plan(published(format, Precision::Tf32));
    EXPECT_NE(kernels_of(plan).find("vectors of double for any device"), std::string::npos) << kernels_of(plan);
    expect_cases<double>(A, plan, Precision::Native, kernels_of(plan));
  }
}

TEST_F(CudaKernels, AnAutomaticFormatOfPublishedKernelsIsOneOfFive) {
  const UserMatrix<Exec, double, int> A(uneven_windows());
  auto plan = A.plan(published(Format::Automatic));
  EXPECT_EQ(plan.choice().candidates.size(), std::size(published_formats)) << plan.explain();
  EXPECT_TRUE(kernels_of(plan).starts_with("as published (")) << plan.explain();
  auto options = published(Format::Automatic);
  options.tuning = Tuning::Measure;
  const auto measured = A.plan(options);  // a loop would not keep a temporary
  for (const Candidate& candidate : measured.choice().candidates)
    EXPECT_GT(candidate.measured_seconds, 0) << to_string(candidate.format);
}

TEST_F(CudaKernels, WhatHasNoPublishedKernelIsRefusedOrFallsBack) {
  const auto message = [](const auto& A, const PlanOptions& options) {
    return message_of<std::invalid_argument>([&] { A.plan(options); });
  };
  const UserMatrix<Exec, double, int> doubles(uneven_windows());
  EXPECT_NE(message(doubles, published(Format::Csr)).find("csr is from no paper"), std::string::npos);
  auto blocks = published(Format::Bcsr);
  blocks.parameters.bcsr_block_rows = 5;
  blocks.parameters.bcsr_block_columns = 7;
  EXPECT_NE(message(doubles, blocks).find("blocks of 5 x 7"), std::string::npos);
  auto groups = published(Format::BlockRowPartition);
  groups.parameters.brp_nonzeros_per_column = 8;
  EXPECT_NE(message(doubles, groups).find("brp has 8 nonzeros a local column"), std::string::npos);
  const UserMatrix<Exec, float, int> floats(uneven_windows());
  EXPECT_NE(message(floats, published(Format::Bmat)).find("floats in native precision"), std::string::npos);
  EXPECT_EQ(floats.plan(published(Format::Automatic)).format(), Format::SortedColumns);
  const UserMatrix<Exec, Complex<double>, int> complexes(uneven_windows());
  EXPECT_NE(message(complexes, published(Format::Automatic)).find("the matrix is complex"), std::string::npos);
  blocks.on_unsupported = OnUnsupported::FallBack;
  const auto plan = doubles.plan(blocks);
  EXPECT_EQ(kernels_of(plan), "for any device");
  EXPECT_NE(plan.explain().find("note: a published kernel was asked for"), std::string::npos) << plan.explain();
}

/// Turned blocks of 16 x 8 are blocks of 8 x 16, for which there is no kernel.
TEST_F(CudaKernels, ATransposeWithoutPublishedKernelIsRefused) {
  const UserMatrix<Exec, double, int> A(uneven_windows());
  auto options = published(Format::Bcsr);
  options.parameters.bcsr_block_rows = 16;
  options.parameters.bcsr_block_columns = 8;
  auto plan = A.plan(options);
  EXPECT_NE(message_of<std::invalid_argument>([&] { plan.prepare(Exec(), 3, Mode::Transpose); }).find("8 x 16"),
            std::string::npos);
}

TEST_F(CudaKernels, NoEntries) {
  HostPattern<int> empty;
  empty.columns = 30;
  for (int row = 0; row < 20; ++row) empty.end_row();
  const UserMatrix<Exec, float, int> A(empty);
  for (const Precision asked : {Precision::Native, Precision::Tf32, Precision::Fp16}) {
    for (const Format format : every_format) {
      auto options = for_columns(32, asked);
      options.format = format;
      auto plan = A.plan(options);
      for (const Mode mode : {Mode::NoTranspose, Mode::Transpose})
        expect_case<Right<float>>(A, plan, {33, mode, 1, 0.5, Precision::Native}, std::string(to_string(format)));
    }
  }
}

TEST_F(CudaKernels, RefusedPrecisionsNameThoseThatThereAre) {
  const auto message = [](const auto& A, Precision precision) {
    return message_of<std::invalid_argument>([&] { A.plan(for_columns(32, precision)); });
  };
  const UserMatrix<Exec, double, int> doubles(uneven_windows());
  EXPECT_NE(message(doubles, Precision::Tf32).find("expected native, bf16, fp16, or on_unsupported"),
            std::string::npos);
  const UserMatrix<Exec, float, int> floats(uneven_windows());
  EXPECT_NE(message(floats, Precision::Single).find("expected native, tf32x3, tf32, bf16, fp16, or on_unsupported"),
            std::string::npos);
  const UserMatrix<Exec, Complex<double>, int> complexes(uneven_windows());
  EXPECT_NE(message(complexes, Precision::Fp16).find("expected native, or on_unsupported"), std::string::npos);
}

template <class Scalar>
std::size_t csr_workspace_bytes_of(int columns) {
  const UserMatrix<Exec, Scalar, int> A(uneven_windows());
  auto plan = A.plan(with_format(Format::Csr));
  return plan.prepare(Exec(), columns, Mode::NoTranspose).bytes();
}

/// Also for vectors of doubles, which are multiplied fewer at a time.
TEST_F(CudaKernels, WorkspacesOfFloatsAreHalfAsLarge) {
  for (const int columns : {32, 128, 200}) {
    EXPECT_EQ(2 * csr_workspace_bytes_of<float>(columns), csr_workspace_bytes_of<double>(columns)) << columns;
  }
}

template <class Scalar>
void expect_no_waiting(Precision asked) {
  const UserMatrix<Exec, Scalar, int> A(uneven_windows());
  const Exec exec;
  for (const Format format : every_format) {
    auto options = for_columns(32, asked);
    options.format = format;
    auto plan = A.plan(options);
    auto work = plan.prepare(exec, 130, Mode::NoTranspose);
    const Left<Scalar> x("x", A.host.columns, 130), y("y", A.host.rows, 130);
    exec.fence();
    const ToolEvents events;
    spmm(exec, plan, work, Mode::NoTranspose, Scalar(1), x, Scalar(0), y);
    EXPECT_EQ(events.executions(), 1u);
    EXPECT_EQ(events.allocations(), 0u) << events.text();
    // Kokkos waits before it tells a tool of a kernel.
    EXPECT_EQ(events.fences(""), events.fences("Kokkos::Tools::")) << to_string(format) << '\n' << events.text();
  }
}

TEST_F(CudaKernels, ProductsAllocateNothingAndDoNotWait) {
  expect_no_waiting<double>(Precision::Native);
  expect_no_waiting<float>(Precision::Tf32);
  expect_no_waiting<float>(Precision::Bf16);
}

}  // namespace Tessera::Test

#endif
