// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/io/Generators.hpp>
#include <tessera/io/MatrixMarket.hpp>
#include <thread>
#include <vector>

#include "TestFiles.hpp"

namespace {

using Tessera::HostCsr;
using Tessera::HostDense;
using Tessera::ReadOptions;
using Complex = std::complex<double>;
using Header = Tessera::Impl::MatrixMarketHeader;

const std::string banner = "%%MatrixMarket matrix ";

template <class Scalar>
HostCsr<Scalar> parse(const std::string& text, const ReadOptions& options = {}) {
  return Tessera::Impl::parse_matrix_market<Scalar>(text, "text", options);
}

template <class Scalar>
HostDense<Scalar> parse_dense(const std::string& text, const ReadOptions& options = {}) {
  return Tessera::Impl::parse_dense_matrix_market<Scalar>(text, "text", options);
}

template <class Scalar>
HostCsr<Scalar> csr(int rows, int columns, std::vector<std::size_t> offsets, std::vector<int> indices,
                    std::vector<Scalar> values) {
  return {rows, columns, std::move(offsets), std::move(indices), std::move(values)};
}

TEST(MatrixMarketCoordinate, RealGeneral) {
  const auto matrix = parse<double>(banner + "coordinate real general\n3 4 4\n1 1 1.5\n3 4 -2e-3\n1 3 .25\n2 2 7.\n");
  EXPECT_EQ(matrix, csr<double>(3, 4, {0, 2, 3, 4}, {0, 2, 1, 3}, {1.5, 0.25, 7.0, -2e-3}));
}

TEST(MatrixMarketCoordinate, DoubleIsReal) {
  EXPECT_EQ(parse<double>(banner + "coordinate double general\n1 1 1\n1 1 1.5\n"),
            csr<double>(1, 1, {0, 1}, {0}, {1.5}));
}

TEST(MatrixMarketCoordinate, IntegerGeneral) {
  EXPECT_EQ(parse<double>(banner + "coordinate integer general\n2 2 2\n2 1 -7\n1 2 9007199254740993\n"),
            csr<double>(2, 2, {0, 1, 2}, {1, 0}, {9007199254740992.0, -7.0}));
}

TEST(MatrixMarketCoordinate, UnsignedIntegerIsInteger) {
  EXPECT_EQ(parse<double>(banner + "coordinate unsigned-integer general\n2 2 2\n2 1 7\n1 2 4294967295\n"),
            csr<double>(2, 2, {0, 1, 2}, {1, 0}, {4294967295.0, 7.0}));
}

TEST(MatrixMarketCoordinate, AnEntryInPlaceOfTheSizeLineIsRejectedForItsValue) {
  try {
    parse<double>(banner + "coordinate real symmetric\n2 1 0.5\n2 2 4.0\n");
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("the number of entries"), std::string::npos) << error.what();
    EXPECT_EQ(std::string(error.what()).find("square"), std::string::npos) << error.what();
  }
}

TEST(MatrixMarketCoordinate, ExponentsWithoutALetter) {
  EXPECT_EQ(
      parse<double>(banner + "coordinate real general\n1 4 4\n1 1 1.5+02\n1 2 -2.5-03\n1 3 +.14-270\n1 4 1-400\n"),
      csr<double>(1, 4, {0, 4}, {0, 1, 2, 3}, {150, -2.5e-3, 0.14e-270, 0}));
  for (const std::string word : {"1.5-", "1-2-3", "1e5-3", "--2", "1.5+x", "+-2"}) {
    EXPECT_THROW(parse<double>(banner + "coordinate real general\n1 1 1\n1 1 " + word + "\n"), std::runtime_error)
        << word;
  }
}

TEST(MatrixMarketCoordinate, BannersAsTheyAreFound) {
  const auto expected = csr<double>(1, 1, {0, 1}, {0}, {2.5});
  const std::string rest = "MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2.5\n";
  for (const std::string before : {"%%", "%", " %%", "\r\n\t\n%%", "\xEF\xBB\xBF%%", "\xEF\xBB\xBF \n%"}) {
    EXPECT_EQ(parse<double>(before + rest), expected) << before;
    EXPECT_EQ(Tessera::Impl::parse_matrix_market_header(before + rest, "text").stored_entries, 1u) << before;
  }
  for (const std::string before : {"", "%%%", "x%%", "\xEF\xBB%%"})
    EXPECT_THROW(parse<double>(before + rest), std::runtime_error) << before;
}

