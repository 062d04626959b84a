// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests one real matrix in every combination of format, row order, precision, layout and mode. All matrices take hours:
// scripts/campaign passes one at a time in TESSERA_COLLECTION_FILE.
#include <array>
#include <bit>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <tessera/io/ReadMatrix.hpp>
#include <tuple>
#include <vector>

#include "PlanCheck.hpp"
#include "RealMatrices.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

/// The products of one matrix in one type. Operands and references are computed once.
template <class Exec, class Scalar>
class EveryWay {
 public:
  explicit EveryWay(const UserMatrix<Exec, Scalar, int>& A) : A_(A) {
    operands_.try_emplace(false, A.host.columns, A.host.rows);
    operands_.try_emplace(true, A.host.rows, A.host.columns);
  }

  /// Checks the products of a plan. Returns false if the device lacks the precision.
  bool multiplies(const PlanOptions& options, const std::string& what) {
    decltype(A_.plan(options)) plan;
    try {
      plan = A_.plan(options);
    } catch (const std::invalid_argument&) {
      if (options.precision != Precision::Native) return false;
      throw;
    }
    if (options.precision != precision_) references_.clear();
    precision_ = options.precision;
    for (const Mode mode : every_mode) {
      Operands& o = operands_.at(is_transposed(mode));
      for (Vectors<Kokkos::LayoutLeft>& v : o.left) expect_right(plan, mode, v, Scalar(0), what + ", left");
      for (Vectors<Kokkos::LayoutRight>& v : o.right) expect_right(plan, mode, v, beta, what + ", right");
    }
    return true;
  }

 private:
  using User = user_scalar_t<Scalar>;
  using Memory = typename Exec::memory_space;
  static constexpr int most_columns = 33;
  static constexpr std::array<int, 2> compared = {0, most_columns - 1};  // nvcc loses a C array's size
  static constexpr bool is_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;
  static constexpr bool adds(Scalar factor) { return factor != Scalar(0); }
  const Scalar alpha = number<Scalar>(-2, 0.5), beta = number<Scalar>(0.5, 0.25);

  /// X, the initial Y and the result Y, on the device.
  template <class Layout>
  struct Vectors {
    using View = Kokkos::View<User**, Layout, Memory>;
    View x, before, y;
    Vectors(const Dense<Scalar>& all_x, const Dense<Scalar>& all_y, int columns, bool are_nan)
        : x(first_columns(all_x, columns, false)),
          before(first_columns(all_y, columns, are_nan)),
          y("y", all_y.rows(), columns) {}

   private:
    static View first_columns(const Dense<Scalar>& all, int columns, bool are_nan) {
      const View view("vectors", all.rows(), columns);
      const auto host = Kokkos::create_mirror_view(view);
      for (int j = 0; j < columns; ++j)
        for (int i = 0; i < all.rows(); ++i)
          host(i, j) = std::bit_cast<User>(are_nan ? poison<Scalar>() : all.column(j)[i]);
      Kokkos::deep_copy(view, host);
      return view;
    }
  };

  struct Operands {
    Dense<Scalar> x, y;
    std::vector<Vectors<Kokkos::LayoutLeft>> left;    // Y is overwritten
    std::vector<Vectors<Kokkos::LayoutRight>> right;  // Y is added to
    Operands(int x_rows, int y_rows) : x(x_rows, most_columns, Layout::Left), y(y_rows, most_columns, Layout::Left) {
      x.randomize(5);
      y.randomize(6);
      for (const int columns : {1, most_columns}) {
        left.emplace_back(x, y, columns, true);
        right.emplace_back(x, y, columns, false);
      }
    }
  };

  /// Returns a column of the reference, with the error bound of the current precision.
  const ReferenceColumn<Scalar>& reference(Mode mode, Scalar factor, int j) {
    const auto [place, is_new] = references_.try_emplace({mode, adds(factor), j});
    if (is_new) {
      const Operands& o = operands_.at(is_transposed(mode));
      const CsrPattern<int> pattern = A_.stored.view();
      const Scalar *values = A_.stored_values.data(), *x = o.x.column(j);
      place->second = reference_column(pattern, values, mode, alpha, x, 1, factor, o.y.column(j), 1);
      if (!is_host) widen_bound(place->second, precision_, pattern, values, mode, alpha, x, 1);
    }
    return place->second;
  }

