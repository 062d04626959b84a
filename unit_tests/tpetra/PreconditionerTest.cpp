// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preconditioners that multiply blocks, compared with serial ones.
#include <Teuchos_LAPACK.hpp>
#include <functional>
#include <tessera/BlockCg.hpp>
#include <tessera/io/Generators.hpp>
#include <tessera/parallel/Teams.hpp>
#include <tessera/tpetra/ApplyToBlocks.hpp>
#include <tessera/tpetra/Jacobi.hpp>
#include <tessera/tpetra/impl/HaloMemory.hpp>

#include "Events.hpp"
#include "PreconditionerProblem.hpp"
#include "ToolEvents.hpp"

namespace Tessera::Impl::Test {

using Range = Teuchos::Range1D;
using Vector = Tpetra::Vector<double>;
using CrsChebyshev = Chebyshev<double>;

static_assert(std::is_same_v<decltype(Jacobi(RCP<const Matrix>())), Jacobi<double>>);
static_assert(std::is_same_v<decltype(Chebyshev(RCP<CrsMatrix<double>>())), CrsChebyshev>);
static_assert(std::is_same_v<decltype(Chebyshev(RCP<Operator>(), ChebyshevOptions())), CrsChebyshev>);

ChebyshevOptions of_degree(int degree, double largest = 0) {
  ChebyshevOptions options;
  options.degree = degree;
  options.largest_eigenvalue = largest;
  return options;
}

RCP<CrsMatrix<double>> tessera_matrix(const HostCsr<double>& matrix, const RCP<const Map>& map) {
  return rcp(new CrsMatrix<double>(*distribute_over(matrix, map)));
}

/// Returns what a function throws, or an empty text.
template <class Error>
std::string error_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

class OnSquareMaps : public testing::TestWithParam<std::size_t> {
 protected:
  static RCP<const Map> map(GO size) { return square_maps[GetParam()].second(size); }

