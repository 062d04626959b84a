// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans that follow the caller's values without being notified of changes.
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tessera/spmm/impl/PlanInternals.hpp>

#include "PlanCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

template <class T>
class FollowTest : public ::testing::Test {
 public:
  using Exec = typename T::ExecutionSpace;
  using M = typename T::MatrixScalar;
  using Offset = typename T::Offset;
  using Matrix = UserMatrix<Exec, M, Offset>;
  using View = Kokkos::View<user_scalar_t<typename T::VectorScalar>**, Kokkos::LayoutLeft, typename Exec::memory_space>;

  /// Writes the values of A in place without notifying a plan. Returns the matrix that A has become.
  static Matrix edited(const Matrix& A, const std::vector<M>& values) {
    Kokkos::deep_copy(A.values, user_values<Exec>(values));
    return Matrix(A.host, values);
  }
  static Matrix edited(const Matrix& A, std::size_t place, M value) {
    std::vector<M> values = A.host_values;
    values[place] = value;
    return edited(A, values);
  }
};
TYPED_TEST_SUITE(FollowTest, UserProductCases);

TYPED_TEST(FollowTest, ProductsSeeEachEditInPlace) {
  using Exec = typename TestFixture::Exec;
  using M = typename TestFixture::M;
  using Matrix = typename TestFixture::Matrix;
  using Offset = typename TestFixture::Offset;
  const auto sorted = random_pattern<Offset>(41, 37, 0.2, 1), unsorted = unsorted_pattern<Offset>(41, 37, 9, 2);
  for (const auto& pattern : {sorted, unsorted}) {
    for (const Format format : every_format) {
      const Matrix A(pattern, 3);
      auto plan = A.plan(with_format(format));
      plan.prepare(Exec(), 4, Mode::Transpose);
      const auto expect = [&](const Matrix& B, const std::string& what) {
        for (const Mode mode : {Mode::NoTranspose, Mode::Transpose, Mode::NoTranspose}) {
          plan.follow_values(Exec(), A.values, mode);
          expect_product<typename TestFixture::View>(B, plan, 4, mode, 1, 0,
                                                     std::string(to_string(format)) + ", " + what);
        }
      };
      expect(A, "before");
      expect(A, "unchanged");
      const std::size_t last = A.host_values.size() - 1;
      for (const std::size_t place : {std::size_t(0), last / 2, last})
        expect(this->edited(A, place, M(7)), "one value changed");
      expect(this->edited(A, A.host_values), "changed back");
      expect(this->edited(A, random_values<M>(last + 1, 9)), "all changed");
    }
  }
}

/// The choice adds the cost of checking values for changes, except for CSR, or if all formats pay this cost.
TYPED_TEST(FollowTest, TheChoiceCountsALook) {
  using Matrix = typename TestFixture::Matrix;
  using Offset = typename TestFixture::Offset;
  const auto sorted = random_pattern<Offset>(41, 37, 0.2, 1), unsorted = unsorted_pattern<Offset>(41, 37, 9, 2);
  for (const bool is_sorted : {true, false}) {
    const Matrix A(is_sorted ? sorted : unsorted, 3);
    PlanOptions options;
    options.reordering = Reordering::ColumnSort;  // sorts nothing, but the plan is analysed
    const auto trusting = A.plan(options);
    options.hints.follow_values = true;
    const auto following = A.plan(options);
    for (const Candidate& before : Impl::choice_of(trusting).candidates) {
      for (const Candidate& after : Impl::choice_of(following).candidates) {
        if (after.format != before.format) continue;
        const bool is_in_place = after.format == Format::Csr || after.format == Format::CompactRows;
        const bool costs = is_sorted && !is_in_place;
        EXPECT_EQ(after.predicted_seconds > before.predicted_seconds, costs) << to_string(after.format);
      }
    }
  }
}

/// Values swap places, which does not change their sum.
TYPED_TEST(FollowTest, ProductsSeeWhatASumDoesNot) {
  using Exec = typename TestFixture::Exec;
  using Matrix = typename TestFixture::Matrix;
  for (const Format format : every_format) {
    const Matrix A(random_pattern<typename TestFixture::Offset>(64, 64, 0.3, 1), 3);
    auto plan = A.plan(with_format(format));
    plan.follow_values(Exec(), A.values);
    auto values = A.host_values;
    for (std::size_t i = 0; i + 4 < values.size(); i += 5) std::swap(values[i], values[i + 4]);
    const Matrix swapped = this->edited(A, values);
    plan.follow_values(Exec(), A.values);
    expect_product<typename TestFixture::View>(swapped, plan, 3, Mode::NoTranspose, 1, 0, "swapped");
  }
}

