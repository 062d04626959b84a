// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <complex>
#include <stdexcept>
#include <string>
#include <tessera/io/BinaryCsr.hpp>
#include <tessera/io/Generators.hpp>
#include <tessera/io/MatrixMarket.hpp>
#include <tessera/io/ReadMatrix.hpp>
#include <tessera/io/ReadOrGenerate.hpp>

#include "HarwellBoeingFiles.hpp"
#include "TestFiles.hpp"

namespace {

TEST(ReadMatrix, TellsFormatsApartByContent) {
  const TemporaryFolder folder;
  const auto matrix = Tessera::Impl::generate_road(100, 1);
  // The file names are deliberately misleading.
  write_matrix_market(folder / "text.bin", matrix);
  write_binary_csr(folder / "binary.mtx", matrix);
  folder.add("harwell.mtx", harwell_boeing_text(matrix));
  folder.add("harwell-gz.bin", gzip(harwell_boeing_text(matrix)));
  folder.add("text-gz.bin", gzip(content_of(folder / "text.bin")));
  folder.add("binary-gz.mtx", gzip(content_of(folder / "binary.mtx")));
  for (const char* name : {"text.bin", "binary.mtx", "harwell.mtx", "text-gz.bin", "binary-gz.mtx", "harwell-gz.bin"}) {
    EXPECT_EQ(Tessera::read_matrix<double>(folder / name), matrix) << name;
    EXPECT_FALSE(Tessera::Impl::matrix_is_complex(folder / name)) << name;
  }
}

TEST(ReadMatrix, Headers) {
  const TemporaryFolder folder;
  const Tessera::HostCsr<double> matrix{2, 3, {0, 1, 1}, {1}, {5}};
  write_matrix_market(folder / "text", matrix);
  write_binary_csr(folder / "binary", matrix);
  folder.add("harwell", harwell_boeing_text(matrix));
  for (const char* name : {"text", "binary", "harwell"}) {
    const auto header = Tessera::read_matrix_header(folder / name);
    EXPECT_EQ(header.rows, 2U) << name;
    EXPECT_EQ(header.columns, 3U) << name;
    EXPECT_FALSE(header.is_complex) << name;
  }
}

TEST(ReadMatrix, ComplexMatricesAreRecognised) {
  const TemporaryFolder folder;
  const Tessera::HostCsr<std::complex<float>> matrix{1, 2, {0, 1}, {1}, {{1, 2}}};
  write_matrix_market(folder / "text", matrix);
  write_binary_csr(folder / "binary", matrix);
  folder.add("text.gz", gzip(content_of(folder / "text")));
  folder.add("binary.gz", gzip(content_of(folder / "binary")));
  for (const char* name : {"text", "binary", "text.gz", "binary.gz"}) {
    EXPECT_EQ(Tessera::read_matrix<std::complex<float>>(folder / name), matrix) << name;
    EXPECT_TRUE(Tessera::Impl::matrix_is_complex(folder / name)) << name;
  }
}

/// The title of a Harwell-Boeing file may be any text.
TEST(ReadMatrix, ATitleMayBeABanner) {
  const TemporaryFolder folder;
  const auto matrix = Tessera::Impl::generate_road(100, 1);
  const std::string text = harwell_boeing_text(matrix);
  const std::string path =
      folder.add("a.rua", "%%MatrixMarket matrix coordinate real general" + text.substr(text.find('\n')));
  EXPECT_EQ(Tessera::read_matrix<double>(path), matrix);
  EXPECT_EQ(Tessera::read_matrix_header(path).rows, static_cast<std::size_t>(matrix.rows));
}

TEST(ReadMatrix, OtherFilesAreRejectedNamingTheFormats) {
  const TemporaryFolder folder;
  const std::string formats =
      ", expected Matrix Market (it begins with %%MatrixMarket), Harwell-Boeing or Rutherford-Boeing (.rua, .rb, ...) "
      "or "
      "Tessera's binary CSR, plain or gzip, or a file of NumPy (.npz, .npy)";
  const std::string harwell = folder.add("a.rb", "1138_bus, from HB collection   |1138_bus\n");
  const std::string empty = folder.add("empty.mtx", "");
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix<double>(harwell); }),
            "invalid_argument: " + harwell + ": is no matrix file that Tessera reads" + formats);
  EXPECT_EQ(thrown_by([&] { Tessera::Impl::matrix_is_complex(harwell); }),
            "invalid_argument: " + harwell + ": is no matrix file that Tessera reads" + formats);
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix<double>(empty); }),
            "invalid_argument: " + empty + ": is empty" + formats);
  const std::string other = folder.add("a.txt", "title\nwords\n(26I3)\n");
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix<double>(other); }),
            "invalid_argument: " + other + ": is no matrix file that Tessera reads" + formats);
  const std::string order =
      folder.add("a.ord", "orders |a\nordl c a        1             1            3             1\n(26I3)\n  1  3  2\n");
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix<double>(order); }),
            "invalid_argument: " + order + ": is an auxiliary file of Rutherford-Boeing (ord), which holds no matrix" +
                formats);
  EXPECT_EQ(thrown_by([&] { Tessera::read_dense_matrix<double>(harwell); }),
            "invalid_argument: " + harwell + ": is no matrix file that Tessera reads" + formats);
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix<double>(folder / "missing"); }),
            "runtime_error: " + (folder / "missing") + ": cannot be opened: No such file or directory");
}

