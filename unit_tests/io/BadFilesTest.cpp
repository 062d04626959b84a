// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <complex>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <tessera/io/MatrixMarket.hpp>
#include <thread>
#include <utility>
#include <vector>

#include "TestFiles.hpp"

namespace {

const std::string banner = "%%MatrixMarket matrix ";
const std::string real = banner + "coordinate real general\n";

std::string flipped(std::string text, std::size_t place) {
  text[place] = static_cast<char>(text[place] ^ 1);
  return text;
}

std::string many_entries() {
  std::string text = real + "1000 1000 1000\n";
  for (int i = 1; i <= 1000; ++i) text += std::to_string(i) + " " + std::to_string(i * 7 % 1000 + 1) + " 1.25\n";
  return text;
}

/// A file that must be rejected, and the whole error message after its path.
struct BadFile {
  std::string name;
  std::string content;
  std::string message;
};

const std::string no_banner = ":1: expected the banner of a Matrix Market file, \"%%MatrixMarket matrix ...\"";

const std::vector<BadFile>& bad_files() {
  static const std::vector<BadFile> files = {
      {"empty.mtx", "", ": is empty, expected a Matrix Market file"},
      {"harwell.rb", "lap_25, from HB collection   |lap_25\n 10 1 2 7\nrsa 25 25 97 0\n", no_banner},
      {"garbage.mtx",
       std::string("\x7f"
                   "ELF\0\1\2\3\xff\xfe",
                   10),
       no_banner},
      {"no_size_line.mtx", real + "% nothing more\n", ":3: expected the size line, found the end of the file"},
      {"object.mtx", "%%MatrixMarket vector coordinate real general\n1 1 0\n",
       ":1: expected the object in the banner (matrix), found \"vector\""},
      {"layout.mtx", banner + "sparse real general\n1 1 0\n",
       ":1: expected the layout in the banner (coordinate, array), found \"sparse\""},
      {"field.mtx", banner + "coordinate quaternion general\n1 1 0\n",
       ":1: expected the field in the banner (real, double, integer, unsigned-integer, complex, pattern), found "
       "\"quaternion\""},
      {"symmetry.mtx", banner + "coordinate real\n1 1 0\n",
       ":1: expected the symmetry in the banner (general, symmetric, skew-symmetric, hermitian), found the end of the "
       "line"},
      {"pattern_array.mtx", banner + "array pattern general\n1 1\n",
       ":1: a pattern has no values to make an array of, expected coordinate with pattern"},
      {"real_hermitian.mtx", banner + "coordinate real hermitian\n1 1 0\n",
       ":1: hermitian needs complex entries, expected symmetric or the field complex"},
      {"skew_pattern.mtx", banner + "coordinate pattern skew-symmetric\n1 1 0\n",
       ":1: skew-symmetric needs values, expected general or symmetric with pattern"},
      {"rectangular_symmetric.mtx", banner + "coordinate real symmetric\n2 3 0\n",
       ":2: a matrix with a symmetry is square, found 2 rows and 3 columns; if this line is an entry, the size line in "
       "front of it is missing"},
      {"negative_rows.mtx", real + "-3 3 1\n1 1 1\n", ":2: the number of rows is -3, expected 0 to 2147483647"},
      {"negative_entries.mtx", real + "3 3 -1\n", ":2: the number of entries is -1, expected 0 or more"},
      {"huge_columns.mtx", real + "3 3000000000 1\n1 1 1\n",
       ":2: the number of columns is 3000000000, expected 0 to 2147483647"},
      {"beyond_64_bits.mtx", real + "99999999999999999999 1 1\n1 1 1\n",
       ":2: expected the number of rows of at most 18 digits, found \"99999999999999999999\""},
      {"size_text.mtx", real + "3 three 1\n1 1 1\n", ":2: expected the number of columns, found \"three\""},
      {"size_short.mtx", real + "3 3\n1 1 1\n", ":2: expected the number of entries, found the end of the line"},
      {"size_long.mtx", real + "3 3 1 1\n1 1 1\n", ":2: expected the end of the line, found \"1\""},
      {"entries_nowhere.mtx", real + "0 3 1\n1 1 1\n",
       ":2: the number of entries is 1, expected 0 in a matrix without elements"},
      {"more_than_file.mtx", real + "1000 1000 900000000000\n1 1 1\n",
       ":2: the size line announces 900000000000 entries, but the 6 bytes after it hold at most 1"},
      {"truncated.mtx", real + "% cut off\n3 3 3\n1 1 1.5\n2 2 2.25\n",
       ":3: the size line announces 3 entries, but the file ends after 2"},
      {"cut_entry.mtx", real + "3 3 2\n1 1 1.5\n2 2", ":4: expected a value, found the end of the line"},
      {"too_many.mtx", real + "3 3 1\n1 1 1\n\n% comment\n2 2 2\n",
       ":6: expected the end of the file after the 1 entries that the size line announces, found another line"},
      {"row_zero.mtx", real + "3 3 1\n0 1 1\n", ":3: expected a row index from 1 to 3, found 0"},
      {"row_beyond.mtx", real + "3 3 2\n1 1 1\n4 1 1\n", ":4: expected a row index from 1 to 3, found 4"},
      {"column_beyond.mtx", real + "3 2 2\n1 1 1\n\n1 3 1\n", ":5: expected a column index from 1 to 2, found 3"},
      {"index_text.mtx", real + "3 3 1\nfoo 1 1\n", ":3: expected a row index, found \"foo\""},
      {"index_fraction.mtx", real + "3 3 1\n1.5 1 1\n", ":3: expected a row index, found \"1.5\""},
      {"value_text.mtx", real + "3 3 1\n1 1 one\n", ":3: expected a value, found \"one\""},
      {"value_comma.mtx", real + "3 3 1\n1 1 1,5\n", ":3: expected a value, found \"1,5\""},
      {"value_huge.mtx", real + "3 3 1\n1 1 1e999\n",
       ":3: expected a value within the range of double, found \"1e999\""},
      {"value_extra.mtx", real + "3 3 1\n1 1 1.5 2.5\n", ":3: expected the end of the line, found \"2.5\""},
      {"pattern_extra.mtx", banner + "coordinate pattern general\n3 3 1\n1 1 x\n",
       ":3: expected the end of the line, found \"x\""},
      {"two_signs.mtx", real + "3 3 1\n1 1 +-2\n", ":3: expected a value, found \"+-2\""},
      {"control.mtx", real + "3 3 1\n1 1 \033[31m\n", ":3: expected a value, found \"?[31m\""},
      {"skew_diagonal.mtx", banner + "coordinate real skew-symmetric\n3 3 1\n2 2 1\n",
       ":3: expected zero on the diagonal of a skew-symmetric matrix"},
      {"array_short.mtx", banner + "array real general\n2 2\n1.0\n2.0\n3.0\n",
       ":2: the size line announces 4 entries, but the file ends after 3"},
      {"array_long.mtx", banner + "array real general\n1 2\n1\n2\n3\n",
       ":5: expected the end of the file after the 2 entries that the size line announces, found another line"},
      {"array_huge.mtx", banner + "array real general\n2147483647 2147483647\n1\n",
       ":2: the size line announces 4611686014132420609 entries, but the 2 bytes after it hold at most 1"},
      {"fake.mtx.gz", real + "1 1 1\n1 1 1\n",
       ": is named .gz but is not gzip: expected it to begin with the bytes 1f 8b"},
      {"truncated.mtx.gz", gzip(many_entries()).substr(0, 500), ": gzip data end too early: the file is truncated"},
      {"no_trailer.mtx.gz", gzip(many_entries()).substr(0, gzip(many_entries()).size() - 6),
       ": gzip data end too early: the file is truncated"},
      {"crc.mtx.gz", flipped(gzip(many_entries()), gzip(many_entries()).size() - 8),
       ": gzip data are corrupt: incorrect data check"},
      {"length.mtx.gz", flipped(gzip(many_entries()), gzip(many_entries()).size() - 4),
       ": gzip data are corrupt: incorrect length check"},
      {"appended.mtx.gz", gzip(many_entries()) + "more", ": there is something else after the gzip data"},
  };
  return files;
}

TEST(BadFiles, EachMessageNamesFileLineAndWhatWasExpected) {
  const TemporaryFolder folder;
  for (const BadFile& file : bad_files()) {
    const std::string path = folder.add(file.name, file.content);
    EXPECT_EQ(thrown_by([&] { Tessera::read_matrix_market<double>(path); }), "runtime_error: " + path + file.message);
    EXPECT_EQ(thrown_by([&] { Tessera::read_dense_matrix_market<double>(path); }),
              "runtime_error: " + path + file.message);
  }
}

TEST(BadFiles, MessagesDoNotDependOnChunksAndThreads) {
  for (const BadFile& file : bad_files()) {
    if (file.name.ends_with(".gz")) continue;
    for (std::size_t bytes = 1; bytes < 9; ++bytes) {
      const Tessera::ReadOptions options{3, {}, 0, bytes};
      EXPECT_EQ(thrown_by([&] { Tessera::Impl::parse_matrix_market<double>(file.content, "text", options); }),
                "runtime_error: text" + file.message)
          << file.name;
    }
  }
}

TEST(BadFiles, TheFirstOfSeveralDefectsIsReported) {
  std::string text = real + "9 9 400\n";
  for (int k = 0; k < 200; ++k) text += "1 1 1\n";
  for (int k = 0; k < 200; ++k) text += "wrong\n";
  for (int repeat = 0; repeat < 20; ++repeat) {
    EXPECT_EQ(thrown_by([&] {
                Tessera::Impl::parse_matrix_market<double>(text, "text", {7, {}, 0, 16});
              }),
              "runtime_error: text:203: expected a row index, found \"wrong\"");
  }
}

TEST(BadFiles, TheFirstDefectIsReportedWhicheverThreadIsFaster) {
  constexpr std::size_t lines = 100000;  // of six bytes, in each of two chunks
  for (const auto& [first, second] : {std::pair{lines / 2, lines - 1}, std::pair{lines - 1, lines / 2}}) {
    std::string text = real + "9 9 200000\n";
    const std::size_t head = text.size();
    for (std::size_t k = 0; k < 2 * lines; ++k) text += "1 1 1\n";
    text[head + 6 * first] = 'x';
    text[head + 6 * (lines + second)] = 'y';
    EXPECT_EQ(thrown_by([&] {
                Tessera::Impl::parse_matrix_market<double>(text, "text", {2, {}, 0, 6 * lines});
              }),
              "runtime_error: text:" + std::to_string(3 + first) + ": expected a row index, found \"x\"");
  }
}

TEST(BadFiles, ComplexIntoReal) {
  const std::string text = banner + "coordinate complex general\n1 1 1\n1 1 1 2\n";
  EXPECT_EQ(thrown_by([&] { Tessera::Impl::parse_matrix_market<double>(text, "c.mtx"); }),
            "invalid_argument: c.mtx:1: the matrix is complex, expected a real one for the scalar type double");
  EXPECT_EQ(thrown_by([&] { Tessera::Impl::parse_dense_matrix_market<float>(text, "c.mtx"); }),
            "invalid_argument: c.mtx:1: the matrix is complex, expected a real one for the scalar type float");
}

TEST(BadFiles, ComplexLines) {
  const auto message = [](const std::string& line) {
    const std::string text = banner + "coordinate complex general\n1 1 1\n" + line + "\n";
    return thrown_by([&] { Tessera::Impl::parse_matrix_market<std::complex<double>>(text, "c.mtx"); });
  };
  EXPECT_EQ(message("1 1 1 i"), "runtime_error: c.mtx:3: expected an imaginary part, found \"i\"");
  EXPECT_EQ(message("1 1 x 1"), "runtime_error: c.mtx:3: expected a real part, found \"x\"");
  EXPECT_EQ(message("1 1 1.25"), "runtime_error: c.mtx:3: expected an imaginary part, found the end of the line");
}

TEST(BadFiles, NumbersTooLargeForFloat) {
  const std::string text = real + "1 1 1\n1 1 1e60\n";
  EXPECT_EQ(thrown_by([&] { Tessera::Impl::parse_matrix_market<float>(text, "f.mtx"); }),
            "runtime_error: f.mtx:3: expected a value within the range of float, found \"1e60\"");
}

/// Numbers overflow or underflow by their digits or their exponent.
TEST(BadFiles, NumbersTooLargeForDouble) {
  const std::string zeros(400, '0');
  const std::vector<std::string> numbers = {"1" + zeros,
                                            "1" + zeros + "e-10",
                                            "-1" + zeros + ".5e-10",
                                            "0.00001e+400",
                                            "00" + zeros + "7e309",
                                            "0." + zeros + "1e800",
                                            "1e9223372036854775807",
                                            "1e99999999999999999999"};
  for (const std::string& number : numbers) {
    const std::string message =
        thrown_by([&] { Tessera::Impl::parse_matrix_market<double>(real + "1 1 1\n1 1 " + number + "\n", "d.mtx"); });
    EXPECT_EQ(message.find("runtime_error: d.mtx:3: expected a value within the range of double, found"), 0u)
        << number << ": " << message;
  }
}

TEST(BadFiles, MissingAndDirectory) {
  const TemporaryFolder folder;
  const std::string missing = folder / "missing.mtx";
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix_market<double>(missing); }),
            "runtime_error: " + missing + ": cannot be opened: No such file or directory");
  EXPECT_EQ(thrown_by([&] { Tessera::Impl::read_matrix_market_header(missing); }),
            "runtime_error: " + missing + ": cannot be opened: No such file or directory");
  std::filesystem::create_directory(folder / "folder.mtx");
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix_market<double>(folder / "folder.mtx"); }),
            "runtime_error: " + (folder / "folder.mtx") + ": is a directory, expected a file");
}

