// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <limits>
#include <tessera/Batch.hpp>
#include <tessera/parallel/Teams.hpp>

#include "BatchCheck.hpp"
#include "PlanCheck.hpp"
#include "TestTypes.hpp"
#include "UserMatrix.hpp"

namespace Tessera::Impl::Test {

template <class T>
class BatchTest : public ::testing::Test {};
template <class Exec>
using BatchCasesOf =
    ::testing::Types<Case<Exec, float, float, int>, Case<Exec, double, double, int>,
                     Case<Exec, double, double, std::size_t>, Case<Exec, Complex<float>, Complex<float>, int>,
                     Case<Exec, Complex<double>, Complex<double>, std::size_t>>;
TYPED_TEST_SUITE(BatchTest, EverySpace<BatchCasesOf>::type);

template <class T>
using CheckOf = BatchCheck<typename T::ExecutionSpace, typename T::VectorScalar>;

template <class Exec, class Offset>
BatchPlan<Exec> plan_of(const HostPattern<Offset>& A) {
  return make_batch_plan(Exec(), A.rows, A.columns, to_device<Exec>(A.row_offsets), to_device<Exec>(A.column_indices));
}

/// Calls spmm_batch() with Views of any strides.
template <class Exec, class Scalar>
void multiply(const BatchPlan<Exec>& plan, Mode mode, BatchCheck<Exec, Scalar>& check) {
  using User = user_scalar_t<Scalar>;
  using Memory = typename Exec::memory_space;
  using Many = Kokkos::View<User***, Kokkos::LayoutStride, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const auto size = [](std::ptrdiff_t number) { return static_cast<std::size_t>(number); };
  const auto layout = [&](const auto& batch) {
    return Kokkos::LayoutStride(size(batch.count), size(batch.stride), size(batch.first.rows),
                                size(batch.first.row_stride), size(batch.first.columns),
                                size(batch.first.column_stride));
  };
  const auto user = [](auto* data) { return reinterpret_cast<User*>(const_cast<Scalar*>(data)); };
  const auto values = check.values();
  const auto x = check.x();
  const auto y = check.y();
  const Many X(user(x.first.data), layout(x)), Y(user(y.first.data), layout(y));
  const Kokkos::View<const User**, Kokkos::LayoutStride, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> A(
      user(values.data), Kokkos::LayoutStride(size(values.count), size(values.stride), values.entries, 1));
  const auto alpha = std::bit_cast<User>(check.alpha()), beta = std::bit_cast<User>(check.beta());
  const auto with_x = [&](const auto& own_values) {
    if (x.is_shared) {
      spmm_batch(Exec(), plan, mode, alpha, own_values, Kokkos::subview(X, 0, Kokkos::ALL, Kokkos::ALL), beta, Y);
    } else {
      spmm_batch(Exec(), plan, mode, alpha, own_values, X, beta, Y);
    }
  };
  if (values.is_shared) {
    with_x(Kokkos::subview(A, 0, Kokkos::ALL));
  } else {
    with_x(A);
  }
  Exec().fence();
}

TYPED_TEST(BatchTest, EveryModeAndLayout) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = random_pattern<typename TypeParam::Offset>(43, 29, 0.2, 3, 6);
  const auto plan = plan_of<Exec>(A);
  EXPECT_EQ(plan.rows(), 43);
  EXPECT_EQ(plan.columns(), 29);
  EXPECT_EQ(plan.entries(), A.nonzeros());
  for (const Mode mode : every_mode) {
    for (const int columns : {1, 2, 8, 17}) {
      for (const Layout layout : every_layout) {
        for (const bool shares : {false, true}) {
          if (!is_chosen_on<Exec>(7)) continue;
          typename CheckOf<TypeParam>::Shape shape;
          shape.products = 4;
          shape.columns = columns;
          shape.mode = mode;
          shape.x = layout;
          shape.y = layout == Layout::Right ? Layout::Left : layout;
          shape.shares_values = shares;
          shape.shares_x = !shares && (layout == Layout::PaddedRight || (layout == Layout::Left && columns > 2));
          shape.alpha = -2;
          shape.beta = columns == 2 ? 0.5 : 0;
          CheckOf<TypeParam> check(A, shape, 11);
          multiply(plan, mode, check);
          check.expect_right("mode " + std::string(to_string(mode)) + ", " + std::to_string(columns) +
                             " columns, layout " + std::to_string(int(layout)) + (shares ? ", shared values" : ""));
        }
      }
    }
  }
}

