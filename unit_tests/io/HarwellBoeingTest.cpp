// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <stdexcept>
#include <string>
#include <tessera/io/Generators.hpp>
#include <tessera/io/HarwellBoeing.hpp>
#include <tessera/io/ReadMatrix.hpp>
#include <utility>
#include <vector>

#include "HarwellBoeingFiles.hpp"
#include "TestFiles.hpp"

namespace {

using namespace std::string_literals;
using Tessera::HarwellBoeingVectors;
using Tessera::HostCsr;
using Tessera::HostDense;
using Tessera::ReadOptions;
using Complex = std::complex<double>;
using Header = Tessera::Impl::MatrixMarketHeader;

template <class Scalar>
HostCsr<Scalar> parse(const std::string& text, const ReadOptions& options = {}) {
  return Tessera::Impl::parse_harwell_boeing<Scalar>(text, "text", options);
}

const std::string integers = "(26I3)          (26I3)          ";

/// A file with 4 entries in 3 rows. Its columns have the rows (1, 3), (2), () and (1).
std::string four_entries(const std::string& type, const std::string& value_format, const std::string& values) {
  return harwell_boeing_head(type, 3, 4, 4, integers + value_format) + "  1  3  4  4  5\n  1  3  2  1\n" + values;
}

/// Returns the values of a matrix with one column that is read from these value lines in this format.
std::vector<double> values_of(const std::string& format, const std::string& lines, int count) {
  std::string text = harwell_boeing_head("RRA", count, 1, static_cast<std::size_t>(count), integers + format) + "  1";
  char word[16];
  std::snprintf(word, sizeof word, "%3d\n", count + 1);
  text += word;
  for (int k = 1; k <= count; ++k) {
    std::snprintf(word, sizeof word, "%3d", k);
    text += word;
  }
  return parse<double>(text + "\n" + lines).values;
}

std::string message_of(const std::string& text) {
  return thrown_by([&] { parse<Complex>(text); });
}

TEST(HarwellBoeing, RealRectangular) {
  const std::string text = four_entries("RRA", "(3F5.1)", "  1.5 -2.0 3.25\n  4.0\n");
  EXPECT_EQ(parse<double>(text), (HostCsr<double>{3, 4, {0, 2, 3, 4}, {0, 3, 1, 0}, {1.5, 4.0, 3.25, -2.0}}));
  EXPECT_EQ(parse<float>(text), (HostCsr<float>{3, 4, {0, 2, 3, 4}, {0, 3, 1, 0}, {1.5F, 4.0F, 3.25F, -2.0F}}));
  EXPECT_EQ(parse<Complex>(text), (HostCsr<Complex>{3, 4, {0, 2, 3, 4}, {0, 3, 1, 0}, {1.5, 4.0, 3.25, -2.0}}));
  EXPECT_EQ(parse<double>(four_entries("rua", "(3F5.1)", "  1.5 -2.0 3.25\n  4.0")), parse<double>(text));
}

TEST(HarwellBoeing, IntegersAndPatterns) {
  EXPECT_EQ(parse<double>(four_entries("IRA", "(20I4)", "   7  -8   9  10\n")),
            (HostCsr<double>{3, 4, {0, 2, 3, 4}, {0, 3, 1, 0}, {7, 10, 9, -8}}));
  EXPECT_EQ(parse<double>(four_entries("PRA", "", "")),
            (HostCsr<double>{3, 4, {0, 2, 3, 4}, {0, 3, 1, 0}, {1, 1, 1, 1}}));
}

TEST(HarwellBoeing, Complex) {
  const std::string text = four_entries("CRA", "(3F4.0)", "  1.  2.  3.\n  4.  5.  6.\n  7.  8.\n");
  EXPECT_EQ(parse<Complex>(text),
            (HostCsr<Complex>{3, 4, {0, 2, 3, 4}, {0, 3, 1, 0}, {{1, 2}, {7, 8}, {5, 6}, {3, 4}}}));
  EXPECT_EQ(thrown_by([&] { parse<double>(text); }),
            "invalid_argument: text:3: the matrix is complex, expected a real one for the scalar type double");
  EXPECT_EQ(thrown_by([&] { parse<float>(text); }),
            "invalid_argument: text:3: the matrix is complex, expected a real one for the scalar type float");
}

/// A file with the lower triangle (1, 1), (2, 1), (3, 2) of a matrix of 3 rows.
std::string lower_triangle(const std::string& type, const std::string& values) {
  return harwell_boeing_head(type, 3, 3, 3, integers + "(6F4.0)") + "  1  3  4  4\n  1  2  3\n" + values + "\n";
}

TEST(HarwellBoeing, SymmetriesAreExpanded) {
  const std::vector<std::size_t> offsets{0, 2, 4, 5};
  const std::vector<int> indices{0, 1, 0, 2, 1};
  EXPECT_EQ(parse<double>(lower_triangle("RSA", "  4.  5.  6.")),
            (HostCsr<double>{3, 3, offsets, indices, {4, 5, 5, 6, 6}}));
  EXPECT_EQ(parse<double>(lower_triangle("PSA", "")), (HostCsr<double>{3, 3, offsets, indices, {1, 1, 1, 1, 1}}));
  EXPECT_EQ(parse<double>(lower_triangle("RHA", "  4.  5.  6.")), parse<double>(lower_triangle("RSA", "  4.  5.  6.")));
  EXPECT_EQ(parse<double>(lower_triangle("IZA", "  0.  5.  6.")),
            (HostCsr<double>{3, 3, offsets, indices, {0, -5, 5, -6, 6}}));
  EXPECT_EQ(parse<Complex>(lower_triangle("CSA", "  4.  1.  5.  2.  6.  3.")),
            (HostCsr<Complex>{3, 3, offsets, indices, {{4, 1}, {5, 2}, {5, 2}, {6, 3}, {6, 3}}}));
  EXPECT_EQ(parse<Complex>(lower_triangle("CHA", "  4.  0.  5.  2.  6.  3.")),
            (HostCsr<Complex>{3, 3, offsets, indices, {{4, 0}, {5, -2}, {5, 2}, {6, -3}, {6, 3}}}));
  EXPECT_EQ(parse<Complex>(lower_triangle("CZA", "  0.  0.  5.  2.  6.  3.")),
            (HostCsr<Complex>{3, 3, offsets, indices, {{0, 0}, {-5, -2}, {5, 2}, {-6, -3}, {6, 3}}}));
}

TEST(HarwellBoeing, ASkewPatternIsOfBothSigns) {
  const std::string text = harwell_boeing_head("PZA", 2, 2, 1, integers) + "  1  2  2\n  2\n";
  EXPECT_EQ(parse<double>(text), (HostCsr<double>{2, 2, {0, 1, 2}, {1, 0}, {-1, 1}}));
}

TEST(HarwellBoeing, TheUpperTriangleIsTakenAsWell) {
  const std::string head = harwell_boeing_head("RSA", 2, 2, 2, integers + "(6F4.0)");
  EXPECT_EQ(parse<double>(head + "  1  2  3\n  1  1\n  4.  5.\n"),
            (HostCsr<double>{2, 2, {0, 2, 3}, {0, 1, 0}, {4, 5, 5}}));
}

TEST(HarwellBoeing, RowsInAnyOrderAndDuplicates) {
  const std::string text =
      harwell_boeing_head("RUA", 3, 2, 5, integers + "(6F4.0)") + "  1  5  6\n  3  1  3  2  1\n  1.  2.  4.  0.  7.\n";
  EXPECT_EQ(parse<double>(text), (HostCsr<double>{3, 2, {0, 2, 3, 4}, {0, 1, 0, 0}, {2, 7, 0, 5}}));
}

TEST(HarwellBoeing, EmptyMatrices) {
  const std::string formats = integers + "(6F4.0)";
  EXPECT_EQ(parse<double>(harwell_boeing_head("RUA", 2, 2, 0, formats) + "  1  1  1\n\n\n"),
            (HostCsr<double>{2, 2, {0, 0, 0}, {}, {}}));
  EXPECT_EQ(parse<double>(harwell_boeing_head("RRA", 3, 0, 0, formats) + "  1"),
            (HostCsr<double>{3, 0, {0, 0, 0, 0}, {}, {}}));
  EXPECT_EQ(parse<double>(harwell_boeing_head("RUA", 0, 0, 0, formats) + "  1\n"),
            (HostCsr<double>{0, 0, {0}, {}, {}}));
  EXPECT_EQ(parse<double>(harwell_boeing_head("RUA", 2, 2, 0, integers) + "  1  1  1\n"),
            (HostCsr<double>{2, 2, {0, 0, 0}, {}, {}}));
}

TEST(HarwellBoeing, Header) {
  const std::string text = harwell_boeing_head("RSA", 7, 7, 3, integers + "(6F4.0)        (6F4.0)",
                                               "F X                      2             0");
  const auto header = Tessera::Impl::parse_harwell_boeing_header(text, "text");
  EXPECT_EQ(header.title, "A title");
  EXPECT_EQ(header.key, "KEY");
  EXPECT_EQ(header.field, Header::Field::Real);
  EXPECT_EQ(header.symmetry, Header::Symmetry::Symmetric);
  EXPECT_EQ(header.rows, 7);
  EXPECT_EQ(header.columns, 7);
  EXPECT_EQ(header.stored_entries, 3U);
  EXPECT_EQ(header.right_hand_sides, 2U);
  EXPECT_FALSE(header.has_sparse_right_hand_sides);
  EXPECT_FALSE(header.has_guesses);
  EXPECT_TRUE(header.has_solutions);
}

TEST(HarwellBoeing, Formats) {
  const std::vector<double> expected{1.5, -2.25, 300, 4e-3, 5};
  const std::vector<std::pair<std::string, std::string>> layouts = {
      {"(5F6.2)", "  1.50 -2.25300.00  .004  5.00\n"},
      {"(2F6.2)", "  1.50 -2.25\n300.00  .004\n  5.00\n"},
      {"(F6.2)", "  1.50\n -2.25\n300.00\n  .004\n  5.00\n"},
      {"(1P,4D10.3)", " 1.500D+00-2.250D+00 3.000D+02 4.000D-03\n 5.000D+00\n"},
      {"(1P4D10.3)", " 1.500d+00-2.250d+00 3.000d+02 4.000d-03\n 5.000d+00\n"},
      {"( 1P5E10.3)", " 1.500E+00-2.250E+00 3.000E+02 4.000E-03 5.000E+00\n"},
      {"(3(1P,E10.3))", " 1.500E+00-2.250E+00 3.000E+02\n 4.000E-03 5.000E+00\n"},
      {"(2(1X,E9.3,2X))", "  1.500E00   -2.25E+00  \n   3.000E2    4.000E-3\n     .5E+1\n"},
      {"(F4.1,2(F6.2))", " 1.5 -2.25300.00\n  .004  5.00\n"},
      {"(F4.1,F6.2,2(F6.2),F5.0)", " 1.5 -2.25300.00  .004   5.\n"},
      {"(2E9.2/E9.2)", "  1.50E+0 -2.25E+0\n  3.00E+2\n  4.00E-3  5.00E+0\n"},
      {"(5ES9.2E1)", "  1.50E+0 -2.25E+0  3.00E+2  4.00E-3  5.00E+0\n"},
      {"(5EN9.2)", "  1.50Q+0 -2.25q+0  3.00e+2  4.00E-3    5.00 \n"},
      {"(5g9.2)", "  1.50 +0 -2.25+0   3.00+2   4.00-3   + 5.    \n"},
      {"(T3,F4.1,TR2,F5.2,/,3F6.0)", "xx 1.5yy-2.25\n  300.  .004    5.\n"},
      {"(2/,3F6.2)", "skipped\nas well\n  1.50 -2.25300.00\n\nand these\n  .004  5.00\n"},
      {"(ES9.2E1)", "  1.50E+0\n -2.25E+0\n  3.00E+2\n  4.00E-3\n  5.00E+0\n"},
      {"(+0P,5F6.2)", "  1.50 -2.25300.00  .004  5.00\n"},
      {"(SP,BN,5F6.2)", " +1.50 -2.25300.00  .004  5.00\n"},
      {"(2(2(F6.2)),F2.0)", "  1.50 -2.25300.00  .0045.\n"},
  };
  for (const auto& [format, lines] : layouts) {
    EXPECT_EQ(values_of(format, lines, 5), expected) << format;
    std::string dos = lines;
    for (std::size_t k = 0; (k = dos.find('\n', k)) != std::string::npos; k += 2) dos.replace(k, 1, "\r\n");
    EXPECT_EQ(values_of(format, dos, 5), expected) << format << " with CRLF";
    EXPECT_EQ(values_of(format, lines.substr(0, lines.find_last_not_of(" \n") + 1), 5), expected) << format;
  }
}

TEST(HarwellBoeing, NumbersWithoutPointOrExponent) {
  // The format gives the number of decimals. A scale factor applies only without an exponent.
  EXPECT_EQ(values_of("(4F6.2)", "   150  -225  1.50   1E3\n", 4), (std::vector<double>{1.5, -2.25, 1.5, 10}));
  EXPECT_EQ(values_of("(2P,4F6.2)", "  15.0 1.0E0  1500 15E-1\n", 4), (std::vector<double>{0.15, 1, 0.15, 0.015}));
  EXPECT_EQ(values_of("(-1P,2F6.1)", "   1.5    15\n", 2), (std::vector<double>{15, 15}));
  EXPECT_EQ(values_of("(2I6.3)", "   150  -225\n", 2), (std::vector<double>{150, -225}));
  EXPECT_EQ(values_of("(4I6)", "   150  -225  1500     0\n", 4), (std::vector<double>{150, -225, 1500, 0}));
}

/// SciPy writes numbers one character narrower than the format says. With three-digit exponents, numbers touch.
TEST(HarwellBoeing, NumbersThatAreNotInTheirColumns) {
  const std::vector<double> expected{-1.25, 1.5, -2e-300, 4};
  EXPECT_EQ(values_of("(3E12.4)", "-1.2500E+00 1.5000E+00-2.0000E-300\n 4.0000E+00\n", 4), expected);
  EXPECT_EQ(values_of("(3E10.4)", " -1.2500E+00  1.5000E+00 -2.0000E-300\n  4.0000E+00\n", 4), expected);
  EXPECT_EQ(values_of("(4E20.4)", "-1.25 1.5 -2.D-300 4.\n", 4), expected);
  EXPECT_EQ(values_of("(2F6.0)", "   34   12.5\n", 2), (std::vector<double>{34, 12.5}));
  // The format's columns are ignored if they cut a number, although the parts are numbers.
  EXPECT_EQ(values_of("(3F5.0)", "  12.5         7\n", 2), (std::vector<double>{12.5, 7}));
  // The line has the right number of words, but they are not numbers, so the format's columns are used.
  EXPECT_EQ(values_of("(2E9.2)", " 1.25E 02-1.50E-03\n", 2), (std::vector<double>{125, -1.5e-3}));
  const std::string text = harwell_boeing_head("RUA", 2, 2, 2, "(26I5)          (26I5)          (6F4.0)");
  EXPECT_EQ(parse<double>(text + "1 2 3\n2   1\n  5.  6.\n"), (HostCsr<double>{2, 2, {0, 1, 2}, {1, 0}, {6, 5}}));
}

TEST(HarwellBoeing, AScaleHoldsForTheNextPass) {
  EXPECT_EQ(values_of("(F4.1,1P,F4.1)", " 1.0 1.0\n 1.0 1.0\n", 4), (std::vector<double>{1, 0.1, 0.1, 0.1}));
}

TEST(HarwellBoeing, ExtremeNumbers) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(values_of("(4E12.4)", "  1.0000-320  1.0000-400   -Infinity         inf\n", 4),
            (std::vector<double>{1e-320, 0, -inf, inf}));
  const auto nan = values_of("(1E12.4)", "         NaN\n", 1);
  EXPECT_NE(nan[0], nan[0]);
  EXPECT_EQ(values_of("(E30.2)", "           99999999999999999.9", 1), (std::vector<double>{1e17}));
  EXPECT_EQ(values_of("(E30.2)", "       1E-99999999999999999999", 1), (std::vector<double>{0}));
}

