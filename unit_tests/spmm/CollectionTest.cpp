// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <tessera/io/ReadMatrix.hpp>

#include "PlanCheck.hpp"
#include "RealMatrices.hpp"
#include "TestTypes.hpp"

namespace Tessera::Impl::Test {

/// The products that are tested with each matrix: all if TESSERA_COLLECTION=full (takes minutes), else a part.
struct Extent {
  std::vector<int> columns;
  std::vector<Mode> modes;
};
bool is_full() {
  const char* wish = std::getenv("TESSERA_COLLECTION");
  return wish != nullptr && std::string(wish) == "full";
}
Extent extent(std::size_t nonzeros) {
  if (is_full()) {
    return {{1, 7, 8, 16, 17, 32, 33}, {std::begin(every_mode), std::end(every_mode)}};
  }
  if (nonzeros > 100000) return {{2}, {Mode::NoTranspose}};
  return {{1, 8, 33}, {Mode::NoTranspose, Mode::ConjugateTranspose}};
}

/// op(A) with one X and Y. Products use the first columns of X and Y. Operands are copied, and references computed,
/// only once. Products overwrite a LayoutLeft Y, which holds NaN, and add to a LayoutRight Y.
template <class Exec, class Scalar>
class RealProduct {
 public:
  using User = user_scalar_t<Scalar>;
  using Left = Kokkos::View<User**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  using Right = Kokkos::View<User**, Kokkos::LayoutRight, typename Exec::memory_space>;

  RealProduct(const UserMatrix<Exec, Scalar, int>& A, Mode mode, const std::vector<int>& columns) : mode_(mode) {
    const int x_rows = is_transposed(mode) ? A.host.rows : A.host.columns;
    const int y_rows = is_transposed(mode) ? A.host.columns : A.host.rows;
    Dense<Scalar> x(x_rows, columns.back(), Layout::Left), y(y_rows, columns.back(), Layout::Left);
    x.randomize(5);
    y.randomize(6);
    for (const int count : columns) {
      left_[count] = {first_columns<Left>(x, count), first_columns<Left>({y_rows, count, Layout::Left}, count)};
      right_[count] = {first_columns<Right>(x, count), first_columns<Right>(y, count)};
      for (const int j : {0, count - 1}) {
        const auto add = [&](auto& references, Scalar factor) {
          if (references.contains(j)) return;
          references[j] = reference_column(A.stored.view(), A.stored_values.data(), mode, alpha, x.column(j), 1, factor,
                                           y.column(j), 1);
        };
        add(overwritten_, Scalar(0));
        add(updated_, beta);
      }
    }
  }

  /// Multiplies `columns` columns in both layouts, and compares the first and the last one.
  template <class PlanType>
  void expect_right(PlanType& plan, int columns, const std::string& what) const {
    auto work = plan.prepare(Exec(), columns, mode_);
    expect_right(plan, work, left_.at(columns), Scalar(0), overwritten_, what + ", left");
    expect_right(plan, work, right_.at(columns), beta, updated_, what + ", right");
  }

 private:
  template <class View>
  struct Vectors {
    View x, y;
  };
  using References = std::map<int, ReferenceColumn<Scalar>>;

  template <class View>
  static View first_columns(const Dense<Scalar>& all, int columns) {
    const bool is_left = std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft>;
    Dense<Scalar> some(all.rows(), columns, is_left ? Layout::Left : Layout::Right);
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < all.rows(); ++i) some(i, j) = all.column(j)[i];
    return copied<View>("vectors", some);
  }

  template <class View, class PlanType>
  void expect_right(PlanType& plan, Workspace<Exec>& work, const Vectors<View>& vectors, Scalar factor,
                    const References& references, const std::string& what) const {
    const View y(Kokkos::view_alloc("y", Kokkos::WithoutInitializing), vectors.y.extent(0), vectors.y.extent(1));
    Kokkos::deep_copy(y, vectors.y);
    spmm(Exec(), plan, work, mode_, std::bit_cast<User>(alpha), vectors.x, std::bit_cast<User>(factor), y);
    Exec().fence();
    const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    const int columns = result.extent_int(1);
    for (const int j : {0, columns - 1}) {
      std::vector<Scalar> column(result.extent(0));
      for (std::size_t i = 0; i < column.size(); ++i) column[i] = std::bit_cast<Scalar>(result(i, j));
      ASSERT_LE(references.at(j).worst_error(column.data(), 1), 1.0)
          << what << ", mode " << to_string(mode_) << ", column " << j << " of " << columns;
    }
  }

