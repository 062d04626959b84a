// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block needs at most the iterations of its slowest column alone, and solves every column that converges alone. Each
// test writes a table, BlockCgIterationsTest-*.tsv in its working directory, with a line for each system.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <tessera/io/MatrixMarket.hpp>
#include <tessera/io/ReadMatrix.hpp>

#include "SparseSystem.hpp"

namespace Tessera::Impl::Test {
namespace {

template <class Case>
class BlockCgIterationsTest;
template <class Exec_, class Scalar_>
class BlockCgIterationsTest<Case<Exec_, Scalar_>> : public ::testing::Test {
 public:
  using Exec = Exec_;
  using Scalar = Scalar_;
  using System = SparseSystem<Exec, Scalar>;
  static constexpr bool is_double = sizeof(Scalar) == 8;

  static typename System::Options options() {
    typename System::Options result;
    result.tolerance = is_double ? 1e-8 : 1e-3;
    result.max_iterations = 20000;
    return result;
  }

  /// Returns whether each column alone converges, and the tolerance is well above the rounding error. If so, the block
  /// must converge, too.
  bool check(const std::string& name, const System& system, const HostDenseMatrix& B, const HostDenseMatrix& guess) {
    if (!is_chosen_on<Exec>(7)) return false;
    SCOPED_TRACE(name);
    const auto options_ = options();
    const auto found = system.compare(B, guess, options_);
    const bool counts = found.all_alone && found.floor <= options_.tolerance / 10;
    table << name << '\t' << B.columns << '\t' << found.block.iterations << '\t' << found.slowest << '\t'
          << found.ratio() << '\t' << found.worst << '\t' << found.block.restarts << '\t' << to_string(found.block.stop)
          << '\t' << (counts ? "yes" : "no") << '\n';
    if (!counts) return false;
    ++compared;
    worst_ratio = std::max(worst_ratio, found.ratio());
    EXPECT_TRUE(found.block.has_converged) << to_string(found.block.stop);
    EXPECT_LE(found.block.iterations, found.slowest + slack(found.slowest));
    // Half of the tolerance is added for the rounding error of computing a residual.
    EXPECT_LE(found.worst, 1.5 * options_.tolerance);
    EXPECT_EQ(found.block.columns_alone, 0);
    return true;
  }
  bool check(const std::string& name, const System& system, const HostDenseMatrix& B) {
    return check(name, system, B, HostDenseMatrix(B.rows, B.columns));
  }

  static HostDenseMatrix columns_of(const HostDenseMatrix& from, int columns) {
    HostDenseMatrix result(from.rows, columns);
    for (int i = 0; i < from.rows; ++i)
      for (int j = 0; j < columns; ++j) result(i, j) = from(i, j);
    return result;
  }

  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = test->test_suite_name() + std::string("-") + test->name() + ".tsv";
    std::replace(name.begin(), name.end(), '/', '-');
    table.open(name);
    table << "system\tcolumns\titerations\tslowest alone\tratio\tresidual\trestarts\tstop\tall solved alone\n";
  }
  void TearDown() override {
    if (compared > 0) std::printf("%d systems, worst ratio %.2f\n", compared, worst_ratio);
  }

  std::ofstream table;
  int compared = 0;
  double worst_ratio = 0;
  /// Allows more iterations if only one direction remains or columns help each other little: rounding then decides. In
  /// a block, the error in the norm of A falls at least as fast as for a column alone. The residual, which is compared
  /// with the tolerance, may fall a step or two later.
  bool is_close = false;
  int slack(int iterations) const { return is_close ? 2 + iterations / 25 : 0; }
};
TYPED_TEST_SUITE(BlockCgIterationsTest, EverySpace<RealCases>::type);

HostCsr<double> diagonal_matrix(const std::vector<double>& diagonal) {
  HostCsr<double> A;
  A.rows = A.columns = int(diagonal.size());
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    A.column_indices.push_back(int(i));
    A.values.push_back(diagonal[i]);
    A.row_offsets.push_back(i + 1);
  }
  return A;
}

/// The Laplacian of a line of springs with these stiffnesses, between two walls.
HostCsr<double> springs(const std::vector<double>& stiffness) {
  HostCsr<double> A;
  A.rows = A.columns = int(stiffness.size()) - 1;
  for (int i = 0; i < A.rows; ++i) {
    const double left = stiffness[std::size_t(i)], right = stiffness[std::size_t(i) + 1];
    const auto add = [&](int column, double value) {
      if (column < 0 || column >= A.columns) return;
      A.column_indices.push_back(column);
      A.values.push_back(value);
    };
    add(i - 1, -left);
    add(i, left + right);
    add(i + 1, -right);
    A.row_offsets.push_back(A.values.size());
  }
  return A;
}

struct Named {
  std::string name;
  HostCsr<double> A;
};

