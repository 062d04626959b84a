// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FortranFormat.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include "RealText.hpp"
#include "ScalarTraits.hpp"
#include "TextScanner.hpp"

namespace Tessera::Impl {
namespace {

constexpr std::size_t most_items = 4096;
constexpr std::size_t longest_line = 32767;
constexpr int deepest_group = 16;

/// An item of a format: a field ('I', or 'E' for all reals), a group ('('), P, X, T or '/'.
struct Item {
  char kind;
  int repeat = 1;  ///< number of repetitions; for P the scale factor, for X and T the column count
  std::size_t width = 0;
  int decimals = 0;
  std::vector<Item> group = {};
};

/// Parses the text of a format into items.
class FormatParser {
 public:
  explicit FormatParser(std::string_view text) : position_(text.data()), end_(text.data() + text.size()) {}

  std::vector<Item> all() {
    expect('(');
    std::vector<Item> items = group(0);
    if (peek() != '\0') fail("the end of the format");
    return items;
  }

 private:
  /// Returns the next character that is not blank, in upper case; '\0' at the end.
  char peek() {
    while (position_ != end_ && (*position_ == ' ' || *position_ == '\t')) ++position_;
    if (position_ == end_) return '\0';
    return *position_ >= 'a' && *position_ <= 'z' ? static_cast<char>(*position_ - 'a' + 'A') : *position_;
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string{'"', c, '"'});
  }
  bool is_digit() { return peek() >= '0' && peek() <= '9'; }

  int number() {
    constexpr int most = 99999;
    if (!is_digit()) fail("a number");
    const char* begin = position_;
    int value = 0;
    for (; is_digit(); ++position_) {
      value = 10 * value + (*position_ - '0');
      if (value > most) {
        position_ = begin;
        fail("a number of at most 5 digits");
      }
    }
    return value;
  }

  /// Returns the items up to the ')' that ends a group.
  std::vector<Item> group(int depth) {
    if (depth > deepest_group) fail("fewer groups within each other");
    std::vector<Item> items;
    while (!take(')')) {
      if (take(',') || take(':')) continue;
      add_item(items, depth);
    }
    return items;
  }

  void add_item(std::vector<Item>& items, int depth) {
    const bool is_negative = take('-');
    if (!is_negative) take('+');
    const bool has_repeat = is_digit();
    const int repeat = has_repeat ? number() : 1;
    if (has_repeat && take('P')) {
      items.push_back({'P', is_negative ? -repeat : repeat});
      return;
    }
    if (is_negative) fail("P");
    if (take('(')) {
      items.push_back({'(', repeat, 0, 0, group(depth + 1)});
    } else if (take('X')) {
      items.push_back({'X', repeat});
    } else if (take('/')) {
      items.push_back({'/', repeat});
    } else if (take('T')) {
      items.push_back({take('R') ? 'X' : 'T', number()});
    } else if (take('S')) {
      take('P') || take('S');
    } else if (take('B')) {
      expect('N');
    } else {
      items.push_back(field(repeat));
    }
  }

  Item field(int repeat) {
    const bool is_integer = take('I');
    if (!is_integer) {
      if (take('E')) {
        take('N') || take('S');
      } else if (!take('F') && !take('D') && !take('G')) {
        fail("I, F, E, D or G");
      }
    }
    Item item{is_integer ? 'I' : 'E', repeat};
    const char* begin = position_;
    item.width = static_cast<std::size_t>(number());
    if (item.width == 0 || item.width > FortranFormat::widest_field) {
      position_ = begin;
      fail("the width of a field, 1 to " + std::to_string(FortranFormat::widest_field));
    }
    if (take('.')) item.decimals = number();
    if (is_integer) item.decimals = 0;       // Iw.m: m is used only for output
    if (!is_integer && take('E')) number();  // the number of digits of an exponent is used only for output
    return item;
  }

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string_view rest(position_, static_cast<std::size_t>(end_ - position_));
    throw TextError(position_, "expected " + expected + " in a Fortran format, found " + quoted(rest));
  }

  const char* position_;
  const char* end_;
};

/// Computes the positions of the fields of one pass.
class PassMaker {
 public:
  PassMaker(const char* format, int scale) : format_(format), scale_(scale) {}

