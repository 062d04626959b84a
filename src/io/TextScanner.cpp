// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TextScanner.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <system_error>

#include "RealText.hpp"
#include "ScalarTraits.hpp"

namespace Tessera::Impl {
namespace {

/// Inserts the letter that Fortran omits before an exponent of three digits (0.14-270). Other words are unchanged.
void complete_exponent(std::string& number) {
  if (number.find('e') != std::string::npos) return;
  const std::size_t sign = number.find_first_of("+-", 1);
  if (sign == std::string::npos || sign + 1 == number.size()) return;
  const bool follows_digits = number.find_first_not_of("+-.0123456789") == std::string::npos;
  const bool is_last_sign = number.find_first_not_of("0123456789", sign + 1) == std::string::npos;
  if (follows_digits && is_last_sign) number.insert(sign, 1, 'e');
}

}  // namespace

std::string quoted(std::string_view word) {
  if (word.empty()) return "the end of the line";
  constexpr std::size_t longest = 40;
  std::string shown(word.substr(0, longest));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return '"' + shown + (word.size() > longest ? "...\"" : "\"");
}

bool TextScanner::find_line() {
  while (true) {
    skip_blanks();
    if (position_ == end_) return false;
    if (*position_ != '\n' && *position_ != '%') return true;
    skip_line();
  }
}

void TextScanner::skip_line() {
  const void* newline = std::memchr(position_, '\n', static_cast<std::size_t>(end_ - position_));
  position_ = newline == nullptr ? end_ : static_cast<const char*>(newline) + 1;
}

long long TextScanner::integer(const char* what) {
  skip_blanks();
  const char* begin = position_;
  skip_plus();
  long long value = 0;
  const auto [stop, error] = std::from_chars(position_, end_, value);
  if (error != std::errc{} || !at_separator(stop)) {
    position_ = begin;
    fail(error == std::errc::result_out_of_range ? std::string(what) + " of at most 18 digits" : what);
  }
  position_ = stop;
  return value;
}

template <class Real>
Real TextScanner::real(const char* what) {
  skip_blanks();
  const char* begin = position_;
  skip_plus();
  Real value{};
  const auto [stop, error] = std::from_chars(position_, end_, value);
  if (error == std::errc{} && at_separator(stop)) {
    position_ = stop;
    return value;
  }
  position_ = begin;
  return unusual_real<Real>(what);
}

/// Reads Fortran's exponents and rejects numbers out of range and words that are not numbers.
template <class Real>
Real TextScanner::unusual_real(const char* what) {
  const char* begin = position_;
  skip_plus();
  std::string number(position_, word_end());
  for (const char letter : {'d', 'D', 'E'}) std::replace(number.begin(), number.end(), letter, 'e');
  complete_exponent(number);
  Real value{};
  const RealStatus status = convert_real(number, value);
  if (status != RealStatus::Fine) position_ = begin;
  if (status == RealStatus::NoNumber) fail(what);
  if (status == RealStatus::TooLarge) fail(std::string(what) + " within the range of " + real_name<Real>);
  position_ = word_end();
  return value;
}

std::string_view TextScanner::word() {
  skip_blanks();
  const char* begin = position_;
  position_ = word_end();
  return {begin, position_};
}

void TextScanner::end_line() {
  if (!at_line_end()) fail("the end of the line");
  if (position_ != end_) ++position_;
}

const char* TextScanner::word_end() const { return std::find_if(position_, end_, is_separator); }

void TextScanner::fail(const std::string& expected) const {
  throw TextError(position_, "expected " + expected + ", found " + quoted({position_, word_end()}));
}

template float TextScanner::real<float>(const char*);
template double TextScanner::real<double>(const char*);

}  // namespace Tessera::Impl