/// Spectra with known condition and clusters.
std::vector<Named> family(int n, double condition) {
  const auto spectrum = [&](const auto& at) {
    std::vector<double> values;
    for (int i = 0; i < n; ++i) values.push_back(at(double(i) / (n - 1), i));
    return diagonal_matrix(values);
  };
  std::vector<double> jumps;
  for (int i = 0; i <= n; ++i) jumps.push_back(i / 5 % 2 == 0 ? 1 : condition);
  const auto even = [&](double t, int) { return std::pow(condition, t - 1); };
  // Strakos, "On the real convergence rate of the conjugate gradient method", 1991: dense at the small end.
  const auto strakos = [&](double t, int i) {
    return (1 + t * (condition - 1) * std::pow(0.8, n - 1 - i)) / condition;
  };
  const auto clusters = [&](double t, int i) { return std::pow(condition, -double(i % 4) / 3) * (1 + 1e-3 * t); };
  const auto outliers = [&](double t, int i) { return i < 5 ? std::pow(condition, -i / 4.0) : 1 + t; };
  return {{"logarithms", spectrum(even)},
          {"strakos", spectrum(strakos)},
          {"clusters", spectrum(clusters)},
          {"outliers", spectrum(outliers)},
          {"springs", springs(jumps)}};
}

/// Rounds elements to the device's type.
template <class Scalar>
HostDenseMatrix rounded(HostDenseMatrix host) {
  for (double& element : host.elements) element = double(Scalar(element));
  return host;
}

HostDenseMatrix multiply(const HostCsr<double>& A, const HostDenseMatrix& X) {
  HostDenseMatrix Y(A.rows, X.columns);
  for (int i = 0; i < A.rows; ++i)
    for (std::size_t k = A.row_offsets[std::size_t(i)]; k < A.row_offsets[std::size_t(i) + 1]; ++k)
      for (int j = 0; j < X.columns; ++j) Y(i, j) += A.values[k] * X(A.column_indices[k], j);
  return Y;
}

std::string condition_name(double condition) { return "1e" + std::to_string(int(std::lround(std::log10(condition)))); }

TYPED_TEST(BlockCgIterationsTest, KnownConditions) {
  for (const double condition : this->is_double ? std::vector<double>{1e2, 1e6, 1e10} : std::vector<double>{10, 1e3}) {
    for (const auto& [name, A] : family(60, condition)) {
      for (const bool has_preconditioner : {false, true}) {
        if (has_preconditioner && name != "springs") continue;  // would be the exact inverse
        for (const bool with_inner : {false, true}) {
          const SparseSystem<typename TestFixture::Exec, typename TestFixture::Scalar> system(A, has_preconditioner,
                                                                                              with_inner);
          for (const int columns : {1, 2, 3, 4, 8, 16, 32, 64}) {
            const auto B = rounded<typename TestFixture::Scalar>(random_matrix(A.rows, columns, unsigned(columns)));
            this->check(name + " " + condition_name(condition) + (has_preconditioner ? " jacobi" : "") +
                            (with_inner ? " inner" : ""),
                        system, B);
          }
        }
      }
    }
  }
}

/// Right-hand sides that are hard for a block, each with its guess.
struct Sides {
  std::string name;
  HostDenseMatrix B, guess;
};

template <class Scalar>
std::vector<Sides> right_hand_sides(const HostCsr<double>& A, int columns) {
  const int n = A.rows;
  const bool is_double = sizeof(Scalar) == 8;
  const auto C = random_matrix(n, columns, 3), D = random_matrix(n, columns, 4);
  const HostDenseMatrix zero(n, columns);
  const auto made = [&](const auto& at) {
    HostDenseMatrix result(n, columns);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < columns; ++j) result(i, j) = at(i, j);
    return rounded<Scalar>(result);
  };
  const auto random = made([&](int i, int j) { return C(i, j); });
  const auto solutions = made([&](int i, int j) { return D(i, j); });
  const auto products = multiply(A, solutions);
  std::vector<Sides> sides = {
      {"equal", made([&](int i, int) { return C(i, 0); }), zero},
      {"rank 2", made([&](int i, int j) { return j < 2 ? C(i, j) : C(i, 0) * (j - 1) + C(i, 1) / j; }), zero},
      {"wildly scaled",
       made([&](int i, int j) { return C(i, j) * std::pow(10., (is_double ? 90 : 12) * (j % 7 - 3) / 3.); }), zero},
      {"one unit vector", made([&](int i, int j) { return j == 0 ? i == n / 2 : C(i, j); }), zero},
      {"unit vectors", made([&](int i, int j) { return i == (j * 7) % n; }), zero},
      {"zeros", made([&](int i, int j) { return j % 3 == 1 ? 0 : C(i, j); }), zero},
      {"exact guesses", rounded<Scalar>(products),
       made([&](int i, int j) { return j % 2 == 0 ? solutions(i, j) : 0; })},
      {"good guesses", rounded<Scalar>(products),
       made([&](int i, int j) { return solutions(i, j) * (1 + 1e-4 * C(i, j)); })},
      {"bad guesses", random, made([&](int i, int j) { return 1e3 * D(i, j); })}};
  for (const double apart : {1e-3, 1e-6, 1e-10, 1e-14})
    sides.push_back(
        {"apart by " + condition_name(apart), made([&](int i, int j) { return C(i, 0) + apart * j * C(i, j); }), zero});
  return sides;
}