TEST(HarwellBoeing, NumbersOfCards) {
  const std::string line = "  1.5 -2.0 3.25";
  const auto expected = parse<double>(four_entries("RRA", "(3F5.1)", line + "\n  4.0\n"));
  EXPECT_EQ(parse<double>(four_entries("RRA", "(3F5.1)", line + std::string(57, ' ') + "CARD   1\n  4.0\n")), expected);
}

/// Only the announced numbers are read from the last line of each part.
TEST(HarwellBoeing, LastLinesMayBeFilled) {
  const std::string head = harwell_boeing_head("RUA", 2, 2, 2, integers + "(3F4.0)");
  EXPECT_EQ(parse<double>(head + "  1  2  3  0  0\n  2  1  9 10\n  5.  6.  0.\n"),
            (HostCsr<double>{2, 2, {0, 1, 2}, {1, 0}, {6, 5}}));
}

TEST(HarwellBoeing, ShortLinesAndBlankLinesBetweenTheParts) {
  const std::string head = harwell_boeing_head("RUA", 2, 2, 2, integers + "(3F6.0)");
  const HostCsr<double> matrix{2, 2, {0, 1, 2}, {1, 0}, {6, 5}};
  EXPECT_EQ(parse<double>(head + "\n  1  2  3\n \n\n  2  1\n\n     5    6.\n"), matrix);
  EXPECT_EQ(parse<double>(head + "\r\n  1  2 3\r\n  2 1\r\n     5   6.\r\n"), matrix);
}

