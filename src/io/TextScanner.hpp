// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace Tessera::Impl {

/// A defect at a place in a text. Code that knows the whole text converts it to a message with the line number.
class TextError : public std::runtime_error {
 public:
  TextError(const char* where_in_text, const std::string& what) : runtime_error(what), where(where_in_text) {}
  const char* where;
};

/// Returns a word as messages show it: quoted, without control characters, and cut if it is long.
std::string quoted(std::string_view word);

/// Reads lines of numbers that are separated by blanks, with std::from_chars: no locale, no copies.
class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : position_(text.data()), end_(text.data() + text.size()) {}

  const char* position() const { return position_; }

  /// Moves to the first character of the next line that is neither blank nor a comment (%). Returns false at the end.
  bool find_line();

  /// Returns the next number of this line. Throws TextError if there is none: "expected `what`, found ...".
  long long integer(const char* what);
  template <class Real>
  Real real(const char* what);

  /// Returns the text up to a blank or the end of the line; empty at the end of the line.
  std::string_view word();

  /// Returns whether the rest of this line is blank.
  bool at_line_end() {
    skip_blanks();
    return position_ == end_ || *position_ == '\n';
  }

  /// Ends the line. Throws if the rest of it is not blank.
  void end_line();

  void skip_line();

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  static bool is_separator(char c) { return is_blank(c) || c == '\n'; }

  void skip_blanks() {
    while (position_ != end_ && is_blank(*position_)) ++position_;
  }
  /// Skips a '+', which std::from_chars does not accept, unless another sign follows.
  void skip_plus() {
    if (end_ - position_ > 1 && *position_ == '+' && position_[1] != '-') ++position_;
  }
  bool at_separator(const char* place) const { return place == end_ || is_separator(*place); }
  const char* word_end() const;
  template <class Real>
  Real unusual_real(const char* what);
  [[noreturn]] void fail(const std::string& expected) const;

  const char* position_;
  const char* end_;
};

extern template float TextScanner::real<float>(const char*);
extern template double TextScanner::real<double>(const char*);

}  // namespace Tessera::Impl