TYPED_TEST(BlockCgIterationsTest, RightHandSides) {
  using Scalar = typename TestFixture::Scalar;
  this->is_close = true;
  for (const double condition : this->is_double ? std::vector<double>{1e2, 1e6, 1e10} : std::vector<double>{10, 1e3}) {
    for (const auto& [name, A] : family(60, condition)) {
      const bool is_springs = name == "springs";
      if (is_springs && condition > 1e6) continue;  // Jacobi scaling increases its condition by a factor of 3600
      for (const bool with_inner : {false, true}) {
        const SparseSystem<typename TestFixture::Exec, Scalar> system(A, is_springs, with_inner);
        for (const int columns : {2, 5, 16}) {
          for (const auto& [kind, B, guess] : right_hand_sides<Scalar>(A, columns))
            this->check(name + " " + condition_name(condition) + " " + kind + (with_inner ? " inner" : ""), system, B,
                        guess);
        }
      }
    }
  }
}

bool has_positive_diagonal(const HostCsr<double>& A) {
  for (int i = 0; i < A.rows; ++i) {
    double diagonal = 0;
    for (std::size_t k = A.row_offsets[std::size_t(i)]; k < A.row_offsets[std::size_t(i) + 1]; ++k)
      if (A.column_indices[k] == i) diagonal = A.values[k];
    if (!(diagonal > 0)) return false;
  }
  return true;
}

/// The real matrices of TESSERA_DATA_DIR that may be symmetric positive definite, with at most 10^5 entries. With
/// TESSERA_COLLECTION=full, iterations of single columns are not limited by time.
std::vector<std::pair<std::string, HostCsr<double>>> real_matrices() {
  std::vector<std::pair<std::string, HostCsr<double>>> matrices;
  const char* folder = std::getenv("TESSERA_DATA_DIR");
  if (folder == nullptr || *folder == '\0') return matrices;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!(name.ends_with(".mtx") || name.ends_with(".mtx.gz")) || entry.file_size() > 4000000) continue;
    const auto header = read_matrix_market_header(entry.path().string());
    if (header.symmetry != MatrixMarketHeader::Symmetry::Symmetric ||
        header.field == MatrixMarketHeader::Field::Pattern || header.field == MatrixMarketHeader::Field::Complex ||
        header.stored_entries > 100000)
      continue;
    auto A = read_matrix<double>(entry.path().string());
    if (A.values.size() > 100000 || !has_positive_diagonal(A)) continue;
    matrices.emplace_back(name.substr(0, name.find('.')), std::move(A));
  }
  std::sort(matrices.begin(), matrices.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return matrices;
}

/// The matrix of a grid of n x n cells between walls, with a coefficient for each cell.
template <class Coefficient>
HostCsr<double> grid_of_cells(int n, const Coefficient& coefficient) {
  HostCsr<double> A;
  A.rows = A.columns = n * n;
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      const auto between = [&](int x2, int y2) {
        const double a = coefficient(x, y), b = coefficient(std::clamp(x2, 0, n - 1), std::clamp(y2, 0, n - 1));
        return 2 * a * b / (a + b);
      };
      const double south = between(x, y - 1), west = between(x - 1, y), east = between(x + 1, y),
                   north = between(x, y + 1);
      const auto add = [&](bool is_inside, int column, double value) {
        if (!is_inside) return;
        A.column_indices.push_back(column);
        A.values.push_back(value);
      };
      const int row = x + n * y;
      add(y > 0, row - n, -south);
      add(x > 0, row - 1, -west);
      add(true, row, south + west + east + north);
      add(x < n - 1, row + 1, -east);
      add(y < n - 1, row + n, -north);
      A.row_offsets.push_back(A.values.size());
    }
  }
  return A;
}

/// A clamped beam of n elements: fourth-order differences, whose condition grows with n^4.
HostCsr<double> beam(int n) {
  HostCsr<double> A;
  A.rows = A.columns = n;
  const double values[] = {1, -4, 6, -4, 1};
  for (int i = 0; i < n; ++i) {
    for (int k = -2; k <= 2; ++k) {
      if (i + k < 0 || i + k >= n) continue;
      A.column_indices.push_back(i + k);
      A.values.push_back(values[k + 2]);
    }
    A.row_offsets.push_back(A.values.size());
  }
  return A;
}