/// Values move to other memory, also with the alignment of a single element.
TYPED_TEST(FollowTest, ValuesMayMove) {
  using Exec = typename TestFixture::Exec;
  using M = typename TestFixture::M;
  using Matrix = typename TestFixture::Matrix;
  const auto pattern = random_pattern<typename TestFixture::Offset>(50, 60, 0.2, 4);
  for (const Format format : every_format) {
    const Matrix A(pattern, 3);
    auto plan = A.plan(with_format(format));
    for (const std::uint64_t seed : {11, 12, 11}) {
      const Matrix B(pattern, seed);
      const auto size = B.values.extent(0);
      const UserValues<Exec, M> memory("memory", size + 3);
      for (const std::size_t offset : {0, 1, 2, 3}) {
        const auto values = Kokkos::subview(memory, std::make_pair(offset, offset + size));
        Kokkos::deep_copy(values, B.values);
        plan.follow_values(Exec(), values);
        expect_product<typename TestFixture::View>(B, plan, 3, Mode::NoTranspose, 1, 0, "moved");
      }
    }
  }
}

/// The last call of update_values() or follow_values() determines the values.
TYPED_TEST(FollowTest, UpdatesComeBetween) {
  using Exec = typename TestFixture::Exec;
  using Matrix = typename TestFixture::Matrix;
  const auto pattern = random_pattern<typename TestFixture::Offset>(41, 37, 0.2, 1);
  for (const Format format : every_format) {
    const Matrix A(pattern, 3), B(pattern, 4);
    auto plan = A.plan(with_format(format));
    const auto expect = [&](const Matrix& expected, const std::string& what) {
      expect_product<typename TestFixture::View>(expected, plan, 2, Mode::NoTranspose, 1, 0,
                                                 std::string(to_string(format)) + ", " + what);
    };
    plan.follow_values(Exec(), A.values);
    expect(A, "followed");
    plan.update_values(Exec(), B.values);
    expect(B, "updated");
    plan.follow_values(Exec(), A.values);
    expect(A, "followed again, unchanged since");
    plan.prepare(Exec(), 2, Mode::Transpose);
    plan.follow_values(Exec(), A.values, Mode::Transpose);
    expect_product<typename TestFixture::View>(A, plan, 2, Mode::Transpose, 1, 0, "transpose");
    plan.follow_values(Exec(), B.values);
    expect(B, "followed elsewhere");
    plan.release_source(Exec());  // from here on the plan has its own values
    Kokkos::deep_copy(B.values, user_scalar_t<typename TestFixture::M>(0));
    expect(B, "released");
    EXPECT_THROW(plan.follow_values(Exec(), A.values), std::logic_error);
  }
}

TYPED_TEST(FollowTest, RejectsOtherNumbersOfValues) {
  using Exec = typename TestFixture::Exec;
  const typename TestFixture::Matrix A(random_pattern<typename TestFixture::Offset>(9, 9, 0.5, 1), 3);
  auto plan = A.plan({});
  const UserValues<Exec, typename TestFixture::M> more("more", A.values.extent(0) + 1);
  EXPECT_THROW(plan.follow_values(Exec(), more), std::invalid_argument);
  expect_product<typename TestFixture::View>(A, plan, 2, Mode::NoTranspose, 1, 0, "as before");
}

/// Following values for a transposed mode is rejected in every format if the plan has no transpose.
TYPED_TEST(FollowTest, RejectsATransposeThatIsNotThere) {
  using Exec = typename TestFixture::Exec;
  using Matrix = typename TestFixture::Matrix;
  const auto pattern = random_pattern<typename TestFixture::Offset>(9, 7, 0.5, 1);
  for (const Format format : every_format) {
    const Matrix A(pattern, 3), B(pattern, 4);
    auto plan = A.plan(with_format(format));
    for (const Mode mode : {Mode::Transpose, Mode::ConjugateTranspose}) {
      EXPECT_MESSAGE(std::logic_error, plan.follow_values(Exec(), B.values, mode),
                     "follow_values: the mode is " + std::string(to_string(mode)) + ", and the plan has no transpose");
    }
    plan.prepare(Exec(), 2, Mode::Transpose);
    expect_product<typename TestFixture::View>(A, plan, 2, Mode::Transpose, 1, 0, "as before");
    plan.follow_values(Exec(), B.values, Mode::Transpose);
    expect_product<typename TestFixture::View>(B, plan, 2, Mode::Transpose, 1, 0, "followed");
  }
  auto empty = Matrix(random_pattern<typename TestFixture::Offset>(9, 7, 0.0, 1), 3).plan({});
  EXPECT_THROW(empty.follow_values(Exec(), UserValues<Exec, typename TestFixture::M>(), Mode::Transpose),
               std::logic_error);
}

TYPED_TEST(FollowTest, AMatrixWithoutEntries) {
  using Exec = typename TestFixture::Exec;
  const typename TestFixture::Matrix A(random_pattern<typename TestFixture::Offset>(9, 7, 0.0, 1), 3);
  auto plan = A.plan({});
  plan.follow_values(Exec(), A.values);
  expect_product<typename TestFixture::View>(A, plan, 2, Mode::NoTranspose, 1, 0.5, "empty");
}

}  // namespace Tessera::Impl::Test