TEST(MatrixMarketCoordinate, ComplexGeneral) {
  EXPECT_EQ(parse<Complex>(banner + "coordinate complex general\n2 2 2\n2 1 1 -2\n1 2 3 4.5\n"),
            csr<Complex>(2, 2, {0, 1, 2}, {1, 0}, {{3, 4.5}, {1, -2}}));
}

TEST(MatrixMarketCoordinate, PatternGeneral) {
  EXPECT_EQ(parse<float>(banner + "coordinate pattern general\n2 3 3\n2 3\n1 2\n2 1\n"),
            csr<float>(2, 3, {0, 1, 3}, {1, 0, 2}, {1, 1, 1}));
}

TEST(MatrixMarketCoordinate, PatternWithValuesIgnoresThem) {
  EXPECT_EQ(parse<double>(banner + "coordinate pattern general\n1 3 2\n1 1 5\n1 3 -2.5\n"),
            csr<double>(1, 3, {0, 2}, {0, 2}, {1, 1}));
}

TEST(MatrixMarketCoordinate, RealFileIntoComplexScalar) {
  EXPECT_EQ(parse<Complex>(banner + "coordinate real general\n1 1 1\n1 1 2.5\n"),
            csr<Complex>(1, 1, {0, 1}, {0}, {{2.5, 0}}));
}

TEST(MatrixMarketCoordinate, RealSymmetricSetsTheDiagonalOnce) {
  EXPECT_EQ(parse<double>(banner + "coordinate real symmetric\n3 3 3\n1 1 4\n3 1 -1\n2 2 5\n"),
            csr<double>(3, 3, {0, 2, 3, 4}, {0, 2, 1, 0}, {4, -1, 5, -1}));
}

TEST(MatrixMarketCoordinate, IntegerSymmetric) {
  EXPECT_EQ(parse<double>(banner + "coordinate integer symmetric\n2 2 1\n2 1 3\n"),
            csr<double>(2, 2, {0, 1, 2}, {1, 0}, {3, 3}));
}

TEST(MatrixMarketCoordinate, PatternSymmetric) {
  EXPECT_EQ(parse<double>(banner + "coordinate pattern symmetric\n2 2 2\n2 1\n2 2\n"),
            csr<double>(2, 2, {0, 1, 3}, {1, 0, 1}, {1, 1, 1}));
}

TEST(MatrixMarketCoordinate, ComplexSymmetricDoesNotConjugate) {
  EXPECT_EQ(parse<Complex>(banner + "coordinate complex symmetric\n2 2 2\n2 1 1 2\n1 1 5 6\n"),
            csr<Complex>(2, 2, {0, 2, 3}, {0, 1, 0}, {{5, 6}, {1, 2}, {1, 2}}));
}

TEST(MatrixMarketCoordinate, SymmetricFromTheUpperTriangleOrAMixture) {
  const auto lower = parse<double>(banner + "coordinate real symmetric\n3 3 3\n2 1 4\n3 1 5\n3 2 6\n");
  EXPECT_EQ(lower, csr<double>(3, 3, {0, 2, 4, 6}, {1, 2, 0, 2, 0, 1}, {4, 5, 4, 6, 5, 6}));
  EXPECT_EQ(lower, parse<double>(banner + "coordinate real symmetric\n3 3 3\n1 2 4\n1 3 5\n2 3 6\n"));
  EXPECT_EQ(lower, parse<double>(banner + "coordinate real symmetric\n3 3 3\n1 2 4\n3 1 5\n2 3 6\n"));
}

TEST(MatrixMarketCoordinate, SymmetricElementGivenInBothTrianglesIsADuplicate) {
  EXPECT_EQ(parse<double>(banner + "coordinate real symmetric\n2 2 2\n1 2 4\n2 1 5\n"),
            csr<double>(2, 2, {0, 1, 2}, {1, 0}, {9, 9}));
}

TEST(MatrixMarketCoordinate, RealSkewSymmetricNegates) {
  EXPECT_EQ(parse<double>(banner + "coordinate real skew-symmetric\n3 3 3\n2 1 4\n2 3 7\n2 2 0\n"),
            csr<double>(3, 3, {0, 1, 4, 5}, {1, 0, 1, 2, 1}, {-4, 4, 0, 7, -7}));
}

TEST(MatrixMarketCoordinate, IntegerSkewSymmetric) {
  EXPECT_EQ(parse<float>(banner + "coordinate integer skew-symmetric\n2 2 1\n2 1 3\n"),
            csr<float>(2, 2, {0, 1, 2}, {1, 0}, {-3, 3}));
}