TEST(BadFiles, NeedingMoreMemoryThanAllowed) {
  // A file of 100 bytes that needs 16 GiB for row offsets, and more for a block of rows.
  const std::string tall = real + "2147483647 5 1\n1 1 1\n";
  Tessera::ReadOptions options;
  options.memory_limit = std::size_t{1} << 30;
  EXPECT_EQ(thrown_by([&] { Tessera::Impl::parse_matrix_market<double>(tall, "tall.mtx", options); }),
            "runtime_error: tall.mtx:2: a matrix of the size on this line needs 16416 MiB of memory, 1024 MiB are "
            "allowed");
  const std::string no_columns = "%%MatrixMarket matrix array real general\n2147483647 0\n";
  EXPECT_EQ(thrown_by([&] { Tessera::Impl::parse_matrix_market<double>(no_columns, "array.mtx", options); }),
            "runtime_error: array.mtx:2: a matrix of the size on this line needs 16384 MiB of memory, 1024 MiB are "
            "allowed");
  const std::string square = real + "2147483647 2147483647 0\n";
  EXPECT_NE(thrown_by([&] {
              Tessera::Impl::parse_dense_matrix_market<double>(square, "dense.mtx");
            }).find("runtime_error: dense.mtx:2: a matrix of the size on this line needs 35184372072448 MiB of memory"),
            std::string::npos);

  const TemporaryFolder folder;
  options.memory_limit = std::size_t{1} << 20;
  const std::string bomb = folder.add("bomb.mtx.gz", gzip(real + std::string(64 << 20, '\n')));
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix_market<double>(bomb, options); }),
            "runtime_error: " + bomb + ": decompressing the file needs more than 1 MiB of memory, which are allowed");
  const std::string large = folder.add("large.mtx", real + std::string(4 << 20, '\n'));
  EXPECT_EQ(thrown_by([&] { Tessera::read_matrix_market<double>(large, options); }),
            "runtime_error: " + large + ": reading the file needs 4 MiB of memory, 1 MiB are allowed");
}