TEST(ReadMatrix, DenseMatrices) {
  const TemporaryFolder folder;
  const Tessera::HostDense<double> dense{2, 3, {1, 2, 3, 4, 5, 6}};
  write_dense_matrix_market(folder / "x.mtx", dense);
  EXPECT_EQ(Tessera::read_dense_matrix<double>(folder / "x.mtx"), dense);
  const auto header = Tessera::Impl::read_dense_header(folder / "x.mtx");
  EXPECT_EQ(header.rows, 2U);
  EXPECT_EQ(header.columns, 3U);
  EXPECT_FALSE(header.is_complex);
  write_binary_csr(folder / "a.bin", Tessera::Impl::generate_road(100, 1));
  const std::string message = "invalid_argument: " + (folder / "a.bin") +
                              ": is binary CSR, expected a dense matrix: Matrix Market, an array of NumPy, or the "
                              "right-hand sides of Harwell-Boeing";
  EXPECT_EQ(thrown_by([&] { Tessera::read_dense_matrix<double>(folder / "a.bin"); }), message);
  EXPECT_EQ(thrown_by([&] { Tessera::Impl::read_dense_header(folder / "a.bin"); }), message);
}

TEST(ReadMatrix, ProgressReachesOne) {
  const TemporaryFolder folder;
  write_matrix_market(folder / "a.mtx", Tessera::Impl::generate_road(100, 1));
  folder.add("a.rua", harwell_boeing_text(Tessera::Impl::generate_road(100, 1)));
  write_binary_csr(folder / "a.bin", Tessera::Impl::generate_road(100, 1));
  for (const char* name : {"a.mtx", "a.bin", "a.rua"}) {
    double last = 0;
    Tessera::ReadOptions options;
    options.progress = [&](double fraction) {
      EXPECT_GE(fraction, last);
      last = fraction;
    };
    Tessera::read_matrix<double>(folder / name, options);
    EXPECT_EQ(last, 1.0) << name;
  }
}

TEST(ReadMatrix, ReadsOrGenerates) {
  const TemporaryFolder folder;
  const auto matrix = Tessera::Impl::generate_road(100, 1);
  write_matrix_market(folder / "road:200", matrix);
  EXPECT_EQ(Tessera::read_or_generate(folder / "road:200"), matrix) << "a file comes first";
  EXPECT_EQ(Tessera::read_or_generate("road:100"), matrix);
  try {
    Tessera::read_or_generate(folder / "none.mtx");
    FAIL() << "neither a file nor a generator";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("none.mtx: no such file"), std::string::npos) << error.what();
  }
}

}  // namespace