  void add(const std::vector<Item>& items, std::size_t first = 0) {
    for (std::size_t k = first; k < items.size(); ++k) add(items[k]);
  }
  int scale() const { return scale_; }
  FortranPass pass() {
    if (pass_.fields.empty()) throw TextError(format_, "expected a Fortran format that reads numbers again and again");
    return std::move(pass_);
  }

 private:
  void add(const Item& item) {
    if (item.kind == 'P') {
      scale_ = item.repeat;
    } else if (item.kind == 'X') {
      move_to(column_ + static_cast<std::size_t>(item.repeat));
    } else if (item.kind == 'T') {
      if (static_cast<std::size_t>(item.repeat) <= column_) fail("no T that goes back");
      move_to(static_cast<std::size_t>(item.repeat) - 1);
    } else {
      for (int k = 0; k < item.repeat; ++k) {
        if (++items_ > most_items) fail("at most " + std::to_string(most_items) + " items");
        add_once(item);
      }
    }
  }

  void add_once(const Item& item) {
    if (item.kind == '(') {
      add(item.group);
    } else if (item.kind == '/') {
      pass_.widths.push_back(0);
      column_ = 0;
    } else {
      const bool is_integer = item.kind == 'I';
      pass_.fields.push_back(
          {pass_.lines() - 1, column_, item.width, item.decimals, is_integer ? 0 : scale_, is_integer});
      move_to(column_ + item.width);
      pass_.widths.back() = column_;
    }
  }

  void move_to(std::size_t column) {
    if (column > longest_line) fail("lines of at most " + std::to_string(longest_line) + " columns");
    column_ = column;
  }

  [[noreturn]] void fail(const std::string& expected) const {
    throw TextError(format_, "expected " + expected + " in a Fortran format");
  }

  const char* format_;
  int scale_;
  std::size_t column_ = 0;
  std::size_t items_ = 0;
  FortranPass pass_{{}, {0}};
};

std::string_view trimmed(std::string_view field) {
  while (!field.empty() && is_blank(field.front())) field.remove_prefix(1);
  while (!field.empty() && is_blank(field.back())) field.remove_suffix(1);
  return field;
}

[[noreturn]] void fail_field(std::string_view field, const std::string& expected) {
  const std::string_view word = trimmed(field);
  const char* found = field.empty() ? "the end of the line" : "blanks";
  throw TextError(field.data(), "expected " + expected + ", found " + (word.empty() ? found : quoted(word)));
}

/// A number that Fortran wrote, as std::from_chars reads it: without blanks and '+', with "e" before an exponent.
class PlainNumber {
 public:
  /// is_good() returns false if the field has two numbers or two signs.
  explicit PlainNumber(std::string_view word) {
    char before = '\0';  // the character before the blanks
    for (const char c : word) {
      if (is_blank(c)) {
        before = size_ == 0 ? '\0' : text_[size_ - 1];
        continue;
      }
      if (is_part(before) && is_part(c)) is_good_ = false;
      before = '\0';
      add(c);
    }
  }

  bool is_good() const { return is_good_; }
  std::string_view view() const { return {text_, size_}; }

  /// Multiplies by the power of ten that the format implies for numbers without a point, or without an exponent.
  void apply(const FortranField& format) {
    const int power = -(has_point_ ? 0 : format.decimals) - (exponent_ == 0 ? format.scale : 0);
    if (power == 0 || !has_digit_) return;
    long long written = 0;
    if (exponent_ != 0) {
      const char* begin = text_ + exponent_ + (text_[exponent_] == '+' ? 1 : 0);
      const auto [stop, error] = std::from_chars(begin, text_ + size_, written);
      if (error != std::errc{} || stop != text_ + size_) return;  // no exponent, or one that is too large to matter
      size_ = exponent_ - 1;
    }
    constexpr long long enough = 1000000000;  // exceeds the number of digits of any field
    written = std::clamp(written, -enough, enough);
    text_[size_++] = 'e';
    size_ = static_cast<std::size_t>(std::to_chars(text_ + size_, text_ + sizeof text_, written + power).ptr - text_);
  }

 private:
  static bool is_part(char c) { return is_digit(c) || c == '.'; }