TEST(HarwellBoeing, EndsOfFiles) {
  const std::string text = four_entries("RRA", "(3F5.1)", "  1.5 -2.0 3.25\n  4.0");
  for (const std::string& end : {"\n"s, "\n\n \r\n"s, "\n\x1A"s, "\n\0\0\0"s})
    EXPECT_EQ(parse<double>(text + end), parse<double>(text));
}

TEST(HarwellBoeing, ChunksAndThreadsDoNotMatter) {
  const auto matrix = Tessera::Impl::generate_uniform(300, 5, 1);
  const std::string text = harwell_boeing_text(matrix);
  EXPECT_EQ(parse<double>(text), matrix);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{1000}}) {
    for (const int threads : {1, 3}) EXPECT_EQ(parse<double>(text, {threads, {}, 0, bytes}), matrix) << bytes;
  }
  const std::string complex = four_entries("CRA", "(3F4.0)", "  1.  2.  3.\n  4.  5.  6.\n  7.  8.\n");
  EXPECT_EQ(parse<Complex>(complex, {2, {}, 0, 1}), parse<Complex>(complex));
}

TEST(HarwellBoeing, ProgressReachesOne) {
  double last = 0;
  ReadOptions options;
  options.chunk_bytes = 1000;
  options.progress = [&](double fraction) {
    EXPECT_GE(fraction, last);
    last = fraction;
  };
  parse<double>(harwell_boeing_text(Tessera::Impl::generate_uniform(300, 5, 1)), options);
  EXPECT_EQ(last, 1.0);
}

