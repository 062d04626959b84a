// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MatrixMarketText.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

#include "InputFile.hpp"
#include "TextScanner.hpp"

namespace Tessera::Impl {
namespace {

using Layout = MatrixMarketHeader::Layout;
using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

constexpr std::string_view banner = "%%matrixmarket";
constexpr const char* banner_expected = "expected the banner of a Matrix Market file, \"%%MatrixMarket matrix ...\"";

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

/// Parses the value that the next word of the banner names. `what` is for the message.
template <class Value, std::size_t n>
Value choose(TextScanner& scanner, const std::string& what,
             const std::array<std::pair<std::string_view, Value>, n>& choices) {
  const std::string_view word = scanner.word();
  std::string expected;
  for (const auto& [name, value] : choices) {
    if (lower(word) == name) return value;
    expected += (expected.empty() ? "" : ", ") + std::string(name);
  }
  throw TextError(word.data(), "expected the " + what + " in the banner (" + expected + "), found " + quoted(word));
}

/// Returns the text without the UTF-8 byte-order mark, blanks and blank lines that some writers put before the banner.
std::string_view without_prefix(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

/// Accepts a banner with one % instead of two, as some writers put it.
bool is_banner(std::string_view word) { return lower(word) == banner || lower(word) == banner.substr(1); }

void parse_banner(TextScanner& scanner, MatrixMarketHeader& header) {
  const char* begin = scanner.position();
  if (!is_banner(scanner.word())) throw TextError(begin, banner_expected);
  choose(scanner, "object", std::array{std::pair<std::string_view, int>{"matrix", 0}});
  header.layout = choose(scanner, "layout",
                         std::array{std::pair<std::string_view, Layout>{"coordinate", Layout::Coordinate},
                                    std::pair<std::string_view, Layout>{"array", Layout::Array}});
  header.field = choose(scanner, "field",
                        std::array{std::pair<std::string_view, Field>{"real", Field::Real},
                                   std::pair<std::string_view, Field>{"double", Field::Real},
                                   std::pair<std::string_view, Field>{"integer", Field::Integer},
                                   std::pair<std::string_view, Field>{"unsigned-integer", Field::Integer},
                                   std::pair<std::string_view, Field>{"complex", Field::Complex},
                                   std::pair<std::string_view, Field>{"pattern", Field::Pattern}});
  header.symmetry = choose(scanner, "symmetry",
                           std::array{std::pair<std::string_view, Symmetry>{"general", Symmetry::General},
                                      std::pair<std::string_view, Symmetry>{"symmetric", Symmetry::Symmetric},
                                      std::pair<std::string_view, Symmetry>{"skew-symmetric", Symmetry::SkewSymmetric},
                                      std::pair<std::string_view, Symmetry>{"hermitian", Symmetry::Hermitian}});
  scanner.end_line();
  if (header.layout == Layout::Array && header.field == Field::Pattern) {
    throw TextError(begin, "a pattern has no values to make an array of, expected coordinate with pattern");
  }
  if (header.symmetry == Symmetry::Hermitian && header.field != Field::Complex) {
    throw TextError(begin, "hermitian needs complex entries, expected symmetric or the field complex");
  }
  if (header.symmetry == Symmetry::SkewSymmetric && header.field == Field::Pattern) {
    throw TextError(begin, "skew-symmetric needs values, expected general or symmetric with pattern");
  }
}

Ordinal parse_extent(TextScanner& scanner, const char* what) {
  const long long extent = scanner.integer(what);
  constexpr long long largest = std::numeric_limits<Ordinal>::max();
  if (extent < 0 || extent > largest) {
    throw TextError(scanner.position() - 1,
                    std::string(what) + " is " + std::to_string(extent) + ", expected 0 to " + std::to_string(largest));
  }
  return static_cast<Ordinal>(extent);
}

std::size_t array_entries(const MatrixMarketHeader& header) {
  const auto rows = static_cast<std::size_t>(header.rows);
  switch (header.symmetry) {
    case Symmetry::General:
      return rows * static_cast<std::size_t>(header.columns);
    case Symmetry::SkewSymmetric:
      return rows == 0 ? 0 : rows * (rows - 1) / 2;
    default:
      return rows * (rows + 1) / 2;
  }
}

void expect_square_if_symmetric(const MatrixMarketHeader& header, const char* size_line) {
  if (header.symmetry == Symmetry::General || header.rows == header.columns) return;
  throw TextError(size_line, "a matrix with a symmetry is square, found " + std::to_string(header.rows) + " rows and " +
                                 std::to_string(header.columns) +
                                 " columns; if this line is an entry, the size line in front of it is missing");
}

void parse_size_line(TextScanner& scanner, MatrixMarketHeader& header) {
  const char* begin = scanner.position();
  header.rows = parse_extent(scanner, "the number of rows");
  header.columns = parse_extent(scanner, "the number of columns");
  if (header.layout == Layout::Array) {
    header.stored_entries = array_entries(header);
  } else {
    const long long entries = scanner.integer("the number of entries");
    if (entries < 0 || (entries > 0 && (header.rows == 0 || header.columns == 0))) {
      throw TextError(begin, "the number of entries is " + std::to_string(entries) + ", expected 0" +
                                 (entries < 0 ? " or more" : " in a matrix without elements"));
    }
    header.stored_entries = static_cast<std::size_t>(entries);
  }
  // Checked last: if the size line is missing, the entry in its place is rejected because it has no number of entries.
  expect_square_if_symmetric(header, begin);
  scanner.end_line();
}

/// Returns whether a text, which may be cut off, contains the size line and its end.
bool holds_size_line(std::string_view text) {
  TextScanner scanner(without_prefix(text));
  if (!scanner.find_line()) return false;
  return text.find('\n', static_cast<std::size_t>(scanner.position() - text.data())) != std::string_view::npos;
}

}  // namespace

bool has_matrix_market_banner(std::string_view text) {
  text = without_prefix(text);
  return is_banner(text.substr(0, banner.size())) || is_banner(text.substr(0, banner.size() - 1));
}

MatrixMarketText split_matrix_market(std::string_view text, const std::string& name) {
  MatrixMarketText result{{text, name}, {}, {}, {}};
  if (text.empty()) throw std::runtime_error(name + ": is empty, expected a Matrix Market file");
  if (!has_matrix_market_banner(text)) result.fail(text.data(), banner_expected);
  try {
    TextScanner scanner(without_prefix(text));
    parse_banner(scanner, result.header);
    if (!scanner.find_line()) throw TextError(scanner.position(), "expected the size line, found the end of the file");
    result.size_line = {scanner.position(), text.data() + text.size()};
    parse_size_line(scanner, result.header);
    result.body = {scanner.position(), text.data() + text.size()};
  } catch (const TextError& error) {
    result.fail(error.where, error.what());
  }
  return result;
}

void check_entries_fit(const MatrixMarketText& text) {
  // The shortest line has "1 1" or nothing before the value, and a digit and a separator for each number.
  const std::size_t indices = text.header.layout == Layout::Coordinate ? 4 : 0;
  const std::size_t numbers = text.header.field == Field::Pattern ? 0 : text.header.field == Field::Complex ? 2 : 1;
  const std::size_t shortest = std::max<std::size_t>(indices + 2 * numbers, 1);
  const std::size_t most = (text.body.size() + 1) / shortest;  // The last line may lack its newline.
  if (text.header.stored_entries > most) {
    text.fail(text.size_line.data(), "the size line announces " + std::to_string(text.header.stored_entries) +
                                         " entries, but the " + std::to_string(text.body.size()) +
                                         " bytes after it hold at most " + std::to_string(most));
  }
}

MatrixMarketHeader parse_matrix_market_header(std::string_view text, const std::string& name) {
  return split_matrix_market(text, name).header;
}

MatrixMarketHeader read_matrix_market_header(const std::string& path) {
  for (std::size_t bytes = std::size_t{1} << 16;; bytes *= 4) {
    const ByteBuffer head = read_file_head(path, bytes);
    const bool cut_off = head.size() == bytes;
    if (!cut_off || !has_matrix_market_banner(head.view()) || holds_size_line(head.view())) {
      return parse_matrix_market_header(head.view(), path);
    }
  }
}

}  // namespace Tessera::Impl
