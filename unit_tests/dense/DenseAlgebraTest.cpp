// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/dense/DenseAlgebra.hpp>
#include <tessera/parallel/Teams.hpp>

#include "DenseCheck.hpp"
#include "HostDense.hpp"
#include "TestTypes.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Impl::Test {

template <class Exec, class Scalar_>
struct DenseCase {
  using ExecutionSpace = Exec;
  using Scalar = Scalar_;
};
template <class Exec>
using DenseCasesOf = ::testing::Types<DenseCase<Exec, float>, DenseCase<Exec, double>>;
using DenseCases = EverySpace<DenseCasesOf>::type;

template <class T>
class DenseAlgebraTest : public ::testing::Test {};
TYPED_TEST_SUITE(DenseAlgebraTest, DenseCases);

/// Calls the public functions on an instance, with a workspace.
template <class Exec, class Scalar>
struct PublicAlgebra {
  using Input = TallBlock<const Scalar>;
  using Output = TallBlock<Scalar>;
  Exec exec{};
  DenseWorkspace<Exec> workspace{};

  void inner_products(std::span<const Input> X, const Input& Y, const SmallMatrix<Scalar>& C) const {
    Tessera::Impl::inner_products<Exec, Scalar>(exec, workspace, X, Y, C);
  }
  void dots(const Input& X, const Input& Y, Scalar* result) const {
    Tessera::Impl::dots(exec, workspace, X, Y, result);
  }
  void sums_of_magnitudes(const Input& X, Scalar* result) const {
    Tessera::Impl::sums_of_magnitudes(exec, workspace, X, result);
  }
  void greatest_magnitudes(const Input& X, Scalar* result) const {
    Tessera::Impl::greatest_magnitudes(exec, workspace, X, result);
  }
  void multiply_add(Scalar alpha, const Input& X, const SmallMatrix<Scalar>& B, Scalar beta, const Output& Y) const {
    Tessera::Impl::multiply_add<Exec, Scalar>(exec, workspace, alpha, X, B, beta, Y);
    exec.fence();
  }
  void multiply_add(Scalar alpha, std::span<const Input> X, const SmallMatrix<Scalar>& B, Scalar beta,
                    const Output& Y) const {
    Tessera::Impl::multiply_add<Exec, Scalar>(exec, workspace, alpha, X, B, beta, Y);
    exec.fence();
  }
  void add(Scalar alpha, const Input& A, Scalar beta, const Input& B, const Output& C) const {
    Tessera::Impl::add(exec, alpha, A, beta, B, C);
    exec.fence();
  }
  void scale(const Scalar* factors, const Output& X) const {
    Tessera::Impl::scale(exec, factors, X);
    exec.fence();
  }
  void scale_rows(const Scalar* factors, const Input& X, const Output& Y) const {
    Tessera::Impl::scale_rows(exec, factors, X, Y);
    exec.fence();
  }
  void copy(const Input& X, const Output& Y) const {
    Tessera::Impl::copy(exec, X, Y);
    exec.fence();
  }
  void fill(Scalar value, const Output& X) const {
    Tessera::Impl::fill(exec, value, X);
    exec.fence();
  }
};

/// Calls body(rows, columns, others, places of X, places of Y) for shapes at the edges of parts, panels and registers.
template <class Exec, class Body>
void for_each_shape(const Body& body) {
  const Ordinal columns[] = {1, 2, 3, 7, 8, 9, 16, 31, 32, 33, 64, 127, 128, 129};
  const int count = int(std::size(columns));
  int cases = 0;
  for (int c = 0; c < count; ++c) {
    for (const Places x : every_places) {
      for (const Places y : every_places) {
        // Combines all numbers of columns in varying layouts, including few rows with many columns.
        const Ordinal others = columns[(c + cases * 3) % count];
        const Ordinal rows[] = {0, 1, 5, 37, 64, 203};
        body(rows[cases % 6], columns[c], others, x, y);
        ++cases;
      }
    }
  }
  for (const Ordinal rows : {255, 256, 257, 1023, 1024, 1025, 2049, 4097, 9001}) {
    body(rows, 1, 1, Places::Adjacent, Places::Adjacent);
    body(rows, 3, 5, Places::Adjacent, Places::Listed);
    body(rows, 9, 4, Places::Padded, Places::Adjacent);
  }
}

TYPED_TEST(DenseAlgebraTest, InnerProducts) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  for_each_shape<Exec>([&](Ordinal rows, Ordinal columns, Ordinal others, Places x, Places y) {
    Tall<Exec, Scalar> X(rows, columns, x, 1), Y(rows, others, y, 2);
    check_inner_products<PublicAlgebra<Exec, Scalar>, Exec, Scalar>(algebra, {&X}, Y,
                                                                    shape(rows, columns, others, x, y));
  });
}

TYPED_TEST(DenseAlgebraTest, InnerProductsOfSeveralBlocks) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  for (const Ordinal rows : {0, 1, 300, 2100}) {
    for (const Ordinal columns : {1, 5, 16, 33, 130}) {
      if (rows > 300 && columns > 16) continue;
      for (const Places places : every_places) {
        Tall<Exec, Scalar> A(rows, 3, Places::Padded, 1), B(rows, 40, Places::Listed, 2), C(rows, 140, places, 3),
            Y(rows, columns, places, 4);
        const std::string what = std::to_string(rows) + " rows, " + std::to_string(columns) + " columns";
        check_inner_products<PublicAlgebra<Exec, Scalar>, Exec, Scalar>(algebra, {&A, &Y, &B}, Y, what);
        check_inner_products<PublicAlgebra<Exec, Scalar>, Exec, Scalar>(algebra, {&A, &C, &B, &Y}, Y, what);
        check_inner_products<PublicAlgebra<Exec, Scalar>, Exec, Scalar>(algebra, {&Y}, Y, what);
        check_inner_products<PublicAlgebra<Exec, Scalar>, Exec, Scalar>(algebra, {}, Y, what);
      }
    }
  }
}