const std::string with_vectors = harwell_boeing_head("RUA", 2, 2, 1, integers + "(6F4.0)             (3F4.0)",
                                                     "FGX                      2             0") +
                                 "  1  2  2\n  1\n  9.\n  1.  2.  3.\n  4.\n  5.  6.  7.\n  8.\n -1. -2. -3.\n -4.\n";

TEST(HarwellBoeing, RightHandSidesGuessesAndSolutions) {
  const auto vectors = [](HarwellBoeingVectors which) {
    return Tessera::Impl::parse_harwell_boeing_vectors<double>(with_vectors, "text", which);
  };
  EXPECT_EQ(vectors(HarwellBoeingVectors::RightHandSides), (HostDense<double>{2, 2, {1, 2, 3, 4}}));
  EXPECT_EQ(vectors(HarwellBoeingVectors::Guesses), (HostDense<double>{2, 2, {5, 6, 7, 8}}));
  EXPECT_EQ(vectors(HarwellBoeingVectors::Solutions), (HostDense<double>{2, 2, {-1, -2, -3, -4}}));
  EXPECT_EQ(parse<double>(with_vectors), (HostCsr<double>{2, 2, {0, 1, 1}, {0}, {9}}));
}

TEST(HarwellBoeing, RightHandSidesOfComplexMatricesAndPatterns) {
  const auto complex = Tessera::Impl::parse_harwell_boeing_vectors<Complex>(
      harwell_boeing_head("CUA", 2, 2, 1, integers + "(6F4.0)             (3F4.0)", "F                        1") +
          "  1  2  2\n  1\n  9.  8.\n  1.  2.  3.\n  4.\n",
      "text");
  EXPECT_EQ(complex, (HostDense<Complex>{2, 1, {{1, 2}, {3, 4}}}));
  for (const std::string& formats : {integers + "                    (3F4.0)", integers + "(9E9.1)   (3F4.0)"}) {
    const auto pattern = Tessera::Impl::parse_harwell_boeing_vectors<double>(
        harwell_boeing_head("PUA", 2, 2, 1, formats, "F                        1") + "  1  2  2\n  1\n  1.  2.\n",
        "text");
    EXPECT_EQ(pattern, (HostDense<double>{2, 1, {1, 2}}));
  }
  // If there are no guesses, solutions follow the right-hand sides directly.
  const auto solutions = Tessera::Impl::parse_harwell_boeing_vectors<double>(
      harwell_boeing_head("PUA", 1, 1, 0, integers + "(3F4.0)", "F X                      1") + "  1  1\n  1.\n  2.\n",
      "text", HarwellBoeingVectors::Solutions);
  EXPECT_EQ(solutions, (HostDense<double>{1, 1, {2}}));
}

