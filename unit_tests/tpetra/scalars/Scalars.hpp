// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tpetra.hpp"
//
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "../TestProblem.hpp"

/// Products with matrices of any scalar type, compared with serial ones in the greatest precision.
namespace Tessera::Impl::Test {

template <class Scalar>
struct Numbers {
  using Real = Scalar;
  using Wide = long double;
  static constexpr int growth = 1;  // of rounding errors, over those of real numbers
  static Scalar of(std::uint64_t place, std::uint64_t seed) { return Scalar(uniform(place, seed)); }
  static Wide wide(Scalar number) { return number; }
};
template <class R>
struct Numbers<std::complex<R>> {
  using Real = R;
  using Wide = std::complex<long double>;
  static constexpr int growth = 2;
  static std::complex<R> of(std::uint64_t place, std::uint64_t seed) {
    return {R(uniform(place, seed)), R(uniform(place, seed + 1000))};
  }
  static Wide wide(std::complex<R> number) { return {number.real(), number.imag()}; }
};

template <class Scalar>
Scalar conjugate(Scalar number) {
  if constexpr (std::is_floating_point_v<Scalar>) {
    return number;
  } else {
    return std::conj(number);
  }
}

/// A pattern with empty, short and long rows. The values are those of element().
inline HostCsr<double> pattern(Ordinal rows, Ordinal columns) {
  HostCsr<double> matrix{rows, columns, {0}, {}, {}};
  for (Ordinal i = 0; i < rows; ++i) {
    for (Ordinal c = 0; c < columns; ++c) {
      const auto place = std::uint64_t(i) * std::uint64_t(columns) + std::uint64_t(c);
      if (i != c && (i == 7 ? c % 3 == 1 : i % 5 == 3 || hash(place, 9) % 6 != 0)) continue;
      matrix.column_indices.push_back(c);
      matrix.values.push_back(0);
    }
    matrix.row_offsets.push_back(matrix.values.size());
  }
  return matrix;
}

/// Matrices and products of one scalar type. Blocks have `size` rows; for a CrsMatrix it is 1.
template <class Scalar>
struct OfScalar {
  using N = Numbers<Scalar>;
  using Matrix = Tpetra::CrsMatrix<Scalar>;
  using BlockMatrix = Tpetra::BlockCrsMatrix<Scalar>;
  using MV = Tpetra::MultiVector<Scalar>;

  static Scalar element(GO I, GO J, int r = 0, int c = 0) {
    return N::of((std::uint64_t(I) * 1009 + std::uint64_t(J)) * 64 + std::uint64_t(r * 8 + c), 1);
  }

  static RCP<Matrix> distribute(const HostCsr<double>& pattern, const Maps& maps) {
    const auto A = rcp(new Matrix(maps.row, std::size_t(pattern.columns)));
    for (const GO row : maps.row->getLocalElementList()) {
      for (std::size_t k = pattern.row_offsets[std::size_t(row)]; k < pattern.row_offsets[std::size_t(row) + 1]; ++k) {
        const GO column = pattern.column_indices[k];
        A->insertGlobalValues(row, Teuchos::tuple(column), Teuchos::tuple(element(row, column)));
      }
    }
    A->fillComplete(maps.domain, maps.range);
    return A;
  }

  static RCP<BlockMatrix> distribute_blocks(const HostCsr<double>& pattern, const Maps& maps, int size) {
    const auto A = rcp(new BlockMatrix(*Test::distribute(pattern, maps)->getCrsGraph(), size));
    std::vector<Scalar> block(std::size_t(size) * std::size_t(size));
    for (int row = 0; row < int(A->getLocalNumRows()); ++row) {
      typename BlockMatrix::local_inds_host_view_type columns;
      A->getCrsGraph().getLocalRowView(row, columns);
      for (std::size_t k = 0; k < columns.extent(0); ++k) {
        const int column = columns(k);
        const GO I = A->getRowMap()->getGlobalElement(row), J = A->getColMap()->getGlobalElement(column);
        for (int r = 0; r < size; ++r)
          for (int c = 0; c < size; ++c) block[std::size_t(r * size + c)] = element(I, J, r, c);
        EXPECT_EQ(A->replaceLocalValues(row, &column, block.data(), 1), 1);
      }
    }
    return A;
  }