/// Several products in one call are those of single calls.
TYPED_TEST(DenseAlgebraTest, SeveralInnerProducts) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  for (const Ordinal rows : {0, 1, 300, 2100}) {
    for (const Ordinal columns : {1, 5, 16, 33, 70, 130}) {
      if (rows > 300 && columns > 16) continue;
      Tall<Exec, Scalar> P(rows, columns, Places::Adjacent, 1), A(rows, columns, Places::Padded, 2),
          Q(rows, columns, Places::Listed, 3), Z(rows, 2, Places::Adjacent, 4);
      const std::string what = std::to_string(rows) + " rows, " + std::to_string(columns) + " columns";
      Tall<Exec, Scalar>* const pairs[][2] = {{&P, &A}, {&A, &A}, {&Q, &A}, {&Q, &Q}, {&Z, &P}};
      std::vector<TestSmall<Scalar>> found;
      std::vector<TallBlock<const Scalar>> X;
      for (const auto& [x, y] : pairs) {
        found.emplace_back(x->columns(), y->columns());
        X.push_back(x->input());
      }
      std::vector<BlockProducts<Scalar>> all;
      for (std::size_t k = 0; k < found.size(); ++k)
        all.push_back({std::span(&X[k], 1), pairs[k][1]->input(), found[k].view()});
      inner_products<Exec, Scalar>(algebra.exec, algebra.workspace, std::span<const BlockProducts<Scalar>>(all));
      for (std::size_t k = 0; k < found.size(); ++k) {
        ASSERT_TRUE(found[k].guards_are_untouched()) << what;
        const Tall<Exec, Scalar>&x = *pairs[k][0], &y = *pairs[k][1];
        for (Ordinal i = 0; i < x.columns(); ++i) {
          for (Ordinal j = 0; j < y.columns(); ++j) {
            Reference expected;
            for (Ordinal row = 0; row < rows; ++row) expected.add(Wide(x(row, i)) * y(row, j));
            expect_near(found[k].view()(i, j), expected, rows, what + ", product " + std::to_string(k));
            if (::testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
  Tall<Exec, Scalar> high(3, 1, Places::Adjacent, 1), low(2, 1, Places::Adjacent, 1);
  TestSmall<Scalar> one(1, 1), other(1, 1);
  const TallBlock<const Scalar> blocks[] = {high.input(), low.input()};
  const BlockProducts<Scalar> unequal[] = {{std::span(blocks, 1), blocks[0], one.view()},
                                           {std::span(blocks + 1, 1), blocks[1], other.view()}};
  EXPECT_THROW(
      (inner_products<Exec, Scalar>(algebra.exec, algebra.workspace, std::span<const BlockProducts<Scalar>>(unequal))),
      std::invalid_argument)
      << "other rows";
}

/// Y = alpha X B + beta Z, also in place.
TYPED_TEST(DenseAlgebraTest, MultiplyAddToAnotherBlock) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  for (const Ordinal rows : {0, 1, 37, 300, 5000}) {
    for (const Ordinal columns : {1, 3, 8, 16, 33, 130}) {
      if (rows > 300 && columns > 16) continue;
      for (const Ordinal others : {columns, Ordinal(1), columns + 2}) {
        for (const bool is_in_place : {false, true}) {
          if (is_in_place && others != columns) continue;
          for (const Places places : every_places) {
            Tall<Exec, Scalar> X(rows, columns, places, 1), Z(rows, others, places, 2), Y(rows, others, places);
            TestSmall<Scalar> B(columns, others, 5);
            const Tall<Exec, Scalar> x = X, z = Z;
            Tall<Exec, Scalar>& target = is_in_place ? X : Y;
            multiply_add<Exec, Scalar>(algebra.exec, algebra.workspace, Scalar(-1.5), X.input(), B.view(), Scalar(0.5),
                                       Z.input(), target.block());
            algebra.exec.fence();
            target.fetch();
            const std::string what = shape(rows, columns, others, places, places) + (is_in_place ? ", in place" : "");
            ASSERT_TRUE(target.guards_are_untouched()) << what;
            const Tall<Exec, Scalar>& y = target;
            for (Ordinal i = 0; i < rows; ++i) {
              for (Ordinal j = 0; j < others; ++j) {
                Reference expected;
                for (Ordinal k = 0; k < columns; ++k) expected.add(Wide(-1.5) * x(i, k) * B.view()(k, j));
                expected.add(Wide(0.5) * z(i, j));
                expect_near(y(i, j), expected, columns + 2, what);
                if (::testing::Test::HasFatalFailure()) return;
              }
            }
          }
        }
      }
    }
  }
  Tall<Exec, Scalar> X(3, 2, Places::Adjacent, 1), Y(3, 2, Places::Adjacent, 2);
  TestSmall<Scalar> B(2, 2, 5);
  EXPECT_THROW((multiply_add<Exec, Scalar>(algebra.exec, algebra.workspace, Scalar(1), X.input(), B.view(), Scalar(1),
                                           Y.input(), Y.block())),
               std::invalid_argument)
      << "Y is Z";
}

TYPED_TEST(DenseAlgebraTest, SumsOfColumns) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  for_each_shape<Exec>([&](Ordinal rows, Ordinal columns, Ordinal, Places x, Places y) {
    Tall<Exec, Scalar> X(rows, columns, x, 3), Y(rows, columns, y, 4);
    check_column_sums(algebra, X, Y, shape(rows, columns, columns, x, y));
    check_column_sums(algebra, X, X, shape(rows, columns, columns, x, x));
  });
}

TYPED_TEST(DenseAlgebraTest, MultiplyAdd) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  for_each_shape<Exec>([&](Ordinal rows, Ordinal columns, Ordinal others, Places x, Places y) {
    const std::string what = shape(rows, columns, others, x, y);
    Tall<Exec, Scalar> X(rows, columns, x, 1), Y(rows, others, y, 2);
    check_multiply_add(algebra, Scalar(-1.5), X, Scalar(0.75), Y, what + ", beta 0.75");
    check_multiply_add(algebra, Scalar(1), X, Scalar(1), Y, what + ", beta 1");
    Y.fill(poison<Scalar>());
    check_multiply_add(algebra, Scalar(2), X, Scalar(0), Y, what + ", beta 0");
    check_multiply_add(algebra, Scalar(-1), X, Scalar(0), X, what + ", in place");
  });
}

TYPED_TEST(DenseAlgebraTest, MultiplyAddManyColumns) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  for (const Places places : every_places) {
    Tall<Exec, Scalar> X(41, 300, places, 1), Y(41, 270, places, 2);
    check_multiply_add(algebra, Scalar(1), X, Scalar(-1), Y, to_string(places));
    Y.fill(poison<Scalar>());
    check_multiply_add(algebra, Scalar(1), X, Scalar(0), Y, to_string(places));
    check_multiply_add(algebra, Scalar(1), X, Scalar(0), X, std::string("in place, ") + to_string(places));
  }
  // Has so many columns that the workspace holds only few of its rows at a time.
  Tall<Exec, Scalar> X(1500, 400, Places::Listed, 3);
  Tall<Exec, Scalar> Y = X;
  TestSmall<Scalar> B(400, 400);
  for (Ordinal j = 0; j < 400; ++j)
    for (Ordinal i = 0; i < 400; ++i) B.view()(i, j) = Scalar(i == (j + 1) % 400);
  algebra.multiply_add(Scalar(1), X.input(), B.view(), Scalar(0), X.block());
  expect_elements(
      X, [&](Ordinal i, Ordinal j) { return sum_of(std::as_const(Y)(i, (j + 1) % 400)); }, "in place");
}

/// X consists of adjacent and separate views of one block, and of another block.
TYPED_TEST(DenseAlgebraTest, ProductsWithSeveralBlocks) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  for (const Ordinal rows : {0, 1, 2, 300, 2100}) {
    for (const Ordinal columns : {1, 4, 8, 33, 64}) {
      Tall<Exec, Scalar> all(rows, 4 * columns + 1, Places::Padded, 1), other(rows, 3, Places::Listed, 2);
      const auto view = [&](Ordinal first) { return all.block().some_columns(first, columns); };
      // Y lies between the first two views; the fourth is not adjacent.
      const TallBlock<Scalar> Y = view(columns);
      const std::vector<TallBlock<const Scalar>> X = {view(2 * columns), view(0), Y, view(3 * columns + 1),
                                                      other.input()};
      const Ordinal places[] = {2 * columns, 0, columns, 3 * columns + 1};
      const auto element = [&](const auto& from, Ordinal i, Ordinal row) -> Wide {
        if (row >= 4 * columns) return std::as_const(other)(i, row - 4 * columns);
        return from(i, places[row / columns] + row % columns);
      };
      const std::string what = std::to_string(rows) + " rows, " + std::to_string(columns) + " columns";
      TestSmall<Scalar> C(4 * columns + 3, columns), B(4 * columns + 3, columns, 77);
      algebra.inner_products(X, Y, C.view());
      ASSERT_TRUE(C.guards_are_untouched()) << what;
      const Tall<Exec, Scalar> before = all;
      for (Ordinal j = 0; j < columns; ++j) {
        for (Ordinal row = 0; row < C.rows; ++row) {
          Reference expected;
          for (Ordinal i = 0; i < rows; ++i) expected.add(element(before, i, row) * before(i, columns + j));
          expect_near(C.view()(row, j), expected, rows, what + ", X^T Y");
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
      algebra.multiply_add(Scalar(-1.5), X, B.view(), Scalar(0), Y);
      all.fetch();
      ASSERT_TRUE(all.guards_are_untouched()) << what;
      for (Ordinal i = 0; i < rows; ++i) {
        for (Ordinal j = 0; j < 4 * columns + 1; ++j) {
          const Ordinal k = j - columns;
          if (k < 0 || k >= columns) {
            ASSERT_EQ(std::as_const(all)(i, j), before(i, j)) << what;
            continue;
          }
          Reference expected;
          for (Ordinal row = 0; row < B.rows; ++row)
            expected.add(Wide(-1.5) * element(before, i, row) * B.view()(row, k));
          expect_near(std::as_const(all)(i, j), expected, B.rows + 2, what + ", in place");
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

TYPED_TEST(DenseAlgebraTest, SeveralBlocksAreAddedToY) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  for (const Scalar beta : {Scalar(0), Scalar(1), Scalar(-0.5)}) {
    Tall<Exec, Scalar> A(500, 20, Places::Adjacent, 1), Y(500, 9, Places::Adjacent, 2);
    if (beta == Scalar(0)) Y.fill(poison<Scalar>());
    const Tall<Exec, Scalar> before = Y;
    TestSmall<Scalar> B(20, 9, 5);
    const auto a = A.input();
    const std::vector<TallBlock<const Scalar>> X = {a.some_columns(0, 7), a.some_columns(7, 0), a.some_columns(7, 13)};
    algebra.multiply_add(Scalar(2), X, B.view(), beta, Y.block());
    Y.fetch();
    for (Ordinal i = 0; i < 500; ++i) {
      for (Ordinal j = 0; j < 9; ++j) {
        Reference expected;
        for (Ordinal k = 0; k < 20; ++k) expected.add(Wide(2) * std::as_const(A)(i, k) * B.view()(k, j));
        if (beta != Scalar(0)) expected.add(Wide(beta) * before(i, j));
        expect_near(std::as_const(Y)(i, j), expected, 22, "beta " + std::to_string(double(beta)));
      }
    }
    TestSmall<Scalar> none(0, 9);
    algebra.multiply_add(Scalar(2), std::vector<TallBlock<const Scalar>>(), none.view(), Scalar(0), Y.block());
    expect_elements(
        Y, [](Ordinal, Ordinal) { return Reference(); }, "no blocks");
  }
}

TYPED_TEST(DenseAlgebraTest, SeveralBlocksAreRejected) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  using Blocks = std::vector<TallBlock<const Scalar>>;
  const PublicAlgebra<Exec, Scalar> algebra;
  Tall<Exec, Scalar> X(10, 4, Places::Adjacent, 1), other(11, 4, Places::Adjacent, 2);
  const auto x = X.block();
  const auto rejected = [&](const Blocks& blocks, Ordinal rows_of_B, Scalar beta, const TallBlock<Scalar>& Y,
                            const std::string& message) {
    TestSmall<Scalar> B(rows_of_B, Y.columns, 1);
    try {
      algebra.multiply_add(Scalar(1), blocks, B.view(), beta, Y);
      ADD_FAILURE() << message;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  };
  rejected({x.some_columns(0, 2), other.input()}, 6, Scalar(0), x.some_columns(2, 2), "X[1] has 11 rows");
  rejected({x.some_columns(0, 2)}, 3, Scalar(0), x.some_columns(2, 2), "B has 3 rows");
  rejected({x.some_columns(0, 2), x.some_columns(1, 2)}, 4, Scalar(0), x.some_columns(2, 2), "shares memory with X[1]");
  rejected({x.some_columns(0, 2), x.some_columns(2, 2)}, 4, Scalar(1), x.some_columns(2, 2), "shares memory with X[1]");
  rejected({x.some_columns(2, 2), x.some_columns(2, 2)}, 4, Scalar(0), x.some_columns(2, 2), "several blocks of X");
}

/// Without columns of X, Y is scaled; with beta = 0 it becomes 0.
TYPED_TEST(DenseAlgebraTest, MultiplyAddNoColumns) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  Tall<Exec, Scalar> X(30, 0, Places::Adjacent), Y(30, 4, Places::Padded, 2), Z(30, 0, Places::Adjacent);
  check_multiply_add(algebra, Scalar(3), X, Scalar(-2), Y, "beta -2");
  Y.fill(poison<Scalar>());
  check_multiply_add(algebra, Scalar(3), X, Scalar(0), Y, "beta 0");
  check_multiply_add(algebra, Scalar(3), Y, Scalar(1), Z, "no columns of Y");
}

TYPED_TEST(DenseAlgebraTest, NumbersThatAreNotFinitePass) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  const Scalar infinity = std::numeric_limits<Scalar>::infinity();
  for (const Ordinal columns : {1, 2, 5, 16, 40}) {
    for (const Scalar value : {infinity, -infinity, poison<Scalar>()}) {
      const std::string what = std::to_string(columns) + " columns, " + std::to_string(double(value));
      Tall<Exec, Scalar> X(70, columns, Places::Adjacent, 1), Y(70, columns, Places::Listed, 2),
          Z(70, columns, Places::Adjacent, 3);
      X(13, columns / 2) = value;
      X(14, columns / 2) = Scalar(3);  // a later number must not replace NaN
      check_inner_products<PublicAlgebra<Exec, Scalar>, Exec, Scalar>(algebra, {&X, &Y}, X, what);
      check_column_sums(algebra, X, Y, what);
      check_column_sums(algebra, X, X, what);
      check_multiply_add(algebra, Scalar(1), X, Scalar(1), Y, what);
      check_multiply_add(algebra, Scalar(1), Z, Scalar(1), X, what);
      // 0 times infinity or NaN is NaN.
      TestSmall<Scalar> zeros(columns, columns);
      for (Ordinal k = 0; k < columns * columns; ++k) zeros.view()(k % columns, k / columns) = 0;
      Tall<Exec, Scalar> W(70, columns, Places::Adjacent, 5);
      W(13, 0) = value;
      algebra.multiply_add(Scalar(1), W.input(), zeros.view(), Scalar(0), Z.block());
      Z.fetch();
      EXPECT_TRUE(std::isnan(std::as_const(Z)(13, columns - 1))) << what;
      EXPECT_EQ(std::as_const(Z)(12, 0), Scalar(0)) << what;
    }
  }
}

TYPED_TEST(DenseAlgebraTest, Add) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  for_each_shape<Exec>([&](Ordinal rows, Ordinal columns, Ordinal, Places x, Places y) {
    const std::string what = shape(rows, columns, columns, x, y);
    Tall<Exec, Scalar> A(rows, columns, x, 1), B(rows, columns, y, 2), C(rows, columns, x), D(rows, columns, y);
    C.fill(poison<Scalar>());
    D.fill(poison<Scalar>());
    check_add(algebra, Scalar(2), A, Scalar(-0.3), B, C, what);
    check_add(algebra, Scalar(1), A, Scalar(1), B, D, what + ", factors 1");
    check_add(algebra, Scalar(1), A, Scalar(0.7), B, A, what + ", C is A");
    check_add(algebra, Scalar(0.7), A, Scalar(1), B, B, what + ", C is B");
    check_add(algebra, Scalar(3), A, Scalar(1.5), A, A, what + ", all the same");
    // Operands with a factor of 0 are not read.
    D.fill(poison<Scalar>());
    check_add(algebra, Scalar(0), D, Scalar(2), A, C, what + ", alpha 0");
    check_add(algebra, Scalar(2), A, Scalar(0), D, C, what + ", beta 0");
    check_add(algebra, Scalar(0), D, Scalar(0), D, D, what + ", both 0");
  });
}

TYPED_TEST(DenseAlgebraTest, Elementwise) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  for_each_shape<Exec>([&](Ordinal rows, Ordinal columns, Ordinal, Places x, Places y) {
    const std::string what = shape(rows, columns, columns, x, y);
    Tall<Exec, Scalar> X(rows, columns, x, 1), Y(rows, columns, y);
    Y.fill(poison<Scalar>());
    check_elementwise(algebra, X, Y, what);
    const auto factors = random_values<Scalar>(std::size_t(rows), 5);
    const auto on_device = to_device<Exec>(factors);
    const Tall<Exec, Scalar> before = X;
    algebra.scale_rows(on_device.data(), X.input(), X.block());
    const auto scaled = [&](Ordinal i, Ordinal j) { return sum_of(Wide(factors[std::size_t(i)]) * before(i, j)); };
    expect_elements(X, scaled, what + ", scale_rows in place");
  });
}

TYPED_TEST(DenseAlgebraTest, CopiesMultivectors) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const Exec exec;
  for (const Layout layout : every_layout) {
    for (const Places places : every_places) {
      for (const Ordinal columns : {1, 2, 8, 17, 130}) {
        for (const Ordinal rows : {0, 1, 9, 33, 1100}) {
          if (rows > 100 && columns > 17) continue;
          Dense<Scalar> source(rows, columns, layout), target(rows, columns, layout);
          source.randomize(3);
          const auto from = to_device<Exec>(source.memory());
          auto to = to_device<Exec>(target.memory());
          Tall<Exec, Scalar> block(rows, columns, places);
          const std::string what = shape(rows, columns, int(layout), places, places);
          copy<Exec, Scalar>(exec, source.view(static_cast<const Scalar*>(from.data())), block.block());
          exec.fence();
          expect_elements(
              block, [&](Ordinal i, Ordinal j) { return sum_of(source(i, j)); }, what);
          copy<Exec, Scalar>(exec, block.input(), target.view(to.data()));
          exec.fence();
          target.memory() = to_host(to);
          ASSERT_TRUE(target.gaps_are_untouched()) << what;
          for (Ordinal i = 0; i < rows; ++i)
            for (Ordinal j = 0; j < columns; ++j) ASSERT_EQ(target(i, j), source(i, j)) << what;
        }
      }
    }
  }
}

/// Numbers are spread evenly over [-1, 1), and depend only on the seed, the row and the column.
TYPED_TEST(DenseAlgebraTest, Randomize) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const Exec exec;
  const Ordinal rows = 3000, columns = 5;
  Tall<Exec, Scalar> X(rows, columns, Places::Adjacent), part(100, columns, Places::Listed),
      other(rows, columns, Places::Padded);
  randomize<Exec, Scalar>(exec, 7, 1000, X.block());
  randomize<Exec, Scalar>(exec, 7, 1200, part.block());
  randomize<Exec, Scalar>(exec, 8, 1000, other.block());
  exec.fence();
  for (Tall<Exec, Scalar>* block : {&X, &part, &other}) {
    block->fetch();
    EXPECT_TRUE(block->guards_are_untouched());
  }
  const Tall<Exec, Scalar>& x = X;
  int equal = 0;
  for (Ordinal j = 0; j < columns; ++j) {
    double sum = 0, squares = 0, with_next = 0, with_seed = 0;
    for (Ordinal i = 0; i < rows; ++i) {
      ASSERT_GE(x(i, j), Scalar(-1));
      ASSERT_LT(x(i, j), Scalar(1));
      sum += x(i, j);
      squares += x(i, j) * x(i, j);
      with_next += x(i, j) * x((i + 1) % rows, (j + 1) % columns);
      with_seed += x(i, j) * std::as_const(other)(i, j);
      equal += x(i, j) == x(i, (j + 1) % columns);
    }
    // Tolerances are five standard deviations.
    EXPECT_LT(std::abs(sum / rows), 5 * 0.58 / std::sqrt(rows));
    EXPECT_NEAR(squares / rows, 1.0 / 3, 5 * 0.3 / std::sqrt(rows));
    EXPECT_LT(std::abs(with_next / rows), 5 * 0.34 / std::sqrt(rows));
    EXPECT_LT(std::abs(with_seed / rows), 5 * 0.34 / std::sqrt(rows));
    for (Ordinal i = 0; i < 100; ++i) ASSERT_EQ(std::as_const(part)(i, j), x(200 + i, j));
  }
  EXPECT_LT(equal, 10);
  // The numbers are equal in every build and on every backend.
  constexpr bool is_double = sizeof(Scalar) == 8;
  EXPECT_EQ(x(0, 0), Scalar(is_double ? 0x1.f9579803bc498p-2 : 0x1.f95798p-2));
  EXPECT_EQ(x(234, 3), Scalar(is_double ? -0x1.53f8c2f58452p-4 : -0x1.53f8ep-4));
}