/// Right-hand sides are read if the fifth line describes them, even if the second line says that there are none.
TEST(HarwellBoeing, RightHandSidesWithoutLines) {
  const std::string text =
      "title\n 1 1 1 1 0\nRUA 1 1 1 0\n(9I3) (9I3) (2F4.0) (2F4.0)\nF              1\n  1  2\n  1\n  9.\n  7.\n";
  EXPECT_EQ(parse<double>(text), (HostCsr<double>{1, 1, {0, 1}, {0}, {9}}));
  EXPECT_EQ(Tessera::Impl::parse_harwell_boeing_vectors<double>(text, "text"), (HostDense<double>{1, 1, {7}}));
}

TEST(HarwellBoeing, VectorsThatAreNotThere) {
  const auto message = [](const std::string& text, HarwellBoeingVectors which = HarwellBoeingVectors::RightHandSides) {
    return thrown_by([&] { Tessera::Impl::parse_harwell_boeing_vectors<double>(text, "text", which); });
  };
  const std::string formats = integers + "(6F4.0)             (3F4.0)";
  EXPECT_EQ(message(four_entries("RRA", "(3F5.1)", "  1.5 -2.0 3.25\n  4.0\n")),
            "runtime_error: text:3: expected a file with right-hand sides, found none in its head");
  const std::string full =
      harwell_boeing_head("RUA", 1, 1, 0, formats, "F                        1") + "  1  1\n  1.\n";
  EXPECT_EQ(message(full, HarwellBoeingVectors::Guesses),
            "runtime_error: text:3: expected a file with guesses, found none in its head");
  EXPECT_EQ(message(full, HarwellBoeingVectors::Solutions),
            "runtime_error: text:3: expected a file with solutions, found none in its head");
  EXPECT_EQ(
      message(harwell_boeing_head("RUA", 1, 1, 0, formats, "M                        1             1") + "  1  1\n"),
      "runtime_error: text:5: the right-hand sides are sparse (type M), expected full ones (type F)");
  EXPECT_EQ(
      message(harwell_boeing_head("RUA", 5, 5, 0, formats, "F                  1000000") + "  1  1  1  1  1  1\n"),
      "runtime_error: text:3: the head announces 1000000 right-hand sides of 5 elements, which do not fit in the "
      "19 bytes after it");
  EXPECT_EQ(
      message(harwell_boeing_head("RUA", 3, 3, 0, formats, "F                        1") + "  1  1  1  1\n  1. x\n"),
      "runtime_error: text:7: expected a value, found \"x\"");
  EXPECT_EQ(message(harwell_boeing_head("RUA", 4, 4, 0, formats, "F                        1") +
                    "  1  1  1  1  1\n  1.  2.  3.\n"),
            "runtime_error: text:8: expected a value, number 4 of 4, found the end of the file");
}

