// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <tessera/io/HarwellBoeing.hpp>

#include "FortranFormat.hpp"
#include "NamedText.hpp"

namespace Tessera::Impl {

/// The parts of a Harwell-Boeing or Rutherford-Boeing text: the data of its header, and the lines of numbers.
struct HarwellBoeingText : NamedText {
  HarwellBoeingHeader header;
  FortranFormat pointers, indices;
  FortranFormat values;        ///< reads nothing if the matrix is a pattern
  FortranFormat dense;         ///< format of right-hand sides; reads nothing if there are none
  std::string_view type_line;  ///< the line with the size, and all text after it
  std::string_view body;       ///< the lines of numbers
};

/// Returns whether a text, or its first three lines, begins with a Harwell-Boeing header: the second line has numbers,
/// the third has a type of three letters and numbers.
bool has_harwell_boeing_header(std::string_view text);

/// Returns the type of the data, such as "ord", if a text begins like an auxiliary file of Rutherford-Boeing, which
/// holds orders or vectors but no matrix. Returns an empty text for all other files.
std::string_view rutherford_boeing_auxiliary(std::string_view text);

/// Parses the header. Throws like parse_harwell_boeing_header().
HarwellBoeingText split_harwell_boeing(std::string_view text, const std::string& name);

/// Throws if the header announces more numbers than fit in the body.
void check_numbers_fit(const HarwellBoeingText& text);

}  // namespace Tessera::Impl