TEST(MatrixMarketCoordinate, ComplexSkewSymmetricNegatesBothParts) {
  EXPECT_EQ(parse<Complex>(banner + "coordinate complex skew-symmetric\n2 2 1\n2 1 1 2\n"),
            csr<Complex>(2, 2, {0, 1, 2}, {1, 0}, {{-1, -2}, {1, 2}}));
}

TEST(MatrixMarketCoordinate, HermitianConjugatesAndKeepsTheDiagonalAsItStands) {
  EXPECT_EQ(parse<Complex>(banner + "coordinate complex hermitian\n2 2 3\n1 1 3 0\n2 1 1 2\n2 2 5 -1\n"),
            csr<Complex>(2, 2, {0, 2, 4}, {0, 1, 0, 1}, {{3, 0}, {1, -2}, {1, 2}, {5, -1}}));
}

TEST(MatrixMarketArray, RealGeneralIsColumnMajor) {
  const std::string text = banner + "array real general\n2 3\n1\n2\n3\n4\n0\n6\n";
  EXPECT_EQ(parse_dense<double>(text), (HostDense<double>{2, 3, {1, 2, 3, 4, 0, 6}}));
  EXPECT_EQ(parse<double>(text), csr<double>(2, 3, {0, 3, 6}, {0, 1, 2, 0, 1, 2}, {1, 3, 0, 2, 4, 6}));
}

TEST(MatrixMarketArray, IntegerAndComplexGeneral) {
  EXPECT_EQ(parse_dense<float>(banner + "array integer general\n1 2\n-1\n2\n"), (HostDense<float>{1, 2, {-1, 2}}));
  EXPECT_EQ(parse_dense<Complex>(banner + "array complex general\n2 1\n1 2\n3 -4\n"),
            (HostDense<Complex>{2, 1, {{1, 2}, {3, -4}}}));
}

TEST(MatrixMarketArray, SymmetriesExpandTheLowerTriangle) {
  EXPECT_EQ(parse_dense<double>(banner + "array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n"),
            (HostDense<double>{3, 3, {1, 2, 3, 2, 4, 5, 3, 5, 6}}));
  EXPECT_EQ(parse_dense<double>(banner + "array real skew-symmetric\n3 3\n1\n2\n3\n"),
            (HostDense<double>{3, 3, {0, 1, 2, -1, 0, 3, -2, -3, 0}}));
  EXPECT_EQ(parse_dense<Complex>(banner + "array complex hermitian\n2 2\n1 0\n2 3\n4 0\n"),
            (HostDense<Complex>{2, 2, {{1, 0}, {2, 3}, {2, -3}, {4, 0}}}));
  EXPECT_EQ(parse_dense<Complex>(banner + "array complex symmetric\n2 2\n1 1\n2 3\n4 0\n"),
            (HostDense<Complex>{2, 2, {{1, 1}, {2, 3}, {2, 3}, {4, 0}}}));
}

TEST(MatrixMarketArray, CoordinateFilesGiveDenseMatricesToo) {
  EXPECT_EQ(parse_dense<double>(banner + "coordinate real general\n2 2 2\n1 2 3\n2 1 4\n"),
            (HostDense<double>{2, 2, {0, 4, 3, 0}}));
}

TEST(MatrixMarketForm, EmptyMatrices) {
  EXPECT_EQ(parse<double>(banner + "coordinate real general\n0 0 0\n"), csr<double>(0, 0, {0}, {}, {}));
  EXPECT_EQ(parse<double>(banner + "coordinate real general\n2 5 0\n"), csr<double>(2, 5, {0, 0, 0}, {}, {}));
  EXPECT_EQ(parse<double>(banner + "coordinate real general\n0 5 0"), csr<double>(0, 5, {0}, {}, {}));
  EXPECT_EQ(parse_dense<double>(banner + "array real general\n0 3\n"), (HostDense<double>{0, 3, {}}));
  EXPECT_EQ(parse_dense<double>(banner + "array real skew-symmetric\n1 1\n"), (HostDense<double>{1, 1, {0}}));
}