/// Coefficients that jump by a factor of 10^8 between blocks of cells.
HostCsr<double> blocks_of_cells(int n) {
  return grid_of_cells(n, [](int x, int y) { return (x / 8 + y / 8) % 2 == 0 ? 1 : 1e8; });
}

/// Three cells in ten, at random, have coefficients that are 10^6 times as large.
HostCsr<double> scattered_cells(int n) {
  std::mt19937 engine(1);
  std::vector<double> coefficients;
  for (int i = 0; i < n * n; ++i) coefficients.push_back(engine() % 10 < 3 ? 1e6 : 1);
  return grid_of_cells(n, [&](int x, int y) { return coefficients[std::size_t(x + n * y)]; });
}

TYPED_TEST(BlockCgIterationsTest, JumpsAndBeams) {
  using Scalar = typename TestFixture::Scalar;
  this->is_close = true;
  if (!this->is_double) GTEST_SKIP() << "their conditions are too large for float";
  for (const auto& [name, A] : {Named{"blocks of cells", blocks_of_cells(40)}, Named{"beam 60", beam(60)},
                                Named{"scattered cells", scattered_cells(40)}, Named{"beam 100", beam(100)}}) {
    for (const bool with_inner : {false, true}) {
      const SparseSystem<typename TestFixture::Exec, Scalar> system(A, true, with_inner);
      for (const int columns : {1, 2, 3, 4, 6, 8, 16, 32, 64})
        this->check(name + (with_inner ? " inner" : ""), system, multiply(A, random_matrix(A.rows, columns, 1)));
    }
  }
}

/// Residuals oscillate near the tolerance, because cells with coefficients of 10^6 converge much earlier than others.
/// Without smoothing, a block and a single column reach the tolerance at different minima of the residual.
TYPED_TEST(BlockCgIterationsTest, ResidualsThatSwing) {
  using Scalar = typename TestFixture::Scalar;
  this->is_close = true;
  if (!this->is_double) GTEST_SKIP() << "their conditions are too large for float";
  const auto A = scattered_cells(40);
  for (const bool with_inner : {false, true}) {
    const SparseSystem<typename TestFixture::Exec, Scalar> system(A, true, with_inner);
    for (const int columns : {2, 3, 4, 5}) {
      for (const unsigned seed : {1U, 2U, 3U})
        this->check("scattered cells " + std::to_string(seed) + (with_inner ? " inner" : ""), system,
                    multiply(A, random_matrix(A.rows, columns, seed)));
    }
  }
}

TYPED_TEST(BlockCgIterationsTest, RealMatrices) {
  using Exec = typename TestFixture::Exec;
  using Scalar = typename TestFixture::Scalar;
  if (!this->is_double) GTEST_SKIP() << "their conditions are too large for float";
  constexpr bool is_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;
  if (!is_host && runs_fewer_cases()) GTEST_SKIP() << "thousands of iterations of small kernels";
  const auto matrices = real_matrices();
  if (matrices.empty()) GTEST_SKIP() << "TESSERA_DATA_DIR is not set";
  const char* collection = std::getenv("TESSERA_COLLECTION");
  // A solve of a single column may read this many numbers. The limit is lower where iterations take long: on devices,
  // where each waits for kernels, and under the sanitizer.
#ifdef __SANITIZE_ADDRESS__
  const double work = 1e8;
#else
  const double work = is_host ? 3e9 : 1e8;
#endif
  const bool is_full = collection != nullptr && std::string(collection) == "full";
  for (const auto& [name, A] : matrices) {
    for (const bool has_preconditioner : {false, true}) {
      const SparseSystem<Exec, Scalar> system(A, has_preconditioner, false);
      const auto B = random_matrix(A.rows, 32, 1);
      auto alone_options = this->options();
      alone_options.max_iterations =
          is_full ? 100000 : int(work / double(A.values.size() + 4 * std::size_t(A.rows)) / 10);
      auto first = this->columns_of(B, 1), X = HostDenseMatrix(A.rows, 1);
      const auto alone = system.solve(first, X, alone_options);
      if (!alone.has_converged || system.floor(first, X, 0) > alone_options.tolerance / 10) {
        this->table << name << (has_preconditioner ? " jacobi" : "") << "\t1\t" << alone.iterations << "\t\t\t\t"
                    << alone.restarts << '\t' << to_string(alone.stop) << "\tno\n";
        continue;
      }
      for (const int columns : {1, 2, 4, 8, 16, 32})
        this->check(name + (has_preconditioner ? " jacobi" : ""), system, this->columns_of(B, columns));
    }
  }
  EXPECT_GT(this->compared, 0);
}

}  // namespace
}  // namespace Tessera::Impl::Test