/// Returns all results for one block, on an instance.
template <class Exec, class Scalar>
std::vector<Scalar> every_result(const Exec& exec, Ordinal rows, Ordinal columns) {
  const PublicAlgebra<Exec, Scalar> algebra{exec};
  Tall<Exec, Scalar> X(rows, columns, Places::Adjacent, 1), Y(rows, columns, Places::Listed, 2);
  TestSmall<Scalar> C(2 * columns, columns), B(columns, columns, 3);
  const TallBlock<const Scalar> blocks[] = {X.input(), Y.input()};
  algebra.inner_products(blocks, Y.input(), C.view());
  std::vector<Scalar> all = C.memory, sums(static_cast<std::size_t>(columns));
  const auto append = [&](const std::vector<Scalar>& results) {
    all.insert(all.end(), results.begin(), results.end());
  };
  algebra.dots(X.input(), Y.input(), sums.data());
  append(sums);
  algebra.sums_of_magnitudes(X.input(), sums.data());
  append(sums);
  algebra.multiply_add(Scalar(2), X.input(), B.view(), Scalar(-3), Y.block());
  algebra.multiply_add(Scalar(1), X.input(), B.view(), Scalar(0), X.block());
  algebra.add(Scalar(0.3), X.input(), Scalar(0.7), Y.input(), X.block());
  X.fetch();
  Y.fetch();
  append(X.elements());
  append(Y.elements());
  return all;
}

