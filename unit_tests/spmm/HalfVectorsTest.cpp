// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// X and Y with 16-bit elements, on the default device.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <sstream>
#include <tessera/PlanFile.hpp>
#include <tessera/spmm/impl/PlanInternals.hpp>
#include <type_traits>

#include "PlanCheck.hpp"
#include "TestFiles.hpp"
#include "TestTypes.hpp"
#include "WidenedProduct.hpp"

namespace Tessera::Impl::Test {

#ifndef TESSERA_WITHOUT_FLOAT

using Space = Kokkos::DefaultExecutionSpace;
using Memory = Space::memory_space;
using FloatMatrix = UserMatrix<Space, float, int>;

// --- the numbers

/// Returns the value of a 16-bit pattern, by the definition of the format.
template <class Element>
double meaning(unsigned bits) {
  constexpr int fraction_bits = std::is_same_v<Element, Half> ? 10 : 7;
  constexpr int bias = std::is_same_v<Element, Half> ? 15 : 127;
  const int exponent = static_cast<int>(bits >> fraction_bits & ((1u << (15 - fraction_bits)) - 1));
  const auto fraction = static_cast<double>(bits & ((1u << fraction_bits) - 1));
  const double sign = (bits & 0x8000u) != 0 ? -1 : 1;
  if (exponent == 2 * bias + 1)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  const double significand = fraction / (1u << fraction_bits) + (exponent == 0 ? 0 : 1);
  return sign * std::ldexp(significand, std::max(exponent, 1) - bias);
}

template <class Element>
class HalfTest : public ::testing::Test {};
using HalfElements = ::testing::Types<Half, BFloat16>;
TYPED_TEST_SUITE(HalfTest, HalfElements);

template <class Element>
Element of_bits(unsigned bits) {
  return std::bit_cast<Element>(static_cast<std::uint16_t>(bits));
}

TYPED_TEST(HalfTest, EveryNumberIsWidenedExactlyAndRoundedToItself) {
  for (unsigned bits = 0; bits < 0x10000u; ++bits) {
    const float wide = of_bits<TypeParam>(bits);
    const double expected = meaning<TypeParam>(bits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(wide)) << bits;
      EXPECT_TRUE(std::isnan(float(TypeParam(wide)))) << bits;
    } else {
      ASSERT_EQ(double(wide), expected) << bits;
      ASSERT_EQ(std::signbit(wide), (bits & 0x8000u) != 0) << bits;
      ASSERT_EQ(TypeParam(wide).bits, bits);
    }
  }
}

TYPED_TEST(HalfTest, NumbersBetweenAreRoundedToTheNearestAndTiesToEven) {
  constexpr unsigned infinite = std::is_same_v<TypeParam, Half> ? 0x7c00u : 0x7f80u;
  for (unsigned bits = 0; bits < infinite; ++bits) {
    const double low = meaning<TypeParam>(bits);
    // The successor of the largest number, as if there were no infinity. Values from the midpoint on become infinite.
    const double high = bits + 1 < infinite ? meaning<TypeParam>(bits + 1) : 2 * low - meaning<TypeParam>(bits - 1);
    const auto middle = static_cast<float>(low + (high - low) / 2);
    const unsigned even = bits % 2 == 0 ? bits : bits + 1;
    for (const float sign : {1.f, -1.f}) {
      const unsigned sign_bit = sign < 0 ? 0x8000u : 0u;
      ASSERT_EQ(TypeParam(sign * middle).bits, even | sign_bit) << bits;
      ASSERT_EQ(TypeParam(sign * std::nextafter(middle, 0.f)).bits, bits | sign_bit) << bits;
      ASSERT_EQ(TypeParam(sign * std::nextafter(middle, HUGE_VALF)).bits, (bits + 1) | sign_bit) << bits;
    }
  }
  EXPECT_EQ(TypeParam(HUGE_VALF).bits, infinite);
}

// --- products

