// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace Tessera::Impl {

/// A defect at a place in a text. Code that knows the whole text turns it into a message with the line.
class TextError : public std::runtime_error {
 public:
  TextError(const char* where_in_text, const std::string& what) : runtime_error(what), where(where_in_text) {}
  const char* where;
};

/// A word as messages show it: in quotes, cut to a readable length, without control characters.
std::string quoted(std::string_view word);

/// Reads lines of numbers that are separated by blanks, with std::from_chars: no locale, no copies.
class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : position_(text.data()), end_(text.data() + text.size()) {}

  const char* position() const { return position_; }

  /// Goes to the first character of the next line that is neither blank nor a comment (%). Returns false at the end.
  bool find_line();

  /// The next number of this line. Throws TextError if there is none: "expected `what`, found ...".
  long long integer(const char* what);
  template <class Real>
  Real real(const char* what);

  /// A word up to a blank or the end of the line; empty there.
  std::string_view word();

  /// Whether nothing is left on this line.
  bool at_line_end() {
    skip_blanks();
    return position_ == end_ || *position_ == '\n';
  }

  /// Ends a line; throws if anything is left on it.
  void end_line();

  void skip_line();

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  static bool is_separator(char c) { return is_blank(c) || c == '\n'; }

  void skip_blanks() {
    while (position_ != end_ && is_blank(*position_)) ++position_;
  }
  /// Skips a '+', which std::from_chars does not take, unless another sign follows.
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