  void add(char c) {
    const bool is_sign = c == '+' || c == '-';
    if (size_ == 0 && is_sign) {
      if (has_sign_) is_good_ = false;
      has_sign_ = true;
      if (c == '+') return;
    } else if (exponent_ == 0 && has_digit_ && is_exponent_letter(c)) {
      text_[size_++] = 'e';
      exponent_ = size_;
      return;
    } else if (exponent_ == 0 && has_digit_ && is_sign) {
      text_[size_++] = 'e';
      exponent_ = size_;
    }
    has_point_ = has_point_ || c == '.';
    has_digit_ = has_digit_ || is_digit(c);
    text_[size_++] = c;
  }

  char text_[FortranFormat::widest_field + 32];
  std::size_t size_ = 0;
  std::size_t exponent_ = 0;  ///< position of the digits of the exponent; 0 if there is no exponent
  bool has_sign_ = false, has_point_ = false, has_digit_ = false, is_good_ = true;
};

/// Returns the position of the letter of an exponent with at most four characters; npos if there is none.
std::size_t exponent_letter(std::string_view word) {
  constexpr std::size_t longest = 5;
  for (std::size_t k = 2; k <= longest && k <= word.size(); ++k) {
    if (is_exponent_letter(word[word.size() - k])) return word.size() - k;
  }
  return std::string_view::npos;
}

/// Reads a number in the usual form: without blanks and '+', with a point, and with a letter before any exponent.
/// Returns false for all other numbers.
template <class Real>
bool read_usual(std::string_view word, const FortranField& format, Real& value) {
  const std::size_t letter = exponent_letter(word);
  const bool has_exponent = letter != std::string_view::npos;
  if (format.decimals != 0 && word.find('.') == std::string_view::npos) return false;
  if (format.scale != 0 && !has_exponent) return false;
  char copy[64];
  if (has_exponent && word[letter] != 'E' && word.size() <= sizeof copy) {
    std::copy(word.begin(), word.end(), copy);
    copy[letter] = 'e';
    word = {copy, word.size()};
  }
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  return error == std::errc{} && stop == end;
}

}  // namespace

FortranFormat::FortranFormat(std::string_view text) {
  const std::vector<Item> items = FormatParser(text).all();
  PassMaker first(text.data(), 0);
  first.add(items);
  std::size_t last_group = items.size();
  while (last_group > 0 && items[last_group - 1].kind != '(') --last_group;
  PassMaker again(text.data(), first.scale());
  again.add(items, last_group == 0 ? 0 : last_group - 1);
  first_ = first.pass();
  again_ = again.pass();
}

bool FortranFormat::is_integer() const {
  const auto holds = [](const FortranPass& pass) {
    return std::all_of(pass.fields.begin(), pass.fields.end(), [](const auto& field) { return field.is_integer; });
  };
  return holds(first_) && holds(again_);
}

double FortranFormat::least_bytes(std::size_t numbers) const {
  if (numbers <= first_.fields.size()) return static_cast<double>(numbers);
  // Each line ends with a field of at least one character, and a newline.
  double bytes_of_pass = 0;
  for (std::size_t line = 0, k = 0; line < again_.lines(); ++line) {
    std::size_t begin = 0;
    for (; k < again_.fields.size() && again_.fields[k].line == line; ++k) begin = again_.fields[k].begin + 1;
    bytes_of_pass += static_cast<double>(begin + 1);
  }
  const std::size_t passes = (numbers - first_.fields.size()) / again_.fields.size();
  return static_cast<double>(first_.fields.size()) + static_cast<double>(passes) * bytes_of_pass;
}

long long integer_in_field(std::string_view field, const char* what) {
  std::string_view word = trimmed(field);
  if (word.size() > 1 && word.front() == '+' && word[1] != '-') word.remove_prefix(1);
  long long value = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || stop != word.data() + word.size()) fail_field(field, what);
  return value;
}

template <class Real>
Real real_in_field(std::string_view field, const FortranField& format, const char* what) {
  const std::string_view word = trimmed(field);
  Real value{};
  if (read_usual(word, format, value)) return value;
  PlainNumber number(word);
  number.apply(format);
  const RealStatus status = number.is_good() ? convert_real(number.view(), value) : RealStatus::NoNumber;
  if (status == RealStatus::NoNumber) fail_field(field, what);
  if (status == RealStatus::TooLarge) {
    fail_field(field, std::string(what) + " within the range of " + real_name<Real>);
  }
  return value;
}

template float real_in_field<float>(std::string_view, const FortranField&, const char*);
template double real_in_field<double>(std::string_view, const FortranField&, const char*);

}  // namespace Tessera::Impl