/// Hosts pack columns that are not adjacent: slab by slab, few X at a time if they are large; none for few entries.
TYPED_TEST(BatchTest, ColumnsOfManyRows) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::VectorScalar;
  // Of the second, two X fill the share of the caches that is packed at once.
  const int threads = is_host_space<Exec> ? std::min(Exec().concurrency(), 8) : 1;
  const int rows_of_two = threads * (1 << 19) / (2 * std::min(37 * int(sizeof(Scalar)), 256));
  for (const auto& [rows, density] : {std::pair{3000 * threads, 0.01}, {rows_of_two, 0.01}, {3000, 0.001}}) {
    const auto A = random_pattern<typename TypeParam::Offset>(40, rows, density, 3);
    const auto plan = plan_of<Exec>(A);
    for (const bool shares_x : {false, true}) {
      typename CheckOf<TypeParam>::Shape shape;
      shape.products = 5;
      shape.columns = 37;
      shape.x = Layout::Left;
      shape.y = shares_x ? Layout::Left : Layout::Right;
      shape.shares_x = shares_x;
      CheckOf<TypeParam> check(A, shape, 7);
      multiply(plan, Mode::NoTranspose, check);
      check.expect_right(std::to_string(A.nonzeros()) + " entries" + (shares_x ? ", one X" : ""));
    }
  }
}

TYPED_TEST(BatchTest, UnsortedRowsAndDuplicates) {
  using Exec = typename TypeParam::ExecutionSpace;
  const auto A = unsorted_pattern<typename TypeParam::Offset>(50, 20, 15, 8);
  const auto plan = plan_of<Exec>(A);
  EXPECT_EQ(plan.entries(), A.nonzeros());
  for (const Mode mode : every_mode) {
    for (const int columns : {1, 4}) {
      typename CheckOf<TypeParam>::Shape shape;
      shape.products = 3;
      shape.columns = columns;
      shape.mode = mode;
      CheckOf<TypeParam> check(A, shape, 5);
      multiply(plan, mode, check);
      check.expect_right("duplicates, mode " + std::string(to_string(mode)));
    }
  }
}

TYPED_TEST(BatchTest, EmptyShapesAndFactors) {
  using Exec = typename TypeParam::ExecutionSpace;
  for (const auto& [rows, columns] : {std::pair{0, 0}, {0, 6}, {6, 0}, {9, 9}}) {
    HostPattern<typename TypeParam::Offset> empty;
    empty.columns = columns;
    while (empty.rows < rows) empty.end_row();
    const auto plan = plan_of<Exec>(empty);
    for (const Mode mode : every_mode) {
      for (const double beta : {0.0, 2.0}) {
        typename CheckOf<TypeParam>::Shape shape;
        shape.products = 3;
        shape.columns = 4;
        shape.mode = mode;
        shape.beta = beta;
        CheckOf<TypeParam> check(empty, shape, 5);
        multiply(plan, mode, check);
        check.expect_right("empty");
      }
    }
  }
  const auto row = random_pattern<typename TypeParam::Offset>(1, 9, 0.9, 3);
  for (const Mode mode : every_mode) {
    typename CheckOf<TypeParam>::Shape shape;
    shape.columns = 4;
    shape.mode = mode;
    CheckOf<TypeParam> check(row, shape, 5);
    multiply(plan_of<Exec>(row), mode, check);
    check.expect_right("one row");
  }
  const auto A = random_pattern<typename TypeParam::Offset>(21, 14, 0.3, 3);
  const auto plan = plan_of<Exec>(A);
  for (const auto& [products, columns, alpha] : {std::tuple{0, 3, 1.0}, {3, 0, 1.0}, {1, 1, 1.0}, {3, 5, 0.0}}) {
    for (const double beta : {0.0, 2.0}) {
      typename CheckOf<TypeParam>::Shape shape;
      shape.products = std::max(products, 1);
      shape.columns = columns;
      shape.alpha = alpha;
      shape.beta = beta;
      CheckOf<TypeParam> check(A, shape, 5);
      if (products == 0) continue;
      multiply(plan, Mode::NoTranspose, check);
      check.expect_right("alpha " + std::to_string(alpha) + ", beta " + std::to_string(beta));
    }
  }
}

