// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <complex>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <tessera/io/BinaryCsr.hpp>
#include <tessera/io/Generators.hpp>
#include <tessera/io/MatrixMarket.hpp>
#include <vector>

#include "TestFiles.hpp"

namespace {

using Tessera::HostCsr;
using Tessera::HostDense;

/// Values that need all of their digits, and values at the ends of the range.
template <class Scalar>
HostDense<Scalar> difficult_values(std::size_t rows, std::size_t columns) {
  using Real = decltype(std::real(Scalar{}));
  auto dense = Tessera::random_dense<Scalar>(rows, columns, 11);
  for (std::size_t k = 0; k < dense.values.size(); ++k) {
    dense.values[k] = dense.values[k] * std::ldexp(Real(1), static_cast<int>(k % 60) - 30);
  }
  using Limits = std::numeric_limits<Real>;
  dense.values[0] = Limits::max();
  dense.values[1] = Limits::denorm_min();
  dense.values[2] = -Real(0);
  dense.values[3] = -Limits::infinity();
  dense.values[4] = Real(0);
  dense.values[5] = Real(1) / Real(3);
  return dense;
}

template <class Scalar>
HostCsr<Scalar> difficult_matrix() {
  const auto pattern = Tessera::Impl::generate_uniform(300, 7, 4);
  HostCsr<Scalar> matrix{pattern.rows, pattern.columns, pattern.row_offsets, pattern.column_indices, {}};
  matrix.values = difficult_values<Scalar>(pattern.values.size(), 1).values;
  return matrix;
}

template <class Scalar>
bool same_bits(const std::vector<Scalar>& left, const std::vector<Scalar>& right) {
  return left.size() == right.size() && std::memcmp(left.data(), right.data(), left.size() * sizeof(Scalar)) == 0;
}

template <class Scalar>
class Writers : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Writers, Scalars);

TYPED_TEST(Writers, MatrixMarketReadsBackToTheSameBits) {
  const TemporaryFolder folder;
  const auto matrix = difficult_matrix<TypeParam>();
  write_matrix_market(folder / "a.mtx", matrix);
  const auto back = Tessera::read_matrix_market<TypeParam>(folder / "a.mtx");
  EXPECT_EQ(back, matrix);
  EXPECT_TRUE(same_bits(back.values, matrix.values));
  EXPECT_EQ(folder.files(), 1U);
}

TYPED_TEST(Writers, DenseMatrixMarketReadsBackToTheSameBits) {
  const TemporaryFolder folder;
  const auto matrix = difficult_values<TypeParam>(37, 5);
  write_dense_matrix_market(folder / "a.mtx", matrix);
  const auto back = Tessera::read_dense_matrix_market<TypeParam>(folder / "a.mtx");
  EXPECT_EQ(back, matrix);
  EXPECT_TRUE(same_bits(back.values, matrix.values));
}

TYPED_TEST(Writers, BinaryReadsBackToTheSameBits) {
  const TemporaryFolder folder;
  const auto matrix = difficult_matrix<TypeParam>();
  write_binary_csr(folder / "a.bin", matrix);
  const auto back = Tessera::read_binary_csr<TypeParam>(folder / "a.bin");
  EXPECT_EQ(back, matrix);
  EXPECT_TRUE(same_bits(back.values, matrix.values));
}

TYPED_TEST(Writers, EmptyMatrices) {
  const TemporaryFolder folder;
  const HostCsr<TypeParam> matrix{3, 0, {0, 0, 0, 0}, {}, {}};
  write_matrix_market(folder / "a.mtx", matrix);
  write_binary_csr(folder / "a.bin", matrix);
  EXPECT_EQ(Tessera::read_matrix_market<TypeParam>(folder / "a.mtx"), matrix);
  EXPECT_EQ(Tessera::read_binary_csr<TypeParam>(folder / "a.bin"), matrix);
  const HostDense<TypeParam> dense{0, 4, {}};
  write_dense_matrix_market(folder / "d.mtx", dense);
  EXPECT_EQ(Tessera::read_dense_matrix_market<TypeParam>(folder / "d.mtx"), dense);
}

TEST(WriterFiles, TextIsWhatTheStandardSays) {
  const TemporaryFolder folder;
  write_matrix_market(folder / "a.mtx", HostCsr<double>{2, 3, {0, 1, 3}, {2, 0, 1}, {0.5, -1, 1e300}});
  EXPECT_EQ(content_of(folder / "a.mtx"),
            "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 3 0.5\n2 1 -1\n2 2 1e+300\n");
  write_dense_matrix_market(folder / "b.mtx", HostDense<std::complex<float>>{1, 2, {{1, 2}, {0.1F, -4}}});
  EXPECT_EQ(content_of(folder / "b.mtx"), "%%MatrixMarket matrix array complex general\n1 2\n1 2\n0.1 -4\n");
}

