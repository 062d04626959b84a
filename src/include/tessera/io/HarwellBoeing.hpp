// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tessera/io/HostCsr.hpp>
#include <tessera/io/MatrixMarket.hpp>
#include <tessera/io/ReadOptions.hpp>

namespace Tessera {

/// The dense matrices that a Harwell-Boeing file may hold in addition to the sparse one.
enum class HarwellBoeingVectors {
  RightHandSides,  ///< right-hand sides
  Guesses,         ///< first guesses of a solution
  Solutions        ///< solutions
};

/// Reads a matrix from a Harwell-Boeing or Rutherford-Boeing file (.rua, .rsa, .rb, ...), plain or gzip, into canonical
/// CSR. The content decides whether it is gzip, not the name.
///
/// Accepts assembled matrices: real, integer, complex and pattern; general, rectangular, symmetric, skew-symmetric and
/// Hermitian. Fortran formats may have I, F, E, D, G, EN or ES, repeats, groups, P, X, / and tabs to the right. Numbers
/// are in the columns of the format and may touch each other; exponents have an E, D, Q or no letter; blanks may
/// surround a number, its sign and its exponent. A number without a point has the number of decimals that the format
/// says. If columns of the format cut numbers, or hold none or two, the words of the line are read instead, provided
/// that the line has the right number of words. Also accepts CRLF, lines without their trailing blanks, blank lines
/// between the parts, and card numbers in columns 73 to 80. Ignores the counts of lines in the second line.
///
/// Row indices of a column may be in any order. Duplicates are summed in the order of the file. Explicit zeros are
/// kept. Entries of a pattern are 1; entries that a skew-symmetric pattern implies are -1. As in read_matrix_market(),
/// a symmetry sets each off-diagonal entry in both triangles; if a file has both triangles, entries are summed. A real
/// Hermitian matrix is symmetric. The diagonal of a skew-symmetric matrix must be zero. A number too small for Scalar
/// becomes zero; one too large is an error.
///
/// \throws std::invalid_argument if the file is complex and Scalar is real
/// \throws std::runtime_error for a matrix that is not assembled (elemental); for every other defect of the file, with
///         the name, the line and what was expected there ("name:line: ..."); for a file that cannot be read; and for
///         one that needs more memory than there is, before it is allocated
///
/// Cost: the text is read whole, then parsed by options.threads threads. Peak memory is the text and twice the entries.
template <class Scalar>
HostCsr<Scalar> read_harwell_boeing(const std::string& path, const ReadOptions& options = {});

/// Reads the full right-hand sides, guesses or solutions of a Harwell-Boeing file: header.rows x
/// header.right_hand_sides. Accepts and throws the same as read_harwell_boeing(); also throws std::runtime_error if the
/// file has no such vectors, or has sparse ones.
template <class Scalar>
HostDense<Scalar> read_harwell_boeing_vectors(const std::string& path,
                                              HarwellBoeingVectors vectors = HarwellBoeingVectors::RightHandSides,
                                              const ReadOptions& options = {});

namespace Impl {

/// The header of a Harwell-Boeing or Rutherford-Boeing file.
struct HarwellBoeingHeader {
  std::string title;                           ///< the first 72 columns, without blanks at their end
  std::string key;                             ///< the next 8 columns
  MatrixMarketHeader::Field field = {};        ///< the first letter of the type: R, I, C or P
  MatrixMarketHeader::Symmetry symmetry = {};  ///< the second letter of the type: S, Z or H; U and R are general
  Ordinal rows = 0;                            ///< rows of the matrix
  Ordinal columns = 0;                         ///< columns of the matrix
  std::size_t stored_entries = 0;              ///< entries in the file, before the symmetry is expanded
  std::size_t right_hand_sides = 0;            ///< number of right-hand sides
  bool has_sparse_right_hand_sides = false;    ///< whether right-hand sides are sparse; these are not read
  bool has_guesses = false;                    ///< whether the same number of first guesses follows
  bool has_solutions = false;                  ///< whether the same number of solutions follows
};

/// Reads the header, not the numbers. Throws like read_harwell_boeing().
HarwellBoeingHeader read_harwell_boeing_header(const std::string& path);

/// Reads the header from the text of a file; error messages call it `name`.
HarwellBoeingHeader parse_harwell_boeing_header(std::string_view text, const std::string& name);

/// Reads a sparse matrix from the text of a file; error messages call it `name`.
template <class Scalar>
HostCsr<Scalar> parse_harwell_boeing(std::string_view text, const std::string& name, const ReadOptions& options = {});

/// Reads dense vectors from the text of a file; error messages call it `name`.
template <class Scalar>
HostDense<Scalar> parse_harwell_boeing_vectors(std::string_view text, const std::string& name,
                                               HarwellBoeingVectors vectors = HarwellBoeingVectors::RightHandSides,
                                               const ReadOptions& options = {});

}  // namespace Impl

}  // namespace Tessera