/// A product in a batch has the bits that it has alone, and in another run.
TYPED_TEST(BatchTest, AProductHasTheSameBitsInAnyBatch) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::VectorScalar;
  const auto A = random_pattern<typename TypeParam::Offset>(300, 200, 0.1, 3);
  const auto plan = plan_of<Exec>(A);
  for (const Mode mode : {Mode::NoTranspose, Mode::Transpose}) {
    for (const auto& [columns, layout] : {std::pair{1, Layout::Right}, {8, Layout::Right}, {8, Layout::Left}}) {
      typename CheckOf<TypeParam>::Shape shape;
      shape.products = 7;
      shape.columns = columns;
      shape.mode = mode;
      shape.x = layout;
      CheckOf<TypeParam> many(A, shape, 5);
      multiply(plan, mode, many);
      shape.products = 1;
      CheckOf<TypeParam> alone(A, shape, 5);
      multiply(plan, mode, alone);
      const auto all = many.result(), first = alone.result();
      const auto elements = static_cast<std::size_t>(is_transposed(mode) ? A.columns : A.rows) * std::size_t(columns);
      for (std::size_t i = 0; i < elements; ++i) ASSERT_TRUE(all[i] == first[i]) << i;
    }
  }
  EXPECT_GT(plan.bytes(), sizeof(Scalar));
}

template <class T>
struct ViewsOfBatch {
  using Exec = typename T::ExecutionSpace;
  using Memory = typename Exec::memory_space;
  using User = user_scalar_t<typename T::VectorScalar>;
  using Vectors = Kokkos::View<User***, Kokkos::LayoutRight, Memory>;
  using Values = Kokkos::View<User**, Kokkos::LayoutRight, Memory>;
};

/// A type with the members of KokkosSparse::CrsMatrix.
template <class Exec, class User, class Offset>
struct CrsLike {
  explicit CrsLike(const DevicePattern<Exec, Offset>& pattern)
      : rows(pattern.rows), columns(pattern.columns), graph{pattern.row_offsets, pattern.column_indices} {}
  int numRows() const { return rows; }
  int numCols() const { return columns; }

  int rows, columns;
  struct {
    decltype(DevicePattern<Exec, Offset>::row_offsets) row_map;
    decltype(DevicePattern<Exec, Offset>::column_indices) entries;
  } graph;
  Kokkos::View<User*, typename Exec::memory_space> values;
};

/// Calls as in users' programs: Views of LayoutRight, a CrsMatrix, and no instance.
TYPED_TEST(BatchTest, TakesAMatrixAndViewsOfLayoutRight) {
  using Views = ViewsOfBatch<TypeParam>;
  using User = typename Views::User;
  using Exec = typename Views::Exec;
  using Offset = typename TypeParam::Offset;
  const auto A = random_pattern<Offset>(12, 9, 0.4, 3);
  const auto plan = make_batch_plan(CrsLike<Exec, User, Offset>(DevicePattern<Exec, Offset>(A)));
  const typename Views::Values values("values", 3, plan.entries());
  const typename Views::Vectors X("X", 3, 9, 2), Y("Y", 3, 12, 2);
  Kokkos::deep_copy(values, User(2));
  Kokkos::deep_copy(X, User(3));
  spmm_batch(plan, values, X, Y);
  spmm_batch(plan, Mode::NoTranspose, 1, Kokkos::subview(values, 0, Kokkos::ALL), X, 1, Y);  // one set for all
  const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Y);
  for (std::size_t b = 0; b < 3; ++b)
    for (std::size_t i = 0; i < 12; ++i) {
      const auto entries = A.row_offsets[i + 1] - A.row_offsets[i];
      EXPECT_EQ(result(b, i, 1), User(12. * static_cast<double>(entries)));
    }
}

template <class Function>
void expect_rejected(const Function& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "no error; expected one with: " << part;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TYPED_TEST(BatchTest, RejectsWrongPatterns) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Offset = typename TypeParam::Offset;
  const auto make = [](int rows, int columns, const std::vector<Offset>& offsets, const std::vector<int>& indices) {
    return [=] { make_batch_plan(Exec(), rows, columns, to_device<Exec>(offsets), to_device<Exec>(indices)); };
  };
  expect_rejected(make(-1, 2, {}, {}), "-1 x 2");
  expect_rejected(make(2, 2, {0, 1}, {0}), "2 row offsets; expected rows + 1 = 3");
  expect_rejected(make(2, 2, {0, 2, 1}, {0, 1}), "Tessera::make_batch_plan: row offsets are wrong at row 1");
  expect_rejected(make(2, 2, {0, 1, 3}, {0, 1}), "row offsets are wrong at row 1");
  expect_rejected(make(2, 2, {0, 1, 1}, {0, 1}), "the last row ends at entry 1; expected 2");
  expect_rejected(make(2, 2, {0, 1, 2}, {0, 2}), "column");
  expect_rejected(make(0, 2, {0}, {1}), "1 column indices in no row");
}

