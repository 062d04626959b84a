// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace Tessera::Impl {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_exponent_letter(char c) { return c == 'E' || c == 'e' || c == 'D' || c == 'd' || c == 'Q' || c == 'q'; }

/// Where a number stands in a line, and how its digits are read.
struct FortranField {
  std::size_t line;   ///< counted from the first line of the pass
  std::size_t begin;  ///< columns in front of it
  std::size_t width;
  int decimals;  ///< digits behind the point, if the number has none
  int scale;     ///< the number is divided by that power of ten, if it has no exponent
  bool is_integer;
};

/// What one pass over a format reads.
struct FortranPass {
  std::vector<FortranField> fields;
  std::vector<std::size_t> widths;  ///< of each line: columns up to the end of its last field
  std::size_t lines() const { return widths.size(); }
};

/// A format of Fortran for numbers, such as (16I5), (1P,4D20.13) or (I8,3(1P,E24.16)), in any case and with blanks.
///
/// Known are I, F, E, D, G, EN and ES; P, X, T to the right, TR and /; what changes only output (S, SP, SS); BN; groups
/// and repeats. Where there are more numbers than fields, Fortran goes to the next line and repeats the last group of
/// the outermost parentheses, or all, with the last P: a second pass may differ from the first.
class FortranFormat {
 public:
  FortranFormat() = default;
  /// \throws TextError at what is no such format, reads no number, or is very long
  explicit FortranFormat(std::string_view text);

  const FortranPass& first() const { return first_; }
  const FortranPass& again() const { return again_; }
  bool is_integer() const;

  /// The least bytes of a text that holds that many numbers, none of them blank.
  double least_bytes(std::size_t numbers) const;

  static constexpr std::size_t widest_field = 1024;

 private:
  FortranPass first_, again_;
};

/// The number in a field. Blanks around it, its sign and its exponent do not count; others are refused, which Fortran
/// would skip, as columns that are not where the format says put two numbers into a field. \throws TextError:
/// "expected `what`, found ..."
long long integer_in_field(std::string_view field, const char* what);
template <class Real>
Real real_in_field(std::string_view field, const FortranField& format, const char* what);

extern template float real_in_field<float>(std::string_view, const FortranField&, const char*);
extern template double real_in_field<double>(std::string_view, const FortranField&, const char*);

}  // namespace Tessera::Impl