/// The types of a user's Views.
template <class Element>
using UserTypes = std::conditional_t<
    std::is_same_v<Element, Half>,
    std::conditional_t<sizeof(Kokkos::Experimental::half_t) == 2, Kokkos::Experimental::half_t, Half>,
    std::conditional_t<sizeof(Kokkos::Experimental::bhalf_t) == 2, Kokkos::Experimental::bhalf_t, BFloat16>>;

/// The error that a 16-bit precision may add to an element, in units of the sum of magnitudes.
double operand_error(Precision precision) {
  return precision == Precision::Fp16 ? 3 * 0x1p-11 : precision == Precision::Bf16 ? 3 * 0x1p-8 : 0;
}

/// A 16-bit product on some columns of larger blocks, compared with a product in double.
template <class User, class Layout>
struct HalfProduct {
  using Element = Impl::kernel_scalar_t<User>;
  using View = Kokkos::View<User**, Layout, Memory>;

  const FloatMatrix& A;
  int columns;
  Mode mode = Mode::NoTranspose;
  float alpha = 1, beta = 0;
  int skipped = 0;  // columns of the block before the first column of X and of Y
  Precision precision = Precision::Native;

  template <class PlanType>
  void expect_right(PlanType& plan, const std::string& what) const {
    const bool is_transposed_mode = is_transposed(mode);
    const int x_rows = is_transposed_mode ? A.host.rows : A.host.columns;
    const int y_rows = is_transposed_mode ? A.host.columns : A.host.rows;
    const View x_block("x", x_rows, columns + skipped + 1), y_block("y", y_rows, columns + skipped + 1);
    const auto x_host = random(x_block, 5);
    auto y_host = random(y_block, beta != 0 ? 6 : 0);
    const auto y_before = copy_of(y_host);
    const auto part = std::make_pair(skipped, skipped + columns);
    const auto x = Kokkos::subview(x_block, Kokkos::ALL, part), y = Kokkos::subview(y_block, Kokkos::ALL, part);
    const Space exec;
    auto work = plan.prepare(exec, columns, mode);
    spmm(exec, plan, work, mode, alpha, x, beta, y);
    exec.fence();
    Kokkos::deep_copy(y_host, y_block);

    for (int j = 0; j < columns + skipped + 1; ++j) {
      if (j < skipped || j >= skipped + columns) {
        for (int i = 0; i < y_rows; ++i) ASSERT_EQ(bits(y_host(i, j)), bits(y_before(i, j))) << what << ": gaps";
        continue;
      }
      std::vector<double> sums(y_rows, 0.0), sizes(y_rows, 0.0), counts(y_rows, 0.0);
      for (int i = 0; i < A.stored.rows; ++i) {
        for (int k = A.stored.row_offsets[i]; k < A.stored.row_offsets[i + 1]; ++k) {
          const int c = A.stored.column_indices[k], to = is_transposed_mode ? c : i;
          const double term = double(A.stored_values[k]) * number(x_host(is_transposed_mode ? i : c, j));
          sums[to] += term;
          sizes[to] += std::abs(term);
          counts[to] += 1;
        }
      }
      for (int i = 0; i < y_rows; ++i) {
        const double old = beta == 0 ? 0 : beta * number(y_before(i, j));
        const double expected = alpha * sums[i] + old, size = std::abs(alpha) * sizes[i] + std::abs(old);
        const double error = 2 * (counts[i] + 2) * 0x1p-24 * size + operand_error(precision) * size;
        const double unit = std::is_same_v<Element, Half> ? 0x1p-11 : 0x1p-8;
        const double rounding = unit * (std::abs(expected) + error) + 0x1p-25;
        ASSERT_LE(std::abs(number(y_host(i, j)) - expected), error + rounding)
            << what << ", mode " << to_string(mode) << ", " << columns << " columns, element " << i << ", " << j;
      }
    }
  }

 private:
  static double number(const User& value) { return double(float(std::bit_cast<Element>(value))); }
  static std::uint16_t bits(const User& value) { return std::bit_cast<std::uint16_t>(value); }

