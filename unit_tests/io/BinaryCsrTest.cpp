// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <tessera/io/BinaryCsr.hpp>
#include <tessera/io/Generators.hpp>

#include "TestFiles.hpp"

namespace {

using Tessera::BinaryCsrFormat;
using Tessera::HostCsr;

/// Returns numbers as they are stored in memory.
template <class Number>
std::string bytes(std::initializer_list<Number> numbers) {
  std::string result;
  for (const Number number : numbers) result.append(reinterpret_cast<const char*>(&number), sizeof number);
  return result;
}

const std::string magic32 = bytes<std::int64_t>({0x52534354});
const std::string magic64 = "TESSCSR1";

/// A file with 32-bit offsets: 2 x 3, rows {2: 1.5}, {0: 2.5, 1: -3}.
std::string file32() {
  return magic32 + bytes<std::int64_t>({2, 3, 3}) + bytes<std::int32_t>({0, 1, 3}) + bytes<std::int32_t>({2, 0, 1}) +
         bytes<float>({1.5F, 2.5F, -3.0F});
}

std::string file64(std::int64_t kind, const std::string& values) {
  return magic64 + bytes<std::int64_t>({kind, 2, 3, 3}) + bytes<std::int64_t>({0, 1, 3}) +
         bytes<std::int32_t>({2, 0, 1}) + values;
}

template <class Scalar>
HostCsr<Scalar> parse(const std::string& content) {
  return Tessera::Impl::parse_binary_csr<Scalar>(content, "file");
}

TEST(BinaryCsr, BothFormatsAndAllKinds) {
  const HostCsr<double> expected{2, 3, {0, 1, 3}, {2, 0, 1}, {1.5, 2.5, -3.0}};
  EXPECT_EQ(parse<double>(file32()), expected);
  EXPECT_EQ(parse<double>(file64(0, bytes<float>({1.5F, 2.5F, -3.0F}))), expected);
  EXPECT_EQ(parse<double>(file64(1, bytes<double>({1.5, 2.5, -3.0}))), expected);
  const HostCsr<std::complex<double>> complex{2, 3, {0, 1, 3}, {2, 0, 1}, {{1, 2}, {3, 4}, {5, 6}}};
  EXPECT_EQ(parse<std::complex<double>>(file64(2, bytes<float>({1, 2, 3, 4, 5, 6}))), complex);
  EXPECT_EQ(parse<std::complex<double>>(file64(3, bytes<double>({1, 2, 3, 4, 5, 6}))), complex);
  const HostCsr<std::complex<float>> widened{2, 3, {0, 1, 3}, {2, 0, 1}, {{1.5, 0}, {2.5, 0}, {-3, 0}}};
  EXPECT_EQ(parse<std::complex<float>>(file32()), widened);
}

TEST(BinaryCsr, WritesThe32BitFormatToTheByte) {
  const TemporaryFolder folder;
  write_binary_csr(folder / "a.bin", HostCsr<double>{2, 3, {0, 1, 3}, {2, 0, 1}, {1.5, 2.5, -3.0}},
                   BinaryCsrFormat::Offsets32);
  EXPECT_EQ(content_of(folder / "a.bin"), file32());
  write_binary_csr(folder / "b.bin", HostCsr<double>{2, 3, {0, 1, 3}, {2, 0, 1}, {1.5, 2.5, -3.0}});
  EXPECT_EQ(content_of(folder / "b.bin"), file64(1, bytes<double>({1.5, 2.5, -3.0})));
}

TEST(BinaryCsr, RowsAreMadeCanonical) {
  const std::string content = magic32 + bytes<std::int64_t>({1, 3, 4}) + bytes<std::int32_t>({0, 4}) +
                              bytes<std::int32_t>({2, 0, 2, 1}) + bytes<float>({1, 2, 3, 0});
  EXPECT_EQ(parse<double>(content), (HostCsr<double>{1, 3, {0, 3}, {0, 1, 2}, {2, 0, 4}}));
}

TEST(BinaryCsr, LargeFilesOnAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const auto matrix = Tessera::Impl::generate_banded(30000, 10, 2);
  write_binary_csr(folder / "a.bin", matrix);
  for (const int threads : {1, 2, 3, 7}) {
    EXPECT_EQ(Tessera::read_binary_csr<double>(folder / "a.bin", {threads, {}, 0, 1}), matrix);
  }
  folder.add("a.bin.gz", gzip(content_of(folder / "a.bin")));
  EXPECT_EQ(Tessera::read_binary_csr<double>(folder / "a.bin.gz"), matrix);
}

TEST(BinaryCsr, BadFilesAreRejectedWithAReason) {
  const auto message = [](const std::string& content) { return thrown_by([&] { parse<double>(content); }); };
  const std::string length =
      "runtime_error: file: is SIZE bytes long, which does not fit its header (2 rows, COUNT nonzeros): expected 44 "
      "bytes and 8 a nonzero";
  const auto length_message = [&](const std::string& size, const std::string& count) {
    std::string text = length;
    text.replace(text.find("SIZE"), 4, size);
    return text.replace(text.find("COUNT"), 5, count);
  };
  EXPECT_EQ(message("%%MatrixMarket"),
            "runtime_error: file: expected a binary CSR file, which begins with the 64-bit number 0x52534354 or with "
            "the bytes TESSCSR1");
  EXPECT_EQ(message(file32().substr(0, 20)),
            "runtime_error: file: ends within its header, expected 32 bytes, found 20");
  EXPECT_EQ(message(file32().substr(0, 40)), length_message("40", "3"));
  EXPECT_EQ(message(file32() + "x"), length_message("69", "3"));
  const std::string body = file32().substr(32);
  EXPECT_EQ(message(magic32 + bytes<std::int64_t>({2, 3, 0x2000000000000003}) + body),
            "runtime_error: file: the header gives 2305843009213693955 for the number of nonzeros, expected 0 to "
            "2147483647");
  // 2^31 nonzeros are too many for 32-bit offsets. The file is rejected whatever its length.
  EXPECT_EQ(message(magic32 + bytes<std::int64_t>({2, 3, 2147483648}) + body),
            "runtime_error: file: the header gives 2147483648 for the number of nonzeros, expected 0 to 2147483647");
  EXPECT_EQ(message(magic32 + bytes<std::int64_t>({2, 3, 2147483647}) + body), length_message("68", "2147483647"));
  EXPECT_EQ(message(magic32 + bytes<std::int64_t>({-2, 3, 3}) + body),
            "runtime_error: file: the header gives -2 for the number of rows, expected 0 to 2147483647");
  EXPECT_EQ(message(magic32 + bytes<std::int64_t>({2, 2147483648, 3}) + body),
            "runtime_error: file: the header gives 2147483648 for the number of columns, expected 0 to 2147483647");
  EXPECT_EQ(message(magic32 + bytes<std::int64_t>({2, 3, -3}) + body),
            "runtime_error: file: the header gives -3 for the number of nonzeros, expected 0 to 2147483647");
  EXPECT_EQ(message(file64(7, bytes<double>({1, 2, 3}))),
            "runtime_error: file: the header gives 7 for the kind of the values, expected 0 to 3");
  EXPECT_EQ(message(file64(3, bytes<double>({1, 2, 3, 4, 5, 6}))),
            "invalid_argument: file: the matrix is complex, expected a real one for the scalar type double");
}

TEST(BinaryCsr, BadArraysAreRejectedWithAReason) {
  const auto message = [](std::initializer_list<std::int32_t> offsets, std::initializer_list<std::int32_t> columns) {
    return thrown_by([&] {
      parse<double>(magic32 + bytes<std::int64_t>({2, 3, 3}) + bytes(offsets) + bytes(columns) +
                    bytes<float>({1, 2, 3}));
    });
  };
  EXPECT_EQ(message({0, 1, 3}, {2, 0, 1}), "nothing");
  EXPECT_EQ(message({1, 1, 3}, {2, 0, 1}), "runtime_error: file: row offset 0 is 1, expected 0");
  EXPECT_EQ(message({0, 4, 3}, {2, 0, 1}), "runtime_error: file: row offset 1 is 4, expected 0 to 3");
  EXPECT_EQ(message({0, -1, 3}, {2, 0, 1}), "runtime_error: file: row offset 1 is -1, expected 0 to 3");
  EXPECT_EQ(message({0, 1, 2}, {2, 0, 1}), "runtime_error: file: row offset 2 is 2, expected 3");
  EXPECT_EQ(message({0, 1, 3}, {3, 0, 1}), "runtime_error: file: the column of nonzero 0 is 3, expected 0 to 2");
  EXPECT_EQ(message({0, 1, 3}, {2, 0, -1}), "runtime_error: file: the column of nonzero 2 is -1, expected 0 to 2");
}

TEST(BinaryCsr, NonzerosWithoutRowsAreRejected) {
  const std::string content =
      magic32 + bytes<std::int64_t>({0, 3, 1}) + bytes<std::int32_t>({0, 0}) + bytes<float>({1});
  EXPECT_EQ(thrown_by([&] { parse<double>(content); }), "runtime_error: file: row offset 0 is 0, expected 1");
}

TEST(BinaryCsr, WhatOffsets32CannotHold) {
  const TemporaryFolder folder;
  const HostCsr<std::complex<float>> matrix{1, 1, {0, 1}, {0}, {{1, 2}}};
  EXPECT_EQ(
      thrown_by([&] { write_binary_csr(folder / "a", matrix, BinaryCsrFormat::Offsets32); }),
      "invalid_argument: " + (folder / "a") + ": cannot be written: Offsets32 holds real values, expected Offsets64");
  EXPECT_EQ(folder.files(), 0U);
}

/// Like text readers: values that overflow float are rejected, and values that underflow become 0.
TEST(BinaryCsr, ValuesOutOfTheRangeOfFloat) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto file = [](double value) { return file64(1, bytes<double>({1, value, 3})); };
  const std::string message =
      "runtime_error: file: the value of nonzero 1 is 1e+200, expected one within the range of ";
  EXPECT_EQ(thrown_by([&] { parse<float>(file(1e200)); }), message + "float");
  EXPECT_EQ(thrown_by([&] { parse<std::complex<float>>(file(1e200)); }), message + "float");
  EXPECT_EQ(parse<double>(file(1e200)).values.at(1), 1e200);
  EXPECT_EQ(parse<float>(file(-infinity)).values.at(1), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(parse<float>(file(std::numeric_limits<double>::quiet_NaN())).values.at(1)));
  EXPECT_EQ(parse<float>(file(std::numeric_limits<float>::max())).values.at(1), std::numeric_limits<float>::max());
  EXPECT_EQ(parse<float>(file(1e-200)).values.at(1), 0.0F);
  const auto complex = [](double real, double imaginary) {
    return file64(3, bytes<double>({1, 2, real, imaginary, 5, 6}));
  };
  EXPECT_EQ(thrown_by([&] { parse<std::complex<float>>(complex(infinity, -1e39)); }),
            "runtime_error: file: the value of nonzero 1 is (inf,-1e+39), expected one within the range of float");
  EXPECT_EQ(parse<std::complex<float>>(complex(infinity, 4)).values.at(1).imag(), 4.0F);
}

TEST(BinaryCsr, Offsets32DoesNotWriteValuesThatFloatLacks) {
  const TemporaryFolder folder;
  const HostCsr<double> matrix{1, 2, {0, 2}, {0, 1}, {1.5, -1e39}};
  EXPECT_EQ(thrown_by([&] { write_binary_csr(folder / "a", matrix, BinaryCsrFormat::Offsets32); }),
            "invalid_argument: " + (folder / "a") +
                ": cannot be written: the value of nonzero 1 is -1e+39, expected one within the range of float");
  EXPECT_EQ(folder.files(), 0U);
}

TEST(BinaryCsr, MemoryLimit) {
  Tessera::ReadOptions options;
  options.memory_limit = 100;
  EXPECT_EQ(thrown_by([&] { Tessera::Impl::parse_binary_csr<double>(file32(), "file", options); }),
            "runtime_error: file: the matrix needs 128 bytes of memory, 100 bytes are allowed");
}

}  // namespace