TYPED_TEST(DenseAlgebraTest, TheSameBitsInEveryRun) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  for (const Ordinal columns : {1, 6, 40}) {
    const auto first = every_result<Exec, Scalar>(Exec(), 20011, columns);
    const auto again = every_result<Exec, Scalar>(Exec(), 20011, columns);
    EXPECT_TRUE(have_same_bits(first, again)) << columns;
#ifdef KOKKOS_ENABLE_OPENMP
    if constexpr (std::is_same_v<Exec, Kokkos::OpenMP>) {
      for (const int threads : {1, 2}) {
        if (threads > Exec().concurrency()) continue;
        const auto same = every_result<Exec, Scalar>(Exec(threads), 20011, columns);
        EXPECT_TRUE(have_same_bits(first, same)) << columns << " columns, " << threads << " threads";
      }
    }
#endif
  }
}

/// A second call of the same or a smaller size allocates nothing.
TYPED_TEST(DenseAlgebraTest, ASecondCallAllocatesNothing) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  const Ordinal rows = 4000, columns = 24;
  Tall<Exec, Scalar> X(rows, columns, Places::Adjacent, 1), Y(rows, columns, Places::Listed, 2);
  TestSmall<Scalar> C(columns, columns), B(columns, columns, 3);
  std::vector<Scalar> sums(static_cast<std::size_t>(columns));
  const TallBlock<Scalar> x = X.block(), y = Y.block();
  const auto call_all = [&](Ordinal count) {
    const TallBlock<const Scalar> some[] = {x.some_columns(0, count)};
    const TallBlock<Scalar> all = y.some_columns(0, count);
    SmallMatrix<Scalar> c = C.view(), b = B.view();
    c.rows = c.columns = b.rows = b.columns = count;
    algebra.inner_products(some, all, c);
    algebra.dots(some[0], all, sums.data());
    algebra.sums_of_magnitudes(some[0], sums.data());
    algebra.greatest_magnitudes(some[0], sums.data());
    algebra.multiply_add(Scalar(1), some[0], b, Scalar(1), all);
    algebra.multiply_add(Scalar(1), all, b, Scalar(0), all);
    algebra.add(Scalar(1), some[0], Scalar(1), all, all);
    algebra.scale(sums.data(), all);
    algebra.copy(some[0], all);
    algebra.fill(Scalar(1), all);
    randomize<Exec, Scalar>(algebra.exec, 1, 0, all);
  };
  call_all(columns);
  const ToolEvents events;
  call_all(columns);
  call_all(columns - 5);
  EXPECT_EQ(events.allocations(), 0u) << events.text();
  for (const std::string& kernel : events.kernels()) EXPECT_TRUE(kernel.starts_with("Tessera::dense_")) << kernel;
}