  /// Compares alpha p(D^-1 A) D^-1 X + beta Y with the serial polynomial, for blocks and for multivectors.
  static void expect_polynomial(const HostCsr<double>& matrix, const CrsChebyshev& M, const ChebyshevOptions& options,
                                std::size_t columns, double alpha, double beta) {
    SCOPED_TRACE("degree " + std::to_string(options.degree) + ", " + std::to_string(columns) + " columns, alpha " +
                 std::to_string(alpha) + ", beta " + std::to_string(beta));
    const auto on_this_rank = M.getDomainMap();
    const auto x = random_vectors(on_this_rank, columns, 5), y = random_vectors(on_this_rank, columns, 6);
    MV expected(*y, Teuchos::Copy), bound(on_this_rank, columns);
    const SerialChebyshev serial(matrix, options, M.largest_eigenvalue());
    for (std::size_t j = 0; j < columns; ++j) {
      SerialChebyshev::Column column(std::size_t(matrix.rows)), most;
      for (std::size_t i = 0; i < column.size(); ++i) column[i] = uniform(std::uint64_t(i) * 64 + j, 5);
      const auto z = serial.apply(column, most);
      const auto e = expected.getLocalViewHost(Tpetra::Access::ReadWrite);
      const auto b = bound.getLocalViewHost(Tpetra::Access::ReadWrite);
      for (std::size_t i = 0; i < e.extent(0); ++i) {
        const auto row = std::size_t(on_this_rank->getGlobalElement(int(i)));
        b(i, j) = double(std::abs(alpha) * most[row] + 1e-15L * std::abs(beta * e(i, j)));
        e(i, j) = double(alpha * z[row] + (beta == 0 ? 0 : beta * e(i, j)));
      }
    }
    const Block X(*x);
    Block Y(*y);
    MV actual(*y, Teuchos::Copy);
    if (beta == 0) {
      Y.putScalar(nan);
      actual.putScalar(nan);
    }
    Tessera::apply(static_cast<const AnyOperator&>(M), X, Y, Teuchos::NO_TRANS, alpha, beta);
    expect_within(*Y.toMultiVector(), expected, bound);
    static_cast<const AnyOperator&>(M).apply(*x, actual, Teuchos::NO_TRANS, alpha, beta);
    expect_within(actual, expected, bound);
  }
};

TEST_P(OnSquareMaps, ChebyshevIsThePolynomial) {
  const auto matrix = generate_elasticity(4, 1);
  const auto A = tessera_matrix(matrix, map(matrix.rows));
  for (const int degree : {1, 2, 3, 4, 7}) {
    const auto options = of_degree(degree);
    const CrsChebyshev M(A, options);
    for (const std::size_t columns : {1, 3, 8, 13}) expect_polynomial(matrix, M, options, columns, 1, 0);
    expect_polynomial(matrix, M, options, 4, -2.5, 0.5);
    expect_polynomial(matrix, M, options, 4, 1, 1);
    expect_polynomial(matrix, M, options, 17, 0, 3);
    expect_polynomial(matrix, M, options, 2, 0, 0);
  }
}

TEST_P(OnSquareMaps, ChebyshevTakesItsInterval) {
  const auto matrix = scaled_differences(203);
  const RCP<const AnyOperator> A = distribute_over(matrix, map(matrix.rows)),
                               op = rcp(new Operator(Teuchos::rcp_dynamic_cast<const Matrix>(A)));
  ChebyshevOptions options = of_degree(5, 1.7);
  options.ratio = 7;
  options.boost = 1.25;
  for (const auto& each : {A, op}) {
    const CrsChebyshev M(each, options);
    EXPECT_EQ(M.largest_eigenvalue(), 1.7);
    EXPECT_TRUE(M.hasTransposeApply());
    expect_polynomial(matrix, M, options, 6, 1, 0);
  }
}

TEST_P(OnSquareMaps, JacobiIsTheInverseDiagonal) {
  const auto matrix = scaled_differences(57);
  const auto A = tessera_matrix(matrix, map(matrix.rows));
  const Jacobi<double> M(A, 0.5);
  EXPECT_TRUE(M.getDomainMap()->isSameAs(*A->getDomainMap()));
  Vector inverse(A->getRowMap());
  A->getLocalDiagCopy(inverse);
  inverse.reciprocal(inverse);
  for (const auto& [alpha, beta] : {std::pair(1.0, 0.0), {-3.0, 0.25}, {0.0, 2.0}, {0.0, 0.0}}) {
    const auto x = random_vectors(M.getDomainMap(), 9, 1), y = random_vectors(M.getDomainMap(), 9, 2);
    MV expected(*y, Teuchos::Copy), actual(*y, Teuchos::Copy);
    Block Y(*y);
    if (beta == 0) Y.putScalar(nan);
    if (beta == 0) actual.putScalar(nan);
    expected.elementWiseMultiply(0.5 * alpha, inverse, *x, beta);
    apply(static_cast<const AnyOperator&>(M), Block(*x), Y, Teuchos::TRANS, alpha, beta);
    expect_elements(Y, expected, 1e-15);
    M.apply(*x, actual, Teuchos::NO_TRANS, alpha, beta);
    expect_elements(Block(actual), expected, 1e-15);
  }
}

/// X is Y, X and Y overlap, or X or Y is a list of columns.
TEST_P(OnSquareMaps, BlocksMayShareMemory) {
  const auto matrix = scaled_differences(57);
  const auto A = tessera_matrix(matrix, map(matrix.rows));
  const Jacobi<double> jacobi(A);
  const CrsChebyshev one(A, of_degree(1)), two(A, of_degree(2)), three(A, of_degree(3));
  const Teuchos::Array<std::size_t> list = Teuchos::tuple<std::size_t>(6, 1, 2, 5);
  for (const AnyOperator* const M : {static_cast<const AnyOperator*>(&jacobi), static_cast<const AnyOperator*>(&one),
                                     static_cast<const AnyOperator*>(&two), static_cast<const AnyOperator*>(&three)}) {
    for (const double beta : {0.0, -0.5}) {
      const auto expect = [&](Block& all, const Block& X, Block& Y) {
        const Block x(X, Teuchos::Copy);
        Block expected(Y, Teuchos::Copy);
        apply(*M, x, expected, Teuchos::NO_TRANS, 2.0, beta);
        const auto before = all.toMultiVector();
        apply(*M, X, Y, Teuchos::NO_TRANS, 2.0, beta);
        expect_elements(Y, *expected.toMultiVector());
        expect_elements(*all.subView(Range(11, 11)), MV(*before->subView(Range(11, 11)), Teuchos::Copy));
      };
      const auto all = random_block(A->getDomainMap(), 12, 3);
      expect(*all, *all->subView(Range(0, 3)), *all->subViewNonConst(Range(0, 3)));
      expect(*all, *all->subView(Range(0, 8)), *all->subViewNonConst(Range(1, 9)));  // 9: more than are read at once
      expect(*all, *all->subView(list()), *all->subViewNonConst(Range(3, 6)));
      expect(*all, *all->subView(Range(3, 6)), *all->subViewNonConst(list()));
      MV multivector(*all->toMultiVector(), Teuchos::Copy), expected(A->getDomainMap(), 12);
      M->apply(multivector, expected);
      M->apply(multivector, multivector);
      expect_elements(Block(multivector), expected);
    }
  }
}

TEST_P(OnSquareMaps, ChebyshevIsSymmetricPositiveDefinite) {
  constexpr int size = 40;
  const auto A = tessera_matrix(scaled_differences(size), map(size));
  Block unit(A->getDomainMap(), size), Y(A->getDomainMap(), size);
  {
    MV vectors(A->getDomainMap(), size);
    for (GO i = 0; i < size; ++i)
      if (A->getDomainMap()->isNodeGlobalElement(i)) vectors.replaceGlobalValue(i, std::size_t(i), 1.0);
    unit.assign(vectors);
  }
  for (const int degree : {1, 2, 3, 6}) {
    const CrsChebyshev M(A, of_degree(degree));
    M.apply(unit, Y);
    Small elements = products(unit, Y);
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < i; ++j) ASSERT_NEAR(elements(i, j), elements(j, i), 1e-15);
    std::vector<double> eigenvalues(size), work(3 * size);
    int info = 0;
    Teuchos::LAPACK<int, double>().SYEV('N', 'L', size, elements.values(), size, eigenvalues.data(), work.data(),
                                        3 * size, &info);
    ASSERT_EQ(info, 0);
    EXPECT_GT(eigenvalues.front(), 1e-3) << degree;
  }
}

