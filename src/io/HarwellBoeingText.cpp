// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HarwellBoeingText.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "InputFile.hpp"
#include "TextScanner.hpp"

namespace Tessera::Impl {
namespace {

using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

constexpr const char* head_expected =
    "expected the head of a Harwell-Boeing or Rutherford-Boeing file: a title, a line of numbers, and a line with a "
    "type "
    "such as RUA and numbers";

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::string_view without_blanks_at_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

/// Returns a line of a text, without its end; empty if there is no such line.
std::string_view line_of(std::string_view text, std::size_t number) {
  for (; number > 0; --number) {
    const std::size_t newline = text.find('\n');
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
  }
  return without_blanks_at_end(text.substr(0, text.find('\n')));
}

/// Returns whether a part of a header holds only numbers.
bool holds_numbers(std::string_view text) {
  return text.find_first_not_of(" \t+-0123456789") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

void parse_title(TextScanner& scanner, HarwellBoeingHeader& header, std::string_view text) {
  constexpr std::size_t title_columns = 72;
  constexpr std::size_t key_columns = 8;
  const std::string_view line = line_of(text, 0);
  header.title = without_blanks_at_end(line.substr(0, title_columns));
  if (line.size() > title_columns) header.key = without_blanks_at_end(line.substr(title_columns, key_columns));
  scanner.skip_line();
}

/// Returns whether the file has lines of right-hand sides. Rutherford-Boeing files have none.
bool parse_counts(TextScanner& scanner) {
  constexpr int right_hand_sides = 4;
  bool has_right_hand_sides = false;
  for (int number = 0; !scanner.at_line_end(); ++number) {
    const long long lines = scanner.integer("a number of lines");
    if (number == right_hand_sides) has_right_hand_sides = lines > 0;
  }
  scanner.end_line();
  return has_right_hand_sides;
}

Field field_of(const char* letter) {
  switch (upper(*letter)) {
    case 'R':
      return Field::Real;
    case 'I':
      return Field::Integer;
    case 'C':
      return Field::Complex;
    case 'P':
      return Field::Pattern;
    case 'Q':
    case 'X':
      throw TextError(letter,
                      "the values of the matrix are in a file of their own, expected R, I, C or P as the first "
                      "letter of the type, found " +
                          quoted({letter, 1}));
    default:
      throw TextError(letter, "expected R, I, C or P as the first letter of the type, found " + quoted({letter, 1}));
  }
}

Symmetry symmetry_of(const char* letter) {
  switch (upper(*letter)) {
    case 'U':
    case 'R':
      return Symmetry::General;
    case 'S':
      return Symmetry::Symmetric;
    case 'Z':
      return Symmetry::SkewSymmetric;
    case 'H':
      return Symmetry::Hermitian;
    default:
      throw TextError(letter,
                      "expected U, S, Z, H or R as the second letter of the type, found " + quoted({letter, 1}));
  }
}

long long parse_extent(TextScanner& scanner, const char* what, long long largest) {
  const long long extent = scanner.integer(what);
  if (extent < 0 || extent > largest) {
    throw TextError(scanner.position() - 1,
                    std::string(what) + " is " + std::to_string(extent) + ", expected 0 to " + std::to_string(largest));
  }
  return extent;
}

void parse_type_line(TextScanner& scanner, HarwellBoeingHeader& header) {
  const std::string_view type = scanner.word();  // three letters, checked by has_harwell_boeing_header()
  header.field = field_of(type.data());
  header.symmetry = symmetry_of(type.data() + 1);
  if (upper(type[2]) == 'E') {
    throw TextError(type.data(), "the matrix is not assembled but elemental, as the type " + quoted(type) +
                                     " says; expected A as its third letter");
  }
  if (upper(type[2]) != 'A') {
    throw TextError(type.data(), "expected A as the third letter of the type, found " + quoted(type.substr(2)));
  }
  constexpr long long largest = std::numeric_limits<Ordinal>::max();
  header.rows = static_cast<Ordinal>(parse_extent(scanner, "the number of rows", largest));
  header.columns = static_cast<Ordinal>(parse_extent(scanner, "the number of columns", largest));
  const bool has_elements = header.rows > 0 && header.columns > 0;
  const long long most = has_elements ? std::numeric_limits<long long>::max() / 4 : 0;
  header.stored_entries = static_cast<std::size_t>(parse_extent(scanner, "the number of entries", most));
  if (!scanner.at_line_end()) scanner.integer("the number of elements");  // has no meaning for assembled matrices
  scanner.end_line();
  if (header.symmetry != Symmetry::General && header.rows != header.columns) {
    throw TextError(type.data(), "a matrix with a symmetry is square, found " + std::to_string(header.rows) +
                                     " rows and " + std::to_string(header.columns) + " columns");
  }
}

/// Returns the next format on the line of formats, with its parentheses.
std::string_view next_format(std::string_view& line, const char* what) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const auto fail = [&](const char* expected) {
    throw TextError(line.data() + begin,
                    std::string("expected ") + expected + " of " + what + ", found " + quoted(line.substr(begin)));
  };
  if (begin == line.size() || line[begin] != '(') fail("the format, such as (16I5),");
  int depth = 0;
  for (std::size_t k = begin; k < line.size(); ++k) {
    depth += line[k] == '(' ? 1 : line[k] == ')' ? -1 : 0;
    if (depth > 0) continue;
    const std::string_view format = line.substr(begin, k + 1 - begin);
    line.remove_prefix(k + 1);
    return format;
  }
  fail("the parenthesis that closes the format");
  return {};
}

FortranFormat integer_format(std::string_view& line, const char* what) {
  const std::string_view text = next_format(line, what);
  FortranFormat format(text);
  if (format.is_integer()) return format;
  throw TextError(text.data(), std::string("expected a format of integers (I) of ") + what + ", found " + quoted(text));
}

void parse_formats(TextScanner& scanner, HarwellBoeingText& result, bool has_right_hand_sides) {
  std::string_view line = line_of(result.whole, 3);
  result.pointers = integer_format(line, "the column pointers");
  result.indices = integer_format(line, "the row indices");
  // Some writers omit the format if there are no values.
  const bool has_values = result.header.stored_entries > 0 || line.find('(') != std::string_view::npos;
  if (result.header.field != Field::Pattern && has_values) {
    result.values = FortranFormat(next_format(line, "the values"));
  }
  if (has_right_hand_sides) {
    // The format of values may be present even for a pattern.
    std::string_view format = next_format(line, "the right-hand sides");
    if (line.find('(') != std::string_view::npos) format = next_format(line, "the right-hand sides");
    result.dense = FortranFormat(format);
  }
  scanner.skip_line();
}

/// Parses the line on right-hand sides: F or M, G and X, each in its column, and the number of right-hand sides.
void parse_right_hand_sides(TextScanner& scanner, HarwellBoeingHeader& header, std::string_view line) {
  constexpr std::size_t letters = 3;
  const auto letter = [&](std::size_t column) { return column < line.size() ? upper(line[column]) : ' '; };
  if (letter(0) != 'F' && letter(0) != 'M') {
    throw TextError(scanner.position(),
                    "expected the type of the right-hand sides, F or M, found " + quoted(line.substr(0, letters)));
  }
  header.has_sparse_right_hand_sides = letter(0) == 'M';
  header.has_guesses = letter(1) == 'G';
  header.has_solutions = letter(2) == 'X';
  TextScanner numbers(line.substr(std::min(letters, line.size())));
  constexpr long long largest = std::numeric_limits<Ordinal>::max();
  header.right_hand_sides = static_cast<std::size_t>(parse_extent(numbers, "the number of right-hand sides", largest));
  scanner.skip_line();
}

}  // namespace

bool has_harwell_boeing_header(std::string_view text) {
  constexpr std::size_t letters = 3;
  const std::string_view type_line = line_of(text, 2);
  const auto is_letter = [](char c) { return upper(c) >= 'A' && upper(c) <= 'Z'; };
  return holds_numbers(line_of(text, 1)) && type_line.size() > letters &&
         std::all_of(type_line.begin(), type_line.begin() + letters, is_letter) &&
         (type_line[letters] == ' ' || type_line[letters] == '\t') && holds_numbers(type_line.substr(letters));
}

std::string_view rutherford_boeing_auxiliary(std::string_view text) {
  constexpr std::array types{"ord", "rhs", "sln", "est", "evl", "svl", "evc", "svc",
                             "sbv", "sbm", "sbp", "ipt", "icv", "lvl", "geo", "avl"};
  const std::string_view line = line_of(text, 1);
  const std::string_view formats = line_of(text, 2);
  const std::size_t first = formats.find_first_not_of(" \t");
  if (first == std::string_view::npos || formats[first] != '(') return {};
  const auto is_type = [&](const char* type) {
    return line.size() >= 3 &&
           std::equal(type, type + 3, line.begin(), [](char a, char b) { return upper(a) == upper(b); });
  };
  return std::any_of(types.begin(), types.end(), is_type) ? line.substr(0, 3) : std::string_view{};
}

HarwellBoeingText split_harwell_boeing(std::string_view text, const std::string& name) {
  HarwellBoeingText result;
  result.whole = text;
  result.name = name;
  if (text.empty()) throw std::runtime_error(name + ": is empty, expected a Harwell-Boeing file");
  if (!has_harwell_boeing_header(text)) result.fail(text.data(), head_expected);
  try {
    TextScanner scanner(text);
    parse_title(scanner, result.header, text);
    bool has_right_hand_sides = parse_counts(scanner);
    result.type_line = {scanner.position(), text.data() + text.size()};
    parse_type_line(scanner, result.header);
    const std::string_view line = line_of(text, 4);
    // This line is read if it exists, whatever the line counts say.
    has_right_hand_sides = has_right_hand_sides || (!line.empty() && (upper(line[0]) == 'F' || upper(line[0]) == 'M'));
    parse_formats(scanner, result, has_right_hand_sides);
    if (has_right_hand_sides) parse_right_hand_sides(scanner, result.header, line);
    result.body = {scanner.position(), text.data() + text.size()};
  } catch (const TextError& error) {
    result.fail(error.where, error.what());
  }
  return result;
}

void check_numbers_fit(const HarwellBoeingText& text) {
  const HarwellBoeingHeader& header = text.header;
  const std::size_t parts = header.field == Field::Pattern ? 0 : header.field == Field::Complex ? 2 : 1;
  const double least = text.pointers.least_bytes(static_cast<std::size_t>(header.columns) + 1) +
                       text.indices.least_bytes(header.stored_entries) +
                       (parts == 0 ? 0 : text.values.least_bytes(parts * header.stored_entries));
  if (least <= static_cast<double>(text.body.size()) + 1) return;  // The last line may lack its newline.
  text.fail(text.type_line.data(), "this line announces " + std::to_string(header.columns) + " columns and " +
                                       std::to_string(header.stored_entries) + " entries, which take " +
                                       std::to_string(static_cast<unsigned long long>(least)) +
                                       " bytes or more, but the file ends " + std::to_string(text.body.size()) +
                                       " bytes after its head");
}

HarwellBoeingHeader parse_harwell_boeing_header(std::string_view text, const std::string& name) {
  return split_harwell_boeing(text, name).header;
}

HarwellBoeingHeader read_harwell_boeing_header(const std::string& path) {
  constexpr std::size_t enough = std::size_t{1} << 16;
  return parse_harwell_boeing_header(read_file_head(path, enough).view(), path);
}

}  // namespace Tessera::Impl
