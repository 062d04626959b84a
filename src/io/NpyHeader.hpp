// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace Tessera::Impl {

/// The header of an array in NumPy's format .npy.
struct NpyHeader {
  std::string type;            ///< as NumPy writes it, such as "<f8"
  char kind = ' ';             ///< the letter of the type: b, i, u, f, c, S, U, ...
  std::size_t item_bytes = 0;  ///< bytes of an element
  bool is_swapped = false;     ///< whether the bytes of a number are in the other order than on this machine
  bool is_column_major = false;
  std::vector<std::size_t> shape;
  std::size_t bytes = 0;  ///< of the header: where the elements begin
  std::size_t count = 0;  ///< of elements

  bool is_integer() const { return kind == 'i' || kind == 'u'; }
  bool is_complex() const { return kind == 'c'; }
};

/// No header of an array of numbers is as long.
constexpr std::size_t most_npy_header_bytes = std::size_t{1} << 16;

/// Returns whether a text begins like a file in the format .npy.
bool has_npy_magic(std::string_view content);

/// Reads a header of the versions 1.0, 2.0 or 3.0. An array of structures or of Python's objects is rejected.
///
/// \param head [in] the beginning of the file: at least most_npy_header_bytes, or all of it
/// \param where [in] what messages begin with: the file, and the member of an archive
/// \throws std::runtime_error for a header that is damaged or that describes another array
NpyHeader parse_npy_header(std::string_view head, const std::string& where);

/// Throws std::runtime_error unless a file of this size holds exactly the header and the elements.
void check_npy_size(const NpyHeader& header, std::size_t file_bytes, const std::string& where);

/// Returns the shape as Python writes it, such as "(3, 4)".
std::string shape_text(const NpyHeader& header);

}  // namespace Tessera::Impl