TEST(WriterFiles, ReplaceExistingOnesAndKeepTheirPermissions) {
  const TemporaryFolder folder;
  const std::string path = folder.add("a.mtx", "old");
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  std::filesystem::create_symlink(path, folder / "link.mtx");
  const HostCsr<double> matrix{1, 1, {0, 1}, {0}, {5}};
  write_matrix_market(folder / "link.mtx", matrix);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.mtx"));
  EXPECT_EQ(Tessera::read_matrix_market<double>(path), matrix);
  EXPECT_EQ(std::filesystem::status(path).permissions(), static_cast<std::filesystem::perms>(0640));
  EXPECT_EQ(folder.files(), 2U);
}

TEST(WriterFiles, RelativePathsWithoutAFolder) {
  const TemporaryFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  const HostCsr<double> matrix{1, 1, {0, 1}, {0}, {5}};
  write_matrix_market("plain.mtx", matrix);
  std::filesystem::current_path(before);
  EXPECT_EQ(Tessera::read_matrix_market<double>(folder / "plain.mtx"), matrix);
}

TEST(WriterErrors, ALateFailureLeavesTheOldFileAndNoTemporary) {
  const TemporaryFolder folder;
  const std::string path = folder.add("a.mtx", "old");
  // Limits the size of files that this process writes, so writing fails midway.
  const auto fail_midway = [&](const auto& write) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string message = thrown_by(write);
    _exit(message == "runtime_error: " + path + ": cannot be written: File too large" ? 0 : 1);
  };
  const auto text = [&] { Tessera::write_matrix_market(path, Tessera::Impl::generate_banded(20000, 10, 1)); };
  const auto binary = [&] { Tessera::write_binary_csr(path, Tessera::Impl::generate_banded(20000, 10, 1)); };
  EXPECT_EXIT(fail_midway(text), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(fail_midway(binary), testing::ExitedWithCode(0), "");
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(WriterErrors, FullDevice) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const HostCsr<double> matrix{1, 1, {0, 1}, {0}, {5}};
  const std::string full = "runtime_error: /dev/full: cannot be written: No space left on device";
  EXPECT_EQ(thrown_by([&] { write_matrix_market("/dev/full", matrix); }), full);
  EXPECT_EQ(thrown_by([&] { write_binary_csr("/dev/full", matrix); }), full);
  EXPECT_EQ(thrown_by([&] { write_dense_matrix_market("/dev/full", HostDense<double>{1, 1, {5}}); }), full);
  EXPECT_FALSE(std::filesystem::is_regular_file("/dev/full"));
}

TEST(WriterErrors, PlacesThatCannotBeWritten) {
  const TemporaryFolder folder;
  const HostCsr<double> matrix{1, 1, {0, 1}, {0}, {5}};
  const std::string missing = folder / "no/such/folder.mtx";
  EXPECT_EQ(thrown_by([&] { write_matrix_market(missing, matrix); }),
            "runtime_error: " + missing + ": cannot be written: No such file or directory");
  EXPECT_EQ(thrown_by([&] { write_matrix_market(folder / "", matrix); }),
            "runtime_error: " + (folder / "") + ": cannot be written: is a directory, expected the name of a file");
  if (geteuid() == 0) return;  // root may write to any folder
  std::filesystem::create_directory(folder / "closed");
  std::filesystem::permissions(folder / "closed", std::filesystem::perms::owner_read);
  const std::string closed = folder / "closed/a.mtx";
  EXPECT_EQ(thrown_by([&] { write_matrix_market(closed, matrix); }),
            "runtime_error: " + closed + ": cannot be written: Permission denied");
}

TEST(WriterErrors, InvalidMatrices) {
  const TemporaryFolder folder;
  const HostCsr<double> matrix{1, 1, {0, 1}, {1}, {5}};
  EXPECT_EQ(thrown_by([&] { write_matrix_market(folder / "a", matrix); }),
            "invalid_argument: " + (folder / "a") + ": cannot be written: the matrix is not valid CSR");
  EXPECT_EQ(thrown_by([&] { write_binary_csr(folder / "a", matrix); }),
            "invalid_argument: " + (folder / "a") + ": cannot be written: the matrix is not valid CSR");
  EXPECT_EQ(thrown_by([&] {
              write_dense_matrix_market(folder / "a", HostDense<double>{2, 2, {1}});
            }),
            "invalid_argument: " + (folder / "a") + ": cannot be written: expected rows * columns values");
  EXPECT_EQ(folder.files(), 0U);
}

}  // namespace