/// Makes more calls than the workspace has space for small matrices. No call waits for earlier calls.
TYPED_TEST(DenseAlgebraTest, ManySmallMatricesAreOnTheirWay) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const Exec exec;
  const DenseWorkspace<Exec> workspace;
  Tall<Exec, Scalar> X(5000, 2, Places::Adjacent, 1), Y(5000, 2, Places::Adjacent);
  Y.fill(Scalar(0));
  const TallBlock<const Scalar> x = X.input();
  const TallBlock<Scalar> y = Y.block();
  const int calls = 50;
  for (int call = 1; call <= calls; ++call) {
    Scalar small[] = {Scalar(call), 0, 0, Scalar(-call)};
    multiply_add<Exec, Scalar>(exec, workspace, Scalar(1), x, SmallMatrix<const Scalar>{small, 2, 2, 2}, Scalar(1), y);
    std::fill_n(small, 4, poison<Scalar>());
  }
  exec.fence();
  Y.fetch();
  const double sum = calls * (calls + 1) / 2;
  for (Ordinal i = 0; i < 5000; ++i) {
    for (Ordinal j = 0; j < 2; ++j) {
      const double expected = (j == 0 ? sum : -sum) * std::as_const(X)(i, j);
      ASSERT_NEAR(std::as_const(Y)(i, j), expected, calls * sum * std::numeric_limits<Scalar>::epsilon()) << i;
    }
  }
}