TEST(MatrixMarketForm, WhatFilesInTheWildHold) {
  const auto expected = csr<double>(2, 2, {0, 1, 3}, {0, 0, 1}, {1.5, -2500, 0.125});
  const std::string plain = banner + "coordinate real general\n2 2 3\n1 1 1.5\n2 1 -2500\n2 2 .125\n";
  EXPECT_EQ(parse<double>(plain), expected);
  // No newline at the end, CRLF, comments, blank lines, tabs, spaces, signs, Fortran exponents, any case.
  EXPECT_EQ(parse<double>(plain.substr(0, plain.size() - 1)), expected);
  EXPECT_EQ(parse<double>("%%MatrixMarket matrix coordinate real general\r\n%c\r\n\r\n2 2 3\r\n1 1 1.5\r\n2 1 "
                          "-2500\r\n2 2 .125\r\n\r\n"),
            expected);
  EXPECT_EQ(parse<double>("%%matrixmarket MATRIX Coordinate\tREAL   General  \n%\n%% 9 9 9\n\n  \t\n\t2 2  3 \n"
                          "% in between\n 1\t1   +1.5  \n\n+2 1 -2.5D+03\n  % indented\n2 2 1.25d-1\n\n% end"),
            expected);
}

TEST(MatrixMarketForm, DuplicatesAreSummedInFileOrderAndZerosKept) {
  // Only this order loses the small terms: (1e16 + 1) + 1 - 1e16 = 0.
  const std::string text = banner + "coordinate real general\n2 2 6\n1 2 1e16\n2 1 0\n1 2 1\n1 1 3\n1 2 1\n1 2 -1e16\n";
  EXPECT_EQ(parse<double>(text), csr<double>(2, 2, {0, 2, 3}, {0, 1, 0}, {3, 0, 0}));
}