/// Compressed bytes count towards the limit, because they are in memory during decompression.
TEST(BadFiles, CompressedBytesCountInTheMemoryAllowed) {
  std::string comment(4 << 20, ' ');
  std::mt19937 random(1);
  for (char& letter : comment) letter = static_cast<char>('!' + random() % 90);
  const TemporaryFolder folder;
  const std::string compressed = gzip(real + '%' + comment + "\n1 1 0\n");  // more than 3 MiB
  const std::string path = folder.add("comment.mtx.gz", compressed);
  Tessera::ReadOptions options;
  options.memory_limit = std::size_t{5} << 20;
  EXPECT_EQ(thrown_by([&] {
              Tessera::read_matrix_market<double>(path, options);
            }).find("runtime_error: " + path + ": decompressing the file needs"),
            0U);
  options.memory_limit = std::size_t{12} << 20;
  EXPECT_EQ(Tessera::read_matrix_market<double>(path, options).rows, 1);
}

/// Writes bytes to a pipe until its reader closes it. Returns the number of bytes written.
std::size_t write_newlines(const std::string& path, std::size_t bytes) {
  sigset_t broken_pipe;  // a broken pipe must end the writing, not the program
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
  const int pipe = open(path.c_str(), O_WRONLY);
  const std::string newlines(4096, '\n');
  std::size_t written = 0;
  while (written < bytes) {
    const ssize_t step = write(pipe, newlines.data(), std::min(newlines.size(), bytes - written));
    if (step < 0) break;
    written += static_cast<std::size_t>(step);
  }
  close(pipe);
  return written;
}