TEST(HarwellBoeing, ReadersTakeFiles) {
  const TemporaryFolder folder;
  folder.add("plain.mtx", with_vectors);
  folder.add("packed", gzip(with_vectors));
  const std::string complex = folder.add("complex", lower_triangle("CHA", "  4.  0.  5.  2.  6.  3."));
  const HostCsr<double> matrix{2, 2, {0, 1, 1}, {0}, {9}};
  const HostDense<double> dense{2, 2, {1, 2, 3, 4}};
  for (const char* name : {"plain.mtx", "packed"}) {
    EXPECT_EQ(Tessera::read_harwell_boeing<double>(folder / name), matrix);
    EXPECT_EQ(Tessera::read_harwell_boeing_vectors<double>(folder / name), dense);
    EXPECT_EQ(Tessera::read_matrix<double>(folder / name), matrix);
    EXPECT_EQ(Tessera::read_dense_matrix<double>(folder / name), dense);
    EXPECT_FALSE(Tessera::Impl::matrix_is_complex(folder / name));
    const auto header = Tessera::Impl::read_dense_header(folder / name);
    EXPECT_EQ(header.rows, 2U);
    EXPECT_EQ(header.columns, 2U);
    EXPECT_FALSE(header.is_complex);
    EXPECT_EQ(Tessera::Impl::read_harwell_boeing_header(folder / name).key, "KEY");
  }
  EXPECT_TRUE(Tessera::Impl::matrix_is_complex(complex));
  EXPECT_TRUE(Tessera::Impl::read_dense_header(complex).is_complex);
}

/// A file that must be rejected, and the error message after its name.
using BadText = std::pair<std::string, std::string>;

