// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include <tessera/io/ReadMatrix.hpp>

#include "PlanCheck.hpp"
#include "TestTypes.hpp"

namespace Tessera::Test {

/// The files of TESSERA_DATA_DIR that the readers take.
std::vector<std::filesystem::path> collection() {
  std::vector<std::filesystem::path> files;
  const char* folder = std::getenv("TESSERA_DATA_DIR");
  if (folder == nullptr || *folder == '\0') return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".mtx") || name.ends_with(".mtx.gz")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// One matrix in one scalar type: both formats, plain and transposed, left and right, a few numbers of columns.
template <class Exec, class Scalar>
void check_matrix(const std::filesystem::path& file) {
  using User = user_scalar_t<Scalar>;
  using Left = Kokkos::View<User**, Kokkos::LayoutLeft, typename Exec::memory_space>;
  using Right = Kokkos::View<User**, Kokkos::LayoutRight, typename Exec::memory_space>;
  using Read = std::conditional_t<is_complex_v<Scalar>, std::complex<real_of_t<Scalar>>, real_of_t<Scalar>>;
  const HostCsr<Read> matrix = read_matrix<Read>(file);
  HostPattern<int> pattern;
  pattern.rows = matrix.rows;
  pattern.columns = matrix.columns;
  pattern.row_offsets.assign(matrix.row_offsets.begin(), matrix.row_offsets.end());
  pattern.column_indices = matrix.column_indices;
  std::vector<Scalar> values(matrix.values.size());
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = std::bit_cast<Scalar>(matrix.values[k]);
  const UserMatrix<Exec, Scalar, int> A(pattern, values);
  const bool small = pattern.nonzeros() < 100000;
  for (const Format format : every_format) {
    auto plan = A.plan(with_format(format));
    EXPECT_EQ(plan.nonzeros(), pattern.nonzeros());
    const std::string what = file.filename().string() + ", " + std::string(to_string(format));
    expect_product<Left>(A, plan, 1, Mode::NoTranspose, 1, 0, what);
    expect_product<Right>(A, plan, 2, Mode::ConjugateTranspose, 1, 0, what);
    if (!small) continue;
    for (const int columns : {8, 33}) {
      expect_product<Left>(A, plan, columns, Mode::NoTranspose, -2, 0.5, what, false);
      expect_product<Right>(A, plan, columns, Mode::NoTranspose, 1, 0, what, false);
    }
  }
}

TEST(Collection, EveryRealMatrixIsMultipliedRight) {
  const auto files = collection();
  if (files.empty()) GTEST_SKIP() << "TESSERA_DATA_DIR is not set";
  using Exec = Kokkos::DefaultExecutionSpace;
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename().string());
    if (matrix_is_complex(file)) {
      check_matrix<Exec, Complex<double>>(file);
    } else {
      check_matrix<Exec, double>(file);
      check_matrix<Exec, float>(file);
    }
    if (HasFatalFailure()) return;
  }
}

}  // namespace Tessera::Test