TYPED_TEST(BatchTest, RejectsWrongArguments) {
  using Views = ViewsOfBatch<TypeParam>;
  using Vectors = typename Views::Vectors;
  using Values = typename Views::Values;
  using Exec = typename Views::Exec;
  const auto A = random_pattern<typename TypeParam::Offset>(12, 9, 0.4, 3);
  const auto plan = plan_of<Exec>(A);
  const std::size_t entries = plan.entries();
  const Values values("values", 3, entries);
  const Vectors X("X", 3, 9, 2), Y("Y", 3, 12, 2);
  const auto multiply = [&](const auto& own_values, const auto& x, const auto& y) {
    return [=] { spmm_batch(plan, own_values, x, y); };
  };
  Kokkos::deep_copy(Y, 7);
  expect_rejected(multiply(Values("values", 2, entries), X, Y), "values has 2 of 3 products");
  expect_rejected(multiply(Values("values", 3, entries + 1), X, Y), "expected " + std::to_string(entries));
  expect_rejected(multiply(values, Vectors("X", 4, 9, 2), Y), "X has 4 of 3 products");
  expect_rejected(multiply(values, Vectors("X", 3, 10, 2), Y), "op(A) is 12 x 9");
  expect_rejected(multiply(values, X, Vectors("Y", 3, 12, 1)), "op(A) is 12 x 9");
  expect_rejected(multiply(values, Vectors(nullptr, 3, 9, 2), Y), "X is 9 x 2 and has no memory");
  expect_rejected(multiply(Values(nullptr, 3, entries), X, Y), "values has");
  expect_rejected(multiply(values, X, Vectors(nullptr, 3, 12, 2)), "Y is 12 x 2 and has no memory");
  using Left = Kokkos::View<typename Views::User**, Kokkos::LayoutLeft, typename Views::Memory>;
  expect_rejected(multiply(Left("values", 3, entries), X, Y), "the values of a matrix are 3 elements apart");
  using Strided = Kokkos::View<typename Views::User***, Kokkos::LayoutStride, typename Views::Memory>;
  expect_rejected(multiply(values, X, Strided(Y.data(), Kokkos::LayoutStride(3, 0, 12, 2, 2, 1))),
                  "elements of Y are the same memory: its strides are 0, 2 and 1");
  ASSERT_LE(entries, Y.size());
  const Kokkos::View<typename Views::User*, typename Views::Memory> of_y(Y.data(), entries);
  expect_rejected(multiply(of_y, X, Y), "values and Y are the same memory");
  expect_rejected(multiply(values, Strided(Y.data(), Kokkos::LayoutStride(3, 24, 9, 2, 2, 1)), Y), "X and Y");
  const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Y);
  EXPECT_EQ(result(2, 11, 1), typename Views::User(7));
  EXPECT_THROW(spmm_batch(BatchPlan<Exec>(), values, X, Y), std::logic_error);
}

/// Parts of one array: all X and all Y of a state of a simulation, for instance.
TYPED_TEST(BatchTest, TakesXAndYThatInterleave) {
  using Views = ViewsOfBatch<TypeParam>;
  using User = typename Views::User;
  using Exec = typename Views::Exec;
  const auto A = random_pattern<typename TypeParam::Offset>(12, 12, 0.4, 3);
  const auto plan = plan_of<Exec>(A);
  const typename Views::Values values("values", 3, plan.entries());
  Kokkos::deep_copy(values, User(1));
  const Kokkos::View<User****, Kokkos::LayoutRight, typename Views::Memory> state("state", 3, 2, 12, 4);
  Kokkos::deep_copy(state, User(1));
  const auto all = Kokkos::ALL;
  const auto X = Kokkos::subview(state, all, 0, all, all), Y = Kokkos::subview(state, all, 1, all, all);
  spmm_batch(plan, values, X, Y);
  Exec().fence();
  const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), state);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(result(2, 1, i, 3), User(static_cast<double>(A.row_offsets[i + 1] - A.row_offsets[i])));
    EXPECT_EQ(result(2, 0, i, 3), User(1));
  }
  expect_rejected([&] { spmm_batch(plan, values, X, Kokkos::subview(state, all, 0, all, all)); }, "X and Y");
}

}  // namespace Tessera::Impl::Test