TEST(HarwellBoeing, BadHeads) {
  const std::string formats = integers + "(6F4.0)";
  const std::string body = "  1  1  1  1\n";
  const std::string no_head =
      ":1: expected the head of a Harwell-Boeing or Rutherford-Boeing file: a title, a line of numbers, and a line "
      "with a "
      "type such as RUA and numbers";
  const std::vector<BadText> texts = {
      {"", ": is empty, expected a Harwell-Boeing file"},
      {"title\n", no_head},
      {"title\n 1 2 3\n", no_head},
      {"title\nnumbers\nRUA 1 1 1\n", no_head},
      {"title\n 1 2 3\nRUA1 1 1\n", no_head},
      {"title\n 1 x\nRUA 1 1 1\n", no_head},
      {"title\n -\nRUA 1 1 1\n", no_head},
      {"title\n 1 2 3\nRUA 1 1 x\n", no_head},
      {harwell_boeing_head("RSE", 3, 3, 3, formats) + body,
       ":3: the matrix is not assembled but elemental, as the type \"RSE\" says; expected A as its third letter"},
      {harwell_boeing_head("RUB", 3, 3, 3, formats) + body,
       ":3: expected A as the third letter of the type, found \"B\""},
      {harwell_boeing_head("XUA", 3, 3, 3, formats) + body,
       ":3: the values of the matrix are in a file of their own, expected R, I, C or P as the first letter of the "
       "type, "
       "found \"X\""},
      {harwell_boeing_head("DUA", 3, 3, 3, formats) + body,
       ":3: expected R, I, C or P as the first letter of the type, found \"D\""},
      {harwell_boeing_head("RQA", 3, 3, 3, formats) + body,
       ":3: expected U, S, Z, H or R as the second letter of the type, found \"Q\""},
      {harwell_boeing_head("RSA", 3, 2, 3, formats) + body,
       ":3: a matrix with a symmetry is square, found 3 rows and 2 columns"},
      {harwell_boeing_head("RUA", -3, 3, 3, formats) + body, ":3: the number of rows is -3, expected 0 to 2147483647"},
      {"t\n 1 1 1\nRUA 3 3000000000 1 0\n" + formats + "\n" + body,
       ":3: the number of columns is 3000000000, expected 0 to 2147483647"},
      {"t\n 1 1 1\nRUA 3 3\n" + formats + "\n" + body, ":3: expected the number of entries, found the end of the line"},
      {"t\n 1 1 1\nRUA 3 3 1 0 7\n" + formats + "\n" + body, ":3: expected the end of the line, found \"7\""},
      {"t\n 1 1 1-\nRUA 3 3 1 0\n" + formats + "\n" + body, ":2: expected a number of lines, found \"1-\""},
      {harwell_boeing_head("RUA", 0, 3, 1, formats) + body, ":3: the number of entries is 1, expected 0 to 0"},
      {harwell_boeing_head("RUA", 3, 3, 1000, formats) + body,
       ":3: this line announces 3 columns and 1000 entries, which take 6515 bytes or more, but the file ends 13 bytes "
       "after its head"},
      {harwell_boeing_head("RUA", 3, 3, 3, integers + "(6F4.0)", "X      1") + body,
       ":4: expected the format, such as (16I5), of the right-hand sides, found the end of the line"},
      {harwell_boeing_head("RUA", 3, 3, 3, integers + "(6F4.0)  (6F4.0)", "X      1") + body,
       ":5: expected the type of the right-hand sides, F or M, found \"X  \""},
      {harwell_boeing_head("RUA", 3, 3, 3, integers + "(6F4.0)  (6F4.0)", "F     no") + body,
       ":5: expected the number of right-hand sides, found \"no\""},
      {"t\n 1 1 1\nRUA 3 3 1 0\n",
       ":4: expected the format, such as (16I5), of the column pointers, found the end of the line"},
  };
  for (const auto& [text, message] : texts) EXPECT_EQ(message_of(text), "runtime_error: text" + message) << text;
}

TEST(HarwellBoeing, BadFormats) {
  const auto message = [](const std::string& formats) {
    return message_of(harwell_boeing_head("RUA", 1, 1, 1, formats) + "  1  2\n  1\n  1.\n");
  };
  const std::string text = "runtime_error: text:4: expected ";
  EXPECT_EQ(message("(16I5) (16I5)"), text + "the format, such as (16I5), of the values, found the end of the line");
  EXPECT_EQ(message("      16I5"), text + "the format, such as (16I5), of the column pointers, found \"16I5\"");
  EXPECT_EQ(message("(16I5) 16I5"), text + "the format, such as (16I5), of the row indices, found \"16I5\"");
  EXPECT_EQ(message("(16I5) (16I5) (3(E9.1)"),
            text + "the parenthesis that closes the format of the values, found \"(3(E9.1)\"");
  EXPECT_EQ(message("(16F5.0) (16I5) (F5.0)"),
            text + "a format of integers (I) of the column pointers, found \"(16F5.0)\"");
  const std::string format = " in a Fortran format";
  const std::vector<BadText> formats = {
      {"(16A5)", "I, F, E, D or G" + format + ", found \"A5)\""},
      {"(*)", "I, F, E, D or G" + format + ", found \"*)\""},
      {"(E)", "a number" + format + ", found \")\""},
      {"(E0.3)", "the width of a field, 1 to 1024" + format + ", found \"0.3)\""},
      {"(E1025.3)", "the width of a field, 1 to 1024" + format + ", found \"1025.3)\""},
      {"(E9999999.3)", "a number of at most 5 digits" + format + ", found \"9999999.3)\""},
      {"(-3E9.1)", "P" + format + ", found \"E9.1)\""},
      {"(BZ,E9.1)", "\"N\"" + format + ", found \"Z,E9.1)\""},
      {"(3X)", "a Fortran format that reads numbers again and again"},
      {"()", "a Fortran format that reads numbers again and again"},
      {"(E9.1,(3X))", "a Fortran format that reads numbers again and again"},
      {"(E9.1,T4,E9.1)", "no T that goes back" + format},
      {"(99(99F1.0))", "at most 4096 items" + format},
      {"(99999(99999(99999(1P))),E9.1)", "at most 4096 items" + format},
      {"(E9.1,99999X)", "lines of at most 32767 columns" + format},
      {"((((((((((((((((((E9.1))))))))))))))))))",
       "fewer groups within each other" + format + ", found \"E9.1))))))))))))))))))\""},
  };
  for (const auto& [bad, expected] : formats) EXPECT_EQ(message("(16I3) (16I3) " + bad), text + expected) << bad;
}