  template <class PlanType, class Layout>
  void expect_right(PlanType& plan, Mode mode, Vectors<Layout>& v, Scalar factor, const std::string& what) {
    const Exec exec;
    const int columns = v.x.extent_int(1);
    Kokkos::deep_copy(exec, v.y, v.before);
    auto work = plan.prepare(exec, columns, mode);
    spmm(exec, plan, work, mode, std::bit_cast<User>(alpha), v.x, std::bit_cast<User>(factor), v.y);
    for (const int j : compared) {
      if (j >= columns) continue;
      const Kokkos::View<User*, Memory> on_device("column", v.y.extent(0));
      Kokkos::deep_copy(exec, on_device, Kokkos::subview(v.y, Kokkos::ALL, j));
      exec.fence();
      const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), on_device);
      std::vector<Scalar> column(result.extent(0));
      for (std::size_t i = 0; i < column.size(); ++i) column[i] = std::bit_cast<Scalar>(result(i));
      ASSERT_LE(reference(mode, factor, j).worst_error(column.data(), 1), 1.0)
          << what << ", mode " << to_string(mode) << ", column " << j << " of " << columns;
    }
  }

  const UserMatrix<Exec, Scalar, int>& A_;
  std::map<bool, Operands> operands_;  // key: whether A is transposed
  std::map<std::tuple<Mode, bool, int>, ReferenceColumn<Scalar>> references_;
  Precision precision_ = Precision::Native;  // precision of the references' bounds
};

/// \return the number of combinations of format, order and precision that were multiplied
template <class Exec, class Scalar>
int check_every_way(const std::filesystem::path& file) requires is_compiled_v<Scalar> {
  using Read = std::conditional_t<is_complex_v<Scalar>, std::complex<real_of_t<Scalar>>, real_of_t<Scalar>>;
  const HostCsr<Read> matrix = read_matrix<Read>(file);
  std::vector<Scalar> values(matrix.values.size());
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = std::bit_cast<Scalar>(matrix.values[k]);
  const UserMatrix<Exec, Scalar, int> A(pattern_of(matrix), values);
  EveryWay<Exec, Scalar> products(A);
  int ways = 0;
  for (const Precision precision : every_precision) {
    for (const Format format : every_format) {
      for (const Reordering reordering : every_reordering) {
        PlanOptions options = with_format(format);
        options.reordering = reordering;
        options.always_reorder = true;
        options.precision = precision;
        const std::string what = std::string(to_string(format)) + ", " + std::string(to_string(reordering)) + ", " +
                                 std::string(to_string(precision)) + ", values of " + std::to_string(sizeof(Scalar));
        if (products.multiplies(options, what)) ++ways;
        if (testing::Test::HasFatalFailure()) return ways;
      }
    }
  }
  return ways;
}

template <class Exec, class Scalar>
int check_every_way(const std::filesystem::path&) {
  return 0;
}  // not compiled

TEST(CollectionWays, EveryFormatOrderPrecisionLayoutAndMode) {
  using Exec = Kokkos::DefaultExecutionSpace;
  const char* name = std::getenv("TESSERA_COLLECTION_FILE");
  if (name == nullptr || *name == '\0') GTEST_SKIP() << "TESSERA_COLLECTION_FILE is not set";
  const std::filesystem::path file(name);
  const bool is_complex = matrix_is_complex(file);
  const int ways = is_complex
                       ? check_every_way<Exec, Complex<double>>(file) + check_every_way<Exec, Complex<float>>(file)
                       : check_every_way<Exec, double>(file) + check_every_way<Exec, float>(file);
  EXPECT_GT(ways, 0) << "the library has no type for it";
  std::cout << file.filename().string() << ": " << ways << " ways\n";
}

}  // namespace Tessera::Impl::Test
