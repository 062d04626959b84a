// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the kernels for NVIDIA GPUs a plan takes, and that each multiplies as plans promise. Nothing, where Kokkos
// has no CUDA.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <tuple>

#include "PlanCheck.hpp"

#ifdef KOKKOS_ENABLE_CUDA
#include "cuda/CudaSchedule.hpp"

namespace Tessera::Test {

using Exec = Kokkos::Cuda;
template <class Scalar>
using Left = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Exec::memory_space>;
template <class Scalar>
using Right = Kokkos::View<Scalar**, Kokkos::LayoutRight, Exec::memory_space>;
template <class Scalar>
using Strided = Kokkos::View<Scalar**, Kokkos::LayoutStride, Exec::memory_space>;

/// Windows of 64 rows, each with entries in the same 128 columns, one in six: staged windows fetch eight times less.
HostPattern<int> shared_windows(int windows) {
  Random random(3);
  HostPattern<int> A;
  A.columns = 64 * windows;
  for (int row = 0; row < 64 * windows; ++row) {
    const int first = std::min(row / 64 * 64, A.columns - 128);
    for (int j = first; j < first + 128; ++j)
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

/// Both layouts, rows that are not aligned, as it is and turned, wide and narrow.
template <class Scalar, class Matrix, class Plan>
void expect_products(const Matrix& A, Plan& plan, const std::string& what, double bounds) {
  for (const int columns : {1, 8, 31, 32, 33, 64, 128, 200, 512}) {
    expect_product<Right<Scalar>>(A, plan, columns, Mode::NoTranspose, 1.5, 0, what + ", right", false, bounds);
    expect_product<Left<Scalar>>(A, plan, columns, Mode::NoTranspose, 1.5, 0.5, what + ", left", false, bounds);
    expect_same_bits<Right<Scalar>>(plan, columns, what + ", right");
    expect_same_bits<Left<Scalar>>(plan, columns, what + ", left");
  }
  expect_product<Right<Scalar>>(A, plan, 32, Mode::Transpose, -1, 0.5, what, false, bounds);
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

TEST_F(CudaKernels, NoStagedWindowsWhereMemoryIsShort) {
  const UserMatrix<Exec, double, int> A(shared_windows(300));
  auto options = for_columns(32);
  options.format = Format::BitTcf;
  options.parameters.memory_limit = 1;
  auto plan = A.plan(options);
  EXPECT_EQ(plan.explain().find("staged"), std::string::npos) << plan.explain();
  expect_products<double>(A, plan, "not staged", 1);
}

TEST_F(CudaKernels, LongWindowsInPieces) {
  HostPattern<int> pattern = random_pattern<int>(300, 2000, 0.4, 11, 7);
  for (int row = 0; row < 400; ++row) {  // and many short ones
    pattern.column_indices.push_back(5 * row);
    pattern.end_row();
  }
  const UserMatrix<Exec, double, int> A(pattern);
  for (const Format format : {Format::BitTcf, Format::Bmat}) {
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
      const auto made = Impl::cuda_schedule(Exec(), to_device<Exec>(offsets), piece_tiles);
      const auto expected = Cuda::build_condensed_schedule(offsets.data(), windows, piece_tiles);
      const auto items = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), made.items);
      const auto sums = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), made.sums);
      ASSERT_EQ(items.extent(0), expected.items.size());
      ASSERT_EQ(sums.extent(0), expected.sums.size());
      EXPECT_EQ(made.slots, expected.slots);
      for (std::size_t i = 0; i < items.extent(0); ++i) {
        const auto &a = items(i), &b = expected.items[i];
        EXPECT_EQ(std::tie(a.first_tile, a.tiles, a.window, a.slot), std::tie(b.first_tile, b.tiles, b.window, b.slot));
      }
      for (std::size_t i = 0; i < sums.extent(0); ++i) {
        const auto &a = sums(i), &b = expected.sums[i];
        EXPECT_EQ(std::tie(a.window, a.first_slot, a.slots), std::tie(b.window, b.first_slot, b.slots));
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
  for (const Format format : {Format::Csr, Format::BitTcf, Format::Bmat}) {
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
  options.parameters.memory_limit = 1;
  auto plan = A.plan(options);
  EXPECT_NE(plan.explain().find("for want of memory"), std::string::npos) << plan.explain();
  expect_products<double>(A, plan, "compact", 1);
}

TEST_F(CudaKernels, ViewsOfAnyStrides) {
  const UserMatrix<Exec, double, int> A(shared_windows(300));
  for (const Format format : {Format::Automatic, Format::BitTcf, Format::Bmat, Format::Csr}) {
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

}  // namespace Tessera::Test

#endif