/// Calls the functions for hosts with the kernels of one instruction set.
template <class Exec, class Scalar>
struct HostAlgebra {
  using Input = TallBlock<const Scalar>;
  using Output = TallBlock<Scalar>;
  const Impl::DenseKernels<Scalar>& kernels;
  Exec exec{};
  DenseWorkspace<Exec> workspace{};

  void inner_products(std::span<const Input> X, const Input& Y, const SmallMatrix<Scalar>& C) const {
    const BlockProducts<Scalar> one{X, Y, C};
    Impl::OnHost::inner_products<Exec, Scalar>(exec, workspace, kernels, std::span(&one, 1));
  }
  void dots(const Input& X, const Input& Y, Scalar* result) const {
    Impl::OnHost::dots<Exec, Scalar>(exec, workspace, kernels, X, Y, result);
  }
  void sums_of_magnitudes(const Input& X, Scalar* result) const {
    Impl::OnHost::sums_of_magnitudes<Exec, Scalar>(exec, workspace, kernels, X, result);
  }
  void greatest_magnitudes(const Input& X, Scalar* result) const {
    Impl::OnHost::greatest_magnitudes<Exec, Scalar>(exec, workspace, kernels, X, result);
  }
  void multiply_add(Scalar alpha, const Input& X, const SmallMatrix<Scalar>& B, Scalar beta, const Output& Y) const {
    if (X.rows > 0) Impl::OnHost::multiply_add<Exec, Scalar>(exec, workspace, kernels, alpha, X, B, beta, Y);
  }
  void add(Scalar alpha, const Input& A, Scalar beta, const Input& B, const Output& C) const {
    if (A.rows > 0) Impl::OnHost::add<Exec, Scalar>(exec, kernels, alpha, A, beta, B, C);
  }
  void scale(const Scalar* factors, const Output& X) const {
    if (X.rows > 0) Impl::OnHost::scale<Exec, Scalar>(exec, kernels, factors, X);
  }
  void scale_rows(const Scalar* factors, const Input& X, const Output& Y) const {
    if (X.rows > 0) Impl::OnHost::scale_rows<Exec, Scalar>(exec, kernels, factors, X, Y);
  }
  void copy(const Input& X, const Output& Y) const {
    if (X.rows > 0) Impl::OnHost::copy<Exec, Scalar>(exec, X, Y);
  }
  void fill(Scalar value, const Output& X) const {
    if (X.rows > 0) Impl::OnHost::fill<Exec, Scalar>(exec, value, X);
  }
};

/// Tests each instruction set, including sets that are not chosen for this processor.
TYPED_TEST(DenseAlgebraTest, EveryInstructionSet) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  if constexpr (Impl::is_host_space<Exec>) {
    for (const Impl::SimdTarget target : Impl::available_simd_targets()) {
      using Algebra = HostAlgebra<Exec, Scalar>;
      const Algebra algebra{Impl::dense_kernels<Scalar>(target)};
      for_each_shape<Exec>([&](Ordinal rows, Ordinal columns, Ordinal others, Places x, Places y) {
        const std::string what = std::string(to_string(target)) + ", " + shape(rows, columns, others, x, y);
        Tall<Exec, Scalar> X(rows, columns, x, 1), Y(rows, others, y, 2), Z(rows, columns, y, 3);
        check_inner_products<Algebra, Exec, Scalar>(algebra, {&X, &Y}, Y, what);
        check_column_sums(algebra, X, Z, what);
        check_multiply_add(algebra, Scalar(-1.5), X, Scalar(0.75), Y, what);
        Y.fill(poison<Scalar>());
        check_multiply_add(algebra, Scalar(2), X, Scalar(0), Y, what + ", beta 0");
        check_add(algebra, Scalar(2), X, Scalar(-0.3), Z, Z, what);
        check_elementwise(algebra, X, Z, what);
        check_multiply_add(algebra, Scalar(-1), X, Scalar(0), X, what + ", in place");
      });
    }
  }
}

/// Single columns, as in solvers with one right-hand side: a column of a block, and a separate vector.
TYPED_TEST(DenseAlgebraTest, OneColumnInAnyStride) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  for (const Ordinal rows : {1, 31, 32, 33, 300, 20000}) {
    Tall<Exec, Scalar> wide(rows, 5, Places::Padded, 1), alone(rows, 1, Places::Adjacent);
    for (Ordinal i = 0; i < rows; ++i) alone(i, 0) = std::as_const(wide)(i, 3);
    Scalar results[4];
    const TallBlock<const Scalar> in_block[] = {wide.block().some_columns(3, 1)}, vector[] = {alone.input()};
    algebra.dots(in_block[0], in_block[0], &results[0]);
    algebra.dots(vector[0], vector[0], &results[1]);
    algebra.inner_products(in_block, in_block[0], {&results[2], 1, 1, 1});
    algebra.inner_products(vector, in_block[0], {&results[3], 1, 1, 1});
    Reference expected;
    for (Ordinal i = 0; i < rows; ++i) expected.add(Wide(std::as_const(alone)(i, 0)) * std::as_const(alone)(i, 0));
    for (const Scalar result : results) expect_near(result, expected, rows, std::to_string(rows) + " rows");
  }
}