TEST(HarwellBoeing, BadNumbers) {
  const std::string head = harwell_boeing_head("RUA", 3, 3, 3, integers + "(2F6.0)");
  const std::vector<BadText> bodies = {
      {"  0  2  3  4\n  1  1  1\n    1.    1.\n    1.\n", ":5: expected a column pointer from 1 to 4, found 0"},
      {"  1  2  3  5\n  1  1  1\n    1.    1.\n    1.\n", ":5: expected a column pointer from 1 to 4, found 5"},
      {"  2  2  3  4\n  1  1  1\n    1.    1.\n    1.\n", ":5: expected column pointer 1 of 4 to be 1, found 2"},
      {"  1  3  2  4\n  1  1  1\n    1.    1.\n    1.\n", ":5: expected column pointer 3 of 4 to be 3 to 4, found 2"},
      {"  1  2  3  3\n  1  1  1\n    1.    1.\n    1.\n", ":5: expected column pointer 4 of 4 to be 4, found 3"},
      {"  1  2  x  4\n  1  1  1\n    1.    1.\n    1.\n", ":5: expected a column pointer, found \"x\""},
      {"  1  2     4\n  1  1  1\n    1.    1.\n    1.\n", ":5: expected a column pointer, found blanks"},
      {"  1  2  3\n  4\n  1  1  1\n    1.    1.\n    1.\n", ":5: expected a column pointer, found the end of the line"},
      {"  1  2  3  4\n  1  0  1\n    1.    1.\n    1.\n", ":6: expected a row index from 1 to 3, found 0"},
      {"  1  2  3  4\n  1  1  4\n    1.    1.\n    1.\n", ":6: expected a row index from 1 to 3, found 4"},
      {"  1  2  3  4\n  1  1 -1\n    1.    1.\n    1.\n", ":6: expected a row index from 1 to 3, found -1"},
      {"  1  2  3  4\n  11 1  1\n    1.    1.\n    1.\n", ":6: expected a row index, found \"1 1\""},
      {"  1  2  3  4\n  1  1  1\n    1.   one\n    1.\n", ":7: expected a value, found \"one\""},
      {"  1  2  3  4\n  1  1  1\n   1 1    1.\n    1.\n", ":7: expected a value, found \"1 1\""},
      {"  1  2  3  4\n  1  1  1\n    1.   +-1\n    1.\n", ":7: expected a value, found \"+-1\""},
      {"  1  2  3  4\n  1  1  1\n    1.  1E5-\n    1.\n", ":7: expected a value, found \"1E5-\""},
      {"  1  2  3  4\n  1  1  1\n    1.    1E\n    1.\n", ":7: expected a value, found \"1E\""},
      {"  1  2  3  4\n  1  1  1\n    1.      \n    1.\n", ":7: expected a value, found blanks"},
      {"  1  2  3  4\n  1  1  1\n    1.\n    1.\n    1.\n", ":7: expected a value, found the end of the line"},
      {"  1  2  3  4\n  1  1  1\n    1. 1E999\n    1.\n",
       ":7: expected a value within the range of double, found \"1E999\""},
      {"  1  2  3  4\n  1  1  1\n    1.    1.\n", ":8: expected a value, number 3 of 3, found the end of the file"},
      {"  1  2  3  4\n  1  1  1\n    1.    1. 7\n    1.\n",
       ":7: expected the end of the line after the last field of the format, found \"7\""},
      {"  1  2  3  4\n  1  1  1\n    1.    1.\n    1.\n\n    1.\n",
       ":10: expected the end of the file after the 3 entries that the head announces, found another line"},
  };
  for (const auto& [body, message] : bodies) {
    EXPECT_EQ(message_of(head + body), "runtime_error: text" + message) << body;
    EXPECT_EQ(thrown_by([&] { parse<double>(head + body, {3, {}, 0, 1}); }), "runtime_error: text" + message) << body;
  }
}

TEST(HarwellBoeing, TooLargeForFloat) {
  const std::string text = harwell_boeing_head("RUA", 1, 1, 1, integers + "(F6.0)") + "  1  2\n  1\n  1E60\n";
  EXPECT_EQ(thrown_by([&] { parse<float>(text); }),
            "runtime_error: text:7: expected a value within the range of float, found \"1E60\"");
}

TEST(HarwellBoeing, TheDiagonalOfASkewMatrixIsZero) {
  EXPECT_EQ(message_of(lower_triangle("RZA", "  4.  5.  6.")),
            "runtime_error: text:6: expected zero on the diagonal of a skew-symmetric matrix, found entry 1 in row and "
            "column 1");
  EXPECT_EQ(message_of(lower_triangle("PZA", "")),
            "runtime_error: text:6: expected zero on the diagonal of a skew-symmetric matrix, found entry 1 in row and "
            "column 1");
}

}  // namespace