  /// Random elements, or NaN for seed 0, on the device and on the host.
  static auto random(const View& view, std::uint64_t seed) {
    auto host = Kokkos::create_mirror(view);
    Random numbers(seed);
    for (std::size_t i = 0; i < host.extent(0); ++i) {
      for (std::size_t j = 0; j < host.extent(1); ++j) {
        const float value = seed == 0 ? std::numeric_limits<float>::quiet_NaN() : numbers.scalar<float>();
        host(i, j) = std::bit_cast<User>(Element(value));
      }
    }
    Kokkos::deep_copy(view, host);
    return host;
  }
  template <class HostView>
  static HostView copy_of(const HostView& view) {
    HostView copy("copy", view.extent(0), view.extent(1));
    Kokkos::deep_copy(copy, view);
    return copy;
  }
};

PlanOptions for_halves(Format format) {
  PlanOptions options = with_format(format);
  options.half_vectors = true;
  return options;
}

template <class Element>
class HalfVectorsTest : public ::testing::Test {};
TYPED_TEST_SUITE(HalfVectorsTest, HalfElements);

TYPED_TEST(HalfVectorsTest, EveryFormatModeAndLayout) {
  using User = UserTypes<TypeParam>;
  const FloatMatrix A(random_pattern<int>(43, 29, 0.3, 3, 6));
  for (const Format format : every_format) {
    auto plan = A.plan(for_halves(format));
    for (const Mode mode : every_mode) {
      for (const int columns : {1, 2, 3, 4, 8, 13, 16, 32, 65, 136}) {
        const std::string what(to_string(format));
        HalfProduct<User, Kokkos::LayoutRight>{A, columns, mode, -2, 0.5}.expect_right(plan, what + ", right");
        HalfProduct<User, Kokkos::LayoutRight>{A, columns, mode, 1.5, 0, 7}.expect_right(plan, what + ", aligned");
        HalfProduct<User, Kokkos::LayoutLeft>{A, columns, mode, 1, 0, 1}.expect_right(plan, what + ", left");
      }
      HalfProduct<User, Kokkos::LayoutLeft>{A, 5, mode, 0, 0}.expect_right(plan, "alpha 0, beta 0");
      HalfProduct<User, Kokkos::LayoutRight>{A, 5, mode, 0, 2}.expect_right(plan, "alpha 0");
    }
  }
}

// Tests rows that a GPU cuts into pieces, and reordered rows.
TYPED_TEST(HalfVectorsTest, LongRowsAndOrders) {
  using User = UserTypes<TypeParam>;
  HostPattern<int> pattern;
  pattern.columns = 3000;
  for (int i = 0; i < 300; ++i) {
    for (int c = i % 7; c < pattern.columns; c += i % 50 == 0 ? 1 : 97) pattern.column_indices.push_back(c);
    pattern.end_row();
  }
  const FloatMatrix A(pattern);
  for (const Format format : {Format::Csr, Format::RowGroups, Format::BitTcf, Format::Bmat}) {
    for (const bool is_reordered : {false, true}) {
      PlanOptions options = for_halves(format);
      if (is_reordered) options.reordering = Reordering::JaccardRows, options.always_reorder = true;
      auto plan = A.plan(options);
      for (const int columns : {1, 3, 5, 8, 9, 16, 32, 40, 100, 128, 130}) {
        const std::string what = std::string(to_string(format)) + (is_reordered ? ", reordered" : "");
        HalfProduct<User, Kokkos::LayoutRight>{A, columns, Mode::NoTranspose, 1, 0}.expect_right(plan, what);
        HalfProduct<User, Kokkos::LayoutLeft>{A, columns, Mode::NoTranspose, 2, -1}.expect_right(plan, what);
      }
    }
  }
}