/// Returns the message of std::invalid_argument, or "nothing was rejected".
template <class Call>
std::string rejection(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was rejected";
}

TYPED_TEST(DenseAlgebraTest, RejectsWhatDoesNotFit) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  Tall<Exec, Scalar> X(10, 3, Places::Adjacent, 1), Y(11, 3, Places::Adjacent, 2), Z(10, 4, Places::Adjacent, 3);
  TestSmall<Scalar> C(3, 3);
  const TallBlock<const Scalar> x[] = {X.input()};
  std::vector<Scalar> sums(4);
  EXPECT_EQ(rejection([&] { algebra.inner_products(x, Y.input(), C.view()); }),
            "Tessera::inner_products: X[0] has 10 rows; expected 11, as Y");
  EXPECT_EQ(rejection([&] { algebra.inner_products(x, Z.input(), C.view()); }),
            "Tessera::inner_products: C has 3 columns; expected 4, as Y");
  TestSmall<Scalar> taller(5, 4);
  EXPECT_EQ(rejection([&] { algebra.inner_products(x, Z.input(), taller.view()); }),
            "Tessera::inner_products: C has 5 rows; expected 3, the columns of all X");
  EXPECT_EQ(rejection([&] { algebra.dots(X.input(), Y.input(), sums.data()); }),
            "Tessera::dots: Y has 11 rows; expected 10, as X");
  EXPECT_EQ(rejection([&] { algebra.dots(X.input(), Z.input(), sums.data()); }),
            "Tessera::dots: Y has 4 columns; expected 3, as X");
  EXPECT_EQ(rejection([&] { algebra.multiply_add(Scalar(1), X.input(), C.view(), Scalar(1), Y.block()); }),
            "Tessera::multiply_add: Y has 11 rows; expected 10, as X");
  EXPECT_EQ(rejection([&] { algebra.multiply_add(Scalar(1), X.input(), C.view(), Scalar(1), Z.block()); }),
            "Tessera::multiply_add: B has 3 columns; expected 4, as Y");
  EXPECT_EQ(rejection([&] { algebra.multiply_add(Scalar(1), Z.input(), C.view(), Scalar(1), X.block()); }),
            "Tessera::multiply_add: B has 3 rows; expected 4, the columns of X");
  EXPECT_EQ(rejection([&] { algebra.add(Scalar(1), X.input(), Scalar(1), Y.input(), X.block()); }),
            "Tessera::add: B has 11 rows; expected 10, as C");
  EXPECT_EQ(rejection([&] { algebra.add(Scalar(1), Z.input(), Scalar(1), X.input(), X.block()); }),
            "Tessera::add: A has 4 columns; expected 3, as C");
  EXPECT_EQ(rejection([&] { algebra.scale_rows(sums.data(), X.input(), Y.block()); }),
            "Tessera::scale_rows: Y has 11 rows; expected 10, as X");
  EXPECT_EQ(rejection([&] { algebra.copy(X.input(), Z.block()); }), "Tessera::copy: Y has 4 columns; expected 3, as X");
  Dense<Scalar> multivector(10, 4, Layout::Left);
  EXPECT_EQ(
      rejection([&] { copy<Exec, Scalar>(algebra.exec, X.input(), multivector.view(multivector.memory().data())); }),
      "Tessera::copy: Y has 4 columns; expected 3, as X");
  const auto other = multivector.view(multivector.column(0));
  EXPECT_EQ(rejection([&] { copy<Exec, Scalar>(algebra.exec, other, X.block()); }),
            "Tessera::copy: Y has 3 columns; expected 4, as X");
}

TYPED_TEST(DenseAlgebraTest, RejectsWhatIsNoBlock) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  Tall<Exec, Scalar> X(10, 3, Places::Adjacent, 1);
  TallBlock<Scalar> wrong = X.block();
  wrong.row_stride = 2;
  EXPECT_EQ(rejection([&] { algebra.fill(Scalar(1), wrong); }),
            "Tessera::fill: X.row_stride is 2; expected at least its 3 columns");
  const Ordinal list[] = {0, 3, 1}, negative[] = {0, -1, 1};
  wrong = X.block();
  wrong.column_list = list;
  EXPECT_EQ(rejection([&] { randomize<Exec, Scalar>(algebra.exec, 1, 0, wrong); }),
            "Tessera::randomize: X.column_list[1] is 3; expected at least 0 and less than the row stride, 3");
  wrong.column_list = negative;
  EXPECT_EQ(rejection([&] { algebra.fill(Scalar(1), wrong); }),
            "Tessera::fill: X.column_list[1] is -1; expected at least 0 and less than the row stride, 3");
  EXPECT_EQ(rejection([&] {
              algebra.fill(Scalar(1), {nullptr, 2, 1, 1, nullptr});
            }),
            "Tessera::fill: X.data is null; expected the address of its elements");
  EXPECT_EQ(rejection([&] {
              algebra.fill(Scalar(1), {nullptr, -2, 1, 1, nullptr});
            }),
            "Tessera::fill: X has -2 rows and 1 columns; expected numbers from 0 on");
  EXPECT_EQ(rejection([&] { algebra.scale(nullptr, X.block()); }),
            "Tessera::scale: factors is null; expected the address of 3 elements");
  EXPECT_EQ(rejection([&] { algebra.scale_rows(nullptr, X.input(), X.block()); }),
            "Tessera::scale_rows: factors is null; expected the address of 10 elements");
  EXPECT_EQ(rejection([&] { algebra.sums_of_magnitudes(X.input(), nullptr); }),
            "Tessera::sums_of_magnitudes: result is null; expected the address of 3 elements");
  EXPECT_EQ(rejection([&] { algebra.greatest_magnitudes(X.input(), nullptr); }),
            "Tessera::greatest_magnitudes: result is null; expected the address of 3 elements");
  TestSmall<Scalar> B(3, 3, 1);
  SmallMatrix<Scalar> flat = B.view();
  flat.stride = 2;
  EXPECT_EQ(rejection([&] { algebra.multiply_add(Scalar(1), X.input(), flat, Scalar(0), X.block()); }),
            "Tessera::multiply_add: B.stride is 2; expected at least its 3 rows");
  flat.data = nullptr;
  const TallBlock<const Scalar> x[] = {X.input()};
  EXPECT_EQ(rejection([&] { algebra.inner_products(x, X.input(), flat); }),
            "Tessera::inner_products: C.data is null; expected the address of its elements");
}