/// A pipe is read only until it exceeds the limit.
TEST(BadFiles, PipesOfMoreThanAllowed) {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto read_newlines = [&](std::size_t bytes, std::size_t limit) {
    Tessera::ReadOptions options;
    options.memory_limit = limit;
    std::size_t written = 0;
    std::thread writer([&] { written = write_newlines(path, bytes); });
    const std::string thrown = thrown_by([&] { Tessera::read_matrix_market<double>(path, options); });
    writer.join();
    return std::pair(thrown, written);
  };
  constexpr std::size_t mebibyte = 1 << 20;
  for (const std::size_t limit : {5 * mebibyte, 8 * mebibyte}) {
    const std::string rejection = "runtime_error: " + path + ": reading the file needs more than " +
                                  std::to_string(limit / mebibyte) + " MiB of memory, which are allowed";
    EXPECT_EQ(read_newlines(limit + 1, limit).first, rejection);
    const auto [thrown, written] = read_newlines(33 * mebibyte, limit);
    EXPECT_EQ(thrown, rejection);
    EXPECT_LE(written, limit + mebibyte) << "and what a pipe holds";
    EXPECT_EQ(read_newlines(limit, limit).first, "runtime_error: " + path + no_banner);
  }
  EXPECT_EQ(read_newlines(9 * mebibyte, 0).first, "runtime_error: " + path + no_banner);
}