/// The estimate needs no more than two digits, and may not exceed the eigenvalue.
TEST_P(OnSquareMaps, LargestEigenvalueIsEstimated) {
  for (const int size : {5, 300, 5000}) {
    const auto A = tessera_matrix(scaled_differences(size), map(size));
    const CrsChebyshev M(A), again(A);
    EXPECT_GT(M.largest_eigenvalue(), 0.95 * largest_of_differences(size)) << size;
    EXPECT_LT(M.largest_eigenvalue(), largest_of_differences(size) * (1 + 1e-7)) << size;
    EXPECT_EQ(M.largest_eigenvalue(), again.largest_eigenvalue());
    ChebyshevOptions longer;
    longer.estimate_steps = 40;
    longer.seed = 2;
    EXPECT_GT(CrsChebyshev(A, longer).largest_eigenvalue(), 0.99 * largest_of_differences(size)) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Maps, OnSquareMaps, testing::Range(std::size_t(0), square_maps.size()),
                         [](const testing::TestParamInfo<std::size_t>& test) { return square_maps[test.param].first; });

TEST(Chebyshev, DiagonalMatrices) {
  HostCsr<double> matrix{30, 30, {0}, {}, {}};
  for (int i = 0; i < 30; ++i) {
    matrix.column_indices.push_back(i);
    matrix.values.push_back(1 + i);
    matrix.row_offsets.push_back(matrix.values.size());
  }
  EXPECT_NEAR(CrsChebyshev(tessera_matrix(matrix, uniform_map(30))).largest_eigenvalue(), 1, 1e-14);
  const auto empty = tessera_matrix(HostCsr<double>{0, 0, {0}, {}, {}}, uniform_map(0));
  const Block X(empty->getDomainMap(), 3);
  Block Y(empty->getDomainMap(), 3);
  EXPECT_NO_THROW(CrsChebyshev(empty).apply(X, Y));
}

/// The transpose of the polynomial is the polynomial of the transpose.
TEST(Chebyshev, Transposed) {
  auto matrix = scaled_differences(33);
  for (std::size_t k = 0; k < matrix.values.size(); k += 3) matrix.values[k] *= 0.75;
  const auto A = tessera_matrix(matrix, cyclic_map(33));
  const CrsChebyshev M(A, of_degree(4, 2));
  const auto X = random_block(A->getDomainMap(), 5, 1), Y = random_block(A->getDomainMap(), 5, 2);
  Block MX(A->getDomainMap(), 5), MY(A->getDomainMap(), 5);
  M.apply(*X, MX);
  M.apply(*Y, MY, Teuchos::TRANS);
  expect_small(products(*Y, MX), products(MY, *X), 1e-13);
}

TEST(Preconditioners, TakeNewValues) {
  const auto A = tessera_matrix(scaled_differences(57), uniform_map(57));
  Jacobi<double> jacobi(A);
  CrsChebyshev chebyshev(A);
  const auto X = random_block(A->getDomainMap(), 4, 1);
  Block before(A->getDomainMap(), 4), after(A->getDomainMap(), 4);
  Block jacobi_before(A->getDomainMap(), 4);
  jacobi.apply(*X, jacobi_before);
  chebyshev.apply(*X, before);
  A->resumeFill();
  A->scale(4);
  A->fillComplete(A->getDomainMap(), A->getRangeMap());
  jacobi.apply(*X, after);
  expect_elements(after, *jacobi_before.toMultiVector());
  jacobi.compute();
  jacobi.apply(*X, after, Teuchos::NO_TRANS, 4);
  expect_elements(after, *jacobi_before.toMultiVector(), 1e-14);
  chebyshev.compute();
  chebyshev.apply(*X, after, Teuchos::NO_TRANS, 4);
  expect_elements(after, *before.toMultiVector(), 1e-14);
}

/// The row is named on all ranks, and the preconditioner stays as it was.
TEST(Preconditioners, RejectDiagonalElements) {
  const auto map = uniform_map(57);
  const auto with = [&](double element) {
    auto matrix = scaled_differences(57);
    for (std::size_t k = matrix.row_offsets[41]; k < matrix.row_offsets[42]; ++k)
      if (matrix.column_indices[k] == 41) matrix.values[k] = element;
    return distribute_over(matrix, map);
  };
  for (const double element : {0.0, nan, std::numeric_limits<double>::infinity(), 1e-310, -2.0}) {
    const auto A = with(element);
    const auto of_jacobi = error_of<std::invalid_argument>([&] { Jacobi<double>{A}; });
    const auto of_chebyshev = error_of<std::invalid_argument>([&] { CrsChebyshev{A}; });
    const bool is_wrong = of_jacobi.find("Tessera::Jacobi: the diagonal element of row 41 is") != of_jacobi.npos;
    EXPECT_EQ(is_wrong, element != -2.0) << of_jacobi;
    EXPECT_NE(of_chebyshev.find("Tessera::Chebyshev: the diagonal element of row 41 is"), of_chebyshev.npos);
  }
  const auto A = with(8);
  Jacobi<double> jacobi(A);
  const auto X = random_block(map, 4, 1);
  Block before(map, 4), after(map, 4);
  jacobi.apply(*X, before);
  A->resumeFill();
  const GO row = 41;
  const double zero = 0;
  if (map->isNodeGlobalElement(row)) A->replaceGlobalValues(row, 1, &zero, &row);
  A->fillComplete(map, map);
  EXPECT_THROW(jacobi.compute(), std::invalid_argument);
  jacobi.apply(*X, after);
  expect_elements(after, *before.toMultiVector());
}

/// An operator that does not give its diagonal.
class NoDiagonal : public AnyOperator {
 public:
  explicit NoDiagonal(const RCP<const AnyOperator>& A) : A_(A) {}
  void apply(const MV& X, MV& Y, Teuchos::ETransp mode, double alpha, double beta) const override {
    A_->apply(X, Y, mode, alpha, beta);
  }
  RCP<const Map> getDomainMap() const override { return A_->getDomainMap(); }
  RCP<const Map> getRangeMap() const override { return A_->getRangeMap(); }

 private:
  RCP<const AnyOperator> A_;
};

TEST(Preconditioners, TakeADiagonal) {
  const auto matrix = scaled_differences(57);
  const auto A = tessera_matrix(matrix, uniform_map(57));
  const auto op = rcp(new NoDiagonal(A));
  const auto diagonal = rcp(new Vector(A->getRowMap()));
  A->getLocalDiagCopy(*diagonal);
  const CrsChebyshev expected(A);
  CrsChebyshev M(op, diagonal);
  const auto X = random_block(A->getDomainMap(), 4, 1);
  Block Y(A->getDomainMap(), 4), Z(A->getDomainMap(), 4);
  expected.apply(*X, Y);
  M.apply(*X, Z);
  expect_elements(Z, *Y.toMultiVector(), 1e-14);
  diagonal->scale(2);  // halves D^-1, and the eigenvalue
  M.compute();
  M.apply(*X, Z);
  expect_elements(Z, *Y.toMultiVector(), 1e-14);
  const auto error = error_of<std::invalid_argument>([&] { CrsChebyshev{op}; });
  EXPECT_NE(error.find("hasDiagonal"), error.npos) << error;
  EXPECT_THROW(Jacobi<double>{op}, std::invalid_argument);
}

TEST(Preconditioners, RejectWhatDoesNotFit) {
  EXPECT_THROW(Jacobi<double>(Teuchos::null), std::invalid_argument);
  EXPECT_THROW(CrsChebyshev(RCP<const AnyOperator>()), std::invalid_argument);
  const auto A = tessera_matrix(scaled_differences(57), uniform_map(57));
  EXPECT_THROW(Jacobi<double>(A, nan), std::invalid_argument);
  const auto rejects = [&](auto&& change) {
    ChebyshevOptions options;
    change(options);
    EXPECT_THROW(CrsChebyshev(A, options), std::invalid_argument);
  };
  rejects([](ChebyshevOptions& options) { options.degree = 0; });
  rejects([](ChebyshevOptions& options) { options.ratio = 1; });
  rejects([](ChebyshevOptions& options) { options.ratio = nan; });
  rejects([](ChebyshevOptions& options) { options.boost = 0.9; });
  rejects([](ChebyshevOptions& options) { options.largest_eigenvalue = -1; });
  rejects([](ChebyshevOptions& options) { options.estimate_steps = 0; });
  const CrsChebyshev chebyshev(A);
  const Jacobi<double> jacobi(A);
  const Block X(A->getDomainMap(), 3), other(uniform_map(58), 4);
  Block Y(A->getDomainMap(), 4);
  for (const BlockOperator<double>* const M :
       {static_cast<const BlockOperator<double>*>(&chebyshev), static_cast<const BlockOperator<double>*>(&jacobi)}) {
    EXPECT_THROW(M->apply(X, Y), std::invalid_argument);
    if (ranks() > 1) continue;
    EXPECT_THROW(M->apply(other, Y), std::invalid_argument);
  }
  if (ranks() == 1) return;
  for (const Spread spread : {Spread::Exported, Spread::Cyclic}) {
    const auto B = distribute(scaled_differences(57), spread);
    EXPECT_THROW(Jacobi<double>{B}, std::invalid_argument);
    EXPECT_THROW(CrsChebyshev{B}, std::invalid_argument);
    EXPECT_THROW(CrsChebyshev{rcp(new Operator(B))}, std::invalid_argument);
    if (spread != Spread::Exported) continue;
    Vector of_range(B->getRangeMap());
    EXPECT_THROW(Operator(B).getLocalDiagCopy(of_range), std::invalid_argument);
  }
}

/// An element that is not finite, off the diagonal.
TEST(Preconditioners, RejectProductsThatAreNotFinite) {
  auto matrix = scaled_differences(57);
  matrix.values[1] = nan;
  EXPECT_THROW(CrsChebyshev{tessera_matrix(matrix, uniform_map(57))}, std::runtime_error);
}

/// With a halo that passes through the host, a device has a plan for its own columns and one for the halo. Otherwise
/// there is one for both.
std::size_t plans_of_a_product() {
  const bool is_staged = chosen_halo_memory(HaloMemory::Auto) == HaloMemory::Host;
  return ranks() > 1 && is_staged && !is_host_space<Matrix::execution_space> ? 2 : 1;
}

/// A kernel for each step, a product in between, and nothing else: no sum over ranks, no copy and no memory.
TEST(Preconditioners, NeedNoMoreThanTheirPasses) {
  const auto map = uniform_map(648);
  const auto A = tessera_matrix(generate_elasticity(6, 1), map);
  for (const int degree : {1, 2, 3, 4}) {
    const CrsChebyshev M(A, of_degree(degree));
    const Block X(map, 8);
    Block Y(map, 8);
    M.apply(X, Y);
    {
      const ToolEvents events;
      M.apply(X, Y);
      const std::size_t products = std::size_t(degree) - 1, halo = ranks() > 1 ? products : 0;
      EXPECT_EQ(events.executions(), products * plans_of_a_product()) << events.text();
      EXPECT_EQ(events.count_kernels("Tessera::chebyshev"), std::size_t(degree)) << events.text();
      EXPECT_EQ(events.count_kernels("Tessera::dense"), 0U) << events.text();
      EXPECT_LE(events.count_kernels("Tessera::gather_rows"), halo);
      EXPECT_EQ(events.count_kernels("Tessera::copy_rows"), 0U) << events.text();  // there is room for the halo
      EXPECT_EQ(events.allocations(), 0U) << events.text();
    }
    const Events events;
    M.apply(X, Y);
    EXPECT_EQ(Events::count("MPI_Allreduce"), 0U) << Events::all();
  }
  const Jacobi<double> jacobi(A);
  const Block X(map, 8);
  Block Y(map, 8);
  const ToolEvents events;
  jacobi.apply(X, Y, Teuchos::NO_TRANS, 2, -1);
  EXPECT_EQ(events.kernels().size(), 1U) << events.text();
  EXPECT_EQ(events.allocations(), 0U) << events.text();
}

/// Multivectors are copied to blocks, in memory that is kept.
TEST(Preconditioners, CopyMultivectors) {
  const auto A = tessera_matrix(generate_elasticity(6, 1), uniform_map(648));
  const CrsChebyshev M(A);
  const MV X(A->getDomainMap(), 8);
  MV Y(A->getDomainMap(), 8);
  M.apply(X, Y);
  const ToolEvents events;
  M.apply(X, Y);
  EXPECT_EQ(events.count_kernels("Tessera::dense"), 2U) << events.text();
  EXPECT_EQ(events.allocations(), 0U) << events.text();
}

TEST(Preconditioners, TheEstimateSumsOnceAStep) {
  if (ranks() == 1) GTEST_SKIP() << "one rank sums nothing";
  const auto A = tessera_matrix(generate_elasticity(6, 1), uniform_map(648));
  CrsChebyshev M(A);
  const Events events;
  M.compute();
  const auto steps = std::size_t(ChebyshevOptions().estimate_steps);
  EXPECT_EQ(Events::count("MPI_Allreduce"), steps + 2) << Events::all();  // the first norm; the check of the diagonal
  EXPECT_EQ(Events::count("Tessera::spmm"), steps * plans_of_a_product()) << Events::all();
}

/// Tessera's block_cg over ranks.
TEST(Preconditioners, SpeedUpBlockCg) {
  using Exec = Block::execution_space;
  const auto map = uniform_map(300);
  const auto A = tessera_matrix(scaled_differences(300), map);
  const auto B = random_block(map, 4, 1);
  BlockCgOptions<double> options;
  options.sum_over_ranks = [](double* sums, Ordinal count) {
    const std::vector<double> here(sums, sums + count);
    Teuchos::reduceAll(*world(), Teuchos::REDUCE_SUM, count, here.data(), sums);
  };
  const auto calls = [&](const BlockOperator<double>& op) {
    return [&, X = Block(map, 4), Y = Block(map, 4)](const auto& from, const auto& to) mutable {
      const auto columns = Range(0, int(from.extent(1)) - 1);
      const auto x = X.subViewNonConst(columns), y = Y.subViewNonConst(columns);
      Kokkos::deep_copy(x->getLocalView(), from);
      op.apply(*x, *y);
      Kokkos::deep_copy(to, std::as_const(*y).getLocalView());
    };
  };
  const auto iterations = [&](const BlockOperator<double>* M) {
    Block X(map, 4);
    const auto result = M == nullptr
                            ? block_cg(Exec(), calls(*A), B->getLocalView(), X.getLocalView(), options)
                            : block_cg(Exec(), calls(*A), calls(*M), B->getLocalView(), X.getLocalView(), options);
    EXPECT_EQ(result.stop, BlockCgStop::Converged);
    return result.iterations;
  };
  const int none = iterations(nullptr);
  const Jacobi<double> jacobi(A);
  const CrsChebyshev chebyshev(A);
  EXPECT_LT(iterations(&jacobi), none);
  EXPECT_LE(2 * iterations(&chebyshev), none);
}

}  // namespace Tessera::Impl::Test