TYPED_TEST(DenseAlgebraTest, RejectsOutputsThatOverlapInputs) {
  using Exec = typename TypeParam::ExecutionSpace;
  using Scalar = typename TypeParam::Scalar;
  const PublicAlgebra<Exec, Scalar> algebra;
  Tall<Exec, Scalar> memory(20, 12, Places::Adjacent, 1);
  const TallBlock<Scalar> whole = memory.block();
  const TallBlock<Scalar> left = whole.some_columns(0, 4), middle = whole.some_columns(2, 4),
                          right = whole.some_columns(8, 4);
  TestSmall<Scalar> B(4, 4, 1);
  const std::string overlaps = "Y shares memory with X; expected a block apart from it";
  const std::string differs = "Y shares memory with X; expected the same block, or one apart from it";
  EXPECT_EQ(rejection([&] { algebra.multiply_add(Scalar(1), left, B.view(), Scalar(1), left); }),
            "Tessera::multiply_add: " + overlaps);
  EXPECT_EQ(rejection([&] { algebra.multiply_add(Scalar(1), left, B.view(), Scalar(0), middle); }),
            "Tessera::multiply_add: " + differs);
  EXPECT_EQ(rejection([&] { algebra.copy(left, middle); }), "Tessera::copy: " + overlaps);
  EXPECT_EQ(rejection([&] { algebra.scale_rows(whole.data, left, middle); }), "Tessera::scale_rows: " + differs);
  EXPECT_EQ(rejection([&] { algebra.add(Scalar(1), left, Scalar(1), middle, middle); }),
            "Tessera::add: C shares memory with A; expected the same block, or one apart from it");
  EXPECT_EQ(rejection([&] { algebra.add(Scalar(1), left, Scalar(1), right, middle); }),
            "Tessera::add: C shares memory with A; expected the same block, or one apart from it");
  EXPECT_EQ(rejection([&] { algebra.add(Scalar(1), right, Scalar(1), left, middle); }),
            "Tessera::add: C shares memory with B; expected the same block, or one apart from it");
  const std::string nothing = "nothing was rejected";
  EXPECT_EQ(rejection([&] { algebra.add(Scalar(1), left, Scalar(1), right, right); }), nothing);
  EXPECT_EQ(rejection([&] { algebra.multiply_add(Scalar(1), left, B.view(), Scalar(1), right); }), nothing);
  EXPECT_EQ(rejection([&] { algebra.copy(left, left); }), nothing);
}

/// Blocks of columns of one array that overlap or are disjoint, in all possible ways.
TEST(TallBlockTest, SharedMemory) {
  std::vector<double> memory(1000);
  double* data = memory.data();
  const Ordinal even[] = {0, 2, 4}, odd[] = {1, 3, 5}, first[] = {9, 0};
  const auto block = [&](std::ptrdiff_t place, Ordinal rows, Ordinal columns, const Ordinal* list = nullptr) {
    return TallBlock<double>{data + place, rows, columns, 10, list};
  };
  EXPECT_TRUE(share_memory(block(0, 5, 3), block(0, 5, 3)));
  EXPECT_TRUE(share_memory(block(0, 5, 3), block(2, 5, 3)));
  EXPECT_FALSE(share_memory(block(0, 5, 3), block(3, 5, 3)));
  EXPECT_TRUE(share_memory(block(0, 5, 3), block(40, 5, 3)));   // starts at the other's last row
  EXPECT_FALSE(share_memory(block(0, 5, 3), block(50, 5, 3)));  // starts after the other's last row
  EXPECT_FALSE(share_memory(block(50, 5, 3), block(0, 5, 3)));
  EXPECT_TRUE(share_memory(block(8, 5, 2), block(9, 5, 3)));
  EXPECT_TRUE(share_memory(block(8, 5, 3), block(10, 5, 1)));  // a column that starts in the next row
  EXPECT_FALSE(share_memory(block(8, 1, 2), block(10, 1, 1)));
  EXPECT_FALSE(share_memory(block(0, 5, 3, even), block(0, 5, 3, odd)));
  EXPECT_TRUE(share_memory(block(0, 5, 3, even), block(0, 5, 2, first)));
  EXPECT_TRUE(share_memory(block(0, 5, 3, even), block(1, 5, 3, odd)));
  EXPECT_TRUE(share_memory(block(1, 5, 3, odd), block(0, 5, 3, even)));
  EXPECT_FALSE(share_memory(block(0, 0, 3), block(0, 5, 3)));
  EXPECT_FALSE(share_memory(block(0, 5, 0), block(0, 5, 3)));
  TallBlock<double> narrow = block(0, 5, 3);
  narrow.row_stride = 3;
  EXPECT_TRUE(share_memory(narrow, block(3, 5, 3)));  // unequal strides: address ranges decide
  EXPECT_FALSE(share_memory(narrow, block(15, 5, 3)));
  TallBlock<double> row{data, 1, 9, 0, nullptr};
  EXPECT_TRUE(share_memory(row, TallBlock<double>{data + 8, 1, 3, 0, nullptr}));
  EXPECT_FALSE(share_memory(row, TallBlock<double>{data + 9, 1, 3, 0, nullptr}));
  EXPECT_FALSE(share_memory(TallBlock<double>{data, 1, 3, 0, even}, TallBlock<double>{data, 1, 3, 0, odd}));
  EXPECT_TRUE(share_memory(block(0, 1, 2, first), block(9, 1, 1)));  // the last column is listed first
  EXPECT_TRUE(share_memory(block(9, 1, 1), block(0, 1, 2, first)));
  const TallBlock<const float> floats{reinterpret_cast<const float*>(data), 5, 3, 10, nullptr};
  EXPECT_TRUE(share_memory(floats, block(0, 5, 3)));
}

TEST(TallBlockTest, TheSameBlock) {
  double data[20] = {};
  const Ordinal list[] = {0, 1, 2}, other[] = {0, 2, 1};
  const TallBlock<double> plain{data, 2, 3, 5, nullptr}, listed{data, 2, 3, 5, list}, turned{data, 2, 3, 5, other};
  EXPECT_TRUE(are_same(plain, listed));
  EXPECT_FALSE(are_same(plain, turned));
  EXPECT_FALSE(are_same(plain, plain.some_columns(0, 2)));
  EXPECT_FALSE(are_same(plain, plain.some_columns(1, 2)));
  EXPECT_EQ(listed.some_columns(1, 2).place(1), 2);
  EXPECT_EQ(plain.some_columns(1, 2).data, data + 1);
}

}  // namespace Tessera::Impl::Test
