// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <unistd.h>

#include <complex>
#include <stdexcept>
#include <string>
#include <tessera/io/BinaryCsr.hpp>
#include <tessera/io/Generators.hpp>
#include <tessera/io/HarwellBoeing.hpp>
#include <tessera/io/MatrixMarket.hpp>
#include <tessera/io/ReadMatrix.hpp>
#include <tessera/io/ReadOrGenerate.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "HarwellBoeingFiles.hpp"
#include "NumpyFiles.hpp"
#include "TestFiles.hpp"

namespace {

using namespace std::string_literals;

/// The first bytes of a compressed file, and the programs that the message names.
struct Packed {
  std::string content;
  std::string name, unpack, unpack_to_pipe;
  std::string expected = "plain or gzip";
};

TEST(InputFile, PackedFilesAreRejectedWithTheProgramThatUnpacksThem) {
  const std::vector<Packed> packed = {
      {"\xFD"
       "7zXZ\0\0\4"s,
       "xz", "xz -dk", "xz -dc"},
      {"BZh91AY&SY\x12", "bzip2", "bzip2 -dk", "bzip2 -dc"},
      {"\x28\xB5\x2F\xFD\x04\x00"s, "zstd", "zstd -dk", "zstd -dc"},
      {"PK\x03\x04\x14", "zip", "unzip", "unzip -p", "plain, gzip, or arrays of NumPy (.npz)"},
      {"7z\xBC\xAF\x27\x1C\x00"s, "7z", "7z x", "7z x -so"},
      {"\x1F\x9D\x90", "compress", "uncompress -k", "gzip -dc"},
      {"LZIP\x01", "lzip", "lzip -dk", "lzip -dc"},
      {"\x04\x22\x4D\x18\x64", "lz4", "lz4 -dk", "lz4 -dc"},
  };
  const TemporaryFolder folder;
  for (const auto& [content, name, unpack, unpack_to_pipe, expected] : packed) {
    const std::string path = folder.add("a.mtx", content);
    const std::string message = "runtime_error: " + path + ": is packed by " + name + ", expected " + expected +
                                "; unpack it (" + unpack + " " + path + "), or pipe it (" + unpack_to_pipe +
                                ") into what reads \"-\"";
    EXPECT_EQ(thrown_by([&] { Tessera::read_matrix<double>(path); }), message);
    EXPECT_EQ(thrown_by([&] { Tessera::Impl::matrix_is_complex(path); }), message);
    EXPECT_EQ(thrown_by([&] { Tessera::read_dense_matrix<double>(path); }), message);
    EXPECT_EQ(thrown_by([&] { Tessera::read_matrix_market<double>(path); }), message);
    EXPECT_EQ(thrown_by([&] { Tessera::read_harwell_boeing<double>(path); }), message);
    EXPECT_EQ(thrown_by([&] { Tessera::read_binary_csr<double>(path); }), message);
  }
}

TEST(InputFile, Utf16IsRejected) {
  const TemporaryFolder folder;
  for (const std::string& content : {"\xFF\xFE%\0%\0M\0"s, "\xFE\xFF\0%\0%\0M"s, gzip("\xFF\xFE%\0%\0M\0"s)}) {
    const std::string path = folder.add("a.mtx", content);
    const std::string message =
        "runtime_error: " + path +
        ": is UTF-16, as its byte-order mark says, expected ASCII or UTF-8; convert it (iconv -f "
        "UTF-16 -t UTF-8 " +
        path + ")";
    EXPECT_EQ(thrown_by([&] { Tessera::read_matrix<double>(path); }), message);
    EXPECT_EQ(thrown_by([&] { Tessera::Impl::matrix_is_complex(path); }), message);
  }
}

TEST(InputFile, TarArchivesAreRejected) {
  std::string archive(1536, '\0');
  archive.replace(0, 21, "bcsstk01/bcsstk01.mtx");
  archive.replace(257, 5, "ustar");
  const std::string matrix = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n";
  archive.replace(512, matrix.size(), matrix);
  const TemporaryFolder folder;
  for (const std::string& content : {archive, gzip(archive)}) {
    const std::string path = folder.add("bcsstk01.tar.gz", gzip(archive));
    const std::string message = "runtime_error: " + path +
                                ": is a tar archive, expected a matrix file; unpack it (tar -xf " + path +
                                ") and read the matrix that is in it (the archive begins with bcsstk01/bcsstk01.mtx)";
    EXPECT_EQ(thrown_by([&] { Tessera::read_matrix<double>(path); }), message);
    EXPECT_EQ(thrown_by([&] { Tessera::Impl::matrix_is_complex(path); }), message);
    EXPECT_EQ(thrown_by([&] { Tessera::read_matrix<double>(folder.add("a.tar", content)); }).substr(0, 15),
              "runtime_error: ");
  }
}

/// A file of unknown kind is rejected by its first bytes, before it is completely decompressed.
TEST(InputFile, LongContentsAreRejectedByTheirBeginning) {
  const TemporaryFolder folder;
  const std::string path = folder.add("blanks.gz", gzip(std::string(std::size_t{8} << 20, ' ')));
  Tessera::ReadOptions options;
  options.memory_limit = std::size_t{1} << 20;  // too little for the whole file
  const auto starts = [](const std::string& text, const std::string& beginning) {
    EXPECT_EQ(text.substr(0, beginning.size()), beginning);
  };
  starts(thrown_by([&] { Tessera::read_matrix<double>(path, options); }),
         "invalid_argument: " + path + ": is no matrix file that Tessera reads");
  starts(thrown_by([&] { Tessera::read_dense_matrix<double>(path, options); }),
         "invalid_argument: " + path + ": is no matrix file that Tessera reads");
  starts(thrown_by([&] { Tessera::read_matrix_market<double>(path, options); }),
         "runtime_error: " + path + ":1: expected the banner");
  starts(thrown_by([&] { Tessera::read_harwell_boeing<double>(path, options); }),
         "runtime_error: " + path + ":1: expected the head of a Harwell-Boeing");
  starts(thrown_by([&] { Tessera::read_binary_csr<double>(path, options); }),
         "runtime_error: " + path + ": expected a binary CSR file");
}

/// Makes standard input a pipe with this content while the object lives.
class StandardInput {
 public:
  explicit StandardInput(std::string content) : before_(dup(STDIN_FILENO)) {
    int ends[2];
    if (before_ < 0 || pipe(ends) != 0) throw std::runtime_error("no pipe");
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    writer_ = std::thread([end = ends[1], text = std::move(content)] {
      for (std::size_t done = 0; done < text.size();) {
        const ssize_t step = write(end, text.data() + done, text.size() - done);
        if (step <= 0) break;
        done += static_cast<std::size_t>(step);
      }
      close(end);
    });
  }
  ~StandardInput() {
    char rest[4096];
    while (read(STDIN_FILENO, rest, sizeof rest) > 0) continue;  // lets the writer finish
    writer_.join();
    dup2(before_, STDIN_FILENO);
    close(before_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int before_;
  std::thread writer_;
};

TEST(InputFile, StandardInputIsReadAfterItsHeadWasLookedAt) {
  const TemporaryFolder folder;
  // The text is longer than the part that is examined first, and longer than the buffer of a pipe.
  const auto matrix = Tessera::Impl::generate_uniform(5000, 20, 1);
  write_matrix_market(folder / "text", matrix);
  write_binary_csr(folder / "binary", matrix);
  const std::string text = content_of(folder / "text");
  ASSERT_GT(text.size(), std::size_t{1} << 20);
  for (const std::string& content : {text, gzip(text), content_of(folder / "binary"), harwell_boeing_text(matrix),
                                     gzip(harwell_boeing_text(matrix)), npz_of(matrix)}) {
    const StandardInput input(content);
    EXPECT_FALSE(Tessera::Impl::matrix_is_complex("-"));
    EXPECT_FALSE(Tessera::Impl::matrix_is_complex("-"));
    EXPECT_EQ(Tessera::read_matrix<double>("-"), matrix);
    EXPECT_EQ(thrown_by([] { Tessera::read_matrix<double>("-"); }).substr(0, 29), "invalid_argument: -: is empty");
  }
}

TEST(InputFile, StandardInputIsReadWithinALimit) {
  const std::string text = "%%MatrixMarket matrix coordinate real general\n" + std::string(std::size_t{1} << 17, '\n');
  Tessera::ReadOptions options;
  for (const std::size_t limit : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 16, std::size_t{100000}}) {
    const StandardInput input(text);
    options.memory_limit = limit;  // smaller and larger than the part that is examined first
    EXPECT_EQ(thrown_by([&] { Tessera::read_matrix<double>("-", options); }),
              "runtime_error: -: reading the file needs more than " + std::to_string(limit) +
                  " bytes of memory, which are allowed");
  }
}

TEST(InputFile, StandardInputWithoutALook) {
  const std::string text = "%%MatrixMarket matrix array real general\n2 1\n1\n2\n";
  {
    const StandardInput input(text);
    EXPECT_EQ(Tessera::read_dense_matrix<double>("-"), (Tessera::HostDense<double>{2, 1, {1, 2}}));
  }
  {
    const StandardInput input(text);
    EXPECT_EQ(Tessera::read_or_generate("-"), (Tessera::HostCsr<double>{2, 1, {0, 1, 2}, {0, 0}, {1, 2}}));
  }
  const StandardInput input("%%MatrixMarket matrix array real general\n2 1\n1\nx\n");
  EXPECT_EQ(thrown_by([] { Tessera::read_matrix<double>("-"); }), "runtime_error: -:4: expected a value, found \"x\"");
}

}  // namespace