  static RCP<MV> random(const RCP<const Map>& map, std::size_t columns, std::uint64_t seed) {
    const auto result = rcp(new MV(map, columns));
    const auto view = result->getLocalViewHost(Tpetra::Access::OverwriteAll);
    for (std::size_t i = 0; i < view.extent(0); ++i)
      for (std::size_t j = 0; j < columns; ++j)
        view(i, j) = N::of(std::uint64_t(map->getGlobalElement(int(i))) * 64 + j, seed);
    return result;
  }

  /// Expects Y to be factor op(A) X + beta Y0 with the elements of random(..., 5) and random(..., 6), within twice the
  /// bound of a product by the rounding errors of its type.
  static void expect_product(const MV& Y, const HostCsr<double>& pattern, int size, Teuchos::ETransp mode,
                             Scalar factor, Scalar beta) {
    const bool is_transposed = mode != Teuchos::NO_TRANS;
    const std::size_t columns = Y.getNumVectors();
    const auto points = std::size_t(is_transposed ? pattern.columns : pattern.rows) * std::size_t(size);
    std::vector<typename N::Wide> sums(points * columns);
    std::vector<long double> magnitudes(points * columns);
    std::vector<int> lengths(points);
    for (Ordinal I = 0; I < pattern.rows; ++I) {
      for (std::size_t k = pattern.row_offsets[std::size_t(I)]; k < pattern.row_offsets[std::size_t(I) + 1]; ++k) {
        const Ordinal J = pattern.column_indices[k];
        for (int r = 0; r < size; ++r) {
          for (int c = 0; c < size; ++c) {
            const Scalar a = element(I, J, r, c);
            const auto value = N::wide(mode == Teuchos::CONJ_TRANS ? conjugate(a) : a) * N::wide(factor);
            const auto row = std::size_t(I * size + r), column = std::size_t(J * size + c);
            const std::size_t to = is_transposed ? column : row, from = is_transposed ? row : column;
            ++lengths[to];
            for (std::size_t j = 0; j < columns; ++j) {
              const auto term = value * N::wide(N::of(from * 64 + j, 5));
              sums[to * columns + j] += term;
              magnitudes[to * columns + j] += std::abs(term);
            }
          }
        }
      }
    }
    const auto y = Y.getLocalViewHost(Tpetra::Access::ReadOnly);
    constexpr long double u = std::numeric_limits<typename N::Real>::epsilon() / 2;
    int wrong = 0;
    for (std::size_t i = 0; i < y.extent(0); ++i) {
      const auto point = std::size_t(Y.getMap()->getGlobalElement(int(i)));
      for (std::size_t j = 0; j < columns; ++j) {
        const auto old = beta == Scalar(0) ? typename N::Wide(0) : N::wide(beta) * N::wide(N::of(point * 64 + j, 6));
        const auto expected = sums[point * columns + j] + old;
        const long double bound =
            2 * N::growth * (lengths[point] + ranks() + 2) * u * (magnitudes[point * columns + j] + std::abs(old));
        if (std::abs(N::wide(Scalar(y(i, j))) - expected) <= bound || ++wrong > 3) continue;
        ADD_FAILURE() << "rank " << rank() << ", point " << point << ", column " << j << " is off by "
                      << double(std::abs(N::wide(Scalar(y(i, j))) - expected)) << "; expected at most "
                      << double(bound);
      }
    }
    EXPECT_EQ(wrong, 0);
  }

