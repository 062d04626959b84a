// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace Tessera::Impl {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_exponent_letter(char c) { return c == 'E' || c == 'e' || c == 'D' || c == 'd' || c == 'Q' || c == 'q'; }

/// The position of a number in a line, and how its digits are read.
struct FortranField {
  std::size_t line;   ///< index of the line in the pass
  std::size_t begin;  ///< number of columns before the field
  std::size_t width;
  int decimals;  ///< number of decimals, if the number has no point
  int scale;     ///< if the number has no exponent, it is divided by 10 to this power
  bool is_integer;
};

/// The numbers that one pass over a format reads.
struct FortranPass {
  std::vector<FortranField> fields;
  std::vector<std::size_t> widths;  ///< for each line, the columns up to the end of its last field
  std::size_t lines() const { return widths.size(); }
};

/// A Fortran format for numbers, such as (16I5), (1P,4D20.13) or (I8,3(1P,E24.16)), in any letter case and with blanks.
///
/// Supports I, F, E, D, G, EN and ES; P, X, T to the right, TR and /; BN; groups and repeats; and S, SP and SS, which
/// affect only output. If there are more numbers than fields, Fortran continues on the next line and repeats the last
/// group in the outermost parentheses, or the whole format, with the last P. Hence a second pass may differ from the
/// first.
class FortranFormat {
 public:
  FortranFormat() = default;
  /// \throws TextError if the text is not such a format, reads no number, or is very long
  explicit FortranFormat(std::string_view text);

  const FortranPass& first() const { return first_; }
  const FortranPass& again() const { return again_; }
  bool is_integer() const;

  /// Returns a lower bound on the bytes of a text that holds this many numbers, none of them blank.
  double least_bytes(std::size_t numbers) const;

  static constexpr std::size_t widest_field = 1024;

 private:
  FortranPass first_, again_;
};

/// Returns the number in a field. Ignores blanks around it, its sign and its exponent. Rejects other blanks, although
/// Fortran skips them, because they show that columns differ from the format and the field holds two numbers.
/// \throws TextError: "expected `what`, found ..."
long long integer_in_field(std::string_view field, const char* what);
template <class Real>
Real real_in_field(std::string_view field, const FortranField& format, const char* what);

extern template float real_in_field<float>(std::string_view, const FortranField&, const char*);
extern template double real_in_field<double>(std::string_view, const FortranField&, const char*);

}  // namespace Tessera::Impl