/// Reading a dense matrix from a sparse file needs memory for both.
TEST(BadFiles, DenseAndSparseCountTogether) {
  const std::string text = real + "100000 1 0\n";  // 0.8 MB each
  Tessera::ReadOptions options;
  options.memory_limit = 1200000;
  EXPECT_NE(thrown_by([&] {
              Tessera::Impl::parse_dense_matrix_market<double>(text, "t", options);
            }).find("a matrix of the size on this line needs"),
            std::string::npos);
  options.memory_limit = 2000000;
  EXPECT_EQ(Tessera::Impl::parse_dense_matrix_market<double>(text, "t", options).rows, 100000U);
}

/// The text counts towards the limit, because it is in memory while the matrix is built.
TEST(BadFiles, TheTextCountsInTheMemoryAllowed) {
  const std::string text = real + std::string(1 << 20, '\n') + "200000 5 1\n1 1 1\n";  // 1.6 MB of row offsets
  Tessera::ReadOptions options;
  options.memory_limit = std::size_t{2} << 20;
  EXPECT_NE(thrown_by([&] {
              Tessera::Impl::parse_matrix_market<double>(text, "t", options);
            }).find("a matrix of the size on this line needs"),
            std::string::npos);
  options.memory_limit = std::size_t{16} << 20;
  EXPECT_EQ(Tessera::Impl::parse_matrix_market<double>(text, "t", options).rows, 200000);
}

TEST(BadFiles, NegativeNumberOfThreads) {
  const std::string text = real + "1 1 1\n1 1 1\n";
  EXPECT_EQ(thrown_by([&] {
              Tessera::Impl::parse_matrix_market<double>(text, "t", {-1, {}, 0, 100});
            }),
            "invalid_argument: number of threads is -1, expected 0 (all available) or more");
}

}  // namespace