// Rows are whole aligned vectors, so 16-bit kernels read X in place.
TYPED_TEST(HalfVectorsTest, WholeRowsInPlaceInEveryPrecision) {
  using User = UserTypes<TypeParam>;
  using View = Kokkos::View<User**, Kokkos::LayoutRight, Memory>;
  const FloatMatrix A(random_pattern<int>(203, 177, 0.1, 3, 6));
  for (const Precision precision : every_precision) {
    for (const Format format : {Format::BitTcf, Format::Bmat, Format::Bcsr, Format::RowGroups, Format::Csr}) {
      PlanOptions options = for_halves(format);
      options.precision = precision;
      options.on_unsupported = OnUnsupported::FallBack;
      auto plan = A.plan(options);
      for (const int columns : {8, 32, 64, 96, 128, 264}) {
        const View X("X", 177, columns), Y("Y", 203, columns);
        auto x = Kokkos::create_mirror_view(X);
        auto y = Kokkos::create_mirror_view(Y);
        Random numbers(3);
        for (int i = 0; i < 177; ++i)
          for (int j = 0; j < columns; ++j) x(i, j) = std::bit_cast<User>(TypeParam(numbers.scalar<float>()));
        Kokkos::deep_copy(X, x);
        const Space exec;
        auto work = plan.prepare(exec, columns, Mode::NoTranspose);
        spmm(exec, plan, work, Mode::NoTranspose, 1, X, 0, Y);
        exec.fence();
        Kokkos::deep_copy(y, Y);
        for (int i = 0; i < 203; ++i) {
          for (int j = 0; j < columns; ++j) {
            double sum = 0, size = 0;
            for (int k = A.stored.row_offsets[i]; k < A.stored.row_offsets[i + 1]; ++k) {
              const double term =
                  double(A.stored_values[k]) * float(std::bit_cast<TypeParam>(x(A.stored.column_indices[k], j)));
              sum += term;
              size += std::abs(term);
            }
            const double u = std::is_same_v<TypeParam, Half> ? 0x1p-11 : 0x1p-8;
            const double operands = precision == Precision::Native || precision == Precision::Tf32x3 ? 1e-5
                                    : precision == Precision::Bf16                                   ? 3 * 0x1p-8
                                                                                                     : 3 * 0x1p-11;
            ASSERT_LE(std::abs(float(std::bit_cast<TypeParam>(y(i, j))) - sum),
                      (operands + u) * size + u * std::abs(sum) + 0x1p-24)
                << to_string(format) << ", " << to_string(precision) << ", " << columns << " columns: " << i << ", "
                << j;
          }
        }
      }
    }
  }
}

// An infinity in row j of X affects only rows of Y where A has an entry in column j. Values and sums that become
// infinite by rounding to 16 bits affect only their own rows.
TYPED_TEST(HalfVectorsTest, WhatIsNotFiniteStaysWhereItBelongs) {
  using User = UserTypes<TypeParam>;
  using View = Kokkos::View<User**, Kokkos::LayoutRight, Memory>;
  HostPattern<int> pattern;
  pattern.columns = 16;
  for (int i = 0; i < 16; ++i) {
    pattern.column_indices.push_back(i);
    pattern.end_row();
  }
  std::vector<float> values(16, 1);
  values[3] = 1e5f;  // overflows binary16
  const FloatMatrix A(pattern, values);
  for (const Precision precision : {Precision::Native, Precision::Fp16}) {
    for (const Format format : {Format::Csr, Format::RowGroups, Format::BitTcf, Format::Bmat}) {
      PlanOptions options = for_halves(format);
      options.precision = precision;
      options.on_unsupported = OnUnsupported::FallBack;
      auto plan = A.plan(options);
      const View X("X", 16, 32), Y("Y", 16, 32);
      auto x = Kokkos::create_mirror_view(X);
      auto y = Kokkos::create_mirror_view(Y);
      for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 32; ++j) x(i, j) = std::bit_cast<User>(TypeParam(i == 5 ? HUGE_VALF : 0.125f));
      Kokkos::deep_copy(X, x);
      const Space exec;
      auto work = plan.prepare(exec, 32, Mode::NoTranspose);
      spmm(exec, plan, work, Mode::NoTranspose, 1, X, 0, Y);
      exec.fence();
      Kokkos::deep_copy(y, Y);
      for (int i = 0; i < 16; ++i) {
        const float expected = TypeParam(i == 5 ? HUGE_VALF : i == 3 ? 12500.f : 0.125f);
        for (int j = 0; j < 32; ++j) {
          ASSERT_EQ(float(std::bit_cast<TypeParam>(y(i, j))), expected)
              << to_string(format) << ", " << to_string(precision) << ": " << i << ", " << j;
        }
      }
    }
  }
}