TEST(MatrixMarketForm, NumbersAtTheEndsOfTheRange) {
  const auto values = [](const std::string& number) {
    return parse<double>(banner + "coordinate real general\n1 1 1\n1 1 " + number + "\n").values.at(0);
  };
  EXPECT_EQ(values("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(values("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(values("1e-400"), 0.0);
  EXPECT_EQ(values("0.01e-9223372036854775808"), 0.0);
  EXPECT_TRUE(std::signbit(values("-1e-400")));
  EXPECT_EQ(values("inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(values("-Infinity"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(values("nan")));
  EXPECT_EQ(parse<float>(banner + "coordinate real general\n1 1 1\n1 1 1e-60\n").values.at(0), 0.0F);
  const std::string zeros(400, '0');
  EXPECT_EQ(values("0." + zeros + "1"), 0.0);
  EXPECT_EQ(values("." + zeros + "1"), 0.0);
  EXPECT_TRUE(std::signbit(values("-0." + zeros + "1e+10")));
  EXPECT_EQ(values("1" + zeros + "e-400"), 1.0);
  EXPECT_EQ(values("1" + zeros + "e-800"), 0.0);
  EXPECT_EQ(values("0." + zeros + "1e401"), 1.0);
  EXPECT_EQ(values("1e-99999999999999999999"), 0.0);
  EXPECT_EQ(values("0e99999999999999999999"), 0.0);
  // The value is rounded once, directly to float. Rounding to double first would give 1 + 2^-22.
  EXPECT_EQ(parse<float>(banner + "coordinate real general\n1 1 1\n1 1 1.00000017881393432617187499\n").values.at(0),
            1.00000011920928955078125F);
}

TEST(MatrixMarketHeader, IsReadWithoutTheEntries) {
  const TemporaryFolder folder;
  const std::string head = banner + "coordinate complex hermitian\n% c\n7 7 5\n";
  const std::string long_comment = banner + "array integer general\n%" + std::string(300000, 'x') + "\n3 2\n";
  for (const auto& path : {folder.add("h.mtx", head), folder.add("h.mtx.gz", gzip(head))}) {
    const Header header = Tessera::Impl::read_matrix_market_header(path);
    EXPECT_EQ(header.layout, Header::Layout::Coordinate);
    EXPECT_EQ(header.field, Header::Field::Complex);
    EXPECT_EQ(header.symmetry, Header::Symmetry::Hermitian);
    EXPECT_EQ(header.rows, 7);
    EXPECT_EQ(header.columns, 7);
    EXPECT_EQ(header.stored_entries, 5U);
  }
  for (const auto& path : {folder.add("l.mtx", long_comment), folder.add("l.mtx.gz", gzip(long_comment))}) {
    const Header header = Tessera::Impl::read_matrix_market_header(path);
    EXPECT_EQ(header.layout, Header::Layout::Array);
    EXPECT_EQ(header.field, Header::Field::Integer);
    EXPECT_EQ(header.stored_entries, 6U);
  }
}

/// A text with lines of different lengths, unsorted entries, duplicates, comments and blank lines.
std::string irregular_text(std::size_t entries) {
  std::string text = banner + "coordinate real general\n40 30 " + std::to_string(entries) + "\n";
  const auto random = Tessera::random_dense<double>(entries, 3, 5);
  for (std::size_t k = 0; k < entries; ++k) {
    const double* values = random.values.data() + k;
    text += std::to_string(1 + static_cast<int>(20 + 19.9 * values[0])) + " " +
            std::to_string(1 + static_cast<int>(15 + 14.9 * values[entries])) + " " +
            std::to_string(values[2 * entries] * (k % 7 == 0 ? 1e9 : 1.0)) + (k % 5 == 0 ? " \r\n" : "\n");
    if (k % 11 == 0) text += "% comment\n\n";
  }
  return text;
}

TEST(MatrixMarketParallel, EveryChunkBoundaryAndThreadCountGivesTheSameResult) {
  const std::string text = irregular_text(60);
  const auto expected = parse<double>(text);
  ASSERT_TRUE(is_canonical(expected));
  for (std::size_t bytes = 0; bytes < 150; ++bytes) {
    for (const int threads : {1, 3}) {
      ASSERT_EQ(parse<double>(text, {threads, {}, 0, bytes}), expected) << bytes << " bytes, " << threads << " threads";
    }
  }
}

TEST(MatrixMarketParallel, ThreadCountsGiveTheSameBits) {
  const std::string text = irregular_text(20000);
  const auto expected = parse<double>(text, {1, {}, 0, std::size_t{1} << 20});
  EXPECT_LE(expected.values.size(), 1200U);  // duplicates were summed; another order changes the last bit
  for (const int threads : {1, 2, 3, 7}) {
    EXPECT_EQ(parse<double>(text, {threads, {}, 0, 1000}), expected) << threads << " threads";
  }
}

TEST(MatrixMarketParallel, ArraysInChunks) {
  std::string text = banner + "array real general\n50 40\n";
  for (int k = 0; k < 2000; ++k) text += std::to_string(k * 37 % 1001) + "\n";
  const auto expected = parse_dense<double>(text);
  EXPECT_EQ(expected.values[1999], 1999 * 37 % 1001);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{100}, ~std::size_t{0}})
    EXPECT_EQ(parse_dense<double>(text, {3, {}, 0, bytes}), expected);
}

TEST(MatrixMarketProgress, AscendsToOneInTheCallersThread) {
  const TemporaryFolder folder;
  const std::string text = irregular_text(3000);
  for (const auto& path : {folder.add("a.mtx", text), folder.add("a.mtx.gz", gzip(text))}) {
    std::vector<double> fractions;
    ReadOptions options;
    options.threads = 2;
    options.chunk_bytes = 1000;
    options.progress = [&, caller = std::this_thread::get_id()](double fraction) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      fractions.push_back(fraction);
    };
    Tessera::read_matrix_market<double>(path, options);
    ASSERT_GT(fractions.size(), 1U);
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
    EXPECT_EQ(fractions.back(), 1.0);
  }
}

TEST(MatrixMarketProgress, AnExceptionFromTheCallbackReachesTheCaller) {
  ReadOptions options;
  options.progress = [](double) { throw std::logic_error("cancelled"); };
  EXPECT_THROW(parse<double>(irregular_text(100), options), std::logic_error);
}

TEST(MatrixMarketGzip, AnyNameSeveralMembersAndPadding) {
  const TemporaryFolder folder;
  const std::string first = banner + "coordinate real general\n2 2 2\n1 ";
  const std::string second = "1 5\n2 2 6\n";
  const auto expected = csr<double>(2, 2, {0, 1, 2}, {0, 1}, {5, 6});
  for (const auto& path :
       {folder.add("one.mtx.gz", gzip(first + second)), folder.add("plain-name.mtx", gzip(first + second)),
        folder.add("two.mtx.gz", gzip(first) + gzip(second)),
        folder.add("padded.mtx.gz", gzip(first + second) + std::string(512, '\0'))}) {
    EXPECT_EQ(Tessera::read_matrix_market<double>(path), expected) << path;
  }
}

TEST(MatrixMarketGzip, MoreThanABufferOfZeros) {
  // Compresses by a factor of 1000, so the output buffer grows many times.
  const TemporaryFolder folder;
  const std::string text = banner + "coordinate real general\n1 1 1\n" + std::string(20 << 20, '\n') + "1 1 5\n";
  EXPECT_EQ(Tessera::read_matrix_market<double>(folder.add("zeros.mtx.gz", gzip(text))).values.at(0), 5.0);
}

}  // namespace