  /// \param op     [in] multiplies by the matrix of pattern and size, times a factor
  static void expect_products(const Tpetra::Operator<Scalar>& op, const HostCsr<double>& pattern, int size,
                              Scalar factor = 1) {
    for (const auto mode : {Teuchos::NO_TRANS, Teuchos::TRANS, Teuchos::CONJ_TRANS}) {
      for (const std::size_t columns : {1, 5, 16}) {
        for (const Scalar beta : {Scalar(0), N::of(2, 3)}) {
          SCOPED_TRACE("blocks of " + std::to_string(size) + ", mode " + std::to_string(mode) + ", " +
                       std::to_string(columns) + " columns");
          const Scalar alpha = N::of(1, 3);
          const bool is_plain = mode == Teuchos::NO_TRANS;
          const auto X = random(is_plain ? op.getDomainMap() : op.getRangeMap(), columns, 5);
          const auto Y = random(is_plain ? op.getRangeMap() : op.getDomainMap(), columns, 6);
          if (beta == Scalar(0)) Y->putScalar(Scalar(std::numeric_limits<typename N::Real>::quiet_NaN()));
          op.apply(*X, *Y, mode, alpha, beta);
          expect_product(*Y, pattern, size, mode, alpha * factor, beta);
        }
      }
    }
  }
};

/// The tests of one scalar type.
template <class Scalar>
class ScalarOn : public testing::Test {};

inline const std::vector<Spread> spreads_of_scalars = {Spread::Uniform, Spread::Shuffled, Spread::RowsOnLastRank,
                                                       Spread::Exported};

TYPED_TEST_SUITE_P(ScalarOn);

TYPED_TEST_P(ScalarOn, CrsMatrixMultiplies) {
  using S = OfScalar<TypeParam>;
  const auto matrix = pattern(23, 17);
  static_assert(CrsMatrix<TypeParam>::multiplies_with_tessera);
  for (const Spread spread : spreads_of_scalars) {
    for (const Overlap overlap : {Overlap::Never, Overlap::Always}) {
      const auto A = S::distribute(matrix, Maps::of(matrix, spread));
      CrsMatrix<TypeParam> ours(*A, options_of(overlap));
      S::expect_products(ours, matrix, 1);
      EXPECT_NE(ours.explain().find("rank "), std::string::npos) << ours.explain();  // there are plans
      ours.resumeFill();
      ours.scale(TypeParam(2));
      ours.fillComplete(ours.getDomainMap(), ours.getRangeMap());
      S::expect_products(ours, matrix, 1, TypeParam(2));
    }
  }
}

TYPED_TEST_P(ScalarOn, TpetraOperatorMultiplies) {
  using S = OfScalar<TypeParam>;
  const auto matrix = pattern(23, 17);
  for (const Spread spread : spreads_of_scalars) {
    for (const Overlap overlap : {Overlap::Never, Overlap::Always}) {
      const Maps maps = Maps::of(matrix, spread);
      S::expect_products(TpetraOperator(S::distribute(matrix, maps), options_of(overlap)), matrix, 1);
      S::expect_products(TpetraOperator(S::distribute_blocks(matrix, maps, 3), options_of(overlap)), matrix, 3);
    }
  }
}

/// Jacobi multiplies by damping / a_ii, and by its conjugate in the mode of that name.
TYPED_TEST_P(ScalarOn, JacobiMultiplies) {
  using S = OfScalar<TypeParam>;
  const auto matrix = pattern(19, 19);
  const TypeParam damping = S::N::of(4, 3), alpha = S::N::of(1, 3), beta = S::N::of(2, 3);
  const auto A = S::distribute(matrix, Maps::of(matrix, Spread::Uniform));
  const Jacobi<TypeParam> M(A, damping);
  using Real = typename S::N::Real;
  for (const auto mode : {Teuchos::NO_TRANS, Teuchos::TRANS, Teuchos::CONJ_TRANS}) {
    const auto X = S::random(A->getDomainMap(), 3, 5), Y = S::random(A->getDomainMap(), 3, 6);
    M.apply(*X, *Y, mode, alpha, beta);
    const auto y = Y->getLocalViewHost(Tpetra::Access::ReadOnly);
    for (std::size_t i = 0; i < y.extent(0); ++i) {
      const GO row = Y->getMap()->getGlobalElement(int(i));
      TypeParam inverse = damping / S::element(row, row);
      if (mode == Teuchos::CONJ_TRANS) inverse = conjugate(inverse);
      for (std::size_t j = 0; j < 3; ++j) {
        const TypeParam x = S::N::of(std::uint64_t(row) * 64 + j, 5), old = S::N::of(std::uint64_t(row) * 64 + j, 6);
        const Real bound = 20 * std::numeric_limits<Real>::epsilon() * (std::abs(alpha * inverse * x) + std::abs(old));
        EXPECT_LE(std::abs(TypeParam(y(i, j)) - (alpha * inverse * x + beta * old)), bound) << "row " << row;
      }
    }
  }
  EXPECT_THROW((Jacobi<TypeParam>(A, TypeParam(0))), std::invalid_argument);
  EXPECT_THROW((Jacobi<TypeParam>(A, TypeParam(std::numeric_limits<Real>::infinity()))), std::invalid_argument);
  A->resumeFill();
  if (A->getRowMap()->isNodeGlobalElement(3)) {
    A->replaceGlobalValues(3, Teuchos::tuple<GO>(3), Teuchos::tuple<TypeParam>(TypeParam(0)));
  }
  A->fillComplete();
  EXPECT_THROW((Jacobi<TypeParam>(A)), std::invalid_argument);
}

REGISTER_TYPED_TEST_SUITE_P(ScalarOn, CrsMatrixMultiplies, TpetraOperatorMultiplies, JacobiMultiplies);

}  // namespace Tessera::Impl::Test