  const Scalar alpha = number<Scalar>(-2, 0.5), beta = number<Scalar>(0.5, 0.25);
  Mode mode_;
  std::map<int, Vectors<Left>> left_;
  std::map<int, Vectors<Right>> right_;
  References overwritten_, updated_;
};

/// Tests one matrix in one scalar type: every format, X and Y in both layouts.
template <class Exec, class Scalar>
void check_matrix(const std::filesystem::path& file) requires is_compiled_v<Scalar> {
  using Read = std::conditional_t<is_complex_v<Scalar>, std::complex<real_of_t<Scalar>>, real_of_t<Scalar>>;
  const HostCsr<Read> matrix = read_matrix<Read>(file);
  const HostPattern<int> pattern = pattern_of(matrix);
  std::vector<Scalar> values(matrix.values.size());
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = std::bit_cast<Scalar>(matrix.values[k]);
  const UserMatrix<Exec, Scalar, int> A(pattern, values);
  const Extent tested = extent(pattern.nonzeros());
  std::map<Format, decltype(A.plan({}))> plans;
  for (const Format format : every_format) {
    plans[format] = A.plan(with_format(format));
    EXPECT_EQ(plans[format].nonzeros(), pattern.nonzeros());
  }
  for (const Mode mode : tested.modes) {
    const RealProduct<Exec, Scalar> product(A, mode, tested.columns);
    for (auto& [format, plan] : plans) {
      for (const int columns : tested.columns) {
        product.expect_right(plan, columns, std::string(to_string(format)));
      }
    }
  }
}

template <class Exec, class Scalar>
void check_matrix(const std::filesystem::path&) {}  // not compiled

/// Tests one matrix in every format and row order, even if they are predicted to be slow.
template <class Exec>
void check_orders(const std::filesystem::path& file) {
  if (std::filesystem::file_size(file) > 1000000 && !is_full()) return;  // about 50 bytes for each of 20000 entries
  const HostCsr<double> matrix = read_matrix<double>(file);
  const HostPattern<int> pattern = pattern_of(matrix);
  if (pattern.nonzeros() > 20000 && !is_full()) return;
  const UserMatrix<Exec, double, int> A(pattern, matrix.values);
  const RealProduct<Exec, double> product(A, Mode::NoTranspose, {9});
  for (const Format format : every_format) {
    for (const Reordering reordering : every_reordering) {
      PlanOptions options = with_format(format);
      options.reordering = reordering;
      options.always_reorder = true;
      auto plan = A.plan(options);
      product.expect_right(plan, 9, std::string(to_string(format)) + ", " + std::string(to_string(reordering)));
    }
  }
}

/// Each part has every fourth file; ctest runs the parts at the same time.
constexpr int parts = 4;
class Collection : public testing::TestWithParam<int> {
 protected:
  /// Calls check(file) for each file until one fails.
  template <class Check>
  void for_each_file(const Check& check) {
    const auto files = collection();
    if (files.empty()) GTEST_SKIP() << "TESSERA_DATA_DIR is not set";
    for (auto i = static_cast<std::size_t>(GetParam()); i < files.size() && !HasFatalFailure(); i += parts) {
      SCOPED_TRACE(files[i].filename().string());
      check(files[i]);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Part, Collection, testing::Range(0, parts));

TEST_P(Collection, EveryRealMatrixInEveryOrder) {
  for_each_file([](const auto& file) {
    if (!matrix_is_complex(file)) check_orders<Kokkos::DefaultExecutionSpace>(file);
  });
}

TEST_P(Collection, EveryRealMatrixIsMultipliedRight) {
  using Exec = Kokkos::DefaultExecutionSpace;
  for_each_file([](const auto& file) {
    // Large matrices run in double only: other types find no further errors.
    const bool in_every_type = is_full() || std::filesystem::file_size(file) <= 500000;
    if (matrix_is_complex(file)) {
      check_matrix<Exec, Complex<double>>(file);
      if (in_every_type) check_matrix<Exec, Complex<float>>(file);
    } else {
      check_matrix<Exec, double>(file);
      if (in_every_type) check_matrix<Exec, float>(file);
    }
  });
}

}  // namespace Tessera::Impl::Test