TEST(HalfVectorsErrorsTest, APlanMustExpectThem) {
  const FloatMatrix A(random_pattern<int>(9, 9, 0.5, 1));
  auto plan = A.plan({});
  const Space exec;
  auto work = plan.prepare(exec, 2, Mode::NoTranspose);
  const Kokkos::View<Half**, Memory> X("X", 9, 2), Y("Y", 9, 2);
  EXPECT_MESSAGE(std::invalid_argument, spmm(exec, plan, work, Mode::NoTranspose, 1, X, 0, Y),
                 "Tessera::spmm: X and Y have 16 bits; expected a plan with PlanOptions::half_vectors");
  EXPECT_MESSAGE(std::invalid_argument, spmm(exec, plan, work, Mode::NoTranspose, 1, X, 0, X), "same memory");
}

TEST(HalfVectorsErrorsTest, OnlyPlansOfFloatsMayExpectThem) {
#ifndef TESSERA_WITHOUT_DOUBLE
  const UserMatrix<Space, double, int> A(random_pattern<int>(9, 9, 0.5, 1));
  PlanOptions options;
  options.half_vectors = true;
  EXPECT_MESSAGE(std::invalid_argument, A.plan(options),
                 "Tessera::make_plan: options.half_vectors is true; expected a matrix of float for vectors of 16 bits");
#endif
}

TEST(HalfVectorsPlanTest, TheyAreSavedMeasuredAndNamed) {
  const FloatMatrix A(random_pattern<int>(60, 50, 0.2, 3, 6));
  PlanOptions options;
  options.half_vectors = true;
  options.tuning = Tuning::Measure;
  auto plan = A.plan(options);
  EXPECT_EQ(Impl::choice_of(plan).statistics.vector_bytes,
            (Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible ? 4 : 2));
  const TemporaryFolder folder;
  save_plan(Space(), plan, folder / "plan");
  auto loaded = load_plan<float>(Space(), folder / "plan");
  HalfProduct<UserTypes<Half>, Kokkos::LayoutRight>{A, 9, Mode::Transpose, 1, 2}.expect_right(loaded, "loaded");
  EXPECT_NE(plan.explain().find("vectors of 16 bits"), std::string::npos) << plan.explain();
}

// A plan with 16-bit vectors still multiplies float and double.
TEST(HalfVectorsPlanTest, OtherVectorsGoOn) {
  const FloatMatrix A(random_pattern<int>(60, 50, 0.2, 3, 6));
  for (const Format format : every_format) {
    auto plan = A.plan(for_halves(format));
    expect_product<Kokkos::View<float**, Kokkos::LayoutLeft, Memory>>(A, plan, 9, Mode::NoTranspose, 1, 2, "float");
#ifndef TESSERA_WITHOUT_DOUBLE
    expect_product<Kokkos::View<double**, Kokkos::LayoutRight, Memory>>(A, plan, 9, Mode::Transpose, 1, 0, "double");
#endif
  }
}

#endif  // TESSERA_WITHOUT_FLOAT

/// A column alone may be summed in another order.
TEST(WidenedPanels, DoNotLeaveOneOfSeveralColumns) {
  const auto widths = [](int columns) {
    const WidenedPanels panels(10, 10, columns);
    std::vector<int> all;
    for (int left = columns; left > 0; left -= all.back()) all.push_back(panels.next(left));
    return all;
  };
  EXPECT_EQ(widths(1), std::vector<int>({1}));
  EXPECT_EQ(widths(2), std::vector<int>({2}));
  EXPECT_EQ(widths(64), std::vector<int>({64}));
  EXPECT_EQ(widths(65), std::vector<int>({63, 2}));
  EXPECT_EQ(widths(129), std::vector<int>({64, 63, 2}));
}

}  // namespace Tessera::Impl::Test
